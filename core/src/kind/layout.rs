//! The layout of the values of a kind: one whole, or pieces for a loop.
//!
//! Values of most kinds are [one piece](super::OnePiece): a number, a complex number, a vector in a register. The values of
//! arrays are long sequences of numbers, and a piece is one number. A tree of elementwise operations is evaluated for one piece
//! before the next piece, so that a statement is one loop without temporaries ([`ByPieces`](crate::eval::ByPieces)). A sweep
//! works in the same way: it recomputes the pieces of all intermediate values and adds the pieces of the adjoints to the
//! leaves.
//!
//! ```text
//! c = (a + b) * x.exp()      for each piece: load a, b, x; add, exp, multiply; store c
//! sweep of it                for each piece: load a, b, x, r_b; add, exp; the adjoints; add to a_b, b_b, x_b
//! ```
//!
//! The loop is the one that would be written by hand, and the compiler vectorises it for the instructions of the
//! machine ([`Layout::run`]). It runs in blocks of [`BLOCK`] pieces: for each block the positions of all values are
//! looked up once, and adjoints are gathered in arrays that cannot overlap with other memory, before they are added.
use super::{
    definition::{Arg, Kind, Val},
    index::Policy,
    pieces::Pieces,
};
use crate::machine::PieceLoop;
use std::fmt::Debug;

/// The largest number of pieces of a block. In small blocks values are looked up too often; large ones do not fit into
/// the first-level cache.
pub const BLOCK: usize = 128;
/// The position of a block: `length` pieces from index `start` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// Index of the first piece.
    pub start: usize,
    /// The number of pieces, at most [`BLOCK`].
    pub length: usize,
}
impl At {
    /// Returns the part of a slice within the block. The compiler knows that an index below `length` is within it.
    ///
    /// # Panics
    /// If the slice ends earlier.
    #[inline(always)]
    pub fn of<T>(self, slice: &[T]) -> &[T] {
        &slice[self.start..][..self.length]
    }
    /// Returns the part of a mutable slice within the block.
    ///
    /// # Panics
    /// If the slice ends earlier.
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
/// Returns the shape of a value received by a rule.
#[inline(always)]
pub(crate) fn shape_of<K: Kind>(value: &Arg<'_, K>) -> Shape<K> {
    K::Layout::shape(K::Policy::value(value))
}
/// The type from which pieces of a value of kind `K` are read.
pub type PieceView<'v, K> = <<K as Kind>::Layout as Layout<K>>::View<'v>;
/// A piece of a value of kind `K`.
pub type Piece<K> = <<K as Kind>::Layout as Layout<K>>::Piece;
/// A block of pieces of an adjoint of kind `K`.
pub type PieceBlock<K> = <<K as Kind>::Layout as Layout<K>>::Block;

/// The layout of values of kind `K`: [`OnePiece`](super::OnePiece), [`Shaped`](super::Shaped), or a type of the DSL,
/// whose functions on pieces and blocks should be `#[inline(always)]`.
pub trait Layout<K: Kind>: 'static {
    /// The property on which the values of one elementwise operation must agree: a length, or rows and columns.
    type Shape: Copy + Debug + PartialEq + 'static;
    /// A piece of a value: one number, for which the compiler uses vectors.
    type Piece: Clone + 'static;
    /// The type from which pieces are read: a slice of numbers. The default is used for a missing value.
    type View<'v>: Clone + Default;
    /// The adjoints of the pieces of a block, initially with unspecified contents. They are gathered before they are
    /// added to an adjoint: slices of one adjoint may overlap, and reading recently written data in other pieces stalls
    /// a processor.
    type Block: Default;
    /// Whether values are vectors of `f64` whose elements are the pieces. Sweeps along directions process operations on them as
    /// data.
    #[doc(hidden)]
    const NUMBERS: bool = false;
    /// Whether creating a block is so cheap that it need not be kept for the next statement.
    const FRESH: bool = false;
    /// Returns the shape of a value.
    fn shape(value: &Val<K>) -> Self::Shape;
    /// Returns the number of pieces of a value of this shape.
    fn count(shape: Self::Shape) -> usize;
    /// Returns a value as the view from which pieces are read.
    fn view<'v>(value: Arg<'v, K>) -> Self::View<'v>;
    /// Returns the shape of the viewed value.
    fn view_shape(view: &Self::View<'_>) -> Self::Shape;
    /// Returns the part of a view within a block ([`At::of`]).
    fn within<'v>(view: &Self::View<'v>, block: At) -> Self::View<'v>;
    /// Reads the piece with index `i` from the beginning of the view.
    fn piece(view: &Self::View<'_>, i: usize) -> Self::Piece;
    /// Constructs a value from its pieces.
    fn collect(shape: Self::Shape, pieces: &impl Pieces<K>) -> Val<K>;
    /// Prepares an adjoint for adding pieces: makes it a zero of this shape if nothing was added to it.
    fn open(adjoint: &mut K::Adjoint, shape: Self::Shape);
    /// Returns [`Kind::computed`] of a piece. The pieces that an operation receives from the adjoint of a
    /// [reduction](crate::eval::Reduction) are computed; elementwise operations pass on the pieces that they receive.
    #[inline(always)]
    fn computed(piece: Self::Piece) -> Self::Piece {
        piece
    }
    /// Stores the piece with index `i` of a block.
    fn put(block: &mut Self::Block, i: usize, piece: Self::Piece);
    /// Adds a block at position `at` to a prepared adjoint.
    fn add_block(adjoint: &mut K::Adjoint, at: At, block: &mut Self::Block);
    /// Runs a loop over pieces. A DSL chooses the instruction set here.
    #[inline(always)]
    fn run(run: impl PieceLoop) {
        run.run();
    }
}
