use crate::*;
use approx::assert_relative_eq;
use entape_complex::ComplexOps;
use entape_core::{expr::constant, op, real::Elementary};
use entape_linalg::prelude::*;
use nalgebra::dmatrix;

#[test]
fn the_logarithm_at_the_identity_has_the_slope_of_its_argument() {
    for n in 1..5 {
        let (_, g) = gradient(&DMatrix::identity(n, n), |a: &Matrix| {
            a.symmetric_ln().unwrap().sum().eval()
        });
        let want = DMatrix::from_fn(n, n, |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Less => 0.0,
            std::cmp::Ordering::Equal => 1.0,
            std::cmp::Ordering::Greater => 2.0,
        });
        assert_eq!(g, want);
    }
}
#[test]
fn traces_have_the_derivative_as_gradient() {
    for n in [1, 2, 3, 5, 30] {
        for d in spectra(n) {
            let a = of_values(&unitary(n, n, 0), &d);
            let inverse = a.clone().try_inverse().unwrap();
            let (value, g) = gradient(&a, |a: &ComplexMatrix| {
                a.symmetric_ln().unwrap().trace().re().eval()
            });
            assert_close(&g, &lower(&inverse), 1e-12);
            let (want, of_cholesky) = gradient(&a, |a: &ComplexMatrix| {
                a.cholesky().unwrap().ln_determinant().eval()
            });
            let within = 1e-13 * n as f64;
            assert_relative_eq!(value, want, epsilon = within, max_relative = within);
            assert_close(&g, &of_cholesky, 1e-12);
            let (_, g) = gradient(&a, |a: &ComplexMatrix| {
                a.symmetric_powf(3.0).unwrap().trace().re().eval()
            });
            assert_close(&g, &lower(&(&a * &a * C::from(3.0))), 1e-12);
            let (_, g) = gradient(&a, |a: &ComplexMatrix| {
                a.symmetric_exp().trace().re().eval()
            });
            assert_close(&g, &lower(&a.exp()), 1e-12);
        }
    }
}
#[test]
fn inverse_functions_have_the_gradient_of_the_identity() {
    for n in [1, 2, 3, 5, 30] {
        let b = complex(n, n, 1);
        for d in spectra(n) {
            let a = of_values(&unitary(n, n, 0), &d);
            let want = lower(&b);
            let with = |f: fn(&ComplexMatrix) -> ComplexMatrix| {
                let (_, g) = gradient(&a, |a: &ComplexMatrix| {
                    let r = f(a);
                    assert!((r.get() - a.get()).norm() <= 1e-12 * a.get().norm());
                    constant(b.clone()).dotc(&r).re().eval()
                });
                assert_close(&g, &want, 1e-12);
            };
            with(|a| a.symmetric_ln().unwrap().symmetric_exp());
            with(|a| {
                let root = a.symmetric_sqrt().unwrap();
                (&root * &root).eval()
            });
            with(|a| {
                let root = a.symmetric_powf(1.0 / 3.0).unwrap();
                (&root * &root * &root).eval()
            });
            with(|a| {
                let inverse = a.symmetric_powf(-1.0).unwrap();
                inverse.try_inverse().unwrap()
            });
            with(|a| a.symmetric_function(op::Ln1p).symmetric_function(op::ExpM1));
        }
    }
}
#[test]
fn the_trace_of_a_power_has_the_gradient_trace_of_power_times_logarithm() {
    let d = [0.5, 2.0, 2.0, 3.0];
    let a = of_values(&orthogonal(4, 4, 0), &d);
    let mut tape = Tape::new();
    let (a, p) = (tape.input(a), tape.input(1.3));
    let y = tape.record(|| a.symmetric_powf(p).unwrap().trace().eval());
    let want: f64 = d.iter().map(|d: &f64| d.powf(1.3) * d.ln()).sum();
    let got = tape.gradient(&y).unwrap().wrt(&p).unwrap();
    assert_relative_eq!(got, want, epsilon = 0.0, max_relative = 1e-13);
}
#[test]
fn symmetric_and_general_exponentials_agree() {
    for d in spectra(3) {
        let (a, b) = (of_values(&orthogonal(3, 3, 0), &d), real(3, 3, 1));
        let (value, g) = gradient(&a, |a: &Matrix| {
            constant(b.clone()).dot(&a.symmetric_exp()).eval()
        });
        let (want, any) = gradient(&a, |a: &Matrix| {
            constant(b.clone()).dot(Elementary::exp(a)).eval()
        });
        assert_relative_eq!(value, want, epsilon = 0.0, max_relative = 1e-12);
        assert_close(&g, &lower(&any), 1e-12);
    }
}
#[test]
fn only_the_lower_triangle_is_read_and_results_are_symmetric() {
    let a = of_values(&unitary(3, 3, 0), &[0.5, 1.0, 2.0]);
    let mut other = a.clone();
    (other[(0, 1)], other[(0, 2)], other[(1, 2)]) = (C::from(7.0), C::from(f64::NAN), C::from(5.0));
    other[(1, 1)].im = 3.0;
    let mut tape = Tape::new();
    let (a, other) = (tape.input(a), tape.input(other));
    tape.record(|| {
        let [a, other] = [a, other].map(|a| a.symmetric_ln().unwrap());
        assert_eq!(a.get(), other.get());
        assert_eq!(a.get(), &a.get().adjoint());
    });
}
#[test]
fn diagonal_matrices_keep_small_eigenvalues() {
    let mut tape = Tape::new();
    let a = tape.input(dmatrix![1e-30, 0.0; 0.0, 1.0]);
    let y = tape.record(|| a.symmetric_ln().unwrap().sum().eval());
    assert_eq!(y.value(), 1e-30_f64.ln());
    let g = tape.gradient(&y).unwrap().wrt(&a).unwrap();
    let want = dmatrix![1e30, 0.0; -2.0 * 1e-30_f64.ln(), 1.0];
    assert!(
        (g - &want)
            .component_div(&want.map(|x| if x == 0.0 { 1.0 } else { x }))
            .amax()
            < 1e-14
    );
}
