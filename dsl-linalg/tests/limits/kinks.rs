//! Norms at the origin, at zero elements, and where they overflow. Second derivatives are right or NaN, never 0.
#![allow(
    clippy::type_complexity,
    clippy::op_ref,
    clippy::modulo_one,
    clippy::approx_constant
)] // references are what variables of all modes need
use crate::{C, gradient};
use approx::assert_abs_diff_eq;
use entape_core::{
    expr::Active,
    mode::{AnyMode, Forward, Taped},
    real::Elementary,
};
use entape_drivers::{gradient as driver_gradient, hessian, hessian_vector};
use entape_linalg::prelude::*;
use nalgebra::{DMatrix, DVector, SVector, dmatrix, dvector, matrix, vector};

type Real<M = Taped> = Active<f64, M>;

fn smooth<M: AnyMode>(k: usize, n: &Real<M>) -> Real<M> {
    match k {
        0 => (0.5 * n * n).eval(),
        1 => (-(n * n)).exp().eval(),
        2 => (1.0 + n * n).powf(-0.5).eval(),
        _ => n.cos().eval(),
    }
}
const SECOND: [f64; 4] = [1.0, -2.0, -1.0, -1.0];

/// The Hessian by eight directions at once, and by single ones.
macro_rules! hessians { ($($name:ident $T:ty, $size:expr;)*) => { $(
    pub(crate) fn $name(
        a: &DMatrix<$T>,
        f: impl Fn(&Matrix<Taped, $T>) -> Real,
    ) -> DMatrix<f64> {
        let of = |a: &Matrix<Taped, $T>| f(a);
        let h = hessian(of, a.clone()).unwrap();
        let n = a.len() * $size;
        let h = DMatrix::from_fn(n, n, |i, j| h.row(i)[j]);
        for k in 0..n {
            let mut unit = DMatrix::<$T>::zeros(a.nrows(), a.ncols());
            unit[k / $size] = <$T>::unit(k % $size);
            let of = |a: &Matrix<Taped, $T>| f(a);
            let along = hessian_vector(of, a.clone(), unit).unwrap().1;
            let along: Vec<f64> = along.iter().flat_map(|x| x.parts()).collect();
            for i in 0..n {
                let (one, eight) = (along[i], h[(i, k)]);
                let near = (one - eight).abs() <= 1e-13 * one.abs().max(1.0);
                assert!(near || (one.is_nan() && eight.is_nan()), "{one} and {eight}");
            }
        }
        h
    }
)* } }
hessians! {
    second f64, 1;
    second_complex C, 2;
}
trait Parts: Sized {
    fn unit(part: usize) -> Self;
    fn parts(self) -> Vec<f64>;
}
impl Parts for f64 {
    fn unit(_: usize) -> f64 {
        1.0
    }
    fn parts(self) -> Vec<f64> {
        vec![self]
    }
}
impl Parts for C {
    fn unit(part: usize) -> C {
        [C::new(1.0, 0.0), C::new(0.0, 1.0)][part]
    }
    fn parts(self) -> Vec<f64> {
        vec![self.re, self.im]
    }
}
impl Parts for &f64 {
    fn unit(_: usize) -> Self {
        &1.0
    }
    fn parts(self) -> Vec<f64> {
        (*self).parts()
    }
}
impl Parts for &C {
    fn unit(_: usize) -> Self {
        &C { re: 1.0, im: 0.0 }
    }
    fn parts(self) -> Vec<f64> {
        (*self).parts()
    }
}
#[track_caller]
fn assert_multiple(h: &DMatrix<f64>, by: f64) {
    let want = DMatrix::identity(h.nrows(), h.ncols()) * by;
    assert_abs_diff_eq!(h, &want, epsilon = 1e-14);
}

#[test]
fn smooth_functions_of_a_norm_have_their_hessian_at_the_origin() {
    for (k, want) in SECOND.into_iter().enumerate() {
        for (m, n) in [(2, 1), (1, 1), (2, 3), (3, 4)] {
            let zero = DMatrix::zeros(m, n);
            let norms: [fn(&Matrix) -> Real; 3] = [
                |a| a.norm().eval(),
                |a| a.lp_norm(2).eval(),
                |a| a.abs().norm().eval(),
            ];
            for norm in norms {
                assert_multiple(&second(&zero, |a| smooth(k, &norm(a))), want);
            }
            let zero = DMatrix::zeros(m, n);
            let norms: [fn(&ComplexMatrix) -> Real; 3] = [
                |a| a.norm().eval(),
                |a| a.lp_norm(2).eval(),
                |a| a.abs().norm().eval(),
            ];
            for norm in norms {
                assert_multiple(&second_complex(&zero, |a| smooth(k, &norm(a))), want);
            }
        }
        for (m, n) in [(1, 1), (3, 1), (1, 4)] {
            let norm = |a: &Matrix| a.spectral_norm().eval();
            assert_multiple(
                &second(&DMatrix::zeros(m, n), |a| smooth(k, &norm(a))),
                want,
            );
            let norm = |a: &ComplexMatrix| a.spectral_norm().eval();
            assert_multiple(
                &second_complex(&DMatrix::zeros(m, n), |a| smooth(k, &norm(a))),
                want,
            );
        }
        let f = |v: &Vector| smooth(k, &v.norm().eval());
        let h = hessian(f, dvector![0.0, 0.0]).unwrap();
        assert_eq!(h.as_slice(), [want, 0.0, 0.0, want]);
        let f = |v: FixedVector<2>| smooth(k, &v.norm().eval());
        let h = hessian(f, vector![0.0, 0.0]).unwrap();
        assert_eq!(h.as_slice(), [want, 0.0, 0.0, want]);
        let f = |v: FixedMatrix<1, 2>| smooth(k, &v.norm().eval());
        let (first, along) = hessian_vector(f, matrix![0.0, 0.0], matrix![3.0, 4.0]).unwrap();
        assert_eq!(first, matrix![0.0, 0.0]);
        assert_abs_diff_eq!(along, matrix![3.0, 4.0] * want, epsilon = 1e-14);
        let f = |v: FixedVector<2>| smooth(k, &v.norm().eval());
        assert_eq!(
            driver_gradient(f, vector![0.0, 0.0]).unwrap(),
            SVector::<f64, 2>::zeros()
        );
    }
}
#[test]
fn norms_of_vanishing_expressions_have_their_hessian_at_the_origin() {
    let b = dmatrix![1.0, 2.0; -0.5, 3.0];
    let x = dmatrix![0.7; -1.2];
    let c = &b * &x;
    let f = |x: &Matrix| {
        let b = Matrix::<Taped>::passive(b.clone());
        let c = Matrix::<Taped>::passive(c.clone());
        let n = (&b * x - &c).eval().norm().eval();
        (0.5 * &n * &n).eval()
    };
    assert_abs_diff_eq!(second(&x, f), b.tr_mul(&b), epsilon = 1e-13);
}
#[test]
fn norms_themselves_have_no_hessian_at_the_origin() {
    let zero = DMatrix::zeros(2, 2);
    let norms: [fn(&Matrix) -> Real; 7] = [
        |a| a.norm().eval(),
        |a| a.lp_norm(2).eval(),
        |a| a.lp_norm(3).eval(),
        |a| a.spectral_norm().eval(),
        |a| (a.spectral_norm() * a.spectral_norm()).eval(),
        |a| (a.norm() + a.norm_squared()).eval(),
        |a| a.norm().exp().eval(),
    ];
    for (k, norm) in norms.into_iter().enumerate() {
        let h = second(&zero, norm);
        assert!(h.iter().all(|x| x.is_nan()), "{k}: {h}");
    }
    let sums: [fn(&Matrix) -> Real; 3] = [
        |a| a.norm_l1().eval(),
        |a| a.abs().sum().eval(),
        |a| a.lp_norm(1).eval(),
    ];
    for sum in sums {
        let h = second(&dmatrix![0.0, 2.0, -1.0], sum);
        assert!(h[(0, 0)].is_nan());
        assert!((1..9).all(|k| h[k] == 0.0), "{h}");
    }
    let (_, along) = hessian_vector(|a: &Matrix| a.norm().eval(), zero.clone(), zero).unwrap();
    assert_eq!(along, DMatrix::zeros(2, 2));
}
#[test]
fn squares_of_norms_have_one_sided_derivatives_of_the_gradient() {
    let (zero, v) = (DMatrix::zeros(2, 2), dmatrix![0.3, -1.2; 0.0, 2.0]);
    for p in [1, 2, 3, 7] {
        let f = |a: &Matrix| {
            let n = a.lp_norm(p).eval();
            (0.5 * &n * &n).eval()
        };
        let (_, along) = hessian_vector(f, zero.clone(), v.clone()).unwrap();
        let (_, want) = gradient(&v, |a: &Matrix| {
            let n = a.lp_norm(p).eval();
            (0.5 * &n * &n).eval()
        });
        assert_abs_diff_eq!(along, want, epsilon = 1e-14);
    }
    let f = |a: &Matrix| {
        let n = a.norm_l1().eval();
        (0.5 * &n * &n).eval()
    };
    let (_, along) = hessian_vector(f, zero, v.clone()).unwrap();
    let sum = 0.3 + 1.2 + 2.0;
    assert_abs_diff_eq!(
        along,
        v.map(|x| if x == 0.0 { 0.0 } else { sum * x.signum() }),
        epsilon = 1e-14
    );
    let a = dmatrix![0.0, 2.0, -1.0];
    for p in [2, 3, 5] {
        let h = second(&a, |a| a.lp_norm(p).eval());
        let at = |x: f64| {
            let a = dmatrix![x, 2.0, -1.0];
            gradient(&a, |a: &Matrix| a.lp_norm(p).eval()).1
        };
        let want = (at(1e-5) - at(-1e-5)) / 2e-5;
        for k in 0..3 {
            assert_abs_diff_eq!(h[(k, 0)], want[k], epsilon = 1e-5);
        }
    }
}
#[test]
fn first_tangents_at_the_origin_are_zero_like_the_gradient() {
    let v = dmatrix![3.0, 0.0; -4.0, 0.0];
    let a = || Matrix::<Forward<2>>::with_tangents(DMatrix::zeros(2, 2), [v.clone(), -&v]);
    assert_eq!(a().norm().eval().tangents(), [0.0; 2]);
    assert_eq!(a().lp_norm(2).eval().tangents(), [0.0; 2]);
    assert_eq!(a().norm_l1().eval().tangents(), [0.0; 2]);
    assert_eq!(a().lp_norm(1).eval().tangents(), [0.0; 2]);
    assert_eq!(
        a().abs().eval().tangents(),
        [v.map(|_| 0.0), v.map(|_| 0.0)]
    );
    let smooth = (a().norm() * a().norm()).eval();
    assert_eq!(smooth.tangents(), [0.0; 2]);
    let v = DVector::from_element(1, C::new(3.0, 4.0));
    let z = ComplexVector::<Forward<1>>::with_tangents(DVector::zeros(1), [v]);
    assert_eq!((&z).norm().eval().tangents(), [0.0]);
    assert_eq!((&z).abs().eval().tangents(), [dvector![0.0]]);
}

#[test]
fn norms_that_overflow_have_their_slopes() {
    let large = [1.5e308, f64::MAX];
    for x in large {
        let a = dmatrix![x, -x, 0.0, 1.0];
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let (value, slope) = gradient(&a, |a: &Matrix| a.norm().eval());
        assert_eq!(value, f64::INFINITY);
        assert_abs_diff_eq!(slope, dmatrix![half, -half, 0.0, 0.0], epsilon = 1e-15);
        for p in [1, 2, 3, 9] {
            let (value, slope) = gradient(&a, |a: &Matrix| a.lp_norm(p).eval());
            let by = 0.5_f64.powf(1.0 - 1.0 / f64::from(p));
            let last = if p == 1 { 1.0 } else { 0.0 };
            let by_order = value / x / 2.0_f64.powf(1.0 / f64::from(p));
            assert!(value == f64::INFINITY || (by_order - 1.0).abs() < 1e-14);
            assert_abs_diff_eq!(slope, dmatrix![by, -by, 0.0, last], epsilon = 1e-14);
        }
        let (value, slope) = gradient(&a, |a: &Matrix| a.normalize().eval().at((0, 0)).eval());
        assert_abs_diff_eq!(value, half, epsilon = 1e-15);
        // 1 / (2 |a|) is subnormal.
        assert!(slope[(0, 0)] > 0.0);
        let (_, slope) = gradient(&a, |a: &Matrix| {
            (a.normalize().eval().at((0, 0)) * 1e300).eval()
        });
        let want = half * 0.5 * (1e300 / x);
        assert_abs_diff_eq!(slope[(0, 0)] / want, 1.0, epsilon = 1e-12);
        assert_abs_diff_eq!(slope[(0, 1)] / want, 1.0, epsilon = 1e-12);
    }
    let z = DMatrix::from_element(1, 1, C::new(1.5e308, 1.5e308));
    let half = DMatrix::from_element(1, 1, C::new(1.0, 1.0) * std::f64::consts::FRAC_1_SQRT_2);
    let norms: [fn(&ComplexMatrix) -> Active<f64>; 5] = [
        |a| a.norm().eval(),
        |a| a.norm_l1().eval(),
        |a| a.lp_norm(2).eval(),
        |a| a.lp_norm(1).eval(),
        |a| a.abs().sum().eval(),
    ];
    for norm in norms {
        let (value, slope) = gradient(&z, norm);
        assert_eq!(value, f64::INFINITY);
        assert_abs_diff_eq!(slope[0].re, half[0].re, epsilon = 1e-15);
        assert_abs_diff_eq!(slope[0].im, half[0].im, epsilon = 1e-15);
    }
    let a = DMatrix::from_element(2, 1, 3e38_f32);
    let (value, slope) = gradient(&a, |a: &Matrix<_, f32>| a.norm().eval());
    assert_eq!(value, f32::INFINITY);
    assert!((slope[0] - 0.707_106_8).abs() < 1e-6);
}
#[test]
fn small_seeds_of_large_norms_do_not_vanish() {
    let a = dmatrix![3e100, 4e100];
    let (_, slope) = gradient(&a, |a: &Matrix| (a.norm() * 1e-300).eval());
    assert_abs_diff_eq!(slope * 1e300, dmatrix![0.6, 0.8], epsilon = 1e-14);
    let (_, slope) = gradient(&DMatrix::zeros(2, 1), |a: &Matrix| {
        a.norm().eval().sqrt().eval()
    });
    assert!(slope.iter().all(|x| x.is_nan()));
}
#[test]
fn infinite_and_nan_elements_have_nan_slopes() {
    for bad in [f64::INFINITY, f64::NAN] {
        let a = dmatrix![bad, 1.0];
        let (value, slope) = gradient(&a, |a: &Matrix| a.norm().eval());
        assert_eq!(value.is_nan(), bad.is_nan());
        assert!(slope[(0, 0)].is_nan());
        let (_, slope) = gradient(&a, |a: &Matrix| a.normalize().eval().at((0, 1)).eval());
        assert!(slope.iter().any(|x| x.is_nan()));
    }
    for a in [dmatrix![f64::NAN, 1.0, 2.0], dmatrix![2.0, f64::NAN, 1.0]] {
        assert_eq!(gradient(&a, |a: &Matrix| a.max_element().eval()).0, 2.0);
        assert_eq!(gradient(&a, |a: &Matrix| a.min_element().eval()).0, 1.0);
    }
    let a = dmatrix![f64::NAN, f64::NAN];
    assert!(gradient(&a, |a: &Matrix| a.max_element().eval()).0.is_nan());
}
