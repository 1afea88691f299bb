use crate::{C, all_nan, assert_close, gradient};
use entape_complex::ComplexOps;
use entape_core::{
    mode::{Plain, Taped},
    real::Elementary,
    tape::Tape,
};
use entape_linalg::{Number, prelude::*};
use nalgebra::{Complex, DMatrix, Matrix2, dmatrix};

fn exp<T: Number>(a: DMatrix<T>) -> DMatrix<T> {
    Elementary::exp(&Matrix::<Plain, T>::passive(a))
        .eval()
        .get()
        .clone()
}

#[test]
fn exponentials_that_overflow_are_not_finite() {
    for v in [1e3, 1e8, 1e15, 1e30, 1e50, 1e77, 1e100, 1e154, 1e200, 1e307] {
        let a = dmatrix![v, 0.5 * v; 0.3 * v, -v];
        assert!(
            exp(a.clone()).iter().all(|x: &f64| !f64::is_finite(*x)),
            "{v:e}"
        );
        let z = a.map(|x| C::new(x, 0.2 * x));
        assert!(
            exp(z)
                .iter()
                .all(|z| !f64::is_finite(z.re) || !f64::is_finite(z.im)),
            "{v:e}"
        );
        let (_, slope) = gradient(&a, |a: &Matrix| Elementary::exp(a).trace().eval());
        assert!(
            slope.iter().all(|x: &f64| !f64::is_finite(*x)),
            "{v:e}: {slope}"
        );
    }
    for v in [1e3_f32, 1e7, 1e15, 1e38] {
        let a = dmatrix![v, 0.5 * v; 0.3 * v, -v];
        assert!(
            exp(a.clone()).iter().all(|x: &f32| !f32::is_finite(*x)),
            "{v:e}"
        );
        assert!(
            exp(a.map(|x| Complex::new(x, 0.2 * x)))
                .iter()
                .all(|z| !f32::is_finite(z.re)),
            "{v:e}"
        );
    }
    let mut tape = Tape::new();
    let a = tape.input(Matrix2::new(1e60, 5e59, 3e59, -1e60));
    let y = tape.record(|| Elementary::exp(a).sum().eval());
    assert!(!f64::is_finite(y.value()));
    assert!(
        tape.gradient(&y)
            .unwrap()
            .wrt(&a)
            .unwrap()
            .iter()
            .all(|x: &f64| !f64::is_finite(*x))
    );
    for x in [f64::NAN, f64::INFINITY] {
        assert!(
            exp(dmatrix![x, 1.0; 0.0, 1.0])
                .iter()
                .all(|x| f64::is_nan(*x))
        );
    }
    assert_eq!(exp(dmatrix![-1e60]), dmatrix![0.0]);
}

#[test]
fn exponentials_that_underflow_are_zero() {
    for v in [1e4, 1e12, 1e50, 1e154, 1e300] {
        let a = dmatrix![-v, 0.5 * v; 0.3 * v, -v];
        assert_eq!(exp(a.clone()), DMatrix::zeros(2, 2), "{v:e}");
        assert_eq!(exp(a.map(C::from)), DMatrix::zeros(2, 2), "{v:e}");
        let (_, slope) = gradient(&a, |a: &Matrix| Elementary::exp(a).sum().eval());
        assert_eq!(slope, DMatrix::zeros(2, 2), "{v:e}");
    }
    assert_eq!(
        exp(dmatrix![-1e30_f32, 0.0; 0.0, -1e30]),
        DMatrix::zeros(2, 2)
    );
}

/// If `n * n = 0`, the exponential is `1 + n`, and the adjoint `r_b + (n' * r_b + r_b * n') / 2 + n' * r_b * n' / 6`.
#[test]
fn exponentials_of_nilpotent_matrices_are_exact() {
    for v in [1e-3, 1.0, 1e5, 1e9, 1e12, 1e14] {
        let n = dmatrix![0.0, v; 0.0, 0.0];
        assert_eq!(exp(n.clone()), &n + DMatrix::identity(2, 2), "{v:e}");
        let z = n.map(|x| C::new(x, -x));
        assert_close(&exp(z.clone()), &(z + DMatrix::identity(2, 2)), 1e-15);
        let (_, got) = gradient(&n, |a: &Matrix| Elementary::exp(a).sum().eval());
        let (seed, t) = (DMatrix::from_element(2, 2, 1.0), n.transpose());
        let want = &seed + (&t * &seed + &seed * &t) * 0.5 + &t * &seed * &t / 6.0;
        assert_close(&got, &want, 1e-10);
    }
    let n = dmatrix![0.0, 1e30; 0.0, 0.0];
    assert!(all_nan(&exp(n.clone())));
    assert!(all_nan(
        &gradient(&n, |a: &Matrix| Elementary::exp(a).sum().eval()).1
    ));
    // The powers of absolute values overflow. Rounding errors of n are multiplied by n twice.
    for v in [1.0_f64, 1e3, 1e5, 1e12, 1e15] {
        let n = dmatrix![v, -v; v, -v];
        let error = exp(n.clone()) - &n - DMatrix::identity(2, 2);
        assert!(
            error.norm() < 1e-13 * v.max(1.0).powi(3) || error.norm().is_nan(),
            "{v:e}"
        );
    }
}

#[test]
fn single_precision_agrees_with_double() {
    for v in [0.1_f32, 1.0, 10.0, 20.0] {
        let a = dmatrix![v, 0.5 * v; 0.3 * v, -v];
        let want = exp(a.map(f64::from));
        assert_close(&exp(a.clone()).map(f64::from), &want, 1e-4);
        let (_, got) = gradient(&a, |a: &Matrix<Taped, f32>| Elementary::exp(a).sum().eval());
        let (_, want) = gradient(&a.map(f64::from), |a: &Matrix| {
            Elementary::exp(a).sum().eval()
        });
        assert_close(&got.map(f64::from), &want, 1e-4);
    }
    let z = dmatrix![C::new(0.0, 40.0), C::from(0.0); C::from(0.0), C::new(0.0, -1.0)];
    let (_, got) = gradient(&z, |a: &ComplexMatrix| {
        Elementary::exp(a).trace().re().eval()
    });
    let want = dmatrix![C::new(0.0, 40.0).exp().conj(), C::from(0.0); C::from(0.0), C::new(0.0, -1.0).exp().conj()];
    assert!(
        (got[(0, 0)] - want[(0, 0)]).norm() < 1e-12 && (got[(1, 1)] - want[(1, 1)]).norm() < 1e-12
    );
}
