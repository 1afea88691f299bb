//! Choices that mask a pole: the side that is not selected turns the gradient into NaN. Reported for JAX (#347, #1052),
//! TensorFlow (#38349), PyTorch (#52248, #68425) and tinygrad (#12409).
use crate::assert_derivatives;
use entape::{mode::AnyMode, prelude::*};

#[test]
fn a_masked_logarithm_does_not_contribute() {
    #[entape::function]
    fn entropy<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let x = &x[0];
        select(*x > 0.0, x * x.ln(), 0.0 * x).eval()
    }
    assert_derivatives!(entropy at [0.0]; gradient [0.0]; hessian [0.0]);
    assert_derivatives!(entropy at [-1.0]; gradient [0.0]; hessian [0.0]);
    assert_derivatives!(entropy at [1.0]; gradient [1.0]; hessian [1.0]);
}
#[test]
fn a_masked_statement_does_not_contribute() {
    #[entape::function]
    fn root<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let root = (&x[0]).sqrt().eval();
        let power = (&x[0]).exp().powf(&x[0]).eval();
        (select(x[0] > 0.0, &root, &x[0] * 2.0) + select(x[0] < 15.0, 0.5 * &x[0], &power)).eval()
    }
    assert_derivatives!(root at [0.0]; gradient [2.5]; hessian [0.0]);
    assert_derivatives!(root at [-3.0]; gradient [2.5]; hessian [0.0]);
    assert_derivatives!(root at [4.0]; gradient [0.75]; hessian [-1.0 / 32.0]);
}
#[test]
fn a_masked_overflow_does_not_contribute() {
    #[entape::function]
    fn linear<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let x = &x[0];
        select(*x <= 0.0, x.exp(), 1.0 + x).eval()
    }
    assert_derivatives!(linear at [1000.0]; gradient [1.0]; hessian [0.0]);
    #[entape::function]
    fn angle<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let phi = (&x[0]).atan2(&x[0]).eval();
        select(x[0] > 0.5, 0.0 * &phi, &x[0] * 3.0).eval()
    }
    assert_derivatives!(angle at [0.0]; gradient [3.0]; hessian [0.0]);
}
#[test]
fn masked_elements_of_arrays_do_not_contribute() {
    #[entape::function]
    fn roots<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let v = x.gather_array().eval();
        let chosen = (&v).simd_gt(0.0).select((&v).sqrt(), &v * 2.0).eval();
        (&chosen).sum().eval()
    }
    assert_derivatives!(roots at [4.0, 0.0, -1.0]; gradient [0.25, 2.0, 2.0]; hessian [-1.0 / 32.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    #[entape::function]
    fn after<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let v = x.gather_array().eval();
        let root = (&v).sqrt().eval();
        let chosen = (&v).simd_gt(0.0).select(&root, &v * 2.0).eval();
        (&chosen).sum().eval()
    }
    assert_derivatives!(after at [4.0, 0.0, -1.0]; gradient [0.25, 2.0, 2.0]);
}
#[test]
fn unread_poles_in_arrays_and_lanes_do_not_contribute() {
    use entape::simd::{GatherOps, LanesOps, SplatOps, wide::f64x4};

    #[entape::function]
    fn root<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        (&x[1]).sqrt().eval()
    }
    macro_rules! unused { ($($x:ident => $y:expr;)*) => { $({
        #[entape::function]
        fn f<M: AnyMode>($x: &[Real<M>]) -> Real<M> { $y }
        assert_derivatives!(f at [1.0, 0.0]; gradient [1.0, 0.0]);
    })* } }
    fn pair<M: AnyMode>(x: &[Real<M>]) -> [Real<M>; 2] {
        [x[0].clone(), root(x)]
    }
    fn four<M: AnyMode>(x: &[Real<M>]) -> [Real<M>; 4] {
        [x[0].clone(), root(x), root(x), root(x)]
    }
    unused! {
        x => pair(x).gather_array().eval().at(0).eval();
        x => pair(x).gather_array().eval().slice(..1).sum().eval();
        x => pair(x).gather_array().eval().reduce_max().eval();
        x => pair(x).gather_array().max(0.5).eval().at(0).eval();
        x => x[..1].gather_array().eval().max(&root(x)).sum().eval();
        x => (&x[0] + (&root(x)).splat_array(3).max(0.5).sum() * 0.0).eval();
        x => four(x).gather::<f64x4>().eval().lane(0).eval();
        x => four(x).gather::<f64x4>().max(0.5).lane(0).eval();
        x => (&x[0]).splat::<f64x4>().eval().max(&root(x)).lane(1).eval();
        x => (&root(x)).splat::<f64x4>().max(0.5).eval().reduce_max().max(&x[0]).eval();
    }
}
