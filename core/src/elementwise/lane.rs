//! The number types of elementary functions.
use super::special;
use crate::repeat::array_of;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

macro_rules! functions {
    ($with:ident $T:ident) => {
        $with! { $T:
            abs signum floor ceil round round_ties_even trunc fract to_degrees to_radians
            sqrt cbrt exp exp2 exp_m1 ln log2 log10 ln_1p
            sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh;
            hypot atan2 powf copysign rem_euclid div_euclid midpoint
        }
    };
}
macro_rules! by_number { ($T:ident: $($f:ident)*; $($g:ident)*) => {
    $(
        #[doc = concat!("`", stringify!($T), "::", stringify!($f), "` of each lane.")]
        #[inline(always)]
        fn $f(self) -> Self { self.each($T::$f) }
    )*
    $(
        #[doc = concat!("`", stringify!($T), "::", stringify!($g), "` of each lane.")]
        #[inline(always)]
        fn $g(self, y: Self) -> Self { self.each2(y, $T::$g) }
    )*
} }
macro_rules! by_method { ($T:ident: $($f:ident)*; $($g:ident)*) => {
    $( #[inline(always)] fn $f(self) -> Self { <$T>::$f(self) } )*
    $( #[inline(always)] fn $g(self, y: Self) -> Self { <$T>::$g(self, y) } )*
} }

/// The type with which elementary functions compute: a number (`f64`, `f32`), or numbers in a SIMD register. Formulas do not use
/// `if`: comparisons return a [`Mask`](Self::Mask), which [selects](Self::select).
///
/// A lane type needs arithmetic, comparisons and functions [by number](Self::each), which other methods use in double
/// precision; override them where the hardware is faster. Define numbers of higher precision by
/// [`#[kind(real(..))]`](macro@crate::kind), whose missing functions panic.
///
/// ```
/// use entape_core::elementwise::Lane;
///
/// /// Returns the slope of `|x|`, 0 at 0, for any lane type.
/// fn slope<L: Lane>(x: L) -> L {
///     x.splat(1.0).copysign(x).unless(x.equal(x.zero()))
/// }
/// assert_eq!(slope(-2.0), -1.0);
/// assert_eq!(slope(0.0_f32), 0.0);
/// ```
pub trait Lane:
    Copy
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// A truth value for each lane; `bool` for a single number.
    type Mask: Copy
        + BitAnd<Output = Self::Mask>
        + BitOr<Output = Self::Mask>
        + Not<Output = Self::Mask>;

    /// Returns `x` in every lane. `self` may provide a SIMD token.
    fn splat(self, x: f64) -> Self;
    /// Applies `f` to each number.
    fn each(self, f: impl Fn(f64) -> f64) -> Self;
    /// Applies `f` to each pair of numbers.
    fn each2(self, y: Self, f: impl Fn(f64, f64) -> f64) -> Self;
    /// Returns `self < y`.
    fn less(self, y: Self) -> Self::Mask;
    /// Returns `self <= y`.
    fn less_eq(self, y: Self) -> Self::Mask;
    /// Returns `self == y`.
    fn equal(self, y: Self) -> Self::Mask;
    /// Returns `yes` where the mask is set, `no` elsewhere.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// Returns zero.
    #[inline(always)]
    fn zero(self) -> Self {
        self.splat(0.0)
    }
    /// Returns one.
    #[inline(always)]
    fn one(self) -> Self {
        self.splat(1.0)
    }
    /// Returns `self + x`.
    #[inline(always)]
    fn plus(self, x: f64) -> Self {
        self + self.splat(x)
    }
    /// Returns `self * x`.
    #[inline(always)]
    fn times(self, x: f64) -> Self {
        self * self.splat(x)
    }
    /// Returns `self` where the mask is set, and 0 elsewhere, even instead of NaN.
    #[inline(always)]
    fn only(self, mask: Self::Mask) -> Self {
        Self::select(mask, self, self.zero())
    }
    /// Returns 0 where the mask is set, even instead of NaN, and `self` elsewhere.
    #[inline(always)]
    fn unless(self, mask: Self::Mask) -> Self {
        Self::select(mask, self.zero(), self)
    }
    /// Returns the [unset](crate::kind::Adjoint) adjoint, -0.0.
    #[inline(always)]
    fn unset(self) -> Self {
        self.splat(-0.0)
    }
    /// Returns the lanes with unset adjoints.
    #[inline(always)]
    fn is_unset(self) -> Self::Mask {
        self.equal(self.zero()) & self.one().copysign(self).less(self.zero())
    }
    /// Returns a computed adjoint: zeros become +0.0.
    #[inline(always)]
    fn computed(self) -> Self {
        self.plus(0.0)
    }
    /// Returns the adjoint of one side of a choice, unset outside of the mask.
    #[inline(always)]
    fn chosen(self, mask: Self::Mask) -> Self {
        Self::select(mask, self.computed(), self.unset())
    }
    /// Returns the adjoint of a subtrahend: the negative, unless it is unset.
    #[inline(always)]
    fn negated(self) -> Self {
        Self::select(self.is_unset(), self, self.zero() - self)
    }
    /// Returns an adjoint times the slope of a power of `x`. At `x = 0` an infinite derivative of the slope counts as 0
    /// if the adjoint is 0.
    #[inline(always)]
    fn times_power(self, slope: Self, x: Self) -> Self {
        let _ = x;
        self * slope
    }
    /// Returns `self`, without derivatives where the mask is set and `x` has tangents.
    #[inline(always)]
    fn kinked(self, mask: Self::Mask, x: Self) -> Self {
        let _ = (mask, x);
        self
    }
    /// Returns the NaN lanes.
    #[inline(always)]
    fn is_nan(self) -> Self::Mask {
        !self.equal(self)
    }
    /// Returns `1 / self`.
    #[inline(always)]
    fn recip(self) -> Self {
        self.one() / self
    }
    /// Returns `self * b + c`, fused if possible.
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        self * b + c
    }
    /// Raises `self` to the power `n`.
    #[inline(always)]
    fn powi(self, n: i32) -> Self {
        self.each(|x| x.powi(n))
    }
    /// Returns the remainder of `self / y`, with the sign of `self`.
    #[inline(always)]
    fn rem(self, y: Self) -> Self {
        self.each2(y, |x, y| x % y)
    }
    /// Returns the larger number; if one is NaN, the other one.
    #[inline(always)]
    fn max(self, y: Self) -> Self {
        Self::select(y.less_eq(self) | y.is_nan(), self, y)
    }
    /// Returns the smaller number; if one is NaN, the other one.
    #[inline(always)]
    fn min(self, y: Self) -> Self {
        Self::select(self.less_eq(y) | y.is_nan(), self, y)
    }
    /// Multiplies tangents by the derivative `self`; zeros stay zero even if it is infinite.
    #[inline(always)]
    fn times_tangents<const N: usize>(self, tangents: [Self; N]) -> [Self; N] {
        each(&tangents, |t| (t * self).unless(t.equal(t.zero())))
    }
    /// Multiplies tangents by the derivative `self`; [unset](Self::unset) ones stay unset, others are computed.
    #[inline(always)]
    fn times_marked<const N: usize>(self, tangents: [Self; N]) -> [Self; N] {
        each(&tangents, |t| {
            Self::select(t.is_unset(), t, (t * self).computed())
        })
    }
    /// Restricts `self` to the range from `low` to `high`; NaN stays NaN.
    ///
    /// # Panics
    /// For single numbers, if `low > high` or either is NaN.
    #[track_caller]
    #[inline(always)]
    fn clamp(self, low: Self, high: Self) -> Self {
        Self::select(
            self.less(low),
            low,
            Self::select(high.less(self), high, self),
        )
    }
    /// Returns the error function.
    #[inline(always)]
    fn erf(self) -> Self {
        self.each(libm::erf)
    }
    /// Returns the complementary error function.
    #[inline(always)]
    fn erfc(self) -> Self {
        self.each(libm::erfc)
    }
    /// Returns `ln|Γ(self)|`.
    #[inline(always)]
    fn ln_gamma(self) -> Self {
        self.each(libm::lgamma)
    }
    /// Returns the derivative of order `n + 1` of `ln|Γ|`.
    #[inline(always)]
    fn polygamma(self, n: u32) -> Self {
        self.each(|x| special::polygamma(n, x))
    }
    functions! { by_number f64 }
}

macro_rules! number {
    ($T:ident $erf:ident $erfc:ident $lgamma:ident) => {
        impl Lane for $T {
            type Mask = bool;
            #[inline(always)]
            fn splat(self, x: f64) -> Self {
                x as $T
            }
            #[inline(always)]
            fn each(self, f: impl Fn(f64) -> f64) -> Self {
                f(self as f64) as $T
            }
            #[inline(always)]
            fn each2(self, y: Self, f: impl Fn(f64, f64) -> f64) -> Self {
                f(self as f64, y as f64) as $T
            }
            #[inline(always)]
            fn less(self, y: Self) -> bool {
                self < y
            }
            #[inline(always)]
            fn less_eq(self, y: Self) -> bool {
                self <= y
            }
            #[inline(always)]
            fn equal(self, y: Self) -> bool {
                self == y
            }
            #[inline(always)]
            fn select(mask: bool, yes: Self, no: Self) -> Self {
                if mask { yes } else { no }
            }
            #[inline(always)]
            fn is_unset(self) -> bool {
                self.to_bits() == <$T>::to_bits(-0.0)
            }
            #[inline(always)]
            fn negated(self) -> Self {
                -self
            }
            #[inline(always)]
            fn mul_add(self, b: Self, c: Self) -> Self {
                <$T>::mul_add(self, b, c)
            }
            /// Small powers need no call.
            #[inline(always)]
            fn powi(self, n: i32) -> Self {
                match n {
                    1 => self,
                    2 => self * self,
                    3 => self * (self * self),
                    _ => <$T>::powi(self, n),
                }
            }
            #[inline(always)]
            fn times_tangents<const N: usize>(self, tangents: [Self; N]) -> [Self; N] {
                if self.is_finite() {
                    return each(&tangents, |t| t * self);
                }
                each(&tangents, |t| if t == 0.0 { 0.0 } else { t * self })
            }
            #[inline(always)]
            fn times_marked<const N: usize>(self, tangents: [Self; N]) -> [Self; N] {
                if self.is_finite() {
                    // Branch-free: a product with a zero is +0.0 with the sign of the zero.
                    return each(&tangents, |t| {
                        let sign = if t == 0.0 { t.to_bits() } else { 0 };
                        <$T>::from_bits((t * self + 0.0).to_bits() | sign)
                    });
                }
                each(&tangents, |t| if t.is_unset() { t } else { t * self })
            }
            #[inline(always)]
            fn rem(self, y: Self) -> Self {
                self % y
            }
            #[inline(always)]
            fn max(self, y: Self) -> Self {
                <$T>::max(self, y)
            }
            #[inline(always)]
            fn min(self, y: Self) -> Self {
                <$T>::min(self, y)
            }
            #[track_caller]
            #[inline(always)]
            fn clamp(self, low: Self, high: Self) -> Self {
                // The standard library would report its own line.
                assert!(
                    low <= high,
                    "`clamp` needs `low <= high`, found {low:?} and {high:?}: exchange them"
                );
                <$T>::clamp(self, low, high)
            }
            #[inline(always)]
            fn erf(self) -> Self {
                libm::$erf(self)
            }
            #[inline(always)]
            fn erfc(self) -> Self {
                libm::$erfc(self)
            }
            #[inline(always)]
            fn ln_gamma(self) -> Self {
                libm::$lgamma(self)
            }
            functions! { by_method $T }
        }
    };
}
number! { f64 erf erfc lgamma }
number! { f32 erff erfcf lgammaf }

/// Unlike the `map` of arrays, inlined in nested formulas.
#[inline(always)]
pub(crate) fn each<A: Clone, B: Copy, const N: usize>(x: &[A; N], f: impl Fn(A) -> B) -> [B; N] {
    array_of(
        #[inline(always)]
        |j| f(x[j].clone()),
    )
}
