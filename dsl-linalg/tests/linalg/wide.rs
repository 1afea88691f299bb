#![allow(clippy::needless_range_loop)] // rows and columns have numbers
use approx::assert_abs_diff_eq;
use entape_core::{
    expr::Active,
    mode::{AnyMode, Forward, Plain},
    tape::Tape,
};
use entape_drivers::hessian_vector;
use entape_linalg::prelude::*;
use nalgebra::{DMatrix, dmatrix, matrix};

fn entries<M: AnyMode>(a: &Matrix<M>) -> Vec<Active<f64, M>> {
    let qr = a.qr();
    let (q, r) = (qr.q().eval(), qr.r().eval());
    let each = |m: &Matrix<M>| -> Vec<_> {
        let (rows, cols) = m.shape();
        let places = (0..cols).flat_map(|j| (0..rows).map(move |i| (i, j)));
        places.map(|at| m.at(at).eval()).collect()
    };
    let mut all = each(&q);
    all.extend(each(&r));
    all
}
fn values(a: &DMatrix<f64>) -> Vec<f64> {
    let a = Matrix::<Plain>::passive(a.clone());
    entries(&a).iter().map(|x| x.value()).collect()
}
fn differences(f: impl Fn(f64) -> Vec<f64>) -> Vec<f64> {
    let h = 1e-3;
    let [a, b, c, d] = [f(h), f(-h), f(2.0 * h), f(-2.0 * h)];
    (0..a.len())
        .map(|k| (8.0 * (a[k] - b[k]) - (c[k] - d[k])) / (12.0 * h))
        .collect()
}
fn unit(a: &DMatrix<f64>, k: usize) -> DMatrix<f64> {
    let mut unit = DMatrix::zeros(a.nrows(), a.ncols());
    unit[k] = 1.0;
    unit
}
fn gradients(a: &DMatrix<f64>) -> Vec<DMatrix<f64>> {
    let mut tape = Tape::new();
    let a = tape.input(a.clone());
    let all = tape.record(|| entries(&a));
    let each = all
        .iter()
        .map(|y| tape.gradient(y).unwrap().wrt(&a).unwrap());
    each.collect()
}

#[test]
fn every_entry_of_both_factors_has_the_slope_of_differences() {
    for a in [
        dmatrix![1.0, 2.0, 3.0; 4.0, 5.0, 6.0],
        dmatrix![-2.0, 0.5, 1.0, 3.0],
        dmatrix![1.0, 0.3, -2.0, 0.7; 0.2, 1.4, 0.9, -1.1; -0.6, 0.8, 2.2, 0.1],
    ] {
        let gradients = gradients(&a);
        for k in 0..a.len() {
            let unit = unit(&a, k);
            let want = differences(|h| values(&(&a + &unit * h)));
            let forward = Matrix::<Forward<1>>::with_tangents(a.clone(), [unit.clone()]);
            for (i, y) in entries(&forward).iter().enumerate() {
                assert_abs_diff_eq!(gradients[i][k], want[i], epsilon = 1e-9);
                assert_abs_diff_eq!(y.tangents()[0], want[i], epsilon = 1e-9);
            }
        }
    }
}
#[test]
fn second_derivatives_are_the_differences_of_gradients() {
    let a = dmatrix![1.0, 2.0, 3.0; 4.0, 5.0, 6.0];
    let v = dmatrix![0.3, -1.0, 0.7; 0.2, 0.4, -0.9];
    for i in 0..values(&a).len() {
        let along = hessian_vector(|a: &Matrix| entries(a).swap_remove(i), a.clone(), v.clone());
        let want = differences(|h| gradients(&(&a + &v * h))[i].as_slice().to_vec());
        let got = along.unwrap().1;
        assert_abs_diff_eq!(got, DMatrix::from_vec(2, 3, want), epsilon = 1e-8);
    }
}
#[test]
fn factors_multiply_to_the_matrix_at_any_scale() {
    for (m, n) in [(0, 2), (1, 4), (3, 5), (50, 60), (60, 61)] {
        let a = crate::matrix(m, n, 0) + DMatrix::identity(m, n) * 3.0;
        let a = Matrix::<Plain>::passive(a);
        let qr = a.qr();
        let (q, r) = (qr.q().eval(), qr.r().eval());
        assert_eq!((q.shape(), r.shape()), ((m, m), (m, n)));
        let (product, square) = ((&q * &r).eval(), q.tr_mul(&q).eval());
        let error = (product.get() - a.get()).amax();
        assert!(error < 1e-12, "{m}x{n}: {error:e}");
        let error = (square.get() - DMatrix::identity(m, m)).amax();
        assert!(error < 1e-12, "{m}x{n}: {error:e}");
    }
    let a = FixedMatrix::<2, 3, Plain>::passive(matrix![1.0, 2.0, 3.0; 4.0, 5.0, 6.0]);
    let qr = a.qr();
    let (q, r): (FixedMatrix<2, 2, Plain>, FixedMatrix<2, 3, Plain>) =
        (qr.q().eval(), qr.r().eval());
    assert_abs_diff_eq!((q * r).eval().get(), a.get(), epsilon = 1e-14);
}
#[test]
fn slopes_scale_with_the_matrix() {
    let a = dmatrix![1.0, 2.0, 3.0; 4.0, 5.0, 6.0];
    let (of_one, slopes) = (values(&a), gradients(&a));
    for scale in [1e-300, 1e-160, 1e160, 1e300] {
        let (scaled, scaled_slopes) = (values(&(&a * scale)), gradients(&(&a * scale)));
        for i in 0..of_one.len() {
            let (value, slope) = if i < 4 {
                (1.0, scale)
            } else {
                (1.0 / scale, 1.0)
            };
            assert_abs_diff_eq!(scaled[i] * value, of_one[i], epsilon = 1e-13);
            assert_abs_diff_eq!(&scaled_slopes[i] * slope, slopes[i], epsilon = 1e-13);
        }
    }
}
#[test]
fn a_dependent_square_block_has_no_slopes() {
    let a = dmatrix![1.0, 1.0, 2.0, 5.0; 1.0, 1.0, 3.0, 6.0; 1.0, 1.0, 4.0, -1.0];
    for gradient in gradients(&a) {
        assert!(gradient.iter().all(|x| x.is_nan()), "{gradient}");
    }
    let forward = Matrix::<Forward<1>>::with_tangents(a.clone(), [a.clone()]);
    assert!(entries(&forward).iter().all(|y| y.tangents()[0].is_nan()));
    let norm = |a: &Matrix| a.qr().r().norm_squared().eval();
    let (_, along) = hessian_vector(norm, a.clone(), a.clone()).unwrap();
    assert!(along.iter().all(|x| x.is_nan()));
    let orders = |a: &Matrix| {
        let first = [a.columns(2, 2).eval(), a.columns(0, 2).eval()];
        first[0].hstack(&first[1]).eval()
    };
    let mut tape = Tape::new();
    let b = tape.input(a.rows(0, 2).into_owned());
    let y = tape.record(|| orders(&b).qr().r().norm_squared().eval());
    let gradient = tape.gradient(&y).unwrap().wrt(&b).unwrap();
    assert_abs_diff_eq!(gradient, b.get() * 2.0, epsilon = 1e-12);
}

#[test]
fn a_square_block_whose_last_column_alone_is_dependent_has_slopes() {
    let a = dmatrix![1.0, 2.0, 3.0; 2.0, 4.0, 7.0];
    let mut tape = Tape::new();
    let x = tape.input(a.clone());
    let y = tape.record(|| {
        let qr = x.qr();
        (qr.q() * qr.r()).norm_squared().eval()
    });
    let gradient = tape.gradient(&y).unwrap().wrt(&x).unwrap();
    assert_abs_diff_eq!(gradient, a * 2.0, epsilon = 1e-12);
}
