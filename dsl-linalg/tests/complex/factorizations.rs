//! Factorizations depend on the matrix, so they are tested as expressions.
use crate::{C, matrix, matrix3, positive, real, regular, vector, vector3};
use entape_check::assert_expression;
use entape_core::op as core_op;
use entape_linalg::*;
use nalgebra::{DMatrix, Matrix3};

#[path = "../shared/large.rs"]
mod large;

#[test]
fn results_of_factorizations_have_derivatives() {
    type M = ComplexMatrix;
    type V = ComplexVector;
    for n in [1, 3, 5, 34] {
        let a = regular(n, 0);
        let spd = positive(n, 0);
        let (b, m) = (vector(n, 1), matrix(n, 2, 2));
        let (ab, am) = ((a.clone(), b.clone()), (a.clone(), m.clone()));
        assert_expression(
            |(a, b): (&M, &V)| a.lu().solve(b).unwrap().eval(),
            ab.clone(),
        );
        assert_expression(
            |(a, b): (&M, &M)| a.lu().solve(b).unwrap().eval(),
            am.clone(),
        );
        assert_expression(
            |(a, b): (&M, &V)| a.qr().solve(b).unwrap().eval(),
            ab.clone(),
        );
        assert_expression(|(a, b): (&M, &M)| a.qr().solve(b).unwrap().eval(), am);
        assert_expression(
            |(a, b): (&M, &M)| a.cholesky().unwrap().solve(b).eval(),
            (spd.clone(), m.clone()),
        );
        // With a residual.
        let tall = matrix(n + 2, n, 0) + DMatrix::identity(n + 2, n) * C::from(3.0);
        assert_expression(
            |(a, b): (&M, &V)| a.qr().solve(b).unwrap().eval(),
            (tall.clone(), vector(n + 2, 1)),
        );
        assert_expression(
            |(a, b): (&M, &V)| {
                let lu = a.lu();
                let x = lu.solve(b).unwrap().eval();
                (lu.solve(&x - b).unwrap().dotc(&x) + lu.ln_abs_determinant()).eval()
            },
            ab,
        );
        if n > 5 {
            continue; // results with n² numbers
        }
        assert_expression(|a: &M| a.lu().l().eval(), a.clone());
        assert_expression(|a: &M| a.lu().u().eval(), a.clone());
        assert_expression(|a: &M| a.determinant(), a.clone());
        assert_expression(|a: &M| a.ln_abs_det(), a.clone());
        assert_expression(|a: &M| a.try_inverse().unwrap(), a.clone());
        assert_expression(|a: &M| a.cholesky().unwrap().l().eval(), spd.clone());
        assert_expression(|a: &M| a.cholesky().unwrap().inverse().eval(), spd.clone());
        assert_expression(
            |a: &M| {
                let a = a.cholesky().unwrap();
                (a.ln_determinant() * 3.0 + a.determinant() * 1e-3).eval()
            },
            spd.clone(),
        );
        assert_expression(|a: &M| a.qr().q().eval(), tall.clone());
        assert_expression(|a: &M| a.qr().r().eval(), tall.clone());
    }
    for n in [1, 3, 34] {
        let (z, x) = (regular(n, 0), real(&regular(n, 1)));
        let (zp, xp) = (positive(n, 0), real(&positive(n, 1)));
        let (b, c) = (matrix(n, 2, 1), real(&matrix(n, 2, 2)));
        assert_expression(
            |(a, b): (&Matrix, &M)| a.lu().solve(b).unwrap().eval(),
            (x.clone(), b.clone()),
        );
        assert_expression(
            |(a, b): (&M, &Matrix)| a.lu().solve(b).unwrap().eval(),
            (z.clone(), c.clone()),
        );
        assert_expression(
            |(a, b): (&Matrix, &M)| a.cholesky().unwrap().solve(b).eval(),
            (xp, b.clone()),
        );
        assert_expression(
            |(a, b): (&M, &Matrix)| a.cholesky().unwrap().solve(b).eval(),
            (zp, c),
        );
        for rows in [n, n + 2] {
            let diagonal = DMatrix::identity(rows, n) * C::from(n as f64 + 1.0);
            let z = matrix(rows, n, 0) + diagonal;
            assert_expression(
                |(a, b): (&Matrix, &V)| a.qr().solve(b).unwrap().eval(),
                (real(&z), vector(rows, 1)),
            );
            assert_expression(
                |(a, b): (&M, &Vector)| a.qr().solve(b).unwrap().eval(),
                (z, vector(rows, 2).map(|z| z.re)),
            );
        }
    }
    assert_expression(
        |(a, b): (FixedMatrix<3, 3>, FixedComplexVector<3>)| a.lu().solve(b).unwrap().eval(),
        (
            matrix3(0).map(|z| z.re) + Matrix3::identity() * 4.0,
            vector3(1),
        ),
    );
    let a = matrix3(0) + Matrix3::identity() * C::new(4.0, 1.0);
    assert_expression(
        |(a, b): (FixedComplexMatrix<3, 3>, FixedComplexVector<3>)| a.lu().solve(b).unwrap().eval(),
        (a, vector3(1)),
    );
    assert_expression(|a: FixedComplexMatrix<3, 3>| a.qr().q().eval(), a);
    assert_expression(
        |a: FixedComplexMatrix<3, 3>| a.mul_ad(a).cholesky().unwrap().l().eval(),
        a,
    );
}

#[test]
fn factors_multiply_to_the_matrix() {
    let near = |a: &DMatrix<C>, b: &DMatrix<C>| (a - b).norm() <= 1e-12 * b.norm();
    let mut tape = entape_core::tape::Tape::new();
    // 60 exceeds the kernels for small matrices.
    for n in [1, 2, 5, 60] {
        let (a, p) = (tape.input(regular(n, 0)), tape.input(positive(n, 0)));
        let tall = tape.input(matrix(n + 3, n, 0));
        tape.record(|| {
            let l = p.cholesky().unwrap().l().eval();
            assert!(near((&l * l.adjoint()).eval().get(), p.get()));
            assert!((0..n).all(|i| l.get()[(i, i)].im == 0.0 && l.get()[(i, i)].re > 0.0));
            for a in [&a, &tall] {
                let qr = a.qr();
                let (q, r) = (qr.q().eval(), qr.r().eval());
                assert!(near((&q * &r).eval().get(), a.get()));
                assert!(near(q.ad_mul(&q).eval().get(), &DMatrix::identity(n, n)));
                assert!((0..n).all(|i| r.get()[(i, i)].im == 0.0 && r.get()[(i, i)].re > 0.0));
                let svd = a.svd();
                let s = from_diagonal(&svd.singular_values);
                assert!(near((&svd.u * s * &svd.v_t).eval().get(), a.get()));
                assert!(near(
                    a.pseudo_inverse(1e-12)
                        .ad_mul(svd.v_t.adjoint())
                        .eval()
                        .get(),
                    (&svd.u * from_diagonal(svd.singular_values.map(core_op::Recip)))
                        .eval()
                        .get()
                ));
            }
            let eigen = p.symmetric_eigen();
            let (d, v) = (&eigen.eigenvalues, &eigen.eigenvectors);
            assert!(near(
                (v * from_diagonal(d) * v.adjoint()).eval().get(),
                p.get()
            ));
            let lu = a.lu();
            let x = lu.try_inverse().unwrap().eval();
            assert!(near((&a * &x).eval().get(), &DMatrix::identity(n, n)));
        });
    }
}
