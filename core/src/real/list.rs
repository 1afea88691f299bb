//! Reductions of lists of reals, each in one statement.
use super::{known, norm};
use crate::{
    elementwise::{Broadcast, ElementKind, Elementwise, NumberKind, tangent_at_origin},
    eval::{ByPieces, Reduction, Whole},
    expr::{
        Active, Apply, Binary, Expr, IntoExpr, Out, ToList, Unary, Variables, binary, list, unary,
    },
    kind::{
        Carrier, Incoming, Item, Items, Kind, List, Pieces, Shape, TapeCell, TapeValue, Val, index,
    },
    mode::AnyMode,
    names::short,
    node::Direct,
    rule::{
        A, ArgumentTangent, ArgumentTangents, B, Order, PiecePrimals, PieceSinks, Primals,
        PullPieces, R, ReadShapes, ReductionRule, Rule, SecondAdjoint, SecondSinks, Sink, Sinks,
        Unfolded, bilinear_second, bilinear_tangent, linear_tangent, second_by_formulas,
    },
    store::Stash,
};
use std::{any::type_name, ops::Range};

macro_rules! operations { ($($(#[$doc:meta])* $Op:ident)*) => { $(
    $(#[$doc])*
    #[derive(Clone, Copy, Debug, Stash)]
    pub struct $Op;
)* } }
operations! {
    /// The sum of a list, in plain order.
    Sum
    /// The product of a list, in plain order.
    Product
    /// The mean of a list.
    Mean
    /// The sum of the products of two lists.
    Dot
    /// The length of a list as a vector, without overflow.
    Norm
    /// The square of the length.
    NormSquared
}

/// For adjoints that do not read elements.
#[inline(always)]
fn kept(count: usize) -> u32 {
    u32::try_from(count).expect("a list has fewer than 2^32 elements")
}
fn repeat<V: Copy>(value: V, count: u32) -> Items<std::iter::RepeatN<V>> {
    Items(std::iter::repeat_n(value, count as usize))
}

fn add_live<K: Kind<Value: Default + Copy, Policy = index::Linear>>(
    count: usize,
    live: Range<usize>,
    element: impl Fn(usize) -> Val<K>,
    sink: &mut impl Sink<List<K>>,
) where
    Val<K>: TapeCell<Val<K>>,
{
    match live.len() {
        0 => {}
        1 => sink.add(Item {
            at: live.start,
            of: count,
            value: element(live.start),
        }),
        _ => sink.add(Items(live.map(element))),
    }
}
/// Calls `make` if a norm is 0 and its one-sided derivative requested.
fn at_origin<T: PartialEq + Default, R>(
    norm: Option<T>,
    one_sided: bool,
    make: impl FnOnce() -> R,
) -> Option<R> {
    (one_sided && norm == Some(T::default())).then(make)
}
#[inline(always)]
fn each<K: Kind>(x: &impl Pieces<List<K>>) -> impl Iterator<Item = Val<K>> {
    (0..x.shape()).map(|i| x.at(i))
}
fn given<K: Kind>(x: &Vec<TapeValue<K>>) -> Direct<'_, List<K>> {
    Direct::new(Some(x))
}
fn nothing() -> Direct<'static, ()> {
    Direct::new(Some(()))
}
fn to_each<K: Kind, B: Kind, O: Kind>(
    count: usize,
    other: Shape<B>,
    r_b: Val<O>,
) -> Unfolded<List<K>, B, (), O> {
    Unfolded {
        shapes: (count, other, ()),
        pieces: 0..count,
        r_b,
    }
}

impl<K: NumberKind> Rule<List<K>> for Sum {
    type Out = K;
    type Saved = u32;
    type Evaluation = Reduction;
    const READS: [u8; 3] = [0; 3];
    const INTERACTS: [u8; 3] = [0; 3];
    fn primal(&self, x: &Vec<Val<K>>, (): (), (): ()) -> (Val<K>, u32) {
        self.fold(&given::<K>(x), &nothing(), &nothing())
    }
    fn adjoint(
        &self,
        _: Primals<'_, List<K>, (), (), K>,
        count: &u32,
        r_b: Incoming<'_, K>,
        mut s: impl Sinks<List<K>>,
    ) {
        let r_b = r_b.get();
        s.a().add(repeat(r_b, *count));
    }
    const ORDER: Order = Order::Second;
    fn tangent(
        &self,
        _: Primals<'_, List<K>, (), (), K>,
        _: &u32,
        t: ArgumentTangent<'_, List<K>>,
    ) -> Option<Val<K>> {
        linear_tangent(self, t)
    }
}
impl<K: NumberKind> PullPieces<List<K>> for Sum {
    #[inline(always)]
    fn pull(
        &self,
        _: &PiecePrimals<List<K>, (), (), K>,
        r_b: Val<K>,
        s: &mut impl PieceSinks<List<K>>,
    ) {
        s.a(|| r_b);
    }
}
impl<K: NumberKind> ReductionRule<List<K>> for Sum {
    #[inline(always)]
    fn fold(
        &self,
        x: &impl Pieces<List<K>>,
        _: &impl Pieces<()>,
        _: &impl Pieces<()>,
    ) -> (Val<K>, u32) {
        (K::sum_of(each(x)), kept(x.shape()))
    }
    #[inline(always)]
    fn unfold(
        &self,
        &count: &u32,
        _: impl FnOnce() -> ReadShapes<List<K>, (), ()>,
        _: Option<Val<K>>,
        r_b: Val<K>,
    ) -> Unfolded<List<K>, (), (), K> {
        to_each(count as usize, (), r_b)
    }
}
impl<K: NumberKind> Rule<List<K>> for Product {
    type Out = K;
    type Saved = ();
    type Evaluation = Whole;
    const READS: [u8; 3] = [A, 0, 0];
    fn primal(&self, x: &Vec<Val<K>>, (): (), (): ()) -> (Val<K>, ()) {
        (K::product_of(x.iter().copied()), ())
    }
    fn adjoint(
        &self,
        p: Primals<'_, List<K>, (), (), K>,
        (): &(),
        r_b: Incoming<'_, K>,
        mut s: impl Sinks<List<K>>,
    ) {
        let r_b = r_b.get();
        // Later elements times earlier ones, without a division.
        let x = p.a();
        let mut others = vec![K::number(1.0); x.len()];
        let mut behind = K::number(1.0);
        for (other, x) in others.iter_mut().zip(x).rev() {
            *other = behind;
            behind = behind * K::conj(*x);
        }
        let mut before = r_b;
        for (other, x) in others.iter_mut().zip(x) {
            *other = *other * before;
            before = before * K::conj(*x);
        }
        s.a().add(others);
    }
    const ORDER: Order = Order::Second;
    fn tangent(
        &self,
        p: Primals<'_, List<K>, (), (), K>,
        (): &(),
        t: ArgumentTangent<'_, List<K>>,
    ) -> Option<Val<K>> {
        let mut product = K::number(1.0);
        let mut tangent = K::zero_like(&product);
        for (&x, &x_t) in p.a().iter().zip(t.a?) {
            tangent = tangent * x;
            K::accumulate(&mut tangent, product * x_t);
            product = product * x;
        }
        Some(tangent)
    }
    fn adjoint_tangent(
        &self,
        p: Primals<'_, List<K>, (), (), K>,
        (): &(),
        t: ArgumentTangent<'_, List<K>>,
        _: Option<&Val<K>>,
        r_b: Incoming<'_, K>,
        mut s: impl Sinks<List<K>>,
    ) {
        let Some(x_t) = t.a else { return };
        let (x, r_b) = (p.a(), r_b.get());
        let zero = K::zero_like(&r_b);
        let times = |(y, y_t): (Val<K>, Val<K>), x: Val<K>, x_t: Val<K>| {
            let mut tangent = y_t * K::conj(x);
            K::accumulate(&mut tangent, y * K::conj(x_t));
            (y * K::conj(x), tangent)
        };
        let mut others = vec![(zero, zero); x.len()];
        let mut behind = (K::number(1.0), zero);
        for ((other, &x), &x_t) in others.iter_mut().zip(x).zip(x_t).rev() {
            *other = behind;
            behind = times(behind, x, x_t);
        }
        let mut before = (r_b, zero);
        let each = others.into_iter().zip(x).zip(x_t);
        let tangents: Vec<_> = each
            .map(|(((other, other_t), &x), &x_t)| {
                let mut tangent = other_t * before.0;
                K::accumulate(&mut tangent, other * before.1);
                before = times(before, x, x_t);
                tangent
            })
            .collect();
        s.a().add(tangents);
    }
}

macro_rules! rules { ($($T:ident)*) => { $(
    impl ElementKind for List<$T> {
        type Evaluation = ByPieces;
        type Remembered = ();
        #[inline(always)]
        fn common<const N: usize, O>(_: &O, lengths: [usize; N]) -> usize {
            let length = lengths.first().copied().unwrap_or(0);
            assert!(
                lengths.iter().all(|&other| other == length),
                "`{}` needs lists of equal length, found {lengths:?}", short(type_name::<O>())
            );
            length
        }
        #[inline(always)]
        fn map<const N: usize, O: Elementwise<N>>(op: &O, x: [$T; N]) -> $T { op.primal(x) }
        #[inline(always)]
        fn pull<const N: usize, O: Elementwise<N>>(op: &O, i: usize, x: [Option<$T>; N], r: Option<$T>, r_b: $T) -> $T {
            <$T as ElementKind>::pull(op, i, x, r, r_b)
        }
        type Lane = $T;
        #[inline(always)]
        fn lane(piece: $T) -> $T { piece }
        #[inline(always)]
        fn piece(lane: $T) -> $T { lane }
    }
    impl Broadcast<$T> for List<$T> {
        #[inline(always)]
        fn broadcast(x: $T) -> $T { x }
        #[inline(always)]
        fn sum(x: $T) -> $T { x }
    }
    rules! { @reduction $T Mean, reads 0, u32;
        |x| match x.shape() {
            0 => (0.0, 0),
            count => (each(x).sum::<$T>() / count as $T, kept(count)),
        };
        |&count, _, _, r_b| to_each(count as usize, (), r_b / count as $T);
        |_, _, r_b| r_b
    }
    rules! { @reduction $T NormSquared, reads A, ();
        |x| (each(x).map(|x| x * x).sum(), ());
        |_, count, _, r_b| to_each(count(), (), 2.0 * r_b);
        |x, _, r_b| r_b * known(x);
        |_, x_t, _, r_b| r_b * x_t
    }
    rules! { @reduction $T Norm, reads A | R, ();
        |x| {
            let length = norm(each(x).map(|x| x * x).sum(), |visit| each(x).for_each(|x| visit(x)));
            (length, ())
        };
        // If all elements are zero, the adjoint is zero.
        |_, count, r, r_b| {
            let all = to_each(count(), (), r_b);
            if r == Some(0.0) { Unfolded { pieces: 0..0, ..all } } else { all }
        };
        // `r_b / r` may be infinite. The difference is NaN where the norm is infinite.
        |x, r, r_b| r_b * (known(x) / known(r) + (known(r) - known(r)));
        |x, x_t, (r, r_t), r_b| r_b * ((x_t - known(x) / known(r) * known(r_t)) / known(r));
        at_origin
    }
    rules! { @extreme $T Max "max" > }
    rules! { @extreme $T Min "min" < }

    impl Rule<List<$T>, List<$T>> for Dot {
        type Out = $T;
        type Saved = ();
        type Evaluation = Reduction;
        const READS: [u8; 3] = [B, A, 0];
        fn primal<'p>(&self, x: &'p Vec<$T>, y: &'p Vec<$T>, (): ()) -> ($T, ()) {
            self.fold(&given::<$T>(x), &given::<$T>(y), &nothing())
        }
        fn adjoint(&self, p: Primals<'_, List<$T>, List<$T>, (), $T>, (): &(), r_b: Incoming<'_, $T>, mut s: impl Sinks<List<$T>, List<$T>>) {
            let r_b = r_b.get();
            if s.a().wants() {
                s.a().add(Items(p.b().iter().map(|y| r_b * y)));
            }
            if s.b().wants() {
                s.b().add(Items(p.a().iter().map(|x| r_b * x)));
            }
        }
        const ORDER: Order = Order::Second;
        fn tangent(&self, p: Primals<'_, List<$T>, List<$T>, (), $T>, (): &(), t: ArgumentTangent<'_, List<$T>, List<$T>>) -> Option<$T> {
            bilinear_tangent(self, p, t)
        }
        fn adjoint_tangent(
            &self,
            _: Primals<'_, List<$T>, List<$T>, (), $T>,
            (): &(),
            t: ArgumentTangent<'_, List<$T>, List<$T>>,
            _: Option<&$T>,
            r_b: Incoming<'_, $T>,
            s: impl Sinks<List<$T>, List<$T>>,
        ) {
            bilinear_second(self, &(), t, r_b, s);
        }
    }
    impl PullPieces<List<$T>, List<$T>> for Dot {
        #[inline(always)]
        fn pull(
            &self,
            x: &PiecePrimals<List<$T>, List<$T>, (), $T>,
            r_b: $T,
            s: &mut impl PieceSinks<List<$T>, List<$T>>,
        ) {
            s.a(|| r_b * known(x.b));
            s.b(|| r_b * known(x.a));
        }
    }
    impl ReductionRule<List<$T>, List<$T>> for Dot {
        #[inline(always)]
        fn fold(&self, x: &impl Pieces<List<$T>>, y: &impl Pieces<List<$T>>, _: &impl Pieces<()>) -> ($T, ()) {
            assert_same_length(x.shape(), y.shape());
            (each(x).zip(each(y)).map(|(x, y)| x * y).sum(), ())
        }
        #[inline(always)]
        fn unfold(
            &self,
            (): &(),
            shapes: impl FnOnce() -> ReadShapes<List<$T>, List<$T>, ()>,
            _: Option<$T>,
            r_b: $T,
        ) -> Unfolded<List<$T>, List<$T>, (), $T> {
            let (x, y, _) = shapes();
            let count = x.or(y).unwrap_or(0);
            to_each(count, count, r_b)
        }
    }
)* };
(@reduction $T:ident $Op:path, reads $reads:expr, $Saved:ty;
    |$v:ident| $fold:expr;
    |$saved:pat_param, $count:pat_param, $known_r:pat_param, $adjoint:ident| $unfold:expr;
    |$x:pat_param, $r:pat_param, $r_b:ident| $element:expr
    $(; |$x2:pat_param, $x_t:ident, $r2:pat_param, $r_b2:ident| $second:expr $(; $at_origin:ident)?)?
) => {
    impl Rule<List<$T>> for $Op {
        type Out = $T;
        type Saved = $Saved;
        type Evaluation = Reduction;
        const READS: [u8; 3] = [$reads, 0, 0];
        fn primal(&self, x: &Vec<$T>, (): (), (): ()) -> ($T, $Saved) {
            self.fold(&given::<$T>(x), &nothing(), &nothing())
        }
        fn adjoint(&self, p: Primals<'_, List<$T>, (), (), $T>, saved: &$Saved, r_b: Incoming<'_, $T>, mut s: impl Sinks<List<$T>>) {
            let shapes = || (Some(p.a().len()), None, None);
            let Unfolded { shapes: (count, ..), pieces, r_b: $r_b } =
                <Self as ReductionRule<List<$T>>>::unfold(self, saved, shapes, p.r, r_b.get());
            let $r = p.r;
            let element = |i: usize| {
                let $x = p.a.map(|x| x[i]);
                $element
            };
            add_live(count, pieces, element, &mut s.a());
        }
        const ORDER: Order = Order::Second;
        fn tangent(&self, p: Primals<'_, List<$T>, (), (), $T>, saved: &$Saved, t: ArgumentTangent<'_, List<$T>>) -> Option<$T> {
            let x_t = t.a?;
            $($(
                if let Some(r_t) = $at_origin(p.r, t.one_sided, || self.fold(&given::<$T>(x_t), &nothing(), &nothing()).0) {
                    return Some(r_t);
                }
            )?)?
            let shapes = || (Some(x_t.len()), None, None);
            let Unfolded { pieces, r_b: $r_b, .. } =
                <Self as ReductionRule<List<$T>>>::unfold(self, saved, shapes, p.r, 1.0);
            let $r = p.r;
            let term = |i: usize| {
                let $x = p.a.map(|x| x[i]);
                $element * x_t[i]
            };
            Some(pieces.map(term).sum())
        }
        #[allow(unused_variables, unused_mut)]
        fn adjoint_tangent(
            &self,
            p: Primals<'_, List<$T>, (), (), $T>,
            saved: &$Saved,
            t: ArgumentTangent<'_, List<$T>>,
            r_t: Option<&$T>,
            r_b: Incoming<'_, $T>,
            mut s: impl Sinks<List<$T>>,
        ) {
            $(
                let Some(x_t) = t.a else { return };
                let shapes = || (Some(x_t.len()), None, None);
                let Unfolded { shapes: (count, ..), pieces, r_b: $r_b2 } =
                    <Self as ReductionRule<List<$T>>>::unfold(self, saved, shapes, p.r, r_b.get());
                let $r2 = (p.r, r_t.copied());
                let element = |i: usize| {
                    let ($x2, $x_t) = (p.a.map(|x| x[i]), x_t[i]);
                    $second
                };
                add_live(count, pieces, element, &mut s.a());
            )?
        }
        $($(
            fn second<const N: usize>(
                &self,
                p: &Primals<'_, List<$T>, (), (), $T>,
                saved: &$Saved,
                t: ArgumentTangents<'_, List<$T>, (), (), N>,
                r_t: Option<&[$T; N]>,
                r: SecondAdjoint<'_, $T, N>,
                sinks: &mut impl SecondSinks<List<$T>, (), (), N>,
            ) {
                let at_origin = $at_origin(p.r, true, || ()).is_some();
                let (true, Some(x_t)) = (at_origin, t.a) else {
                    return second_by_formulas(self, p, saved, t, r_t, r, sinks);
                };
                let r_b = r.r_b.copied().unwrap_or(0.0);
                for (j, x_t) in x_t.iter().enumerate() {
                    let [r_bt, r_t] = [r.tangents, r_t].map(|t| t.map_or(0.0, |t| t[j]));
                    let element = |x_t: &$T| tangent_at_origin(t.one_sided, (r_b, r_bt), *x_t, r_t);
                    sinks.tangent(j).a().add(Items(x_t.iter().map(element)));
                }
            }
        )?)?
    }
    impl PullPieces<List<$T>> for $Op {
        #[inline(always)]
        fn pull(&self, known: &PiecePrimals<List<$T>, (), (), $T>, $r_b: $T, s: &mut impl PieceSinks<List<$T>>) {
            let ($x, $r) = (known.a, known.r);
            s.a(|| $element);
        }
    }
    impl ReductionRule<List<$T>> for $Op {
        #[inline(always)]
        fn fold(&self, $v: &impl Pieces<List<$T>>, _: &impl Pieces<()>, _: &impl Pieces<()>) -> ($T, $Saved) {
            $fold
        }
        #[inline(always)]
        fn unfold(
            &self,
            $saved: &$Saved,
            shapes: impl FnOnce() -> ReadShapes<List<$T>, (), ()>,
            $known_r: Option<$T>,
            $adjoint: $T,
        ) -> Unfolded<List<$T>, (), (), $T> {
            let $count = || shapes().0.unwrap_or(0);
            $unfold
        }
    }
};
// The first of equal elements; NaN only if all are NaN. Its index and the length are saved.
(@extreme $T:ident $Op:ident $name:literal $better:tt) => {
    rules! { @reduction $T super::elementary::$Op, reads 0, [u32; 2];
        |x| {
            assert!(
                x.shape() > 0,
                "`{}` needs a list with at least one element: check `is_empty()` first", $name
            );
            let mut best = ($T::NAN, 0);
            for (x, at) in each(x).zip(0..) {
                if at == 0 || x $better best.0 || (best.0.is_nan() && !x.is_nan()) {
                    best = (x, at);
                }
            }
            (best.0, [best.1, kept(x.shape())])
        };
        |&[at, of], _, _, r_b| {
            let [at, of] = [at, of].map(|n| n as usize);
            Unfolded { pieces: at..(at + 1).min(of), ..to_each(of, (), r_b) }
        };
        |_, _, r_b| r_b
    }
} }
rules! { f64 f32 }

#[inline(always)]
#[track_caller]
fn assert_same_length(x: usize, y: usize) {
    assert!(
        x == y,
        "`dot` needs lists of equal length, found {x} and {y}"
    );
}

type OfList<'x, O, K, M> = Expr<Out<O, List<K>>, M, Apply<O, Variables<'x, K, M>>>;

type OfLists<'x, O, K, M, Y> =
    Expr<Out<O, List<K>, List<K>>, M, Apply<O, Variables<'x, K, M>, <Y as ToList<M>>::Node>>;

/// Operations on slices, arrays and vectors of reals, named as in `nalgebra`.
///
/// ```
/// use entape_core::{expr::Active, real::Reals, tape::Tape};
///
/// let mut tape = Tape::new();
/// let x: Vec<Active<f64>> = (1..=1000).map(|i| tape.input(f64::from(i))).collect();
/// let y = tape.record(|| (x.dot(&x) / x.sum()).eval());
/// assert_eq!(tape.statistics().statements, 1 + 1000);
/// assert_eq!(y.value(), 2001.0 / 3.0);
/// ```
///
/// | operation | result for an empty list | adjoint where the derivative does not exist |
/// |---|---|---|
/// | `sum`, `product`, `norm_squared`, `dot` | as the plain sum and product | |
/// | `mean` | 0 | |
/// | `norm` | 0 | 0 if all elements are 0 |
/// | `max`, `min` | a panic on evaluation | added to the first of equal elements |
///
/// `max` and `min` ignore NaN.
pub trait Reals<K: Kind, M: AnyMode> {
    /// Returns the variables.
    fn variables(&self) -> &[Active<K, M>];
    /// Returns the sum of the elements.
    #[inline]
    fn sum(&self) -> OfList<'_, Sum, K, M>
    where
        Sum: Rule<List<K>>,
    {
        of_list(Sum, self.variables())
    }
    /// Returns the product of the elements. The adjoint of an element is `r_b` times all others, also for zeros.
    #[inline]
    fn product(&self) -> OfList<'_, Product, K, M>
    where
        Product: Rule<List<K>>,
    {
        of_list(Product, self.variables())
    }
    /// Returns the mean of the elements, 0 for an empty list.
    #[inline]
    fn mean(&self) -> OfList<'_, Mean, K, M>
    where
        Mean: Rule<List<K>>,
    {
        of_list(Mean, self.variables())
    }
    /// Returns the length of the vector, without overflow: `x_b += r_b * x / r`.
    #[inline]
    fn norm(&self) -> OfList<'_, Norm, K, M>
    where
        Norm: Rule<List<K>>,
    {
        of_list(Norm, self.variables())
    }
    /// Returns the sum of squares: `x_b += 2 * r_b * x`.
    #[inline]
    fn norm_squared(&self) -> OfList<'_, NormSquared, K, M>
    where
        NormSquared: Rule<List<K>>,
    {
        of_list(NormSquared, self.variables())
    }
    /// Returns the largest element, the first of several. Panics on evaluation if the list is empty.
    #[inline]
    fn max(&self) -> OfList<'_, super::elementary::Max, K, M>
    where
        super::elementary::Max: Rule<List<K>>,
    {
        of_list(super::elementary::Max, self.variables())
    }
    /// Returns the smallest element, the first of several. Panics on evaluation if the list is empty.
    #[inline]
    fn min(&self) -> OfList<'_, super::elementary::Min, K, M>
    where
        super::elementary::Min: Rule<List<K>>,
    {
        of_list(super::elementary::Min, self.variables())
    }
    /// Returns the dot product with another list of variables or plain numbers; panics if their lengths differ.
    #[inline]
    #[track_caller]
    fn dot<Y: ToList<M, Kind = K>>(&self, y: Y) -> OfLists<'_, Dot, K, M, Y>
    where
        Dot: Rule<List<K>, List<K>>,
    {
        assert_same_length(self.variables().len(), y.count());
        let x = self.variables();
        Expr::new(Apply::binary(Dot, Variables(x), list(y).node))
    }
}
/// Reductions of list expressions, each one statement with a loop for elements and one for their adjoints. Operators
/// and elementary functions work by element, on lists of equal length and on numbers.
///
/// ```
/// use entape_core::{
///     expr::{Active, list},
///     real::{Elementary, ListReductions},
///     tape::Tape,
/// };
///
/// let mut tape = Tape::new();
/// let x: Vec<Active<f64>> = tape.inputs([1.0, 2.0, 3.0]);
/// let mean = vec![0.0, 1.0, 1.0];
/// let y = tape.record(|| (list(&x) - list(&mean)).powi(2).sum().eval());
/// assert_eq!(y, 1.0 + 1.0 + 4.0);
/// assert_eq!(tape.gradient(&y)?.wrt_all(&x)?, [2.0, 2.0, 4.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait ListReductions<K: Kind, M: Carrier>: IntoExpr<M, Kind = List<K>> + Sized {
    /// Returns the sum of the elements.
    #[inline]
    fn sum(self) -> Unary<Sum, M, Self>
    where
        Sum: Rule<List<K>>,
    {
        unary(Sum, self)
    }
    /// Returns the product of the elements.
    #[inline]
    fn product(self) -> Unary<Product, M, Self>
    where
        Product: Rule<List<K>>,
    {
        unary(Product, self)
    }
    /// Returns the mean of the elements; 0 for an empty list.
    #[inline]
    fn mean(self) -> Unary<Mean, M, Self>
    where
        Mean: Rule<List<K>>,
    {
        unary(Mean, self)
    }
    /// Returns the length as a vector, without overflow.
    #[inline]
    fn norm(self) -> Unary<Norm, M, Self>
    where
        Norm: Rule<List<K>>,
    {
        unary(Norm, self)
    }
    /// Returns the square of the length.
    #[inline]
    fn norm_squared(self) -> Unary<NormSquared, M, Self>
    where
        NormSquared: Rule<List<K>>,
    {
        unary(NormSquared, self)
    }
    /// Returns the dot product with another list; panics if their lengths differ.
    #[inline]
    fn dot<Y: IntoExpr<M, Kind = List<K>>>(self, y: Y) -> Binary<Dot, M, Self, Y>
    where
        Dot: Rule<List<K>, List<K>>,
    {
        binary(Dot, self, y)
    }
}
impl<K: Kind, M: Carrier, X: IntoExpr<M, Kind = List<K>>> ListReductions<K, M> for X {}

impl<K: Kind, M: AnyMode> Reals<K, M> for [Active<K, M>] {
    #[inline]
    fn variables(&self) -> &[Active<K, M>] {
        self
    }
}
fn of_list<O: Rule<List<K>>, K: Kind, M: AnyMode>(
    op: O,
    x: &[Active<K, M>],
) -> OfList<'_, O, K, M> {
    Expr::new(Apply::unary(op, Variables(x)))
}
