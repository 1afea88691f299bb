//! Values overwritten after an operation that reads them: gradients of the new value, or an error. Reported for PyTorch
//! (#9391), Liger-Kernel (#272), and ReverseDiff (#143).
use crate::assert_derivatives;
use entape::{mode::AnyMode, prelude::*};

#[test]
fn an_element_of_a_result_may_be_overwritten() {
    #[entape::function]
    fn f<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let v = x.gather_array().eval();
        let mut s = (1.0 / (1.0 + (-&v).exp())).eval();
        let squares = (&s * &s).eval();
        s[1].assign(2.0);
        ((&s).sum() + (&squares).sum()).eval()
    }
    let s = |x: f64| 1.0 / (1.0 + (-x).exp());
    let slope = |x: f64| s(x) * (1.0 - s(x));
    let gradient = [1.0, 2.0, 3.0].map(|x| slope(x) * (2.0 * s(x) + f64::from(u8::from(x != 2.0))));
    assert_derivatives!(f at [1.0, 2.0, 3.0]; gradient gradient);
}
/// `x_{k + 1} = x_k² + p`, in one variable.
#[test]
fn iterations_in_place_have_derivatives() {
    #[entape::function]
    fn numbers<M: AnyMode>(p: &[Real<M>]) -> Real<M> {
        let mut x = Real::<M>::passive(0.5);
        for _ in 0..4 {
            x.update(|x| &x * &x + &p[0]);
        }
        x
    }
    #[entape::function]
    fn arrays<M: AnyMode>(p: &[Real<M>]) -> Real<M> {
        let mut x = Array::<M>::passive(vec![0.5; 2]);
        for _ in 0..4 {
            x *= &x.clone();
            x += &p[0];
        }
        x[1].eval()
    }
    #[entape::function]
    fn matrices<M: AnyMode>(p: &[Real<M>]) -> Real<M> {
        let mut x = Vector::<M>::passive(nalgebra::dvector![0.5, 0.5]);
        for _ in 0..4 {
            let old = x.clone();
            x.update(|x| x.component_mul(&old));
            x[1] += &p[0];
        }
        x.at(1).eval()
    }
    let (mut x, mut slope, mut second) = (0.5_f64, 0.0_f64, 0.0_f64);
    for _ in 0..4 {
        second = 2.0 * (slope * slope + x * second);
        slope = 2.0 * x * slope + 1.0;
        x = x * x - 0.3;
    }
    assert_derivatives!(numbers at [-0.3]; gradient [slope]; hessian [second]);
    assert_derivatives!(arrays at [-0.3]; gradient [slope]; hessian [second]);
    assert_derivatives!(matrices at [-0.3]; gradient [slope]; hessian [second]);
}
#[test]
fn a_value_may_be_read_overwritten_and_restored() {
    #[entape::function]
    fn f<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let mut v = (x.gather_array() * 1.0).eval();
        let kept = v.clone();
        let before = (&v * &v).sum().eval();
        v.slice_mut(..1).assign((&kept).slice(1..) * 3.0);
        let between = (&v * &v).sum().eval();
        v.assign(&kept * 2.0);
        (&before * &between + (&v).sum()).eval()
    }
    // (a² + b²) 10 b² + 2 (a + b)
    let [a, b] = [0.5, -1.5];
    assert_derivatives!(f at [a, b]; gradient [20.0 * a * b * b + 2.0, 20.0 * a * a * b + 40.0 * b * b * b + 2.0];
        hessian [20.0 * b * b, 40.0 * a * b, 40.0 * a * b, 20.0 * a * a + 120.0 * b * b]);
}
