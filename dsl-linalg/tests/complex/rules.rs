//! Every rule against central differences in directions of real and imaginary parts: fixed and dynamic, small and large
//! enough for both families of kernels.
use crate::{C, matrix, number, positive, real, regular, single, vector};
use entape_complex::op as complex;
use entape_core::{
    check::{assert_expression, assert_rule},
    expr::{list, list_of},
    op as core_op,
    real::Elementary,
    tape::Tape,
};
use entape_linalg::{op, *};
use nalgebra::{Complex, DMatrix, Matrix2, Matrix3, Matrix3x2, Vector3};

#[path = "../shared/large.rs"]
mod large;

/// Shapes: empty, single, square, wide, tall, large.
const SHAPES: [(usize, usize); 7] = [(0, 0), (0, 3), (1, 1), (3, 3), (3, 5), (5, 2), (9, 12)];
const SIZES: [usize; 5] = [0, 1, 3, 5, 27];
const S: C = C::new(1.7, -0.6);

fn matrix2(k: usize) -> Matrix2<C> {
    Matrix2::from_fn(|i, j| number(i, j, k))
}
fn matrix3(k: usize) -> Matrix3<C> {
    Matrix3::from_fn(|i, j| number(i, j, k))
}
fn vector3(k: usize) -> Vector3<C> {
    Vector3::from_fn(|i, j| number(i, j, k))
}

#[test]
fn arithmetic() {
    for (m, n) in SHAPES {
        let (a, b) = (matrix(m, n, 0), matrix(m, n, 1).map(|z| z + 2.0));
        assert_rule(&core_op::Add, (a.clone(), b.clone()));
        assert_rule(&core_op::Sub, (a.clone(), b.clone()));
        assert_rule(&core_op::Neg, (a.clone(),));
        assert_rule(&core_op::Mul, (a.clone(), S));
        assert_rule(&core_op::Mul, (S, a.clone()));
        assert_rule(&core_op::Div, (a.clone(), S));
        assert_rule(&op::ComponentMul, (a.clone(), b.clone()));
        assert_rule(&op::ComponentDiv, (a.clone(), b.clone()));
        assert_rule(&op::AddScalar, (a.clone(), S));
        assert_rule(&core_op::Abs, (b.clone(),));
    }
    let (a, b) = (
        Matrix3x2::from_fn(|i, j| number(i, j, 0)),
        Matrix3x2::from_fn(|i, j| number(i, j, 1)),
    );
    assert_rule(&core_op::Add, (a, b));
    assert_rule(&core_op::Sub, (a, b));
    assert_rule(&core_op::Neg, (a,));
    assert_rule(&core_op::Mul, (S, a));
    assert_rule(&core_op::Div, (a, S));
    assert_rule(&op::ComponentDiv, (a, b));
    let (a, b) = (single(&matrix(2, 2, 0)), single(&matrix(2, 2, 1)));
    assert_rule(&core_op::Add, (a.clone(), b));
    assert_rule(&core_op::Mul, (Complex::new(1.7_f32, 0.3), a));
}

#[test]
fn functions_of_elements() {
    for (m, n) in SHAPES {
        let z = matrix(m, n, 0).map(|z| z + C::new(2.0, 0.5));
        assert_rule(&Map(core_op::Exp), (z.clone(),));
        assert_rule(&Map(core_op::Sqrt), (z.clone(),));
        assert_rule(&Map(core_op::Tanh), (z.clone(),));
        assert_rule(&Map(core_op::Powi { n: -2 }), (z,));
    }
    assert_rule(&Map(core_op::Ln), (vector3(0),));
    // Real results, two arguments, of which one may be real.
    for (m, n) in SHAPES {
        let (z, w) = (matrix(m, n, 0), matrix(m, n, 1));
        let x = real(&matrix(m, n, 2)).map(|x| x + 2.0);
        assert_rule(&Map(complex::Arg), (z.clone(),));
        assert_rule(&Map(complex::Powc), (z.clone(), w.clone()));
        assert_rule(&Map(core_op::Div), (z.clone(), w));
        assert_rule(&Map(core_op::Powf), (z.clone(), x.clone()));
        assert_rule(&Map(core_op::Mul), (x.clone(), z));
    }
    assert_rule(&Map(complex::Powc), (vector3(0), vector3(1)));
    assert_expression(
        |z: &ComplexVector| (z.map(core_op::Sin) * &z[0]).dotc(z).eval(),
        vector(3, 0),
    );
}

#[test]
fn mixed_with_reals() {
    for (m, n) in SHAPES {
        let (z, x) = (matrix(m, n, 0), real(&matrix(m, n, 1)));
        assert_rule(&core_op::Add, (z.clone(), x.clone()));
        assert_rule(&core_op::Add, (x.clone(), z.clone()));
        assert_rule(&core_op::Sub, (z.clone(), x.clone()));
        assert_rule(&core_op::Sub, (x.clone(), z.clone()));
        assert_rule(&core_op::Mul, (z.clone(), 1.7));
        assert_rule(&core_op::Mul, (1.7, z.clone()));
        assert_rule(&core_op::Div, (z.clone(), 1.7));
        assert_rule(&core_op::Mul, (x.clone(), S));
        assert_rule(&core_op::Div, (x.clone(), S));
        assert_rule(&core_op::Mul, (S, x.clone()));
        let apart = x.map(|x| x + 2.0);
        assert_rule(&op::ComponentMul, (z.clone(), x.clone()));
        assert_rule(&op::ComponentMul, (x.clone(), z.clone()));
        assert_rule(&op::ComponentDiv, (z.clone(), apart.clone()));
        assert_rule(&op::ComponentDiv, (apart, z.map(|z| z + 3.0)));
        assert_rule(&core_op::ToF32, (z.clone(),));
        assert_rule(&core_op::ToF32, (real(&z),));
        assert_rule(&core_op::ToF64, (single(&z),));
        assert_rule(&core_op::ToF64, (z.clone(),));
        assert_rule(&op::Scale, (z.clone(), 1.7));
        assert_rule(&op::Unscale, (z.clone(), -1.7));
        assert_rule(&op::Dot, (z.clone(), x.clone()));
        assert_rule(&op::Dot, (x.clone(), z.clone()));
        assert_rule(&op::Dotc, (z.clone(), x.clone()));
        assert_rule(&op::Dotc, (x.clone(), z.clone()));
        assert_rule(&op::Re, (z.clone(),));
        assert_rule(&op::Im, (z.clone(),));
        assert_rule(&op::ToComplex, (x.clone(),));
        assert_rule(&op::FromParts, (x.clone(), real(&matrix(m, n, 2))));
        for k in [0, 1, 4] {
            assert_rule(&core_op::Mul, (z.clone(), real(&matrix(n, k, 1))));
            assert_rule(&core_op::Mul, (real(&matrix(k, m, 1)), z.clone()));
        }
        assert_rule(&core_op::Mul, (x.clone(), vector(n, 2)));
        assert_rule(&core_op::Mul, (z.clone(), vector(n, 2).map(|z| z.re)));
    }
    let (z, x) = (matrix3(0), matrix3(1).map(|z| z.re));
    assert_rule(&core_op::Add, (z, x));
    assert_rule(&core_op::Sub, (x, z));
    assert_rule(&core_op::Mul, (z, 1.7));
    assert_rule(&core_op::Mul, (z, x));
    assert_rule(&core_op::Mul, (x, z));
    assert_rule(&core_op::Mul, (x, vector3(2)));
    assert_rule(&op::Re, (z,));
    let z = single(&matrix(3, 2, 0));
    assert_rule(&core_op::Mul, (1.5_f32, z.clone()));
    assert_rule(&core_op::Mul, (z.map(|z| z.im).transpose(), z));
}

#[test]
fn products() {
    for (m, k) in SHAPES {
        for n in [0, 1, 4, 10] {
            let (a, b) = (matrix(m, k, 0), matrix(k, n, 1));
            assert_rule(&core_op::Mul, (a.clone(), b.clone()));
            assert_rule(&op::TrMul, (a.transpose(), b.clone()));
            assert_rule(&op::AdMul, (a.transpose(), b.clone()));
            assert_rule(&op::MulTr, (a.clone(), b.transpose()));
            assert_rule(&op::MulAd, (a.clone(), b.transpose()));
            assert_rule(&op::Outer, (vector(m, 1), vector(n, 2)));
        }
        let (a, v) = (matrix(m, k, 0), vector(m, 2));
        assert_rule(&core_op::Mul, (a.clone(), vector(k, 2)));
        assert_rule(&op::TrMul, (a.clone(), v.clone()));
        assert_rule(&op::AdMul, (a.clone(), v.clone()));
        assert_rule(&core_op::Mul, (v.transpose(), a.clone()));
        assert_rule(&op::Dot, (a.clone(), matrix(m, k, 1)));
        assert_rule(&op::Dotc, (a.clone(), matrix(m, k, 1)));
        let small = matrix(m.min(3), k.min(3), 0);
        assert_rule(&op::Kronecker, (small, matrix(2, 3, 1)));
    }
    for n in SIZES {
        assert_rule(&op::QuadraticForm, (vector(n, 0), matrix(n, n, 1)));
    }
    let (a, v) = (matrix3(0), vector3(1));
    assert_rule(&core_op::Mul, (a, a));
    assert_rule(&core_op::Mul, (a, v));
    assert_rule(&op::AdMul, (a, v));
    assert_rule(&op::Cross, (v, vector3(2)));
    assert_rule(&op::CrossMatrix, (v,));
    assert_rule(&op::Outer, (v, v));
    assert_rule(&op::Dotc, (v, vector3(2)));
    let (a, b) = (single(&matrix(3, 5, 0)), single(&matrix(5, 2, 0)));
    assert_rule(&core_op::Mul, (a.clone(), b));
    assert_rule(&op::MulAd, (a.clone(), a));
}

/// Sums that are long enough for several pieces of a product.
#[test]
fn long_sums() {
    let (a, b) = (matrix(3, 300, 0), matrix(4, 300, 1));
    let mut tape = Tape::new();
    let (x, y) = (tape.input(a.clone()), tape.input(b.clone()));
    let r = tape.record(|| x.mul_ad(&y).eval());
    let error = (r.get() - &a * b.adjoint()).map(|z| z.norm()).max();
    assert!(error < 1e-12, "{error}");
    assert_rule(&op::MulAd, (a, b.clone()));
    assert_rule(&core_op::Mul, (matrix(3, 4, 2), b));
}

#[test]
fn reductions() {
    for (m, n) in SHAPES {
        let a = matrix(m, n, 0);
        assert_rule(&op::Sum, (a.clone(),));
        assert_rule(&op::Mean, (a.clone(),));
        assert_rule(&op::NormSquared, (a.clone(),));
        assert_rule(&op::RowSum, (a.clone(),));
        assert_rule(&op::ColumnSum, (a.clone(),));
        if !a.is_empty() {
            assert_rule(&op::Norm, (a.clone(),));
            assert_rule(&op::NormL1, (a.clone(),));
            assert_rule(&op::LpNorm { p: 3 }, (a.clone(),));
            assert_rule(&op::Normalize, (a.clone(),));
        }
    }
    for n in SIZES {
        assert_rule(&op::Trace, (matrix(n, n, 0),));
        assert_rule(&op::Diagonal, (matrix(n, n, 0),));
        assert_rule(&op::FromDiagonal, (vector(n, 0),));
    }
    assert_rule(&op::Trace, (matrix2(0),));
    assert_rule(&op::Norm, (matrix2(0),));
}

#[test]
fn structure() {
    for (m, n) in SHAPES {
        let a = matrix(m, n, 0);
        assert_rule(&op::Transpose, (a.clone(),));
        assert_rule(&op::Adjoint, (a.clone(),));
        assert_rule(&op::Conjugate, (a.clone(),));
        assert_rule(&op::Reshape { rows: n, cols: m }, (a.clone(),));
        assert_rule(&op::Hstack, (a.clone(), matrix(m, 2, 1)));
        assert_rule(&op::Vstack, (a.clone(), matrix(2, n, 1)));
        if m > 1 && n > 1 {
            let (start, shape) = ((1, 1), (m - 1, n - 1));
            assert_rule(&op::View { start, shape }, (a.clone(),));
            assert_rule(&op::Row { i: 1 }, (a.clone(),));
            assert_rule(&op::Column { j: 1 }, (a.clone(),));
            assert_rule(&op::Rows { first: 1, n: m - 1 }, (a.clone(),));
            assert_rule(&op::Columns { first: 1, n: n - 1 }, (a.clone(),));
        }
    }
    assert_rule(&op::Hstack, (vector3(0), matrix3(1)));
    assert_rule(&op::Adjoint, (Matrix3x2::from_fn(|i, j| number(i, j, 0)),));
    // Lists, and numbers gathered into a matrix and scattered again.
    assert_expression(
        |(a, b): (&ComplexMatrix, &ComplexMatrix)| {
            let wide: ComplexMatrix = hstack(list_of([a, b, a])).eval();
            let tall: ComplexMatrix = vstack(list(&[wide.clone(), (b * &wide).eval()])).eval();
            let x = tall.ad_mul(&tall).elements().split();
            let m: ComplexMatrix = gather(list(&x[..6]), 3, 2).eval();
            m.component_mul(&m).sum().eval()
        },
        (matrix(2, 3, 0), matrix(2, 2, 1)),
    );
}

#[test]
fn triangular_solves() {
    use kernels::Triangle::*;
    for n in SIZES {
        for triangle in [Lower, Upper, UnitLower, UnitUpper] {
            let unit = matches!(triangle, UnitLower | UnitUpper);
            let a = regular(n, 0) * C::from(if unit { 0.01 } else { 1.0 });
            for read in [Read::Plain, Read::Transposed, Read::Adjoint] {
                let solve = op::TriangularSolve { triangle, read };
                assert_rule(&solve, (a.clone(), vector(n, 1)));
                assert_rule(&solve, (a.clone(), matrix(n, 3, 1)));
                assert_rule(&solve, (real(&a), matrix(n, 2, 1)));
                assert_rule(&solve, (a.clone(), real(&matrix(n, 2, 1))));
            }
        }
    }
    let solve = op::TriangularSolve {
        triangle: Lower,
        read: Read::Adjoint,
    };
    assert_rule(&solve, (matrix2(0), matrix2(1)));
    assert_rule(&solve, (single(&regular(3, 0)), single(&matrix(3, 2, 0))));
}

/// Factorizations depend on the matrix, so they are tested as expressions.
#[test]
fn factorizations() {
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
        // More rows than columns: the residual matters.
        let tall = matrix(n + 2, n, 0) + DMatrix::identity(n + 2, n) * C::from(3.0);
        assert_expression(
            |(a, b): (&M, &V)| a.qr().solve(b).unwrap().eval(),
            (tall.clone(), vector(n + 2, 1)),
        );
        // One factorization, many solves, also inside of expressions.
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
    // Of a real matrix and a complex right side, and the other way round.
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
fn factors_are_what_they_should_be() {
    let near = |a: &DMatrix<C>, b: &DMatrix<C>| (a - b).norm() <= 1e-12 * b.norm();
    let mut tape = entape_core::tape::Tape::new();
    // 60: beyond the kernels for small matrices
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

#[test]
fn spectra() {
    // Eigenvalues and singular values that lie apart; the lower triangle counts.
    let apart = |m: usize, n: usize| {
        let diagonal = |i: usize, j: usize| if i == j { 3.0 * i as f64 + 4.0 } else { 0.0 };
        matrix(m, n, 0) + DMatrix::from_fn(m, n, |i, j| C::from(diagonal(i, j)))
    };
    for n in [1, 3, 5] {
        let a = apart(n, n);
        assert_rule(&op::Eigen, (&a + a.adjoint(),));
        for (m, n) in [(n, n), (n + 2, n), (n, n + 2)] {
            assert_rule(&op::Singular, (apart(m, n),));
            assert_rule(&op::SpectralNorm, (apart(m, n),));
            assert_rule(&op::PseudoInverseOf { eps: 1e-12 }, (apart(m, n),));
        }
    }
    let a = apart(2, 2);
    let fixed = Matrix2::from_column_slice((&a + a.adjoint()).as_slice());
    assert_rule(&op::Eigen, (fixed,));
    // What is not Hermitian in the upper triangle and on the diagonal is not read.
    let mut read = &a + a.adjoint();
    let want = read.clone();
    read[(0, 1)] = C::new(7.0, 7.0);
    read[(1, 1)].im = 3.0;
    let mut tape = entape_core::tape::Tape::new();
    let (read, want) = (tape.input(read), tape.input(want));
    tape.record(|| {
        let [read, want] = [read, want].map(|a| a.symmetric_eigen());
        assert_eq!(read.eigenvalues.get(), want.eigenvalues.get());
        assert_eq!(read.eigenvectors.get(), want.eigenvectors.get());
    });
}

#[test]
fn functions_of_matrices() {
    for n in [0, 1, 3, 5] {
        assert_rule(&core_op::Exp, (matrix(n, n, 0),));
        for power in [0, 1, 2, 3, 6, -1, -2] {
            assert_rule(&core_op::Powi { n: power }, (regular(n, 0),));
        }
    }
    assert_rule(&core_op::Exp, (matrix2(0),));
    assert_expression(
        |a: &ComplexMatrix| (Elementary::exp(a) * a.powi(2)).trace().eval(),
        matrix(2, 2, 0),
    );
}
