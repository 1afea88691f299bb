//! Equal eigenvalues: NaN, or wrong numbers, for smooth functions of all of them. Reported for JAX (#669), PyTorch
//! (#47599, #50942), HIPS autograd (#527), FElupe (#67).
use crate::near;
use entape::prelude::*;
use nalgebra::{DMatrix, dmatrix, dvector};

/// A symmetric matrix with the eigenvalues 1, 1 and 4.
fn double() -> DMatrix<f64> {
    let v = dvector![1.0, 1.0, 1.0];
    DMatrix::identity(3, 3) + &v * v.transpose()
}
/// The gradient of the lower triangle, spread over both triangles.
fn symmetric(gradient: &DMatrix<f64>) -> DMatrix<f64> {
    (gradient + gradient.transpose()) / 2.0
}

#[test]
fn functions_of_all_eigenvalues_have_gradients() -> Result<(), Error> {
    for a in [
        double(),
        DMatrix::identity(3, 3) * 2.0,
        DMatrix::zeros(2, 2),
    ] {
        let n = a.nrows();
        let trace = entape::gradient(
            |a: &Matrix| a.symmetric_eigenvalues().sum().eval(),
            a.clone(),
        )?;
        near(
            "the trace",
            symmetric(&trace).as_slice(),
            DMatrix::<f64>::identity(n, n).as_slice(),
        );
        let squares = entape::gradient(
            |a: &Matrix| a.symmetric_eigenvalues().norm_squared().eval(),
            a.clone(),
        )?;
        near(
            "the squares",
            symmetric(&squares).as_slice(),
            (&a * 2.0).as_slice(),
        );
        let cubes = |a: &Matrix| {
            let values = a.symmetric_eigenvalues();
            values.component_mul(&values).dot(&values).eval()
        };
        let cubes = entape::gradient(cubes, a.clone())?;
        near(
            "the cubes",
            symmetric(&cubes).as_slice(),
            (&a * &a * 3.0).as_slice(),
        );
    }
    Ok(())
}
#[test]
fn functions_of_a_matrix_have_gradients() -> Result<(), Error> {
    let a = double();
    let trace = entape::gradient(|a: &Matrix| a.symmetric_exp().trace().eval(), a.clone())?;
    let exp = DMatrix::identity(3, 3) * 1_f64.exp()
        + DMatrix::from_element(3, 3, (4_f64.exp() - 1_f64.exp()) / 3.0);
    near(
        "the exponential",
        symmetric(&trace).as_slice(),
        exp.as_slice(),
    );
    let element = |a: &Matrix| {
        let root = a.symmetric_sqrt().expect("a positive definite matrix");
        (&root * &root).eval().at((0, 1)).eval()
    };
    let element = entape::gradient(element, a)?;
    near(
        "an element",
        symmetric(&element).as_slice(),
        dmatrix![0.0, 0.5, 0.0; 0.5, 0.0, 0.0; 0.0, 0.0, 0.0].as_slice(),
    );
    Ok(())
}
#[test]
fn functions_of_all_singular_values_have_gradients() -> Result<(), Error> {
    for a in [
        DMatrix::identity(3, 3) * 2.0,
        dmatrix![0.0, -2.0; 2.0, 0.0; 0.0, 0.0],
    ] {
        let squares = entape::gradient(
            |a: &Matrix| a.singular_values().norm_squared().eval(),
            a.clone(),
        )?;
        near("the squares", squares.as_slice(), (&a * 2.0).as_slice());
        // The sum of the singular values has the polar factor as its gradient.
        let sum = entape::gradient(|a: &Matrix| a.singular_values().sum().eval(), a.clone())?;
        near("the sum", sum.as_slice(), (&a / 2.0).as_slice());
    }
    Ok(())
}
#[test]
fn a_single_eigenvector_has_a_nan_gradient() -> Result<(), Error> {
    let element = |a: &Matrix| a.symmetric_eigen().eigenvectors.at((0, 1)).eval();
    let gradient = entape::gradient(element, DMatrix::identity(2, 2))?;
    assert!(gradient.iter().any(|x| x.is_nan()), "{gradient}");
    Ok(())
}
