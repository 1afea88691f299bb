//! Values that are one piece.
use super::{
    adjoint::Adjoint,
    definition::{Arg, Kind, Val},
    index::Policy,
    layout::{At, BLOCK, Layout},
    pieces::{Pieces, loaded},
};
use std::{array::from_fn, fmt::Debug};

/// Contributions of a block to a number beside arrays, added after the loop: a sum would prevent its vectorisation.
pub struct BlockSums<K: Kind>([K::Adjoint; BLOCK]);
debug_by_name! { [K: Kind] BlockSums<K> }
impl<K: Kind> Default for BlockSums<K> {
    #[inline(always)]
    fn default() -> Self {
        BlockSums(from_fn(|_| K::Adjoint::unset()))
    }
}
impl<K: Kind> BlockSums<K> {
    const SUMS: usize = 8;

    #[inline(always)]
    fn put(&mut self, i: usize, piece: Val<K>) {
        self.0[i] = K::Adjoint::from_passed(piece);
    }
    #[inline(always)]
    fn add_to(&mut self, adjoint: &mut K::Adjoint, length: usize) {
        let mut sums: [K::Adjoint; 8] = from_fn(|_| K::Adjoint::unset());
        for some in self.0[..length].chunks_mut(Self::SUMS) {
            for (sum, x) in sums.iter_mut().zip(some) {
                sum.merge(x.take());
            }
        }
        sums.into_iter().for_each(|sum| adjoint.merge(sum));
    }
}

/// The layout of values that are one piece without a shape.
#[derive(Clone, Copy, Debug)]
pub struct OnePiece;
/// The layout of values that are one piece with a shape, such as matrices.
#[derive(Clone, Copy, Debug)]
pub struct Shaped;

macro_rules! one_piece {
    ($Layout:ident [$Bound:path] $Shape:ty, $shape:expr) => {
        impl<K: $Bound> Layout<K> for $Layout {
            type Shape = $Shape;
            type Piece = Val<K>;
            type View<'v> = Option<Arg<'v, K>>;
            type Block = BlockSums<K>;
            const FRESH: bool = size_of::<BlockSums<K>>() == 0;
            #[inline(always)]
            fn shape(value: &Val<K>) -> Self::Shape {
                $shape(value)
            }
            #[inline(always)]
            fn count(_: Self::Shape) -> usize {
                1
            }
            #[inline(always)]
            fn view<'v>(value: Arg<'v, K>) -> Option<Arg<'v, K>> {
                Some(value)
            }
            #[inline(always)]
            fn view_shape(view: &Option<Arg<'_, K>>) -> Self::Shape {
                $shape(K::Policy::value(loaded(view.as_ref())))
            }
            #[inline(always)]
            fn within<'v>(view: &Option<Arg<'v, K>>, _: At) -> Option<Arg<'v, K>> {
                view.clone()
            }
            #[inline(always)]
            fn piece(view: &Option<Arg<'_, K>>, _: usize) -> Val<K> {
                K::Policy::value(loaded(view.as_ref())).clone()
            }
            #[inline(always)]
            fn collect(_: Self::Shape, pieces: &impl Pieces<K>) -> Val<K> {
                pieces.at(0)
            }
            #[inline(always)]
            fn open(_: &mut K::Adjoint, _: Self::Shape) {}
            #[inline(always)]
            fn computed(piece: Val<K>) -> Val<K> {
                K::computed(piece)
            }
            #[inline(always)]
            fn put(block: &mut BlockSums<K>, i: usize, piece: Val<K>) {
                block.put(i, piece);
            }
            #[inline(always)]
            fn add_block(adjoint: &mut K::Adjoint, at: At, block: &mut BlockSums<K>) {
                block.add_to(adjoint, at.length);
            }
        }
    };
}
one_piece! { OnePiece [Kind<Layout = OnePiece>] (), |_: &Val<K>| () }
one_piece! { Shaped [DestinationKind] K::Shape, <K as DestinationKind>::shape }

/// A kind whose sums are evaluated into their destination.
pub trait DestinationKind: Kind<Layout = Shaped> {
    /// Length, or rows and columns.
    type Shape: Copy + Debug + PartialEq + 'static;
    /// The factor of a term.
    type Factor: Copy;
    /// The neutral factor.
    const ONE: Self::Factor;
    /// Returns the product of factors.
    fn times(a: Self::Factor, b: Self::Factor) -> Self::Factor;
    /// Returns the shape of a value.
    fn shape(value: &Val<Self>) -> Self::Shape;
    /// Returns a value with unspecified numbers to be overwritten.
    fn fresh(shape: Self::Shape) -> Val<Self>;
    /// Returns the [extent](super::Memory::extent) of values of this shape.
    fn extent_of(shape: Self::Shape) -> usize {
        let _ = shape;
        0
    }
    /// Sets `to = factor * term` for the first term, and adds the others.
    fn put(to: &mut Val<Self>, first: bool, factor: Self::Factor, term: &Val<Self>);
}
