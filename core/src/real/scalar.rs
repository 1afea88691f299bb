use crate::{
    elementwise::{ElementKind, Lane, RealKind},
    kind::{Additive, Adjoint, Contribution, Heap, Inline, Kind, Numbers},
    store::Stash,
};
use bytemuck::Pod;
use num_traits::{ConstOne, ConstZero, NumAssign};
use std::{
    fmt,
    iter::{Product, Sum},
    num::FpCategory,
    ops::Neg,
};

/// A real number, `f64` or `f32`: its own kind, its own adjoint and its own [lane](Lane). DSLs whose values consist of numbers
/// are generic in it.
///
/// Elementary functions are methods of its lane, `T::lane(x)`, to avoid conflicts with methods of other number traits.
/// `T::piece` converts a lane to the number.
///
/// ```
/// use entape_core::{kind, real::Real};
/// use std::marker::PhantomData;
///
/// /// Returns a polynomial of the third degree, with coefficients of either precision.
/// #[kind(value = [T; 4], plain)]
/// pub struct Cubic<T: Real>(PhantomData<T>);
///
/// fn at<T: Real>(cubic: [T; 4], x: T) -> T {
///     cubic.into_iter().fold(T::nearest(0.0), |sum, c| sum * x + c)
/// }
/// assert_eq!(at([1.0, 0.0, 0.0, 1.0], 2.0), 9.0);
/// assert_eq!(at([1.0_f32, 0.0, 0.0, 1.0], 2.0), 9.0);
/// ```
pub trait Real:
    RealKind
    + ElementKind<Lane: Lane<Mask = bool>>
    + Kind<Value = Self, Adjoint = Self, Encoding = Inline>
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
    + NumAssign
    + ConstZero
    + ConstOne
    + Neg<Output = Self>
    + Sum
    + Product
{
    /// Whether the number has double precision.
    const DOUBLE: bool;
    /// The smallest positive normal number.
    const SMALLEST: f64;
    /// The largest number.
    const LARGEST: f64;
    /// Returns the nearest number.
    fn nearest(x: f64) -> Self;
    /// Returns the number in double precision.
    fn double(self) -> f64;
    /// Returns the category of the number.
    fn category(self) -> FpCategory;
    /// Whether the sign bit is set, as for `-0.0`.
    fn has_sign(self) -> bool;
}

for_reals! { $T =>
    impl Real for $T {
        const DOUBLE: bool = size_of::<$T>() == size_of::<f64>();
        const SMALLEST: f64 = $T::MIN_POSITIVE as f64;
        const LARGEST: f64 = $T::MAX as f64;
        #[inline(always)]
        fn nearest(x: f64) -> $T { x as $T }
        #[inline(always)]
        fn double(self) -> f64 { self.into() }
        #[inline(always)]
        fn category(self) -> FpCategory { self.classify() }
        #[inline(always)]
        fn has_sign(self) -> bool { self.is_sign_negative() }
    }
}

/// Returns the square root of a sum of squares, without overflow or loss of digits. `squares` is the plain sum; if it
/// is out of range, `each` passes the numbers on.
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
    // Smaller squares lose digits.
    let least = T::SMALLEST / (T::EPSILON * T::EPSILON);
    if (least..=T::LARGEST).contains(&plain) || plain.is_nan() {
        return T::nearest(plain.sqrt());
    }
    let mut largest = 0.0;
    each(&mut |x| largest = f64::max(largest, x.double().abs()));
    if largest == 0.0 || largest.is_infinite() {
        return T::nearest(largest);
    }
    // A power of two, for exact scaling.
    let scale = f64::exp2(largest.log2().floor().clamp(-1000.0, 1000.0));
    let mut squares = 0.0;
    each(&mut |x| {
        let scaled = x.double() / scale;
        squares += scaled * scaled;
    });
    T::nearest(scale * squares.sqrt())
}

/// Returns an operand that a formula reads, or NaN if a wrong declaration omits it.
#[inline(always)]
pub fn known<T: Real>(x: Option<T>) -> T {
    x.unwrap_or(T::nearest(f64::NAN))
}
