//! Operations on lists of reals: sums, products, norms and extremes, each of which is one statement.
use super::{Real, norm};
use crate::{
    eval::Whole,
    expr::{Active, Apply, Expr, Out, ToList, Variables, list},
    kind::{Incoming, Item, Items, Kind, List, Val, index},
    mode::AnyMode,
    rule::{A, B, Primals, R, Rule, Sink, Sinks},
    store::Stash,
};
use std::{iter, ops::Mul};

/// Declares operations without parameters.
macro_rules! operations { ($($(#[$doc:meta])* $Op:ident)*) => { $(
    $(#[$doc])*
    #[derive(Clone, Copy, Debug, Stash)]
    pub struct $Op;
)* } }
operations! {
    /// The sum of a list, in the order of the plain sum.
    Sum
    /// The product of a list, in the order of the plain product.
    Product
    /// The mean of a list.
    Mean
    /// The sum of the products of two lists.
    Dot
    /// The length of a list as a vector, without overflow.
    Norm
    /// The square of the length of a list as a vector.
    NormSquared
}

/// The number of elements, saved for an adjoint that reads none of them.
fn kept(count: usize) -> u32 {
    u32::try_from(count).expect("a list below 2^32 elements")
}
fn repeat<V: Copy>(value: V, count: u32) -> Items<std::iter::RepeatN<V>> {
    Items(std::iter::repeat_n(value, count as usize))
}

/// A value kind whose values are numbers of a field: lists of them have a sum and a product, and iterators
/// over variables `sum` and `product`.
pub trait NumberKind:
    Kind<Policy = index::Linear, Value: Copy + Mul<Output = Val<Self>> + iter::Sum + iter::Product>
{
    /// One.
    const ONE: Val<Self>;
    /// The conjugate; a real number is its own.
    fn conj(x: Val<Self>) -> Val<Self>;
}
impl<K: NumberKind> Rule<List<K>> for Sum {
    type Out = K;
    type Saved = u32;
    type Evaluation = Whole;
    const READS: [u8; 3] = [0; 3];
    fn primal(&self, x: &Vec<Val<K>>, (): (), (): ()) -> (Val<K>, u32) {
        (x.iter().copied().sum(), kept(x.len()))
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
}
impl<K: NumberKind> Rule<List<K>> for Product {
    type Out = K;
    type Saved = ();
    type Evaluation = Whole;
    const READS: [u8; 3] = [A, 0, 0];
    fn primal(&self, x: &Vec<Val<K>>, (): (), (): ()) -> (Val<K>, ()) {
        (x.iter().copied().product(), ())
    }
    fn adjoint(
        &self,
        p: Primals<'_, List<K>, (), (), K>,
        (): &(),
        r_b: Incoming<'_, K>,
        mut s: impl Sinks<List<K>>,
    ) {
        let r_b = r_b.get();
        // The product of all other elements is the product of those behind times that of those before, without a
        // division.
        let x = p.a();
        let mut others = vec![K::ONE; x.len()];
        let mut behind = K::ONE;
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
}

/// The length of a list as a vector.
fn length<T: Real>(x: &[T]) -> T {
    norm(x.iter().map(|&x| x * x).sum(), |visit| {
        x.iter().for_each(|&x| visit(x));
    })
}

/// The rules that only reals have, for each precision.
macro_rules! rules { ($($T:ident)*) => { $(
    impl NumberKind for $T {
        const ONE: $T = 1.0;
        #[inline(always)]
        fn conj(x: $T) -> $T { x }
    }
    impl Rule<List<$T>> for Mean {
        type Out = $T;
        type Saved = u32;
    type Evaluation = Whole;
        const READS: [u8; 3] = [0; 3];
        fn primal(&self, x: &Vec<$T>, (): (), (): ()) -> ($T, u32) {
            let mean = match x.len() {
                0 => 0.0,
                count => x.iter().sum::<$T>() / count as $T,
            };
            (mean, kept(x.len()))
        }
        fn adjoint(&self, _: Primals<'_, List<$T>, (), (), $T>, count: &u32, r_b: Incoming<'_, $T>, mut s: impl Sinks<List<$T>>) { let r_b = r_b.get();
            s.a().add(repeat(r_b / *count as $T, *count));
        }
    }
    impl Rule<List<$T>, List<$T>> for Dot {
        type Out = $T;
        type Saved = ();
    type Evaluation = Whole;
        const READS: [u8; 3] = [B, A, 0];
        fn primal<'p>(&self, x: &'p Vec<$T>, y: &'p Vec<$T>, (): ()) -> ($T, ()) {
            assert_same_length(x.len(), y.len());
            (x.iter().zip(y).map(|(x, y)| x * y).sum(), ())
        }
        fn adjoint(&self, p: Primals<'_, List<$T>, List<$T>, (), $T>, (): &(), r_b: Incoming<'_, $T>, mut s: impl Sinks<List<$T>, List<$T>>) { let r_b = r_b.get();
            if s.a().wants() {
                s.a().add(Items(p.b().iter().map(|y| r_b * y)));
            }
            if s.b().wants() {
                s.b().add(Items(p.a().iter().map(|x| r_b * x)));
            }
        }
    }
    impl Rule<List<$T>> for NormSquared {
        type Out = $T;
        type Saved = ();
    type Evaluation = Whole;
        const READS: [u8; 3] = [A, 0, 0];
        fn primal(&self, x: &Vec<$T>, (): (), (): ()) -> ($T, ()) { (x.iter().map(|x| x * x).sum(), ()) }
        fn adjoint(&self, p: Primals<'_, List<$T>, (), (), $T>, (): &(), r_b: Incoming<'_, $T>, mut s: impl Sinks<List<$T>>) { let r_b = r_b.get();
            s.a().add(Items(p.a().iter().map(|x| 2.0 * r_b * x)));
        }
    }
    impl Rule<List<$T>> for Norm {
        type Out = $T;
        type Saved = ();
    type Evaluation = Whole;
        const READS: [u8; 3] = [A | R, 0, 0];
        fn primal(&self, x: &Vec<$T>, (): (), (): ()) -> ($T, ()) { (length(x), ()) }
        fn adjoint(&self, p: Primals<'_, List<$T>, (), (), $T>, (): &(), r_b: Incoming<'_, $T>, mut s: impl Sinks<List<$T>>) { let r_b = r_b.get();
            let r = p.r();
            if r != 0.0 {
                s.a().add(Items(p.a().iter().map(|x| r_b * (x / r))));
            }
        }
    }
    rules! { @extreme $T Max > NEG_INFINITY }
    rules! { @extreme $T Min < INFINITY }
)* };
(@extreme $T:ident $Op:ident $better:tt $EMPTY:ident) => {
    /// The extreme of a list: the first one of equal elements, and NaN only if all elements are.
    impl Rule<List<$T>> for super::elementary::$Op {
        type Out = $T;
        /// The index of the result, and the number of elements.
        type Saved = [u32; 2];
        type Evaluation = Whole;
        const READS: [u8; 3] = [0; 3];
        fn primal(&self, x: &Vec<$T>, (): (), (): ()) -> ($T, [u32; 2]) {
            let Some((&first, rest)) = x.split_first() else { return ($T::$EMPTY, [0, 0]) };
            let mut best = (first, 0);
            for (&x, at) in rest.iter().zip(1..) {
                if x $better best.0 || (best.0.is_nan() && !x.is_nan()) {
                    best = (x, at);
                }
            }
            (best.0, [best.1, kept(x.len())])
        }
        fn adjoint(&self, _: Primals<'_, List<$T>, (), (), $T>, &[at, of]: &[u32; 2], r_b: Incoming<'_, $T>, mut s: impl Sinks<List<$T>>) { let r_b = r_b.get();
            if of > 0 {
                s.a().add(Item { at: at as usize, of: of as usize, value: r_b });
            }
        }
    }
} }
rules! { f64 f32 }

#[track_caller]
fn assert_same_length(x: usize, y: usize) {
    assert!(
        x == y,
        "the dot product of a list with {x} elements and one with {y}"
    );
}

type OfList<'x, O, K, M> = Expr<Out<O, List<K>>, M, Apply<O, Variables<'x, K, M>>>;

type OfLists<'x, O, K, M, Y> =
    Expr<Out<O, List<K>, List<K>>, M, Apply<O, Variables<'x, K, M>, <Y as ToList<M>>::Node>>;

/// Operations on slices, arrays and vectors of reals, with the names that `nalgebra` has for vectors. Each
/// makes an expression that has any number of variables, so that it is one statement, or a part of one.
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
/// | operation | of no elements | where it has no derivative |
/// |---|---|---|
/// | `sum`, `product`, `norm_squared`, `dot` | as the plain sum and product have it | |
/// | `mean` | 0 | |
/// | `norm` | 0 | where all are 0: the adjoint is 0 |
/// | `max`, `min` | -Inf, +Inf | the first of those that are equal has the adjoint |
///
/// With NaN among the elements, `max` and `min` are those of the others, as for two numbers.
pub trait Reals<K: Kind, M: AnyMode> {
    /// The variables.
    fn variables(&self) -> &[Active<K, M>];
    /// The sum.
    #[inline]
    fn sum(&self) -> OfList<'_, Sum, K, M>
    where
        Sum: Rule<List<K>>,
    {
        of_list(Sum, self.variables())
    }
    /// The product. Its adjoint is exact if elements are zero, too.
    #[inline]
    fn product(&self) -> OfList<'_, Product, K, M>
    where
        Product: Rule<List<K>>,
    {
        of_list(Product, self.variables())
    }
    /// The mean.
    #[inline]
    fn mean(&self) -> OfList<'_, Mean, K, M>
    where
        Mean: Rule<List<K>>,
    {
        of_list(Mean, self.variables())
    }
    /// The length of the vector, without overflow.
    #[inline]
    fn norm(&self) -> OfList<'_, Norm, K, M>
    where
        Norm: Rule<List<K>>,
    {
        of_list(Norm, self.variables())
    }
    /// The square of the length of the vector.
    #[inline]
    fn norm_squared(&self) -> OfList<'_, NormSquared, K, M>
    where
        NormSquared: Rule<List<K>>,
    {
        of_list(NormSquared, self.variables())
    }
    /// The largest element.
    #[inline]
    fn max(&self) -> OfList<'_, super::elementary::Max, K, M>
    where
        super::elementary::Max: Rule<List<K>>,
    {
        of_list(super::elementary::Max, self.variables())
    }
    /// The smallest element.
    #[inline]
    fn min(&self) -> OfList<'_, super::elementary::Min, K, M>
    where
        super::elementary::Min: Rule<List<K>>,
    {
        of_list(super::elementary::Min, self.variables())
    }
    /// The dot product with another list, of variables or of plain numbers.
    ///
    /// # Panics
    /// If the lists have different lengths.
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
