use super::{ComplexLanes, Lanes, OnReals, SimdVector};
use crate::lanes::members::assert_lane;
use entape_complex::{ComplexKind, num_complex::Complex, op};
use entape_core::{
    elementwise::Lane as _,
    expr::{Binary, KindOf, Operand, Rhs, RhsExpr, Unary, binary, unary},
    kind::{Adjoint, Passed},
    mode::AnyMode,
    operations,
    rule::Rule,
};

fn total<V: SimdVector>(z: Complex<V>) -> Complex<V::Number> {
    Complex::new(z.re.reduce_add(), z.im.reduce_add())
}
fn splat<V: SimdVector>(z: Complex<V::Number>) -> Complex<V> {
    Complex::new(V::splat(z.re), V::splat(z.im))
}
fn alone<V: SimdVector>(i: usize, r_b: Complex<V::Number>) -> Passed<Complex<V>> {
    let unset = <V as Adjoint<Lanes<V>>>::unset();
    let mut all = Complex::new(unset, unset);
    all.re.as_mut_slice()[i] += r_b.re.computed();
    all.im.as_mut_slice()[i] += r_b.im.computed();
    Passed(all)
}

/// Single lanes and sums of complex lanes.
///
/// ```
/// use entape_complex::num_complex::{Complex, c64};
/// use entape_core::tape::Tape;
/// use entape_simd::{Complexx2, lanes::complex::ComplexLanesOps, wide::f64x2};
///
/// let mut tape = Tape::new();
/// let z: Complexx2 = tape.input(Complex::new(f64x2::new([1.0, 2.0]), f64x2::new([3.0, -3.0])));
/// let sum = tape.record(|| z.reduce_add().eval());
/// assert_eq!(sum, c64(3.0, 0.0));
/// assert_eq!(tape.record(|| z.lane(1).eval()), c64(2.0, -3.0));
/// ```
#[operations(ext = ComplexLanesOps)]
impl<V: SimdVector> ComplexLanes<V> {
    /// Returns the number in lane `i`.
    ///
    /// # Panics
    /// On evaluation, if the lane does not exist.
    #[op(linear, name = ComplexLane)]
    fn lane(
        #[ad_in(alone::<V>(i, r_b))] z: Self,
        #[ad_passive] i: usize,
    ) -> ComplexKind<V::Number> {
        assert_lane::<V>(i);
        Complex::new(z.re.as_slice()[i], z.im.as_slice()[i])
    }
    /// Returns the sum of all lanes.
    #[op(linear, name = ComplexReduceAdd)]
    fn reduce_add(#[ad_in(splat::<V>(r_b))] z: Self) -> ComplexKind<V::Number> {
        total(z)
    }
}

/// Operations on complex lanes, named as in num-complex.
///
/// ```
/// use entape_complex::num_complex::Complex;
/// use entape_core::tape::Tape;
/// use entape_simd::{Complexx2, LanesOps, lanes::complex::ComplexLaneMembers, wide::f64x2};
///
/// let mut tape = Tape::new();
/// let z: Complexx2 = tape.input(Complex::new(f64x2::new([1.0, 2.0]), f64x2::new([3.0, -3.0])));
/// let y = tape.record(|| (z.re() * z.im()).reduce_add().eval());
/// assert_eq!(y, 3.0 - 6.0);
/// let gradient = tape.gradient(&y)?.wrt(&z)?; // df/dx + i df/dy
/// assert_eq!((gradient.re, gradient.im), (f64x2::new([3.0, -3.0]), f64x2::new([1.0, 2.0])));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait ComplexLaneMembers<V: SimdVector, M: AnyMode>:
    Operand<M, Kind = ComplexLanes<V>> + Sized
{
    /// Returns the real parts.
    fn re(self) -> Unary<op::Re, M, Self> {
        unary(op::Re, self)
    }
    /// Returns the imaginary parts.
    fn im(self) -> Unary<op::Im, M, Self> {
        unary(op::Im, self)
    }
    /// Returns the complex conjugates.
    fn conj(self) -> Unary<op::Conj, M, Self> {
        unary(op::Conj, self)
    }
    /// Returns the squares of the absolute values.
    fn norm_sqr(self) -> Unary<op::NormSqr, M, Self> {
        unary(op::NormSqr, self)
    }
    /// Returns the sums of the absolute values of both parts.
    fn l1_norm(self) -> Unary<op::L1Norm, M, Self> {
        unary(op::L1Norm, self)
    }
    /// Returns the angles from `-π` to `π`, with slope 0 at 0.
    fn arg(self) -> Unary<op::Arg, M, Self> {
        unary(op::Arg, self)
    }
    /// Returns the inverses, `1 / z`.
    fn inv(self) -> Unary<op::Inv, M, Self> {
        unary(op::Inv, self)
    }
    /// Returns the powers `z^n` with a passive exponent.
    fn powu(self, n: u32) -> Unary<op::Powu, M, Self> {
        unary(op::Powu { n }, self)
    }
    /// Returns the powers with complex exponents.
    fn powc<W>(self, w: W) -> OfTwo<op::Powc, Self, W, M>
    where
        W: Rhs<ComplexLanes<V>, M, op::Powc>,
        op::Powc: Rule<ComplexLanes<V>, W::Kind>,
    {
        binary(op::Powc, self, w.into_rhs())
    }
    /// Returns the powers `base^z` of a real base.
    fn expf<B>(self, base: B) -> OfTwo<op::Expf, Self, B, M>
    where
        B: Rhs<ComplexLanes<V>, M, op::Expf>,
        op::Expf: Rule<ComplexLanes<V>, B::Kind>,
    {
        binary(op::Expf, self, base.into_rhs())
    }
}
impl<V, M: AnyMode, X: Operand<M, Kind = ComplexLanes<V>>> ComplexLaneMembers<V, M> for X where
    V: SimdVector
{
}

/// Conversions from lanes of reals.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_simd::{LanesOps, Realx2, lanes::complex::{ComplexLaneMembers, RealLanesOps}, wide::f64x2};
///
/// let mut tape = Tape::new();
/// let angles: Realx2 = tape.input(f64x2::splat(0.0));
/// let y = tape.record(|| angles.cis().im().reduce_add().eval());
/// assert_eq!(tape.gradient(&y)?.wrt(&angles)?, f64x2::splat(1.0)); // the cosine
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait RealLanesOps<V: SimdVector, M: AnyMode>: Operand<M, Kind = Lanes<V>> + Sized {
    /// Returns complex numbers with imaginary part 0.
    fn to_complex(self) -> Unary<OnReals<op::ToComplex>, M, Self> {
        unary(OnReals(op::ToComplex), self)
    }
    /// Returns `exp(i * x)`.
    fn cis(self) -> Unary<OnReals<op::Cis>, M, Self> {
        unary(OnReals(op::Cis), self)
    }
}
impl<V, M: AnyMode, X: Operand<M, Kind = Lanes<V>>> RealLanesOps<V, M> for X where V: SimdVector {}

type OfTwo<O, X, Y, M> = Binary<O, M, X, RhsExpr<Y, KindOf<X, M>, M, O>>;

/// Returns the complex lanes with these parts.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_simd::{LanesOps, lanes::complex::{ComplexLaneMembers, from_parts}, wide::f64x4};
///
/// let mut tape = Tape::new();
/// let (x, y) = (tape.input(f64x4::splat(3.0)), tape.input(f64x4::splat(4.0)));
/// let r = tape.record(|| from_parts(x, y).norm_sqr().reduce_add().eval());
/// assert_eq!(r, 100.0);
/// assert_eq!(tape.gradient(&r)?.wrt(&y)?, f64x4::splat(8.0));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub fn from_parts<M: AnyMode, X: Operand<M>, Y>(re: X, im: Y) -> OfTwo<OnReals<op::New>, X, Y, M>
where
    Y: Rhs<X::Kind, M, OnReals<op::New>>,
    OnReals<op::New>: Rule<X::Kind, Y::Kind>,
{
    binary(OnReals(op::New), re, im.into_rhs())
}
/// Returns `radius * exp(i * theta)`.
///
/// ```
/// use entape_core::{expr::constant, tape::Tape};
/// use entape_simd::{LanesOps, lanes::complex::{ComplexLaneMembers, from_polar}, wide::f64x2};
///
/// let mut tape = Tape::new();
/// let radius = tape.input(f64x2::new([2.0, 3.0]));
/// let r = tape.record(|| from_polar(radius, constant(f64x2::splat(0.0))).norm_sqr().reduce_add().eval());
/// assert_eq!(r, 13.0);
/// assert_eq!(tape.gradient(&r)?.wrt(&radius)?, f64x2::new([4.0, 6.0]));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub fn from_polar<M: AnyMode, X: Operand<M>, Y>(
    radius: X,
    theta: Y,
) -> OfTwo<OnReals<op::FromPolar>, X, Y, M>
where
    Y: Rhs<X::Kind, M, OnReals<op::FromPolar>>,
    OnReals<op::FromPolar>: Rule<X::Kind, Y::Kind>,
{
    binary(OnReals(op::FromPolar), radius, theta.into_rhs())
}
