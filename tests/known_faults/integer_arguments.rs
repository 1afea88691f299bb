//! Whole numbers: gradients that are silently zero because a variable or a constant was an integer. Reported for Theano ("weird
//! behavior grad int and float", #2745), OTT ("doesn't correctly handle integer constants", #129), and for rounding (Theano
//! #1460). Variables of entape are never integers, and a whole number beside a variable does not compile.
use crate::assert_derivatives;
use entape::{mode::AnyMode, prelude::*};

#[test]
fn constants_and_exponents() {
    #[entape::function]
    fn f<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let (x, n) = (&x[0], 3);
        (f64::from(n) * x + x.powi(n) + x / 2.0 + x.powf(f64::from(n)) - 5.0).eval()
    }
    assert_derivatives!(f at [8.0]; gradient [3.0 + 192.0 + 0.5 + 192.0]; hessian [96.0]);
}
/// Whole numbers computed from variables have the derivative zero, and the other factor has its usual derivative.
#[test]
fn rounding() {
    #[entape::function]
    fn f<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let x = &x[0];
        (x.floor() * x + x.round() + x.trunc() * x.fract() + (x - x.floor()).powi(2)).eval()
    }
    assert_derivatives!(f at [2.25]; gradient [2.0 + 2.0 + 0.5]; hessian [2.0]);
}
/// An element whose index is computed from an input.
#[test]
fn indices() {
    #[entape::function]
    fn f<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let i = x[0].value() as usize;
        (&x[i] * &x[0] + f64::from(i as u32)).eval()
    }
    assert_derivatives!(f at [2.0, 5.0, 7.0]; gradient [7.0, 0.0, 2.0]; hessian [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
}
