//! Points without a derivative, or where intermediate results overflow, against limits and one-sided derivatives by
//! hand.
use entape_core::{
    expr::Active,
    function,
    mode::{Mode, Taped},
    real::{Elementary, Reals},
    tape::Tape,
};
use entape_drivers::{
    Objective, gradient, hessian, hessian_vector, value_and_gradient, value_gradient_hessian,
};

type Real<M = entape_core::mode::Taped> = Active<f64, M>;

#[track_caller]
fn same(got: &[f64], want: &[f64], what: &str) {
    let equal = |(a, b): (&f64, &f64)| a == b || (a.is_nan() && b.is_nan());
    let all = got.len() == want.len() && got.iter().zip(want).all(equal);
    assert!(all, "{what}: {got:?} instead of {want:?}");
}

macro_rules! at { ($f:ident($($x:expr),*): gradient [$($g:expr),*], hessian [$($h:expr),*]) => {{
    let (x, g, h) = ([$($x),*], [$($g as f64),*], [$($h as f64),*]);
    let (name, n) = (stringify!($f), x.len());
    same(&gradient($f::<Taped>, &x).unwrap(), &g, name);
    same(&value_and_gradient($f::<Taped>, &x).unwrap().1, &g, name);
    same(hessian($f::<Taped>, &x).unwrap().as_slice(), &h, name);
    let all = value_gradient_hessian($f::<Taped>, &x).unwrap();
    same(&all.gradient, &g, name);
    same(all.hessian.as_slice(), &h, name);
    let objective = Objective::new($f {});
    let x = x.to_vec();
    same(&objective.gradient(&x).unwrap(), &g, name);
    same(objective.hessian(&x).unwrap().as_slice(), &h, name);
    for i in 0..n {
        let mut v = vec![0.0; n];
        v[i] = 1.0;
        let column: Vec<f64> = (0..n).map(|j| h[j * n + i]).collect();
        let product = hessian_vector($f::<Taped>, x.clone(), v.clone()).unwrap();
        same(&product.1, &column, name);
        same(&objective.hessian_vector(&x, &v).unwrap(), &column, name);
    }
}} }

macro_rules! of_norms { ($($name:ident: |$x:ident| $norm:expr;)*) => { $( mod $name {
    use super::*;

    #[function]

    fn half_square<M: Mode>($x: &[Real<M>]) -> Real<M> { let n = $norm.eval(); (0.5 * n * n).eval() }
    #[function]
    fn at_once<M: Mode>($x: &[Real<M>]) -> Real<M> { (0.5 * $norm.powi(2)).eval() }
    #[function]
    fn gauss<M: Mode>($x: &[Real<M>]) -> Real<M> { let n = $norm.eval(); (-(n * n)).exp().eval() }
    #[function]
    fn root<M: Mode>($x: &[Real<M>]) -> Real<M> { let n = $norm.eval(); (1.0 + n * n).powf(-0.5).eval() }
    #[function]
    fn cosine<M: Mode>($x: &[Real<M>]) -> Real<M> { let n = $norm.eval(); n.cos().eval() }
    #[function]
    fn times_input<M: Mode>($x: &[Real<M>]) -> Real<M> { let n = $norm.eval(); (n * $x[0]).eval() }
    #[function]
    fn alone<M: Mode>($x: &[Real<M>]) -> Real<M> { $norm.eval() }

    #[test]
    fn smooth_functions_of_a_norm_have_second_derivatives_at_the_origin() {
        at! { half_square(0.0, 0.0): gradient [0, 0], hessian [1, 0, 0, 1] }
        at! { half_square(-0.0, 0.0): gradient [0, 0], hessian [1, 0, 0, 1] }
        at! { at_once(0.0, 0.0): gradient [0, 0], hessian [1, 0, 0, 1] }
        at! { gauss(0.0, 0.0): gradient [0, 0], hessian [-2, 0, 0, -2] }
        at! { root(0.0, 0.0): gradient [0, 0], hessian [-1, 0, 0, -1] }
        at! { cosine(0.0, 0.0): gradient [0, 0], hessian [-1, 0, 0, -1] }
    }
    #[test]
    fn a_norm_has_no_second_derivative_at_the_origin() {
        let h = hessian(alone::<Taped>, &[0.0, 0.0]).unwrap();
        assert!(h.as_slice().iter().step_by(3).all(|x| x.is_nan()), "{h:?}");
        let g = gradient(alone::<Taped>, &[0.0, 0.0]).unwrap();
        assert_eq!(g, [0.0, 0.0]);
    }
    #[test]
    fn the_derivative_of_the_gradient_along_one_side_is_exact() {
        // (|x| x0)' along e0 is 2 |x0| e0, and its gradient there (2 |x0|, 0); along e1 it is (|x1|, 0).
        let f = times_input::<Taped>;
        assert_eq!(hessian_vector(f, vec![0.0, 0.0], vec![1.0, 0.0]).unwrap().1, [2.0, 0.0]);
    }
})* } }
of_norms! {
    norm_of_a_list: |x| x.norm();
    hypot: |x| x[0].hypot(x[1]);
}

mod abs {
    use super::*;

    #[function]

    fn square<M: Mode>(x: &[Real<M>]) -> Real<M> {
        let n = x[0].abs().eval();
        (n * n).eval()
    }
    #[function]
    fn cosine<M: Mode>(x: &[Real<M>]) -> Real<M> {
        x[0].abs().cos().eval()
    }
    #[function]
    fn signed<M: Mode>(x: &[Real<M>]) -> Real<M> {
        let n = x[0].copysign(-1.0).eval();
        (n * n).eval()
    }
    #[function]
    fn alone<M: Mode>(x: &[Real<M>]) -> Real<M> {
        x[0].abs().eval()
    }
    #[function]
    fn times_input<M: Mode>(x: &[Real<M>]) -> Real<M> {
        (x[0].abs() * x[0]).eval()
    }

    #[test]
    fn even_functions_of_abs_have_second_derivatives_at_zero() {
        at! { square(0.0): gradient [0], hessian [2] }
        at! { square(-0.0): gradient [0], hessian [2] }
        at! { cosine(0.0): gradient [0], hessian [-1] }
        at! { signed(0.0): gradient [0], hessian [2] }
        at! { times_input(0.0): gradient [0], hessian [2] }
        at! { alone(0.0): gradient [0], hessian [f64::NAN] }
    }
    #[test]
    fn directions_that_are_not_one_sided_say_that_they_do_not_know() {
        let mut tape = Tape::new();
        let x = tape.input(0.0);
        let y = tape.record(|| square(&[x]));
        let mut directions = tape.directions::<1>().unwrap();
        directions.set(&x, [1.0]).unwrap();
        let tangents = directions.sweep().unwrap();
        assert_eq!(tangents.of(&y), Ok([0.0]));
        let [second] = tangents.gradient(&y).unwrap().wrt(&x).unwrap();
        assert!(second.is_nan());
    }
}

mod powers {
    use super::*;

    macro_rules! powers { ($($name:ident $root:ident $product:ident: $b:expr;)*) => { $(
        #[function]
        fn $name<M: Mode>(x: &[Real<M>]) -> Real<M> { x[0].powf($b).eval() }
        #[function]
        fn $root<M: Mode>(x: &[Real<M>]) -> Real<M> { x[0].powf(Real::passive($b)).eval() }
        /// `x (1 - x^b)`
        #[function]
        fn $product<M: Mode>(x: &[Real<M>]) -> Real<M> { (x[0] * (1.0 - x[0].powf($b))).eval() }
    )* } }
    powers! { p11 q11 r11: 1.1; p15 q15 r15: 1.5; p20 q20 r20: 2.0; p25 q25 r25: 2.5; p30 q30 r30: 3.0; }
    #[function]
    fn square<M: Mode>(x: &[Real<M>]) -> Real<M> {
        x[0].powi(2).eval()
    }
    #[function]
    fn cube<M: Mode>(x: &[Real<M>]) -> Real<M> {
        x[0].powi(3).eval()
    }
    #[function]
    fn by_statements<M: Mode>(x: &[Real<M>]) -> Real<M> {
        let p = x[0].powf(1.1).eval();
        (x[0] * (1.0 - p)).eval()
    }

    #[test]
    fn second_derivatives_of_powers_at_zero_are_their_limits() {
        const INF: f64 = f64::INFINITY;
        at! { p11(0.0): gradient [0], hessian [INF] }
        at! { p15(0.0): gradient [0], hessian [INF] }
        at! { p20(0.0): gradient [0], hessian [2] }
        at! { p25(0.0): gradient [0], hessian [0] }
        at! { p30(0.0): gradient [0], hessian [0] }
        at! { q11(0.0): gradient [0], hessian [INF] }
        at! { q15(0.0): gradient [0], hessian [INF] }
        at! { q20(0.0): gradient [0], hessian [2] }
        at! { q25(0.0): gradient [0], hessian [0] }
        at! { q30(0.0): gradient [0], hessian [0] }
        at! { square(0.0): gradient [0], hessian [2] }
        at! { cube(0.0): gradient [0], hessian [0] }
    }
    #[test]
    fn a_power_times_its_argument_has_a_second_derivative_at_zero() {
        // for x - x^(b + 1): -(b + 1) b x^(b - 1)
        at! { r11(0.0): gradient [1], hessian [0] }
        at! { r15(0.0): gradient [1], hessian [0] }
        at! { r20(0.0): gradient [1], hessian [0] }
        at! { r25(0.0): gradient [1], hessian [0] }
        at! { r30(0.0): gradient [1], hessian [0] }
        at! { by_statements(0.0): gradient [1], hessian [0] }
    }
}

mod zero_adjoints {
    use super::*;

    #[function]
    fn softplus<M: Mode>(x: &[Real<M>]) -> Real<M> {
        let e = x[0].exp().eval();
        (1.0 + e).ln().eval()
    }
    #[function]
    fn softplus_at_once<M: Mode>(x: &[Real<M>]) -> Real<M> {
        (1.0 + x[0].exp()).ln().eval()
    }
    #[function]
    fn minus_softplus<M: Mode>(x: &[Real<M>]) -> Real<M> {
        let e = x[0].exp().eval();
        (-(1.0 + e).ln()).eval()
    }
    #[function]
    fn root_of_square<M: Mode>(x: &[Real<M>]) -> Real<M> {
        let s = (x[0] * x[0]).eval();
        s.sqrt().eval()
    }
    #[function]
    fn logistic<M: Mode>(x: &[Real<M>]) -> Real<M> {
        let e = (-x[0]).exp().eval();
        (1.0 / (1.0 + e)).eval()
    }
    #[function]
    fn square_of_root<M: Mode>(x: &[Real<M>]) -> Real<M> {
        let r = x[0].sqrt().eval();
        (r * r).eval()
    }
    #[function]
    fn unused_pole<M: Mode>(x: &[Real<M>]) -> Real<M> {
        let _ = (1.0 / x[0]).eval();
        (x[0] * 3.0).eval()
    }
    #[function]
    fn smaller<M: Mode>(x: &[Real<M>]) -> Real<M> {
        let pole = (1.0 / x[0]).eval();
        (x[0] + 1.0).min(pole).eval()
    }
    #[function]
    fn smaller_at_once<M: Mode>(x: &[Real<M>]) -> Real<M> {
        (1.0 / x[0]).min(x[0] + 1.0).eval()
    }
    #[function]
    fn clamped<M: Mode>(x: &[Real<M>]) -> Real<M> {
        let pole = (1.0 / x[0]).eval();
        (pole.clamp(-2.0, 2.0) + x[0]).eval()
    }

    #[test]
    fn a_computed_zero_times_an_infinite_slope_is_nan_in_all_modes() {
        const NAN: f64 = f64::NAN;
        at! { softplus(800.0): gradient [NAN], hessian [NAN] }
        at! { softplus_at_once(800.0): gradient [NAN], hessian [NAN] }
        at! { minus_softplus(800.0): gradient [NAN], hessian [NAN] }
        at! { root_of_square(1e200): gradient [NAN], hessian [NAN] }
        at! { logistic(-800.0): gradient [NAN], hessian [NAN] }
        at! { square_of_root(0.0): gradient [NAN], hessian [NAN] }
    }
    #[test]
    fn nothing_flows_into_what_is_not_used_or_not_chosen() {
        at! { unused_pole(0.0): gradient [3], hessian [0] }
        at! { smaller(0.0): gradient [1], hessian [0] }
        at! { smaller_at_once(0.0): gradient [1], hessian [0] }
        at! { clamped(0.0): gradient [1], hessian [0] }
    }
    #[test]
    fn the_gradient_of_an_input_without_influence_is_plus_zero() {
        let g = gradient(|x: &[Real<Taped>]| (x[0] * 2.0).eval(), &[1.0, 1.0]).unwrap();
        assert_eq!(g.map(f64::to_bits), [2.0_f64, 0.0].map(f64::to_bits));
    }
}
