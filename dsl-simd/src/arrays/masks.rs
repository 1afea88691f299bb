//! Masks, and predicates on elements of arrays or masks.
use super::kinds::{ArrayKind, Extent, common};
use crate::LaneNumber;
use entape_core::{
    eval::ByPieces,
    kind,
    kind::{Arg, At, Incoming, Kind, Layout, Piece, Pieces, Shape},
    rule::{
        ArgumentTangent, Order, PiecePrimals, PieceRule, PieceSinks, Primals, PullPieces, Rule,
        Sinks,
    },
    store::Stash,
};
use std::marker::PhantomData;

/// The kind of masks, passive truth values for the elements of an array of `T`.
#[kind(
    value = Vec<bool>,
    index = Owned,
    layout = MaskLayout,
    zero = |like| vec![false; like.len()],
    add = |_, _| {},
    name = "mask",
)]
pub struct MaskKind<T: LaneNumber>(PhantomData<T>);
entape_core::debug_by_name! { [T: LaneNumber] MaskKind<T> }

/// One truth value after the other.
#[derive(Clone, Copy, Debug)]
pub struct MaskLayout;
impl<T: LaneNumber> Layout<MaskKind<T>> for MaskLayout {
    type Shape = usize;
    type Piece = bool;
    type View<'v> = &'v [bool];
    #[inline(always)]
    fn shape(value: &Vec<bool>) -> usize {
        value.len()
    }
    #[inline(always)]
    fn count(length: usize) -> usize {
        length
    }
    #[inline(always)]
    fn view<'v>(value: Arg<'v, MaskKind<T>>) -> &'v [bool] {
        value
    }
    #[inline(always)]
    fn view_shape(view: &&[bool]) -> usize {
        view.len()
    }
    #[inline(always)]
    fn within<'v>(view: &Self::View<'v>, block: At) -> Self::View<'v> {
        block.of(view)
    }
    #[inline(always)]
    fn piece(view: &&[bool], i: usize) -> bool {
        view[i]
    }
    fn open(_: &mut Option<Vec<bool>>, _: usize) {}
    type Block = ();
    #[inline(always)]
    fn put((): &mut (), _: usize, _: bool) {}
    fn add_block(_: &mut Option<Vec<bool>>, _: At, (): &mut ()) {}
    fn collect(length: usize, pieces: &impl Pieces<MaskKind<T>>) -> Vec<bool> {
        (0..length).map(|i| pieces.at(i)).collect()
    }
}

/// A predicate on an element, or on a pair of elements.
pub trait Predicate<P, Q = ()>: Copy + 'static {
    /// Whether the predicate holds.
    fn holds(p: P, q: Q) -> bool;
}
/// The mask of the elements for which a predicate holds.
#[derive(Clone, Copy, Debug, Stash)]
pub struct Where<P>(PhantomData<P>);
impl<P> Where<P> {
    pub(super) const NEW: Self = Where(PhantomData);
}
/// Arrays and masks.
pub trait Maskable: Kind<Layout: Layout<Self, Shape = usize>> {
    /// The numbers of the array that the mask belongs to.
    type Number: LaneNumber;
}
impl<T: LaneNumber> Maskable for ArrayKind<T> {
    type Number = T;
}
impl<T: LaneNumber> Maskable for MaskKind<T> {
    type Number = T;
}
impl<A, B, P> Rule<A, B> for Where<P>
where
    A: Maskable,
    B: Kind<Layout: Layout<B, Shape: Extent>>,
    P: Predicate<Piece<A>, Piece<B>>,
{
    type Out = MaskKind<A::Number>;
    type Saved = ();
    type Evaluation = ByPieces;
    const READS: [u8; 3] = [0; 3];
    const FLOWS: [bool; 3] = [false; 3];
    fn primal<'p>(&self, a: Arg<'p, A>, b: Arg<'p, B>, (): ()) -> (Vec<bool>, ()) {
        let (a, b) = (A::Layout::view(a), B::Layout::view(b));
        let (n, m) = (A::Layout::view_shape(&a), B::Layout::view_shape(&b));
        let (length, ()) = PieceRule::<A, B>::begin(self, n, m, ());
        let at = |i| P::holds(A::Layout::piece(&a, i), B::Layout::piece(&b, i));
        ((0..length).map(at).collect(), ())
    }
    fn adjoint(
        &self,
        _: Primals<'_, A, B, (), Self::Out>,
        (): &(),
        _: Incoming<'_, Self::Out>,
        _: impl Sinks<A, B>,
    ) {
    }
    const ORDER: Order = Order::Second;
    fn tangent(
        &self,
        _: Primals<'_, A, B, (), Self::Out>,
        (): &(),
        _: ArgumentTangent<'_, A, B>,
    ) -> Option<Vec<bool>> {
        None
    }
}
impl<A, B, P> PullPieces<A, B> for Where<P>
where
    A: Maskable,
    B: Kind<Layout: Layout<B, Shape: Extent>>,
    P: Predicate<Piece<A>, Piece<B>>,
{
    fn pull(&self, _: &PiecePrimals<A, B, (), Self::Out>, _: bool, _: &mut impl PieceSinks<A, B>) {}
}
impl<A, B, P> PieceRule<A, B> for Where<P>
where
    A: Maskable,
    B: Kind<Layout: Layout<B, Shape: Extent>>,
    P: Predicate<Piece<A>, Piece<B>>,
{
    fn begin(&self, a: usize, b: Shape<B>, (): ()) -> (usize, ()) {
        (common::<P, 2>([a, b.length(a)]), ())
    }
    fn spread(&self, r: usize) -> (usize, Shape<B>, ()) {
        (r, Extent::of(r), ())
    }
    #[inline(always)]
    fn piece(&self, a: Piece<A>, b: Piece<B>, (): ()) -> bool {
        P::holds(a, b)
    }
}
