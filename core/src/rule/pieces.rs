//! Rules of operations that are evaluated by piece.
use super::definition::Rule;
use crate::kind::{Arg, Kind, Piece, Pieces, Shape, Val};
use std::ops::Range;

/// The adjoint of an operation whose arguments are pieces.
pub trait PullPieces<A: Kind, B: Kind = (), C: Kind = ()>: Rule<A, B, C> {
    /// Stores pieces of the arguments' adjoints; `r_b` is a piece of the result's adjoint.
    fn pull(
        &self,
        x: &PiecePrimals<A, B, C, Self::Out>,
        r_b: Piece<Self::Out>,
        sinks: &mut impl PieceSinks<A, B, C>,
    );
}
/// The sinks of pieces, which compute only wanted formulas.
pub trait PieceSinks<A: Kind, B: Kind = (), C: Kind = ()> {
    /// Stores a piece for the first argument.
    fn a(&mut self, x_b: impl FnOnce() -> Piece<A>);
    /// Stores a piece for the second argument.
    fn b(&mut self, x_b: impl FnOnce() -> Piece<B>);
    /// Stores a piece for the third argument.
    fn c(&mut self, x_b: impl FnOnce() -> Piece<C>);
}

/// An operation that is evaluated [`ByPieces`](crate::eval::ByPieces), as [`ElementKind`](crate::elementwise::ElementKind) provides
/// for elementary functions.
pub trait PieceRule<A: Kind, B: Kind = (), C: Kind = ()>: PullPieces<A, B, C> {
    /// Returns the shape of the result and the saved data.
    ///
    /// # Panics
    /// If the shapes do not match.
    #[track_caller]
    fn begin(&self, a: Shape<A>, b: Shape<B>, c: Shape<C>) -> (Shape<Self::Out>, Self::Saved);
    /// Returns the arguments' shapes for a result of shape `r`.
    fn spread(&self, r: Shape<Self::Out>) -> Shapes<A, B, C>;
    /// Returns a piece of the result.
    fn piece(&self, a: Piece<A>, b: Piece<B>, c: Piece<C>) -> Piece<Self::Out>;
}

/// A [`Reduction`](crate::eval::Reduction) of pieces, such as a sum. The [layout](crate::kind::Layout::run) of the
/// arguments runs the loops.
pub trait ReductionRule<A: Kind, B: Kind = (), C: Kind = ()>: PullPieces<A, B, C> {
    /// Combines the pieces to a result that is bitwise equal to [`primal`](Rule::primal).
    ///
    /// # Panics
    /// If the shapes do not match.
    #[track_caller]
    fn fold(
        &self,
        a: &impl Pieces<A>,
        b: &impl Pieces<B>,
        c: &impl Pieces<C>,
    ) -> (Val<Self::Out>, Self::Saved);
    /// Returns the contribution of the result's adjoint `r_b` to pieces. A formula may [read](Rule::READS) the result
    /// `r`. `shapes` returns the shapes of loaded arguments.
    fn unfold(
        &self,
        saved: &Self::Saved,
        shapes: impl FnOnce() -> ReadShapes<A, B, C>,
        r: Option<Arg<'_, Self::Out>>,
        r_b: Arg<'_, Self::Out>,
    ) -> Unfolded<A, B, C, Self::Out>;
}

/// The shapes of arguments.
pub type Shapes<A, B, C> = (Shape<A>, Shape<B>, Shape<C>);
/// The shapes of arguments that a sweep reads.
pub type ReadShapes<A, B, C> = (Option<Shape<A>>, Option<Shape<B>>, Option<Shape<C>>);
/// The contribution of a reduction's adjoint to the arguments.
pub struct Unfolded<A: Kind, B: Kind, C: Kind, O: Kind> {
    /// The shapes of the arguments.
    pub shapes: Shapes<A, B, C>,
    /// The range of pieces that receive an adjoint.
    pub pieces: Range<usize>,
    /// The adjoint that [`pull`](PullPieces::pull) receives for each piece, including common factors.
    pub r_b: Val<O>,
}
debug_by_name! { [A: Kind, B: Kind, C: Kind, O: Kind] Unfolded<A, B, C, O> }
/// Pieces of primal values in a sweep; `None` unless [`Rule::READS`] declares them.
pub struct PiecePrimals<A: Kind, B: Kind, C: Kind, O: Kind> {
    /// The piece of the first argument.
    pub a: Option<Piece<A>>,
    /// The piece of the second argument.
    pub b: Option<Piece<B>>,
    /// The piece of the third argument.
    pub c: Option<Piece<C>>,
    /// The piece of the result.
    pub r: Option<Piece<O>>,
}
debug_by_name! { [A: Kind, B: Kind, C: Kind, O: Kind] PiecePrimals<A, B, C, O> }
