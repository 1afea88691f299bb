//! The statements: a stream of blocks and a stream of handles, side by side.
//!
//! ```text
//! blocks   [ block | block       | block | ..
//! words    [ handle | size handle | handle | ..
//! ```
//! A statement whose block has no fixed size has the size before its handle, marked by its top bit.
use super::{
    error::Error,
    stream::{Position, Stream},
};

const WORD: usize = size_of::<u32>();
/// Marks a word as a size.
const SIZE: u32 = 1 << 31;

/// A position between two statements.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Mark {
    words: Position,
    blocks: Position,
    sized: usize,
}

/// All statements of a tape.
pub(crate) struct Streams {
    blocks: Stream,
    words: Stream,
    sized: usize,
}
impl Streams {
    /// With chunks of `chunk` bytes, or of sizes that fit.
    pub(crate) fn new(chunk: Option<usize>, huge_pages: bool) -> Self {
        Streams {
            blocks: Stream::new(chunk, huge_pages),
            words: Stream::new(chunk.map(|c| c.max(2 * WORD)), huge_pages),
            sized: 0,
        }
    }
    /// Makes room for a statement with a block of `n` bytes, if that needs no new memory.
    pub(crate) fn refill(&mut self, n: usize) -> bool {
        (self.words.has_room(WORD) || self.words.refill(WORD))
            && (self.blocks.has_room(n) || self.blocks.refill(n))
    }
    /// Whether a statement with a block of `n` bytes can be appended at once.
    #[inline(always)]
    pub(crate) fn has_room(&self, n: usize) -> bool {
        self.words.has_room(WORD) && self.blocks.has_room(n)
    }
    /// Appends a statement of fixed size, if there is room at hand; its handle and its block are to be
    /// written.
    #[inline(always)]
    pub(crate) fn append_here(&mut self, n: usize) -> Option<(&mut [u8], &mut [u8])> {
        if !self.has_room(n) {
            return None;
        }
        let (word, block) = (self.words.append_here(WORD), self.blocks.append_here(n));
        Some((word?, block?))
    }
    /// Appends a statement; `sized` if its size must be told. Its block is to be written.
    pub(crate) fn append(
        &mut self,
        n: usize,
        handle: u32,
        sized: bool,
    ) -> Result<&mut [u8], Error> {
        let size = if sized {
            let size = u32::try_from(n).ok().filter(|n| n & SIZE == 0);
            [size.expect("a statement below 2 GiB") | SIZE, handle]
        } else {
            [0, handle]
        };
        let words = if sized { &size[..] } else { &size[1..] };
        let words: &[u8] = bytemuck::cast_slice(words);
        self.words.append(words.len())?.copy_from_slice(words);
        match self.blocks.append(n) {
            Ok(block) => {
                self.sized += usize::from(sized);
                Ok(block)
            }
            Err(full) => {
                self.words.take_back(words.len());
                Err(full)
            }
        }
    }
    /// Allocates memory for `bytes` of blocks, and a quarter of that for handles, and touches it.
    pub(crate) fn preallocate(&mut self, bytes: usize) -> Result<(), Error> {
        self.blocks.preallocate(bytes)?;
        self.words.preallocate(bytes / 4)
    }
    /// The end.
    pub(crate) fn end(&self) -> Mark {
        Mark {
            words: self.words.end(),
            blocks: self.blocks.end(),
            sized: self.sized,
        }
    }
    /// Forgets what stands after `mark`; the memory is kept for the next recording.
    pub(crate) fn truncate(&mut self, mark: Mark) {
        self.words.truncate(mark.words);
        self.blocks.truncate(mark.blocks);
        self.sized = mark.sized;
    }
    /// The statements after `from`: pieces of blocks, and of words.
    pub(crate) fn after(&mut self, from: Mark) -> (Vec<&mut [u8]>, Vec<&mut [u8]>) {
        (self.blocks.after(from.blocks), self.words.after(from.words))
    }
    /// Bytes allocated for statements, as far as they are in use.
    pub(crate) fn allocated(&self) -> usize {
        self.blocks.allocated() + self.words.allocated()
    }
    pub(crate) fn sizes(&self) -> Sizes {
        Sizes {
            blocks: self.blocks.len(),
            words: self.words.len() / WORD,
            sized: self.sized,
        }
    }
}

/// How much there is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sizes {
    /// Bytes of blocks.
    pub(crate) blocks: usize,
    /// Handles and sizes.
    pub(crate) words: usize,
    /// Sizes among them.
    pub(crate) sized: usize,
}

/// One word beside the blocks.
pub(crate) enum Word {
    Handle(u32),
    Size(usize),
}
/// Reads words in the order of recording.
pub(crate) fn words_forth(words: &[u8]) -> impl Iterator<Item = Word> {
    words
        .chunks_exact(WORD)
        .map(|word| match bytemuck::pod_read_unaligned::<u32>(word) {
            size if size & SIZE != 0 => Word::Size((size & !SIZE) as usize),
            handle => Word::Handle(handle),
        })
}
/// Takes the last recorded handle off the words.
#[inline(always)]
pub(crate) fn pop_handle(words: &mut &[u8]) -> Option<u32> {
    let (rest, word) = words.split_last_chunk::<WORD>()?;
    *words = rest;
    Some(u32::from_ne_bytes(*word))
}
/// Takes the size of the statement whose handle was taken.
#[cold]
pub(crate) fn pop_size(words: &mut &[u8]) -> usize {
    pop_handle(words).map_or(0, |size| (size & !SIZE) as usize)
}
