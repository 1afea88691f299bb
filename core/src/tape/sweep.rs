//! Walks over the tape.
use super::{
    handles::Entry,
    recording::TapeRecording,
    sequence::{Mark, pop_block, pop_word},
    statement::{StatementVisitor, ValueCheck},
};
use crate::{
    differences::{Findings, caught},
    error::Error,
    formula::Formula,
    node::{Dependence, ExpressionVisitor, NamedId},
    store::{AdjointStore, AllTangents, MANY},
    sweep::{ScratchPool, SweepContext},
};
use std::{collections::HashMap, ptr::from_ref};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Seeds {
    None,
    Given,
    Lost,
}

pub(crate) struct SweepState {
    pub(crate) adjoints: AdjointStore,
    pub(super) scratch: ScratchPool,
    pub(super) one: Option<Box<AllTangents<1>>>,
    pub(super) many: Option<Box<AllTangents<MANY>>>,
    /// Where a sweep stopped that can be continued, because nothing changed since.
    pub(crate) stopped_at: Option<Mark>,
    pub(crate) dirty: bool,
    pub(crate) seeds: Seeds,
}
impl SweepState {
    pub(crate) fn new(huge_pages: bool) -> Self {
        SweepState {
            adjoints: AdjointStore::new(huge_pages),
            scratch: ScratchPool::default(),
            one: None,
            many: None,
            stopped_at: None,
            dirty: false,
            seeds: Seeds::None,
        }
    }
    pub(super) fn held(&self) -> usize {
        let one = self.one.as_ref().map_or(0, |all| all.held());
        let many = self.many.as_ref().map_or(0, |all| all.held());
        self.adjoints.held() + one + many
    }
    pub(crate) fn forget(&mut self) {
        self.stopped_at = None;
        self.dirty = false;
        self.seeds = Seeds::None;
    }
    fn back(
        &mut self,
        recording: &mut TapeRecording,
        to: Mark,
        mut visit: impl FnMut(&Entry, &mut SweepContext<'_>, &mut [u8]),
    ) {
        recording.cursors_to_end(&mut self.adjoints);
        let entries = recording.table.entries();
        let mut context =
            SweepContext::new(&mut recording.memory, &mut self.adjoints, &mut self.scratch);
        for mut tape in recording.statements.after(to).rev() {
            while let Some((bytes, handle)) = pop_word(tape) {
                let entry = &entries[handle as usize];
                let (rest, block) = pop_block(bytes, entry.size);
                visit(entry, &mut context, block);
                tape = rest;
            }
        }
    }
    /// Visits the statements after `from`. Linear identifiers are not restored, only kept in range.
    fn walk_forward(
        &mut self,
        recording: &mut TapeRecording,
        from: Mark,
        mut visit: impl FnMut(&Entry, &mut SweepContext<'_>, &mut [u8]),
    ) {
        self.adjoints.cursors_to_start();
        let entries = recording.table.entries();
        let mut context =
            SweepContext::new(&mut recording.memory, &mut self.adjoints, &mut self.scratch);
        let statements = &mut recording.statements;
        for (entry, statement) in statements.forward(from, entries, |entry| entry.size) {
            let (_, block) = pop_block(statement, entry.size);
            visit(entry, &mut context, block);
        }
    }
    fn reverse(&mut self, recording: &mut TapeRecording, from: Mark, to: Mark) {
        let entries = recording.table.entries();
        let mut context =
            SweepContext::new(&mut recording.memory, &mut self.adjoints, &mut self.scratch);
        for mut tape in recording.statements.between(to, from).rev() {
            while let Some((bytes, handle)) = pop_word(tape) {
                let entry = &entries[handle as usize];
                tape = (entry.reverse)(&mut context, bytes, entry);
            }
        }
    }

    pub(crate) fn start_unless_seeded(
        &mut self,
        recording: &mut TapeRecording,
    ) -> Result<(), Error> {
        match std::mem::replace(&mut self.seeds, Seeds::None) {
            Seeds::None => self.start(recording)?,
            Seeds::Given => {}
            Seeds::Lost => return Err(Error::SeedsLost),
        }
        self.seeds = Seeds::Given;
        Ok(())
    }
    /// Called before identifiers refer to other values.
    pub(crate) fn lose_seeds(&mut self) {
        if self.seeds == Seeds::Given {
            self.seeds = Seeds::Lost;
        }
    }
    pub(super) fn start(&mut self, recording: &mut TapeRecording) -> Result<(), Error> {
        self.roll_forward(recording);
        if recording.verify {
            self.verify(recording);
        }
        let mut values = recording.memory.values.all_mut();
        values.try_for_each(|v| v.start_sweep(&mut self.adjoints, self.dirty))?;
        drop(values);
        recording.note_peak(&self.adjoints);
        Ok(())
    }
    /// Sweeps down to `to`, from the end if seeds exist, and otherwise from where the last sweep stopped. It either `stops`
    /// there or is complete.
    pub(crate) fn sweep(
        &mut self,
        recording: &mut TapeRecording,
        to: Mark,
        stops: bool,
    ) -> Result<(), Error> {
        recording.intact()?;
        let from = match (self.seeds, self.stopped_at) {
            (Seeds::Lost, _) => {
                self.seeds = Seeds::None;
                return Err(Error::SeedsLost);
            }
            (Seeds::Given, _) => {
                recording.cursors_to_end(&mut self.adjoints);
                recording.statements.end()
            }
            (Seeds::None, Some(from)) if to <= from => from,
            // Adjoints may come from counterparts.
            (Seeds::None, None) if recording.unconditional.is_some() => {
                self.start(recording)?;
                recording.cursors_to_end(&mut self.adjoints);
                recording.statements.end()
            }
            (Seeds::None, _) => return Err(Error::NotSeeded),
        };
        (self.seeds, self.stopped_at) = (Seeds::None, None);
        recording.memory.stacks.failed = None;
        // Until the sweep is complete, not only inputs have adjoints.
        self.dirty = true;
        recording.values_at = Some(to);
        // A panic leaves only some values restored.
        recording.broken = recording.table.restores;
        self.reverse(recording, from, to);
        recording.broken = false;
        recording.succeeded()?;
        self.dirty = to != Mark::default();
        self.stopped_at = stops.then_some(to);
        Ok(())
    }
    pub(crate) fn roll_forward(&mut self, recording: &mut TapeRecording) {
        self.stopped_at = None;
        let Some(from) = recording.values_at.take() else {
            return;
        };
        if recording.table.restores && !recording.broken {
            // A panic leaves only some values restored.
            recording.broken = true;
            self.walk_forward(recording, from, |entry, context, block| {
                if entry.statement.restores {
                    (entry.statement.redo)(context, block, entry.statement, ValueCheck::None);
                }
            });
            recording.broken = false;
        }
    }
    /// Visits all statements with their values; panics if the tape is broken.
    #[track_caller]
    pub(crate) fn replay(
        &mut self,
        recording: &mut TapeRecording,
        visit: impl FnMut(&Entry, &mut SweepContext<'_>, &mut [u8]),
    ) {
        if let Err(broken) = recording.intact() {
            panic!("{broken}");
        }
        self.roll_forward(recording);
        // A panic leaves only some values restored.
        recording.broken = recording.table.restores;
        if recording.table.restores {
            self.undo_statements(recording, Mark::default(), 0);
        }
        self.walk_forward(recording, Mark::default(), visit);
        recording.broken = false;
    }
    #[cold]
    pub(super) fn verify(&mut self, recording: &mut TapeRecording) {
        let (mut index, mut first) = (0, None);
        let mut counts = HashMap::new();
        self.replay(recording, |entry, context, block| {
            if first.is_none() {
                let mut verify = Verify::default();
                let count = counts.entry(from_ref(entry.statement)).or_insert(0);
                *count += 1;
                verify.found.compares = *count <= COMPARED;
                let show = || (entry.statement.show)(context, block, entry, &mut verify);
                let at = |fault: &str| {
                    let (location, formula) = (entry.location(), entry.statement.formula);
                    format!("{location}: statement {index}, {formula}{fault}")
                };
                if let Err(message) = caught(show) {
                    panic!("{}", at(&format!(": {message}")));
                }
                first = match verify.found.fault {
                    Some(fault) => Some(at(&format!(": {fault}"))),
                    None => verify.differs.then(|| at(DIFFERS)),
                };
            }
            index += 1;
        });
        if let Some(message) = first {
            panic!("{message}");
        }
    }
    /// For `tag` see [`forget_after`](Self::forget_after).
    pub(super) fn undo_statements(&mut self, recording: &mut TapeRecording, to: Mark, tag: u32) {
        self.back(recording, to, |entry, context, block| {
            (entry.statement.undo)(context, block, entry.statement, tag)
        });
    }
    /// Removes the statements after `to` and retires their identifiers for tags below `tag`.
    pub(crate) fn forget_after(&mut self, recording: &mut TapeRecording, to: Mark, tag: u32) {
        self.roll_forward(recording);
        if recording.table.restores {
            self.undo_statements(recording, to, tag);
        }
        recording.note_peak(&self.adjoints);
        recording.accumulated = recording.accumulated.filter(|(_, end)| *end <= to);
        recording.statements.truncate(to);
    }
}

/// The compared statements of each type.
const COMPARED: u32 = 1000;
const DIFFERS: &str = ", has another value when it is evaluated again: compute it from its arguments alone, and check the `Stash` of its parameters and its parts";

#[derive(Default)]
struct Verify {
    found: Findings,
    differs: bool,
}
impl ExpressionVisitor for Verify {
    fn variable(&mut self, _: NamedId) {}
    fn passive(&mut self) {}
    fn list(&mut self, _: usize) {}
    fn choice(&mut self, _: bool) {}
    fn operation(&mut self, _: &Dependence) {}
}
impl StatementVisitor for Verify {
    fn target(&mut self, _: NamedId, _: bool) {}
    fn verifies(&mut self) -> Option<&mut Findings> {
        Some(&mut self.found)
    }
    fn differs(&mut self) {
        self.differs = true;
    }
    fn input(&mut self, _: NamedId) {}
    fn end(&mut self, _: &'static Formula) {}
}
