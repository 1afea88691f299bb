//! Norms at the origin: NaN instead of a subgradient, or wrong second derivatives of smooth functions. Reported for JAX
//! (#4177, #21723, #10965), PyTorch (#2421; functorch #1097), HIPS autograd (#151, #183, #586).
use crate::assert_derivatives;
use entape::{mode::AnyMode, prelude::*};

/// Half of its square has the Hessian 1; a Gaussian, -2; an inverse root, -1; a cosine, -1.
macro_rules! functions_of { ($norm:ident) => {
    #[entape::function]
    fn half_square<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let n = $norm(x);
        (&n * &n * 0.5).eval()
    }
    assert_derivatives!(half_square at [0.0; 3]; gradient [0.0; 3]; hessian diagonal(1.0));
    #[entape::function]
    fn gaussian<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let n = $norm(x);
        (-(&n * &n)).exp().eval()
    }
    assert_derivatives!(gaussian at [0.0; 3]; gradient [0.0; 3]; hessian diagonal(-2.0));
    #[entape::function]
    fn inverse<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let n = $norm(x);
        (1.0 + &n * &n).powf(-0.5).eval()
    }
    assert_derivatives!(inverse at [0.0; 3]; gradient [0.0; 3]; hessian diagonal(-1.0));
    #[entape::function]
    fn cosine<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let n = $norm(x);
        (&n).cos().eval()
    }
    assert_derivatives!(cosine at [0.0; 3]; gradient [0.0; 3]; hessian diagonal(-1.0));
    #[entape::function]
    fn itself<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        $norm(x)
    }
    assert_derivatives!(itself at [0.0; 3]; gradient [0.0; 3]);
    assert!(crate::hessian(&[0.0; 3], itself::<Taped>).iter().any(|h| h.is_nan()), "it has no second derivative");
    assert_derivatives!(itself at [2.0, 3.0, 6.0]; gradient [2.0 / 7.0, 3.0 / 7.0, 6.0 / 7.0]);
} }
fn diagonal(h: f64) -> [f64; 9] {
    [h, 0.0, 0.0, 0.0, h, 0.0, 0.0, 0.0, h]
}

#[test]
fn norms_of_lists_have_hessians() {
    #[entape::function]
    fn norm<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        x.norm().eval()
    }
    functions_of!(norm);
}
#[test]
fn norms_of_arrays_have_hessians() {
    #[entape::function]
    fn norm<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let x = x.gather_array().eval();
        (&x).norm().eval()
    }
    functions_of!(norm);
}
#[test]
fn norms_of_vectors_have_hessians() {
    #[entape::function]
    fn norm<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let x: Vector<M> = gather(list(x), 3, 1).eval();
        (&x).norm().eval()
    }
    functions_of!(norm);
}
#[test]
fn hypotenuses_have_hessians() {
    #[entape::function]
    fn norm<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let first = (&x[0]).hypot(&x[1]).eval();
        (&first).hypot(&x[2]).eval()
    }
    functions_of!(norm);
}
#[test]
fn absolute_values_have_hessians() {
    #[entape::function]
    fn square<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let n = (&x[0]).abs().eval();
        (&n * &n).eval()
    }
    assert_derivatives!(square at [0.0]; gradient [0.0]; hessian [2.0]);
    #[entape::function]
    fn cubed<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        (&x[0]).abs().powi(3).eval()
    }
    assert_derivatives!(cubed at [0.0]; gradient [0.0]; hessian [0.0]);
    #[entape::function]
    fn signed_square<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let n = (&x[0]).abs().eval();
        (&n * &x[0]).eval()
    }
    assert_derivatives!(signed_square at [0.0]; gradient [0.0]);
}
#[test]
fn roots_of_sums_of_squares_have_nan_hessians() {
    #[entape::function]
    fn half_square<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let s = (&x[0] * &x[0] + &x[1] * &x[1]).eval();
        let n = (&s).sqrt().eval();
        (&n * &n * 0.5).eval()
    }
    let h = crate::hessian(&[0.0; 2], half_square::<Taped>);
    for (k, want) in [1.0, 0.0, 0.0, 1.0].into_iter().enumerate() {
        assert!(h[k].is_nan() || h[k] == want, "{h:?}");
    }
}
