//! The Real DSL: `f64` and `f32` as kinds.
//!
//! ```text
//! arithmetic   + - * / %                     what operators stand for
//! elementary   sqrt, sin, powf, max, erf ..  a table; [`Elementary`] has the member operations
//! cast         to_f32, to_f64                [`Cast`]: both precisions on one tape
//! list         sum, dot, norm, max ..     of slices, each one statement; [`Reals`]
//! passive      is_nan, From, Default ..  look at values, record nothing; [`Predicates`]
//! scalar       [`Real`]: what generic code asks of a number
//! special      polygamma                     what neither std nor libm has
//! ```
//!
//! Values are bitwise equal to the plain program; error and gamma functions are from `libm`.
//!
//! ```
//! use entape_core::{real::{Elementary, Reals}, tape::Tape};
//!
//! let mut tape = Tape::new();
//! let x = tape.inputs([1.0, 2.0]);
//! let y = tape.record(|| (x.sum() * x[1].max(x[0]).ln()).eval()); // (x0 + x1) ln(x1)
//! let gradient = tape.gradient(&y)?.wrt_all(&x)?;
//! assert_eq!(gradient, [2_f64.ln(), 2_f64.ln() + 1.5]);
//! # Ok::<(), entape_core::tape::Error>(())
//! ```
//!
//! # Conventions
//!
//! Where the derivative does not exist, adjoints follow this table. Where it is unbounded, the adjoint is infinite,
//! with the sign of the limit from inside the domain.
//!
//! | operation | where | adjoint of an argument is `r_b` times |
//! |---|---|---|
//! | `abs(x)` | `x = 0` | 0 |
//! | `copysign(x, y)` | `x = 0`; any `y` | 0 for `x`; always 0 for `y` |
//! | `max(x, y)`, `min(x, y)` | `x = y` | 1 for `x`, 0 for `y` |
//! | | one is NaN | 1 for the other one, which is the result |
//! | | both are NaN | 1 for `x`, 0 for `y` |
//! | `clamp(x, low, high)` | `x = low`, `x = high` | 1 for `x`, 0 for the bounds |
//! | | `x` is NaN | 1 for `x`, 0 for the bounds |
//! | `signum`, `floor`, `ceil`, `round`, `round_ties_even`, `trunc`, `div_euclid` | everywhere, at jumps, too | 0 |
//! | `fract(x)` | at jumps | 1 |
//! | `x % y`, `rem_euclid(x, y)` | at jumps | 1 for `x`, minus the whole quotient for `y`, consistent with the result |
//! | `sqrt`, `cbrt`, `ln`, `log2`, `log10`, `ln_1p`, `log`, `asinh`, `acosh`, `hypot`, `powf(x, y)` with `0 < y < 1` | an infinite result | NaN |
//! | `sqrt(x)` | `x = 0` | +Inf |
//! | `cbrt(x)` | `x = 0` | +Inf |
//! | `powi(x, 0)` | every `x`, 0 too | 0 |
//! | `powi(x, n)`, `n < 0` | `x = 0` | infinite, as `n * x.powi(n - 1)` |
//! | `powf(x, y)` | `y = 0`, every `x` | 0 for `x` |
//! | | `x = 0`, `0 < y < 1` | +Inf for `x` |
//! | | `x = 0`, `y = 1` | 1 for `x` |
//! | | `x = 0`, `y >= 0` | 0 for `y` |
//! | | `x = 0`, `y < 0` | -Inf for `x` and `y` |
//! | | `x < 0`, `y` a whole number | the derivative for `x`, NaN for `y` |
//! | `ln`, `log2`, `log10`, `ln_1p`, `log(x, base)` | argument of the logarithm 0 | +Inf (`log`: over `ln(base)`) |
//! | `asin(x)`, `acos(x)` | `x = 1`, `x = -1` | +Inf, -Inf |
//! | `acosh(x)` | `x = 1` | +Inf |
//! | `atanh(x)` | `x = 1`, `x = -1` | +Inf |
//! | `hypot(x, y)`, `atan2(y, x)` | `x = y = 0` | 0 for both |
//! | `ln_gamma(x)`, `digamma(x)` | a pole, `x = 0, -1, -2, ...` | see [`polygamma`](special::polygamma) |
//!
//! A sweep skips unused results and sides of a choice (`max`, `min`, `clamp`, `select`). A computed adjoint of zero
//! times an infinite derivative is NaN: at `x = y = 0` the derivative of `x.sqrt() * y` with respect to `x`. Adjoints
//! of constant and passive arguments are not computed: `x.powf(2.0)` does not take the logarithm of `x`.
//!
//! Second derivatives at the kinks of `abs`, `copysign` and `hypot` are one-sided: exact for smooth functions such as
//! `abs(x)²`, and otherwise NaN. Second derivatives of `atan2` at `x = y = 0` are NaN. A choice has the derivatives of
//! the chosen side.
pub(crate) mod cast;
mod dual;
pub(crate) mod elementary;
pub(crate) mod list;
mod passive;
mod scalar;
mod sum;
pub use crate::{
    elementwise::{NumberKind, RealKind, special},
    expr::number,
};

pub use self::cast::{Cast, CastPieces};
pub use self::elementary::Elementary;
pub use self::list::{ListReductions, Reals};
pub use self::passive::{PlainNumber, Predicates};
pub use self::scalar::{Real, known, norm};

use crate::kind::{Adjoint, Contribution, Inline, Kind, NoMemory, OneByOne, OnePiece, index};

for_reals! { $T =>
    impl Kind for $T {
        type Value = $T;
        type Adjoint = $T;
        type Policy = index::Linear;
        type Layout = OnePiece;
        type Encoding = Inline;
        type Memory = NoMemory;
        type Batch = OneByOne;
        const NAME: &'static str = stringify!($T);
        const NUMBERS: bool = size_of::<$T>() == size_of::<f64>();
        #[inline(always)]
        fn is_unset_tangent(tangent: &$T) -> bool { Adjoint::is_unset(tangent) }
        #[inline(always)]
        fn mark_zeros(tangent: &mut $T, computed: bool) {
            if *tangent == 0.0 {
                *tangent = if computed { 0.0 } else { -0.0 };
            }
        }
        #[inline(always)]
        fn computed(value: $T) -> $T { value + 0.0 }
        #[inline(always)]
        fn unset_tangent(_: &$T) -> $T { -0.0 }
        #[inline(always)]
        fn zero_like(_: &$T) -> $T { 0.0 }
        #[inline(always)]
        fn accumulate(into: &mut $T, from: $T) { *into += from }
        fn is_finite(value: &$T) -> bool { <$T>::is_finite(*value) }
        fn each_number(value: &mut $T, f: &mut dyn FnMut(&mut f64)) -> bool {
            crate::kind::Additive::each_number(value, f)
        }
    }
    impl Adjoint<$T> for $T {
        #[inline(always)]
        fn unset() -> $T { -0.0 }
        #[inline(always)]
        fn from_passed(value: $T) -> $T { value }
        #[inline(always)]
        fn is_unset(&self) -> bool { self.to_bits() == <$T>::to_bits(-0.0) }
        #[inline(always)]
        fn merge(&mut self, other: $T) { *self += other }
        #[inline(always)]
        fn into_value(self) -> Option<$T> { Some(self) }
        #[inline(always)]
        fn add(&mut self, value: $T) { *self += value + 0.0 }
        #[inline(always)]
        fn value_mut(&mut self, _: impl FnOnce() -> $T) -> &mut $T { self }
    }
    impl Contribution<$T> for $T {
        #[inline(always)]
        fn add_to(self, adjoint: &mut $T) { adjoint.add(self) }
        #[inline(always)]
        fn materialise(self) -> $T { self }
    }
}
