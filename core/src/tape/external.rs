//! Statements of external functions, each with an object.
//!
//! ```text
//! [ targets, as the function writes them | place of the function on its stack ]
//! ```
pub(crate) use super::statement::ValueCheck;
use super::{
    directions::{SweepFunctions, Sweeps},
    handles::Entry,
    recording::{RecordOutcome, TapeRecording},
    sequence::{WORD, pop_block},
    statement::{Statement, StatementVisitor},
};
use crate::{
    error::Error,
    formula::Formula,
    order::Order,
    store::{AnyDirections, Counting, RecordedValues},
    sweep::{StatementCursor, SweepContext},
};
use std::{panic::Location, rc::Rc};

/// The object of a statement. `lhs` are the bytes of its targets.
pub(crate) trait ExternalFunction: 'static {
    fn reverse(&self, lhs: &mut [u8], walk: &mut StatementCursor<'_, '_>);
    /// Returns whether the results are finite, if requested.
    fn redo(&self, lhs: &mut [u8], walk: &mut StatementCursor<'_, '_>, check: ValueCheck) -> bool;
    fn undo(&self, lhs: &mut [u8], walk: &mut StatementCursor<'_, '_>, tag: u32);
    fn show(
        &self,
        lhs: &mut [u8],
        walk: &mut StatementCursor<'_, '_>,
        to: &mut dyn StatementVisitor,
    );
    fn tangents(&self, lhs: &mut [u8], walk: &mut StatementCursor<'_, '_>, all: AnyDirections<'_>);
    fn second(&self, lhs: &mut [u8], walk: &mut StatementCursor<'_, '_>, all: AnyDirections<'_>);
}

const fn statement(
    formula: &'static Formula,
    restores: bool,
    sweeps: &'static Sweeps,
) -> Statement {
    Statement {
        formula,
        reverse,
        redo: |context, block, _, check| {
            with(context, block, |f, lhs, walk| f.redo(lhs, walk, check))
        },
        undo: |context, block, _, tag| with(context, block, |f, lhs, walk| f.undo(lhs, walk, tag)),
        show: |context, block, _, to| with(context, block, |f, lhs, walk| f.show(lhs, walk, to)),
        tree: None,
        sweeps: Some(sweeps),
        reads_result: false,
        fixed: WORD,
        identifiers: false,
        constants: 0,
        sized: true,
        fresh: false,
        mixed: false,
        of_mixed: None,
        restores,
    }
}
const fn statements(formula: &'static Formula, sweeps: &'static Sweeps) -> [Statement; 2] {
    [
        statement(formula, false, sweeps),
        statement(formula, true, sweeps),
    ]
}
/// The statements, by whether a target exchanges values. The table identifies them by address.
static LINEAR: [Statement; 2] = statements(&Formula::External, &sweeps(Order::Second));
static WITH: [Statement; 2] = statements(&Formula::External, &sweeps(Order::Tangent));
static WITHOUT: [Statement; 2] = statements(&Formula::External, &sweeps(Order::Adjoint));
static LOOP: [Statement; 2] = statements(&Formula::Loop, &sweeps(Order::Adjoint));

fn with<T>(
    context: &mut SweepContext<'_>,
    block: &mut [u8],
    act: impl FnOnce(&dyn ExternalFunction, &mut [u8], &mut StatementCursor<'_, '_>) -> T,
) -> T {
    let (lhs, place) = block.split_at_mut(block.len() - WORD);
    let place: u32 = bytemuck::pod_read_unaligned(place);
    let walk = &mut context.walk();
    let function = walk.stacks.at::<Rc<dyn ExternalFunction>>(place).clone();
    act(&*function, lhs, walk)
}
fn reverse<'b>(context: &mut SweepContext<'_>, tape: &'b mut [u8], entry: &Entry) -> &'b mut [u8] {
    let (rest, block) = pop_block(tape, entry.size);
    with(context, block, |f, lhs, walk| f.reverse(lhs, walk));
    rest
}
/// Never called, because a sweep to second order requires second derivatives.
fn second<'b>(
    context: &mut SweepContext<'_>,
    all: AnyDirections<'_>,
    tape: &'b mut [u8],
    entry: &Entry,
) -> &'b mut [u8] {
    let (rest, block) = pop_block(tape, entry.size);
    with(context, block, |f, lhs, walk| f.second(lhs, walk, all));
    rest
}
const fn sweeps(order: Order) -> Sweeps {
    Sweeps {
        order,
        description: None,
        fresh: false,
        functions: Some(SweepFunctions {
            tangents: |context, all, statement, entry| {
                let (_, block) = pop_block(statement, entry.size);
                with(context, block, |f, lhs, walk| f.tangents(lhs, walk, all))
            },
            second,
        }),
    }
}

pub(crate) struct Call {
    pub(crate) function: Rc<dyn ExternalFunction>,
    pub(crate) bytes: usize,
    pub(crate) restores: bool,
    pub(crate) order: Order,
    pub(crate) is_loop: bool,
    pub(crate) unconditional: bool,
    pub(crate) location: &'static Location<'static>,
}
impl TapeRecording {
    /// `create` writes the targets, after `reserve` has reserved memory.
    pub(crate) fn record_external<R>(
        &mut self,
        call: Call,
        reserve: impl FnOnce(&mut Self) -> Result<(), Error>,
        create: impl FnOnce(&mut RecordedValues, &mut [u8]) -> R,
    ) -> RecordOutcome<R> {
        if let Err(full) = reserve(self) {
            return self.stop(full);
        }
        let statements = match (call.order, call.is_loop) {
            (Order::Second, _) => &LINEAR,
            (Order::Tangent, _) => &WITH,
            (Order::Adjoint, true) => &LOOP,
            (Order::Adjoint, false) => &WITHOUT,
        };
        let statement = &statements[usize::from(call.restores)];
        // A handle for each place in the source.
        let found = self.table.find(statement, &[], call.location, true);
        let place = self
            .memory
            .stacks
            .push_shared(call.function, Counting::of_rc());
        self.clear_block(call.bytes + WORD);
        self.fixed[call.bytes..].copy_from_slice(&place.to_ne_bytes());
        if call.unconditional {
            self.unconditional.get_or_insert(call.location);
        }
        let made = self.finish(&found, statement, call.bytes, create);
        made.map_or_else(|full| self.stop(full), RecordOutcome::As)
    }
}
