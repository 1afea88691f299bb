//! How elementary functions are evaluated, which each kind chooses.
use super::definition::{Broadcast, ElementKind, Elementwise};
use crate::{
    eval::{ByPieces, Whole},
    kind::{Arg, Computed, Kind, Layout, OnePiece, Val, arg, index::Linear, shape_of},
    rule::{Evaluation, PieceRule},
};

/// How elementary functions of kind `K` are evaluated, in expressions and on whole values. A type of
/// [`eval`](crate::eval) implements it.
pub trait ElementEvaluation<K: ElementKind> {
    /// The evaluation of an elementary function.
    type Of<O: PieceRule<A, B, C, Out = K>, A: Kind, B: Kind, C: Kind>: Evaluation<O, A, B, C>;
    /// Applies a function to whole values.
    #[track_caller]
    fn map<const N: usize, O: Elementwise<N>>(op: &O, x: [Arg<'_, K>; N]) -> Val<K>;
    /// The adjoint of argument `i` as a whole value.
    fn pull<'x, const N: usize, O: Elementwise<N>>(
        op: &O,
        i: usize,
        x: [Option<Arg<'x, K>>; N],
        r: Option<Arg<'x, K>>,
        r_b: Arg<'x, K>,
    ) -> Val<K>;
    /// A value with the shape of `like` that has a number in every piece.
    fn broadcast<S: Kind>(x: Val<S>, like: Arg<'_, K>) -> Val<K>
    where
        K: Broadcast<S>;
    /// What the pieces of an adjoint add to that of such a number.
    fn sum<S: Kind<Value: Default>>(x: Val<K>) -> Val<S>
    where
        K: Broadcast<S>;
}

/// The value is a single piece.
impl<K: ElementKind<Layout = OnePiece, Policy = Linear>> ElementEvaluation<K> for Whole {
    type Of<O: PieceRule<A, B, C, Out = K>, A: Kind, B: Kind, C: Kind> = Whole;
    #[inline(always)]
    fn map<const N: usize, O: Elementwise<N>>(op: &O, x: [Val<K>; N]) -> Val<K> {
        K::map(op, x)
    }
    #[inline(always)]
    fn pull<const N: usize, O: Elementwise<N>>(
        op: &O,
        i: usize,
        x: [Option<Val<K>>; N],
        r: Option<Val<K>>,
        r_b: Val<K>,
    ) -> Val<K> {
        K::pull(op, i, x, r, r_b)
    }
    #[inline(always)]
    fn broadcast<S: Kind>(x: Val<S>, _: Val<K>) -> Val<K>
    where
        K: Broadcast<S>,
    {
        K::broadcast(x)
    }
    #[inline(always)]
    fn sum<S: Kind<Value: Default>>(x: Val<K>) -> Val<S>
    where
        K: Broadcast<S>,
    {
        K::sum(x)
    }
}

/// Whole values are computed only outside of expressions; expressions are loops over pieces.
impl<K: ElementKind> ElementEvaluation<K> for ByPieces {
    type Of<O: PieceRule<A, B, C, Out = K>, A: Kind, B: Kind, C: Kind> = ByPieces;
    fn map<const N: usize, O: Elementwise<N>>(op: &O, x: [Arg<'_, K>; N]) -> Val<K> {
        let shape = K::common(op, x.each_ref().map(shape_of::<K>));
        let x = x.map(K::Layout::view);
        let pieces = |k: usize| K::map(op, x.each_ref().map(|x| K::Layout::piece(x, k)));
        K::Layout::collect(shape, &Computed::<K, _>::new(shape, &pieces))
    }
    fn pull<'x, const N: usize, O: Elementwise<N>>(
        op: &O,
        i: usize,
        x: [Option<Arg<'x, K>>; N],
        r: Option<Arg<'x, K>>,
        r_b: Arg<'x, K>,
    ) -> Val<K> {
        let shape = shape_of::<K>(&r_b);
        let (x, r, r_b) = (
            x.map(|x| x.map(K::Layout::view)),
            r.map(K::Layout::view),
            K::Layout::view(r_b),
        );
        let pieces = |k: usize| {
            let piece = |x| K::Layout::piece(x, k);
            let x = x.each_ref().map(|x| x.as_ref().map(piece));
            K::pull(op, i, x, r.as_ref().map(piece), piece(&r_b))
        };
        K::Layout::collect(shape, &Computed::<K, _>::new(shape, &pieces))
    }
    fn broadcast<S: Kind>(x: Val<S>, like: Arg<'_, K>) -> Val<K>
    where
        K: Broadcast<S>,
    {
        let shape = shape_of::<K>(&like);
        let pieces = |_| K::broadcast(x.clone());
        K::Layout::collect(shape, &Computed::<K, _>::new(shape, &pieces))
    }
    fn sum<S: Kind<Value: Default>>(x: Val<K>) -> Val<S>
    where
        K: Broadcast<S>,
    {
        let shape = K::Layout::shape(&x);
        let view = K::Layout::view(arg::<K>(&x));
        let pieces = (0..K::Layout::count(shape)).map(|k| K::sum(K::Layout::piece(&view, k)));
        let sum = pieces.reduce(|mut sum, x| {
            S::accumulate(&mut sum, x);
            sum
        });
        sum.unwrap_or_default()
    }
}
