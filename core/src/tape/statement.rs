//! Statements: pairs of target and expression.
use super::{
    directions::{NumberStatement, Sweeps, SweepsOf},
    handles::{Entry, FAST},
    sequence::{SMALL, WORD, pop_word},
    target::Target,
};
use crate::{
    differences::Findings,
    formula::Formula,
    kind::{
        Adjoint, Batch, Kind, Need, Passed, PieceLoop, TapeCell, TapeValue, Val, bytes_of,
        same_bits,
    },
    node::{ExpressionVisitor, NamedId, Stored, Tree},
    store::RightHandSide,
    sweep::{Next, StatementCursor, SweepContext},
};
use std::{any::type_name, marker::PhantomData, mem::ManuallyDrop, ops::Range};

/// The data of a type, whose address selects a line of the cache.
#[repr(align(64))]
pub(crate) struct Statement {
    pub(crate) formula: &'static Formula,
    pub(crate) reverse: Reverse,
    /// Restores the new value in a walk forward, and returns whether the result is finite, if requested and known.
    pub(crate) redo: fn(&mut SweepContext<'_>, &mut [u8], &Statement, ValueCheck) -> bool,
    /// Restores old values. Unless the tag is zero, removes the statement for variables with lower tags.
    pub(crate) undo: fn(&mut SweepContext<'_>, &mut [u8], &Statement, u32),
    pub(crate) show: Show,
    /// `None` unless it consists of numbers and lists of them.
    pub(crate) tree: Option<&'static Tree>,
    pub(crate) sweeps: Option<&'static Sweeps>,
    pub(super) reads_result: bool,
    pub(crate) fixed: usize,
    pub(crate) identifiers: bool,
    pub(crate) constants: usize,
    pub(crate) sized: bool,
    pub(super) fresh: bool,
    pub(crate) mixed: bool,
    pub(super) of_mixed: Option<&'static Statement>,
    pub(crate) restores: bool,
}

impl Statement {
    pub(super) fn of(&'static self, mixed: bool) -> &'static Self {
        self.of_mixed.filter(|_| mixed).unwrap_or(self)
    }
    pub(crate) fn reads_result(&self) -> bool {
        self.reads_result
    }
}
pub(crate) type Reverse = for<'b> fn(&mut SweepContext<'_>, &'b mut [u8], &Entry) -> &'b mut [u8];

pub(crate) type Show = fn(&mut SweepContext<'_>, &mut [u8], &Entry, &mut dyn StatementVisitor);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ValueCheck {
    None,
    ReadValues,
    AllValues,
}

/// Visits statements: the targets of each, then the expression.
pub trait StatementVisitor: ExpressionVisitor {
    /// Visits a target; `whole` is whether its whole value is written.
    fn target(&mut self, target: NamedId, whole: bool);
    /// Visits the identifiers of a statement that its formula describes. Returns whether they suffice.
    fn identifiers(&mut self, formula: &'static Formula, identifiers: &[u8]) -> bool {
        let _ = (formula, identifiers);
        false
    }
    /// Returns where to report faults, if the right-hand side should be re-evaluated.
    fn verifies(&mut self) -> Option<&mut Findings> {
        None
    }
    /// Reports that re-evaluation returned another value than the recorded one.
    fn differs(&mut self) {}
    /// Whether [`result`](Self::result) is requested.
    fn measures(&self) -> bool {
        false
    }
    /// Visits the shape and the bytes of the value that a statement computes, unless it is a number.
    fn result(&mut self, shape: String, bytes: usize) {
        let _ = (shape, bytes);
    }
    /// Visits inputs, without an expression.
    fn input(&mut self, input: NamedId);
    /// Ends the statement.
    fn end(&mut self, formula: &'static Formula);
}

pub(crate) struct StatementOf<T, S, const MIXED: bool>(PhantomData<(T, S)>);
impl<T: Target<S::Kind>, S: Stored> StatementOf<T, S, false> {
    pub(crate) const STATEMENT: &'static Statement =
        &Self::statement(Some(const { &StatementOf::<T, S, true>::statement(None) }));
}
impl<T: Target<S::Kind>, S: Stored, const MIXED: bool> StatementOf<T, S, MIXED> {
    const fn statement(of_mixed: Option<&'static Statement>) -> Statement {
        Statement {
            formula: &S::FORMULA,
            reverse: Self::reverse,
            // Compiled once for all right-hand sides of a kind.
            redo: redo::<S::Kind, T>,
            undo: undo::<S::Kind, T>,
            show: match Self::IS_DATA {
                true => NumberStatement::<T, S::Kind>::show,
                false => StatementOf::<T, S, false>::show,
            },
            tree: if Self::IS_LISTS { Some(S::TREE) } else { None },
            sweeps: Some(SweepsOf::<T, S>::SWEEPS),
            reads_result: S::READS_RESULT,
            fixed: Self::FIXED,
            identifiers: T::FIXED == 0 && !T::DYNAMIC && S::DATA[Need::InSlot as usize] == 0,
            constants: Self::CONSTANTS,
            sized: Self::SIZED,
            fresh: T::FIXED == 0 && !T::DYNAMIC,
            mixed: MIXED,
            of_mixed,
            restores: T::RESTORES,
        }
    }
    pub(crate) const FIXED: usize = S::FIXED[Need::InSlot as usize] + T::FIXED;
    pub(crate) const CONSTANTS: usize = S::CONSTANTS[Need::InSlot as usize];
    const IS_LISTS: bool = S::TREE.fits(S::FIXED[Need::InSlot as usize]);
    pub(super) const IS_DATA: bool = Self::IS_LISTS && S::TREE.is_numbers();
    /// Whether blocks of the fast path may contain its constants.
    pub(super) const VARYING: bool = Self::CONSTANTS > 0 && Self::FIXED + Self::CONSTANTS <= SMALL;
    pub(crate) const FAST_PATH: bool =
        S::TELLS_SIZE && Self::FIXED <= SMALL && (Self::CONSTANTS <= FAST || Self::VARYING);
    const SIZED: bool = MIXED || S::DYNAMIC || T::DYNAMIC;

    #[inline(always)]
    fn size(entry: &Entry) -> usize {
        match const { Self::CONSTANTS > 0 } && entry.inline {
            true => Self::FIXED + Self::CONSTANTS,
            false => Self::FIXED,
        }
    }
    #[inline(always)]
    pub(super) fn take<'b: 'e, 'e>(
        tape: &'b mut [u8],
        entry: &'e Entry,
    ) -> (&'b mut [u8], &'e mut [u8], RightHandSide<'e>) {
        match const { Self::SIZED } {
            true => take::<S::Kind, T, true>(tape, entry, [Self::FIXED, Self::CONSTANTS]),
            false => take::<S::Kind, T, false>(tape, entry, [Self::FIXED, Self::CONSTANTS]),
        }
    }
    #[inline(always)]
    pub(super) fn split<'b>(
        block: &'b mut [u8],
        entry: &'b Entry,
    ) -> (&'b mut [u8], RightHandSide<'b>) {
        split::<S::Kind, T>(block, entry, [Self::FIXED, Self::CONSTANTS])
    }

    fn reverse<'b>(
        context: &mut SweepContext<'_>,
        mut tape: &'b mut [u8],
        entry: &Entry,
    ) -> &'b mut [u8] {
        if <S::Kind as Kind>::Batch::LOOPS && Self::is_one_of_many(tape, entry) {
            match Self::reverse_many(context, tape, entry) {
                Ok(rest) => return rest,
                Err(all) => tape = all,
            }
        }
        Self::reverse_one(&mut context.walk(), tape, entry)
    }
    /// Reverses a batch. Out of line, so that single statements keep no operands in memory.
    #[inline(never)]
    fn reverse_many<'b>(
        context: &mut SweepContext<'_>,
        mut tape: &'b mut [u8],
        entry: &Entry,
    ) -> Result<&'b mut [u8], &'b mut [u8]> {
        let mut ran = false;
        <S::Kind as Kind>::Batch::run(Equal::<'_, '_, '_, Self> {
            context,
            tape: &mut tape,
            ran: &mut ran,
            entry,
            of: PhantomData,
        });
        if ran { Ok(tape) } else { Err(tape) }
    }
    #[inline(always)]
    fn is_one_of_many(tape: &[u8], entry: &Entry) -> bool {
        let before = tape
            .len()
            .checked_sub(Self::size(entry))
            .map(|at| &tape[..at]);
        !Self::SIZED && before.is_some_and(|before| entry.ends(before))
    }
    /// Reverses one statement.
    #[inline(always)]
    fn reverse_one<'p, 'b: 'p>(
        walk: &mut StatementCursor<'p, '_>,
        tape: &'b mut [u8],
        entry: &'p Entry,
    ) -> &'b mut [u8] {
        let (rest, lhs, rhs) = Self::take(tape, entry);
        let opened = match const { S::READS_RESULT } {
            true => open::<S::Kind, T, true>(walk, lhs, S::ACTIVE),
            false => open::<S::Kind, T, false>(walk, lhs, S::ACTIVE),
        };
        let Some((known, r_b)) = opened else {
            return rest;
        };
        // Avoids code for panics.
        let r_b = ManuallyDrop::new(r_b);
        let StatementCursor { sweep, stacks } = walk;
        if S::DYNAMIC {
            sweep.set_variable_length(rhs.variable_length);
        }
        let mut reader = rhs.reader(&S::FORMULA, MIXED, stacks);
        let node = S::load::<false, { Need::InSlot as u8 }>(&mut reader, sweep, known);
        let node = ManuallyDrop::new(node);
        reader.finish();
        let r_b = ManuallyDrop::into_inner(r_b);
        // A part can be assigned a passive value.
        if !MIXED || node.is_active() {
            node.pull(Passed(r_b), sweep);
        }
        ManuallyDrop::into_inner(node).done(sweep);
        rest
    }
    fn show(
        context: &mut SweepContext<'_>,
        block: &mut [u8],
        entry: &Entry,
        to: &mut dyn StatementVisitor,
    ) {
        let (lhs, rhs) = Self::split(block, entry);
        let walk = &mut context.walk();
        let target = T::load_forward(lhs, walk);
        target.show(&mut |target, whole| to.target(target, whole));
        // The shape in a slot may differ.
        target.exchange(lhs, walk);
        let measures = to.measures() && !S::Kind::NUMBERS;
        let recorded =
            (S::READS_RESULT || to.verifies().is_some() || measures).then(|| target.result(walk));
        if let Some(recorded) = recorded.as_ref().filter(|_| measures) {
            let bytes = size_of::<TapeValue<S::Kind>>() + bytes_of::<S::Kind>(recorded);
            to.result(S::Kind::shape_text(recorded.peek()), bytes);
        }
        let known = recorded.clone().filter(|_| S::READS_RESULT);
        target.exchange(lhs, walk);
        let StatementCursor { sweep, stacks } = walk;
        sweep.set_variable_length(rhs.variable_length);
        let mut reader = rhs.reader(&S::FORMULA, entry.statement.mixed, stacks);
        let node = S::load::<false, { Need::InSlot as u8 }>(&mut reader, sweep, known);
        node.show(rhs.variable_length, to);
        target.show_rest(&mut |rest| to.variable(rest));
        if let Some(found) = to.verifies()
            && let (Some(recorded), Some(again)) = (&recorded, node.again(sweep, found))
            && !found.rounds
            && !same_bits::<S::Kind>(&again, recorded.peek())
        {
            to.differs();
        }
        node.done(sweep);
        // The right-hand side was read with the old values.
        target.exchange(lhs, walk);
    }
}

#[inline(always)]
fn take<'b: 'e, 'e, K: Kind, T: Target<K>, const SIZED: bool>(
    tape: &'b mut [u8],
    entry: &'e Entry,
    [fixed, constants]: [usize; 2],
) -> (&'b mut [u8], &'e mut [u8], RightHandSide<'e>) {
    if SIZED {
        let Some((tape, size)) = pop_word(tape) else {
            out_of_step()
        };
        let (rest, block) = split_last(tape, size as usize);
        let (lhs, rhs) = split::<K, T>(block, entry, [fixed, constants]);
        return (rest, lhs, rhs);
    }
    let (mut rest, block) = split_last(tape, fixed);
    let mut found: &[u8] = &[];
    if constants > 0 {
        if entry.inline {
            let (before, here) = split_last(rest, constants);
            (rest, found) = (before, here);
        } else {
            found = &entry.constants[..constants];
        }
    }
    let (lhs, rhs) = block.split_at_mut(T::FIXED);
    let rhs = RightHandSide {
        variable_length: &[],
        constants: found,
        fixed: rhs,
    };
    (rest, lhs, rhs)
}
#[inline(always)]
pub(super) fn split<'b, K: Kind, T: Target<K>>(
    block: &'b mut [u8],
    entry: &'b Entry,
    [fixed, constants]: [usize; 2],
) -> (&'b mut [u8], RightHandSide<'b>) {
    let Range { start, end } = lhs::<K, T>(block, fixed);
    let (mut variable_length, fixed) = block.split_at_mut(start);
    let mut found: &[u8] = &[];
    if constants > 0 {
        if entry.inline {
            let (head, tail) = variable_length.split_at_mut(variable_length.len() - constants);
            (variable_length, found) = (head, tail);
        } else {
            found = &entry.constants[..constants];
        }
    }
    let (lhs, rhs) = fixed.split_at_mut(end - start);
    let rhs = RightHandSide {
        variable_length,
        constants: found,
        fixed: rhs,
    };
    (lhs, rhs)
}
/// Takes the adjoint of the target and restores its old value. Returns the value if read, and the adjoint if set.
#[inline(always)]
fn open<K: Kind, T: Target<K>, const READS_RESULT: bool>(
    walk: &mut StatementCursor<'_, '_>,
    lhs: &mut [u8],
    active: bool,
) -> Option<(Option<TapeValue<K>>, Val<K>)> {
    let target = T::load(lhs, walk);
    let adjoint = target.take_adjoint(&mut walk.sweep);
    if !active || adjoint.is_unset() {
        target.exchange(lhs, walk);
        return None;
    }
    let known = if READS_RESULT {
        Some(target.result(walk))
    } else {
        None
    };
    let r_b = adjoint.value_or_zero(|| target.result(walk).into_inner());
    target.exchange(lhs, walk);
    Some((known, r_b))
}

#[inline(always)]
pub(super) fn lhs<K: Kind, T: Target<K>>(block: &[u8], fixed: usize) -> Range<usize> {
    let at = block.len() - fixed;
    let end = at + T::FIXED;
    let more = match T::DYNAMIC {
        true => T::more(&block[at..end]),
        false => 0,
    };
    at - more..end
}
fn redo<K: Kind, T: Target<K>>(
    context: &mut SweepContext<'_>,
    block: &mut [u8],
    statement: &Statement,
    check: ValueCheck,
) -> bool {
    let lhs = lhs::<K, T>(block, statement.fixed);
    let lhs = &mut block[lhs];
    let walk = &mut context.walk();
    let target = T::load_forward(lhs, walk);
    target.exchange(lhs, walk);
    let known = match check {
        ValueCheck::None => false,
        // An overwritten slot contains another value if no adjoint reads this one.
        ValueCheck::ReadValues => !T::RESTORES || statement.reads_result,
        ValueCheck::AllValues => true,
    };
    !known || K::is_finite(target.result(walk).peek())
}
fn undo<K: Kind, T: Target<K>>(
    context: &mut SweepContext<'_>,
    block: &mut [u8],
    statement: &Statement,
    tag: u32,
) {
    let lhs = lhs::<K, T>(block, statement.fixed);
    let lhs = &mut block[lhs];
    let walk = &mut context.walk();
    let target = T::load(lhs, walk);
    target.exchange(lhs, walk);
    if tag > 0 {
        target.undo(lhs, walk, tag);
    }
}

struct Equal<'m, 't, 'b, S> {
    context: &'m mut SweepContext<'t>,
    tape: &'m mut &'b mut [u8],
    ran: &'m mut bool,
    entry: &'m Entry,
    of: PhantomData<S>,
}
impl<T: Target<S::Kind>, S: Stored, const MIXED: bool> PieceLoop
    for Equal<'_, '_, '_, StatementOf<T, S, MIXED>>
{
    #[inline(always)]
    fn run(self) {
        let mut tape = std::mem::take(self.tape);
        let mut next = Next::<S::Kind>::default();
        let walk = &mut self.context.batch(&mut next);
        walk.sweep.adjoints::<S::Kind>();
        loop {
            tape = StatementOf::<T, S, MIXED>::reverse_one(walk, tape, self.entry);
            if !self.entry.ends(tape) {
                break;
            }
            let end = tape.len() - WORD;
            tape = &mut tape[..end];
        }
        next.put_back(self.context.walk().sweep.adjoints());
        *self.tape = tape;
        *self.ran = true;
    }
}

#[inline(always)]
fn split_last(tape: &mut [u8], bytes: usize) -> (&mut [u8], &mut [u8]) {
    match tape.len().checked_sub(bytes) {
        Some(at) => tape.split_at_mut(at),
        None => out_of_step(),
    }
}
#[cold]
#[inline(never)]
fn out_of_step() -> ! {
    unreachable!("each handle has a block")
}

/// The inputs of a value kind, which use identifiers without a target.
pub(crate) struct InputsStatement<K>(PhantomData<K>);
impl<K: Kind> InputsStatement<K> {
    pub(crate) const STATEMENT: &'static Statement = &Statement {
        formula: &Formula::Inputs(type_name::<K>),
        reverse: Self::reverse,
        redo: |context, block, _, _| {
            context
                .walk()
                .sweep
                .adjoints::<K>()
                .cursor_forward(Self::count(block));
            true
        },
        undo: |context, block, _, _| {
            context
                .walk()
                .sweep
                .adjoints::<K>()
                .cursor_back(Self::count(block));
        },
        show: |context, block, _, to| {
            let first = context
                .walk()
                .sweep
                .adjoints::<K>()
                .cursor_forward(Self::count(block));
            (0..Self::count(block)).for_each(|i| to.input(NamedId::of::<K>(first + i)));
        },
        tree: None,
        sweeps: None,
        reads_result: false,
        fixed: 4,
        identifiers: false,
        constants: 0,
        sized: false,
        fresh: false,
        mixed: false,
        of_mixed: None,
        restores: false,
    };
}
impl<K: Kind> InputsStatement<K> {
    fn reverse<'b>(context: &mut SweepContext<'_>, tape: &'b mut [u8], _: &Entry) -> &'b mut [u8] {
        let Some((rest, count)) = pop_word(tape) else {
            out_of_step()
        };
        context.walk().sweep.adjoints::<K>().cursor_back(count);
        rest
    }
    fn count(block: &[u8]) -> u32 {
        bytemuck::pod_read_unaligned(block)
    }
}
