//! Every rule against central differences, fixed and dynamic, small and large enough for both families of
//! kernels.
use entape_core::{
    check::{Check, assert_expression, assert_rule},
    expr::{Active, list, list_of},
    mode::Taped,
    op as core_op,
    real::Elementary,
    tape::Tape,
};
use entape_linalg::{op, *};
use nalgebra::{
    DMatrix, DVector, Matrix2, Matrix3, Matrix3x2, RowDVector, Vector3, dmatrix, dvector,
};

#[path = "../shared/large.rs"]
mod large;

/// Numbers that are no multiples of each other.
fn number(i: usize, j: usize, k: usize) -> f64 {
    let [i, j, k] = [i, j, k].map(|i| i as f64);
    (1.0 + 0.7 * i + 1.3 * j + 0.05 * i * j + 0.37 * k).sin()
}
pub(crate) fn matrix(rows: usize, cols: usize, k: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, cols, |i, j| number(i, j, k))
}
pub(crate) fn vector(n: usize, k: usize) -> DVector<f64> {
    DVector::from_fn(n, |i, _| number(i, 3, k))
}
/// A matrix that is far from singular.
pub(crate) fn regular(n: usize, k: usize) -> DMatrix<f64> {
    matrix(n, n, k) + DMatrix::identity(n, n) * (n as f64 + 1.0)
}
fn single(m: &DMatrix<f64>) -> DMatrix<f32> {
    m.map(|x| x as f32)
}
/// Shapes: empty, single, square, wide, tall, large.
const SHAPES: [(usize, usize); 7] = [(0, 0), (0, 3), (1, 1), (3, 3), (3, 5), (5, 2), (18, 17)];
const SIZES: [usize; 5] = [0, 1, 3, 5, 27];

#[test]
fn arithmetic() {
    for (m, n) in SHAPES {
        let (a, b) = (matrix(m, n, 0), matrix(m, n, 1).map(|x| x + 2.0));
        assert_rule(&core_op::Add, (a.clone(), b.clone()));
        assert_rule(&core_op::Sub, (a.clone(), b.clone()));
        assert_rule(&core_op::Neg, (a.clone(),));
        assert_rule(&core_op::Mul, (a.clone(), 1.7));
        assert_rule(&core_op::Mul, (1.7, a.clone()));
        assert_rule(&core_op::Div, (a.clone(), 1.7));
        assert_rule(&op::ComponentMul, (a.clone(), b.clone()));
        assert_rule(&op::ComponentDiv, (a.clone(), b.clone()));
        assert_rule(&op::AddScalar, (a.clone(), 1.7));
        assert_rule(&core_op::Abs, (a.clone(),));
    }
    let (a, b) = (
        Matrix3x2::new(1.0, 2.0, 3.0, 4.0, 5.0, 6.0),
        Matrix3x2::new(2.0, 7.0, 1.0, 8.0, 2.0, 8.0),
    );
    assert_rule(&core_op::Add, (a, b));
    assert_rule(&core_op::Sub, (a, b));
    assert_rule(&core_op::Neg, (a,));
    assert_rule(&core_op::Mul, (1.7, a));
    assert_rule(&core_op::Div, (a, 1.7));
    assert_rule(&op::ComponentDiv, (a, b));
    let (a, b) = (single(&matrix(2, 2, 0)), single(&matrix(2, 2, 1)));
    assert_rule(&core_op::Add, (a.clone(), b));
    assert_rule(&core_op::Mul, (1.7_f32, a));
}

#[test]
fn elementary_functions() {
    for (m, n) in SHAPES {
        let (a, b) = (
            matrix(m, n, 0).map(|x| x + 2.0),
            matrix(m, n, 1).map(|x| x + 2.0),
        );
        assert_rule(&Map(core_op::Exp), (a.clone(),));
        assert_rule(&Map(core_op::Ln), (a.clone(),));
        assert_rule(&Map(core_op::Powi { n: 3 }), (a.clone(),));
        assert_rule(&Map(core_op::Atan2), (a.clone(), b.clone()));
        assert_rule(&Map(core_op::Powf), (a.clone(), b.clone()));
    }
    assert_rule(&Map(core_op::Tanh), (nalgebra::Vector2::new(0.5_f32, 0.2),));
    assert_rule(&Map(core_op::Floor), (dvector![1.5, 2.5],));
    assert_rule(&Map(core_op::Sin), (Vector3::new(1.0, 2.0, 3.0),));
}

#[test]
fn products() {
    for (m, k) in SHAPES {
        for n in [0, 1, 4, 19] {
            let (a, b) = (matrix(m, k, 0), matrix(k, n, 1));
            assert_rule(&core_op::Mul, (a.clone(), b.clone()));
            assert_rule(&op::TrMul, (a.transpose(), b.clone()));
            assert_rule(&op::MulTr, (a.clone(), b.transpose()));
            assert_rule(&core_op::Mul, (a.clone(), vector(k, 2)));
            assert_rule(&op::TrMul, (a.clone(), vector(m, 2)));
            assert_rule(&core_op::Mul, (vector(m, 2).transpose(), a.clone()));
            assert_rule(&op::Outer, (vector(m, 1), vector(n, 2)));
        }
        assert_rule(&op::Dot, (matrix(m, k, 0), matrix(m, k, 1)));
        assert_rule(
            &op::Kronecker,
            (matrix(m.min(3), k.min(3), 0), matrix(2, 3, 1)),
        );
    }
    // Some of these sizes are constants of kernels.
    for n in 1..=5 {
        let (a, b, x) = (matrix(n, n, 0), matrix(n, n, 1), vector(n, 2));
        assert_rule(&core_op::Mul, (a.clone(), b.clone()));
        assert_rule(&op::TrMul, (a.clone(), b.clone()));
        assert_rule(&op::MulTr, (a.clone(), b));
        assert_rule(&core_op::Mul, (a.clone(), x.clone()));
        assert_rule(&op::TrMul, (a.clone(), x.clone()));
        assert_rule(&op::Outer, (x, vector(n, 3)));
        assert_rule(&core_op::Mul, (single(&a), single(&a)));
    }
    for n in SIZES {
        assert_rule(&op::QuadraticForm, (vector(n, 0), matrix(n, n, 1)));
    }
    let (a, v) = (
        Matrix3::new(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0),
        Vector3::new(3.0, 1.0, 4.0),
    );
    assert_rule(&core_op::Mul, (a, a));
    assert_rule(&core_op::Mul, (a, v));
    assert_rule(&op::Cross, (v, Vector3::new(2.0, 7.0, 1.0)));
    assert_rule(&op::Outer, (v, v));
    assert_rule(&op::Kronecker, (Matrix2::new(1.0, 2.0, 3.0, 4.0), a));
    assert_rule(
        &core_op::Mul,
        (single(&matrix(3, 5, 0)), single(&matrix(5, 2, 0))),
    );
}

/// Sums that are long enough for several pieces of a product.
#[test]
fn long_sums() {
    let (a, b) = (matrix(3, 300, 0), matrix(4, 300, 1));
    let mut tape = Tape::new();
    let (x, y) = (tape.input(a.clone()), tape.input(b.clone()));
    let r = tape.record(|| x.mul_tr(&y).eval());
    let error = (r.get() - &a * b.transpose()).abs().max();
    assert!(error < 1e-12, "{error}");
    assert_rule(&op::MulTr, (a, b.clone()));
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
            for p in [1, 2, 3, 7] {
                assert_rule(&op::LpNorm { p }, (a.clone(),));
            }
            assert_rule(&op::MaxElement, (a.clone(),));
            assert_rule(&op::MinElement, (a.clone(),));
        }
    }
    for n in SIZES {
        assert_rule(&op::Trace, (matrix(n, n, 0),));
        assert_rule(&op::Diagonal, (matrix(n, n, 0),));
        assert_rule(&op::FromDiagonal, (vector(n, 0),));
    }
    assert_rule(&op::Trace, (Matrix2::new(1.0, 2.0, 3.0, 4.0),));
    assert_rule(&op::LpNorm { p: 4 }, (Vector3::new(1.0, -2.0, 3.0),));
    assert_rule(&op::SpectralNorm, (Matrix2::new(1.0, 2.0, 3.0, 4.0),));
}

#[test]
fn norms_are_those_of_nalgebra() {
    let mut tape = Tape::new();
    let a = tape.input(dmatrix![3.0, 0.0, -4.0; 0.0, 0.0, 12.0]);
    let zero = tape.input(DMatrix::<f64>::zeros(2, 2));
    let empty = tape.input(DMatrix::<f64>::zeros(0, 3));
    let norms = tape.record(|| {
        let of = |a: &Matrix| [1, 2, 5].map(|p| a.lp_norm(p).eval());
        [of(&a), of(&zero), of(&empty)]
    });
    for (norms, m) in norms.iter().zip([a.get(), zero.get(), empty.get()]) {
        for (norm, p) in norms.iter().zip([1, 2, 5]) {
            let want = m.lp_norm(p);
            assert!((norm.value() - want).abs() <= 1e-14 * want, "{p}: {norm:?}");
        }
    }
    // What is zero has slope 0.
    let gradient = tape.gradient(&norms[0][2]).unwrap().wrt(&a).unwrap();
    assert_eq!(gradient[(0, 1)], 0.0);
    let gradient = tape.gradient(&norms[1][2]).unwrap();
    assert_eq!(gradient.wrt(&zero).unwrap(), DMatrix::zeros(2, 2));

    let a = tape.input(dmatrix![0.0, 3.0; -5.0, 0.0; 0.0, 0.0]);
    let nan = tape.input(dmatrix![f64::NAN, 1.0; 0.0, 1.0]);
    let [norm, none, unknown]: [Active<f64, Taped>; 3] = tape.record(|| {
        [
            a.spectral_norm().eval(),
            empty.spectral_norm().eval(),
            nan.spectral_norm().eval(),
        ]
    });
    assert!((norm.value() - 5.0).abs() < 1e-14);
    assert_eq!(none.value(), 0.0);
    assert!(unknown.value().is_nan());
    let gradient = tape.gradient(&norm).unwrap().wrt(&a).unwrap();
    assert!((gradient - dmatrix![0.0, 0.0; -1.0, 0.0; 0.0, 0.0]).norm() < 1e-14);
    assert_eq!(
        tape.gradient(&none).unwrap().wrt(&empty).unwrap().shape(),
        (0, 3)
    );
}
#[test]
#[should_panic(expected = "`a.lp_norm(0)`: the order of a norm is positive")]
fn a_norm_without_order() {
    let v = Vector::<entape_core::mode::Plain>::new(dvector![1.0]);
    v.lp_norm(0).eval();
}

#[test]
fn structure() {
    for (m, n) in SHAPES {
        let a = matrix(m, n, 0);
        assert_rule(&op::Transpose, (a.clone(),));
        assert_rule(&op::Reshape { rows: n, cols: m }, (a.clone(),));
        assert_rule(&op::Hstack, (a.clone(), matrix(m, 2, 1)));
        assert_rule(&op::Vstack, (a.clone(), matrix(2, n, 1)));
        if m > 1 && n > 1 {
            assert_rule(
                &op::View {
                    start: (1, 1),
                    shape: (m - 1, n - 1),
                },
                (a.clone(),),
            );
            assert_rule(&op::Row { i: 1 }, (a.clone(),));
            assert_rule(&op::Column { j: 1 }, (a.clone(),));
            assert_rule(&op::Rows { first: 1, n: m - 1 }, (a.clone(),));
            assert_rule(&op::Columns { first: 1, n: n - 1 }, (a.clone(),));
        }
    }
    assert_rule(
        &op::Hstack,
        (
            Vector3::new(1.0, 2.0, 3.0),
            Matrix3::new(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0),
        ),
    );
    // Lists, of vectors and of matrices of several sizes; one of them twice, one overwritten later.
    assert_expression(
        |(a, b, v): (&Matrix, &Matrix, &Vector)| {
            let columns: Matrix = hstack(list(&[v.clone(), v.clone()])).eval();
            let mut last = b.clone();
            let wide: Matrix = hstack(list_of([a, &last, a])).eval();
            last *= 2.0;
            let tall: Matrix = vstack(list(&[wide.clone(), (&last * &wide).eval()])).eval();
            (tall.tr_mul(&tall).norm() + (&tall * columns.row(0).sum()).column(1).sum()).eval()
        },
        (matrix(2, 3, 0), matrix(2, 2, 1), vector(2, 2)),
    );
    assert_rule(&op::CrossMatrix, (Vector3::new(1.0, 2.0, 3.0),));
    assert_rule(&op::Normalize, (matrix(2, 3, 0),));
    // Numbers gathered into a matrix, and scattered again.
    assert_expression(
        |x| {
            let m: Matrix = gather(list(x), 2, 3).eval();
            let y = m.tr_mul(&m).elements().split();
            (y[0] * y[5] + y[1]).eval()
        },
        &[0.5, 1.5, -2.0, 3.0, 0.25, 1.0],
    );
}

#[test]
fn triangular_solves() {
    use kernels::Triangle::*;
    for n in SIZES {
        let a = regular(n, 0);
        for triangle in [Lower, Upper, UnitLower, UnitUpper] {
            let a = if matches!(triangle, UnitLower | UnitUpper) {
                &a * 0.01
            } else {
                a.clone()
            };
            for read in [Read::Plain, Read::Transposed, Read::Adjoint] {
                let solve = op::TriangularSolve { triangle, read };
                assert_rule(&solve, (a.clone(), vector(n, 1)));
                assert_rule(&solve, (a.clone(), matrix(n, 3, 1)));
            }
        }
    }
    let solve = op::TriangularSolve {
        triangle: Lower,
        read: Read::Plain,
    };
    assert_rule(
        &solve,
        (
            Matrix2::new(1.0, 0.0, 3.0, 4.0),
            Matrix2::new(1.0, 2.0, 3.0, 5.0),
        ),
    );
    assert_rule(&solve, (single(&regular(3, 0)), single(&matrix(3, 2, 0))));
}

/// Factorizations depend on the matrix, so they are tested as expressions.
#[test]
fn factorizations() {
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
        // More rows than columns: the residual matters.
        let tall = matrix(n + 2, n, 0) + DMatrix::identity(n + 2, n) * 3.0;
        assert_expression(
            |(a, b): (&Matrix, &Vector)| a.qr().solve(b).unwrap().eval(),
            (tall.clone(), vector(n + 2, 1)),
        );
        // One factorization, many solves, also inside of expressions.
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

#[test]
fn spectra() {
    // Eigenvalues and singular values that lie apart; the lower triangle counts.
    let apart = |m: usize, n: usize| {
        matrix(m, n, 0)
            + DMatrix::from_fn(m, n, |i, j| if i == j { 3.0 * i as f64 + 4.0 } else { 0.0 })
    };
    for n in [1, 3] {
        let a = apart(n, n);
        assert_rule(&op::Eigen, (&a + a.transpose(),));
        for (m, n) in [(n, n), (n + 2, n), (n, n + 2)] {
            assert_rule(&op::Singular, (apart(m, n),));
            assert_rule(&op::SpectralNorm, (apart(m, n),));
            assert_rule(&op::PseudoInverseOf { eps: 1e-12 }, (apart(m, n),));
        }
    }
    let a = apart(2, 2);
    let fixed = Matrix2::from_column_slice((&a + a.transpose()).as_slice());
    assert_rule(&op::Eigen, (fixed,));
}

#[test]
fn functions_of_matrices() {
    for n in [0, 1, 3, 5] {
        let a = matrix(n, n, 0);
        assert_rule(&core_op::Exp, (a.clone(),));
        for power in [0, 1, 2, 3, 6, -1, -2] {
            assert_rule(&core_op::Powi { n: power }, (regular(n, 0),));
        }
    }
    assert_rule(&core_op::Exp, (Matrix2::new(0.1, 0.2, 0.3, 0.4),));
    assert_expression(
        |a: &Matrix| (Elementary::exp(a) * a.powi(2)).trace().eval(),
        dmatrix![0.1, 0.2; 0.3, 0.4],
    );
}

#[test]
fn plain_operations_agree() {
    let check = Check::default();
    // Whole numbers, whose sums have the same bits in any order.
    let whole = |m: DMatrix<f64>| m.map(|x| (8.0 * x).round());
    let (a, b) = (whole(matrix(3, 4, 0)), whole(matrix(4, 2, 1)));
    let (x, y) = (a.clone(), b.clone());
    check
        .plain(&core_op::Mul, (a.clone(), b.clone()), move || x * y)
        .unwrap();
    // Shapes that don't fit fail in nalgebra, too.
    let (x, y) = (a.clone(), a.clone());
    check
        .plain(&core_op::Mul, (a.clone(), a.clone()), move || x * y)
        .unwrap();
    let (x, y) = (a.clone(), b.clone());
    check
        .plain(&core_op::Add, (a.clone(), b.clone()), move || x + y)
        .unwrap();
    let x = RowDVector::from_vec(vec![1.0, 2.0]);
    let y = x.clone();
    check
        .plain(&op::Transpose, (x,), move || y.transpose())
        .unwrap();
}
