use super::{
    definition::{Broadcast, ElementKind, Elementwise},
    dual::Dual,
    lane::{Lane, each},
};
use crate::{
    eval::{ByPieces, Whole},
    kind::{Arg, ComputedPieces, Kind, Layout, OnePiece, Piece, Val, arg, index::Linear, shape_of},
    rule::{Evaluation, PieceRule, SecondAdjoint},
};
use std::array::from_fn;

/// How elementary functions of kind `K` are evaluated.
pub trait ElementEvaluation<K: ElementKind> {
    /// The evaluation of expressions.
    type Of<O: PieceRule<A, B, C, Out = K>, A: Kind, B: Kind, C: Kind>: Evaluation<O, A, B, C>;
    /// Applies a function to whole values.
    #[track_caller]
    fn map<const N: usize, O: Elementwise<N>>(op: &O, x: [Arg<'_, K>; N]) -> Val<K>;
    /// Returns the whole adjoint of argument `i`.
    fn pull<'x, const N: usize, O: Elementwise<N>>(
        op: &O,
        i: usize,
        x: [Option<Arg<'x, K>>; N],
        r: Option<Arg<'x, K>>,
        r_b: Arg<'x, K>,
    ) -> Val<K>;
    /// Returns the tangents of the result `r`.
    fn push<'x, const N: usize, const D: usize, O: Elementwise<N>>(
        op: &O,
        x: [Option<Arg<'x, K>>; N],
        r: Option<Arg<'x, K>>,
        tangents: [Option<&'x [Val<K>; D]>; N],
        one_sided: bool,
    ) -> [Val<K>; D];
    /// Returns the adjoint of argument `i` with its tangents.
    fn pull_second<'x, const N: usize, const D: usize, O: Elementwise<N>>(
        op: &O,
        i: usize,
        x: [Option<WithTangents<'x, K, D>>; N],
        r: Option<WithTangents<'x, K, D>>,
        r_b: SecondAdjoint<'x, K, D>,
        one_sided: bool,
    ) -> (Val<K>, [Val<K>; D]);
    /// Returns `x` in every piece of the shape of `like`.
    fn broadcast<S: Kind>(x: Val<S>, like: Arg<'_, K>) -> Val<K>
    where
        K: Broadcast<S>;
    /// Like `broadcast`; only storage kinds need `like`.
    fn spread<S: Kind>(x: Val<S>, like: Option<&Val<K>>) -> Val<K>
    where
        K: Broadcast<S>;
    /// Returns the contribution to the adjoint of the number.
    fn sum<S: Kind<Value: Default>>(x: Val<K>) -> Val<S>
    where
        K: Broadcast<S>;
}

impl<K: ElementKind<Layout = OnePiece, Policy = Linear, Value: Copy>> ElementEvaluation<K>
    for Whole
{
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
    fn push<const N: usize, const D: usize, O: Elementwise<N>>(
        op: &O,
        x: [Option<Val<K>>; N],
        r: Option<Val<K>>,
        tangents: [Option<&[Val<K>; D]>; N],
        one_sided: bool,
    ) -> [Val<K>; D] {
        K::push(op, x, r, each(&tangents, |t| t.copied()), one_sided)
    }
    #[inline(always)]
    fn pull_second<'x, const N: usize, const D: usize, O: Elementwise<N>>(
        op: &O,
        i: usize,
        x: [Option<WithTangents<'x, K, D>>; N],
        r: Option<WithTangents<'x, K, D>>,
        r_b: SecondAdjoint<'x, K, D>,
        one_sided: bool,
    ) -> (Val<K>, [Val<K>; D]) {
        let dual = |value: Val<K>, tangents: Option<&[Val<K>; D]>| Dual {
            value,
            tangents: tangents
                .copied()
                .unwrap_or_else(|| [K::unset_tangent(&value); D]),
        };
        let of = |x: WithTangents<'_, K, D>| dual(x.value, x.tangents);
        let Dual { value, tangents } = K::pull_second(
            op,
            i,
            each(&x, |x| x.map(of)),
            r.map(of),
            seed(r_b),
            one_sided,
        );
        (value, tangents)
    }
    #[inline(always)]
    fn broadcast<S: Kind>(x: Val<S>, _: Val<K>) -> Val<K>
    where
        K: Broadcast<S>,
    {
        K::broadcast(x)
    }
    #[inline(always)]
    fn spread<S: Kind>(x: Val<S>, _: Option<&Val<K>>) -> Val<K>
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

impl<K: ElementKind> ElementEvaluation<K> for ByPieces {
    type Of<O: PieceRule<A, B, C, Out = K>, A: Kind, B: Kind, C: Kind> = ByPieces;
    fn map<const N: usize, O: Elementwise<N>>(op: &O, x: [Arg<'_, K>; N]) -> Val<K> {
        let shape = K::common(op, x.each_ref().map(shape_of::<K>));
        let x = x.map(K::Layout::view);
        let pieces = |k: usize| K::map(op, x.each_ref().map(|x| K::Layout::piece(x, k)));
        K::Layout::collect(shape, &ComputedPieces::<K, _>::new(shape, &pieces))
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
        K::Layout::collect(shape, &ComputedPieces::<K, _>::new(shape, &pieces))
    }
    fn push<'x, const N: usize, const D: usize, O: Elementwise<N>>(
        op: &O,
        x: [Option<Arg<'x, K>>; N],
        r: Option<Arg<'x, K>>,
        tangents: [Option<&'x [Val<K>; D]>; N],
        one_sided: bool,
    ) -> [Val<K>; D] {
        let like = tangents.iter().flatten().flat_map(|t| t.first()).next();
        let shape = like
            .map(K::Layout::shape)
            .expect("an argument has tangents");
        let (x, r) = (x.map(|x| x.map(K::Layout::view)), r.map(K::Layout::view));
        from_fn(|j| {
            let tangents = tangents.map(|t| t.map(|t| K::Layout::view(arg::<K>(&t[j]))));
            let pieces = |k: usize| {
                let piece = |x| K::Layout::piece(x, k);
                let x = x.each_ref().map(|x| x.as_ref().map(piece));
                let tangents = tangents.each_ref().map(|t| t.as_ref().map(|t| [piece(t)]));
                let [tangent] = K::push(op, x, r.as_ref().map(piece), tangents, one_sided);
                tangent
            };
            K::Layout::collect(shape, &ComputedPieces::<K, _>::new(shape, &pieces))
        })
    }
    fn pull_second<'x, const N: usize, const D: usize, O: Elementwise<N>>(
        op: &O,
        i: usize,
        x: [Option<WithTangents<'x, K, D>>; N],
        r: Option<WithTangents<'x, K, D>>,
        r_b: SecondAdjoint<'x, K, D>,
        one_sided: bool,
    ) -> (Val<K>, [Val<K>; D]) {
        let like = r_b
            .r_b
            .or(r_b.tangents.and_then(|t| t.first()))
            .expect("an adjoint");
        let (shape, unset) = (K::Layout::shape(like), K::unset_tangent(like));
        let unset = K::Layout::view(arg::<K>(&unset));
        let view = |x: WithTangents<'x, K, D>| (K::Layout::view(x.value), x.tangents);
        let (x, r) = (x.map(|x| x.map(view)), r.map(view));
        let value = r_b.r_b.map(|r_b| K::Layout::view(arg::<K>(r_b)));
        // At least once, for the adjoint.
        let result = |j: Option<usize>, of: fn(Dual<Piece<K>, 1>) -> Piece<K>| {
            let tangent = |t: Option<&[Val<K>; D]>, k: usize| match (t, j) {
                (Some(t), Some(j)) => K::Layout::piece(&K::Layout::view(arg::<K>(&t[j])), k),
                _ => K::Layout::piece(&unset, k),
            };
            let pieces = |k: usize| {
                let dual = |(x, t): &(_, Option<&[Val<K>; D]>)| Dual {
                    value: K::Layout::piece(x, k),
                    tangents: [tangent(*t, k)],
                };
                let x = x.each_ref().map(|x| x.as_ref().map(dual));
                let r_b = Dual {
                    value: K::Layout::piece(value.as_ref().unwrap_or(&unset), k),
                    tangents: [tangent(r_b.tangents, k)],
                };
                of(K::pull_second(
                    op,
                    i,
                    x,
                    r.as_ref().map(dual),
                    r_b,
                    one_sided,
                ))
            };
            K::Layout::collect(shape, &ComputedPieces::<K, _>::new(shape, &pieces))
        };
        let adjoint = result(None, |x_b| x_b.value);
        (
            adjoint,
            from_fn(|j| {
                result(Some(j), |x_b| {
                    let [tangent] = x_b.tangents;
                    tangent
                })
            }),
        )
    }
    fn broadcast<S: Kind>(x: Val<S>, like: Arg<'_, K>) -> Val<K>
    where
        K: Broadcast<S>,
    {
        let shape = shape_of::<K>(&like);
        let pieces = |_| K::broadcast(x.clone());
        K::Layout::collect(shape, &ComputedPieces::<K, _>::new(shape, &pieces))
    }
    fn spread<S: Kind>(x: Val<S>, like: Option<&Val<K>>) -> Val<K>
    where
        K: Broadcast<S>,
    {
        let like = like.expect(
            "the shape of a sum of numbers and a constant or passive value is unknown in a sweep: call `.eval()` on the sum",
        );
        <Self as ElementEvaluation<K>>::broadcast(x, arg::<K>(like))
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

/// A value that a rule received, with existing tangents.
pub struct WithTangents<'t, K: Kind, const N: usize> {
    /// The value.
    pub value: Arg<'t, K>,
    /// The tangents.
    pub tangents: Option<&'t [Val<K>; N]>,
}
debug_by_name! { ['t, K: Kind, const N: usize] WithTangents<'t, K, N> }
#[inline(always)]
fn seed<K: ElementKind<Layout = OnePiece, Value: Copy>, const N: usize>(
    SecondAdjoint { r_b, tangents }: SecondAdjoint<'_, K, N>,
) -> Dual<Val<K>, N> {
    let Some(like) = r_b.or(tangents.and_then(|t| t.first())) else {
        unreachable!("the result has an adjoint or a tangent of it")
    };
    let unset = K::piece(Lane::unset(K::lane(*like)));
    Dual {
        value: r_b.copied().unwrap_or(unset),
        tangents: tangents.copied().unwrap_or([unset; N]),
    }
}
impl<K: Kind, const N: usize> Clone for WithTangents<'_, K, N> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<K: Kind, const N: usize> Copy for WithTangents<'_, K, N> {}
