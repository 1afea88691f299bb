use crate::LaneNumber;
use entape_core::{
    coordinates::Coordinates,
    kind::{self, Kind, OnePiece, index::Linear},
};
use std::{
    fmt::Debug,
    ops::{Add, AddAssign, Div, Mul, Neg},
};

/// A number type for elements of arrays: `f64` and `f32`, and with the feature `complex` complex numbers.
///
/// The core cannot declare it, because it names the kinds of foreign types such as `num_complex::Complex`.
pub trait ArrayNumber:
    Copy
    + Default
    + PartialEq
    + Debug
    + 'static
    + Add<Output = Self>
    + Mul<Output = Self>
    + Mul<Self::Part, Output = Self>
    + Div<Self::Part, Output = Self>
    + Neg<Output = Self>
    + AddAssign
{
    /// The kind of single numbers.
    type Kind: Kind<Value = Self, Adjoint = Self, Policy = Linear, Layout = OnePiece> + Coordinates;
    /// The real type of its parts.
    type Part: LaneNumber;
    /// The name of arrays of these numbers, for messages and statistics.
    const ARRAY: &'static str;
    /// The number whose parts are NaN.
    const NAN: Self;
    /// Returns the complex conjugate.
    fn conj(self) -> Self;
    /// Returns the square of the absolute value.
    fn square(self) -> Self::Part;
    /// Returns `Re(conj(self) * other)`.
    fn inner(self, other: Self) -> Self::Part;
    /// Applies a function to each part.
    fn map_parts(self, f: impl Fn(Self::Part) -> Self::Part) -> Self;
    /// Passes the real parts to `visit`.
    fn each_part(self, visit: &mut dyn FnMut(Self::Part));
}
#[inline(always)]
pub(super) fn unset<T: ArrayNumber>() -> T {
    kind::unset::<T::Kind>()
}
/// A computed number: a zero is not [unset].
#[inline(always)]
pub(super) fn computed<T: ArrayNumber>(x: T) -> T {
    x + T::default()
}
#[inline(always)]
pub(super) fn is_unset<T: ArrayNumber>(x: &T) -> bool {
    kind::is_unset::<T::Kind>(x)
}
macro_rules! reals { ($($T:ident)*) => { $(
    impl ArrayNumber for $T {
        type Kind = $T;
        type Part = $T;
        const ARRAY: &'static str = "array";
        const NAN: $T = $T::NAN;
        #[inline(always)]
        fn conj(self) -> $T { self }
        #[inline(always)]
        fn square(self) -> $T { self * self }
        #[inline(always)]
        fn inner(self, other: $T) -> $T { self * other }
        #[inline(always)]
        fn map_parts(self, f: impl Fn($T) -> $T) -> $T { f(self) }
        #[inline(always)]
        fn each_part(self, visit: &mut dyn FnMut($T)) { visit(self) }
    }
)* } }
reals! { f64 f32 }

/// A kind of numbers that are elements of arrays.
pub trait ElementOf:
    Kind<Value: ArrayNumber<Kind = Self>, Policy = Linear, Layout = OnePiece>
{
}
impl<K> ElementOf for K where
    K: Kind<Value: ArrayNumber<Kind = K>, Policy = Linear, Layout = OnePiece>
{
}
