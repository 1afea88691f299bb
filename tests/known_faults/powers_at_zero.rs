//! Base or exponent zero: NaN by `0 * ln 0` or by `0^(n - 1)`. Reported for PyTorch (#27134, #95180), TensorFlow
//! (#35011), Stan (math #3031), HIPS autograd (#581), autodiff (#351), Drake (#23862) and tfjs (#346).
use crate::assert_derivatives;
use entape::{mode::AnyMode, prelude::*, real::ListReductions};

macro_rules! powers { ($(|$x:ident| $power:expr => $gradient:expr, $hessian:expr;)*) => { $({
    #[entape::function]
    fn f<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let $x = &x[0];
        $power.eval()
    }
    assert_derivatives!(f at [0.0]; gradient [$gradient]; hessian [$hessian]);
})* } }
const INF: f64 = f64::INFINITY;

#[test]
fn powers_with_constant_exponents_have_derivatives_at_zero() {
    powers! {
        |x| x.powi(0) => 0.0, 0.0;
        |x| x.powi(1) => 1.0, 0.0;
        |x| x.powi(2) => 0.0, 2.0;
        |x| x.powi(3) => 0.0, 0.0;
        |x| x.powf(0.0) => 0.0, 0.0;
        |x| x.powf(1.0) => 1.0, 0.0;
        |x| x.powf(1.1) => 0.0, INF;
        |x| x.powf(1.5) => 0.0, INF;
        |x| x.powf(2.0) => 0.0, 2.0;
        |x| x.powf(2.5) => 0.0, 0.0;
        |x| x.powf(3.0) => 0.0, 0.0;
        |x| x.powf(4.0) => 0.0, 0.0;
        |x| x * (1.0 - x.powf(1.1)) => 1.0, 0.0;
        |x| 3.0 * x.powi(2) + x.powf(2.0) + x.powi(0) => 0.0, 8.0;
    }
}
#[test]
fn powers_with_passive_exponents_have_derivatives_at_zero() {
    macro_rules! passive { ($($p:expr => $gradient:expr, $hessian:expr;)*) => { $({
        #[entape::function]
        fn f<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
            let p = Real::<M>::passive($p);
            (&x[0]).powf(&p).eval()
        }
        assert_derivatives!(f at [0.0]; gradient [$gradient]; hessian [$hessian]);
        #[entape::function]
        fn of_lists<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
            ListReductions::sum(list(x).powf($p)).eval()
        }
        assert_derivatives!(of_lists at [0.0]; gradient [$gradient]; hessian [$hessian]);
        #[entape::function]
        fn of_arrays<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
            let v = x.gather_array().eval();
            (&v).powf($p).sum().eval()
        }
        assert_derivatives!(of_arrays at [0.0]; gradient [$gradient]; hessian [$hessian]);
    })* } }
    passive! { 0.0 => 0.0, 0.0; 1.0 => 1.0, 0.0; 1.1 => 0.0, INF; 2.0 => 0.0, 2.0; 2.5 => 0.0, 0.0; 3.0 => 0.0, 0.0; }
}
/// `x^p` along `p` at `x = 0` is constant for positive `p`.
#[test]
fn powers_with_active_exponents_have_derivatives_at_zero() {
    #[entape::function]
    fn f<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        (&x[0]).powf(&x[1]).eval()
    }
    assert_derivatives!(f at [0.0, 2.0]; gradient [0.0, 0.0]; hessian [2.0, 0.0, 0.0, 0.0]);
    assert_derivatives!(f at [0.0, 3.0]; gradient [0.0, 0.0]; hessian [0.0; 4]);
    let l = 2.0_f64.ln();
    assert_derivatives!(f at [2.0, 0.0]; gradient [0.0, l]; hessian [0.0, 0.5, 0.5, l * l]);
    #[entape::function]
    fn base_is_constant<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        lit::<f64, M>(0.0).powf(&x[0]).eval()
    }
    assert_derivatives!(base_is_constant at [2.0]; gradient [0.0]; hessian [0.0]);
}
#[test]
fn polynomials_have_derivatives_at_zero() {
    #[entape::function]
    fn f<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let mut sum = Real::<M>::passive(0.0);
        for n in 0..5 {
            sum += (&x[0]).powi(n) * f64::from(n + 1) + (&x[0]).powf(f64::from(n));
        }
        sum
    }
    assert_derivatives!(f at [0.0]; gradient [3.0]; hessian [8.0]);
}
