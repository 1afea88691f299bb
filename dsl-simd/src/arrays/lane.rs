//! Numbers of arrays for the shared formulas. The exponential and the logarithm are [`formulas`] that the compiler
//! vectorises.
use crate::{LaneNumber, formulas};
use entape_core::{elementwise::Lane, lane_operators};

/// A number of an array.
#[derive(Clone, Copy, Debug)]
#[allow(unreachable_pub)] // kinds name it as the lane of their formulas
pub struct ArrayLane<T>(pub(super) T);

lane_operators! { |x, y| impl[T: LaneNumber] ArrayLane<T> {
    add: ArrayLane(x.0 + y.0),
    sub: ArrayLane(x.0 - y.0),
    mul: ArrayLane(x.0 * y.0),
    div: ArrayLane(x.0 / y.0),
    neg: ArrayLane(-x.0),
} }

macro_rules! own { ($($f:ident)*; $($g:ident)*) => {
    $( #[inline(always)] fn $f(self) -> Self { ArrayLane(Lane::$f(self.0)) } )*
    $( #[inline(always)] fn $g(self, y: Self) -> Self { ArrayLane(Lane::$g(self.0, y.0)) } )*
} }
impl<T: LaneNumber> Lane for ArrayLane<T> {
    type Mask = bool;
    #[inline(always)]
    fn splat(self, x: f64) -> Self {
        ArrayLane(T::nearest(x))
    }
    #[inline(always)]
    fn each(self, f: impl Fn(f64) -> f64) -> Self {
        ArrayLane(self.0.each(f))
    }
    #[inline(always)]
    fn each2(self, y: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        ArrayLane(self.0.each2(y.0, f))
    }
    #[inline(always)]
    fn less(self, y: Self) -> bool {
        self.0 < y.0
    }
    #[inline(always)]
    fn less_eq(self, y: Self) -> bool {
        self.0 <= y.0
    }
    #[inline(always)]
    fn equal(self, y: Self) -> bool {
        self.0 == y.0
    }
    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
    own! {
        abs signum floor ceil round round_ties_even trunc fract to_degrees to_radians
        sqrt cbrt exp2 exp_m1 log2 log10 ln_1p
        sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc ln_gamma;
        hypot atan2 powf copysign rem_euclid div_euclid midpoint rem max min
    }
    #[inline(always)]
    fn exp(self) -> Self {
        ArrayLane(T::nearest(formulas::exp::<false>(self.0.double())))
    }
    #[inline(always)]
    fn ln(self) -> Self {
        ArrayLane(T::nearest(formulas::ln(self.0.double())))
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        ArrayLane(Lane::mul_add(self.0, b.0, c.0))
    }
    #[inline(always)]
    fn powi(self, n: i32) -> Self {
        ArrayLane(Lane::powi(self.0, n))
    }
    #[inline(always)]
    fn polygamma(self, n: u32) -> Self {
        ArrayLane(self.0.polygamma(n))
    }
    #[inline(always)]
    fn clamp(self, low: Self, high: Self) -> Self {
        ArrayLane(Lane::clamp(self.0, low.0, high.0))
    }
}
