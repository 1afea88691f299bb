//! Tangents of operations on the elements of arrays.
use super::{
    each::{ByElement, EachOut, Number, OnElements, OutOf, flow},
    kinds::Extent,
    number::is_unset,
};
use entape_core::{
    kind::{Contribution, Kind, Layout, Val, arg},
    rule::{
        ArgumentTangents, Known, PiecePrimals, Primals, SecondAdjoint, SecondSinks, Sink, Sinks,
        second_of, tangents_of,
    },
};
use std::array::from_fn;

struct View<'v, K: ByElement>(<K::Layout as Layout<K>>::View<'v>);
impl<'v, K: ByElement> View<'v, K> {
    fn of(value: &'v Val<K>) -> Self {
        View(K::Layout::view(arg::<K>(value)))
    }
    #[inline(always)]
    fn at(&self, i: usize) -> Val<Number<K>> {
        K::number(K::Layout::piece(&self.0, i))
    }
    fn length(&self) -> Option<usize> {
        K::Layout::view_shape(&self.0).known()
    }
}
struct ElementTangents<'t, K: ByElement, const N: usize>(Option<[View<'t, K>; N]>);
impl<'t, K: ByElement, const N: usize> ElementTangents<'t, K, N> {
    fn of(tangents: Option<&'t [Val<K>; N]>) -> Self {
        ElementTangents(tangents.map(|t| t.each_ref().map(View::of)))
    }
    #[inline(always)]
    fn at(&self, i: usize) -> Option<[Val<Number<K>>; N]> {
        let tangents = self.0.as_ref()?;
        Some(from_fn(|j| tangents[j].at(i)))
    }
    fn length(&self) -> Option<usize> {
        self.0.as_ref()?.first()?.length()
    }
}
type Views<'p, X, Y, Z> = (
    Option<View<'p, X>>,
    Option<View<'p, Y>>,
    Option<View<'p, Z>>,
);
type ResultOf<O, X, Y, Z> = Vec<Val<OutOf<O, X, Y, Z>>>;
struct Read<
    'p,
    't,
    O: OnElements<X, Y, Z>,
    X: ByElement,
    Y: ByElement,
    Z: ByElement,
    const N: usize,
> {
    known: Views<'p, X, Y, Z>,
    r: Option<&'p ResultOf<O, X, Y, Z>>,
    tangents: (
        ElementTangents<'t, X, N>,
        ElementTangents<'t, Y, N>,
        ElementTangents<'t, Z, N>,
    ),
}
type Elements<O, X, Y, Z> = PiecePrimals<Number<X>, Number<Y>, Number<Z>, OutOf<O, X, Y, Z>>;
/// Tangents of three numbers; `None` if missing.
type Three<A, B, C, const N: usize> = (
    Option<[Val<A>; N]>,
    Option<[Val<B>; N]>,
    Option<[Val<C>; N]>,
);
type TangentsAt<X, Y, Z, const N: usize> = Three<Number<X>, Number<Y>, Number<Z>, N>;
impl<'p, 't, O, X: ByElement, Y: ByElement, Z: ByElement, const N: usize>
    Read<'p, 't, O, X, Y, Z, N>
where
    O: OnElements<X, Y, Z>,
{
    fn of(
        p: &Primals<'p, X, Y, Z, EachOut<O, X, Y, Z>>,
        t: ArgumentTangents<'t, X, Y, Z, N>,
    ) -> Self {
        let (a, b, c, r): Known<'p, X, Y, Z, EachOut<O, X, Y, Z>> = p.known();
        let (a, b, c) = (
            a.map(|a| View(X::Layout::view(a))),
            b.map(|b| View(Y::Layout::view(b))),
            c.map(|c| View(Z::Layout::view(c))),
        );
        Read {
            known: (a, b, c),
            r,
            tangents: (
                ElementTangents::of(t.a),
                ElementTangents::of(t.b),
                ElementTangents::of(t.c),
            ),
        }
    }
    #[inline(always)]
    fn at(&self, i: usize) -> Elements<O, X, Y, Z> {
        let (a, b, c) = &self.known;
        PiecePrimals {
            a: a.as_ref().map(|a| a.at(i)),
            b: b.as_ref().map(|b| b.at(i)),
            c: c.as_ref().map(|c| c.at(i)),
            r: self.r.map(|r| r[i]),
        }
    }
    #[inline(always)]
    fn tangents_at(&self, i: usize) -> TangentsAt<X, Y, Z, N> {
        let (a, b, c) = &self.tangents;
        (a.at(i), b.at(i), c.at(i))
    }
    fn length(&self) -> Option<usize> {
        let (a_t, b_t, c_t) = &self.tangents;
        let (a, b, c) = &self.known;
        let tangents = [a_t.length(), b_t.length(), c_t.length()];
        let values = [
            self.r.map(Vec::len),
            a.as_ref().and_then(View::length),
            b.as_ref().and_then(View::length),
            c.as_ref().and_then(View::length),
        ];
        tangents.into_iter().chain(values).flatten().next()
    }
}
#[inline(always)]
fn tangent<A: Kind, B: Kind, C: Kind, const N: usize>(
    (a, b, c): &Three<A, B, C, N>,
    one_sided: bool,
) -> ArgumentTangents<'_, A, B, C, N> {
    ArgumentTangents {
        a: a.as_ref(),
        b: b.as_ref(),
        c: c.as_ref(),
        one_sided,
    }
}

pub(super) fn tangents<O, X: ByElement, Y: ByElement, Z: ByElement, const N: usize>(
    op: &O,
    p: &Primals<'_, X, Y, Z, EachOut<O, X, Y, Z>>,
    t: ArgumentTangents<'_, X, Y, Z, N>,
) -> Option<[ResultOf<O, X, Y, Z>; N]>
where
    O: OnElements<X, Y, Z>,
{
    let read = Read::<O, X, Y, Z, N>::of(p, t);
    let length = read.length().expect(
        "the length of a sum of numbers and a constant or passive array is unknown in a sweep: call `.eval()` on the sum",
    );
    let mut all: [_; N] = from_fn(|_| Vec::with_capacity(length));
    for i in 0..length {
        let argument_tangents = read.tangents_at(i);
        let argument_tangents =
            tangent::<Number<X>, Number<Y>, Number<Z>, N>(&argument_tangents, t.one_sided);
        let r_t = tangents_of(op, &read.at(i), argument_tangents)?;
        for (all, r_t) in all.iter_mut().zip(r_t) {
            all.push(r_t);
        }
    }
    Some(all)
}
/// An adjoint and its tangents, element by element.
struct Sums<K: ByElement, const N: usize> {
    wanted: bool,
    adjoint: Vec<Val<Number<K>>>,
    tangents: [Vec<Val<Number<K>>>; N],
}
impl<K: ByElement, const N: usize> Sums<K, N> {
    fn new(wanted: bool, length: usize) -> Self {
        let room = || Vec::with_capacity(if wanted { length } else { 0 });
        Sums {
            wanted,
            adjoint: room(),
            tangents: from_fn(|_| room()),
        }
    }
    #[inline(always)]
    fn push(&mut self, x_b: Option<Val<Number<K>>>, x_bt: [Option<Val<Number<K>>>; N]) {
        if self.wanted {
            self.adjoint.push(flow::<Number<K>>(false, x_b));
            for (all, x_bt) in self.tangents.iter_mut().zip(x_bt) {
                all.push(flow::<Number<K>>(false, x_bt));
            }
        }
    }
    fn gather(self) -> (Val<K>, [Val<K>; N]) {
        let gather = |all| K::gather(all).materialise();
        (gather(self.adjoint), self.tangents.map(gather))
    }
}
pub(super) fn second<O, X: ByElement, Y: ByElement, Z: ByElement, const N: usize>(
    op: &O,
    p: &Primals<'_, X, Y, Z, EachOut<O, X, Y, Z>>,
    t: ArgumentTangents<'_, X, Y, Z, N>,
    r_t: Option<&[ResultOf<O, X, Y, Z>; N]>,
    r: SecondAdjoint<'_, EachOut<O, X, Y, Z>, N>,
    sinks: &mut impl SecondSinks<X, Y, Z, N>,
) where
    O: OnElements<X, Y, Z>,
{
    let Some(length) = r.r_b.or(r.tangents.and_then(|t| t.first())).map(Vec::len) else {
        return;
    };
    let wanted = {
        let mut sinks = sinks.adjoint();
        let a = O::FLOWS[0] && sinks.a().wants();
        let b = O::FLOWS[1] && sinks.b().wants();
        let c = O::FLOWS[2] && sinks.c().wants();
        [a, b, c]
    };
    let read = Read::<O, X, Y, Z, N>::of(p, t);
    let (mut x, mut y, mut z) = (
        Sums::<X, N>::new(wanted[0], length),
        Sums::<Y, N>::new(wanted[1], length),
        Sums::<Z, N>::new(wanted[2], length),
    );
    for i in 0..length {
        let r_b = r.r_b.map(|r_b| r_b[i]);
        let tangents = r.tangents.map(|t| t.each_ref().map(|t| t[i]));
        // A choice computes both sides.
        if r_b
            .into_iter()
            .chain(tangents.into_iter().flatten())
            .all(|r_b| is_unset(&r_b))
        {
            x.push(None, [const { None }; N]);
            y.push(None, [const { None }; N]);
            z.push(None, [const { None }; N]);
            continue;
        }
        let argument_tangents = read.tangents_at(i);
        let argument_tangents =
            tangent::<Number<X>, Number<Y>, Number<Z>, N>(&argument_tangents, t.one_sided);
        let r_t = r_t.map(|t| t.each_ref().map(|t| t[i]));
        let adjoint = SecondAdjoint {
            r_b: r_b.as_ref(),
            tangents: tangents.as_ref(),
        };
        let sums = second_of(
            op,
            &read.at(i),
            argument_tangents,
            r_t.as_ref(),
            adjoint,
            wanted,
        );
        let (x_b, y_b, z_b) = sums.adjoints;
        x.push(x_b, sums.tangents.each_ref().map(|t| t.0));
        y.push(y_b, sums.tangents.each_ref().map(|t| t.1));
        z.push(z_b, sums.tangents.each_ref().map(|t| t.2));
    }
    if wanted[0] {
        sinks.add_a(|| x.gather());
    }
    if wanted[1] {
        sinks.add_b(|| y.gather());
    }
    if wanted[2] {
        sinks.add_c(|| z.gather());
    }
}
