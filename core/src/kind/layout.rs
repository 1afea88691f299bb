//! The layout of values.
//!
//! Values of most kinds are [one piece](super::OnePiece); in arrays each number is a piece. A tree of elementwise
//! operations is evaluated and swept in one loop over pieces, without temporaries
//! ([`ByPieces`](crate::eval::ByPieces)).
//!
//! ```text
//! c = (a + b) * x.exp()      for each piece: load a, b, x; add, exp, multiply; store c
//! sweep of it                for each piece: load a, b, x, r_b; add, exp; the adjoints; add to a_b, b_b, x_b
//! ```
//!
//! The compiler vectorises this loop ([`Layout::run`]) over blocks of [`BLOCK`] pieces. Values are looked up once per
//! block, and adjoints are gathered in arrays that overlap no other memory.
use super::{
    definition::{Arg, Kind, Val},
    index::Policy,
    pieces::Pieces,
};
use crate::machine::PieceLoop;
use std::fmt::Debug;

/// The largest number of pieces of a block. Small blocks fit into the first-level cache.
pub const BLOCK: usize = 128;
/// A block: `length` pieces from index `start` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// Index of the first piece.
    pub start: usize,
    /// At most [`BLOCK`].
    pub length: usize,
}
impl At {
    /// Returns the part of a slice within the block.
    ///
    /// # Panics
    /// If the slice ends earlier.
    #[inline(always)]
    pub fn of<T>(self, slice: &[T]) -> &[T] {
        &slice[self.start..][..self.length]
    }
    /// Like [`of`](Self::of), of a mutable slice.
    #[inline(always)]
    pub fn of_mut<T>(self, slice: &mut [T]) -> &mut [T] {
        &mut slice[self.start..][..self.length]
    }
}
/// Visits the blocks of `count` pieces, in order.
#[inline(always)]
pub fn blocks(count: usize, mut visit: impl FnMut(At)) {
    let mut start = 0;
    while start < count {
        let length = BLOCK.min(count - start);
        visit(At { start, length });
        start += length;
    }
}

/// The shape of the values of a kind; `()` for values of one piece.
pub type Shape<K> = <<K as Kind>::Layout as Layout<K>>::Shape;
#[inline(always)]
pub(crate) fn shape_of<K: Kind>(value: &Arg<'_, K>) -> Shape<K> {
    K::Layout::shape(K::Policy::value(value))
}
/// The view from which pieces of a value are read.
pub type PieceView<'v, K> = <<K as Kind>::Layout as Layout<K>>::View<'v>;
/// A piece of a value of kind `K`.
pub type Piece<K> = <<K as Kind>::Layout as Layout<K>>::Piece;
/// The adjoints of a block of pieces.
pub type PieceBlock<K> = <<K as Kind>::Layout as Layout<K>>::Block;

/// The layout of values of kind `K`. Functions on pieces and blocks should be `#[inline(always)]`.
pub trait Layout<K: Kind>: 'static {
    /// The common property of the values of an elementwise operation, such as a length.
    type Shape: Copy + Debug + PartialEq + 'static;
    /// One number, for which the compiler uses vectors.
    type Piece: Clone + 'static;
    /// The view from which pieces are read, such as a slice. The default is used for a missing value.
    type View<'v>: Clone + Default;
    /// The adjoints of a block, initially unspecified. They are gathered because slices of one adjoint may overlap, and
    /// reading recent writes to other pieces stalls.
    type Block: Default;
    /// See [`Kind::NUMBERS`].
    #[doc(hidden)]
    const NUMBERS: bool = false;
    /// Whether creating a block is cheaper than reusing one.
    const FRESH: bool = false;
    /// Returns the shape of a value.
    fn shape(value: &Val<K>) -> Self::Shape;
    /// Returns the number of pieces.
    fn count(shape: Self::Shape) -> usize;
    /// Returns the view of a value.
    fn view<'v>(value: Arg<'v, K>) -> Self::View<'v>;
    /// Returns the shape of the viewed value.
    fn view_shape(view: &Self::View<'_>) -> Self::Shape;
    /// Returns the part of a view within a block.
    fn within<'v>(view: &Self::View<'v>, block: At) -> Self::View<'v>;
    /// Reads piece `i` of the view.
    fn piece(view: &Self::View<'_>, i: usize) -> Self::Piece;
    /// Constructs a value from its pieces.
    fn collect(shape: Self::Shape, pieces: &impl Pieces<K>) -> Val<K>;
    /// Turns an unset adjoint into a zero of this shape.
    fn open(adjoint: &mut K::Adjoint, shape: Self::Shape);
    /// Returns [`Kind::computed`] of a piece that comes from the adjoint of a [reduction](crate::eval::Reduction).
    #[inline(always)]
    fn computed(piece: Self::Piece) -> Self::Piece {
        piece
    }
    /// Stores piece `i` of a block.
    fn put(block: &mut Self::Block, i: usize, piece: Self::Piece);
    /// Adds a block to an open adjoint.
    fn add_block(adjoint: &mut K::Adjoint, at: At, block: &mut Self::Block);
    /// Runs a loop over pieces with a chosen instruction set.
    #[inline(always)]
    fn run(run: impl PieceLoop) {
        run.run();
    }
}
