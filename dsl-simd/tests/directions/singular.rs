//! Norms at the origin, powers at 0, zeros beside infinities, unselected sides, against values computed by hand.
use entape_core::{
    expr::Active,
    mode::{Mode, Taped},
    real::Elementary,
};
use entape_drivers::{gradient, hessian, value_gradient_hessian};
use entape_simd::{
    Array, Compare as _, LanesOps as _, Realx4, SplatOps,
    arrays::{ArrayOps, Compare as _, Gathers, MaskOps},
    wide::f64x4,
};

type Real<M = entape_core::mode::Taped> = Active<f64, M>;
const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;

#[track_caller]
fn same(got: &[f64], want: &[f64], what: &str) {
    let equal = |(a, b): (&f64, &f64)| a == b || (a.is_nan() && b.is_nan());
    let all = got.len() == want.len() && got.iter().zip(want).all(equal);
    assert!(all, "{what}: {got:?} instead of {want:?}");
}
macro_rules! at { ($f:ident($($x:expr),*): gradient [$($g:expr),*], hessian [$($h:expr),*]) => {{
    let (x, g, h, name) = ([$($x),*], [$($g as f64),*], [$($h as f64),*], stringify!($f));
    same(&gradient($f::<Taped>, &x).unwrap(), &g, name);
    same(hessian($f::<Taped>, &x).unwrap().as_slice(), &h, name);
    let all = value_gradient_hessian($f::<Taped>, &x).unwrap();
    same(&all.gradient, &g, name);
    same(all.hessian.as_slice(), &h, name);
}} }
macro_rules! of_arrays { ($($name:ident: |$v:ident| $f:expr;)*) => { $(
    fn $name<M: Mode>(x: &[Real<M>]) -> Real<M> {
        let $v: Array<M> = x.gather_array().eval();
        $f.eval()
    }
)* } }
of_arrays! {
    norm_square: |v| { let n = v.norm().eval(); 0.5 * n * n.eval() };
    norm_square_at_once: |v| v.norm().powi(2);
    norm_gauss: |v| { let n = v.norm().eval(); (-(n * n)).exp().eval() };
    norm_of_expression: |v| { let n = (2.0 * &v).norm().eval(); n * n.eval() };
    norm_alone: |v| v.norm();
    abs_square: |v| { let a = v.abs().eval(); (&a * &a).sum().eval() };
    abs_square_at_once: |v| v.abs().powi(2).sum();
    abs_alone: |v| v.abs().sum();
    power_11: |v| v.powf(1.1).sum();
    power_20: |v| v.powf(2.0).sum();
    power_25: |v| v.powf(2.5).sum();
    power_product: |v| (&v * (1.0 - v.powf(1.1))).sum();
    softplus: |v| { let e = v.exp().eval(); (1.0 + &e).ln().sum().eval() };
    softplus_at_once: |v| (1.0 + v.exp()).ln().sum();
    root_of_square: |v| { let s = (&v * &v).eval(); s.sqrt().sum().eval() };
    square_of_root: |v| { let r = v.sqrt().eval(); (&r * &r).sum().eval() };
    masked: |v| { let pole = (v.recip()).eval(); v.simd_gt(0.0).select(&pole, &v).sum().eval() };
    masked_at_once: |v| v.simd_gt(0.0).select(v.recip(), &v).sum();
    masked_negative: |v| { let pole = (v.recip()).eval(); v.simd_gt(0.0).select(1.0 - &pole, &v).sum().eval() };
    smaller: |v| { let pole = (v.recip()).eval(); (1.0 + &v).min(&pole).sum().eval() };
}
macro_rules! of_lanes { ($($name:ident: |$v:ident| $f:expr;)*) => { $(
    fn $name<M: Mode>(x: &[Real<M>]) -> Real<M> {
        let $v: Realx4<M> = x[0].splat::<f64x4>().eval();
        ($f * 0.25).reduce_add().eval()
    }
)* } }
of_lanes! {
    lanes_abs_square: |v| { let a = v.abs().eval(); a * a };
    lanes_abs_alone: |v| v.abs();
    lanes_hypot_square: |v| { let n = v.hypot(v).eval(); n * n };
    lanes_power_11: |v| v.powf(1.1);
    lanes_power_20: |v| v.powf(2.0);
    lanes_power_product: |v| v * (1.0 - v.powf(1.1));
    lanes_softplus: |v| { let e = v.exp().eval(); (1.0 + e).ln() };
    lanes_softplus_at_once: |v| (1.0 + v.exp()).ln();
    lanes_root_of_square: |v| { let s = (v * v).eval(); s.sqrt() };
    lanes_masked: |v| { let pole = v.recip().eval(); v.simd_gt(0.0).select(pole, v) };
    lanes_masked_at_once: |v| v.simd_gt(0.0).select(v.recip(), v);
    lanes_smaller: |v| { let pole = v.recip().eval(); (1.0 + v).min(pole) };
}

#[test]
fn smooth_functions_of_norms_and_abs_have_second_derivatives_at_the_origin() {
    at! { norm_square(0.0, 0.0): gradient [0, 0], hessian [1, 0, 0, 1] }
    at! { norm_square_at_once(0.0, 0.0): gradient [0, 0], hessian [2, 0, 0, 2] }
    at! { norm_gauss(0.0, 0.0): gradient [0, 0], hessian [-2, 0, 0, -2] }
    at! { norm_of_expression(0.0, 0.0): gradient [0, 0], hessian [8, 0, 0, 8] }
    at! { abs_square(0.0, 1.0): gradient [0, 2], hessian [2, 0, 0, 2] }
    at! { abs_square_at_once(0.0, -0.0): gradient [0, 0], hessian [2, 0, 0, 2] }
    at! { lanes_abs_square(0.0): gradient [0], hessian [2] }
    at! { lanes_hypot_square(0.0): gradient [0], hessian [4] }
}
#[test]
fn norms_and_abs_have_no_second_derivative_at_the_origin() {
    let h = hessian(norm_alone::<Taped>, &[0.0, 0.0]).unwrap();
    assert!(h.as_slice()[0].is_nan() && h.as_slice()[3].is_nan());
    at! { abs_alone(0.0): gradient [0], hessian [NAN] }
    at! { lanes_abs_alone(0.0): gradient [0], hessian [NAN] }
}
#[test]
fn second_derivatives_of_powers_at_zero_are_their_limits() {
    at! { power_11(0.0): gradient [0], hessian [INF] }
    at! { power_20(0.0): gradient [0], hessian [2] }
    at! { power_25(0.0): gradient [0], hessian [0] }
    at! { power_product(0.0): gradient [1], hessian [0] }
    at! { lanes_power_11(0.0): gradient [0], hessian [INF] }
    at! { lanes_power_20(0.0): gradient [0], hessian [2] }
    at! { lanes_power_product(0.0): gradient [1], hessian [0] }
}
#[test]
fn a_computed_zero_times_an_infinite_slope_is_nan() {
    at! { softplus(800.0): gradient [NAN], hessian [NAN] }
    at! { softplus_at_once(800.0): gradient [NAN], hessian [NAN] }
    at! { root_of_square(1e200): gradient [NAN], hessian [NAN] }
    at! { square_of_root(0.0): gradient [NAN], hessian [NAN] }
    at! { lanes_softplus(800.0): gradient [NAN], hessian [NAN] }
    at! { lanes_softplus_at_once(800.0): gradient [NAN], hessian [NAN] }
    at! { lanes_root_of_square(1e200): gradient [NAN], hessian [NAN] }
}
#[test]
fn elements_that_are_not_chosen_receive_no_adjoint() {
    at! { masked(0.0, 2.0): gradient [1, -0.25], hessian [0, 0, 0, 0.25] }
    at! { masked_at_once(0.0, 2.0): gradient [1, -0.25], hessian [0, 0, 0, 0.25] }
    at! { masked_negative(0.0, 2.0): gradient [1, 0.25], hessian [0, 0, 0, -0.25] }
    at! { smaller(0.0): gradient [1], hessian [0] }
    at! { lanes_masked(0.0): gradient [1], hessian [0] }
    at! { lanes_masked_at_once(0.0): gradient [1], hessian [0] }
    at! { lanes_smaller(0.0): gradient [1], hessian [0] }
}
