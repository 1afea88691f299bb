//! An index for walks forward.
use super::{
    handles::{Entry, SIZED},
    sequence::{Mark, WORD, pop_block, pop_word},
};
use crate::{
    error::Error,
    storage::{Column, Stream},
};

/// The handle of each statement, followed by the size of its block if unknown.
pub(super) struct ForwardIndex {
    words: Column<u32>,
    end: Mark,
}
impl ForwardIndex {
    pub(super) fn new() -> Self {
        ForwardIndex {
            words: Column::new(),
            end: Mark::default(),
        }
    }
    pub(super) fn held(&self) -> usize {
        self.words.held()
    }
    pub(super) fn truncate(&mut self, mark: Mark) {
        if self.end > mark {
            self.words.truncate(0);
            self.end = Mark::default();
        }
    }
    fn complete(&mut self, stream: &mut Stream, entries: &[Entry]) -> Result<(), Error> {
        let words = &mut self.words;
        let mut enough = Ok(());
        stream.each_segment_after(self.end, |segment| {
            let room = words.reserve(segment.len() / WORD);
            if room.is_err() || enough.is_err() {
                enough = enough.clone().and(room);
                return;
            }
            let start = words.len();
            let mut tape = segment;
            while let Some((bytes, handle)) = pop_word(tape) {
                let entry = &entries[handle as usize];
                let (rest, block) = pop_block(bytes, entry);
                if entry.size == SIZED {
                    words.push(block.len() as u32);
                }
                words.push(handle);
                tape = rest;
            }
            words[start..].reverse();
        });
        if enough.is_err() {
            words.truncate(0);
            self.end = Mark::default();
            return enough;
        }
        self.end = stream.end();
        Ok(())
    }
    pub(super) fn statements<'s>(
        &'s mut self,
        stream: &'s mut Stream,
        entries: &'s [Entry],
    ) -> Result<impl Iterator<Item = (&'s Entry, &'s mut [u8])>, Error> {
        self.complete(stream, entries)?;
        Ok(Statements {
            words: self.words.iter(),
            runs: stream.between(Mark::default(), self.end),
            tape: &mut [],
            entries,
        })
    }
}
struct Statements<'s, R> {
    words: std::slice::Iter<'s, u32>,
    runs: R,
    tape: &'s mut [u8],
    entries: &'s [Entry],
}
impl<'s, R: Iterator<Item = &'s mut [u8]>> Iterator for Statements<'s, R> {
    type Item = (&'s Entry, &'s mut [u8]);
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        while self.tape.is_empty() {
            self.tape = self.runs.next()?;
        }
        let mut word = || *self.words.next().expect("the index covers all statements");
        let entry = &self.entries[word() as usize];
        let size = if entry.size == SIZED {
            word() as usize
        } else {
            entry.size
        };
        let tape = std::mem::take(&mut self.tape);
        let (statement, rest) = tape.split_at_mut(size + entry.words());
        self.tape = rest;
        Some((entry, &mut statement[..size + entry.words() - WORD]))
    }
}
