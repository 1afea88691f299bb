//! Rules: the primal and the adjoint of an operation for given kinds.
//!
//! An operation is a type: `op::Mul`, or a struct of passive parameters. For arguments of kinds `A, B, C` it implements
//! [`Rule<A, B, C>`]. [Annotations](macro@crate::op) expand to rules:
//!
//! ```
//! use entape_core::{eval::Whole, kind::{Arg, Incoming, Val}, rule::{A, B, Primals, Rule, Sink, Sinks}, store::Stash};
//!
//! #[derive(Stash)]
//! struct Scale;
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
//! Some [evaluations](Evaluation) of expressions require a second trait:
//!
//! | evaluation | trait | operations |
//! |---|---|---|
//! | [`Whole`](crate::eval::Whole) | | any |
//! | [`ByPieces`](crate::eval::ByPieces) | [`PieceRule`] | elementwise operations of arrays |
//! | [`Reduction`](crate::eval::Reduction) | [`ReductionRule`] | sums, norms and other numbers from all pieces |
//! | [`IntoDestination`](crate::eval::IntoDestination) | [`DestinationRule`] | sums and products of matrices |
//!
//! An operation that can fail also implements [`TryRule`].
mod adjoints;
mod alone;
mod argument_tangents;
mod by_value;
mod collector;
mod definition;
mod dependence;
mod derived;
mod elements;
mod evaluation;
mod fallible;
mod pieces;
mod planes;
mod primals;
mod reductions;
mod saved;
mod sink;
mod verified;

pub use self::adjoints::{
    KnownAdjoints, NumberOrNone, ThreeAdjoints, adjoint_of, adjoint_of_both, adjoints,
};
pub use self::alone::{second_alone, tangent_alone};
pub use self::argument_tangents::{
    ArgumentTangent, ArgumentTangents, SecondAdjoint, SecondSinks, Terms,
};
#[doc(hidden)]
pub use self::by_value::by_value;
pub(crate) use self::collector::Collector;
pub(crate) use self::definition::marked_tangents;
pub use self::definition::{A, B, C, R, Rule, second_by_formulas};
pub(crate) use self::dependence::dependence;
#[doc(hidden)]
pub use self::derived::assert_same_shape;
pub use self::derived::{bilinear_second, bilinear_tangent, linear_tangent};
pub(crate) use self::elements::known_adjoints;
pub use self::elements::{SecondAdjoints, second_of, tangents_of};
pub use self::evaluation::{DestinationRule, Evaluation};
pub use self::fallible::TryRule;
#[doc(hidden)]
pub use self::fallible::succeeded;
pub use self::pieces::{
    PiecePrimals, PieceRule, PieceSinks, PullPieces, ReadShapes, ReductionRule, Shapes, Unfolded,
};
pub(crate) use self::primals::needs;
pub use self::primals::{Known, Primals};
pub(crate) use self::saved::SavedValue;
pub use self::saved::{Saved, WithResult};
pub(crate) use self::sink::SameSinks;
pub use self::sink::{Sink, Sinks};
pub(crate) use self::verified::verified;
pub use crate::order::{ExternalFailure, MissingRule, Order};
