//! The stream of statements, in chunks.
//!
//! A chunk holds whole statements: their blocks of bytes from its front, their handles from its back,
//! so that both share one check for room and are at hand together when a sweep comes by.
//!
//! ```text
//! stage   [ block | block | block | ......free...... | handle | handle | size handle ]
//!                                front              back
//! stored  arena  [ chunk | chunk | chunk | ... ]   arena  [ chunk | ... ]
//! ```
//! Statements are written into the stage, which stays in the processor's first cache. A full stage is
//! copied to its place in an arena past the caches: writing there directly would first read every line
//! from memory. Statements are never copied again. A statement whose block has no fixed size has the size
//! beside its handle, marked by its top bit. A statement that doesn't fit gets a chunk of its own size.
#![allow(unsafe_code)] // blocks and handles are handed out from raw memory, behind one check for room
use super::{error::Error, pages};

const WORD: usize = size_of::<u32>();
/// Marks a word as a size.
const SIZE: u32 = 1 << 31;
/// Chunks in an arena.
const SLOTS: usize = 2048;
/// Below so many bytes, chunks are copied through the caches, where a sweep will find them.
const CACHED: usize = 1 << 20;

/// A position between two statements.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Mark {
    chunk: usize,
    front: usize,
    back: usize,
    sized: usize,
}

/// The chunk that is being filled.
///
/// Invariant: `data` came from a `Box` and is owned; `front <= back` point into it or to its end.
struct Stage {
    data: *mut [u8],
    front: *mut u8,
    back: *mut u8,
}
impl Drop for Stage {
    fn drop(&mut self) {
        // SAFETY: `data` came from `Box::into_raw` in `from` and is freed here only.
        drop(unsafe { Box::from_raw(self.data) });
    }
}
impl From<Box<[u8]>> for Stage {
    fn from(data: Box<[u8]>) -> Self {
        let size = data.len();
        let data = Box::into_raw(data);
        let front = data.cast::<u8>();
        // SAFETY: the end of the allocation that `front` starts.
        let back = unsafe { front.add(size) };
        Stage { data, front, back }
    }
}
impl Stage {
    fn new(size: usize) -> Result<Self, Error> {
        pages::zeroed(size).map(Self::from)
    }
    fn data(&mut self) -> &mut [u8] {
        // SAFETY: `data` is owned and initialised, and borrowed as `self` is.
        unsafe { &mut *self.data }
    }
    fn size(&self) -> usize {
        self.data.len()
    }
    fn room(&self) -> usize {
        self.back.addr() - self.front.addr()
    }
    /// Bytes of blocks.
    fn front(&self) -> usize {
        self.front.addr() - self.data.cast::<u8>().addr()
    }
    /// Bytes of handles and sizes.
    fn back(&self) -> usize {
        self.size() - self.front() - self.room()
    }
    /// Takes the first `front` and the last `back` bytes as written.
    fn set(&mut self, front: usize, back: usize) {
        assert!(front + back <= self.size(), "more than the chunk holds");
        // SAFETY: both stay inside of the allocation, and in order.
        unsafe {
            self.front = self.data.cast::<u8>().add(front);
            self.back = self.data.cast::<u8>().add(self.size() - back);
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
        // allocation are initialised, as it came as a slice of bytes. The block borrows `self`.
        unsafe {
            self.back = self.back.sub(WORD);
            self.back.cast::<u32>().write_unaligned(handle);
            let block = std::slice::from_raw_parts_mut(self.front, n);
            self.front = self.front.add(n);
            Some(block)
        }
    }
    /// Gives the memory away.
    fn into_data(mut self) -> Box<[u8]> {
        let empty = Box::into_raw(Box::<[u8]>::default());
        let data = std::mem::replace(&mut self.data, empty);
        // SAFETY: `data` came from a `Box`, and `self` no longer owns it.
        unsafe { Box::from_raw(data) }
    }
}

/// A full chunk: bytes of blocks and of handles, and its memory, if that is not the next slot of an arena.
struct Stored {
    front: usize,
    back: usize,
    own: Option<Box<[u8]>>,
}

/// All statements of a tape.
pub(crate) struct Chunks {
    stage: Stage,
    stored: Vec<Stored>,
    arenas: Vec<Box<[u8]>>,
    /// Slots of the arenas in use.
    slots: usize,
    chunk: usize,
    sized: usize,
    /// Bytes of chunks that have memory of their own.
    own: usize,
    huge_pages: bool,
}
impl Chunks {
    /// Chunks of `chunk` bytes.
    pub(crate) fn new(chunk: usize, huge_pages: bool) -> Self {
        Chunks {
            stage: Stage::from(Box::default()),
            stored: Vec::new(),
            arenas: Vec::new(),
            slots: 0,
            chunk: chunk.max(2 * WORD),
            sized: 0,
            own: 0,
            huge_pages,
        }
    }
    /// Appends a statement of fixed size, if the stage has room; its block is to be written.
    #[inline(always)]
    pub(crate) fn append_here(&mut self, n: usize, handle: u32) -> Option<&mut [u8]> {
        self.stage.append(n, handle)
    }
    /// Appends a statement; `sized` if its size must be told. Its block is to be written.
    pub(crate) fn append(
        &mut self,
        n: usize,
        handle: u32,
        sized: bool,
    ) -> Result<&mut [u8], Error> {
        let need = n + WORD + if sized { WORD } else { 0 };
        if self.stage.room() < need {
            self.store_stage(need)?;
        }
        if sized {
            let size = u32::try_from(n)
                .ok()
                .filter(|n| n & SIZE == 0)
                .expect("a statement below 2 GiB");
            self.stage.append(0, size | SIZE);
            self.sized += 1;
        }
        Ok(self.stage.append(n, handle).expect("room, as just checked"))
    }
    /// Stores the stage away, so that it has room for `need` bytes.
    fn store_stage(&mut self, need: usize) -> Result<(), Error> {
        let (front, back) = (self.stage.front(), self.stage.back());
        if self.stage.size() == self.chunk && front + back > 0 {
            self.make_slot()?;
            let plain = self.slots * self.chunk < CACHED;
            let slot = slot_mut(&mut self.arenas, self.chunk, self.slots);
            if plain {
                slot.copy_from_slice(self.stage.data());
            } else {
                let from = self.stage.data();
                assert_eq!(slot.len(), from.len(), "a slot holds one chunk");
                // SAFETY: two slices of initialised bytes with the same length, apart as one is borrowed
                // uniquely.
                unsafe { pages::copy_past_caches(slot.as_mut_ptr(), from.as_ptr(), slot.len()) };
            }
            self.slots += 1;
            self.stored.push(Stored {
                front,
                back,
                own: None,
            });
            self.stage.set(0, 0);
        }
        if self.stage.size() != self.chunk || need > self.chunk {
            let next = Stage::new(self.chunk.max(need))?;
            let last = std::mem::replace(&mut self.stage, next);
            if front + back > 0 && last.size() != self.chunk {
                self.own += last.size();
                self.stored.push(Stored {
                    front,
                    back,
                    own: Some(last.into_data()),
                });
            }
        }
        Ok(())
    }
    fn make_slot(&mut self) -> Result<(), Error> {
        if self.slots == self.arenas.len() * SLOTS {
            // Fresh pages come from the system untouched, so slots that stay unused cost no memory.
            let mut arena = pages::zeroed(SLOTS * self.chunk + pages::LINE)?;
            if self.huge_pages {
                pages::advise_huge(&mut arena);
            }
            self.arenas.push(arena);
        }
        Ok(())
    }
    /// Allocates memory for `bytes` and touches it, so that a recording meets no fresh pages.
    pub(crate) fn preallocate(&mut self, bytes: usize) -> Result<(), Error> {
        let (slots, mut left) = (self.slots, bytes);
        while left > 0 {
            self.slots = self.arenas.len() * SLOTS;
            self.make_slot()?;
            let arena = self.arenas.last_mut().expect("the arena just made");
            let touched = left.min(arena.len());
            arena[..touched].fill(0xa5);
            left -= touched;
        }
        self.slots = slots;
        Ok(())
    }
    /// The end.
    pub(crate) fn end(&self) -> Mark {
        Mark {
            chunk: self.stored.len(),
            front: self.stage.front(),
            back: self.stage.back(),
            sized: self.sized,
        }
    }
    /// Forgets what stands after `mark`; the memory is kept for the next recording.
    pub(crate) fn truncate(&mut self, mark: Mark) {
        for stored in self.stored.drain((mark.chunk + 1).min(self.stored.len())..) {
            match stored.own {
                Some(data) => self.own -= data.len(),
                None => self.slots -= 1,
            }
        }
        if self.stored.len() > mark.chunk {
            let last = self.stored.pop().expect("the chunk of the mark");
            match last.own {
                Some(data) => {
                    self.own -= data.len();
                    self.stage = Stage::from(data);
                }
                None => {
                    self.slots -= 1;
                    if self.stage.size() != self.chunk {
                        self.stage = Stage::from(vec![0; self.chunk].into_boxed_slice());
                    }
                    let slot = slot_mut(&mut self.arenas, self.chunk, self.slots);
                    self.stage.data().copy_from_slice(slot);
                }
            }
        }
        self.stage.set(mark.front, mark.back);
        self.sized = mark.sized;
    }
    /// The statements after `from`, chunk by chunk: blocks and handles.
    pub(crate) fn after(&mut self, mut from: Mark) -> Vec<(&mut [u8], &[u8])> {
        let slots_before = self.stored[..from.chunk]
            .iter()
            .filter(|s| s.own.is_none())
            .count();
        let chunk = self.chunk;
        let mut slots = self
            .arenas
            .iter_mut()
            .flat_map(|a| aligned(a, chunk).chunks_exact_mut(chunk))
            .skip(slots_before);
        let (front, back) = (self.stage.front(), self.stage.back());
        let stored = self.stored[from.chunk..].iter_mut().map(|stored| {
            let data = match &mut stored.own {
                Some(data) => &mut data[..],
                None => slots.next().expect("a slot for each stored chunk"),
            };
            (data, stored.front, stored.back)
        });
        let stage = std::iter::once((self.stage.data(), front, back));
        let parts = stored.chain(stage).map(|(data, front, back)| {
            let from = std::mem::take(&mut from);
            let size = data.len();
            let (blocks, rest) = data.split_at_mut(front);
            (
                &mut blocks[from.front..],
                &rest[size - back - front..size - from.back - front],
            )
        });
        parts.collect()
    }
    /// Bytes allocated for statements, as far as they are in use.
    pub(crate) fn allocated(&self) -> usize {
        self.stage.size() + self.slots * self.chunk + self.own
    }
    pub(crate) fn sizes(&self) -> Sizes {
        let stage = (self.stage.front(), self.stage.back());
        let all = self
            .stored
            .iter()
            .map(|s| (s.front, s.back))
            .chain(std::iter::once(stage));
        all.fold(
            Sizes {
                sized: self.sized,
                ..Sizes::default()
            },
            |sum, (front, back)| Sizes {
                blocks: sum.blocks + front,
                words: sum.words + back / WORD,
                ..sum
            },
        )
    }
}

/// The part of an arena that holds the slots, from the start of a cache line on.
fn aligned(arena: &mut [u8], chunk: usize) -> &mut [u8] {
    let skip = arena.as_ptr().align_offset(pages::LINE).min(pages::LINE);
    &mut arena[skip..skip + SLOTS * chunk]
}
fn slot_mut(arenas: &mut [Box<[u8]>], chunk: usize, slot: usize) -> &mut [u8] {
    let at = slot % SLOTS * chunk;
    &mut aligned(&mut arenas[slot / SLOTS], chunk)[at..at + chunk]
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
