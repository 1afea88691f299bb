//! Walks over the tape: reverse sweeps, and the ways back to the state at the end.
use super::{
    error::Error,
    inner::Inner,
    memory::Memory,
    pages::prefetch,
    statement::{Entry, SIZED},
    streams::{Mark, Word, pop_handle, pop_size, words_forth},
};

/// How many bytes ahead of the statement at hand a sweep fetches.
const AHEAD: usize = 2048;

impl Inner {
    /// Visits the statements from the end down to `to`.
    #[inline(always)]
    fn back(&mut self, to: Mark, mut visit: impl FnMut(&Entry, &mut Memory, &mut [u8])) {
        let entries = self.table.entries();
        let memory = &mut self.memory;
        let (blocks, words) = self.statements.after(to);
        let mut pieces = blocks.into_iter().rev();
        let mut blocks: &mut [u8] = &mut [];
        for words in words.into_iter().rev() {
            let mut words = &*words;
            while let Some(handle) = pop_handle(&mut words) {
                let entry = &entries[handle as usize];
                let mut size = entry.size;
                if size == SIZED {
                    size = pop_size(&mut words);
                }
                while blocks.len() < size {
                    blocks = pieces.next().expect("a block for each handle");
                }
                let at = blocks.len() - size;
                let (rest, block) = blocks.split_at_mut(at);
                blocks = rest;
                // Processors fetch ahead only within a page, and a sweep is quicker than that.
                prefetch(block.as_ptr().wrapping_sub(AHEAD));
                visit(entry, memory, block);
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
        let (blocks, words) = self.statements.after(from);
        let mut pieces = blocks.into_iter();
        let mut blocks: &mut [u8] = &mut [];
        let mut told = None;
        for word in words.iter().flat_map(|words| words_forth(words)) {
            match word {
                Word::Size(size) => told = Some(size),
                Word::Handle(handle) => {
                    let entry = &entries[handle as usize];
                    let size = told.take().unwrap_or(entry.size);
                    while blocks.len() < size {
                        blocks = pieces.next().expect("a block for each handle");
                    }
                    let (block, rest) = blocks.split_at_mut(size);
                    blocks = rest;
                    if !visit(entry, &mut self.memory, block) {
                        return;
                    }
                }
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
        self.back(to, |entry, memory, block| {
            (entry.reverse)(memory, block, entry)
        });
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
                    (entry.statement.forth)(memory, block);
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
