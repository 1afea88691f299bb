//! Determinants that are zero or out of range. The gradient consists of conjugated cofactors.
use crate::{C, assert_close, cases, complex, gradient, real};
use approx::{assert_abs_diff_eq, assert_relative_eq};
use entape_complex::ComplexOps;
use entape_core::{expr::constant, mode::Taped, tape::Tape};
use entape_linalg::{Number, prelude::*};
use nalgebra::{ComplexField, DMatrix, Dyn, Matrix2, Matrix3, dmatrix};

fn determinant<T: Number>(a: &DMatrix<T>) -> T {
    (0..a.nrows()).fold(
        if a.is_empty() { T::of(1.0) } else { T::of(0.0) },
        |sum, i| sum + a[(i, 0)] * cofactor(a, i, 0),
    )
}
fn cofactor<T: Number>(a: &DMatrix<T>, i: usize, j: usize) -> T {
    let rest = a.clone().remove_row(i).remove_column(j);
    let minor = determinant(&rest);
    if (i + j).is_multiple_of(2) {
        minor
    } else {
        -minor
    }
}
fn slopes<T: Number>(a: &DMatrix<T>) -> DMatrix<T> {
    DMatrix::from_fn(a.nrows(), a.ncols(), |i, j| cofactor(a, i, j).conjugate())
}
#[track_caller]
fn assert_cofactors<T: Number<Part = f64> + std::fmt::Display>(a: &DMatrix<T>, got: &DMatrix<T>) {
    let want = slopes(a);
    let error = (got - &want).norm();
    assert!(
        error <= 1e-13 * a.norm().max(1.0).powi(a.nrows() as i32),
        "{error:e}: {got} instead of {want}"
    );
}
fn of_real(a: &DMatrix<f64>) -> DMatrix<f64> {
    let (_, by_method) = gradient(a, |a: &Matrix| a.determinant());
    let (_, by_factor) = gradient(a, |a: &Matrix| a.lu().determinant().eval());
    assert_eq!(by_method, by_factor);
    by_method
}

#[test]
fn gradients_at_singular_matrices_are_cofactors() {
    for a in [
        dmatrix![0.0],
        dmatrix![0.0, 0.0; 0.0, 0.0],
        dmatrix![1.0, 2.0; 2.0, 4.0],
        dmatrix![0.0, 1.0; 0.0, 2.0],
        dmatrix![0.0, 1.0; 0.0, 0.0],
        dmatrix![1.0, 2.0, 3.0; 4.0, 5.0, 6.0; 7.0, 8.0, 9.0],
        dmatrix![0.1, 0.2, 0.3; 0.4, 0.5, 0.6; 0.7, 0.8, 0.9],
        dmatrix![0.0, 1.0, 0.0; 0.0, 0.0, 1.0; 0.0, 0.0, 0.0],
        dmatrix![1.0, 2.0, 3.0; 2.0, 4.0, 6.0; 3.0, 6.0, 9.0],
        dmatrix![0.0, 0.0, 0.0; 0.0, 0.0, 0.0; 0.0, 0.0, 5.0],
        DMatrix::zeros(3, 3),
        DMatrix::from_fn(4, 4, |i, j| if j == i + 1 { 2.0 } else { 0.0 }),
    ] {
        assert_cofactors(&a, &of_real(&a));
    }
    let (_, none) = gradient(&DMatrix::zeros(0, 0), |a: &Matrix| a.determinant());
    assert!(none.is_empty());
    let zero = of_real(&dmatrix![1.0, 2.0, 3.0; 2.0, 4.0, 6.0; 3.0, 6.0, 9.0]);
    assert_eq!(zero, DMatrix::zeros(3, 3));
}

#[test]
fn gradients_at_any_rank_are_cofactors() {
    for (n, rank) in (1..6).flat_map(|n| (0..=n).map(move |rank| (n, rank))) {
        for seed in cases(20) {
            let a = real(n, rank, seed) * real(rank, n, seed + 50);
            assert_cofactors(&a, &of_real(&a));
            let a = complex(n, rank, seed) * complex(rank, n, seed + 50);
            let (_, got) = gradient(&a, |a: &ComplexMatrix| a.determinant().re().eval());
            assert_cofactors(&a, &got);
            let (_, got) = gradient(&a, |a: &ComplexMatrix| a.lu().determinant().im().eval());
            assert_cofactors(&a, &got.map(|z| z * C::new(0.0, -1.0)));
        }
    }
}

#[test]
fn gradients_at_large_singular_matrices_are_cofactors() {
    for n in [20, 40] {
        let mut a = (real(n, n, 0) + DMatrix::identity(n, n)) * 0.5;
        let sum = a.columns(0, n / 2).column_sum() * 0.3;
        a.set_column(n / 2, &sum);
        let got = of_real(&a);
        let minor = |i: usize, j: usize| {
            let minor = a.clone().remove_row(i).remove_column(j).determinant();
            if (i + j).is_multiple_of(2) {
                minor
            } else {
                -minor
            }
        };
        // Each minor is a separate factorization.
        let rows: Vec<_> = (0..n).step_by(7).collect();
        let want = DMatrix::from_fn(rows.len(), n, |i, j| minor(rows[i], j));
        assert_close(&got.select_rows(&rows), &want, 1e-9);
    }
}

#[test]
fn gradients_of_fixed_sizes_are_cofactors() {
    let mut tape = Tape::new();
    let two = tape.input(Matrix2::new(1.0, 2.0, 2.0, 4.0));
    let three = tape.input(Matrix3::new(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9));
    let z = tape.input(Matrix2::new(
        C::new(0.0, 1.0),
        C::from(1.0),
        C::from(-1.0),
        C::new(0.0, 1.0),
    ));
    let (a, b, c) = tape.record(|| {
        (
            two.determinant(),
            three.determinant(),
            z.determinant().re().eval(),
        )
    });
    let got = tape.gradient(&a).unwrap().wrt(&two).unwrap();
    assert_eq!(got, Matrix2::new(4.0, -2.0, -2.0, 1.0));
    let got = tape.gradient(&b).unwrap().wrt(&three).unwrap();
    let all = |m: &[f64], n| DMatrix::from_column_slice(n, n, m);
    assert_cofactors(&all(three.get().as_slice(), 3), &all(got.as_slice(), 3));
    let got = tape.gradient(&c).unwrap().wrt(&z).unwrap();
    let z = DMatrix::from_column_slice(2, 2, z.get().as_slice());
    assert_cofactors(&z, &DMatrix::from_column_slice(2, 2, got.as_slice()));
}

#[test]
fn gradients_are_right_where_determinants_overflow_or_underflow() {
    for scale in [1e-150, 1e-120, 1e-108, 1e108, 1e120, 1e150] {
        let a = complex(3, 3, 0) + DMatrix::identity(3, 3) * C::from(2.0);
        let large = a.map(|z| z * scale);
        let want = slopes(&a);
        let (_, got) = gradient(&large, |a: &ComplexMatrix| a.determinant().re().eval());
        assert_close(&got.map(|z| z / scale / scale), &want, 1e-12);
        let a = a.map(|z| z.re);
        let (_, got) = gradient(&(&a * scale), |a: &Matrix| a.determinant());
        assert_close(&(got / scale / scale), &slopes(&a), 1e-12);
        let a = &a * a.transpose();
        let symmetric = DMatrix::from_fn(3, 3, |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Less => 0.0,
            std::cmp::Ordering::Equal => cofactor(&a, i, j),
            std::cmp::Ordering::Greater => 2.0 * cofactor(&a, i, j),
        });
        let (_, got) = gradient(&(&a * scale), |a: &Matrix| {
            a.cholesky().unwrap().determinant().eval()
        });
        assert_close(&(got / scale / scale), &symmetric, 1e-12);
    }
    let tiny = 1e-200;
    assert_eq!(
        of_real(&(DMatrix::identity(2, 2) * tiny)),
        DMatrix::identity(2, 2) * tiny
    );
    let mixed = DMatrix::from_diagonal(&nalgebra::dvector![1e-200, 1e-200, 1e200, 1e200]);
    let (value, got) = gradient(&mixed, |a: &Matrix| a.determinant());
    assert_abs_diff_eq!(value, 1.0, epsilon = 1e-14);
    let want = DMatrix::from_diagonal(&nalgebra::dvector![1e200, 1e200, 1e-200, 1e-200]);
    assert_relative_eq!(got, want, epsilon = 0.0, max_relative = 1e-14);
    let single = DMatrix::<f32>::identity(2, 2) * 1e-30;
    let (_, got) = gradient(&single, |a: &Matrix<Taped, f32>| a.determinant());
    assert_eq!(got, single);
    let mut tape = Tape::new();
    let a = tape.input_as::<Dense<f32, Dyn, Dyn>>(DMatrix::from_element(2, 2, 3.0));
    let y = tape.record(|| a.determinant());
    let got = tape.gradient(&y).unwrap().wrt(&a).unwrap();
    assert_eq!(
        got,
        DMatrix::from_column_slice(2, 2, &[3.0, -3.0, -3.0, 3.0])
    );
}

#[test]
fn determinants_are_terms_of_longer_programs() {
    let a = dmatrix![1.0, 2.0; 2.0, 4.0];
    let b = dmatrix![0.5, -1.0; 1.5, 0.25];
    let (_, got) = gradient(&a, |a: &Matrix| {
        (a.determinant() * 1e-300 + (a * constant(b.clone())).eval().determinant() * 3.0).eval()
    });
    let want = dmatrix![4.0, -2.0; -2.0, 1.0] * (3.0 * ComplexField::abs(b.determinant()));
    assert_close(&got, &want, 1e-13);
}
