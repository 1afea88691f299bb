//! Reductions of arrays to reals. An expression is computed and reduced in one loop, and so is its adjoint.
use super::{
    ArrayNumber, ElementOf,
    adjoint::{Added, Elements},
    dot::{Dot, Dotc},
    kinds::{ArrayKind, InOrder, word},
};
use crate::LaneNumber;
use entape_core::{
    elementwise::tangent_at_origin,
    eval,
    expr::{Binary, Operand, Unary, binary, unary},
    kind::{AllNeeded, Arg, At, BLOCK, Incoming, Layout, Piece, PieceLoop, Pieces, Val, blocks},
    mode::AnyMode,
    node::Direct,
    real::{self, Real, known},
    rule::{
        A, ArgumentTangent, ArgumentTangents, Order, PiecePrimals, PieceSinks, Primals, PullPieces,
        R as RESULT, ReadShapes, ReductionRule, Rule, Saved, SecondAdjoint, SecondSinks, Sink,
        Sinks, Unfolded, second_by_formulas,
    },
    store::Stash,
};
use std::{marker::PhantomData, ops::Range};

/// The terms of a sum, computed block by block.
pub(super) trait Summands<T> {
    fn within(&self, block: At) -> impl Fn(usize) -> T;
}
struct MappedElements<'p, T, P, F>(&'p P, F, PhantomData<T>);
impl<'p, T: ArrayNumber, P: Pieces<ArrayKind<T>>, F> MappedElements<'p, T, P, F> {
    fn new<U>(pieces: &'p P, f: F) -> Self
    where
        F: Fn(T) -> U + Copy,
    {
        MappedElements(pieces, f, PhantomData)
    }
}
impl<T: ArrayNumber, U, P: Pieces<ArrayKind<T>>, F: Fn(T) -> U + Copy> Summands<U>
    for MappedElements<'_, T, P, F>
{
    #[inline(always)]
    fn within(&self, block: At) -> impl Fn(usize) -> U {
        let (pieces, f) = (self.0.within::<AllNeeded>(block), self.1);
        #[inline(always)]
        move |i| f(pieces.at(i))
    }
}
/// Passes on the terms of each block with the first index. The compiler vectorises best a loop that only computes them.
#[inline(always)]
fn show_blocks<T: ArrayNumber>(
    length: usize,
    terms: &impl Summands<T>,
    visit: impl FnMut(usize, &[T]),
) {
    <InOrder as Layout<ArrayKind<T>>>::run(Showing {
        length,
        terms,
        visit,
        buffer: [T::default(); BLOCK],
    });
}
struct Showing<'f, T, X, F> {
    length: usize,
    terms: &'f X,
    visit: F,
    buffer: [T; BLOCK],
}
impl<T: ArrayNumber, X: Summands<T>, F: FnMut(usize, &[T])> PieceLoop for Showing<'_, T, X, F> {
    #[inline(always)]
    fn run(mut self) {
        blocks(
            self.length,
            #[inline(always)]
            |at| {
                let (term, buffer) = (self.terms.within(at), &mut self.buffer[..at.length]);
                for (i, x) in buffer.iter_mut().enumerate() {
                    *x = term(i);
                }
                (self.visit)(at.start, buffer);
            },
        );
    }
}

/// The number of partial sums, on every machine.
const SUMS: usize = 16;
pub(super) fn sum_of<T: ArrayNumber>(length: usize, terms: &impl Summands<T>) -> T {
    let (mut sums, mut rest) = ([T::default(); SUMS], T::default());
    show_blocks(
        length,
        terms,
        #[inline(always)]
        |_, block: &[T]| {
            let mut some = block.chunks_exact(SUMS);
            for some in &mut some {
                for (sum, &x) in sums.iter_mut().zip(some) {
                    *sum += x;
                }
            }
            for &x in some.remainder() {
                rest += x;
            }
        },
    );
    sums.into_iter().fold(rest, |sum, x| sum + x)
}
fn sum<T: ArrayNumber>(v: &impl Pieces<ArrayKind<T>>) -> T {
    sum_of(v.shape(), &MappedElements::new(v, |x: T| x))
}
fn squares<T: ArrayNumber>(v: &impl Pieces<ArrayKind<T>>) -> T::Part {
    sum_of(v.shape(), &MappedElements::new(v, T::square))
}
fn norm<T: ArrayNumber>(v: &impl Pieces<ArrayKind<T>>) -> T::Part {
    real::norm(squares(v), |visit| {
        let visit = |_, block: &[T]| block.iter().for_each(|x| x.each_part(visit));
        show_blocks(v.shape(), &MappedElements::new(v, |x: T| x), visit);
    })
}
/// The first best element and its index; NaN only if all elements are NaN.
#[track_caller]
fn best<T: LaneNumber>(
    name: &str,
    v: &impl Pieces<ArrayKind<T>>,
    none: f64,
    better: impl Fn(T, T) -> bool + Copy,
) -> (T, [u32; 2]) {
    let (length, none) = (v.shape(), T::nearest(none));
    assert!(
        length > 0,
        "`{name}` needs an array with at least one element: check `is_empty()` first"
    );
    let mut best: Option<(usize, T)> = None;
    show_blocks(
        length,
        &MappedElements::new(v, |x: T| x),
        #[inline(always)]
        |start, block: &[T]| {
            let mut bests = [none; SUMS];
            let mut some = block.chunks_exact(SUMS);
            for some in &mut some {
                for (best, &x) in bests.iter_mut().zip(some) {
                    *best = if better(x, *best) { x } else { *best };
                }
            }
            let rest = bests.iter().chain(some.remainder());
            let here = rest.fold(none, |best, &x| if better(x, best) { x } else { best });
            if best.is_none_or(|(_, best)| better(here, best))
                && let Some(i) = block.iter().position(|&x| x == here)
            {
                best = Some((start + i, block[i]));
            }
        },
    );
    let (at, r) = best.unwrap_or((0, T::nearest(f64::NAN)));
    (r, [word(length), word(at)])
}

/// A reduction of an array to a number.
pub trait ArrayReduction<T: ArrayNumber>: Stash + Copy {
    /// The kind of the result.
    type Out: ElementOf;
    /// The operands that the adjoint reads, as in [`Rule::READS`].
    const READS: u8;
    /// The data saved for the sweep.
    type Saved: Saved<Self::Out> + Stash;
    /// Returns the number, and the saved data.
    #[track_caller]
    fn fold(v: &impl Pieces<ArrayKind<T>>) -> (Val<Self::Out>, Self::Saved);
    /// Returns the range of elements with an adjoint, and the contribution of `r_b` to each.
    fn unfold(
        saved: &Self::Saved,
        r: Option<Val<Self::Out>>,
        r_b: Val<Self::Out>,
    ) -> (usize, Range<usize>, Val<Self::Out>);
    /// Returns the adjoint of an element from the result of [`unfold`](Self::unfold).
    fn pull(x: Option<T>, r: Option<Val<Self::Out>>, r_b: Val<Self::Out>) -> T;
    /// Returns the tangent of the number from the tangents of the elements.
    fn push(
        saved: &Self::Saved,
        v: Option<Arg<'_, ArrayKind<T>>>,
        r: Option<Val<Self::Out>>,
        v_t: Arg<'_, ArrayKind<T>>,
    ) -> Val<Self::Out>;
    /// Returns the tangent of the result of [`pull`](Self::pull), zero if `pull` reads neither the element nor the
    /// number.
    fn pull_second(x: [T; 2], r: [Option<Val<Self::Out>>; 2], r_b: Val<Self::Out>) -> T {
        let _ = (x, r, r_b);
        T::default()
    }
    /// Whether the number is a norm equal to 0.
    fn is_at_origin(r: Option<Val<Self::Out>>) -> bool {
        let _ = r;
        false
    }
    /// Returns the tangent of an element's adjoint at the origin of a norm, from the tangent of the element and from
    /// `r_b`, `r_bt` and `r_t`.
    fn pull_at_origin(x_t: T, one_sided: bool, r: [Val<Self::Out>; 3]) -> T {
        let _ = (one_sided, r);
        x_t
    }
}
/// The tangent of the number for `r_b = 1`.
fn inner<T: ArrayNumber, R: ArrayReduction<T, Out = T::Part>>(
    saved: &R::Saved,
    v: Option<&Vec<T>>,
    r: Option<T::Part>,
    v_t: &[T],
) -> T::Part
where
    T::Part: ElementOf<Value = T::Part>,
{
    let (_, live, one) = R::unfold(saved, r, T::Part::nearest(1.0));
    let term = |i: usize| R::pull(v.map(|v| v[i]), r, one).inner(v_t[i]);
    live.map(term)
        .fold(T::Part::default(), |sum, term| sum + term)
}
fn all(length: u32) -> (usize, Range<usize>) {
    (length as usize, 0..length as usize)
}
macro_rules! reductions { ($($(#[$doc:meta])* $R:ident)*) => { $(
    $(#[$doc])*
    #[derive(Clone, Copy, Debug, Stash)]
    pub struct $R;
)* } }
reductions! {
    /// The sum of the elements.
    Sum
    /// The mean of the elements.
    Mean
    /// The square root of [`NormSquared`].
    Norm
    /// The sum of the squares of the absolute values.
    NormSquared
    /// The largest element.
    ReduceMax
    /// The smallest element.
    ReduceMin
}
impl<T: ArrayNumber> ArrayReduction<T> for Sum {
    type Out = T::Kind;
    const READS: u8 = 0;
    type Saved = u32;
    fn fold(v: &impl Pieces<ArrayKind<T>>) -> (T, u32) {
        (sum(v), word(v.shape()))
    }
    fn unfold(&length: &u32, _: Option<T>, r_b: T) -> (usize, Range<usize>, T) {
        let (length, all) = all(length);
        (length, all, r_b)
    }
    #[inline(always)]
    fn pull(_: Option<T>, _: Option<T>, r_b: T) -> T {
        r_b
    }
    fn push(_: &u32, _: Option<&Vec<T>>, _: Option<T>, v_t: &Vec<T>) -> T {
        <Self as ArrayReduction<T>>::fold(&Direct::<ArrayKind<T>>::new(Some(v_t))).0
    }
}
impl<T: ArrayNumber> ArrayReduction<T> for Mean {
    type Out = T::Kind;
    const READS: u8 = 0;
    type Saved = u32;
    fn fold(v: &impl Pieces<ArrayKind<T>>) -> (T, u32) {
        let length = word(v.shape());
        match length {
            0 => (T::default(), 0),
            _ => (sum(v) / T::Part::nearest(f64::from(length)), length),
        }
    }
    fn unfold(&length: &u32, _: Option<T>, r_b: T) -> (usize, Range<usize>, T) {
        let share = r_b / T::Part::nearest(f64::from(length));
        let (length, all) = all(length);
        (length, all, share)
    }
    #[inline(always)]
    fn pull(_: Option<T>, _: Option<T>, r_b: T) -> T {
        r_b
    }
    fn push(_: &u32, _: Option<&Vec<T>>, _: Option<T>, v_t: &Vec<T>) -> T {
        <Self as ArrayReduction<T>>::fold(&Direct::<ArrayKind<T>>::new(Some(v_t))).0
    }
}
impl<T: ArrayNumber> ArrayReduction<T> for Norm {
    type Out = T::Part;
    const READS: u8 = A | RESULT;
    type Saved = u32;
    fn fold(v: &impl Pieces<ArrayKind<T>>) -> (T::Part, u32) {
        (norm(v), word(v.shape()))
    }
    fn unfold(&length: &u32, r: Option<T::Part>, r_b: T::Part) -> (usize, Range<usize>, T::Part) {
        let (length, all) = all(length);
        let zero = r == Some(T::Part::default());
        (length, if zero { 0..0 } else { all }, r_b)
    }
    /// The quotient `r_b / r` may be infinite.
    #[inline(always)]
    #[allow(clippy::eq_op)]
    fn pull(x: Option<T>, r: Option<T::Part>, r_b: T::Part) -> T {
        // The difference is NaN if the norm is infinite.
        let r = known(r);
        x.unwrap_or(T::NAN) / (r + (r - r)) * r_b
    }
    fn push(length: &u32, v: Option<&Vec<T>>, r: Option<T::Part>, v_t: &Vec<T>) -> T::Part {
        inner::<T, Self>(length, v, r, v_t)
    }
    #[inline(always)]
    fn pull_second([x, x_t]: [T; 2], [r, r_t]: [Option<T::Part>; 2], r_b: T::Part) -> T {
        (x_t + -(x / known(r) * known(r_t))) / known(r) * r_b
    }
    fn is_at_origin(r: Option<T::Part>) -> bool {
        r == Some(T::Part::default())
    }
    fn pull_at_origin(x_t: T, one_sided: bool, [r_b, r_bt, r_t]: [T::Part; 3]) -> T {
        x_t.map_parts(|x_t| tangent_at_origin(one_sided, (r_b, r_bt), x_t, r_t))
    }
}
impl<T: ArrayNumber> ArrayReduction<T> for NormSquared {
    type Out = T::Part;
    const READS: u8 = A;
    type Saved = u32;
    fn fold(v: &impl Pieces<ArrayKind<T>>) -> (T::Part, u32) {
        (squares(v), word(v.shape()))
    }
    fn unfold(&length: &u32, _: Option<T::Part>, r_b: T::Part) -> (usize, Range<usize>, T::Part) {
        let (length, all) = all(length);
        (length, all, r_b + r_b)
    }
    #[inline(always)]
    fn pull(x: Option<T>, _: Option<T::Part>, r_b: T::Part) -> T {
        x.unwrap_or(T::NAN) * r_b
    }
    fn push(length: &u32, v: Option<&Vec<T>>, r: Option<T::Part>, v_t: &Vec<T>) -> T::Part {
        inner::<T, Self>(length, v, r, v_t)
    }
    #[inline(always)]
    fn pull_second([_, x_t]: [T; 2], _: [Option<T::Part>; 2], r_b: T::Part) -> T {
        x_t * r_b
    }
}
impl<T: LaneNumber> ArrayReduction<T> for ReduceMax {
    type Out = T;
    const READS: u8 = 0;
    type Saved = [u32; 2];
    fn fold(v: &impl Pieces<ArrayKind<T>>) -> (T, [u32; 2]) {
        best("reduce_max", v, f64::NEG_INFINITY, |x, y| x > y)
    }
    fn unfold(saved: &[u32; 2], _: Option<T>, r_b: T) -> (usize, Range<usize>, T) {
        one(saved, r_b)
    }
    #[inline(always)]
    fn pull(_: Option<T>, _: Option<T>, r_b: T) -> T {
        r_b
    }
    fn push(saved: &[u32; 2], _: Option<&Vec<T>>, _: Option<T>, v_t: &Vec<T>) -> T {
        let (_, mut at, ()) = one(saved, ());
        at.next().map_or(T::default(), |at| v_t[at])
    }
}
impl<T: LaneNumber> ArrayReduction<T> for ReduceMin {
    type Out = T;
    const READS: u8 = 0;
    type Saved = [u32; 2];
    fn fold(v: &impl Pieces<ArrayKind<T>>) -> (T, [u32; 2]) {
        best("reduce_min", v, f64::INFINITY, |x, y| x < y)
    }
    fn unfold(saved: &[u32; 2], _: Option<T>, r_b: T) -> (usize, Range<usize>, T) {
        one(saved, r_b)
    }
    #[inline(always)]
    fn pull(_: Option<T>, _: Option<T>, r_b: T) -> T {
        r_b
    }
    fn push(saved: &[u32; 2], _: Option<&Vec<T>>, _: Option<T>, v_t: &Vec<T>) -> T {
        let (_, mut at, ()) = one(saved, ());
        at.next().map_or(T::default(), |at| v_t[at])
    }
}
fn one<T>(&[length, at]: &[u32; 2], r_b: T) -> (usize, Range<usize>, T) {
    let (length, at) = (length as usize, at as usize);
    (length, at..length.min(at + 1), r_b)
}
/// Reduces an array to a number.
#[derive(Clone, Copy, Debug, Stash)]
pub struct Fold<R>(pub R);
impl<T: ArrayNumber, R: ArrayReduction<T>> Rule<ArrayKind<T>> for Fold<R> {
    type Out = R::Out;
    type Saved = R::Saved;
    type Evaluation = eval::Reduction;
    const READS: [u8; 3] = [R::READS, 0, 0];
    fn primal(&self, v: &Vec<T>, (): (), (): ()) -> (Val<R::Out>, R::Saved) {
        R::fold(&Direct::<ArrayKind<T>>::new(Some(v)))
    }
    fn adjoint(
        &self,
        p: Primals<'_, ArrayKind<T>, (), (), R::Out>,
        saved: &R::Saved,
        r_b: Incoming<'_, R::Out>,
        mut s: impl Sinks<ArrayKind<T>>,
    ) {
        let r_b = r_b.get();
        if !s.a().wants() {
            return;
        }
        let r = (R::READS & RESULT != 0).then(|| p.r());
        let (length, live, r_b) = R::unfold(saved, r, r_b);
        s.a().add(Added::new(length, |mut into: Elements<'_, T>| {
            let v = (R::READS & A != 0).then(|| p.a());
            for i in live {
                into.add(i, R::pull(v.map(|v| v[i]), r, r_b));
            }
        }));
    }
    const ORDER: Order = Order::Second;
    fn tangent(
        &self,
        p: Primals<'_, ArrayKind<T>, (), (), R::Out>,
        saved: &R::Saved,
        t: ArgumentTangent<'_, ArrayKind<T>>,
    ) -> Option<Val<R::Out>> {
        let v = (R::READS & A != 0).then(|| p.a());
        let r = (R::READS & RESULT != 0).then(|| p.r());
        let v_t = t.a?;
        if t.one_sided && R::is_at_origin(r) {
            return Some(R::fold(&Direct::<ArrayKind<T>>::new(Some(v_t))).0);
        }
        Some(R::push(saved, v, r, v_t))
    }
    fn adjoint_tangent(
        &self,
        p: Primals<'_, ArrayKind<T>, (), (), R::Out>,
        saved: &R::Saved,
        t: ArgumentTangent<'_, ArrayKind<T>>,
        r_t: Option<&Val<R::Out>>,
        r_b: Incoming<'_, R::Out>,
        mut s: impl Sinks<ArrayKind<T>>,
    ) {
        let (true, Some(v_t)) = (R::READS != 0, t.a) else {
            return;
        };
        let r = (R::READS & RESULT != 0).then(|| p.r());
        let (length, live, r_b) = R::unfold(saved, r, r_b.get());
        s.a().add(Added::new(length, |mut into: Elements<'_, T>| {
            let v = p.a();
            for i in live {
                into.add(i, R::pull_second([v[i], v_t[i]], [r, r_t.copied()], r_b));
            }
        }));
    }
    fn second<const N: usize>(
        &self,
        p: &Primals<'_, ArrayKind<T>, (), (), R::Out>,
        saved: &R::Saved,
        t: ArgumentTangents<'_, ArrayKind<T>, (), (), N>,
        r_t: Option<&[Val<R::Out>; N]>,
        r: SecondAdjoint<'_, R::Out, N>,
        sinks: &mut impl SecondSinks<ArrayKind<T>, (), (), N>,
    ) {
        let norm = (R::READS & RESULT != 0).then(|| p.r());
        let (true, Some(v_t)) = (R::is_at_origin(norm), t.a) else {
            return second_by_formulas(self, p, saved, t, r_t, r, sinks);
        };
        let r_b = r.r_b.copied().unwrap_or_default();
        for (j, v_t) in v_t.iter().enumerate() {
            let [r_bt, r_t] = [r.tangents, r_t].map(|t| t.map_or_else(Default::default, |t| t[j]));
            let v_bt = v_t
                .iter()
                .map(|&v_t| R::pull_at_origin(v_t, t.one_sided, [r_b, r_bt, r_t]));
            sinks.tangent(j).a().add(v_bt.collect::<Vec<T>>());
        }
    }
}
impl<T: ArrayNumber, R: ArrayReduction<T>> PullPieces<ArrayKind<T>> for Fold<R> {
    #[inline(always)]
    fn pull(
        &self,
        x: &PiecePrimals<ArrayKind<T>, (), (), R::Out>,
        r_b: Piece<R::Out>,
        s: &mut impl PieceSinks<ArrayKind<T>>,
    ) {
        s.a(|| R::pull(x.a, x.r, r_b));
    }
}
impl<T: ArrayNumber, R: ArrayReduction<T>> ReductionRule<ArrayKind<T>> for Fold<R> {
    #[inline(always)]
    #[track_caller]
    fn fold(
        &self,
        v: &impl Pieces<ArrayKind<T>>,
        _: &impl Pieces<()>,
        _: &impl Pieces<()>,
    ) -> (Val<R::Out>, R::Saved) {
        R::fold(v)
    }
    #[inline(always)]
    fn unfold(
        &self,
        saved: &R::Saved,
        _: impl FnOnce() -> ReadShapes<ArrayKind<T>, (), ()>,
        r: Option<Val<R::Out>>,
        r_b: Val<R::Out>,
    ) -> Unfolded<ArrayKind<T>, (), (), R::Out> {
        let (length, pieces, r_b) = R::unfold(saved, r, r_b);
        Unfolded {
            shapes: (length, (), ()),
            pieces,
            r_b,
        }
    }
}

/// Reductions of arrays. Extremes ignore NaN unless all elements are NaN; the first of equal elements has the adjoint.
/// Different lengths and extremes of an empty array panic on evaluation.
///
/// ```
/// use entape_core::{real::Elementary, tape::Tape};
/// use entape_simd::arrays::ArrayOps;
///
/// let mut tape = Tape::new();
/// let (v, w) = (tape.input(vec![1.0, 2.0]), tape.input(vec![3.0, 4.0]));
/// // one statement, one loop, and one loop in the sweep: the product is not stored as an array
/// let y = tape.record(|| (&v * &w).powi(2).sum().eval());
/// assert_eq!(tape.gradient(&y)?.wrt(&v)?, [18.0, 64.0]); // 2 v w²
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait ArrayOps<T: ArrayNumber, M: AnyMode>: Operand<M, Kind = ArrayKind<T>> + Sized {
    /// Returns the sum of all elements; 0 if there are none.
    fn sum(self) -> Unary<Fold<Sum>, M, Self> {
        unary(Fold(Sum), self)
    }
    /// Returns the mean of all elements; 0 if there are none.
    fn mean(self) -> Unary<Fold<Mean>, M, Self> {
        unary(Fold(Mean), self)
    }
    /// Returns `Σ v .* w`, without conjugation.
    fn dot<W: Operand<M>>(self, w: W) -> Binary<Dot, M, Self, W>
    where
        Dot: Rule<ArrayKind<T>, W::Kind>,
    {
        binary(Dot, self, w)
    }
    /// Returns `Σ conj(v) .* w`, the inner product.
    fn dotc<W: Operand<M>>(self, w: W) -> Binary<Dotc, M, Self, W>
    where
        Dotc: Rule<ArrayKind<T>, W::Kind>,
    {
        binary(Dotc, self, w)
    }
    /// Returns the square root of [`norm_squared`](Self::norm_squared), without overflow. If all elements are 0, the
    /// adjoint is 0.
    fn norm(self) -> Unary<Fold<Norm>, M, Self> {
        unary(Fold(Norm), self)
    }
    /// Returns the sum of the squares of the absolute values.
    fn norm_squared(self) -> Unary<Fold<NormSquared>, M, Self> {
        unary(Fold(NormSquared), self)
    }
    /// Returns the largest element.
    fn reduce_max(self) -> Unary<Fold<ReduceMax>, M, Self>
    where
        T: LaneNumber,
    {
        unary(Fold(ReduceMax), self)
    }
    /// Returns the smallest element.
    fn reduce_min(self) -> Unary<Fold<ReduceMin>, M, Self>
    where
        T: LaneNumber,
    {
        unary(Fold(ReduceMin), self)
    }
}
impl<T: ArrayNumber, M: AnyMode, X: Operand<M, Kind = ArrayKind<T>>> ArrayOps<T, M> for X {}
