//! Numbers of a field with tangents, for formulas of holomorphic functions.
#![allow(clippy::suspicious_arithmetic_impl)]
use entape_core::{
    elementwise::{FieldLane, Holomorphic},
    lane_operators, op,
};
use std::array::from_fn;

/// A number and its tangents along `N` directions.
#[derive(Clone, Copy)]
pub(crate) struct FieldDual<L, const N: usize> {
    pub(crate) value: L,
    pub(crate) tangents: [L; N],
}
impl<L: Copy, const N: usize> FieldDual<L, N> {
    #[inline(always)]
    fn map(self, value: L, f: impl Fn(L) -> L) -> Self {
        let tangents = self.tangents.map(f);
        FieldDual { value, tangents }
    }
    #[inline(always)]
    fn zip(self, other: Self, value: L, f: impl Fn(L, L) -> L) -> Self {
        let tangents = from_fn(|j| f(self.tangents[j], other.tangents[j]));
        FieldDual { value, tangents }
    }
}
lane_operators! { |x, y| impl[L: FieldLane, const N: usize] FieldDual<L, N> {
    add: x.zip(y, x.value + y.value, |x_t, y_t| x_t + y_t),
    sub: x.zip(y, x.value - y.value, |x_t, y_t| x_t - y_t),
    mul: x.zip(y, x.value * y.value, |x_t, y_t| x_t * y.value + x.value * y_t),
    div: {
        let r = x.value / y.value;
        x.zip(y, r, |x_t, y_t| (x_t - r * y_t) / y.value)
    },
    neg: x.map(-x.value, |x_t| -x_t),
} }

#[inline(always)]
fn apply<L: FieldLane, const N: usize>(
    f: &impl Holomorphic<1>,
    x: FieldDual<L, N>,
) -> FieldDual<L, N> {
    let r = Holomorphic::primal(f, [x.value]);
    let slope = Holomorphic::adjoint(f, 0, [x.value], r, r.one());
    x.map(r, |x_t| x_t * slope)
}
macro_rules! by_table { ($($f:ident $Op:ident)*) => { $(
    #[inline(always)]
    fn $f(self) -> Self { apply(&op::$Op, self) }
)* } }
impl<L: FieldLane, const N: usize> FieldLane for FieldDual<L, N> {
    #[inline(always)]
    fn splat(self, x: f64) -> Self {
        let zero = self.value.zero();
        self.map(self.value.splat(x), |_| zero)
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
    fn powi(self, n: i32) -> Self {
        apply(&op::Powi { n }, self)
    }
    #[inline(always)]
    fn over_square_plus_one(self, r_b: Self) -> Self {
        let x = self.value;
        let r = x.over_square_plus_one(r_b.value);
        self.zip(r_b, r, |x_t, r_bt| {
            x.over_square_plus_one(r_bt - (r * x * x_t).times(2.0))
        })
    }
    by_table! {
        recip Recip sqrt Sqrt cbrt Cbrt exp Exp exp2 Exp2 ln Ln log2 Log2 log10 Log10 sin Sin cos Cos atan Atan
        sinh Sinh cosh Cosh atanh Atanh
    }
}
