//! How expressions of a kind are evaluated: by value, or piece by piece.
//!
//! Most kinds evaluate [`ByValue`]: each operation makes its whole result, in registers for small ones. Kinds
//! whose values are long runs of numbers (arrays, matrices) evaluate [`ByPieces`]: what a tree of elementwise
//! operations makes of one piece, a few registers full, is computed before the next piece, so that a statement is
//! one loop without temporaries. A sweep does the same: it computes the pieces of all intermediate values again
//! and adds the pieces of the adjoints to those of the leaves.
//!
//! ```text
//! c = (a + b) * x.exp()      for each piece: load a, b, x; add, exp, multiply; store c
//! sweep of it                for each piece: load a, b, x, r_b; add, exp; the adjoints; add to a_b, b_b, x_b
//! ```
//!
//! An operation takes part in this if its rule says so ([`Rule::PIECES`]); others get their arguments as a whole,
//! and their results are cut into pieces. Numbers beside arrays are their own piece.
use super::{Adjoint, Arg, Kind, Policy, Val};
use crate::{
    expr::{Applied, AtHand, Made, Pieces, PiecesReplay, Produce, Replay, Stored, at_hand},
    rule::Rule,
};

/// Where a piece lies: `lanes` numbers from the one with index `start`. All pieces of a kind have as many lanes
/// but for the last one, which may have fewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// Index of the first number.
    pub start: usize,
    /// How many numbers there are.
    pub lanes: usize,
}

/// The shape of the values of a kind that is evaluated by pieces; `()` for others.
pub type Shape<K> = <<K as Kind>::Form as Form<K>>::Shape;
/// What pieces of a value of kind `K` are read from.
pub type View<'v, K> = <<K as Kind>::Form as Form<K>>::View<'v>;
/// A piece of a value of kind `K`; all of it if the kind is evaluated by value.
pub type Piece<K> = <<K as Kind>::Form as Form<K>>::Piece;

/// Pieces of an adjoint of kind `K`.
pub type Block<K> = <<K as Kind>::Form as Form<K>>::Block;

/// How expressions of kind `K` are evaluated: [`ByValue`] or [`ByPieces`].
pub trait Form<K: Kind>: 'static {
    /// What must agree between the values of one elementwise operation.
    type Shape: Copy + 'static;
    /// A piece of a value.
    type Piece: Clone + 'static;
    /// The shape of a value.
    fn shape(value: &Val<K>) -> Self::Shape;
    /// What pieces are read from.
    type View<'v>: Clone;
    /// A value as what pieces are read from; without a value nothing is.
    fn view<'v>(value: Option<Arg<'v, K>>) -> Self::View<'v>;
    /// A piece of a value.
    fn piece(view: &Self::View<'_>, at: At) -> Self::Piece;
    /// Makes an adjoint ready to take pieces.
    fn open(adjoint: &mut K::Adjoint, shape: Self::Shape);
    /// Adjoints of the pieces of a block, before they are added to the adjoint of a value.
    type Block: Default;
    /// Puts a piece into a block.
    fn put(block: &mut Self::Block, at: At, piece: Self::Piece);
    /// Adds what was put into a block to an adjoint that is ready; `at` is where the block lies.
    fn add_block(adjoint: &mut K::Adjoint, at: At, block: &mut Self::Block);
    /// What an operation gives.
    type Value<'n, O, A, B, C, VA, VB, VC>: Produce<K>
    where
        O: Rule<A, B, C, Out = K> + 'n,
        A: Kind,
        B: Kind,
        C: Kind,
        VA: Produce<A> + 'n,
        VB: Produce<B> + 'n,
        VC: Produce<C> + 'n;
    /// Applies an operation.
    #[track_caller]
    #[allow(clippy::type_complexity)] // one associated type, for which a name would need its parameters, too
    fn apply<'n, O, A, B, C, VA, VB, VC>(
        op: &'n O,
        a: VA,
        b: VB,
        c: VC,
    ) -> (Self::Value<'n, O, A, B, C, VA, VB, VC>, O::Saved)
    where
        O: Rule<A, B, C, Out = K> + 'n,
        A: Kind,
        B: Kind,
        C: Kind,
        VA: Produce<A> + 'n,
        VB: Produce<B> + 'n,
        VC: Produce<C> + 'n;
    /// The operation as a sweep rebuilds it.
    type Replay<O: Rule<A::Kind, B::Kind, C::Kind, Out = K>, A: Stored, B: Stored, C: Stored>: Stored<Kind = K>;
}

/// Each operation makes its whole result.
#[derive(Clone, Copy, Debug)]
pub struct ByValue;
impl<K: Kind> Form<K> for ByValue {
    type Shape = ();
    type Piece = Val<K>;
    #[inline(always)]
    fn shape(_: &Val<K>) {}
    type View<'v> = Option<Arg<'v, K>>;
    #[inline(always)]
    fn view<'v>(value: Option<Arg<'v, K>>) -> Option<Arg<'v, K>> {
        value
    }
    #[inline(always)]
    fn piece(view: &Option<Arg<'_, K>>, _: At) -> Self::Piece {
        K::Policy::value(at_hand(view.as_ref())).clone()
    }
    #[inline(always)]
    fn open(_: &mut K::Adjoint, (): ()) {}
    type Block = K::Adjoint;
    #[inline(always)]
    fn put(block: &mut K::Adjoint, _: At, piece: Val<K>) {
        block.add(piece);
    }
    #[inline(always)]
    fn add_block(adjoint: &mut K::Adjoint, _: At, block: &mut K::Adjoint) {
        if let Some(sum) = std::mem::take(block).into_value() {
            adjoint.add(sum);
        }
    }
    type Value<'n, O, A, B, C, VA, VB, VC>
        = Made<K>
    where
        O: Rule<A, B, C, Out = K> + 'n,
        A: Kind,
        B: Kind,
        C: Kind,
        VA: Produce<A> + 'n,
        VB: Produce<B> + 'n,
        VC: Produce<C> + 'n;
    #[inline(always)]
    fn apply<'n, O, A, B, C, VA, VB, VC>(op: &'n O, a: VA, b: VB, c: VC) -> (Made<K>, O::Saved)
    where
        O: Rule<A, B, C, Out = K> + 'n,
        A: Kind,
        B: Kind,
        C: Kind,
        VA: Produce<A> + 'n,
        VB: Produce<B> + 'n,
        VC: Produce<C> + 'n,
    {
        let (a, b, c) = (a.ready(), b.ready(), c.ready());
        let (r, saved) = op.primal(a.arg(), b.arg(), c.arg());
        (Made(r), saved)
    }
    type Replay<O: Rule<A::Kind, B::Kind, C::Kind, Out = K>, A: Stored, B: Stored, C: Stored> =
        Replay<O, A, B, C>;
}

/// Elementwise operations are evaluated together, piece by piece; the kind says what a piece is
/// ([`PieceKind`]).
#[derive(Clone, Copy, Debug)]
pub struct ByPieces;
/// A kind that is evaluated [`ByPieces`].
pub trait PieceKind: Kind<Form = ByPieces> {
    /// Length, or rows and columns.
    type Shape: Copy + 'static;
    /// A fixed number of lanes.
    type Lanes: Copy + 'static;
    /// The shape of a value.
    fn shape(value: &Val<Self>) -> Self::Shape;
    /// What pieces are read from: a slice of numbers, by default an empty one.
    type View<'v>: Clone + Default;
    /// A value as what pieces are read from.
    fn view<'v>(value: Arg<'v, Self>) -> Self::View<'v>;
    /// Reads a piece. What stands in lanes that are not there is arbitrary.
    fn piece(view: &Self::View<'_>, at: At) -> Self::Lanes;
    /// Makes an adjoint ready to take pieces: a zero of this shape, if nothing was added to it.
    fn open(adjoint: &mut Self::Adjoint, shape: Self::Shape);
    /// Pieces of an adjoint, some of them. They are gathered before they are added, as slices of one adjoint may
    /// overlap, and a processor waits where it reads what it has just written in other pieces.
    type Block: Default;
    /// Puts a piece into a block.
    fn put(block: &mut Self::Block, at: At, piece: Self::Lanes);
    /// Adds a block, which lies at `at`, to an adjoint that is ready.
    fn add_block(adjoint: &mut Self::Adjoint, at: At, block: &Self::Block);
    /// Visits all pieces in order, block by block; here is the place to choose the instruction set.
    fn each(shape: Self::Shape, visit: impl Visit);
    /// Makes a value of its pieces; likewise.
    fn collect(shape: Self::Shape, pieces: impl Pieces<Self>) -> Val<Self>;
}
/// What is done with each piece: a closure whose body is inlined for certain.
pub trait Visit {
    /// Visits a piece.
    fn visit(&mut self, at: At);
    /// All pieces of the block that lies at `at` were visited.
    fn finish(&mut self, block: At);
}
impl<K: PieceKind> Form<K> for ByPieces {
    type Shape = K::Shape;
    type Piece = K::Lanes;
    #[inline(always)]
    fn shape(value: &Val<K>) -> K::Shape {
        <K as PieceKind>::shape(value)
    }
    type View<'v> = K::View<'v>;
    #[inline(always)]
    fn view<'v>(value: Option<Arg<'v, K>>) -> Self::View<'v> {
        value.map(<K as PieceKind>::view).unwrap_or_default()
    }
    #[inline(always)]
    fn piece(view: &Self::View<'_>, at: At) -> Self::Piece {
        <K as PieceKind>::piece(view, at)
    }
    #[inline(always)]
    fn open(adjoint: &mut K::Adjoint, shape: K::Shape) {
        <K as PieceKind>::open(adjoint, shape);
    }
    type Block = K::Block;
    #[inline(always)]
    fn put(block: &mut K::Block, at: At, piece: K::Lanes) {
        <K as PieceKind>::put(block, at, piece);
    }
    #[inline(always)]
    fn add_block(adjoint: &mut K::Adjoint, at: At, block: &mut K::Block) {
        <K as PieceKind>::add_block(adjoint, at, block);
    }
    type Value<'n, O, A, B, C, VA, VB, VC>
        = Applied<'n, O, A, B, C, VA, VB, VC>
    where
        O: Rule<A, B, C, Out = K> + 'n,
        A: Kind,
        B: Kind,
        C: Kind,
        VA: Produce<A> + 'n,
        VB: Produce<B> + 'n,
        VC: Produce<C> + 'n;
    #[allow(clippy::type_complexity)]
    #[inline(always)]
    fn apply<'n, O, A, B, C, VA, VB, VC>(
        op: &'n O,
        a: VA,
        b: VB,
        c: VC,
    ) -> (Self::Value<'n, O, A, B, C, VA, VB, VC>, O::Saved)
    where
        O: Rule<A, B, C, Out = K> + 'n,
        A: Kind,
        B: Kind,
        C: Kind,
        VA: Produce<A> + 'n,
        VB: Produce<B> + 'n,
        VC: Produce<C> + 'n,
    {
        Applied::new(op, a, b, c)
    }
    type Replay<O: Rule<A::Kind, B::Kind, C::Kind, Out = K>, A: Stored, B: Stored, C: Stored> =
        PiecesReplay<O, A, B, C>;
}
