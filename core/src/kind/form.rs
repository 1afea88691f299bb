//! How expressions of a kind are evaluated: by value, piece by piece, or into a destination.
//!
//! Most kinds evaluate [`ByValue`]: each operation makes its whole result, in registers for small ones. Kinds
//! whose values are long runs of numbers (arrays, matrices) evaluate [`ByPieces`]: what a tree of elementwise
//! operations makes of one piece, a number, is computed before the next piece, so that a statement is one loop
//! without temporaries. A sweep does the same: it computes the pieces of all intermediate values again and adds the
//! pieces of the adjoints to those of the leaves.
//!
//! ```text
//! c = (a + b) * x.exp()      for each piece: load a, b, x; add, exp, multiply; store c
//! sweep of it                for each piece: load a, b, x, r_b; add, exp; the adjoints; add to a_b, b_b, x_b
//! ```
//!
//! The loop is the one that would be written by hand, and the compiler makes vectors of it, of the width that
//! the machine has ([`PieceKind::run`]). It runs in blocks of [`BLOCK`] pieces: for each block the places of all values
//! are looked up once, and adjoints are gathered in arrays that nothing else can overlap, before they are added.
//!
//! An operation takes part in this if its rule says so ([`Rule::PIECES`]); others get their arguments as a whole,
//! and their results are cut into pieces. Numbers beside arrays are their own piece. A number that is made of all pieces, a
//! sum or a norm, is folded from them as they come ([`Rule::FOLDS`]).
use super::{Adjoint, Arg, Kind, Policy, Val};
use crate::{
    expr::{Applied, AtHand, Made, Pieces, PiecesReplay, Produce, Replay, Stored, at_hand},
    rule::Rule,
};
use std::{array::from_fn, fmt::Debug};

/// The most pieces of a block. Small blocks look values up too often, large ones leave the first cache.
pub const BLOCK: usize = 128;
/// Where a block lies: `length` pieces from the one with index `start`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// Index of the first piece.
    pub start: usize,
    /// How many pieces there are, at most [`BLOCK`].
    pub length: usize,
}
impl At {
    /// The part of a slice that lies in the block; an element of it at an index below `length` is there for sure, as
    /// far as the compiler is concerned, too.
    ///
    /// # Panics
    /// If the slice ends before.
    #[inline(always)]
    pub fn of<T>(self, slice: &[T]) -> &[T] {
        &slice[self.start..][..self.length]
    }
    /// The part of a slice that lies in the block, likewise.
    ///
    /// # Panics
    /// If the slice ends before.
    #[inline(always)]
    pub fn of_mut<T>(self, slice: &mut [T]) -> &mut [T] {
        &mut slice[self.start..][..self.length]
    }
}
/// The blocks of `count` pieces, in order.
#[inline(always)]
pub fn blocks(count: usize, mut visit: impl FnMut(At)) {
    let mut start = 0;
    while start < count {
        let length = BLOCK.min(count - start);
        visit(At { start, length });
        start += length;
    }
}

/// The shape of the values of a kind that is evaluated by pieces; `()` for others.
pub type Shape<K> = <<K as Kind>::Form as Form<K>>::Shape;
/// What pieces of a value of kind `K` are read from.
pub type View<'v, K> = <<K as Kind>::Form as Form<K>>::View<'v>;
/// A piece of a value of kind `K`; all of it if the kind is evaluated by value.
pub type Piece<K> = <<K as Kind>::Form as Form<K>>::Piece;
/// A block of pieces of an adjoint of kind `K`.
pub type Block<K> = <<K as Kind>::Form as Form<K>>::Block;

/// Keeps others from implementing [`Form`].
pub(super) mod sealed {
    pub trait Form {}
    impl Form for super::ByValue {}
    impl Form for super::ByPieces {}
    impl Form for crate::kind::IntoDestination {}
}

/// How expressions of kind `K` are evaluated: [`ByValue`], [`ByPieces`] or
/// [`IntoDestination`](super::IntoDestination).
///
/// There are no other forms: what a sweep rebuilds from the tape is trusted to look at the values on it no longer than it says.
pub trait Form<K: Kind>: sealed::Form + 'static {
    /// What must agree between the values of one elementwise operation.
    type Shape: Copy + Debug + PartialEq + 'static;
    /// A piece of a value.
    type Piece: Clone + 'static;
    /// The shape of a value.
    fn shape(value: &Val<K>) -> Self::Shape;
    /// What pieces are read from.
    type View<'v>: Clone;
    /// A value as what pieces are read from; without a value nothing is.
    fn view<'v>(value: Option<Arg<'v, K>>) -> Self::View<'v>;
    /// The shape of what is seen.
    fn view_shape(view: &Self::View<'_>) -> Self::Shape;
    /// The part of a view that lies in a block.
    fn within<'v>(view: &Self::View<'v>, block: At) -> Self::View<'v>;
    /// A piece of a value, `i` from the beginning of the view.
    fn piece(view: &Self::View<'_>, i: usize) -> Self::Piece;
    /// Makes an adjoint ready to take pieces.
    fn open(adjoint: &mut K::Adjoint, shape: Self::Shape);
    /// Adjoints of the pieces of a block, before they are added to the adjoint of a value.
    type Block: Default;
    /// Puts the piece with index `i` of a block into it.
    fn put(block: &mut Self::Block, i: usize, piece: Self::Piece);
    /// Adds what was put into a block, which lies at `at`, to an adjoint that is ready.
    fn add_block(adjoint: &mut K::Adjoint, at: At, block: &mut Self::Block);
    /// Runs a loop over pieces.
    #[inline(always)]
    fn run(run: impl Run) {
        run.run();
    }
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

/// What the pieces of a block give a number that stands beside arrays. They are summed up afterwards: a sum within the
/// loop over the pieces would keep the compiler from making vectors of it, as the order of its terms matters.
pub struct Each<K: Kind>([K::Adjoint; BLOCK]);
impl<K: Kind> Default for Each<K> {
    #[inline(always)]
    fn default() -> Self {
        Each(from_fn(|_| K::Adjoint::default()))
    }
}
/// Sums that run side by side.
const SUMS: usize = 8;

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
    fn view_shape(_: &Option<Arg<'_, K>>) {}
    #[inline(always)]
    fn within<'v>(view: &Option<Arg<'v, K>>, _: At) -> Option<Arg<'v, K>> {
        view.clone()
    }
    #[inline(always)]
    fn piece(view: &Option<Arg<'_, K>>, _: usize) -> Self::Piece {
        K::Policy::value(at_hand(view.as_ref())).clone()
    }
    #[inline(always)]
    fn open(_: &mut K::Adjoint, (): ()) {}
    type Block = Each<K>;
    #[inline(always)]
    fn put(block: &mut Each<K>, i: usize, piece: Val<K>) {
        let mut sum = K::Adjoint::default();
        sum.add(piece);
        block.0[i] = sum;
    }
    #[inline(always)]
    fn add_block(adjoint: &mut K::Adjoint, at: At, block: &mut Each<K>) {
        let mut sums: [K::Adjoint; SUMS] = from_fn(|_| K::Adjoint::default());
        for some in block.0[..at.length].chunks_mut(SUMS) {
            for (sum, x) in sums.iter_mut().zip(some) {
                if let Some(x) = std::mem::take(x).into_value() {
                    sum.add(x);
                }
            }
        }
        for sum in sums.into_iter().filter_map(K::Adjoint::into_value) {
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
        if O::FOLDS {
            let (r, saved) = op.fold(&a.pieces(), &b.pieces(), &c.pieces());
            return (Made(r), saved);
        }
        let (a, b, c) = (a.ready(), b.ready(), c.ready());
        let (r, saved) = op.primal(a.arg(), b.arg(), c.arg());
        a.done();
        b.done();
        c.done();
        (Made(r), saved)
    }
    type Replay<O: Rule<A::Kind, B::Kind, C::Kind, Out = K>, A: Stored, B: Stored, C: Stored> =
        Replay<O, A, B, C>;
}

/// Elementwise operations are evaluated together, piece by piece; the kind says what a piece is
/// ([`PieceKind`]).
#[derive(Clone, Copy, Debug)]
pub struct ByPieces;
/// A kind that is evaluated [`ByPieces`]. Its functions on pieces and blocks are to be `#[inline(always)]`.
pub trait PieceKind: Kind<Form = ByPieces> {
    /// Length, or rows and columns.
    type Shape: Copy + Debug + PartialEq + 'static;
    /// A piece of a value: one number, of which the compiler makes vectors.
    type Piece: Copy + 'static;
    /// The shape of a value.
    fn shape(value: &Val<Self>) -> Self::Shape;
    /// How many pieces a value of this shape has.
    fn count(shape: Self::Shape) -> usize;
    /// What pieces are read from: a slice of numbers, by default an empty one.
    type View<'v>: Clone + Default;
    /// A value as what pieces are read from.
    fn view<'v>(value: Arg<'v, Self>) -> Self::View<'v>;
    /// The shape of what is seen.
    fn view_shape(view: &Self::View<'_>) -> Self::Shape;
    /// The part of a view that lies in a block ([`At::of`]).
    fn within<'v>(view: &Self::View<'v>, block: At) -> Self::View<'v>;
    /// Reads the piece that lies `i` from the beginning of the view.
    fn piece(view: &Self::View<'_>, i: usize) -> Self::Piece;
    /// Makes an adjoint ready to take pieces: a zero of this shape, if nothing was added to it.
    fn open(adjoint: &mut Self::Adjoint, shape: Self::Shape);
    /// A block of pieces of an adjoint, an array; what it holds at first doesn't matter. They are gathered before they are added, as slices of one adjoint may
    /// overlap, and a processor waits where it reads what it has just written in other pieces.
    type Block: Default;
    /// Puts the piece with index `i` of a block into it.
    fn put(block: &mut Self::Block, i: usize, piece: Self::Piece);
    /// Adds a block, which lies at `at`, to an adjoint that is ready.
    fn add_block(adjoint: &mut Self::Adjoint, at: At, block: &Self::Block);
    /// Makes a value of its pieces.
    fn collect(shape: Self::Shape, pieces: &impl Pieces<Self>) -> Val<Self>;
    /// Runs a loop over pieces; here is the place to choose the instruction set.
    #[inline]
    fn run(run: impl Run) {
        run.run();
    }
}
/// A loop over pieces: a closure whose body is inlined for certain.
pub trait Run {
    /// Runs the loop.
    fn run(self);
}
impl<K: PieceKind> Form<K> for ByPieces {
    type Shape = K::Shape;
    type Piece = K::Piece;
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
    fn view_shape(view: &Self::View<'_>) -> K::Shape {
        <K as PieceKind>::view_shape(view)
    }
    #[inline(always)]
    fn within<'v>(view: &Self::View<'v>, block: At) -> Self::View<'v> {
        <K as PieceKind>::within(view, block)
    }
    #[inline(always)]
    fn piece(view: &Self::View<'_>, i: usize) -> Self::Piece {
        <K as PieceKind>::piece(view, i)
    }
    #[inline(always)]
    fn open(adjoint: &mut K::Adjoint, shape: K::Shape) {
        <K as PieceKind>::open(adjoint, shape);
    }
    type Block = K::Block;
    #[inline(always)]
    fn put(block: &mut K::Block, i: usize, piece: K::Piece) {
        <K as PieceKind>::put(block, i, piece);
    }
    #[inline(always)]
    fn add_block(adjoint: &mut K::Adjoint, at: At, block: &mut K::Block) {
        <K as PieceKind>::add_block(adjoint, at, block);
    }
    #[inline(always)]
    fn run(run: impl Run) {
        <K as PieceKind>::run(run);
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
