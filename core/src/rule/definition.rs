use super::{
    argument_tangents::{ArgumentTangent, ArgumentTangents, SecondAdjoint, SecondSinks},
    evaluation::Evaluation,
    primals::Primals,
    saved::Saved,
    sink::Sinks,
};
use crate::{
    kind::{Arg, Incoming, Kind, Val},
    order::Order,
    store::{Functions, Stash},
};
use std::array::from_fn;

/// Bit of the first argument in [`Rule::READS`].
pub const A: u8 = 1;
/// Bit of the second argument in [`Rule::READS`].
pub const B: u8 = 2;
/// Bit of the third argument in [`Rule::READS`].
pub const C: u8 = 4;
/// Bit of the result in [`Rule::READS`].
pub const R: u8 = 8;

/// An operation on arguments of kinds `A`, `B` and `C`; `()` is absent.
#[diagnostic::on_unimplemented(
    message = "the operation `{Self}` has no rule for arguments of kinds `{A}`, `{B}`, `{C}`",
    label = "no rule for `{A}`, `{B}`, `{C}`, where `()` marks a missing argument",
    note = "check the shapes and import the DSL crate of these kinds, or declare a rule with the arguments in this order: `#[op] fn f(..)`, `#[op(Mul)] fn scaled(..)`",
    note = "for an operator of two kinds of other crates, derive a kind of yours from one of them, `#[kind(value = Value, derives = Kind)] struct Mine;`, and declare the rule for it",
    note = "to combine reals of two precisions, cast one: `x.to_f64()`, `x.to_f32()`"
)]
pub trait Rule<A: Kind, B: Kind = (), C: Kind = ()>: Stash {
    /// The kind of the result.
    type Out: Kind;
    /// Data that the primal saves for the adjoint, such as a result that should not be recomputed.
    type Saved: Saved<Self::Out>;
    /// How expressions are evaluated.
    type Evaluation: Evaluation<Self, A, B, C>;
    /// The operands that each argument's adjoint reads ([`A`], [`B`], [`C`], [`R`]).
    const READS: [u8; 3];
    /// Which arguments receive an adjoint. The result of `floor` is passive.
    const FLOWS: [bool; 3] = [true; 3];
    /// The arguments ([`A`], [`B`], [`C`]) with which each argument may have a second derivative. By default those that
    /// its adjoint [reads](Self::READS), or all if it reads the result or data is saved.
    const INTERACTS: [u8; 3] = super::dependence::interactions::<Self, A, B, C>();
    #[doc(hidden)]
    const READS_TANGENT: bool =
        Self::INTERACTS[0] != 0 || Self::INTERACTS[1] != 0 || Self::INTERACTS[2] != 0;
    /// Whether each number of a tangent is [unset](Kind::is_unset_tangent) if the numbers from which it is computed are.
    #[doc(hidden)]
    const MARKS: bool = false;
    /// Generated functions on numbers; others are compiled where used.
    #[doc(hidden)]
    const FUNCTIONS: Option<&'static Functions> = None;
    /// Computes the result and the saved data. Assertions panic at the user's line.
    #[track_caller]
    fn primal<'p>(
        &self,
        a: Arg<'p, A>,
        b: Arg<'p, B>,
        c: Arg<'p, C>,
    ) -> (Val<Self::Out>, Self::Saved);
    /// Adds to the arguments' adjoints; `r_b` is the adjoint of the result.
    fn adjoint(
        &self,
        primals: Primals<'_, A, B, C, Self::Out>,
        saved: &Self::Saved,
        r_b: Incoming<'_, Self::Out>,
        sinks: impl Sinks<A, B, C>,
    );
    /// Tests the operation on a tape that [verifies](crate::tape::Builder::verify).
    #[doc(hidden)]
    fn test(&self, a: &Val<A>) {
        let _ = a;
    }
    /// Whether the operation has [`tangent`](Self::tangent) and [`adjoint_tangent`](Self::adjoint_tangent).
    const ORDER: Order = Order::Adjoint;
    /// Returns the derivative of the result along a direction, or `None` for zero. The primals are those that adjoints of arguments with
    /// a tangent [declare](Self::READS).
    fn tangent(
        &self,
        primals: Primals<'_, A, B, C, Self::Out>,
        saved: &Self::Saved,
        tangent: ArgumentTangent<'_, A, B, C>,
    ) -> Option<Val<Self::Out>> {
        let _ = (primals, saved, tangent);
        unreachable!("a rule with this `ORDER` defines `tangent`")
    }
    /// Adds the derivative of [`adjoint`](Self::adjoint) along a direction for a constant `r_b`, which is zero for linear operations.
    /// `r_t` is the result's tangent.
    fn adjoint_tangent(
        &self,
        primals: Primals<'_, A, B, C, Self::Out>,
        saved: &Self::Saved,
        tangent: ArgumentTangent<'_, A, B, C>,
        r_t: Option<&Val<Self::Out>>,
        r_b: Incoming<'_, Self::Out>,
        sinks: impl Sinks<A, B, C>,
    ) {
        let _ = (primals, saved, tangent, r_t, r_b, sinks);
    }
    /// Adds the contribution of the adjoint's tangent, here `r_b`, to the tangents of the arguments' adjoints, by
    /// default [`adjoint`](Self::adjoint). Where that is a convention, a rule may use a directional derivative: a norm
    /// at the origin adds `r_b * v / |v|` along `v`.
    #[inline(always)]
    fn directional_adjoint(
        &self,
        primals: Primals<'_, A, B, C, Self::Out>,
        saved: &Self::Saved,
        tangent: ArgumentTangent<'_, A, B, C>,
        r_t: Option<&Val<Self::Out>>,
        r_b: Incoming<'_, Self::Out>,
        sinks: impl Sinks<A, B, C>,
    ) {
        let _ = (tangent, r_t);
        self.adjoint(primals, saved, r_b, sinks);
    }
    /// Returns the [tangents](Self::tangent) along several directions.
    #[inline(always)]
    fn tangents<const N: usize>(
        &self,
        primals: &Primals<'_, A, B, C, Self::Out>,
        saved: &Self::Saved,
        tangent: ArgumentTangents<'_, A, B, C, N>,
    ) -> Option<[Val<Self::Out>; N]> {
        if tangent.is_zero() {
            return None;
        }
        let each: [_; N] = from_fn(|j| self.tangent(*primals, saved, tangent.direction(j)));
        all(each)
    }
    /// Adds the arguments' adjoints with tangents along several directions.
    #[inline(always)]
    fn second<const N: usize>(
        &self,
        primals: &Primals<'_, A, B, C, Self::Out>,
        saved: &Self::Saved,
        tangent: ArgumentTangents<'_, A, B, C, N>,
        r_t: Option<&[Val<Self::Out>; N]>,
        r: SecondAdjoint<'_, Self::Out, N>,
        sinks: &mut impl SecondSinks<A, B, C, N>,
    ) {
        second_by_formulas(self, primals, saved, tangent, r_t, r, sinks);
    }
}

/// Implements [`Rule::second`] by the formulas of the rule.
#[inline(always)]
pub fn second_by_formulas<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind, const N: usize>(
    op: &O,
    primals: &Primals<'_, A, B, C, O::Out>,
    saved: &O::Saved,
    tangent: ArgumentTangents<'_, A, B, C, N>,
    r_t: Option<&[Val<O::Out>; N]>,
    r: SecondAdjoint<'_, O::Out, N>,
    sinks: &mut impl SecondSinks<A, B, C, N>,
) {
    if let Some(r_b) = r.r_b {
        if sinks.takes_adjoints() {
            op.adjoint(*primals, saved, Incoming::borrowed(r_b), sinks.adjoint());
        }
        if !tangent.is_zero() {
            for j in 0..N {
                let (primals, tangent, r_t) = (*primals, tangent.direction(j), r_t.map(|t| &t[j]));
                let (r_b, sinks) = (Incoming::borrowed(r_b), sinks.tangent(j));
                op.adjoint_tangent(primals, saved, tangent, r_t, r_b, sinks);
            }
        }
    }
    for (j, r_bt) in r.tangents.into_iter().flatten().enumerate() {
        let (primals, tangent, r_t) = (*primals, tangent.direction(j), r_t.map(|t| &t[j]));
        let r_b = Incoming::borrowed(r_bt);
        op.directional_adjoint(primals, saved, tangent, r_t, r_b, sinks.tangent(j));
    }
}

/// Like [`Rule::tangents`], with zeros [unset](Kind::is_unset_tangent) only if all tangents of arguments are.
#[inline(always)]
pub(crate) fn marked_tangents<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind, const N: usize>(
    op: &O,
    primals: &Primals<'_, A, B, C, O::Out>,
    saved: &O::Saved,
    tangent: ArgumentTangents<'_, A, B, C, N>,
) -> Option<[Val<O::Out>; N]> {
    let mut made = op.tangents(primals, saved, tangent)?;
    if !O::MARKS && tangent.one_sided {
        for (j, made) in made.iter_mut().enumerate() {
            let ArgumentTangent { a, b, c, .. } = tangent.direction(j);
            let computed = a.is_some_and(|a| !A::is_unset_tangent(a))
                || b.is_some_and(|b| !B::is_unset_tangent(b))
                || c.is_some_and(|c| !C::is_unset_tangent(c));
            O::Out::mark_zeros(made, computed);
        }
    }
    Some(made)
}

#[inline(always)]
fn all<V, const N: usize>(tangents: [Option<V>; N]) -> Option<[V; N]> {
    if !tangents.iter().all(Option::is_some) {
        return None;
    }
    Some(tangents.map(|t| t.unwrap_or_else(|| unreachable!("all tangents are `Some`"))))
}
