use super::ArrayKind;
use crate::LaneNumber;
use crate::arrays::{Each, EachOfTwo};
use entape_complex::{num_complex::Complex, op};
use entape_core::{
    expr::{Operand, Rhs, Unary, binary, unary},
    mode::AnyMode,
    rule::Rule,
};

/// Operations on complex arrays, element by element. Different lengths panic on evaluation.
///
/// ```
/// use entape_complex::num_complex::c64;
/// use entape_core::tape::Tape;
/// use entape_simd::arrays::{ArrayOps, ComplexArrayOps};
///
/// let mut tape = Tape::new();
/// let z = tape.input(vec![c64(1.0, 2.0), c64(3.0, -1.0)]);
/// let y = tape.record(|| (z.re() * z.im()).sum().eval());
/// assert_eq!(y.value(), 2.0 - 3.0);
/// assert_eq!(tape.gradient(&y)?.wrt(&z)?, [c64(2.0, 1.0), c64(-1.0, 3.0)]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait ComplexArrayOps<T: LaneNumber, M: AnyMode>:
    Operand<M, Kind = ArrayKind<Complex<T>>> + Sized
{
    /// Returns the real parts.
    fn re(self) -> Unary<Each<op::Re>, M, Self> {
        unary(Each(op::Re), self)
    }
    /// Returns the imaginary parts.
    fn im(self) -> Unary<Each<op::Im>, M, Self> {
        unary(Each(op::Im), self)
    }
    /// Returns the complex conjugates.
    fn conj(self) -> Unary<Each<op::Conj>, M, Self> {
        unary(Each(op::Conj), self)
    }
    /// Returns the squares of the absolute values.
    fn norm_sqr(self) -> Unary<Each<op::NormSqr>, M, Self> {
        unary(Each(op::NormSqr), self)
    }
    /// Returns the sums of the absolute values of both parts.
    fn l1_norm(self) -> Unary<Each<op::L1Norm>, M, Self> {
        unary(Each(op::L1Norm), self)
    }
    /// Returns the angles from `-π` to `π`, with slope 0 at 0.
    fn arg(self) -> Unary<Each<op::Arg>, M, Self> {
        unary(Each(op::Arg), self)
    }
    /// Returns the inverses, `1 / z`.
    fn inv(self) -> Unary<Each<op::Inv>, M, Self> {
        unary(Each(op::Inv), self)
    }
    /// Returns the powers `z^n` with a passive exponent.
    fn powu(self, n: u32) -> Unary<Each<op::Powu>, M, Self> {
        unary(Each(op::Powu { n }), self)
    }
    /// Returns the powers with a complex exponent.
    fn powc<W>(self, w: W) -> EachOfTwo<op::Powc, Self, W, M>
    where
        W: Rhs<ArrayKind<Complex<T>>, M, Each<op::Powc>>,
        Each<op::Powc>: Rule<ArrayKind<Complex<T>>, W::Kind>,
    {
        binary(Each(op::Powc), self, w.into_rhs())
    }
    /// Returns the powers `base^z` of a real base.
    fn expf<B>(self, base: B) -> EachOfTwo<op::Expf, Self, B, M>
    where
        B: Rhs<ArrayKind<Complex<T>>, M, Each<op::Expf>>,
        Each<op::Expf>: Rule<ArrayKind<Complex<T>>, B::Kind>,
    {
        binary(Each(op::Expf), self, base.into_rhs())
    }
}
impl<T: LaneNumber, M: AnyMode, X: Operand<M, Kind = ArrayKind<Complex<T>>>> ComplexArrayOps<T, M>
    for X
{
}

/// Conversions from real arrays, element by element.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_simd::{Array, arrays::{ArrayOps, ComplexArrayOps, RealArrayOps}};
///
/// let mut tape = Tape::new();
/// let angles: Array = tape.input(vec![0.0, 0.0]);
/// let y = tape.record(|| angles.cis().im().sum().eval());
/// assert_eq!(y, 0.0);
/// assert_eq!(tape.gradient(&y)?.wrt(&angles)?, [1.0, 1.0]); // the cosine
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait RealArrayOps<T: LaneNumber, M: AnyMode>: Operand<M, Kind = ArrayKind<T>> + Sized {
    /// Returns complex numbers with imaginary part 0.
    fn to_complex(self) -> Unary<Each<op::ToComplex>, M, Self> {
        unary(Each(op::ToComplex), self)
    }
    /// Returns `exp(i * x)`.
    fn cis(self) -> Unary<Each<op::Cis>, M, Self> {
        unary(Each(op::Cis), self)
    }
}
impl<T: LaneNumber, M: AnyMode, X: Operand<M, Kind = ArrayKind<T>>> RealArrayOps<T, M> for X {}

/// Returns the array with these parts, either of which may be a number.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_simd::arrays::{ArrayOps, ComplexArrayOps, from_parts};
///
/// let mut tape = Tape::new();
/// let (x, y) = (tape.input(vec![1.0, 2.0]), tape.input(vec![0.0, 3.0]));
/// let r = tape.record(|| from_parts(&x, &y).norm_sqr().sum().eval());
/// let gradient = tape.gradient(&r)?;
/// assert_eq!((gradient.wrt(&x)?, gradient.wrt(&y)?), (vec![2.0, 4.0], vec![0.0, 6.0]));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// # Panics
/// On evaluation, if the lengths differ.
pub fn from_parts<M: AnyMode, X: Operand<M>, Y>(re: X, im: Y) -> EachOfTwo<op::New, X, Y, M>
where
    Y: Rhs<X::Kind, M, Each<op::New>>,
    Each<op::New>: Rule<X::Kind, Y::Kind>,
{
    binary(Each(op::New), re, im.into_rhs())
}
/// Returns `radius * exp(i * theta)`; either may be a number.
///
/// ```
/// use entape_complex::num_complex::c64;
/// use entape_core::tape::Tape;
/// use entape_simd::{Array, arrays::{ArrayOps, ComplexArrayOps, from_polar}};
///
/// let mut tape = Tape::new();
/// let radius: Array = tape.input(vec![2.0, 3.0]);
/// let z = tape.record(|| from_polar(&radius, 0.0).eval());
/// assert_eq!(z.get(), &[c64(2.0, 0.0), c64(3.0, 0.0)]);
/// let y = tape.record(|| z.norm_sqr().sum().eval());
/// assert_eq!(tape.gradient(&y)?.wrt(&radius)?, [4.0, 6.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// # Panics
/// On evaluation, if the lengths differ.
pub fn from_polar<M: AnyMode, X: Operand<M>, Y>(
    radius: X,
    theta: Y,
) -> EachOfTwo<op::FromPolar, X, Y, M>
where
    Y: Rhs<X::Kind, M, Each<op::FromPolar>>,
    Each<op::FromPolar>: Rule<X::Kind, Y::Kind>,
{
    binary(Each(op::FromPolar), radius, theta.into_rhs())
}
