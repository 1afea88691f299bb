use crate::{C, complex, gradient, real};
use approx::{assert_abs_diff_eq, relative_eq};
use entape_complex::ComplexOps;
use entape_core::{expr::Active, mode::Taped};
use entape_linalg::{Number, prelude::*};
use nalgebra::{ComplexField, DMatrix};

#[track_caller]
fn assert_of_degree_one<T: Number<Part = f64>>(
    a: &DMatrix<T>,
    f: impl Fn(&Matrix<Taped, T>) -> Active<f64, Taped>,
) {
    let (want, want_b) = gradient(a, &f);
    for scale in [
        1e-300, 1e-200, 1e-160, 1e-150, 1e-100, 1e-30, 1e30, 1e100, 1e150, 1e155, 1e200, 1e300,
    ] {
        let (got, got_b) = gradient(&a.map(|x| x.scale(scale)), &f);
        assert!(
            relative_eq!(got / scale, want, epsilon = 0.0, max_relative = 1e-12),
            "{scale:e}: {got:e} instead of {want:e}"
        );
        let error = (&got_b - &want_b).norm();
        assert!(error <= 1e-12 * want_b.norm(), "{scale:e}: {error:e}");
    }
}

#[test]
fn gradients_of_norms_do_not_depend_on_the_scale() {
    let (x, z) = (real(3, 2, 0), complex(2, 3, 1));
    assert_of_degree_one(&x, |a: &Matrix| a.norm().eval());
    assert_of_degree_one(&z, |a: &ComplexMatrix| a.norm().eval());
    assert_of_degree_one(&x, |a: &Matrix| a.norm_l1().eval());
    assert_of_degree_one(&z, |a: &ComplexMatrix| a.norm_l1().eval());
    for p in [1, 2, 3, 7, 40, 1000] {
        assert_of_degree_one(&x, |a: &Matrix| a.lp_norm(p).eval());
        assert_of_degree_one(&z, |a: &ComplexMatrix| a.lp_norm(p).eval());
    }
}

#[test]
fn norms_of_single_precision_agree_with_double() {
    let a = real(3, 2, 0);
    let single = a.map(|x| x as f32);
    for p in [0, 2, 3, 20] {
        let f = |a: &Matrix<Taped, f32>| {
            if p == 0 {
                a.norm().eval()
            } else {
                a.lp_norm(p).eval()
            }
        };
        let (_, want) = gradient(&single, f);
        for scale in [1e-36_f32, 1e-30, 1e-20, 1e20, 1e30, 1e36] {
            let (got, got_b) = gradient(&single.map(|x| x * scale), f);
            let norm = if p == 0 { a.norm() } else { a.lp_norm(p) };
            let unscaled = f64::from(got) / f64::from(scale);
            assert!(
                relative_eq!(unscaled, norm, epsilon = 0.0, max_relative = 1e-5),
                "{p}, {scale:e}"
            );
            assert!(
                (got_b - &want).norm() < 1e-5 * want.norm(),
                "{p}, {scale:e}"
            );
        }
    }
}

#[test]
fn norms_are_right_at_the_ends_of_the_range() {
    let tiny = f64::from_bits(4);
    let a = DMatrix::from_column_slice(2, 1, &[tiny * 3.0, tiny * 4.0]);
    for p in [0, 2] {
        let f = |a: &Matrix| {
            if p == 0 {
                a.norm().eval()
            } else {
                a.lp_norm(2).eval()
            }
        };
        let (value, slope) = gradient(&a, f);
        assert_eq!(value, tiny * 5.0);
        let want = DMatrix::from_column_slice(2, 1, &[0.6, 0.8]);
        assert_abs_diff_eq!(slope, want, epsilon = 5e-16);
    }
    let a = DMatrix::from_column_slice(2, 1, &[3e300, 4e300]);
    let (_, slope) = gradient(&a, |a: &Matrix| (a.norm() * 1e-20).eval());
    let want = DMatrix::from_column_slice(2, 1, &[0.6, 0.8]);
    assert_abs_diff_eq!(slope * 1e20, want, epsilon = 5e-16);
    let infinite = DMatrix::from_column_slice(2, 1, &[f64::INFINITY, 1.0]);
    for p in [0, 1, 3] {
        let f = |a: &Matrix| {
            if p == 0 {
                a.norm().eval()
            } else {
                a.lp_norm(p).eval()
            }
        };
        assert_eq!(gradient(&infinite, f).0, f64::INFINITY);
    }
}

#[test]
fn directions_do_not_depend_on_the_scale() {
    let a = complex(2, 2, 0);
    let f = |a: &ComplexMatrix| a.normalize().eval().at((1, 0)).im().eval();
    let (want, want_b) = gradient(&a, f);
    for scale in [1e-200, 1e-160, 1e160, 1e200] {
        let (got, got_b) = gradient(&a.map(|z| z * scale), f);
        assert_abs_diff_eq!(got, want, epsilon = 1e-14);
        let error = (got_b.map(|z: C| z * scale) - &want_b).norm();
        assert!(error < 1e-13, "{scale:e}: {error:e}");
        assert!(ComplexField::is_finite(&got));
    }
}
