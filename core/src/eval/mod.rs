//! How expressions are evaluated and reversed: [`Rule::Evaluation`](crate::rule::Rule::Evaluation).
//!
//! | evaluation | value | sweep |
//! |---|---|---|
//! | [`Whole`] | from whole arguments | recomputes a result that is read, and runs the adjoint formula |
//! | [`ByPieces`] | in one loop over the whole tree | in one loop |
//! | [`Reduction`] | folded from the pieces of the arguments | in one loop |
//! | [`IntoDestination`] | in the parent's destination | as a whole |
mod destination;
mod directions;
mod pieces;
mod reduction;
mod replay;
mod sweep_arguments;
mod sweep_pieces;
mod whole;

pub use self::destination::{IntoDestination, whole};
pub use self::pieces::ByPieces;
pub use self::reduction::Reduction;
pub use self::replay::{Backward, Replay};
pub(crate) use self::replay::{again, needs_of};
pub use self::whole::Whole;
