//! The stream of statements, in chunks that never move.
//!
//! A chunk holds whole statements: their blocks of bytes from its front, their handles from its back,
//! so that both share one check for room and are at hand together when a sweep comes by.
//!
//! ```text
//! [ block | block | block | ......free...... | handle | handle | size handle ]
//!                         front              back
//! ```
//! A statement whose block has no fixed size has the size beside its handle, marked by its top bit. A
//! statement that doesn't fit opens the next chunk, which is enlarged if need be.
#![allow(unsafe_code)] // blocks and handles are handed out from raw memory, behind one check for room

use super::error::Error;

const WORD: usize = size_of::<u32>();
/// Marks a word as a size.
const SIZE: u32 = 1 << 31;

/// A position between two statements.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Mark {
    chunk: usize,
    front: usize,
    back: usize,
    sized: usize,
}

/// Memory for statements.
///
/// Invariant: `data` came from a `Box` and is owned; `front <= back` point into it or to its end.
struct Chunk {
    data: *mut [u8],
    front: *mut u8,
    back: *mut u8,
}
impl Drop for Chunk {
    fn drop(&mut self) {
        // SAFETY: `data` came from `Box::into_raw` in `new` and is freed here only.
        drop(unsafe { Box::from_raw(self.data) });
    }
}
impl Chunk {
    fn empty() -> Self {
        let data = Box::into_raw(Box::<[u8]>::default());
        Chunk {
            data,
            front: data.cast(),
            back: data.cast(),
        }
    }
    fn new(size: usize) -> Result<Self, Error> {
        let data = bytemuck::allocation::try_zeroed_slice_box(size)
            .map_err(|()| Error::OutOfMemory { bytes: size })?;
        // Zeroed pages come from the system untouched, so a rest that stays unused costs no memory.
        let data = Box::into_raw(data);
        let front = data.cast::<u8>();
        // SAFETY: the end of the allocation that `front` starts.
        Ok(Chunk {
            data,
            front,
            back: unsafe { front.add(size) },
        })
    }
    /// Writes to every page.
    fn touch(&mut self) {
        // SAFETY: `data` is owned and initialised, and borrowed as `self` is.
        unsafe { &mut *self.data }.fill(0xa5);
    }
    fn size(&self) -> usize {
        self.data.len()
    }
    fn room(&self) -> usize {
        self.back.addr() - self.front.addr()
    }
    /// Bytes of blocks.
    fn blocks(&self) -> usize {
        self.front.addr() - self.data.cast::<u8>().addr()
    }
    /// Bytes of handles and sizes.
    fn handles(&self) -> usize {
        self.size() - self.blocks() - self.room()
    }
    /// Forgets all but the first `blocks` bytes of blocks and `handles` bytes of handles.
    fn truncate(&mut self, blocks: usize, handles: usize) {
        assert!(
            blocks <= self.blocks() && handles <= self.handles(),
            "a position behind the end"
        );
        // SAFETY: both stay inside of the allocation, and as `blocks + handles` does not grow, in order.
        unsafe {
            self.front = self.data.cast::<u8>().add(blocks);
            self.back = self.data.cast::<u8>().add(self.data.len() - handles);
        }
    }
    /// A statement with a block of `n` bytes, if there is room.
    #[inline(always)]
    fn append(&mut self, n: usize, handle: u32) -> Option<&mut [u8]> {
        if self.room() < n + WORD {
            return None;
        }
        // SAFETY: `front + n <= back - WORD` was just checked, so the block and the word are inside of the
        // allocation, apart from each other and from everything handed out before; all bytes of the
        // allocation are initialised, as it was made of zeros. The block borrows `self`.
        unsafe {
            self.back = self.back.sub(WORD);
            self.back.cast::<u32>().write_unaligned(handle);
            let block = std::slice::from_raw_parts_mut(self.front, n);
            self.front = self.front.add(n);
            Some(block)
        }
    }
    /// Blocks and handles after the first `from` bytes of each.
    fn parts(&mut self, from: Mark) -> (&mut [u8], &[u8]) {
        let (blocks, handles) = (self.blocks(), self.handles());
        // SAFETY: `data` is owned and initialised, and borrowed as `self` is.
        let data = unsafe { &mut *self.data };
        let end = data.len() - from.back;
        let (front, rest) = data.split_at_mut(blocks);
        let gap = end - blocks - (handles - from.back);
        (&mut front[from.front..], &rest[gap..end - blocks])
    }
}

/// All statements of a tape.
pub(crate) struct Chunks {
    full: Vec<Chunk>,
    tail: Chunk,
    spare: Vec<Chunk>,
    chunk: usize,
    sized: usize,
    allocated: usize,
}
impl Chunks {
    /// Chunks of `chunk` bytes.
    pub(crate) fn new(chunk: usize) -> Self {
        Chunks {
            full: Vec::new(),
            tail: Chunk::empty(),
            spare: Vec::new(),
            chunk: chunk.max(2 * WORD),
            sized: 0,
            allocated: 0,
        }
    }
    /// Appends a statement of fixed size to the chunk at hand, if it has room; its block is to be written.
    #[inline(always)]
    pub(crate) fn append_here(&mut self, n: usize, handle: u32) -> Option<&mut [u8]> {
        self.tail.append(n, handle)
    }
    /// Appends a statement; `sized` if its size must be told. Its block is to be written.
    pub(crate) fn append(
        &mut self,
        n: usize,
        handle: u32,
        sized: bool,
    ) -> Result<&mut [u8], Error> {
        let need = n + WORD + if sized { WORD } else { 0 };
        if self.tail.room() < need {
            self.open(need)?;
        }
        if sized {
            let size = u32::try_from(n)
                .ok()
                .filter(|n| n & SIZE == 0)
                .expect("a statement below 2 GiB");
            self.tail.append(0, size | SIZE);
            self.sized += 1;
        }
        Ok(self.tail.append(n, handle).expect("room, as just checked"))
    }
    fn open(&mut self, need: usize) -> Result<(), Error> {
        let next = match self.spare.iter().position(|c| c.size() >= need) {
            Some(i) => self.spare.swap_remove(i),
            None => {
                let chunk = Chunk::new(self.chunk.max(need))?;
                self.allocated += chunk.size();
                chunk
            }
        };
        let last = std::mem::replace(&mut self.tail, next);
        if last.size() > 0 {
            self.full.push(last);
        }
        Ok(())
    }
    /// Bytes allocated.
    pub(crate) fn allocated(&self) -> usize {
        self.allocated
    }
    /// Allocates memory for `bytes` more and touches it, so that a recording meets no fresh pages.
    pub(crate) fn preallocate(&mut self, bytes: usize) -> Result<(), Error> {
        let mut have: usize = self.spare.iter().map(Chunk::size).sum();
        while have < bytes {
            let mut chunk = Chunk::new(self.chunk)?;
            chunk.touch();
            have += chunk.size();
            self.allocated += chunk.size();
            self.spare.push(chunk);
        }
        Ok(())
    }
    /// The end.
    pub(crate) fn end(&self) -> Mark {
        Mark {
            chunk: self.full.len(),
            front: self.tail.blocks(),
            back: self.tail.handles(),
            sized: self.sized,
        }
    }
    /// Forgets what stands after `mark`; the memory is kept for the next recording.
    pub(crate) fn truncate(&mut self, mark: Mark) {
        while self.full.len() > mark.chunk {
            let chunk = self.full.pop().expect("a full chunk");
            let mut spare = std::mem::replace(&mut self.tail, chunk);
            spare.truncate(0, 0);
            self.spare.push(spare);
        }
        self.tail.truncate(mark.front, mark.back);
        self.sized = mark.sized;
    }
    /// The statements after `from`, chunk by chunk: blocks and handles.
    pub(crate) fn after(&mut self, mut from: Mark) -> Vec<(&mut [u8], &[u8])> {
        let chunks = self.full[from.chunk..]
            .iter_mut()
            .chain(std::iter::once(&mut self.tail));
        chunks
            .map(|chunk| chunk.parts(std::mem::take(&mut from)))
            .collect()
    }
    pub(crate) fn sizes(&self) -> Sizes {
        let chunks = self
            .full
            .iter()
            .chain(&self.spare)
            .chain(std::iter::once(&self.tail));
        let mut sizes = Sizes {
            sized: self.sized,
            ..Sizes::default()
        };
        for chunk in chunks {
            sizes.blocks += chunk.blocks();
            sizes.words += chunk.handles() / WORD;
        }
        sizes
    }
}

/// How much the chunks hold.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sizes {
    /// Bytes of blocks.
    pub(crate) blocks: usize,
    /// Handles and sizes.
    pub(crate) words: usize,
    /// Sizes among them.
    pub(crate) sized: usize,
}

/// One word of the handles of a chunk.
pub(crate) enum Word {
    Handle(u32),
    Size(usize),
}
/// Reads the words of a chunk in the order of recording.
pub(crate) fn words_forth(handles: &[u8]) -> impl Iterator<Item = Word> {
    handles
        .rchunks_exact(WORD)
        .map(|word| match bytemuck::pod_read_unaligned::<u32>(word) {
            size if size & SIZE != 0 => Word::Size((size & !SIZE) as usize),
            handle => Word::Handle(handle),
        })
}
/// Takes the last recorded word off the handles of a chunk.
#[inline(always)]
pub(crate) fn pop_handle(handles: &mut &[u8]) -> Option<u32> {
    let (word, rest) = handles.split_first_chunk::<WORD>()?;
    *handles = rest;
    Some(u32::from_ne_bytes(*word))
}
/// Takes the size of the statement whose handle was taken.
#[cold]
pub(crate) fn pop_size(handles: &mut &[u8]) -> usize {
    pop_handle(handles).map_or(0, |size| (size & !SIZE) as usize)
}
