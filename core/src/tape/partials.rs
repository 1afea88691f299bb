//! Statements that set a number, in sweeps along directions. Tangents and several adjoints need no more of them than partial derivatives, and the compiled
//! sweep of one adjoint computes these: 1 flows into the result, and what arrives at the variables is taken.
//!
//! Products with partial derivatives are what formulas compute, if the partial derivatives are normal numbers. One that is 0 may stand for a product that is
//! too small, or for a kink; one that is infinite comes from a pole or is a product that is too large. Then tangents are interpreted, and adjoints flow back
//! one after the other.
use super::{
    directions::{NumberStatement, split_by},
    handles::Entry,
    lists::Sweeping,
    numbers::{Flow, Program, ResultOf, TangentSum, interpret},
    sequence::pop_block,
    target::{Assigned, Target, WholeTarget},
};
use crate::{
    kind::{Adjoint, FreelyCopied, Ownership, Unique},
    store::{AllTangents, MANY},
    sweep::Passage,
};
use std::ops::Range;

/// Statements that set a number as a whole.
struct NumberSet<W>(W);
impl<W: Ownership> NumberSet<W>
where
    WholeTarget<f64, W>: Target<f64>,
{
    /// Exchanges the value in the slot of the result with the one before, if there was one.
    #[inline(always)]
    fn exchange(passage: &mut Passage<'_>, lhs: &mut [u8], id: u32) {
        if W::OWNED {
            WholeTarget::<f64, W>::at(id).exchange(lhs, &mut passage.walk());
        }
    }
    /// The identifier of the result, which a walk forward passes.
    #[inline(always)]
    fn forward(passage: &mut Passage<'_>, lhs: &[u8]) -> u32 {
        WholeTarget::<f64, W>::load_forward(lhs, &mut passage.walk()).id()
    }
    /// The target, and the part of fixed size, of a statement whose handle was split off.
    #[inline(always)]
    fn split<'b>(
        program: &Program,
        statement: &'b mut [u8],
        entry: &Entry,
    ) -> (&'b mut [u8], &'b [u8]) {
        let Range { start, end } = program.fixed_part(statement, entry);
        let (lhs, fixed) = statement[..end].split_at_mut(start);
        let at = start - WholeTarget::<f64, W>::FIXED;
        (&mut lhs[at..], fixed)
    }
    /// Lets an adjoint flow back through a statement, which a walk forward has passed.
    #[inline(always)]
    fn pull(passage: &mut Passage<'_>, statement: &mut [u8], entry: &Entry, id: u32, r_b: f64) {
        *passage.numbers().adjoints.at(id) = r_b;
        (entry.reverse)(passage, statement, entry);
    }
    #[inline(always)]
    fn tangent<const N: usize>(
        program: &Program,
        passage: &mut Passage<'_>,
        all: &mut AllTangents<N>,
        statement: &mut [u8],
        entry: &Entry,
    ) {
        let tangents = all.of_numbers();
        let mut sum = TangentSum::<N>::new();
        let (lhs, fixed) = Self::split(program, statement, entry);
        if let Some(partials) = program.constant_partials(fixed) {
            partials.for_each(|(id, partial)| sum.add(partial, tangents, id));
        } else if program.has_partials {
            let id = Self::forward(passage, lhs);
            Self::exchange(passage, lhs, id);
            Self::pull(passage, statement, entry, id, 1.0);
            let (_, fixed) = Self::split(program, statement, entry);
            let (adjoints, mut normal) = (passage.numbers().adjoints, true);
            program.each_reached(fixed, |id| {
                let partial = adjoints.take(id);
                // A variable that occurs twice has the sum at its first place.
                if !partial.is_unset() {
                    normal &= partial.is_normal();
                    sum.add(partial, tangents, id);
                }
            });
            if !normal {
                return Self::interpret(passage, all, statement, entry);
            }
        } else {
            return Self::interpret(passage, all, statement, entry);
        }
        let (lhs, _) = Self::split(program, statement, entry);
        let id = Self::forward(passage, lhs);
        match W::OWNED {
            true => tangents.overwrite(id, sum.finish()),
            false => *tangents.at(id) = sum.finish(),
        }
        Self::exchange(passage, lhs, id);
    }
    #[inline(never)]
    fn interpret<const N: usize>(
        passage: &mut Passage<'_>,
        all: &mut AllTangents<N>,
        statement: &mut [u8],
        entry: &Entry,
    ) {
        NumberStatement::<WholeTarget<f64, W>, f64>::tangent(passage, all, statement, entry);
    }
    #[inline(always)]
    fn second<'b, const N: usize>(
        program: &Program,
        passage: &mut Passage<'_>,
        all: &mut AllTangents<N>,
        tape: &'b mut [u8],
        entry: &Entry,
    ) -> &'b mut [u8] {
        let (rest, block) = pop_block(tape, entry);
        let (lhs, rhs) = split_by::<f64, WholeTarget<f64, W>>(block, entry);
        let target = WholeTarget::<f64, W>::load(lhs, &mut passage.walk());
        let (id, numbers, tangents) = (target.id(), passage.numbers(), all.of_numbers());
        let mut of = ResultOf::<N> {
            value: None,
            adjoint: numbers.adjoints.take(id),
            along: tangents.take(id),
            tangents: target.restore_tangents(all).flatten(),
        };
        let none = of.adjoint.is_unset() && of.along.iter().all(Adjoint::is_unset);
        if !none && program.reads_result {
            of.value = Some(numbers.values[id as usize]);
        }
        Self::exchange(passage, lhs, id);
        if none {
            return rest;
        }
        let (numbers, tangents) = (passage.numbers(), all.of_numbers());
        match program.constant_partials(rhs.fixed) {
            Some(partials) => {
                let (r_b, r_bt) = (Flow::new([of.adjoint]), Flow::new(of.along));
                for (id, partial) in partials {
                    let [x_b] = r_b.times(partial);
                    numbers.adjoints.at(id).merge(x_b);
                    tangents.merge(id, &r_bt.times(partial));
                }
            }
            None => {
                let mixed = entry.statement.mixed;
                interpret::<N>()(program, Sweeping::Second, all, numbers, &rhs, mixed, &of);
            }
        }
        rest
    }
    #[inline(always)]
    fn adjoints<'b>(
        program: &Program,
        passage: &mut Passage<'_>,
        all: &mut AllTangents<MANY>,
        tape: &'b mut [u8],
        entry: &Entry,
    ) -> &'b mut [u8] {
        let before = pop_block(&mut *tape, entry).0.len();
        let (rest, statement) = tape.split_at_mut(before);
        let (lhs, fixed) = Self::split(program, statement, entry);
        let id = WholeTarget::<f64, W>::load(lhs, &mut passage.walk()).id();
        let tangents = all.of_numbers();
        let r_b = tangents.take(id);
        let flow = Flow::new(r_b);
        if flow.is_unset() {
            Self::exchange(passage, lhs, id);
            return rest;
        }
        if let Some(partials) = program.constant_partials(fixed) {
            partials.for_each(|(id, partial)| tangents.merge(id, &flow.times(partial)));
            Self::exchange(passage, lhs, id);
            return rest;
        }
        Self::forward(passage, lhs);
        Self::pull(passage, statement, entry, id, 1.0);
        let (_, fixed) = Self::split(program, statement, entry);
        let adjoints = passage.numbers().adjoints;
        let mut normal = !program.has_lists();
        program.each_reached(fixed, |id| {
            let partial = *adjoints.at(id);
            normal &= partial.is_unset() || partial.is_normal();
        });
        if normal {
            program.each_reached(fixed, |id| {
                let partial = adjoints.take(id);
                if !partial.is_unset() {
                    tangents.merge(id, &flow.times(partial));
                }
            });
        } else {
            Self::pass_on(passage, all, statement, entry, (id, r_b));
        }
        rest
    }
    /// Passes several adjoints on to variables and lists of them, after 1 has flowed back.
    #[inline(never)]
    fn pass_on(
        passage: &mut Passage<'_>,
        all: &mut AllTangents<MANY>,
        statement: &mut [u8],
        entry: &Entry,
        (id, r_b): (u32, [f64; MANY]),
    ) {
        let (program, tangents) = (entry.program(), all.of_numbers());
        let (flow, mixed) = (Flow::new(r_b), entry.statement.mixed);
        let (_, block) = pop_block(&mut *statement, entry);
        let (_, rhs) = split_by::<f64, WholeTarget<f64, W>>(block, entry);
        let (adjoints, mut normal) = (passage.numbers().adjoints, true);
        program.each_variable(&rhs, mixed, |id| {
            let partial = *adjoints.at(id);
            normal &= partial.is_unset() || partial.is_normal();
        });
        program.each_variable(&rhs, mixed, |id| {
            let partial = adjoints.take(id);
            if normal && !partial.is_unset() {
                tangents.merge(id, &flow.times(partial));
            }
        });
        if normal {
            return;
        }
        for (j, &r_b) in r_b.iter().enumerate().filter(|(_, r_b)| !r_b.is_unset()) {
            let (lhs, _) = Self::split(program, statement, entry);
            Self::forward(passage, lhs);
            Self::exchange(passage, lhs, id);
            Self::pull(passage, statement, entry, id, r_b);
            let (_, block) = pop_block(&mut *statement, entry);
            let (_, rhs) = split_by::<f64, WholeTarget<f64, W>>(block, entry);
            let adjoints = passage.numbers().adjoints;
            program.each_variable(&rhs, mixed, |id| {
                tangents.adjoints(id)[j].merge(adjoints.take(id));
            });
        }
    }
}
/// Calls a function of the statements that set such a number.
macro_rules! by_ownership {
    ($assigned:tt $function:ident($($argument:ident),*)) => {
        match $assigned {
            Assigned::Fresh => NumberSet::<FreelyCopied>::$function($($argument),*),
            Assigned::Overwritten => NumberSet::<Unique>::$function($($argument),*),
        }
    };
}
impl Assigned {
    #[inline(always)]
    pub(super) fn tangent<const N: usize>(
        self,
        program: &Program,
        passage: &mut Passage<'_>,
        all: &mut AllTangents<N>,
        statement: &mut [u8],
        entry: &Entry,
    ) {
        by_ownership!(self tangent(program, passage, all, statement, entry));
    }
    #[inline(always)]
    pub(super) fn second<'b, const N: usize>(
        self,
        program: &Program,
        passage: &mut Passage<'_>,
        all: &mut AllTangents<N>,
        tape: &'b mut [u8],
        entry: &Entry,
    ) -> &'b mut [u8] {
        by_ownership!(self second(program, passage, all, tape, entry))
    }
    #[inline(always)]
    pub(super) fn adjoints<'b>(
        self,
        program: &Program,
        passage: &mut Passage<'_>,
        all: &mut AllTangents<MANY>,
        tape: &'b mut [u8],
        entry: &Entry,
    ) -> &'b mut [u8] {
        by_ownership!(self adjoints(program, passage, all, tape, entry))
    }
}
