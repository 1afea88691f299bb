//! Rules of operations that are evaluated piece by piece, and of reductions, which combine pieces to one number.
use super::definition::Rule;
use crate::kind::{Arg, Kind, Piece, Pieces, Shape, Val};
use std::ops::Range;

/// The adjoint of an operation whose arguments are pieces.
pub trait PullPieces<A: Kind, B: Kind = (), C: Kind = ()>: Rule<A, B, C> {
    /// Stores the contribution to a piece of each argument's adjoint in its sink; `r_b` is a piece of the adjoint of
    /// the result.
    fn pull(
        &self,
        x: &PiecePrimals<A, B, C, Self::Out>,
        r_b: Piece<Self::Out>,
        sinks: &mut impl PieceSinks<A, B, C>,
    );
}
/// The sinks of pieces of the arguments. A formula is computed only if an adjoint flows into its argument.
pub trait PieceSinks<A: Kind, B: Kind = (), C: Kind = ()> {
    /// A piece for the first argument.
    fn a(&mut self, x_b: impl FnOnce() -> Piece<A>);
    /// A piece for the second argument.
    fn b(&mut self, x_b: impl FnOnce() -> Piece<B>);
    /// A piece for the third argument.
    fn c(&mut self, x_b: impl FnOnce() -> Piece<C>);
}

/// An operation that is evaluated [`ByPieces`](crate::eval::ByPieces). Its primal and adjoint as a [`Rule`] are for
/// whole values. Elementary functions get it from [`ElementKind`](crate::elementwise::ElementKind).
pub trait PieceRule<A: Kind, B: Kind = (), C: Kind = ()>: PullPieces<A, B, C> {
    /// The shape of the result, and what is saved.
    ///
    /// # Panics
    /// If the shapes of the arguments do not fit; the message names the operation and both.
    #[track_caller]
    fn begin(&self, a: Shape<A>, b: Shape<B>, c: Shape<C>) -> (Shape<Self::Out>, Self::Saved);
    /// The shapes of the arguments, if the result has the shape `r`.
    fn spread(&self, r: Shape<Self::Out>) -> Shapes<A, B, C>;
    /// A piece of the result.
    fn piece(&self, a: Piece<A>, b: Piece<B>, c: Piece<C>) -> Piece<Self::Out>;
}

/// An operation whose result is computed from the pieces of its arguments one after the other, by
/// [`Reduction`](crate::eval::Reduction), such as a sum or a norm. The argument need not exist as a whole. The
/// [layout](crate::kind::Layout::run) of the first argument runs the loops.
pub trait ReductionRule<A: Kind, B: Kind = (), C: Kind = ()>: PullPieces<A, B, C> {
    /// Combines the pieces of the arguments. The result has the bits of [`primal`](Rule::primal) for the same values.
    ///
    /// # Panics
    /// If the shapes of the arguments do not fit; the message names the operation and both.
    #[track_caller]
    fn fold(
        &self,
        a: &impl Pieces<A>,
        b: &impl Pieces<B>,
        c: &impl Pieces<C>,
    ) -> (Val<Self::Out>, Self::Saved);
    /// What the adjoint `r_b` of the result contributes to pieces of the arguments. `r` is the result, if a formula
    /// [reads](Rule::READS) it; `shapes` tells the shapes of those arguments of which a formula reads pieces, so that they need not
    /// be saved; of others it may be that no value is there.
    fn unfold(
        &self,
        saved: &Self::Saved,
        shapes: impl FnOnce() -> ReadShapes<A, B, C>,
        r: Option<Arg<'_, Self::Out>>,
        r_b: Arg<'_, Self::Out>,
    ) -> Unfolded<A, B, C, Self::Out>;
}

/// The shapes of the arguments of an operation.
pub type Shapes<A, B, C> = (Shape<A>, Shape<B>, Shape<C>);
/// The shapes of those arguments of an operation whose values a sweep reads.
pub type ReadShapes<A, B, C> = (Option<Shape<A>>, Option<Shape<B>>, Option<Shape<C>>);
/// What the adjoint of a reduction's result contributes to the arguments.
pub struct Unfolded<A: Kind, B: Kind, C: Kind, O: Kind> {
    /// The shapes of the arguments.
    pub shapes: Shapes<A, B, C>,
    /// The range of pieces that get an adjoint.
    pub pieces: Range<usize>,
    /// What [`pull`](PullPieces::pull) gets for each piece as the adjoint of the result; factors that all pieces have
    /// in common are included.
    pub r_b: Val<O>,
}
debug_by_name! { [A: Kind, B: Kind, C: Kind, O: Kind] Unfolded<A, B, C, O> }
/// Pieces of the primal values of an operation in a sweep; those that [`Rule::READS`] does not declare are `None`.
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
