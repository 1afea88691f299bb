//! Whole numbers: gradients that are silently zero because a variable or a constant was an integer, or was rounded.
//! Reported for Theano (#2745, #1460) and OTT (#129). In entape a whole number beside a variable does not compile.
use crate::assert_derivatives;
use entape::{mode::AnyMode, prelude::*};

#[test]
fn whole_constants_and_exponents_have_derivatives() {
    #[entape::function]
    fn f<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let (x, n) = (&x[0], 3);
        (f64::from(n) * x + x.powi(n) + x / 2.0 + x.powf(f64::from(n)) - 5.0).eval()
    }
    assert_derivatives!(f at [8.0]; gradient [3.0 + 192.0 + 0.5 + 192.0]; hessian [96.0]);
}
#[test]
fn rounded_numbers_have_derivative_zero() {
    #[entape::function]
    fn f<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let x = &x[0];
        (x.floor() * x + x.round() + x.trunc() * x.fract() + (x - x.floor()).powi(2)).eval()
    }
    assert_derivatives!(f at [2.25]; gradient [2.0 + 2.0 + 0.5]; hessian [2.0]);
}
#[test]
fn elements_at_computed_indices_have_derivatives() {
    #[entape::function]
    fn f<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let i = x[0].value() as usize;
        (&x[i] * &x[0] + f64::from(i as u32)).eval()
    }
    assert_derivatives!(f at [2.0, 5.0, 7.0]; gradient [7.0, 0.0, 2.0]; hessian [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
}
