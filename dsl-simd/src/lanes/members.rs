use super::{LaneNumber, Lanes, SimdVector};
use entape_core::{
    elementwise::{self, Dual, Lane as _},
    eval::Whole,
    expr::{Expr, IntoExpr, ToList, Unary, list, unary},
    kind::{Adjoint, Incoming, List, Passed, PassedItems, PassedNumber},
    mode::AnyMode,
    operations,
    rule::{ArgumentTangent, Order, Primals, Rule, Sink, Sinks, linear_tangent},
    store::Stash,
};
use std::marker::PhantomData;

#[track_caller]
pub(super) fn assert_lane<V: SimdVector>(i: usize) {
    assert!(
        i < V::LANES,
        "the lane {i} is out of range for {} with {} lanes",
        V::NAME,
        V::LANES
    );
}
#[inline(always)]
fn alone<V: SimdVector>(i: usize, r_b: V::Number) -> Passed<V> {
    let mut all = <V as Adjoint<Lanes<V>>>::unset();
    all.as_mut_slice()[i] += r_b.computed();
    Passed(all)
}
/// Multiplies each number by the other items of `x`.
#[inline(always)]
fn multiply_by_others<L: elementwise::Lane>(numbers: &mut [L], x: &[L]) {
    let one = x[0].one();
    let (mut before, mut behind) = (one, one);
    for (number, &x) in numbers.iter_mut().zip(x) {
        *number = *number * before;
        before = before * x;
    }
    for (number, &x) in numbers.iter_mut().zip(x).rev() {
        *number = *number * behind;
        behind = behind * x;
    }
}
#[inline(always)]
fn times_others<V: SimdVector>(mut numbers: V, v: V) -> V {
    multiply_by_others(numbers.as_mut_slice(), v.as_slice());
    numbers
}
fn dual<L: Copy>((&value, &tangent): (&L, &L)) -> Dual<L, 1> {
    Dual {
        value,
        tangents: [tangent],
    }
}
#[inline(always)]
fn best<V: SimdVector>(v: V, better: impl Fn(&V::Number, &V::Number) -> bool) -> u8 {
    let x = v.as_slice();
    let mut best = 0;
    for i in 1..V::LANES {
        let nan = x[best].partial_cmp(&x[best]).is_none() && x[i].partial_cmp(&x[i]).is_some();
        if better(&x[i], &x[best]) || nan {
            best = i;
        }
    }
    best as u8
}

/// Single lanes, reductions, and lanes as a list of reals. Extremes ignore NaN unless all lanes are NaN; the first of
/// equal lanes has the adjoint.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_simd::{LanesOps, wide::f64x4};
///
/// let mut tape = Tape::new();
/// let v = tape.input(f64x4::new([1.0, 2.0, 3.0, 4.0]));
/// let y = tape.record(|| (v.reduce_mul() + v.reduce_max() * v.lane(0)).eval());
/// assert_eq!(y, 24.0 + 4.0);
/// assert_eq!(tape.gradient(&y)?.wrt(&v)?, f64x4::new([24.0 + 4.0, 12.0, 8.0, 6.0 + 1.0]));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[operations(ext = LanesOps)]
impl<V: SimdVector> Lanes<V> {
    /// Returns the number in lane `i`. For a variable, write `v.at(i)` or `&v[i]`.
    ///
    /// # Panics
    /// On evaluation, if the lane does not exist.
    #[op(linear, marks)]
    fn lane(#[ad_in(alone::<V>(i, r_b))] v: Self, #[ad_passive] i: usize) -> V::Number {
        assert_lane::<V>(i);
        v.as_slice()[i]
    }
    /// Returns the sum of all lanes, in the order used by `wide`.
    #[op(linear)]
    fn reduce_add(#[ad_in(V::splat(r_b))] v: Self) -> V::Number {
        SimdVector::reduce_add(v)
    }
    /// Returns the product of all lanes, in the order used by `wide`. The adjoint of a lane is `r_b` times the other
    /// lanes, also correct for zeros.
    #[op(
        tangent(v = SimdVector::reduce_add(times_others(V::ONE, v) * v_t)),
        second(v = {
            let x: Vec<_> = v.as_slice().iter().zip(v_t.as_slice()).map(dual).collect();
            let mut others = vec![dual((&r_b, &V::Number::default())); V::LANES];
            multiply_by_others(&mut others, &x);
            V::from_fn(|i| {
                let [tangent] = others[i].tangents;
                tangent
            })
        }),
    )]
    fn reduce_mul(#[ad_in(times_others(V::splat(r_b), v))] v: Self) -> V::Number {
        SimdVector::reduce_mul(v)
    }
    /// Returns the largest number.
    #[op(marks, save(at: u8 = best(v, |x, y| x > y)), tangent(v = v_t.as_slice()[usize::from(at)]), second(v = {}))]
    fn reduce_max(#[ad_in(alone::<V>(at.into(), r_b))] v: Self) -> V::Number {
        v.as_slice()[usize::from(at)]
    }
    /// Returns the smallest number.
    #[op(marks, save(at: u8 = best(v, |x, y| x < y)), tangent(v = v_t.as_slice()[usize::from(at)]), second(v = {}))]
    fn reduce_min(#[ad_in(alone::<V>(at.into(), r_b))] v: Self) -> V::Number {
        v.as_slice()[usize::from(at)]
    }
    /// Returns the numbers as a list, for `split()` or `assign_to(&mut x)`.
    #[op(linear, marks)]
    fn scatter(#[ad_in(Passed(V::from_fn(|i| r_b[i])))] v: Self) -> List<V::Number> {
        v.as_slice().to_vec()
    }
    /// Returns `Σ v .* w`.
    #[op(bilinear)]
    fn dot(#[ad_in(w * V::splat(r_b))] v: Self, #[ad_in(v * V::splat(r_b))] w: Self) -> V::Number {
        SimdVector::reduce_add(v * w)
    }
}

macro_rules! makers { ($($(#[$doc:meta])* $Op:ident)*) => { $(
    $(#[$doc])*
    #[derive(Clone, Copy, Debug, Stash)]
    pub struct $Op<V>(PhantomData<V>);
    impl<V> Default for $Op<V> {
        fn default() -> Self { $Op(PhantomData) }
    }
)* } }
makers! {
    /// A real in every lane.
    Splat
    /// Reals in the lanes, one for each.
    Gather
}
impl<V: SimdVector> Rule<V::Number> for Splat<V> {
    type Out = Lanes<V>;
    type Saved = ();
    type Evaluation = Whole;
    const READS: [u8; 3] = [0; 3];
    #[inline(always)]
    fn primal(&self, x: V::Number, (): (), (): ()) -> (V, ()) {
        (V::splat(x), ())
    }
    #[inline(always)]
    fn adjoint(
        &self,
        _: Primals<'_, V::Number, (), (), Lanes<V>>,
        (): &(),
        r_b: Incoming<'_, Lanes<V>>,
        mut s: impl Sinks<V::Number>,
    ) {
        let r_b = r_b.get();
        s.a().add(PassedNumber(SimdVector::reduce_add(r_b)));
    }
    const ORDER: Order = Order::Second;
    const MARKS: bool = true;
    #[inline(always)]
    fn tangent(
        &self,
        _: Primals<'_, V::Number, (), (), Lanes<V>>,
        (): &(),
        tangent: ArgumentTangent<'_, V::Number>,
    ) -> Option<V> {
        linear_tangent(self, tangent)
    }
}
impl<V: SimdVector> Rule<List<V::Number>> for Gather<V> {
    type Out = Lanes<V>;
    type Saved = ();
    type Evaluation = Whole;
    const READS: [u8; 3] = [0; 3];
    fn primal(&self, x: &Vec<V::Number>, (): (), (): ()) -> (V, ()) {
        (V::from_fn(|i| x[i]), ())
    }
    fn adjoint(
        &self,
        _: Primals<'_, List<V::Number>, (), (), Lanes<V>>,
        (): &(),
        r_b: Incoming<'_, Lanes<V>>,
        mut s: impl Sinks<List<V::Number>>,
    ) {
        let r_b = r_b.get();
        s.a().add(PassedItems(r_b.as_slice().iter().copied()));
    }
    const ORDER: Order = Order::Second;
    const MARKS: bool = true;
    #[inline(always)]
    fn tangent(
        &self,
        _: Primals<'_, List<V::Number>, (), (), Lanes<V>>,
        (): &(),
        tangent: ArgumentTangent<'_, List<V::Number>>,
    ) -> Option<V> {
        linear_tangent(self, tangent)
    }
}

/// Conversion from a real to lanes.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_simd::{LanesOps, SplatOps, wide::f64x4};
///
/// let mut tape = Tape::new();
/// let x = tape.input(2.0);
/// let y = tape.record(|| {
///     let v = x.splat::<f64x4>().eval();
///     (v * v).reduce_add().eval()
/// });
/// assert_eq!((y.value(), tape.gradient(&y)?.wrt(&x)?), (16.0, 16.0));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait SplatOps<M: AnyMode>: IntoExpr<M, Kind: LaneNumber> + Sized {
    /// Fills every lane with the real: `x.splat::<f64x4>()`.
    ///
    /// Operations broadcast reals without it. A splat variable pays off in many statements: its adjoint is summed over
    /// the lanes once.
    #[inline(always)]
    fn splat<V: SimdVector<Number = Self::Kind>>(self) -> Unary<Splat<V>, M, Self> {
        unary(Splat(PhantomData), self)
    }
}
impl<M: AnyMode, X: IntoExpr<M, Kind: LaneNumber>> SplatOps<M> for X {}

/// Conversions from a list of reals to lanes and back.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_simd::{GatherOps, LanesOps, wide::f64x4};
///
/// let mut tape = Tape::new();
/// let x = [1.0, 2.0, 3.0, 4.0].map(|x| tape.input(x));
/// let y = tape.record(|| {
///     let v = x.gather::<f64x4>().eval();
///     let squares = (v * v).scatter().split(); // four reals
///     (&squares[3] * x[0]).eval()
/// });
/// assert_eq!(tape.gradient(&y)?.wrt_all(&x)?, [16.0, 0.0, 0.0, 8.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait GatherOps<M: AnyMode>: ToList<M, Kind: LaneNumber> + Sized {
    /// Puts the reals of a slice, an array or a vector into lanes: `x.gather::<f64x4>()`.
    ///
    /// # Panics
    /// If the number of reals differs from the number of lanes.
    #[inline]
    #[track_caller]
    fn gather<V: SimdVector<Number = Self::Kind>>(self) -> Gathered<V, M, Self> {
        let count = self.count();
        assert!(
            count == V::LANES,
            "{} reals cannot be gathered into {} with {} lanes: split the slice into chunks of that length",
            count,
            V::NAME,
            V::LANES
        );
        unary(Gather(PhantomData), list(self))
    }
}
impl<M: AnyMode, X: ToList<M, Kind: LaneNumber>> GatherOps<M> for X {}
/// The expression of a list in the lanes of `V`.
pub type Gathered<V, M, X> =
    Unary<Gather<V>, M, Expr<List<<X as ToList<M>>::Kind>, M, <X as ToList<M>>::Node>>;
