//! How expressions are evaluated and reversed, as chosen by [`Rule::Evaluation`](crate::rule::Rule::Evaluation).
//!
//! | evaluation | value | sweep |
//! |---|---|---|
//! | [`Whole`] | from whole arguments | recomputes a result that is read, and runs the adjoint formula |
//! | [`ByPieces`] | when the parent requests pieces, or in one loop over the whole tree | one loop over the whole tree |
//! | [`Reduction`] | a number, folded from the pieces of the arguments | one loop over the pieces of the arguments |
//! | [`IntoDestination`] | when the parent provides the destination | as a whole |
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
