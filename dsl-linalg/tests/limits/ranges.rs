use crate::{C, assert_close, complex, gradient, real};
use approx::{assert_abs_diff_eq, assert_relative_eq};
use entape_complex::ComplexOps;
use entape_core::{
    expr::{Active, constant},
    mode::{Plain, Taped},
    op as core_op,
    real::Elementary,
    tape::Tape,
};
use entape_linalg::prelude::*;
use nalgebra::{Complex, DMatrix, DVector, Dyn};

const SCALES: [f64; 8] = [1e-305, 1e-200, 1e-160, 1e-155, 1e100, 1e160, 1e200, 1e300];
const SINGLE: [f32; 7] = [1e-36, 1e-30, 1e-25, 1e-20, 1e19, 1e25, 1e36];

#[track_caller]
fn assert_ratio(got: f64, want: f64, within: f64) {
    assert_relative_eq!(got, want, epsilon = 0.0, max_relative = within);
}

#[test]
fn spectra_scale_with_the_matrix() {
    let norm = |a: &ComplexMatrix| a.spectral_norm().eval();
    let nuclear = |a: &ComplexMatrix| a.svd().singular_values.sum().eval();
    let largest = |a: &ComplexMatrix| a.symmetric_eigen().eigenvalues.at(2).eval();
    let vectors = |a: &ComplexMatrix| {
        let (s, e) = (a.svd(), a.symmetric_eigen());
        (s.u.at((1, 0)).re() + s.v_t.at((2, 1)).im() + e.eigenvectors.at((0, 1)).im()).eval()
    };
    let a = complex(3, 3, 0) + DMatrix::identity(3, 3) * C::from(2.0);
    for scale in SCALES {
        let large = a.map(|z| z * scale);
        for f in [norm, nuclear, largest] {
            let ((want, want_b), (got, got_b)) = (gradient(&a, f), gradient(&large, f));
            assert_ratio(got / scale, want, 1e-13);
            assert_close(&got_b, &want_b, 1e-12);
        }
        if scale > 1e-300 {
            let ((want, want_b), (got, got_b)) = (gradient(&a, vectors), gradient(&large, vectors));
            assert_ratio(got, want, 1e-12);
            assert_close(&got_b.map(|z| z * scale), &want_b, 1e-12);
        }
    }
    let a = real(3, 2, 0);
    let single = a.map(|x| x as f32);
    for scale in SINGLE {
        let sum = |a: &Matrix<Taped, f32>| (a.singular_values().sum() + a.spectral_norm()).eval();
        let (got, got_b) = gradient(&single.map(|x| x * scale), sum);
        let sum = |a: &Matrix| (a.singular_values().sum() + a.spectral_norm()).eval();
        let (want, want_b) = gradient(&a, sum);
        assert_ratio(f64::from(got) / f64::from(scale), want, 1e-5);
        assert_close(&got_b.map(f64::from), &want_b, 1e-5);
    }
}

#[test]
fn pseudo_inverses_scale_with_the_matrix() {
    let a = complex(3, 2, 0);
    let sum = |a: &ComplexMatrix| a.pseudo_inverse(0.0).sum().re().eval();
    let (want, want_b) = gradient(&a, sum);
    for scale in [1e-150, 1e-140, 1e140, 1e150] {
        let (got, got_b) = gradient(&a.map(|z| z * scale), sum);
        assert_ratio(got * scale, want, 1e-12);
        assert_close(&got_b.map(|z| z * scale * scale), &want_b, 1e-12);
    }
}

#[test]
fn logarithms_of_determinants_and_solves_scale_with_the_matrix() {
    let a = complex(4, 4, 0) + DMatrix::identity(4, 4) * C::from(2.0);
    let ln = |a: &ComplexMatrix| a.ln_abs_det();
    let (want, want_b) = gradient(&a, ln);
    let b = DVector::from_fn(4, |i, _| C::new(1.0, i as f64));
    let [x, y] = [a.clone().lu().solve(&b), a.clone().qr().solve(&b)].map(Option::unwrap);
    assert_abs_diff_eq!(x, y, epsilon = 2e-14);
    for scale in SCALES {
        let large = a.map(|z| z * scale);
        let (got, got_b) = gradient(&large, ln);
        assert_abs_diff_eq!(got, want + 4.0 * scale.ln(), epsilon = 1e-12);
        assert_close(&got_b.map(|z| z * scale), &want_b, 1e-12);
        let large = ComplexMatrix::<Plain>::passive(large);
        let right = ComplexVector::<Plain>::passive(b.map(|z| z * scale));
        let by_lu = large.lu().solve(&right).unwrap().eval();
        let by_qr = large.qr().solve(&right).unwrap().eval();
        assert_abs_diff_eq!(by_lu, x, epsilon = 2e-14);
        assert_abs_diff_eq!(by_qr, x, epsilon = 2e-14);
    }
}

#[test]
fn factors_scale_with_the_matrix() {
    let a = complex(4, 3, 0);
    let r = |a: &ComplexMatrix| a.qr().r().sum().re().eval();
    let q = |a: &ComplexMatrix| a.qr().q().eval().at((1, 2)).im().eval();
    let ((r_value, r_b), (_, q_b)) = (gradient(&a, r), gradient(&a, q));
    for scale in [1e-200, 1e-160, 1e160, 1e200] {
        let large = a.map(|z| z * scale);
        let ((got, got_b), (_, got_q_b)) = (gradient(&large, r), gradient(&large, q));
        assert_ratio(got / scale, r_value, 1e-12);
        assert_close(&got_b, &r_b, 1e-12);
        assert_close(&got_q_b.map(|z| z * scale), &q_b, 1e-12);
    }
}

#[test]
fn quotients_by_numbers_of_any_size_have_their_slopes() {
    let (a, z) = (complex(2, 2, 0), C::new(0.6, 0.8));
    let slope = |scale: f64| {
        let mut tape = Tape::new();
        let (m, z, x) = (
            tape.input(a.map(|a| a * scale)),
            tape.input(z * scale),
            tape.input(scale),
        );
        let y =
            tape.record(|| ((&m / z).sum().re() + (m.re() / x).sum() + (&m / x).sum().im()).eval());
        let gradient = tape.gradient(&y).unwrap();
        (
            gradient.wrt(&z).unwrap() * scale,
            gradient.wrt(&x).unwrap() * scale,
        )
    };
    let want = slope(1.0);
    for scale in [1e-150, 1e-100, 1e-80, 1e80, 1e100, 1e150] {
        let got = slope(scale);
        assert!(
            (got.0 - want.0).norm() < 1e-13 * want.0.norm(),
            "{scale:e}: {}",
            got.0
        );
        assert_ratio(got.1, want.1, 1e-13);
    }
    let mut tape = Tape::new();
    for scale in [1e-300, 1e-160, 1e160, 1e300] {
        let (m, x) = (
            tape.input(DMatrix::from_element(2, 2, scale)),
            tape.input(scale),
        );
        let y = tape.record(|| (&m / x).sum().eval());
        assert_ratio(
            tape.gradient(&y).unwrap().wrt(&x).unwrap() * scale,
            -4.0,
            1e-14,
        );
    }
    for scale in [1e-36_f32, 1e-12, 1e12, 1e36] {
        let (m, x) = (
            tape.input_as::<Dense<f32, Dyn, Dyn>>(DMatrix::from_element(2, 2, scale)),
            tape.input_as::<f32>(scale),
        );
        let y = tape.record(|| (&m / x).sum().eval());
        let got = tape.gradient(&y).unwrap().wrt(&x).unwrap() * scale;
        assert_ratio(f64::from(got), -4.0, 1e-6);
    }
}

#[test]
fn slopes_of_exponentials_scale_with_the_seed() {
    let a = DMatrix::from_fn(3, 3, |i, j| {
        Complex::new(
            (i * 3 + j) as f32 * 0.1 - 0.3,
            (i + 2 * j) as f32 * 0.07 - 0.2,
        )
    });
    let mut tape = Tape::new();
    let x = tape.input_as::<Dense<Complex<f32>, Dyn, Dyn>>(a.clone());
    let y = tape.record(|| Elementary::exp(&x).sum().eval());
    let mut of = |seed: f32| {
        tape.seed(&y, Complex::from(seed)).unwrap();
        let slope = tape.sweep().unwrap().wrt(&x).unwrap();
        slope.map(|z| C::new(f64::from(z.re), f64::from(z.im)) / f64::from(seed))
    };
    let want = of(1.0);
    for seed in [1e-30, 1e-10, 1e3, 1e6, 1e20, 1e36] {
        assert_close(&of(seed), &want, 1e-6);
    }
    let (_, g) = gradient(&DMatrix::zeros(2, 2), |a: &Matrix| {
        (Elementary::exp(a) * 1e200).trace().eval()
    });
    assert_close(&(g * 1e-200), &DMatrix::identity(2, 2), 1e-14);
}

#[test]
fn large_exponents_have_their_slopes() {
    for power in [4, 5, 7, 11, 16, -5, -7] {
        let a = complex(3, 3, 0) + DMatrix::identity(3, 3) * C::from(3.0);
        entape_check::assert_rule(&core_op::Powi { n: power }, (a * C::from(0.25),));
    }
    let i = DMatrix::identity(2, 2) * C::new(0.0, 1.0);
    for (n, slope) in [
        (1_000_000, C::new(0.0, 1e6)),
        (-50_000_000, C::new(0.0, -5e7)),
        (i32::MIN, C::new(0.0, i32::MIN.into())),
    ] {
        let (value, g) = gradient(&i, |a: &ComplexMatrix| a.powi(n).sum().re().eval());
        assert_eq!(value, 2.0);
        // n * i^(n - 1) = -i * n, conjugated
        assert_close(&g, &DMatrix::from_element(2, 2, slope), 1e-13);
    }
}

#[test]
fn dependent_columns_are_an_error_of_least_squares() {
    for k in 0..50 {
        let (c, f) = (complex(4, 1, k), complex(1, 2, k + 7));
        let two = DMatrix::from_columns(&[c.column(0).into_owned(), c.column(0) * f[0]]);
        let e = complex(4, 1, 2 * k + 3);
        let third = c.column(0) * f[0] + e.column(0) * f[1];
        let three =
            DMatrix::from_columns(&[c.column(0).into_owned(), e.column(0).into_owned(), third]);
        for a in [&two, &three] {
            for scale in [1e-250, 1.0, 1e250] {
                let mut a = a.map(|z| z * scale);
                a.column_mut(1).iter_mut().for_each(|z| *z *= 1e-40);
                let b = ComplexVector::<Plain>::passive(complex(4, 1, 1).column(0).into_owned());
                let real = Matrix::<Plain>::passive(DMatrix::from_columns(&[
                    a.map(|z| z.re).column(0),
                    a.map(|z| 3.0 * z.re).column(0),
                ]));
                let a = ComplexMatrix::<Plain>::passive(a);
                assert!(matches!(a.qr().solve(&b), Err(Singular)), "{:?}", a.get());
                assert!(matches!(real.qr().solve(b.re()), Err(Singular)));
            }
        }
    }
    let n = 12;
    for grade in [1e-12, 1e-3, 1e3, 1e12] {
        let mut a = real(n + 3, n, 0) + DMatrix::identity(n + 3, n) * 3.0;
        a.column_iter_mut()
            .enumerate()
            .for_each(|(j, mut a)| a *= f64::powi(grade, j as i32));
        let want = DVector::from_fn(n, |j, _| f64::powi(grade, -(j as i32)));
        let a = Matrix::<Plain>::passive(a);
        let b = (&a * constant(want.clone())).eval();
        let x = a.qr().solve(&b).unwrap().eval();
        let worst = x.get().component_div(&want).add_scalar(-1.0).amax();
        assert!(worst < 1e-6, "{grade:e}: {worst:e}");
    }
    let vandermonde = Matrix::<Plain>::passive(DMatrix::from_fn(20, 8, |i, j| {
        f64::powi(i as f64 / 20.0, j as i32)
    }));
    assert!(
        vandermonde
            .qr()
            .solve(constant(DVector::from_element(20, 1.0)))
            .is_ok()
    );
    let nan: Matrix<Plain> = Active::passive(DMatrix::from_element(2, 2, f64::NAN));
    let x = nan
        .qr()
        .solve(constant(DVector::from_element(2, 1.0)))
        .unwrap()
        .eval();
    assert!(x.get()[0].is_nan());
}
