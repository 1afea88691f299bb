//! Rules: the primal and the adjoint of an operation for given argument kinds.
//!
//! An operation is a type (`op::Mul`, a unit struct, or a struct whose fields are its passive
//! parameters); what it does with arguments of kinds `A, B, C` is its [`Rule<A, B, C>`]. The kinds are
//! separate parameters, as a tuple would break the orphan rule for a DSL crate. Rules are written as
//! [annotations](macro@crate::op); this is what the annotation turns into:
//!
//! ```
//! use entape_core::{eval::Whole, kind::{Arg, Incoming, Val}, rule::{A, B, Primals, Rule, Sink, Sinks}};
//!
//! struct Scale;
//! impl entape_core::kind::Stash for Scale {
//!     const BYTES: usize = 0;
//!     fn stash(self, _: &mut entape_core::tape::Writer<'_>) {}
//!     fn fetch(_: &mut entape_core::tape::Reader<'_>) -> Self { Scale }
//! }
//! impl Rule<f64, f64> for Scale {
//!     type Out = f64;
//!     type Saved = ();
//!     type Evaluation = Whole;
//!     const READS: [u8; 3] = [B, A, 0];
//!     fn primal(&self, a: f64, b: f64, (): ()) -> (f64, ()) { (a * b, ()) }
//!     fn adjoint(&self, p: Primals<'_, f64, f64, (), f64>, (): &(), r_b: Incoming<'_, f64>, mut s: impl Sinks<f64, f64>) {
//!         if s.a().wants() { s.a().add(r_b.get() * p.b()) }
//!         if s.b().wants() { s.b().add(r_b.get() * p.a()) }
//!     }
//! }
//! ```
//!
//! How an expression of the operation is evaluated is a type, its [`Evaluation`]: most operations make their
//! [whole](crate::eval::Whole) result of whole arguments. Others have a second trait that says what their way of evaluation needs:
//!
//! | evaluation | trait | operations |
//! |---|---|---|
//! | [`Whole`](crate::eval::Whole) | | any |
//! | [`ByPieces`](crate::eval::ByPieces) | [`PieceRule`] | elementwise ones of arrays |
//! | [`Reduction`](crate::eval::Reduction) | [`ReductionRule`] | numbers that are made of all pieces: sums, norms |
//! | [`IntoDestination`](crate::eval::IntoDestination) | [`DestinationRule`] | sums and products of matrices |
mod evaluation;
mod pieces;
mod primals;
mod saved;
mod sink;

pub(crate) use evaluation::sealed;
pub use evaluation::{DestinationRule, Evaluation};
pub use pieces::{
    PiecePrimals, PieceRule, PieceSinks, PullPieces, ReductionRule, Shapes, Unfolded,
};
pub use primals::Primals;
pub(crate) use primals::needs;
pub(crate) use saved::{Kept, sealed as sealed_saved};
pub use saved::{Saved, WithResult};
// TEMPORARY
pub use crate::elementwise::*;
pub use crate::expr::{Binary, Ternary, Unary, binary, ternary, unary};
pub(crate) use sink::{ArgSinks, SameSinks};
pub use sink::{Sink, Sinks};

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
    note = "is the DSL crate with these kinds imported? A rule of one's own is an annotated function: `#[op(..)]`"
)]
pub trait Rule<A: Kind, B: Kind = (), C: Kind = ()>: Stash {
    /// The kind of the result.
    type Out: Kind;
    /// Intermediates of the primal that are kept for the adjoint, the result among them if the adjoint reads it and it is not to be
    /// computed again.
    type Saved: Saved<Self::Out>;
    /// How expressions of the operation are evaluated.
    type Evaluation: Evaluation<Self, A, B, C>;
    /// For each argument: what the adjoint formula of that argument reads ([`A`], [`B`], [`C`], [`R`]).
    const READS: [u8; 3];
    /// For each argument: whether it has an adjoint at all. `floor` has none: its derivative is zero, so its
    /// result is passive and nothing is recorded.
    const FLOWS: [bool; 3] = [true; 3];
    /// Computes the result, and what is saved. What it asserts of its arguments is reported where the user
    /// evaluates.
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
