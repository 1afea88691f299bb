//! Reductions of arrays to reals: sums, norms, extremes. An expression of arrays is reduced in the loop that computes
//! its elements, and the sweep takes the adjoint back to the arguments in one loop.
use super::{
    adjoint::{Added, scaled},
    kinds::{ArrayKind, InOrder, common, word},
};
use crate::LaneNumber;
use entape_core::{
    eval,
    expr::{Binary, Operand, Unary, binary, unary},
    kind::{At, BLOCK, Forward, Incoming, Layout, PieceLoop, Pieces, blocks},
    mode::AnyMode,
    node::Direct,
    real::{self, known},
    rule::{
        A, B, PiecePrimals, PieceSinks, Primals, PullPieces, R as RESULT, ReadShapes,
        ReductionRule, Rule, Sink, Sinks, Unfolded,
    },
    store::Stash,
};
use std::ops::Range;

/// The terms of a sum, computed block by block.
trait Summands<T> {
    /// A function that computes the terms of a block by index.
    fn within(&self, block: At) -> impl Fn(usize) -> T;
}
/// The elements, with a function applied to each.
struct MappedElements<'p, P, F>(&'p P, F);
impl<T: LaneNumber, P: Pieces<ArrayKind<T>>, F: Fn(T) -> T + Copy> Summands<T>
    for MappedElements<'_, P, F>
{
    #[inline(always)]
    fn within(&self, block: At) -> impl Fn(usize) -> T {
        let (pieces, f) = (self.0.within::<Forward>(block), self.1);
        #[inline(always)]
        move |i| f(pieces.at(i))
    }
}
/// Products of elements.
struct Products<'p, P, Q>(&'p P, &'p Q);
impl<T: LaneNumber, P: Pieces<ArrayKind<T>>, Q: Pieces<ArrayKind<T>>> Summands<T>
    for Products<'_, P, Q>
{
    #[inline(always)]
    fn within(&self, block: At) -> impl Fn(usize) -> T {
        let (a, b) = (
            self.0.within::<Forward>(block),
            self.1.within::<Forward>(block),
        );
        #[inline(always)]
        move |i| a.at(i) * b.at(i)
    }
}
/// Computes the terms of a block and passes them on together with the index of the first one. The compiler vectorises a
/// loop best that does nothing but compute them.
#[inline(always)]
fn show_blocks<T: LaneNumber>(
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
impl<T: LaneNumber, X: Summands<T>, F: FnMut(usize, &[T])> PieceLoop for Showing<'_, T, X, F> {
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

/// The number of partial sums that are computed side by side, so that the loop is vectorised. The order of additions
/// does not depend on the machine.
const SUMS: usize = 16;
fn sum_of<T: LaneNumber>(length: usize, terms: &impl Summands<T>) -> T {
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
fn sum<T: LaneNumber>(v: &impl Pieces<ArrayKind<T>>) -> T {
    sum_of(v.shape(), &MappedElements(v, |x| x))
}
fn dot<T: LaneNumber>(v: &impl Pieces<ArrayKind<T>>, w: &impl Pieces<ArrayKind<T>>) -> T {
    sum_of(v.shape(), &Products(v, w))
}
fn squares<T: LaneNumber>(v: &impl Pieces<ArrayKind<T>>) -> T {
    sum_of(v.shape(), &MappedElements(v, |x| x * x))
}
fn norm<T: LaneNumber>(v: &impl Pieces<ArrayKind<T>>) -> T {
    real::norm(squares(v), |visit| each(v, visit))
}
/// Passes on each element.
fn each<T: LaneNumber>(v: &impl Pieces<ArrayKind<T>>, mut visit: impl FnMut(T)) {
    let visit = |_, block: &[T]| block.iter().for_each(|&x| visit(x));
    show_blocks(v.shape(), &MappedElements(v, |x| x), visit);
}
/// The best element and its index, the first one of equal ones. It is NaN only if all elements are, and `none` if there
/// are none.
fn best<T: LaneNumber>(
    v: &impl Pieces<ArrayKind<T>>,
    none: f64,
    better: impl Fn(T, T) -> bool + Copy,
) -> (T, [u32; 2]) {
    let (length, none) = (v.shape(), T::nearest(none));
    let mut best: Option<(usize, T)> = None;
    show_blocks(
        length,
        &MappedElements(v, |x| x),
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
    let nan = if length == 0 {
        none
    } else {
        T::nearest(f64::NAN)
    };
    let (at, r) = best.unwrap_or((0, nan));
    (r, [word(length), word(at)])
}

/// How an array is reduced to a number.
pub trait ArrayReduction: Stash + Copy {
    /// What the adjoint reads, as in [`Rule::READS`].
    const READS: u8;
    /// What is saved for the sweep.
    type Saved: Stash;
    /// The number, and what is saved.
    fn fold<T: LaneNumber>(v: &impl Pieces<ArrayKind<T>>) -> (T, Self::Saved);
    /// From the length of the array: the range of elements that get an adjoint, and what each of them gets of `r_b`.
    fn unfold<T: LaneNumber>(saved: &Self::Saved, r: Option<T>, r_b: T)
    -> (usize, Range<usize>, T);
    /// The adjoint of an element, from what [`unfold`](Self::unfold) returned.
    #[inline(always)]
    fn pull<T: LaneNumber>(x: Option<T>, r: Option<T>, r_b: T) -> T {
        let _ = (x, r);
        r_b
    }
}
/// All elements.
fn all(length: u32) -> (usize, Range<usize>) {
    (length as usize, 0..length as usize)
}
/// Declares reductions.
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
    /// The square root of the sum of the squares.
    Norm
    /// The sum of the squares.
    NormSquared
    /// The largest element.
    ReduceMax
    /// The smallest element.
    ReduceMin
}
impl ArrayReduction for Sum {
    const READS: u8 = 0;
    type Saved = u32;
    fn fold<T: LaneNumber>(v: &impl Pieces<ArrayKind<T>>) -> (T, u32) {
        (sum(v), word(v.shape()))
    }
    fn unfold<T: LaneNumber>(&length: &u32, _: Option<T>, r_b: T) -> (usize, Range<usize>, T) {
        let (length, all) = all(length);
        (length, all, r_b)
    }
}
impl ArrayReduction for Mean {
    const READS: u8 = 0;
    type Saved = u32;
    fn fold<T: LaneNumber>(v: &impl Pieces<ArrayKind<T>>) -> (T, u32) {
        let length = word(v.shape());
        match length {
            0 => (T::default(), 0),
            _ => (sum(v) / T::nearest(f64::from(length)), length),
        }
    }
    fn unfold<T: LaneNumber>(&length: &u32, _: Option<T>, r_b: T) -> (usize, Range<usize>, T) {
        let share = r_b / T::nearest(f64::from(length));
        let (length, all) = all(length);
        (length, all, share)
    }
}
impl ArrayReduction for Norm {
    const READS: u8 = A | RESULT;
    type Saved = u32;
    fn fold<T: LaneNumber>(v: &impl Pieces<ArrayKind<T>>) -> (T, u32) {
        (norm(v), word(v.shape()))
    }
    fn unfold<T: LaneNumber>(&length: &u32, r: Option<T>, r_b: T) -> (usize, Range<usize>, T) {
        let (length, all) = all(length);
        let zero = r == Some(T::default());
        (length, if zero { 0..0 } else { all }, r_b)
    }
    /// The quotient `r_b / r` would be infinite where the norm is as small as numbers can be.
    #[inline(always)]
    fn pull<T: LaneNumber>(x: Option<T>, r: Option<T>, r_b: T) -> T {
        r_b * (known(x) / known(r))
    }
}
impl ArrayReduction for NormSquared {
    const READS: u8 = A;
    type Saved = u32;
    fn fold<T: LaneNumber>(v: &impl Pieces<ArrayKind<T>>) -> (T, u32) {
        (squares(v), word(v.shape()))
    }
    fn unfold<T: LaneNumber>(&length: &u32, _: Option<T>, r_b: T) -> (usize, Range<usize>, T) {
        let (length, all) = all(length);
        (length, all, r_b + r_b)
    }
    #[inline(always)]
    fn pull<T: LaneNumber>(x: Option<T>, _: Option<T>, r_b: T) -> T {
        r_b * known(x)
    }
}
impl ArrayReduction for ReduceMax {
    const READS: u8 = 0;
    type Saved = [u32; 2];
    fn fold<T: LaneNumber>(v: &impl Pieces<ArrayKind<T>>) -> (T, [u32; 2]) {
        best(v, f64::NEG_INFINITY, |x, y| x > y)
    }
    fn unfold<T: LaneNumber>(saved: &[u32; 2], _: Option<T>, r_b: T) -> (usize, Range<usize>, T) {
        one(saved, r_b)
    }
}
impl ArrayReduction for ReduceMin {
    const READS: u8 = 0;
    type Saved = [u32; 2];
    fn fold<T: LaneNumber>(v: &impl Pieces<ArrayKind<T>>) -> (T, [u32; 2]) {
        best(v, f64::INFINITY, |x, y| x < y)
    }
    fn unfold<T: LaneNumber>(saved: &[u32; 2], _: Option<T>, r_b: T) -> (usize, Range<usize>, T) {
        one(saved, r_b)
    }
}
/// One element, if there is one.
fn one<T>(&[length, at]: &[u32; 2], r_b: T) -> (usize, Range<usize>, T) {
    let (length, at) = (length as usize, at as usize);
    (length, at..length.min(at + 1), r_b)
}
/// Reduces an array to a number.
#[derive(Clone, Copy, Debug, Stash)]
pub struct Fold<R>(pub R);
impl<T: LaneNumber, R: ArrayReduction> Rule<ArrayKind<T>> for Fold<R> {
    type Out = T;
    type Saved = R::Saved;
    type Evaluation = eval::Reduction;
    const READS: [u8; 3] = [R::READS, 0, 0];
    fn primal(&self, v: &Vec<T>, (): (), (): ()) -> (T, R::Saved) {
        R::fold(&Direct::<ArrayKind<T>>::new(Some(v)))
    }
    fn adjoint(
        &self,
        p: Primals<'_, ArrayKind<T>, (), (), T>,
        saved: &R::Saved,
        r_b: Incoming<'_, T>,
        mut s: impl Sinks<ArrayKind<T>>,
    ) {
        let r_b = r_b.get();
        if !s.a().wants() {
            return;
        }
        let r = (R::READS & RESULT != 0).then(|| p.r());
        let (length, live, r_b) = R::unfold(saved, r, r_b);
        s.a().add(Added::new(length, |into: &mut [T]| {
            let v = (R::READS & A != 0).then(|| p.a());
            for i in live {
                into[i] += R::pull(v.map(|v| v[i]), r, r_b);
            }
        }));
    }
}
impl<T: LaneNumber, R: ArrayReduction> PullPieces<ArrayKind<T>> for Fold<R> {
    #[inline(always)]
    fn pull(
        &self,
        x: &PiecePrimals<ArrayKind<T>, (), (), T>,
        r_b: T,
        s: &mut impl PieceSinks<ArrayKind<T>>,
    ) {
        s.a(|| R::pull(x.a, x.r, r_b));
    }
}
impl<T: LaneNumber, R: ArrayReduction> ReductionRule<ArrayKind<T>> for Fold<R> {
    #[inline(always)]
    fn fold(
        &self,
        v: &impl Pieces<ArrayKind<T>>,
        _: &impl Pieces<()>,
        _: &impl Pieces<()>,
    ) -> (T, R::Saved) {
        R::fold(v)
    }
    #[inline(always)]
    fn unfold(
        &self,
        saved: &R::Saved,
        _: impl FnOnce() -> ReadShapes<ArrayKind<T>, (), ()>,
        r: Option<T>,
        r_b: T,
    ) -> Unfolded<ArrayKind<T>, (), (), T> {
        let (length, pieces, r_b) = R::unfold(saved, r, r_b);
        Unfolded {
            shapes: (length, (), ()),
            pieces,
            r_b,
        }
    }
}

/// The sum of the products of elements.
#[derive(Clone, Copy, Debug, Stash)]
pub struct Dot;
impl<T: LaneNumber> Rule<ArrayKind<T>, ArrayKind<T>> for Dot {
    type Out = T;
    type Saved = u32;
    type Evaluation = eval::Reduction;
    const READS: [u8; 3] = [B, A, 0];
    #[track_caller]
    fn primal(&self, v: &Vec<T>, w: &Vec<T>, (): ()) -> (T, u32) {
        let [v, w] = [v, w].map(|x| Direct::<ArrayKind<T>>::new(Some(x)));
        self.fold(&v, &w, &Direct::<()>::new(Some(())))
    }
    fn adjoint(
        &self,
        p: Primals<'_, ArrayKind<T>, ArrayKind<T>, (), T>,
        _: &u32,
        r_b: Incoming<'_, T>,
        mut s: impl Sinks<ArrayKind<T>, ArrayKind<T>>,
    ) {
        let r_b = r_b.get();
        if s.a().wants() {
            s.a().add(scaled(r_b, p.b()));
        }
        if s.b().wants() {
            s.b().add(scaled(r_b, p.a()));
        }
    }
}
impl<T: LaneNumber> PullPieces<ArrayKind<T>, ArrayKind<T>> for Dot {
    #[inline(always)]
    fn pull(
        &self,
        x: &PiecePrimals<ArrayKind<T>, ArrayKind<T>, (), T>,
        r_b: T,
        s: &mut impl PieceSinks<ArrayKind<T>, ArrayKind<T>>,
    ) {
        s.a(|| r_b * known(x.b));
        s.b(|| r_b * known(x.a));
    }
}
impl<T: LaneNumber> ReductionRule<ArrayKind<T>, ArrayKind<T>> for Dot {
    #[track_caller]
    #[inline(always)]
    fn fold(
        &self,
        v: &impl Pieces<ArrayKind<T>>,
        w: &impl Pieces<ArrayKind<T>>,
        _: &impl Pieces<()>,
    ) -> (T, u32) {
        let length = common::<Self, 2>([v.shape(), w.shape()]);
        (dot(v, w), word(length))
    }
    fn unfold(
        &self,
        &length: &u32,
        _: impl FnOnce() -> ReadShapes<ArrayKind<T>, ArrayKind<T>, ()>,
        _: Option<T>,
        r_b: T,
    ) -> Unfolded<ArrayKind<T>, ArrayKind<T>, (), T> {
        let (length, pieces) = all(length);
        Unfolded {
            shapes: (length, length, ()),
            pieces,
            r_b,
        }
    }
}

/// Reductions of arrays and expressions of them.
///
/// ```
/// use entape_core::{real::Elementary, tape::Tape};
/// use entape_simd::arrays::ArrayOps;
///
/// let mut tape = Tape::new();
/// let (v, w) = (tape.input(vec![1.0, 2.0]), tape.input(vec![3.0, 4.0]));
/// // one statement, one loop, and one in the sweep: no array is made of the product
/// let y = tape.record(|| (&v * &w).powi(2).sum().eval());
/// assert_eq!(tape.gradient(&y)?.wrt(&v)?, [18.0, 64.0]); // 2 v w²
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait ArrayOps<T: LaneNumber, M: AnyMode>: Operand<M, Kind = ArrayKind<T>> + Sized {
    /// The sum of all elements; 0 if there are none.
    fn sum(self) -> Unary<Fold<Sum>, M, Self> {
        unary(Fold(Sum), self)
    }
    /// The mean of all elements; 0 if there are none.
    fn mean(self) -> Unary<Fold<Mean>, M, Self> {
        unary(Fold(Mean), self)
    }
    /// The sum of the products of elements.
    ///
    /// # Panics
    /// On evaluation, if the lengths differ.
    fn dot<W: Operand<M>>(self, w: W) -> Binary<Dot, M, Self, W>
    where
        Dot: Rule<ArrayKind<T>, W::Kind>,
    {
        binary(Dot, self, w)
    }
    /// The square root of the sum of the squares, without overflow. Where all elements are 0, the adjoint is 0.
    fn norm(self) -> Unary<Fold<Norm>, M, Self> {
        unary(Fold(Norm), self)
    }
    /// The sum of the squares.
    fn norm_squared(self) -> Unary<Fold<NormSquared>, M, Self> {
        unary(Fold(NormSquared), self)
    }
    /// The largest element, where NaN counts only if all elements are NaN; `-Inf` if there are none. The first one of
    /// equal elements has the adjoint.
    fn reduce_max(self) -> Unary<Fold<ReduceMax>, M, Self> {
        unary(Fold(ReduceMax), self)
    }
    /// The smallest element, where NaN counts only if all elements are NaN; `+Inf` if there are none. The first one of
    /// equal elements has the adjoint.
    fn reduce_min(self) -> Unary<Fold<ReduceMin>, M, Self> {
        unary(Fold(ReduceMin), self)
    }
}
impl<T: LaneNumber, M: AnyMode, X: Operand<M, Kind = ArrayKind<T>>> ArrayOps<T, M> for X {}
