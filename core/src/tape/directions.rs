//! Statements in sweeps along several directions.
//!
//! ```text
//! forward    target, arguments on the old values, their tangents, that of the result; the target gets the new value
//! back       adjoint and its tangents are taken, value and tangents are put back, arguments, sinks
//! ```
use super::{handles::Entry, statement::StatementOf, target::Target};
use crate::{
    kind::{Adjoint, Carrier, Hold, Kind, Need, Passed, Policy},
    node::Stored,
    order::Order,
    store::{AllTangents, MANY, Reader, Way},
    sweep::{Directional, Passage},
};
use std::{array::from_fn, marker::PhantomData};

/// Walks forward over a statement.
pub(crate) type Forward<const N: usize> =
    fn(&mut Passage<'_>, &mut AllTangents<N>, &mut [u8], &Entry);
/// Reverses the last statement, whose handle was split off, and returns the tape before it.
pub(crate) type Back<const N: usize> =
    for<'b> fn(&mut Passage<'_>, &mut AllTangents<N>, &'b mut [u8], &Entry) -> &'b mut [u8];

/// The functions for some number of directions.
pub(crate) struct Along<const N: usize> {
    /// Computes tangents.
    pub(crate) tangent: Forward<N>,
    /// Reverses adjoints together with their tangents.
    pub(crate) second: Back<N>,
}
/// What a type of statement can be swept for, beside its adjoint.
pub(crate) struct Sweeps {
    /// How far the derivatives of its operations go.
    pub(crate) order: Order,
    pub(crate) one: Along<1>,
    pub(crate) many: Along<MANY>,
    /// Reverses several adjoints.
    pub(crate) adjoints: Back<MANY>,
}
impl<T: Target<S::Kind>, S: Stored, const MIXED: bool> StatementOf<T, S, MIXED> {
    pub(crate) const SWEEPS: &'static Sweeps = &Sweeps {
        order: S::ORDER,
        one: Self::along(),
        many: Self::along(),
        adjoints: Self::adjoints,
    };
    const fn along<const N: usize>() -> Along<N> {
        Along {
            tangent: Self::tangent::<N>,
            second: Self::second::<N>,
        }
    }
    fn tangent<const N: usize>(
        passage: &mut Passage<'_>,
        tangents: &mut AllTangents<N>,
        block: &mut [u8],
        entry: &Entry,
    ) {
        let (loose, constants, lhs, rhs) = Self::split_as(block, entry);
        let walk = &mut passage.walk();
        let target = T::load_forward(lhs, walk);
        // The slot has the old value, on which the right-hand side is read, and for a moment the new one.
        target.exchange(lhs, walk);
        let needs_shape = <S::Kind as Kind>::Policy::STORAGE;
        let result = (S::READS_RESULT || needs_shape).then(|| target.result(walk));
        target.exchange(lhs, walk);
        let mut reader = Reader {
            statement: &S::FORMULA,
            fixed: rhs,
            constants,
            loose,
            mixed: MIXED,
            stacks: walk.stacks,
        };
        let known = result.clone().filter(|_| S::READS_RESULT);
        walk.sweep.set_loose(loose);
        let mut sweep = Directional::new(&mut walk.sweep, tangents, Way::Forward);
        let node = S::load::<false>(&mut reader, &mut sweep.along(0), Need::Known, known);
        let like = result.as_ref().filter(|_| needs_shape).map(Hold::peek);
        let along = node.along(&mut sweep, like);
        let made = S::into_tangents(along);
        node.done(&mut walk.sweep);
        target.set_tangents(made, tangents, &mut walk.sweep);
        target.exchange(lhs, walk);
    }
    fn second<'b, const N: usize>(
        passage: &mut Passage<'_>,
        tangents: &mut AllTangents<N>,
        tape: &'b mut [u8],
        entry: &Entry,
    ) -> &'b mut [u8] {
        let (rest, block) = Self::pop_as(tape, entry);
        let (loose, constants, lhs, rhs) = Self::split_as(block, entry);
        let walk = &mut passage.walk();
        let target = T::load(lhs, walk);
        let adjoint = target.take_adjoint(&mut walk.sweep);
        let along: [_; N] = {
            let mut sweep = Directional::new(&mut walk.sweep, tangents, Way::Back);
            from_fn(|j| target.take_adjoint(&mut sweep.along(j)))
        };
        let of_target = target.restore_tangents(tangents);
        let none = along.iter().all(Adjoint::is_unset);
        if !S::ACTIVE || adjoint.is_unset() && none {
            target.exchange(lhs, walk);
            return rest;
        }
        let needs_shape = <S::Kind as Kind>::Policy::STORAGE;
        let result = (S::READS_RESULT || needs_shape).then(|| target.result(walk));
        let r_b =
            (!adjoint.is_unset()).then(|| adjoint.value_or_zero(|| target.result(walk).unhold()));
        let r_bt = (!none)
            .then(|| along.map(|adjoint| adjoint.value_or_zero(|| target.result(walk).unhold())));
        target.exchange(lhs, walk);
        let mut reader = Reader {
            statement: &S::FORMULA,
            fixed: rhs,
            constants,
            loose,
            mixed: MIXED,
            stacks: walk.stacks,
        };
        let known = result.clone().filter(|_| S::READS_RESULT);
        walk.sweep.set_loose(loose);
        let mut sweep = Directional::new(&mut walk.sweep, tangents, Way::Back);
        let node = S::load::<false>(&mut reader, &mut sweep.along(0), Need::Known, known);
        if !MIXED || node.is_active() {
            let like = result.as_ref().filter(|_| needs_shape).map(Hold::peek);
            let along = node.along_known(&mut sweep, like, of_target);
            node.pull_second(&along, r_b, r_bt, &mut sweep);
            S::done_along(along);
        }
        node.done(&mut walk.sweep);
        rest
    }
    fn adjoints<'b>(
        passage: &mut Passage<'_>,
        tangents: &mut AllTangents<MANY>,
        tape: &'b mut [u8],
        entry: &Entry,
    ) -> &'b mut [u8] {
        let (rest, block) = Self::pop_as(tape, entry);
        let (loose, constants, lhs, rhs) = Self::split_as(block, entry);
        let walk = &mut passage.walk();
        let target = T::load(lhs, walk);
        let adjoints: [_; MANY] = {
            let mut sweep = Directional::new(&mut walk.sweep, tangents, Way::Back);
            from_fn(|j| target.take_adjoint(&mut sweep.along(j)))
        };
        if !S::ACTIVE || adjoints.iter().all(Adjoint::is_unset) {
            target.exchange(lhs, walk);
            return rest;
        }
        let needs_like = <S::Kind as Kind>::Adjoint::unset().into_value().is_none();
        let result = (S::READS_RESULT || needs_like).then(|| target.result(walk));
        let known = result.clone().filter(|_| S::READS_RESULT);
        target.exchange(lhs, walk);
        let mut reader = Reader {
            statement: &S::FORMULA,
            fixed: rhs,
            constants,
            loose,
            mixed: MIXED,
            stacks: walk.stacks,
        };
        walk.sweep.set_loose(loose);
        let node = S::load::<false>(&mut reader, &mut walk.sweep, Need::Known, known);
        if !MIXED || node.is_active() {
            let mut sweep = Directional::new(&mut walk.sweep, tangents, Way::Back);
            for (j, adjoint) in adjoints.into_iter().enumerate() {
                // An unset adjoint passes nothing on, not even to infinite partial derivatives.
                if !adjoint.is_unset() {
                    let like = || match &result {
                        Some(result) => result.peek().clone(),
                        None => unreachable!("an adjoint without shape"),
                    };
                    node.pull(Passed(adjoint.value_or_zero(like)), &mut sweep.along(j));
                }
            }
        }
        node.done(&mut walk.sweep);
        rest
    }
}

/// The functions of the statements of a mode that has such sweeps; of other modes they are not compiled.
pub(crate) struct SweepsOf<M, T, S, const MIXED: bool>(PhantomData<(M, T, S)>);
impl<M: Carrier, T: Target<S::Kind>, S: Stored, const MIXED: bool> SweepsOf<M, T, S, MIXED> {
    pub(crate) const SWEEPS: Option<&'static Sweeps> = if M::SECOND {
        Some(StatementOf::<T, S, MIXED>::SWEEPS)
    } else {
        None
    };
}
