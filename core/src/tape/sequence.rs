//! The stream of statements.
//!
//! ```text
//! [ block | handle ][ block | size | handle ][ block | handle ] ..
//! ```
//!
//! A sweep begins at the end: the handle determines the type, and the type determines the size of the block or that the size
//! precedes the handle. To find where statements start, a walk forward first walks a short part backwards. For this the stream
//! stores a [boundary](Stream::boundaries) every few KiB.
use crate::{
    error::Error,
    storage::{SLACK, Stream, StreamPosition},
};
use std::cell::Cell;

/// The bytes of a handle, and of a size.
pub(crate) const WORD: usize = size_of::<u32>();
/// The size of blocks whose size precedes the handle.
pub(crate) const SIZED: usize = usize::MAX;

pub(crate) const SMALL: usize = SLACK - WORD;

pub(crate) type Mark = StreamPosition;

pub(crate) struct Sequence {
    stream: Stream,
    counted: Cell<(Mark, StreamSizes)>,
    /// Memory of walks forward.
    found: Vec<(u32, usize)>,
}
impl Sequence {
    pub(crate) fn new(chunk: Option<usize>, huge_pages: bool) -> Self {
        Sequence {
            stream: Stream::new(chunk, huge_pages),
            counted: Cell::default(),
            found: Vec::new(),
        }
    }
    /// Returns the next block, to be written. [`take`](Self::take) makes it the last statement.
    #[inline(always)]
    pub(crate) fn next(&mut self, n: usize, handle: u32) -> &mut [u8] {
        let (block, word) = self.stream.next(n + WORD).split_at_mut(n);
        word.copy_from_slice(&handle.to_ne_bytes());
        block
    }
    /// Like [`next`](Self::next), with its size; [`take`](Self::take) counts both, at most [`SMALL`] bytes.
    #[inline(always)]
    pub(crate) fn next_sized(&mut self, n: usize, handle: u32) -> &mut [u8] {
        let (block, size) = self.next(n + WORD, handle).split_at_mut(n);
        size.copy_from_slice(&(n as u32).to_ne_bytes());
        block
    }
    /// Returns whether memory for another statement is available; otherwise the caller must [reserve](Self::reserve) it.
    #[inline(always)]
    pub(crate) fn take(&mut self, n: usize) -> bool {
        self.stream.take(n + WORD)
    }
    pub(crate) fn reserve(&mut self) -> Result<(), Error> {
        self.stream.reserve()
    }
    pub(crate) fn append(
        &mut self,
        n: usize,
        handle: u32,
        sized: bool,
    ) -> Result<&mut [u8], Error> {
        let told = u32::try_from(n).map_err(|_| Error::StatementTooLarge { bytes: n })?;
        let words = if sized { 2 } else { 1 };
        let piece = self.stream.append(n + words * WORD)?;
        let (block, words) = piece.split_at_mut(n);
        let (size, word) = words.split_at_mut(words.len() - WORD);
        word.copy_from_slice(&handle.to_ne_bytes());
        if sized {
            size.copy_from_slice(&told.to_ne_bytes());
        }
        Ok(block)
    }
    pub(crate) fn preallocate(&mut self, bytes: usize) -> Result<(), Error> {
        self.stream.preallocate(bytes)
    }
    pub(crate) fn end(&self) -> Mark {
        self.stream.end()
    }
    pub(crate) fn truncate(&mut self, mark: Mark) {
        self.stream.truncate(mark);
        if self.counted.get().0 > mark {
            self.counted.take();
        }
    }
    pub(crate) fn after(&mut self, from: Mark) -> impl DoubleEndedIterator<Item = &mut [u8]> {
        let end = self.end();
        self.between(from, end)
    }
    pub(crate) fn between(
        &mut self,
        from: Mark,
        to: Mark,
    ) -> impl DoubleEndedIterator<Item = &mut [u8]> {
        self.stream.between(from, to)
    }
    /// Returns the statements after `from` from first to last: entries, and blocks with their size.
    pub(crate) fn forward<'s, E>(
        &'s mut self,
        from: Mark,
        entries: &'s [E],
        size: impl Fn(&E) -> usize,
    ) -> impl Iterator<Item = (&'s E, &'s mut [u8])> {
        self.found.clear();
        ForwardStatements {
            segments: self.stream.segments_after(from),
            segment: &mut [],
            found: &mut self.found,
            entries,
            size,
        }
    }
    pub(crate) fn allocated(&self) -> usize {
        self.stream.allocated()
    }
    pub(crate) fn held(&self) -> usize {
        self.stream.held() + self.found.capacity() * size_of::<(u32, usize)>()
    }
    pub(crate) fn bytes(&self) -> usize {
        let runs = self.stream.runs(Mark::default());
        runs.map(|run| run.end - run.start).sum()
    }
    /// Counts only the statements added since the last call.
    pub(crate) fn sizes(&self, size: impl Fn(u32) -> usize) -> StreamSizes {
        let (from, mut sizes) = self.counted.get();
        for run in self.stream.runs(from) {
            let mut end = run.end;
            while end > run.start {
                let handle = self.stream.word(run.arena, end - WORD);
                let mut n = size(handle);
                let mut words = WORD;
                if n == SIZED {
                    n = self.stream.word(run.arena, end - 2 * WORD) as usize;
                    words += WORD;
                    sizes.sized += 1;
                }
                sizes.statements += 1;
                sizes.blocks += n;
                end -= n + words;
            }
        }
        self.counted.set((self.end(), sizes));
        sizes
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StreamSizes {
    pub(crate) statements: usize,
    pub(crate) blocks: usize,
    pub(crate) sized: usize,
}

#[inline(always)]
pub(crate) fn pop_word(bytes: &mut [u8]) -> Option<(&mut [u8], u32)> {
    let (rest, word) = bytes.split_last_chunk_mut::<WORD>()?;
    Some((rest, u32::from_ne_bytes(*word)))
}
#[inline(always)]
pub(crate) fn pop_block(bytes: &mut [u8], size: usize) -> (&mut [u8], &mut [u8]) {
    let (bytes, size) = match size {
        SIZED => {
            let (bytes, size) = pop_word(bytes).expect("a size precedes the handle");
            (bytes, size as usize)
        }
        size => (bytes, size),
    };
    let at = bytes.len() - size;
    bytes.split_at_mut(at)
}

struct ForwardStatements<'s, S, E, F> {
    segments: S,
    segment: &'s mut [u8],
    /// The handles and bytes of the statements in `segment`, the first one last.
    found: &'s mut Vec<(u32, usize)>,
    entries: &'s [E],
    size: F,
}
impl<'s, S: Iterator<Item = &'s mut [u8]>, E, F: Fn(&E) -> usize> ForwardStatements<'s, S, E, F> {
    fn next_segment(&mut self) -> Option<()> {
        self.segment = self.segments.next()?;
        let mut tape = &mut *self.segment;
        while !tape.is_empty() {
            let len = tape.len();
            let (bytes, handle) = pop_word(tape).expect("a handle follows the block");
            (tape, _) = pop_block(bytes, (self.size)(&self.entries[handle as usize]));
            self.found.push((handle, len - tape.len()));
        }
        Some(())
    }
}
impl<'s, S: Iterator<Item = &'s mut [u8]>, E, F: Fn(&E) -> usize> Iterator
    for ForwardStatements<'s, S, E, F>
{
    type Item = (&'s E, &'s mut [u8]);
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let (handle, bytes) = loop {
            match self.found.pop() {
                Some(found) => break found,
                None => self.next_segment()?,
            }
        };
        let segment = std::mem::take(&mut self.segment);
        let (statement, rest) = segment.split_at_mut(bytes);
        self.segment = rest;
        Some((
            &self.entries[handle as usize],
            &mut statement[..bytes - WORD],
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rejected_statement_leaves_no_bytes() {
        let mut statements = Sequence::new(None, false);
        let block = statements.append(3, 7, true).expect("room");
        block.copy_from_slice(&[1, 2, 3]);
        let end = statements.end();
        let bytes = 1 << 32;
        for sized in [true, false] {
            let refused = statements.append(bytes, 8, sized).err();
            assert_eq!(refused, Some(Error::StatementTooLarge { bytes }));
            assert_eq!(statements.end(), end);
        }
        let [all] = &mut statements.after(Mark::default()).collect::<Vec<_>>()[..] else {
            panic!("one run");
        };
        let (rest, handle) = pop_word(all).expect("a handle");
        let (rest, size) = pop_word(rest).expect("a size");
        assert_eq!((&*rest, size, handle), (&[1, 2, 3][..], 3, 7));
    }
}
