//! The traits of `simba`, for `nalgebra`, and the traits of `approx` that they require.
use super::Eager;
use approx::{AbsDiffEq, RelativeEq, UlpsEq};
use entape_core::mode::Mode;
use num_traits::Zero;
use simba::{
    scalar::{ComplexField, Field, RealField, SubsetOf},
    simd::{PrimitiveSimdValue, SimdValue},
};
use std::f64::consts;

impl<M: Mode> AbsDiffEq for Eager<M> {
    type Epsilon = Self;
    fn default_epsilon() -> Self {
        Eager::new(f64::default_epsilon())
    }
    fn abs_diff_eq(&self, other: &Self, epsilon: Self) -> bool {
        self.value().abs_diff_eq(&other.value(), epsilon.value())
    }
}
impl<M: Mode> RelativeEq for Eager<M> {
    fn default_max_relative() -> Self {
        Eager::new(f64::default_max_relative())
    }
    fn relative_eq(&self, other: &Self, epsilon: Self, max_relative: Self) -> bool {
        self.value()
            .relative_eq(&other.value(), epsilon.value(), max_relative.value())
    }
}
impl<M: Mode> UlpsEq for Eager<M> {
    fn default_max_ulps() -> u32 {
        f64::default_max_ulps()
    }
    fn ulps_eq(&self, other: &Self, epsilon: Self, max_ulps: u32) -> bool {
        self.value()
            .ulps_eq(&other.value(), epsilon.value(), max_ulps)
    }
}

impl<M: Mode> SubsetOf<Eager<M>> for Eager<M> {
    fn to_superset(&self) -> Eager<M> {
        *self
    }
    fn from_superset_unchecked(element: &Eager<M>) -> Self {
        *element
    }
    fn is_in_subset(_: &Eager<M>) -> bool {
        true
    }
}
/// Conversions back keep only the value.
macro_rules! subsets { ($($T:ident)*) => { $(
    impl<M: Mode> SubsetOf<Eager<M>> for $T {
        fn to_superset(&self) -> Eager<M> {
            Eager::new(SubsetOf::<f64>::to_superset(self))
        }
        #[track_caller]
        fn from_superset_unchecked(element: &Eager<M>) -> Self {
            SubsetOf::<f64>::from_superset_unchecked(&element.cast())
        }
        fn is_in_subset(element: &Eager<M>) -> bool {
            <$T as SubsetOf<f64>>::is_in_subset(&element.value())
        }
    }
)* } }
subsets! { f32 f64 i8 i16 i32 i64 isize u8 u16 u32 u64 usize }

// Two functions of `SimdValue` are declared unsafe. Here the only lane is returned for every index.
#[allow(unsafe_code)]
impl<M: Mode> SimdValue for Eager<M> {
    const LANES: usize = 1;
    type Element = Self;
    type SimdBool = bool;
    #[inline(always)]
    fn splat(val: Self) -> Self {
        val
    }
    #[inline(always)]
    fn extract(&self, lane: usize) -> Self {
        assert!(
            lane == 0,
            "lane {lane} is out of range for a number, which has one lane"
        );
        *self
    }
    #[inline(always)]
    unsafe fn extract_unchecked(&self, _: usize) -> Self {
        *self
    }
    #[inline(always)]
    fn replace(&mut self, lane: usize, val: Self) {
        assert!(
            lane == 0,
            "lane {lane} is out of range for a number, which has one lane"
        );
        *self = val;
    }
    #[inline(always)]
    unsafe fn replace_unchecked(&mut self, _: usize, val: Self) {
        *self = val;
    }
    #[inline(always)]
    fn select(self, cond: bool, other: Self) -> Self {
        if cond { self } else { other }
    }
}
impl<M: Mode> PrimitiveSimdValue for Eager<M> {}
impl<M: Mode> Field for Eager<M> {}

/// The methods of `ComplexField` that eager reals implement.
macro_rules! complex_field { (unary: $($f:ident)*; binary: $($g:ident)*;) => {
    impl<M: Mode> ComplexField for Eager<M> {
        type RealField = Self;
        $( #[inline] #[track_caller] fn $f(self) -> Self { Eager::$f(self) } )*
        $( #[inline] #[track_caller] fn $g(self, b: Self) -> Self { Eager::$g(self, b) } )*
        #[inline]
        fn from_real(re: Self) -> Self {
            re
        }
        #[inline]
        fn real(self) -> Self {
            self
        }
        #[inline]
        fn imaginary(self) -> Self {
            Self::zero()
        }
        #[inline]
        #[track_caller]
        fn modulus(self) -> Self {
            self.abs()
        }
        #[inline]
        #[track_caller]
        fn modulus_squared(self) -> Self {
            self * self
        }
        #[inline]
        fn argument(self) -> Self {
            Eager::new(if self.value() >= 0.0 { 0.0 } else { consts::PI })
        }
        #[inline]
        #[track_caller]
        fn to_exp(self) -> (Self, Self) {
            if self.value() >= 0.0 {
                (self, Eager::new(1.0))
            } else {
                (-self, Eager::new(-1.0))
            }
        }
        #[inline]
        #[track_caller]
        fn norm1(self) -> Self {
            self.abs()
        }
        #[inline]
        #[track_caller]
        fn scale(self, factor: Self) -> Self {
            self * factor
        }
        #[inline]
        #[track_caller]
        fn unscale(self, factor: Self) -> Self {
            self / factor
        }
        #[inline]
        fn conjugate(self) -> Self {
            self
        }
        #[inline]
        #[track_caller]
        fn mul_add(self, a: Self, b: Self) -> Self {
            Eager::mul_add(self, a, b)
        }
        #[inline]
        #[track_caller]
        fn sin_cos(self) -> (Self, Self) {
            Eager::sin_cos(self)
        }
        #[inline]
        #[track_caller]
        fn powi(self, n: i32) -> Self {
            Eager::powi(self, n)
        }
        #[inline]
        #[track_caller]
        fn powc(self, n: Self) -> Self {
            self.powf(n)
        }
        #[inline]
        fn is_finite(&self) -> bool {
            self.value().is_finite()
        }
        #[inline]
        #[track_caller]
        fn try_sqrt(self) -> Option<Self> {
            if self.value() >= 0.0 {
                Some(self.sqrt())
            } else {
                None
            }
        }
    }
} }
complex_field! {
    unary: signum floor ceil round trunc fract abs recip sin cos tan asin acos atan sinh cosh tanh asinh acosh
        atanh log2 log10 ln ln_1p sqrt exp exp2 exp_m1 cbrt;
    binary: hypot log powf;
}

macro_rules! real_field { ($($constant:ident = $value:expr;)*) => {
    impl<M: Mode> RealField for Eager<M> {
        $( #[inline] fn $constant() -> Self { Eager::new($value) } )*
        #[inline]
        fn is_sign_positive(&self) -> bool {
            self.value().is_sign_positive()
        }
        #[inline]
        fn is_sign_negative(&self) -> bool {
            self.value().is_sign_negative()
        }
        #[inline]
        #[track_caller]
        fn copysign(self, sign: Self) -> Self {
            Eager::copysign(self, sign)
        }
        #[inline]
        #[track_caller]
        fn max(self, other: Self) -> Self {
            Eager::max(self, other)
        }
        #[inline]
        #[track_caller]
        fn min(self, other: Self) -> Self {
            Eager::min(self, other)
        }
        /// Does not panic if `min > max`, like `f64` in `simba`.
        #[inline]
        fn clamp(self, min: Self, max: Self) -> Self {
            if self < min {
                min
            } else if self > max {
                max
            } else {
                self
            }
        }
        #[inline]
        #[track_caller]
        fn atan2(self, other: Self) -> Self {
            Eager::atan2(self, other)
        }
        #[inline]
        fn min_value() -> Option<Self> {
            Some(Eager::new(f64::MIN))
        }
        #[inline]
        fn max_value() -> Option<Self> {
            Some(Eager::new(f64::MAX))
        }
    }
} }
real_field! {
    pi = consts::PI;
    two_pi = consts::TAU;
    frac_pi_2 = consts::FRAC_PI_2;
    frac_pi_3 = consts::FRAC_PI_3;
    frac_pi_4 = consts::FRAC_PI_4;
    frac_pi_6 = consts::FRAC_PI_6;
    frac_pi_8 = consts::FRAC_PI_8;
    frac_1_pi = consts::FRAC_1_PI;
    frac_2_pi = consts::FRAC_2_PI;
    frac_2_sqrt_pi = consts::FRAC_2_SQRT_PI;
    e = consts::E;
    log2_e = consts::LOG2_E;
    log10_e = consts::LOG10_E;
    ln_2 = consts::LN_2;
    ln_10 = consts::LN_10;
}
