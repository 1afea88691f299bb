//! No elements: shape errors in a sweep, or gradients of the wrong length. Reported for PyTorch (#15223, #31515,
//! #45201) and OneFlow (#8371).
use crate::assert_derivatives;
use entape::{mode::AnyMode, prelude::*, simd::arrays::WholeArray};
use nalgebra::DMatrix;

#[test]
fn empty_lists_have_gradients() {
    #[entape::function]
    fn f<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let none = &x[..0];
        (none.sum() + none.dot(none) + none.norm_squared() + none.product() * &x[0]).eval()
    }
    assert_derivatives!(f at [3.0]; gradient [1.0]; hessian [0.0]);
    #[entape::function]
    fn of_nothing<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        x.norm().eval()
    }
    assert_derivatives!(of_nothing at []; gradient []; hessian []);
}
#[test]
fn empty_arrays_have_gradients() -> Result<(), Error> {
    let f = |v: &Array| {
        let w = (v.exp() * v).eval();
        (w.sum() + v.norm() + v.take(&[][..]).sum() + w.slice(..0).norm_squared()).eval()
    };
    assert_eq!(
        entape::value_and_gradient(f, WholeArray(vec![]))?,
        (0.0, vec![])
    );
    #[entape::function]
    fn sliced<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let v = x.gather_array().eval();
        let none = ((&v).slice(1..1) * 2.0).eval();
        let joined = none.concat(&v).eval();
        ((&joined).sum() * &x[0] + (&none).sum()).eval()
    }
    assert_derivatives!(sliced at [3.0, 4.0]; gradient [10.0, 3.0]; hessian [2.0, 1.0, 1.0, 0.0]);
    Ok(())
}
#[test]
fn empty_matrices_have_gradients() -> Result<(), Error> {
    let f = |(a, b): (&Matrix, &Matrix)| (a * b).norm_squared().eval();
    for (rows, inner, columns) in [(2, 0, 3), (0, 2, 3), (2, 3, 0), (0, 0, 0)] {
        let of = |r, c| DMatrix::from_element(r, c, 1.0);
        let (value, (a, b)) = entape::value_and_gradient(f, (of(rows, inner), of(inner, columns)))?;
        assert_eq!(
            (value, a.shape(), b.shape()),
            (0.0, (rows, inner), (inner, columns))
        );
        assert!(a.iter().chain(&b).all(|x| *x == 0.0));
    }
    Ok(())
}
