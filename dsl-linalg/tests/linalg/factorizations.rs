//! Factorizations depend on the matrix, so they are tested as expressions.
use crate::{matrix, regular, vector};
use entape_check::assert_expression;
use entape_linalg::*;
use nalgebra::{DMatrix, Matrix3, Vector3};

#[path = "../shared/large.rs"]
mod large;

#[test]
fn results_of_factorizations_have_derivatives() {
    for n in [1, 3, 5, 26] {
        let a = regular(n, 0);
        let spd = &a * a.transpose();
        let (b, m) = (vector(n, 1), matrix(n, 2, 2));
        assert_expression(
            |(a, b): (&Matrix, &Vector)| a.lu().solve(b).unwrap().eval(),
            (a.clone(), b.clone()),
        );
        assert_expression(
            |(a, b): (&Matrix, &Matrix)| a.lu().solve(b).unwrap().eval(),
            (a.clone(), m.clone()),
        );
        assert_expression(
            |(a, b): (&Matrix, &Vector)| a.qr().solve(b).unwrap().eval(),
            (a.clone(), b.clone()),
        );
        assert_expression(
            |(a, b): (&Matrix, &Matrix)| a.cholesky().unwrap().solve(b).eval(),
            (spd.clone(), m.clone()),
        );
        let tall = matrix(n + 2, n, 0) + DMatrix::identity(n + 2, n) * 3.0;
        assert_expression(
            |(a, b): (&Matrix, &Vector)| a.qr().solve(b).unwrap().eval(),
            (tall.clone(), vector(n + 2, 1)),
        );
        assert_expression(
            |(a, b): (&Matrix, &Vector)| {
                let lu = a.lu();
                let x = lu.solve(b).unwrap().eval();
                (lu.solve(&x - b).unwrap().dot(&x) + lu.ln_abs_determinant()).eval()
            },
            (a.clone(), b.clone()),
        );
        if n > 5 {
            continue; // results with n² numbers
        }
        assert_expression(|a: &Matrix| a.lu().l().eval(), a.clone());
        assert_expression(|a: &Matrix| a.lu().u().eval(), a.clone());
        assert_expression(|a: &Matrix| a.determinant(), a.clone());
        assert_expression(|a: &Matrix| a.try_inverse().unwrap(), a.clone());
        assert_expression(|a: &Matrix| a.cholesky().unwrap().l().eval(), spd.clone());
        assert_expression(
            |a: &Matrix| a.cholesky().unwrap().inverse().eval(),
            spd.clone(),
        );
        assert_expression(
            |a: &Matrix| {
                let a = a.cholesky().unwrap();
                (a.ln_determinant() * 3.0 + a.determinant() * 1e-3).eval()
            },
            spd.clone(),
        );
        assert_expression(|a: &Matrix| a.qr().q().eval(), tall.clone());
        assert_expression(|a: &Matrix| a.qr().r().eval(), tall.clone());
    }
    let a = Matrix3::new(3.0, 1.0, 0.5, -1.0, 4.0, 1.0, 2.0, 0.1, 5.0);
    assert_expression(
        |(a, b): (FixedMatrix<3, 3>, FixedVector<3>)| a.lu().solve(b).unwrap().eval(),
        (a, Vector3::new(1.0, 2.0, 3.0)),
    );
    assert_expression(|a: FixedMatrix<3, 3>| a.qr().q().eval(), a);
    assert_expression(
        |a: FixedMatrix<3, 3>| a.mul_tr(a).cholesky().unwrap().l().eval(),
        a,
    );
}
