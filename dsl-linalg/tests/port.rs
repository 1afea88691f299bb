//! Programs for nalgebra and their differentiable versions.
use approx::assert_relative_eq;
use entape_core::{
    expr::{Active, constant},
    mode::{AnyMode, Plain, Reuse},
    real::Elementary,
    tape::Tape,
};
use entape_linalg::prelude::*;
use nalgebra::{DMatrix, DVector, Matrix3, Vector2, Vector3, dvector};

mod before {
    use super::*;

    pub(super) fn ridge(x: &DMatrix<f64>, y: &DVector<f64>, lambda: f64) -> Option<f64> {
        let n = x.ncols();
        let gram = x.tr_mul(x) + DMatrix::identity(n, n) * lambda;
        let chol = gram.cholesky()?;
        let w = chol.solve(&x.tr_mul(y));
        let residual = x * &w - y;
        let mut loss = residual.norm_squared() / y.len() as f64;
        loss += lambda * w.norm_squared();
        Some(loss)
    }

    pub(super) fn camera(
        turn: &Vector3<f64>,
        shift: &Vector3<f64>,
        points: &[Vector3<f64>],
        seen: &[Vector2<f64>],
    ) -> f64 {
        let angle = turn.norm();
        let k = turn.normalize().cross_matrix();
        let rotation = Matrix3::identity() + k * angle.sin() + k * k * (1.0 - angle.cos());
        let mut error = 0.0;
        for (point, seen) in points.iter().zip(seen) {
            let q = rotation * point + shift;
            error += (q[0] / q[2] - seen[0]).powi(2) + (q[1] / q[2] - seen[1]).powi(2);
        }
        error
    }
}

mod after {
    use super::*;

    pub(super) fn ridge<M: AnyMode>(
        x: &Matrix<M>,
        y: &Vector<M>,
        lambda: &Active<f64, M>,
    ) -> Option<Active<f64, M>> {
        let n = x.ncols();
        let gram = (x.tr_mul(x) + constant(DMatrix::<f64>::identity(n, n)) * lambda).eval();
        let chol = gram.cholesky().ok()?;
        let w = chol.solve(x.tr_mul(y)).eval();
        let residual = (x * &w - y).eval();
        let mut loss = (residual.norm_squared() / y.len() as f64).eval();
        loss += lambda * w.norm_squared();
        Some(loss)
    }

    pub(super) fn camera(
        turn: &FixedVector<3>,
        shift: &FixedVector<3>,
        points: &[Vector3<f64>],
        seen: &[Vector2<f64>],
    ) -> Active<f64> {
        let angle = turn.norm().eval();
        let k = turn.normalize().cross_matrix().eval();
        let rotation =
            (constant(Matrix3::<f64>::identity()) + k * angle.sin() + k * k * (1.0 - angle.cos()))
                .eval();
        let mut error = Active::passive(0.0);
        for (point, seen) in points.iter().zip(seen) {
            let q = (rotation * constant(*point) + shift).eval();
            error += (&q[0] / &q[2] - seen[0]).powi(2) + (&q[1] / &q[2] - seen[1]).powi(2);
        }
        error
    }
}

fn differences(x: &[f64], f: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    let h = 1e-5;
    let slope = |i: usize| {
        let at = |h: f64| {
            let mut x = x.to_vec();
            x[i] += h;
            f(&x)
        };
        (at(h) - at(-h)) / (2.0 * h)
    };
    (0..x.len()).map(slope).collect()
}
fn assert_close<'a>(got: impl IntoIterator<Item = &'a f64>, want: &[f64]) {
    let got: Vec<f64> = got.into_iter().copied().collect();
    assert_relative_eq!(got[..], *want, epsilon = 1e-8, max_relative = 1e-8);
}

#[test]
fn a_ridge_regression_agrees_with_nalgebra() {
    let x = DMatrix::from_fn(6, 3, |i, j| (1.0 + i as f64 * 0.7 + j as f64 * 1.3).sin());
    let y = dvector![1.0, -0.5, 0.3, 2.0, 0.8, -1.1];
    let lambda = 0.3;
    let want = before::ridge(&x, &y, lambda).unwrap();
    let plain = after::ridge::<Plain>(
        &Matrix::passive(x.clone()),
        &Vector::passive(y.clone()),
        &Active::passive(lambda),
    );
    assert!((plain.unwrap().value() - want).abs() < 1e-14);

    let mut tape = Tape::<Reuse>::default();
    let (a, b, l) = (
        tape.input(x.clone()),
        tape.input(y.clone()),
        tape.input(lambda),
    );
    let loss = tape.record(|| after::ridge(&a, &b, &l)).unwrap();
    assert!((loss.get() - want).abs() < 1e-14);
    let gradient = tape.gradient(&loss).unwrap();
    let of_x = differences(x.as_slice(), |x| {
        before::ridge(&DMatrix::from_column_slice(6, 3, x), &y, lambda).unwrap()
    });
    assert_close(gradient.wrt(&a).unwrap().iter(), &of_x);
    let of_y = differences(y.as_slice(), |y| {
        before::ridge(&x, &DVector::from_column_slice(y), lambda).unwrap()
    });
    assert_close(gradient.wrt(&b).unwrap().iter(), &of_y);
    let of_lambda = differences(&[lambda], |l| before::ridge(&x, &y, l[0]).unwrap());
    assert_close([&gradient.wrt(&l).unwrap()], &of_lambda);
    let zero = DMatrix::zeros(6, 3);
    assert!(before::ridge(&zero, &y, 0.0).is_none());
    let none = after::ridge::<Plain>(
        &Matrix::passive(zero),
        &Vector::passive(y),
        &Active::passive(0.0),
    );
    assert!(none.is_none());
}

#[test]
fn a_camera_agrees_with_nalgebra() {
    let (turn, shift) = (Vector3::new(0.3, -0.2, 0.5), Vector3::new(0.1, 0.2, 4.0));
    let points = [
        Vector3::new(1.0, 0.0, 0.3),
        Vector3::new(-0.5, 0.8, 0.0),
        Vector3::new(0.2, -0.7, 1.1),
    ];
    let seen = [
        Vector2::new(0.3, 0.1),
        Vector2::new(-0.2, 0.15),
        Vector2::new(0.1, -0.2),
    ];
    let want = before::camera(&turn, &shift, &points, &seen);
    let mut tape = Tape::new();
    let (t, s) = (tape.input(turn), tape.input(shift));
    let error = tape.record(|| after::camera(&t, &s, &points, &seen));
    assert!((error.value() - want).abs() < 1e-14 * want);
    let gradient = tape.gradient(&error).unwrap();
    let of_turn = differences(turn.as_slice(), |x| {
        before::camera(&Vector3::from_column_slice(x), &shift, &points, &seen)
    });
    assert_close(gradient.wrt(&t).unwrap().iter(), &of_turn);
    let of_shift = differences(shift.as_slice(), |x| {
        before::camera(&turn, &Vector3::from_column_slice(x), &points, &seen)
    });
    assert_close(gradient.wrt(&s).unwrap().iter(), &of_shift);
}
