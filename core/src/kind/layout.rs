//! How the values of a kind are laid out: as one whole, or as pieces that a loop goes through.
//!
//! Values of most kinds are [one piece](super::OnePiece): a number, a complex number, a vector in a register. The values of arrays are long runs of
//! numbers, and a piece is one number: what a tree of elementwise operations makes of one piece is computed before the next piece,
//! so that a statement is one loop without temporaries ([`ByPieces`](crate::eval::ByPieces)). A sweep does the same: it computes the
//! pieces of all intermediate values again and adds the pieces of the adjoints to those of the leaves.
//!
//! ```text
//! c = (a + b) * x.exp()      for each piece: load a, b, x; add, exp, multiply; store c
//! sweep of it                for each piece: load a, b, x, r_b; add, exp; the adjoints; add to a_b, b_b, x_b
//! ```
//!
//! The loop is the one that would be written by hand, and the compiler makes vectors of it, of the width that
//! the machine has ([`Layout::run`]). It runs in blocks of [`BLOCK`] pieces: for each block the places of all values
//! are looked up once, and adjoints are gathered in arrays that nothing else can overlap, before they are added.
use super::{
    definition::{Arg, Kind, Val},
    index::Policy,
    pieces::Pieces,
};
use crate::machine::PieceLoop;
use std::fmt::Debug;

/// The most pieces of a block. Values are looked up too often in small blocks; large ones do not fit into the first
/// cache.
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
    /// The part of a slice that lies in the block. The compiler knows that an index below `length` is within it.
    ///
    /// # Panics
    /// If the slice ends before.
    #[inline(always)]
    pub fn of<T>(self, slice: &[T]) -> &[T] {
        &slice[self.start..][..self.length]
    }
    /// The part of a mutable slice that lies in the block, likewise.
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

/// The shape of the values of a kind; `()` for those that are one piece.
pub type Shape<K> = <<K as Kind>::Layout as Layout<K>>::Shape;
/// The shape of a value as a rule receives it.
#[inline(always)]
pub(crate) fn shape_of<K: Kind>(value: &Arg<'_, K>) -> Shape<K> {
    K::Layout::shape(K::Policy::value(value))
}
/// The type that pieces of a value of kind `K` are read from.
pub type PieceView<'v, K> = <<K as Kind>::Layout as Layout<K>>::View<'v>;
/// A piece of a value of kind `K`.
pub type Piece<K> = <<K as Kind>::Layout as Layout<K>>::Piece;
/// A block of pieces of an adjoint of kind `K`.
pub type PieceBlock<K> = <<K as Kind>::Layout as Layout<K>>::Block;

/// How values of kind `K` are laid out: [`OnePiece`](super::OnePiece), [`Shaped`](super::Shaped), or a type of the DSL,
/// whose functions on pieces and blocks should be `#[inline(always)]`.
pub trait Layout<K: Kind>: 'static {
    /// What must agree between the values of one elementwise operation: a length, or rows and columns.
    type Shape: Copy + Debug + PartialEq + 'static;
    /// A piece of a value: one number, of which the compiler makes vectors.
    type Piece: Clone + 'static;
    /// The type that pieces are read from: a slice of numbers. The default value stands for no value.
    type View<'v>: Clone + Default;
    /// The adjoints of the pieces of a block, with unspecified contents at first. They are gathered before they are
    /// added to an adjoint: slices of one adjoint may overlap, and a processor waits when it reads what it has just
    /// written in other pieces.
    type Block: Default;
    /// Whether values are vectors of `f64`, whose elements are the pieces. Sweeps along directions know operations on them as data.
    #[doc(hidden)]
    const NUMBERS: bool = false;
    /// Whether to make a block takes next to no time, so that it need not be kept for the next statement.
    const FRESH: bool = false;
    /// The shape of a value.
    fn shape(value: &Val<K>) -> Self::Shape;
    /// How many pieces a value of this shape has.
    fn count(shape: Self::Shape) -> usize;
    /// A value as the view that pieces are read from.
    fn view<'v>(value: Arg<'v, K>) -> Self::View<'v>;
    /// The shape of the value that is viewed.
    fn view_shape(view: &Self::View<'_>) -> Self::Shape;
    /// The part of a view that lies in a block ([`At::of`]).
    fn within<'v>(view: &Self::View<'v>, block: At) -> Self::View<'v>;
    /// Reads the piece with index `i` from the beginning of the view.
    fn piece(view: &Self::View<'_>, i: usize) -> Self::Piece;
    /// Makes a value from its pieces.
    fn collect(shape: Self::Shape, pieces: &impl Pieces<K>) -> Val<K>;
    /// Prepares an adjoint for adding pieces: makes it a zero of this shape if nothing was added to it.
    fn open(adjoint: &mut K::Adjoint, shape: Self::Shape);
    /// [`Kind::computed`] of a piece. The pieces that an operation gets of the adjoint of a [reduction](crate::eval::Reduction) are
    /// computed; elementwise operations pass on what they get.
    #[inline(always)]
    fn computed(piece: Self::Piece) -> Self::Piece {
        piece
    }
    /// Stores the piece with index `i` of a block.
    fn put(block: &mut Self::Block, i: usize, piece: Self::Piece);
    /// Adds a block, which lies at `at`, to an adjoint that is prepared.
    fn add_block(adjoint: &mut K::Adjoint, at: At, block: &mut Self::Block);
    /// Runs a loop over pieces. A DSL chooses the instruction set here.
    #[inline(always)]
    fn run(run: impl PieceLoop) {
        run.run();
    }
}
