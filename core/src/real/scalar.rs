//! The scalars: `f64` and `f32`, as code that is generic in them sees them.
use super::NumberKind;
use crate::{
    elementwise::Lane,
    kind::{Additive, Adjoint, Contribution, Heap, Inline, Kind, Numbers, OnePiece, index},
    store::Stash,
};
use bytemuck::Pod;
use std::{
    fmt,
    iter::{Product, Sum},
    num::FpCategory,
    ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign},
};

/// A real number, `f64` or `f32`, which is its own kind, its own adjoint and its own [lane](Lane). A DSL whose values
/// are made of numbers is generic in it.
///
/// The methods of a lane and those of the number traits of other crates have the same names, so neither could be called
/// on a number that has both. That is why [`lane`](Self::lane) leads from one to the other.
///
/// ```
/// use entape_core::{kind, real::Real};
/// use std::marker::PhantomData;
///
/// /// A polynomial of the third degree, with coefficients of either precision.
/// #[kind(value = [T; 4], plain)]
/// pub struct Cubic<T: Real>(PhantomData<T>);
///
/// fn at<T: Real>(cubic: [T; 4], x: T) -> T {
///     cubic.into_iter().fold(T::nearest(0.0), |sum, c| sum * x + c)
/// }
/// assert_eq!(at([1.0, 0.0, 0.0, 1.0], 2.0), 9.0);
/// assert_eq!(at([1.0_f32, 0.0, 0.0, 1.0], 2.0), 9.0);
/// ```
pub trait Real: NumberKind
    + Kind<Value = Self, Adjoint = Self, Policy = index::Linear, Layout = OnePiece, Encoding = Inline>
    + Adjoint<Self>
    + Contribution<Self>
    + Additive
    + Numbers
    + Heap
    + Stash
    + Pod
    + PartialOrd
    + Default
    + fmt::Debug
    + fmt::Display
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + Sum
    + Product
{
    /// The type that elementary functions compute with: the number itself.
    type Lane: Lane<Mask = bool>;
    /// One.
    const ONE: Self;
    /// Whether it has double precision.
    const DOUBLE: bool;
    /// The smallest positive number that is normal.
    const SMALLEST: f64;
    /// The largest number.
    const LARGEST: f64;
    /// The nearest number.
    fn nearest(x: f64) -> Self;
    /// The number in double precision.
    fn double(self) -> f64;
    /// The number as a lane.
    fn lane(self) -> Self::Lane;
    /// The number of a lane.
    fn from_lane(lane: Self::Lane) -> Self;
    /// The category of the number.
    fn category(self) -> FpCategory;
    /// Whether the sign bit is set, as that of `-0.0` and of some NaN is.
    fn has_sign(self) -> bool;
}

macro_rules! scalars { ($($T:ident $double:literal)*) => { $(
    impl Real for $T {
        type Lane = $T;
        const ONE: $T = 1.0;
        const DOUBLE: bool = $double;
        const SMALLEST: f64 = $T::MIN_POSITIVE as f64;
        const LARGEST: f64 = $T::MAX as f64;
        #[inline(always)]
        fn nearest(x: f64) -> $T { x as $T }
        #[inline(always)]
        fn double(self) -> f64 { self.into() }
        #[inline(always)]
        fn lane(self) -> $T { self }
        #[inline(always)]
        fn from_lane(lane: $T) -> $T { lane }
        #[inline(always)]
        fn category(self) -> FpCategory { self.classify() }
        #[inline(always)]
        fn has_sign(self) -> bool { self.is_sign_negative() }
    }
)* } }
scalars! { f64 true f32 false }

/// The square root of a sum of squares, without overflow and without loss of digits where the squares have them.
/// `squares` is their plain sum; `each` passes on the numbers, and is called only if that sum is out of range.
///
/// ```
/// use entape_core::real::norm;
///
/// let v = [3e200, 4e200];
/// let squares = v.iter().map(|x| x * x).sum();
/// assert_eq!(squares, f64::INFINITY);
/// let norm = norm(squares, |visit| v.into_iter().for_each(visit));
/// approx::assert_relative_eq!(norm, 5e200, max_relative = 1e-15);
/// ```
pub fn norm<T: Real>(squares: T, each: impl Fn(&mut dyn FnMut(T))) -> T {
    let plain = squares.double();
    // The squares of smaller numbers lose significant digits.
    let least = T::SMALLEST / (T::EPSILON * T::EPSILON);
    if (least..=T::LARGEST).contains(&plain) || plain.is_nan() {
        return T::nearest(plain.sqrt());
    }
    let mut largest = 0.0;
    each(&mut |x| largest = f64::max(largest, x.double().abs()));
    if largest == 0.0 || largest.is_infinite() {
        return T::nearest(largest);
    }
    // It is a power of two, so that scaling rounds nothing.
    let scale = f64::exp2(largest.log2().floor().clamp(-1000.0, 1000.0));
    let mut squares = 0.0;
    each(&mut |x| {
        let scaled = x.double() / scale;
        squares += scaled * scaled;
    });
    T::nearest(scale * squares.sqrt())
}

/// What a formula reads, or NaN if it is not there, so that a formula that reads what it does not declare gives no wrong number.
#[inline(always)]
pub fn known<T: Real>(x: Option<T>) -> T {
    x.unwrap_or(T::nearest(f64::NAN))
}
