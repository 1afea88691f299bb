//! The methods of `f64`.
use super::{Eager, eager};
use entape_core::{expr::Operand, mode::Mode, real::Elementary};
use std::num::FpCategory;

/// Elementary functions of one, two and three arguments, with the documentation of their operations.
macro_rules! functions { ($($f:ident $Op:ident)*; $($g:ident $Op2:ident)*; $($h:ident $Op3:ident)*) => { impl<M: Mode> Eager<M> {
    $(
        #[doc = concat!("As [`", stringify!($Op), "`](entape_core::op::", stringify!($Op), "), evaluated.")]
        #[inline(never)]
        #[track_caller]
        pub fn $f(self) -> Eager<M> { eager(Elementary::$f(self.real())) }
    )*
    $(
        #[doc = concat!("As [`", stringify!($Op2), "`](entape_core::op::", stringify!($Op2), "), evaluated.")]
        #[inline(always)]
        #[track_caller]
        pub fn $g(self, b: impl Operand<M, Kind = f64>) -> Eager<M> { eager(Elementary::$g(self.real(), b.into_expr())) }
    )*
    $(
        #[doc = concat!("As [`", stringify!($Op3), "`](entape_core::op::", stringify!($Op3), "), evaluated.")]
        #[inline(always)]
        #[track_caller]
        pub fn $h(self, b: impl Operand<M, Kind = f64>, c: impl Operand<M, Kind = f64>) -> Eager<M> {
            eager(Elementary::$h(self.real(), b.into_expr(), c.into_expr()))
        }
    )*
} } }
functions! {
    sqrt Sqrt cbrt Cbrt recip Recip
    exp Exp exp2 Exp2 exp_m1 ExpM1 ln Ln log2 Log2 log10 Log10 ln_1p Ln1p
    sin Sin cos Cos tan Tan asin Asin acos Acos atan Atan to_degrees ToDegrees to_radians ToRadians
    sinh Sinh cosh Cosh tanh Tanh asinh Asinh acosh Acosh atanh Atanh
    abs Abs signum Signum
    floor Floor ceil Ceil round Round round_ties_even RoundTiesEven trunc Trunc fract Fract
    erf Erf erfc Erfc ln_gamma LnGamma digamma Digamma;
    powf Powf hypot Hypot log Log atan2 Atan2 copysign Copysign max Max min Min midpoint Midpoint
    rem_euclid RemEuclid div_euclid DivEuclid;
    mul_add MulAdd clamp Clamp
}

impl<M: Mode> Eager<M> {
    /// Like [`Powi`](entape_core::op::Powi), evaluated.
    #[inline(never)]
    #[track_caller]
    pub fn powi(self, n: i32) -> Eager<M> {
        eager(Elementary::powi(self.real(), n))
    }
    /// Sine and cosine.
    #[inline(always)]
    #[track_caller]
    pub fn sin_cos(self) -> (Eager<M>, Eager<M>) {
        (self.sin(), self.cos())
    }
    /// The total order of IEEE 754.
    pub fn total_cmp(&self, other: &Eager<M>) -> std::cmp::Ordering {
        self.value().total_cmp(&other.value())
    }
}

macro_rules! predicates { ($($f:ident -> $T:ty, $doc:literal;)*) => { impl<M: Mode> Eager<M> { $(
    #[doc = $doc]
    #[inline(always)]
    pub fn $f(self) -> $T { self.value().$f() }
)* } } }
predicates! {
    is_nan -> bool, "Not a number.";
    is_infinite -> bool, "Positive or negative infinity.";
    is_finite -> bool, "Neither infinite nor NaN.";
    is_normal -> bool, "Neither zero, infinite, subnormal nor NaN.";
    is_subnormal -> bool, "Too small for full precision, but not zero.";
    is_sign_positive -> bool, "The sign bit is not set.";
    is_sign_negative -> bool, "The sign bit is set.";
    classify -> FpCategory, "The category of the value.";
}
