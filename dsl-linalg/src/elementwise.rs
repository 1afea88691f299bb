//! Elementary functions on every element: `m.map(op::Tanh)`, `a.zip_map(&b, op::Atan2)`.
//!
//! Any [`Elementwise`] operation will do, those of [`entape_core::op`](mod@entape_core::op) and one's own
//! (`#[op(elementwise)]`, `elementary!`). Complex matrices, and pairs with a real one, take every operation of complex numbers
//! whose result is a number.
//! The methods of [`Elementary`](entape_core::real::Elementary) have
//! their meaning for matrices: `m.abs()` is element by element, `m.exp()` and `m.powi(n)` are not.
use crate::{
    Dense, Number, RealNumber, Sizes, Within,
    memory::{by_elements, copied, map, zip},
    reductions::{sign, unless},
    shapes,
};
use entape_core::{
    elementwise::{Dual, Elementwise, Lane, tangents_of},
    eval::Whole,
    expr::{Binary, KindOf, Operand, Unary, binary, unary},
    kind::{Arg, Incoming, Kind, Policy},
    mode::AnyMode,
    op,
    rule::{A, B, Directions, Order, Primals, R as RESULT, Rule, Sink, Sinks},
    store::Stash,
};
use nalgebra::{DefaultAllocator, Dim, OMatrix};

/// The elementary function `O`, applied to every element of a matrix or to every pair of elements of two.
#[derive(Clone, Copy, Debug, Stash)]
pub struct Map<O>(pub O);

/// The arguments that a formula declares to read, and `None` for the others.
fn read<V>(reads: u8, bit: u8, value: impl FnOnce() -> V) -> Option<V> {
    (reads & bit != 0).then(value)
}
fn value<'v, K: Kind>(arg: &'v Option<Arg<'_, K>>) -> Option<&'v K::Value> {
    arg.as_ref().map(K::Policy::value)
}
/// The element with a linear index, or NaN if the argument is not there; no formula reads it then.
fn lane<T: RealNumber, R: Dim, C: Dim>(m: Option<&OMatrix<T, R, C>>, i: usize) -> T::Lane
where
    DefaultAllocator: Sizes<R, C>,
{
    m.map_or(T::of(f64::NAN), |m| m.as_slice()[i]).lane()
}
/// The adjoint of argument `i`, element by element.
fn pull<'x, T: RealNumber, R: Dim, C: Dim, const N: usize, O: Elementwise<N>>(
    op: &'x O,
    i: usize,
    x: [Option<&'x OMatrix<T, R, C>>; N],
    r: Option<&'x OMatrix<T, R, C>>,
    r_b: &'x OMatrix<T, R, C>,
) -> Within<impl FnOnce(&mut OMatrix<T, R, C>) + 'x>
where
    DefaultAllocator: Sizes<R, C>,
{
    Within::new(r_b.shape(), move |x_b: &mut OMatrix<T, R, C>| {
        let each = x_b.as_mut_slice().iter_mut().zip(r_b.as_slice());
        for (k, (x_b, r_b)) in each.enumerate() {
            let at = x.map(|x| lane(x, k));
            *x_b += T::from_lane(op.adjoint(i, at, lane(r, k), r_b.lane()));
        }
    })
}

/// The tangent of the result, element by element; `None` if no argument has one.
fn push<T: RealNumber, R: Dim, C: Dim, const N: usize, O: Elementwise<N>>(
    op: &O,
    x: [Option<&OMatrix<T, R, C>>; N],
    r: Option<&OMatrix<T, R, C>>,
    x_t: [Option<&OMatrix<T, R, C>>; N],
) -> Option<OMatrix<T, R, C>>
where
    DefaultAllocator: Sizes<R, C>,
{
    let mut tangent = copied(*x_t.iter().flatten().next()?);
    for (k, tangent) in tangent.as_mut_slice().iter_mut().enumerate() {
        let at = x.map(|x| lane(x, k));
        let along = x_t.map(|t| t.map(|t| [t.as_slice()[k].lane()]));
        let [r_t] = tangents_of(op, at, lane(r, k), along);
        *tangent = T::from_lane(r_t);
    }
    Some(tangent)
}
/// A matrix with its tangent.
type Moving<'x, T, R, C> = (Option<&'x OMatrix<T, R, C>>, Option<&'x OMatrix<T, R, C>>);
/// The tangent of the adjoint of argument `i`, element by element.
fn pull_tangent<T: RealNumber, R: Dim, C: Dim, const N: usize, O: Elementwise<N>>(
    op: &O,
    i: usize,
    x: [Moving<'_, T, R, C>; N],
    r: Moving<'_, T, R, C>,
    r_b: &OMatrix<T, R, C>,
) -> OMatrix<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    let mut tangent = copied(r_b);
    for (k, tangent) in tangent.as_mut_slice().iter_mut().enumerate() {
        let dual = |(x, x_t): Moving<'_, T, R, C>| Dual {
            value: lane(x, k),
            tangents: [x_t.map_or(T::of(0.0), |t| t.as_slice()[k]).lane()],
        };
        let r_b = Dual {
            value: tangent.lane(),
            tangents: [T::of(0.0).lane()],
        };
        let (x, r) = (x.map(dual), dual(r));
        let [mut x_bt] = op.adjoint(i, x, r, r_b).tangents;
        if O::KINKS {
            // What the tangent of `r_b` adds there depends on the direction, which the formula of the adjoint does not see.
            let [x_t] = x[i].tangents;
            let moves = op.is_at_kink(x.map(|x| x.value), r.value) & !x_t.equal(x_t.zero());
            x_bt = Lane::select(moves, x_t.splat(f64::NAN), x_bt);
        }
        *tangent = T::from_lane(x_bt);
    }
    tangent
}
/// What the adjoints of the arguments with a tangent read.
fn all_reads(reads: [u8; 3], there: [bool; 2]) -> u8 {
    let one = |i: usize| if there[i] { reads[i] } else { 0 };
    one(0) | one(1)
}

impl<T: RealNumber, R: Dim, C: Dim, O: Elementwise<1>> Rule<Dense<T, R, C>> for Map<O>
where
    DefaultAllocator: Sizes<R, C>,
{
    type Out = Dense<T, R, C>;
    type Saved = ();
    type Evaluation = Whole;
    const READS: [u8; 3] = O::READS;
    const FLOWS: [bool; 3] = O::FLOWS;
    fn primal<'p>(&self, a: Arg<'p, Dense<T, R, C>>, (): (), (): ()) -> (OMatrix<T, R, C>, ()) {
        let a = <Dense<T, R, C> as Kind>::Policy::value(&a);
        (map(a, |a| T::from_lane(self.0.primal([a.lane()]))), ())
    }
    fn adjoint(
        &self,
        p: Primals<'_, Dense<T, R, C>, (), (), Dense<T, R, C>>,
        (): &(),
        r_b: Incoming<'_, Dense<T, R, C>>,
        mut s: impl Sinks<Dense<T, R, C>>,
    ) {
        let r_b = r_b.get();
        let r_b = <Dense<T, R, C> as Kind>::Policy::value(&r_b);
        if O::FLOWS[0] && s.a().wants() {
            let a = read(O::READS[0], A, || p.a());
            let r = read(O::READS[0], RESULT, || p.r());
            let x = [value::<Dense<T, R, C>>(&a)];
            s.a()
                .add(pull(&self.0, 0, x, value::<Dense<T, R, C>>(&r), r_b));
        }
    }
    const ORDER: Order = Order::Second;
    fn tangent(
        &self,
        p: Primals<'_, Dense<T, R, C>, (), (), Dense<T, R, C>>,
        (): &(),
        t: Directions<'_, Dense<T, R, C>>,
    ) -> Option<OMatrix<T, R, C>> {
        let reads = all_reads(O::READS, [t.a.is_some(), false]);
        let a = read(reads, A, || p.a());
        let r = read(reads, RESULT, || p.r());
        let x = [value::<Dense<T, R, C>>(&a)];
        push(&self.0, x, value::<Dense<T, R, C>>(&r), [t.a])
    }
    fn adjoint_tangent(
        &self,
        p: Primals<'_, Dense<T, R, C>, (), (), Dense<T, R, C>>,
        (): &(),
        t: Directions<'_, Dense<T, R, C>>,
        r_t: Option<&OMatrix<T, R, C>>,
        r_b: Incoming<'_, Dense<T, R, C>>,
        mut s: impl Sinks<Dense<T, R, C>>,
    ) {
        let r_b = r_b.get();
        let r_b = <Dense<T, R, C> as Kind>::Policy::value(&r_b);
        if O::FLOWS[0] && s.a().wants() {
            let a = read(O::READS[0], A, || p.a());
            let r = read(O::READS[0], RESULT, || p.r());
            let x = [(value::<Dense<T, R, C>>(&a), t.a)];
            let r = (value::<Dense<T, R, C>>(&r), r_t);
            s.a().add(pull_tangent(&self.0, 0, x, r, r_b));
        }
    }
}
impl<T: RealNumber, R: Dim, C: Dim, O: Elementwise<2>> Rule<Dense<T, R, C>, Dense<T, R, C>>
    for Map<O>
where
    DefaultAllocator: Sizes<R, C>,
{
    type Out = Dense<T, R, C>;
    type Saved = ();
    type Evaluation = Whole;
    const READS: [u8; 3] = O::READS;
    const FLOWS: [bool; 3] = O::FLOWS;
    fn primal<'p>(
        &self,
        a: Arg<'p, Dense<T, R, C>>,
        b: Arg<'p, Dense<T, R, C>>,
        (): (),
    ) -> (OMatrix<T, R, C>, ()) {
        let a = <Dense<T, R, C> as Kind>::Policy::value(&a);
        let b = <Dense<T, R, C> as Kind>::Policy::value(&b);
        shapes::same("a.zip_map(b, ..)", a.shape(), b.shape());
        (
            zip(a, b, |a, b| {
                T::from_lane(self.0.primal([a.lane(), b.lane()]))
            }),
            (),
        )
    }
    fn adjoint(
        &self,
        p: Primals<'_, Dense<T, R, C>, Dense<T, R, C>, (), Dense<T, R, C>>,
        (): &(),
        r_b: Incoming<'_, Dense<T, R, C>>,
        mut s: impl Sinks<Dense<T, R, C>, Dense<T, R, C>>,
    ) {
        let r_b = r_b.get();
        let r_b = <Dense<T, R, C> as Kind>::Policy::value(&r_b);
        let args = |i: usize| {
            let a = read(O::READS[i], A, || p.a());
            let b = read(O::READS[i], B, || p.b());
            let r = read(O::READS[i], RESULT, || p.r());
            (a, b, r)
        };
        if O::FLOWS[0] && s.a().wants() {
            let (a, b, r) = args(0);
            let x = [value::<Dense<T, R, C>>(&a), value::<Dense<T, R, C>>(&b)];
            s.a()
                .add(pull(&self.0, 0, x, value::<Dense<T, R, C>>(&r), r_b));
        }
        if O::FLOWS[1] && s.b().wants() {
            let (a, b, r) = args(1);
            let x = [value::<Dense<T, R, C>>(&a), value::<Dense<T, R, C>>(&b)];
            s.b()
                .add(pull(&self.0, 1, x, value::<Dense<T, R, C>>(&r), r_b));
        }
    }
    const ORDER: Order = Order::Second;
    fn tangent(
        &self,
        p: Primals<'_, Dense<T, R, C>, Dense<T, R, C>, (), Dense<T, R, C>>,
        (): &(),
        t: Directions<'_, Dense<T, R, C>, Dense<T, R, C>>,
    ) -> Option<OMatrix<T, R, C>> {
        let reads = all_reads(O::READS, [t.a.is_some(), t.b.is_some()]);
        let a = read(reads, A, || p.a());
        let b = read(reads, B, || p.b());
        let r = read(reads, RESULT, || p.r());
        let x = [value::<Dense<T, R, C>>(&a), value::<Dense<T, R, C>>(&b)];
        push(&self.0, x, value::<Dense<T, R, C>>(&r), [t.a, t.b])
    }
    fn adjoint_tangent(
        &self,
        p: Primals<'_, Dense<T, R, C>, Dense<T, R, C>, (), Dense<T, R, C>>,
        (): &(),
        t: Directions<'_, Dense<T, R, C>, Dense<T, R, C>>,
        r_t: Option<&OMatrix<T, R, C>>,
        r_b: Incoming<'_, Dense<T, R, C>>,
        mut s: impl Sinks<Dense<T, R, C>, Dense<T, R, C>>,
    ) {
        let r_b = r_b.get();
        let r_b = <Dense<T, R, C> as Kind>::Policy::value(&r_b);
        let pull = |i: usize| {
            let a = read(O::READS[i], A, || p.a());
            let b = read(O::READS[i], B, || p.b());
            let r = read(O::READS[i], RESULT, || p.r());
            let x = [
                (value::<Dense<T, R, C>>(&a), t.a),
                (value::<Dense<T, R, C>>(&b), t.b),
            ];
            let r = (value::<Dense<T, R, C>>(&r), r_t);
            pull_tangent(&self.0, i, x, r, r_b)
        };
        if O::FLOWS[0] && s.a().wants() {
            s.a().add(pull(0));
        }
        if O::FLOWS[1] && s.b().wants() {
            s.b().add(pull(1));
        }
    }
}

/// Elementary functions, element by element. The derivative of the result is that of the function at each element.
pub trait MapOps<M: AnyMode, T: Number, R: Dim, C: Dim>:
    Operand<M, Kind = Dense<T, R, C>> + Sized
where
    DefaultAllocator: Sizes<R, C>,
{
    /// The function of every element: an operation such as `op::Exp`, not a closure. A function of one's own is
    /// declared by `#[op(elementwise)]` for matrices of reals, and by `#[op]` of complex numbers for complex matrices.
    ///
    /// ```
    /// use entape_core::{op, tape::Tape};
    /// use entape_linalg::{MapOps, ReductionOps};
    /// use nalgebra::dvector;
    ///
    /// let mut tape = Tape::new();
    /// let v = tape.input(dvector![0.0, 1.0]);
    /// let y = tape.record(|| v.map(op::Exp).sum().eval());
    /// assert_eq!(tape.gradient(&y)?.wrt(&v)?, dvector![1.0, 1.0_f64.exp()]);
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    fn map<O>(self, op: O) -> Unary<Map<O>, M, Self>
    where
        Map<O>: Rule<Dense<T, R, C>>,
    {
        unary(Map(op), self)
    }
    /// The function of every pair of elements at the same place: an operation with two arguments, such as `op::Atan2`.
    ///
    /// ```
    /// use entape_core::{op, tape::Tape};
    /// use entape_linalg::prelude::*;
    /// use nalgebra::dvector;
    ///
    /// let mut tape = Tape::new();
    /// let (x, y) = (tape.input(dvector![3.0, 0.0]), tape.input(dvector![4.0, 2.0]));
    /// let r = tape.record(|| x.zip_map(&y, op::Hypot).eval());
    /// assert_eq!(r.get(), &dvector![5.0, 2.0]);
    /// let r = tape.record(|| r.sum().eval());
    /// approx::assert_abs_diff_eq!(tape.gradient(&r)?.wrt(&x)?, dvector![0.6, 0.0], epsilon = 5e-16);
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    ///
    /// # Panics
    /// On evaluation, if the shapes differ.
    fn zip_map<X, O>(self, b: X, op: O) -> Binary<Map<O>, M, Self, X>
    where
        X: Operand<M>,
        Map<O>: Rule<Dense<T, R, C>, KindOf<X, M>>,
    {
        binary(Map(op), self, b)
    }
}
impl<M: AnyMode, T: Number, R: Dim, C: Dim, X: Operand<M, Kind = Dense<T, R, C>>> MapOps<M, T, R, C>
    for X
where
    DefaultAllocator: Sizes<R, C>,
{
}

/// The absolute value of every element. Where one is 0, its slope is 0, and the second derivative is that
/// of `norm_l1`.
#[op(
    op::Abs,
    tangent(a = zip(a, a_t, |x: T, x_t: T| match x == T::zero() {
        true if one_sided => sign(x_t).0,
        true => T::zero(),
        false => sign(x).1 * x_t,
    })),
    second(a = by_elements(a.shape(), |i, j| {
        let at = (i, j);
        unless(a[at] == T::zero() && a_t[at] != T::zero(), one_sided, r_b[at])(T::zero())
    })),
    along(a = by_elements(a.shape(), |i, j| {
        let at = (i, j);
        sign(if a[at] == T::zero() { a_t[at] } else { a[at] }).1 * r_b[at]
    })),
)]
fn abs<T: RealNumber, R: Dim, C: Dim>(
    #[ad_in(pull(&op::Abs, 0, [Some(a)], None, r_b))] a: &Dense<T, R, C>,
) -> &Dense<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    map(a, nalgebra::ComplexField::abs)
}

/// The nearest number of another precision.
pub(crate) fn cast<T: Number, U: Number>(x: T) -> U {
    let part = |x: T::Part| nalgebra::try_convert(x).map_or(U::Part::of(f64::NAN), U::Part::of);
    U::of_parts(part(x.real()), part(x.imaginary()))
}
#[op(op::ToF32, linear)]
fn to_f32<T: RealNumber, R: Dim, C: Dim>(
    #[ad_in(map(r_b, cast))] a: &Dense<T, R, C>,
) -> &Dense<f32, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    map(a, cast)
}
#[op(op::ToF64, linear)]
fn to_f64<T: RealNumber, R: Dim, C: Dim>(
    #[ad_in(map(r_b, cast))] a: &Dense<T, R, C>,
) -> &Dense<f64, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    map(a, cast)
}
