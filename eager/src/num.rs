//! The traits of `num_traits`.
use super::Eager;
use entape_core::mode::Mode;
use num_traits::{
    Bounded, Euclid, Float, FloatConst, FromPrimitive, Inv, MulAdd, MulAddAssign, Num, NumCast,
    One, Pow, Signed, ToPrimitive, Zero, float::TotalOrder,
};
use std::{cmp::Ordering, num::FpCategory};

impl<M: Mode> Zero for Eager<M> {
    fn zero() -> Self {
        Eager::new(0.0)
    }
    fn is_zero(&self) -> bool {
        self.value() == 0.0
    }
}
impl<M: Mode> One for Eager<M> {
    fn one() -> Self {
        Eager::new(1.0)
    }
}
impl<M: Mode> Num for Eager<M> {
    type FromStrRadixErr = <f64 as Num>::FromStrRadixErr;
    fn from_str_radix(text: &str, radix: u32) -> Result<Self, Self::FromStrRadixErr> {
        f64::from_str_radix(text, radix).map(Eager::new)
    }
}
impl<M: Mode> Signed for Eager<M> {
    #[track_caller]
    fn abs(&self) -> Self {
        Eager::abs(*self)
    }
    #[track_caller]
    fn abs_sub(&self, other: &Self) -> Self {
        Float::abs_sub(*self, *other)
    }
    #[track_caller]
    fn signum(&self) -> Self {
        Eager::signum(*self)
    }
    fn is_positive(&self) -> bool {
        Signed::is_positive(&self.value())
    }
    fn is_negative(&self) -> bool {
        Signed::is_negative(&self.value())
    }
}
impl<M: Mode> Bounded for Eager<M> {
    fn min_value() -> Self {
        Eager::new(f64::MIN)
    }
    fn max_value() -> Self {
        Eager::new(f64::MAX)
    }
}

macro_rules! to_primitive { ($($method:ident $T:ident)*) => {
    impl<M: Mode> ToPrimitive for Eager<M> { $(
        #[track_caller]
        fn $method(&self) -> Option<$T> { self.cast().$method() }
    )* }
} }
to_primitive! {
    to_isize isize to_i8 i8 to_i16 i16 to_i32 i32 to_i64 i64 to_i128 i128
    to_usize usize to_u8 u8 to_u16 u16 to_u32 u32 to_u64 u64 to_u128 u128
    to_f32 f32 to_f64 f64
}
macro_rules! from_primitive { ($($method:ident $T:ident)*) => {
    impl<M: Mode> FromPrimitive for Eager<M> { $(
        fn $method(n: $T) -> Option<Self> { f64::$method(n).map(Eager::new) }
    )* }
} }
from_primitive! {
    from_isize isize from_i8 i8 from_i16 i16 from_i32 i32 from_i64 i64 from_i128 i128
    from_usize usize from_u8 u8 from_u16 u16 from_u32 u32 from_u64 u64 from_u128 u128
    from_f32 f32 from_f64 f64
}
impl<M: Mode> NumCast for Eager<M> {
    /// Makes a constant, also from an active real: the derivative is dropped or
    /// [refused](entape_core::tape::Builder::refuse_casts).
    #[track_caller]
    fn from<T: ToPrimitive>(n: T) -> Option<Self> {
        n.to_f64().map(Eager::new)
    }
}

macro_rules! constants { ($($name:ident)*) => {
    impl<M: Mode> FloatConst for Eager<M> { $(
        fn $name() -> Self { Eager::new(f64::$name()) }
    )* }
} }
constants! {
    E FRAC_1_PI FRAC_1_SQRT_2 FRAC_2_PI FRAC_2_SQRT_PI FRAC_PI_2 FRAC_PI_3 FRAC_PI_4 FRAC_PI_6 FRAC_PI_8
    LN_10 LN_2 LOG10_E LOG2_E PI SQRT_2 TAU LOG10_2 LOG2_10
}

/// The methods of `Float` that eager reals implement.
macro_rules! float { (
    constants: $($constant:ident)*; predicates: $($predicate:ident)*; unary: $($f:ident)*; binary: $($g:ident)*;
) => {
    impl<M: Mode> Float for Eager<M> {
        $( fn $constant() -> Self { Eager::new(<f64 as Float>::$constant()) } )*
        $( fn $predicate(self) -> bool { self.value().$predicate() } )*
        $( #[track_caller] fn $f(self) -> Self { Eager::$f(self) } )*
        $( #[track_caller] fn $g(self, b: Self) -> Self { Eager::$g(self, b) } )*
        #[track_caller]
        fn mul_add(self, a: Self, b: Self) -> Self { Eager::mul_add(self, a, b) }
        #[track_caller]
        fn clamp(self, min: Self, max: Self) -> Self { Eager::clamp(self, min, max) }
        #[track_caller]
        fn powi(self, n: i32) -> Self { Eager::powi(self, n) }
        #[track_caller]
        fn sin_cos(self) -> (Self, Self) { Eager::sin_cos(self) }
        /// Returns the positive difference, with derivative zero where it is zero.
        #[track_caller]
        fn abs_sub(self, other: Self) -> Self {
            if self.value() <= other.value() { Eager::new(0.0) } else { self - other }
        }
        fn classify(self) -> FpCategory { self.value().classify() }
        #[track_caller]
        fn integer_decode(self) -> (u64, i16, i8) { self.cast().integer_decode() }
    }
} }
float! {
    constants: nan infinity neg_infinity neg_zero min_value min_positive_value max_value epsilon;
    predicates: is_nan is_infinite is_finite is_normal is_subnormal is_sign_positive is_sign_negative;
    unary: floor ceil round trunc fract abs signum recip sqrt exp exp2 ln log2 log10 to_degrees to_radians
        cbrt sin cos tan asin acos atan exp_m1 ln_1p sinh cosh tanh asinh acosh atanh;
    binary: powf log max min hypot atan2 copysign;
}

impl<M: Mode> TotalOrder for Eager<M> {
    fn total_cmp(&self, other: &Self) -> Ordering {
        Eager::total_cmp(self, other)
    }
}
impl<M: Mode> Euclid for Eager<M> {
    #[track_caller]
    fn div_euclid(&self, b: &Self) -> Self {
        Eager::div_euclid(*self, *b)
    }
    #[track_caller]
    fn rem_euclid(&self, b: &Self) -> Self {
        Eager::rem_euclid(*self, *b)
    }
}
impl<M: Mode> Inv for Eager<M> {
    type Output = Self;
    #[track_caller]
    fn inv(self) -> Self {
        self.recip()
    }
}
impl<M: Mode> MulAdd for Eager<M> {
    type Output = Self;
    #[track_caller]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Eager::mul_add(self, a, b)
    }
}
impl<M: Mode> MulAddAssign for Eager<M> {
    #[track_caller]
    fn mul_add_assign(&mut self, a: Self, b: Self) {
        *self = Eager::mul_add(*self, a, b);
    }
}
impl<M: Mode> Pow<Eager<M>> for Eager<M> {
    type Output = Self;
    #[track_caller]
    fn pow(self, n: Eager<M>) -> Self {
        self.powf(n)
    }
}
impl<M: Mode> Pow<f64> for Eager<M> {
    type Output = Self;
    #[track_caller]
    fn pow(self, n: f64) -> Self {
        self.powf(n)
    }
}
impl<M: Mode> Pow<i32> for Eager<M> {
    type Output = Self;
    #[track_caller]
    fn pow(self, n: i32) -> Self {
        self.powi(n)
    }
}
