//! Factors of matrices with dependent columns.
use crate::{C, all_nan, assert_close, cases, complex, gradient, real};
use approx::assert_relative_eq;
use entape_complex::ComplexOps;
use entape_core::{
    expr::{Active, constant},
    mode::{AnyMode, Plain},
};
use entape_linalg::{Number, prelude::*};
use nalgebra::{DMatrix, dmatrix};

fn dependent<T: Number<Part = f64>>(mut a: DMatrix<T>, k: usize) -> DMatrix<T> {
    let terms = (0..k).map(|j| a.column(j) * T::of(0.3 + 0.7 * j as f64));
    let sum = terms.fold(a.column(k) * T::of(0.0), |sum, x| sum + x);
    a.set_column(k, &sum);
    a
}
fn regular(m: usize, n: usize, seed: usize) -> DMatrix<f64> {
    real(m, n, seed) + DMatrix::identity(m, n) * 2.0
}
fn regular_complex(m: usize, n: usize, seed: usize) -> DMatrix<C> {
    complex(m, n, seed) + DMatrix::identity(m, n) * C::from(2.0)
}
/// Differences of fourth order.
fn differences<T: Number<Part = f64>>(a: &DMatrix<T>, f: impl Fn(DMatrix<T>) -> f64) -> DMatrix<T> {
    let slope = |i: usize, j: usize, direction: T| {
        let at = |t: f64| {
            let mut a = a.clone();
            a[(i, j)] += direction * T::of(t);
            f(a)
        };
        let h = 1e-3;
        (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h)
    };
    DMatrix::from_fn(a.nrows(), a.ncols(), |i, j| {
        T::of_parts(slope(i, j, T::of(1.0)), slope(i, j, T::of_parts(0.0, 1.0)))
    })
}
/// Independent of the sign of a vector.
fn form<M: AnyMode>(q: &Vector<M>) -> Active<f64, M> {
    let n = q.get().len();
    let w = DMatrix::from_fn(n, n, |i, j| ((i * 7 + j * 3 + 5) as f64 * 0.37).sin());
    q.quadratic_form(constant(w)).eval()
}
fn of_q<M: AnyMode>(a: &Matrix<M>, j: usize) -> Active<f64, M> {
    form(&a.qr().q().eval().column(j).eval())
}
fn of_complex_q<M: AnyMode>(a: &ComplexMatrix<M>, j: usize) -> Active<f64, M> {
    (a.qr().q().eval().at((1, j)).im() * 2.0).eval()
}
fn of_r<M: AnyMode>(a: &Matrix<M>, i: usize) -> Active<f64, M> {
    let r = a.qr().r().eval();
    (r.row(i).sum() * r.at((i, i))).eval()
}
fn of_l<M: AnyMode>(a: &Matrix<M>, j: usize) -> Active<f64, M> {
    let last = a.get().nrows() - 1;
    let l = a.lu().l().eval();
    (l.at((last, j)) * 2.0).eval()
}
fn of_u<M: AnyMode>(a: &Matrix<M>, i: usize) -> Active<f64, M> {
    let last = a.get().nrows() - 1;
    let u = a.lu().u().eval();
    (u.at((i, last)) * 2.0).eval()
}
#[track_caller]
fn assert_right_or_nan<T: Number<Part = f64> + std::fmt::Display>(
    got: &DMatrix<T>,
    exists: bool,
    want: impl FnOnce() -> DMatrix<T>,
) {
    if !exists {
        assert!(all_nan(got), "{got} of a function without gradient");
        return;
    }
    let want = want();
    let error = (got - &want).norm();
    assert!(
        error <= 1e-7 * want.norm().max(1.0),
        "{error:e}: {got} instead of {want}"
    );
}

#[test]
fn the_last_column_of_q_has_a_gradient_at_equal_rows() {
    let a = dmatrix![-1.71, 1.72; -1.71, 1.72];
    let (_, got) = gradient(&a, |a: &Matrix| of_q(a, 1));
    // The second column of q is (-a21, a11) / |a1|.
    let w = |k: f64| (k * 0.37).sin();
    let slope = |x: f64, y: f64| {
        let (length, xy, yx) = (x * x + y * y, w(8.0) + w(12.0), w(15.0));
        let value = (y * y * w(5.0) - x * y * xy + x * x * yx) / length;
        [
            (2.0 * x * yx - y * xy - 2.0 * x * value) / length,
            (2.0 * y * w(5.0) - x * xy - 2.0 * y * value) / length,
        ]
    };
    let [x, y] = slope(-1.71, -1.71);
    assert_close(&got, &dmatrix![x, 0.0; y, 0.0], 1e-13);
}

#[test]
fn gradients_of_orthogonal_factors_are_right_or_nan() {
    for (n, seed) in (2..6).flat_map(|n| cases(10).map(move |seed| (n, seed))) {
        for (m, k) in [n, n + 2]
            .into_iter()
            .flat_map(|m| (0..n).map(move |k| (m, k)))
        {
            let a = dependent(regular(m, n, seed), k);
            let across = m == n && k == n - 1;
            for j in 0..n {
                let (_, got) = gradient(&a, |a: &Matrix| of_q(a, j));
                assert_right_or_nan(&got, across, || {
                    differences(&a, |a| of_q(&Matrix::<Plain>::passive(a), j).value())
                });
                let (_, got) = gradient(&a, |a: &Matrix| of_r(a, j));
                assert_right_or_nan(&got, across, || {
                    differences(&a, |a| of_r(&Matrix::<Plain>::passive(a), j).value())
                });
            }
            let a = dependent(regular_complex(m, n, seed), k);
            for j in 0..n {
                let (_, got) = gradient(&a, |a: &ComplexMatrix| of_complex_q(a, j));
                assert_right_or_nan(&got, false, || {
                    differences(&a, |a| {
                        of_complex_q(&ComplexMatrix::<Plain>::passive(a), j).value()
                    })
                });
            }
        }
    }
}

#[test]
fn products_of_factors_at_zero_have_nan_gradients() {
    let a = DMatrix::<f64>::zeros(2, 2);
    let (_, got) = gradient(&a, |a: &Matrix| {
        let qr = a.qr();
        (qr.q() * qr.r()).eval().at((1, 0)).eval()
    });
    assert!(all_nan(&got), "{got}");
    let (_, got) = gradient(&a, |a: &Matrix| {
        let lu = a.lu();
        (lu.l() * lu.u()).eval().at((1, 0)).eval()
    });
    assert!(all_nan(&got), "{got}");
    let a = dependent(regular(3, 3, 1), 2);
    for by_lu in [false, true] {
        let (_, got) = gradient(&a, |a: &Matrix| {
            let (lu, qr) = (a.lu(), a.qr());
            let a = if by_lu {
                (lu.l() * lu.u()).eval()
            } else {
                (qr.q() * qr.r()).eval()
            };
            a.norm_squared().eval()
        });
        assert_close(&got, &(&a * 2.0), 1e-13);
    }
}

#[test]
fn gradients_of_blocked_kernels_are_right_or_nan() {
    let n = 60;
    for k in [0, 40, n - 1] {
        let a = dependent(regular(n, n, 0), k);
        for j in [10, n - 1] {
            let (_, got) = gradient(&a, |a: &Matrix| of_q(a, j));
            assert_eq!(all_nan(&got), k < n - 1);
            if k == n - 1 {
                let d = regular(n, n, 3) * 1e-4;
                let at = |t: f64| of_q(&Matrix::<Plain>::passive(&a + &d * t), j).value();
                let want = (at(1.0) - at(-1.0)) / 2.0;
                let got = got.dot(&d);
                assert_relative_eq!(got, want, epsilon = 0.0, max_relative = 1e-4);
            }
        }
        let (_, got) = gradient(&a, |a: &Matrix| of_u(a, 10));
        assert_eq!(all_nan(&got), k < n - 1);
    }
}

#[test]
fn gradients_of_triangular_factors_are_right_or_nan() {
    for (n, seed) in (2..6).flat_map(|n| cases(10).map(move |seed| (n, seed))) {
        for k in 0..n {
            let a = dependent(regular(n, n, seed), k);
            let last = k == n - 1;
            for j in 0..n {
                if j < n - 1 {
                    let (_, got) = gradient(&a, |a: &Matrix| of_l(a, j));
                    assert_right_or_nan(&got, last, || {
                        differences(&a, |a| of_l(&Matrix::<Plain>::passive(a), j).value())
                    });
                }
                let (_, got) = gradient(&a, |a: &Matrix| of_u(a, j));
                assert_right_or_nan(&got, last, || {
                    differences(&a, |a| of_u(&Matrix::<Plain>::passive(a), j).value())
                });
            }
        }
    }
}
