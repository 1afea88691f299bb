//! The trait of rules.
use super::{evaluation::Evaluation, primals::Primals, saved::Saved, sink::Sinks};
use crate::{
    kind::{Arg, Incoming, Kind, Val},
    store::Stash,
};

/// Bit of [`Rule::READS`]: the adjoint reads the first argument.
pub const A: u8 = 1;
/// Bit of [`Rule::READS`]: the adjoint reads the second argument.
pub const B: u8 = 2;
/// Bit of [`Rule::READS`]: the adjoint reads the third argument.
pub const C: u8 = 4;
/// Bit of [`Rule::READS`]: the adjoint reads the result.
pub const R: u8 = 8;

/// An operation on arguments of kinds `A`, `B` and `C`; `()` stands for an argument that is not there.
#[diagnostic::on_unimplemented(
    message = "the operation `{Self}` has no rule for arguments of kinds `{A}`, `{B}`, `{C}`",
    label = "no rule for `{A}`, `{B}`, `{C}`, where `()` stands for an argument that is not there",
    note = "is the DSL crate with these kinds imported? A rule of one's own is an annotated function with arguments in this order: `#[op] fn f(..)`, `#[op(Mul)] fn scaled(..)` for an operator",
    note = "reals of two precisions meet by a cast: `x.to_f64()`, `x.to_f32()`"
)]
pub trait Rule<A: Kind, B: Kind = (), C: Kind = ()>: Stash {
    /// The kind of the result.
    type Out: Kind;
    /// Intermediates of the primal that are saved for the adjoint. The result is among them if the adjoint reads it and
    /// it is not to be computed again.
    type Saved: Saved<Self::Out>;
    /// How expressions of the operation are evaluated.
    type Evaluation: Evaluation<Self, A, B, C>;
    /// For each argument: what the adjoint formula of that argument reads ([`A`], [`B`], [`C`], [`R`]).
    const READS: [u8; 3];
    /// For each argument: whether it has an adjoint at all. `floor` has none: its derivative is zero, so its
    /// result is passive and nothing is recorded.
    const FLOWS: [bool; 3] = [true; 3];
    /// Computes the result and what is saved. If it asserts something of its arguments, the panic is reported at the
    /// user's line.
    #[track_caller]
    fn primal<'p>(
        &self,
        a: Arg<'p, A>,
        b: Arg<'p, B>,
        c: Arg<'p, C>,
    ) -> (Val<Self::Out>, Self::Saved);
    /// Adds the adjoints of the arguments to their sinks; `r_b` is the adjoint of the result.
    fn adjoint(
        &self,
        primals: Primals<'_, A, B, C, Self::Out>,
        saved: &Self::Saved,
        r_b: Incoming<'_, Self::Out>,
        sinks: impl Sinks<A, B, C>,
    );
}
