//! Walks over the tape: reverse sweeps, and the ways back to the state at the end.
use super::{
    sequence::{Mark, pop_block, pop_word, prefetch_ahead},
    state::{Seeds, TapeState},
    statement::{Entry, Look},
};
use crate::{error::Error, store::Memory};
use std::ops::Range;

impl TapeState {
    /// Visits the statements from the end down to `to`.
    fn back(&mut self, to: Mark, mut visit: impl FnMut(&Entry, &mut Memory, &mut [u8])) {
        let entries = self.table.entries();
        for mut tape in self.statements.after(to).into_iter().rev() {
            while let Some((bytes, handle)) = pop_word(tape) {
                let entry = &entries[handle as usize];
                let (rest, block) = pop_block(bytes, entry);
                visit(entry, &mut self.memory, block);
                tape = rest;
            }
        }
    }
    /// Visits the statements after `from`.
    fn forward(&mut self, from: Mark, mut visit: impl FnMut(&Entry, &mut Memory, &mut [u8])) {
        let entries = self.table.entries();
        let mut found: Vec<(&Entry, Range<usize>)> = Vec::new();
        for segment in self.statements.segments_after(from) {
            let mut tape = &mut *segment;
            while let Some((bytes, handle)) = pop_word(tape) {
                let entry = &entries[handle as usize];
                let (rest, block) = pop_block(bytes, entry);
                found.push((entry, rest.len()..rest.len() + block.len()));
                tape = rest;
            }
            while let Some((entry, block)) = found.pop() {
                visit(entry, &mut self.memory, &mut segment[block]);
            }
        }
    }
    /// Reverses the statements from `from` down to `to`.
    fn reverse(&mut self, from: Mark, to: Mark) {
        let entries = self.table.entries();
        let memory = &mut self.memory;
        for mut tape in self.statements.between(to, from).into_iter().rev() {
            while let Some((bytes, handle)) = pop_word(tape) {
                let entry = &entries[handle as usize];
                prefetch_ahead(bytes);
                tape = (entry.reverse)(memory, bytes, entry);
            }
        }
    }

    /// Makes the tape ready for seeds, if there are none.
    pub(crate) fn start_sweep_unless_seeded(&mut self) -> Result<(), Error> {
        match std::mem::replace(&mut self.seeds, Seeds::None) {
            Seeds::None => self.start_sweep()?,
            Seeds::Given => {}
            Seeds::Lost => return Err(Error::SeedsLost),
        }
        self.seeds = Seeds::Given;
        Ok(())
    }
    /// Notes that identifiers may mean something else from now on.
    pub(crate) fn lose_seeds(&mut self) {
        if self.seeds == Seeds::Given {
            self.seeds = Seeds::Lost;
        }
    }
    /// Values as at the end of the recording, adjoints zero.
    fn start_sweep(&mut self) -> Result<(), Error> {
        self.flush();
        self.roll_forward();
        let dirty = self.dirty;
        self.memory
            .stores
            .all_mut()
            .try_for_each(|s| s.start_sweep(dirty))?;
        self.note_peak();
        Ok(())
    }
    /// Sweeps down to `to`: with the seeds that were given from the end, without seeds from where the last sweep stopped.
    /// Whether this one `stops` there, or is whole.
    pub(crate) fn sweep(&mut self, to: Mark, stops: bool) -> Result<(), Error> {
        self.intact()?;
        let from = match (self.seeds, self.stopped_at) {
            (Seeds::Lost, _) => {
                self.seeds = Seeds::None;
                return Err(Error::SeedsLost);
            }
            (Seeds::Given, _) => {
                self.memory.stores.all_mut().for_each(|s| s.cursor_to_end());
                self.statements.end()
            }
            (Seeds::None, Some(from)) if to <= from => from,
            (Seeds::None, _) => return Err(Error::NotSeeded),
        };
        (self.seeds, self.stopped_at) = (Seeds::None, None);
        // Until the sweep is whole, adjoints other than those of inputs may be left, also by a panic.
        self.dirty = true;
        self.swept_to = Some(to);
        // A panic on the way leaves some values put back and others not.
        self.broken = self.table.restores;
        self.reverse(from, to);
        self.broken = false;
        self.dirty = to != Mark::default();
        self.stopped_at = stops.then_some(to);
        Ok(())
    }
    /// Exchanges saved and current values back, so that they are as at the end of the recording.
    pub(crate) fn roll_forward(&mut self) {
        self.stopped_at = None;
        let Some(from) = self.swept_to.take() else {
            return;
        };
        // Values of a broken tape are not asked for any more.
        if self.table.restores && !self.broken {
            // Linear identifiers are not restored, so the cursors only have to stay in range.
            self.memory
                .stores
                .all_mut()
                .for_each(|s| s.cursor_to_start());
            // A panic on the way leaves some values put back and others not.
            self.broken = true;
            self.forward(from, |entry, memory, block| {
                if entry.statement.restores {
                    (entry.statement.forward)(memory, block, Look::Away);
                }
            });
            self.broken = false;
        }
    }
    /// Visits all statements from the start, with the values of that time; `visit` goes forward over each.
    ///
    /// # Panics
    /// If the tape is broken.
    #[track_caller]
    pub(crate) fn replay(&mut self, visit: impl FnMut(&Entry, &mut Memory, &mut [u8])) {
        if let Err(broken) = self.intact() {
            panic!("{broken}");
        }
        self.flush();
        self.roll_forward();
        // A panic on the way leaves some values put back and others not.
        self.broken = self.table.restores;
        self.roll_back();
        self.forward(Mark::default(), visit);
        self.broken = false;
    }
    /// Exchanges values all the way to the start.
    fn roll_back(&mut self) {
        self.memory.stores.all_mut().for_each(|s| s.cursor_to_end());
        self.back(Mark::default(), |entry, memory, block| {
            (entry.statement.undo)(memory, block, 0)
        });
        self.memory
            .stores
            .all_mut()
            .for_each(|s| s.cursor_to_start());
    }
    /// Forgets the statements after `to`; their identifiers are retired for tags below `tag`.
    pub(crate) fn undo(&mut self, to: Mark, tag: u32) {
        self.roll_forward();
        if self.table.restores {
            self.memory.stores.all_mut().for_each(|s| s.cursor_to_end());
            self.back(to, |entry, memory, block| {
                (entry.statement.undo)(memory, block, tag)
            });
        }
        self.note_peak();
        self.statements.truncate(to);
    }
}
