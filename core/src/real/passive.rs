//! Predicates and conversions, which record nothing.
use super::Real;
use crate::{
    expr::{Active, HasMethods, Operand},
    kind::{Kind, Val},
    mode::AnyMode,
    node::{Node, Produce},
};
use std::{
    cmp::Ordering,
    num::{FpCategory, ParseFloatError},
    str::FromStr,
};

impl<K: Kind<Value: Default>, M: AnyMode> Default for Active<K, M> {
    #[inline(always)]
    fn default() -> Self {
        Active::passive(Default::default())
    }
}

for_reals! { $T =>
    impl<M: AnyMode> From<$T> for Active<$T, M> {
        #[inline(always)]
        fn from(value: $T) -> Self { Active::passive(value) }
    }
    impl<M: AnyMode> FromStr for Active<$T, M> {
        type Err = ParseFloatError;
        fn from_str(text: &str) -> Result<Self, Self::Err> { text.parse().map(Active::passive) }
    }
    impl<M: AnyMode> Active<$T, M> {
        /// Compares by the total order of IEEE 754, for sorting.
        #[inline(always)]
        pub fn total_cmp(&self, other: &Self) -> Ordering { self.get().total_cmp(other.get()) }
    }
}

/// Predicates on operands of a real kind, which record nothing.
///
/// ```
/// use entape_core::{expr::Active, mode::Plain, real::{Elementary, Predicates}};
///
/// let x = Active::<f64, Plain>::passive(-1.0);
/// assert!(x.sqrt().is_nan() && x.is_finite() && x.is_sign_negative());
/// ```
#[allow(clippy::wrong_self_convention)]
pub trait Predicates<M: AnyMode>: Operand<M, Kind: Real> + HasMethods<M> + Sized {
    /// Returns the category of the value.
    #[inline(always)]
    fn classify(self) -> FpCategory {
        value_of(self).category()
    }
    /// Whether the value is NaN.
    #[inline(always)]
    fn is_nan(self) -> bool {
        self.classify() == FpCategory::Nan
    }
    /// Whether the value is positive or negative infinity.
    #[inline(always)]
    fn is_infinite(self) -> bool {
        self.classify() == FpCategory::Infinite
    }
    /// Whether the value is neither infinite nor NaN.
    #[inline(always)]
    fn is_finite(self) -> bool {
        !matches!(self.classify(), FpCategory::Infinite | FpCategory::Nan)
    }
    /// Whether the value is neither zero, infinite, subnormal nor NaN.
    #[inline(always)]
    fn is_normal(self) -> bool {
        self.classify() == FpCategory::Normal
    }
    /// Whether the value is too small for full precision, but not zero.
    #[inline(always)]
    fn is_subnormal(self) -> bool {
        self.classify() == FpCategory::Subnormal
    }
    /// Whether the sign bit is set, as for `-0.0`.
    #[inline(always)]
    fn is_sign_negative(self) -> bool {
        value_of(self).has_sign()
    }
    /// Whether the sign bit is not set.
    #[inline(always)]
    fn is_sign_positive(self) -> bool {
        !self.is_sign_negative()
    }
}
impl<M: AnyMode, X: Operand<M, Kind: Real> + HasMethods<M>> Predicates<M> for X {}

#[inline(always)]
fn value_of<M: AnyMode, X: Operand<M>>(x: X) -> Val<X::Kind> {
    x.into_expr().node.evaluate().0.value()
}

macro_rules! plain { ($($name:ident($($argument:ident),*))*) => {
    /// The methods of plain numbers, for literals of unknown type: after `let q = [0.4, 1.1];`, `q[1].cos()` is the
    /// cosine of an `f64`.
    ///
    /// ```
    /// use entape_core::real::{Elementary, PlainNumber};
    ///
    /// let q = [0.0, 1.1];
    /// assert_eq!(q[0].cos(), 1.0); // a number, not an expression
    /// ```
    #[allow(missing_docs)] // they are documented in the standard library
    pub trait PlainNumber: Sized {
        fn sin_cos(self) -> (Self, Self);
        fn powi(self, n: i32) -> Self;
        $( fn $name(self $(, $argument: Self)*) -> Self; )*
    }
    impl PlainNumber for f64 {
        #[inline(always)]
        fn sin_cos(self) -> (f64, f64) { f64::sin_cos(self) }
        #[inline(always)]
        fn powi(self, n: i32) -> f64 { f64::powi(self, n) }
        $(
            #[inline(always)]
            fn $name(self $(, $argument: f64)*) -> f64 { f64::$name(self $(, $argument)*) }
        )*
    }
} }
plain! {
    abs() acos() acosh() asin() asinh() atan() atan2(a) atanh() cbrt() ceil() clamp(a, b) copysign(a) cos() cosh() exp()
    exp2() exp_m1() floor() fract() hypot(a) ln() ln_1p() log(a) log10() log2() max(a) min(a) mul_add(a, b) powf(a)
    recip() rem_euclid(a) round() signum() sin() sinh() sqrt() tan() tanh() to_degrees() to_radians() trunc()
}
