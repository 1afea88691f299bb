//! QR of wide and of rank-deficient matrices: missing, or ill-conditioned. Reported for JAX (#23533), PyTorch (#42216,
//! #42792), TensorFlow (#39321) and Nx (#1810).
use crate::near;
use entape::prelude::*;
use nalgebra::{DMatrix, dmatrix};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Gram and Schmidt's method, with the signs of the diagonal of `like`.
fn factors(a: &DMatrix<f64>, like: &DMatrix<f64>) -> (DMatrix<f64>, DMatrix<f64>) {
    let k = a.nrows().min(a.ncols());
    let mut q = DMatrix::zeros(a.nrows(), k);
    for j in 0..k {
        let mut v = a.column(j).clone_owned();
        for _ in 0..2 {
            for i in 0..j {
                v -= q.column(i) * q.column(i).dot(&v);
            }
        }
        q.set_column(j, &(&v / v.norm() * like[(j, j)].signum()));
    }
    (q.clone(), q.transpose() * a)
}
fn each_entry(a: &DMatrix<f64>) {
    let mut tape = Tape::new();
    let x = tape.input(a.clone());
    let (q, r) = tape.record(|| {
        let qr = x.qr();
        (qr.q().eval(), qr.r().eval())
    });
    let (q_value, r_value) = (q.get().clone(), r.get().clone());
    near("Q R", (&q_value * &r_value).as_slice(), a.as_slice());
    let mut of = |entry: &Matrix,
                  value: fn((DMatrix<f64>, DMatrix<f64>)) -> DMatrix<f64>,
                  what: &str| {
        for i in 0..entry.get().nrows() {
            for j in 0..entry.get().ncols() {
                let y = tape.record(|| entry.at((i, j)).eval());
                let got = tape
                    .gradient(&y)
                    .and_then(|g| g.wrt(&x))
                    .expect("a gradient");
                for k in 0..a.len() {
                    let at = |h: f64| {
                        let mut a = a.clone();
                        a[k] += h;
                        value(factors(&a, &r_value))[(i, j)]
                    };
                    let h = 1e-3;
                    let want = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
                    assert!(
                        (got[k] - want).abs() < 1e-9,
                        "{what}{:?} by {k}: {} instead of {want}",
                        (i, j),
                        got[k]
                    );
                }
            }
        }
    };
    of(&q, |(q, _)| q, "Q");
    of(&r, |(_, r)| r, "R");
}

#[test]
fn factors_of_tall_and_square_matrices_have_gradients() {
    each_entry(&dmatrix![1.0, 2.0; 3.0, 4.0; 5.0, 7.0]);
    each_entry(&dmatrix![2.0, 1.0; 1.0, -3.0]);
}
#[test]
fn factors_of_wide_matrices_have_gradients() {
    each_entry(&dmatrix![1.0, 2.0, 3.0; 4.0, 5.0, 6.0]);
    each_entry(&dmatrix![2.0, -1.0, 0.5, 3.0]);
}
#[test]
fn dependent_columns_are_an_error_or_nan() {
    for a in [
        dmatrix![1.0, 2.0; 2.0, 4.0; 3.0, 6.0],
        dmatrix![1.0, 2.0, 0.0; 2.0, 4.0, 1.0; 3.0, 6.0, 5.0],
    ] {
        let gradient = catch_unwind(AssertUnwindSafe(|| {
            entape::gradient(|a: &Matrix| a.qr().q().eval().at((0, 1)).eval(), a.clone())
        }));
        // A panic names the reason.
        if let Ok(Ok(gradient)) = gradient {
            let told = gradient.iter().any(|x| !x.is_finite() || x.abs() > 1e10);
            assert!(told, "{gradient}");
        }
    }
}
