//! Elementary functions of numbers with tangents, by the table.
use super::elementary as op;
use crate::elementwise::{Dual, Elementwise, Lane, arithmetic, each, tangents_of};

#[inline(always)]
#[track_caller]
fn apply<L: Lane, const I: usize, const N: usize>(
    op: &impl Elementwise<I>,
    x: [Dual<L, N>; I],
) -> Dual<L, N> {
    let values = each(&x, |x| x.value);
    let value = op.primal(values);
    let tangents = tangents_of(op, values, value, each(&x, |x| Some(x.tangents)));
    Dual { value, tangents }
}
macro_rules! by_table { ($($f:ident $Op:ident)*; $($g:ident $Op2:ident)*) => {
    $(
        #[inline(always)]
        fn $f(self) -> Self { apply(&op::$Op, [self]) }
    )*
    $(
        #[inline(always)]
        fn $g(self, y: Self) -> Self { apply(&op::$Op2, [self, y]) }
    )*
} }

impl<L: Lane, const N: usize> Lane for Dual<L, N> {
    type Mask = L::Mask;
    #[inline(always)]
    fn splat(self, x: f64) -> Self {
        let (value, zero) = (self.value.splat(x), self.value.zero());
        self.map(value, |_| zero)
    }
    fn each(self, f: impl Fn(f64) -> f64) -> Self {
        let (value, unknown) = (self.value.each(f), self.value.splat(f64::NAN));
        self.map(value, |_| unknown)
    }
    fn each2(self, y: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let (value, unknown) = (self.value.each2(y.value, f), self.value.splat(f64::NAN));
        self.map(value, |_| unknown)
    }
    #[inline(always)]
    fn less(self, y: Self) -> L::Mask {
        self.value.less(y.value)
    }
    #[inline(always)]
    fn less_eq(self, y: Self) -> L::Mask {
        self.value.less_eq(y.value)
    }
    #[inline(always)]
    fn equal(self, y: Self) -> L::Mask {
        self.value.equal(y.value)
    }
    #[inline(always)]
    fn select(mask: L::Mask, yes: Self, no: Self) -> Self {
        let value = L::select(mask, yes.value, no.value);
        yes.zip(no, value, |yes, no| L::select(mask, yes, no))
    }
    #[inline(always)]
    fn unset(self) -> Self {
        self.map(self.value.unset(), L::unset)
    }
    #[inline(always)]
    fn is_unset(self) -> L::Mask {
        let unset = |all, t: &L| all & t.is_unset();
        self.tangents.iter().fold(self.value.is_unset(), unset)
    }
    #[inline(always)]
    fn computed(self) -> Self {
        self.map(self.value.computed(), L::computed)
    }
    #[inline(always)]
    fn negated(self) -> Self {
        self.map(self.value.negated(), L::negated)
    }
    #[inline(always)]
    fn plus(self, x: f64) -> Self {
        self.map(self.value.plus(x), |t| t)
    }
    #[inline(always)]
    fn times(self, x: f64) -> Self {
        self.map(self.value.times(x), |t| t.times(x))
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        apply(&op::MulAdd, [self, b, c])
    }
    #[inline(always)]
    fn powi(self, n: i32) -> Self {
        apply(&op::Powi { n }, [self])
    }
    #[inline(always)]
    fn times_power(self, slope: Self, x: Self) -> Self {
        let zero = x.value.equal(x.value.zero()) & self.value.equal(self.value.zero());
        let tangent = |r_bt: L, s_t: L| r_bt * slope.value + (self.value * s_t).unless(zero);
        self.zip(slope, self.value * slope.value, tangent)
    }
    #[inline(always)]
    fn kinked(self, mask: L::Mask, x: Self) -> Self {
        let unknown = self.value.splat(f64::NAN);
        self.zip(x, self.value, |t, x_t| {
            L::select(mask & !x_t.is_unset(), unknown, t)
        })
    }
    /// `0^y` jumps at `y = 0`, so the derivative with respect to the exponent does not exist there.
    #[inline(always)]
    fn powf(self, y: Self) -> Self {
        let zero = self.value.zero();
        let jump = self.value.equal(zero) & y.value.equal(zero);
        apply(&op::Powf, [self, y]).kinked(jump, y)
    }
    #[inline(always)]
    fn times_tangents<const D: usize>(self, tangents: [Self; D]) -> [Self; D] {
        each(&tangents, |t| t * self)
    }
    #[inline(always)]
    fn rem(self, y: Self) -> Self {
        apply(&arithmetic::Rem, [self, y])
    }
    #[inline(always)]
    #[track_caller]
    fn clamp(self, low: Self, high: Self) -> Self {
        apply(&op::Clamp, [self, low, high])
    }
    #[inline(always)]
    fn polygamma(self, n: u32) -> Self {
        apply(&op::Polygamma { n }, [self])
    }
    by_table! {
        recip Recip erf Erf erfc Erfc ln_gamma LnGamma
        abs Abs signum Signum floor Floor ceil Ceil round Round round_ties_even RoundTiesEven trunc Trunc fract Fract
        to_degrees ToDegrees to_radians ToRadians
        sqrt Sqrt cbrt Cbrt exp Exp exp2 Exp2 exp_m1 ExpM1 ln Ln log2 Log2 log10 Log10 ln_1p Ln1p
        sin Sin cos Cos tan Tan asin Asin acos Acos atan Atan sinh Sinh cosh Cosh tanh Tanh asinh Asinh acosh Acosh
        atanh Atanh;
        max Max min Min hypot Hypot atan2 Atan2 copysign Copysign rem_euclid RemEuclid
        div_euclid DivEuclid midpoint Midpoint
    }
}
