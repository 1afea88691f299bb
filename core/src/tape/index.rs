//! An index for repeated walks forward, because the sequence can only be read from its end.
use super::{
    handles::{Entry, SIZED},
    sequence::{Mark, WORD, pop_block, pop_word},
};
use crate::{
    error::Error,
    storage::{Column, Stream},
};

/// The handle of each statement in order, followed by the size of its block if the handle does not determine it.
pub(super) struct ForwardIndex {
    words: Column<u32>,
    /// The end of the indexed statements.
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
    /// Clears the index if it contains removed statements.
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
    /// Visits all statements from first to last, without their handles.
    pub(super) fn visit(
        &mut self,
        stream: &mut Stream,
        entries: &[Entry],
        mut visit: impl FnMut(&Entry, &mut [u8]),
    ) -> Result<(), Error> {
        self.complete(stream, entries)?;
        let mut words = self.words.iter();
        for mut tape in stream.between(Mark::default(), self.end) {
            while !tape.is_empty() {
                let mut word = || *words.next().expect("an index of all statements");
                let entry = &entries[word() as usize];
                let size = if entry.size == SIZED {
                    word() as usize
                } else {
                    entry.size
                };
                let (statement, rest) = tape.split_at_mut(size + entry.words());
                visit(entry, &mut statement[..size + entry.words() - WORD]);
                tape = rest;
            }
        }
        Ok(())
    }
}
