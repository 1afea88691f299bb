//! Walks over the tape: reverse sweeps, and the ways back to the state at the end.
use super::{
    error::Error,
    inner::Inner,
    memory::Memory,
    pages::prefetch,
    sequence::{Mark, pop_block, pop_word},
    statement::Entry,
};
use std::ops::Range;

/// How many bytes ahead of the statement at hand a sweep fetches.
const AHEAD: usize = 2048;

impl Inner {
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
    /// Visits the statements after `from`, as long as `visit` agrees.
    pub(crate) fn forth(
        &mut self,
        from: Mark,
        mut visit: impl FnMut(&Entry, &mut Memory, &mut [u8]) -> bool,
    ) {
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
                if !visit(entry, &mut self.memory, &mut segment[block]) {
                    return;
                }
            }
        }
    }
    /// Reverses the statements from the end down to `to`.
    fn reverse(&mut self, to: Mark) {
        let entries = self.table.entries();
        let memory = &mut self.memory;
        for mut tape in self.statements.after(to).into_iter().rev() {
            while let Some((bytes, handle)) = pop_word(tape) {
                let entry = &entries[handle as usize];
                // Processors fetch ahead only within a page, and a sweep is quicker than that.
                prefetch(bytes.as_ptr().wrapping_add(bytes.len().wrapping_sub(AHEAD)));
                tape = (entry.reverse)(memory, bytes, entry);
            }
        }
    }

    /// Makes the tape ready for seeds: values as at the end of the recording, adjoints zero.
    pub(crate) fn start_sweep(&mut self) -> Result<(), Error> {
        self.flush();
        self.roll_forward();
        let dirty = self.dirty;
        self.memory
            .stores
            .all_mut()
            .try_for_each(|s| s.start_sweep(dirty))?;
        self.peak = self.peak.max(self.bytes());
        self.seeded = true;
        Ok(())
    }
    /// Sweeps from the end down to `to`.
    pub(crate) fn sweep(&mut self, to: Mark) {
        self.seeded = false;
        // Until the sweep is whole, adjoints other than those of inputs may be left, also by a panic.
        self.dirty = true;
        self.memory.stores.all_mut().for_each(|s| s.cursor_to_end());
        self.swept_to = Some(to);
        self.reverse(to);
        self.dirty = to != Mark::default();
    }
    /// Exchanges saved and current values back, so that they are as at the end of the recording.
    pub(crate) fn roll_forward(&mut self) {
        let Some(from) = self.swept_to.take() else {
            return;
        };
        if self.table.restores {
            // Linear identifiers are not restored, so the cursors only have to stay in range.
            self.memory
                .stores
                .all_mut()
                .for_each(|s| s.cursor_to_start());
            self.forth(from, |entry, memory, block| {
                if entry.statement.restores {
                    (entry.statement.forth)(memory, block, false);
                }
                true
            });
        }
    }
    /// Exchanges values all the way to the start.
    pub(crate) fn roll_back(&mut self) {
        self.roll_forward();
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
        self.statements.truncate(to);
    }
}
