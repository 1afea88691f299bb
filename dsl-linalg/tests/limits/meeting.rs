//! Second derivatives at equal or zero eigenvalues and singular values.
#![allow(clippy::op_ref)] // references are what variables of all modes need
use crate::{
    C, complex,
    kinks::{second, second_complex},
    real,
};
use approx::assert_abs_diff_eq;
use entape_complex::ComplexOps;
use entape_core::{
    expr::Active,
    mode::{AnyMode, Forward},
    op,
    real::Elementary,
};
use entape_drivers::hessian_vector;
use entape_linalg::prelude::*;
use nalgebra::{DMatrix, DVector, dmatrix};

type Real<M = entape_core::mode::Taped> = Active<f64, M>;

fn symmetric(d: &[f64]) -> DMatrix<f64> {
    let q = real(d.len(), d.len(), 0).qr().q();
    &q * DMatrix::from_diagonal(&DVector::from_column_slice(d)) * q.transpose()
}
fn hermitian(d: &[f64]) -> DMatrix<C> {
    let q = complex(d.len(), d.len(), 0).qr().q();
    let d = DVector::from_iterator(d.len(), d.iter().map(|x| C::from(*x)));
    &q * DMatrix::from_diagonal(&d) * q.adjoint()
}
fn singular(m: usize, n: usize, s: &[f64]) -> DMatrix<f64> {
    let (u, v) = (real(m, m, 0).qr().q(), real(n, n, 5).qr().q());
    let middle = DMatrix::from_fn(m, n, |i, j| if i == j { s[i] } else { 0.0 });
    u * middle * v.transpose()
}
fn complex_singular(m: usize, n: usize, s: &[f64]) -> DMatrix<C> {
    let (u, v) = (complex(m, m, 0).qr().q(), complex(n, n, 5).qr().q());
    let middle = DMatrix::from_fn(m, n, |i, j| C::from(if i == j { s[i] } else { 0.0 }));
    u * middle * v.adjoint()
}
const MEETING: [[f64; 3]; 5] = [
    [1.0, 1.0, 2.0],
    [1.0, 2.0, 2.0],
    [1.5, 1.5, 1.5],
    [0.0, 0.0, 0.0],
    [1.0, 2.0, 3.0],
];

#[test]
fn symmetric_functions_of_eigenvalues_have_their_hessian() {
    let n = 3;
    for d in MEETING {
        let a = symmetric(&d);
        // The sum of the squares of the elements; those below the diagonal count twice.
        let h = second(&a, |a| a.symmetric_eigenvalues().norm_squared().eval());
        let want = DMatrix::from_fn(9, 9, |k, l| match (k == l, (k % n).cmp(&(k / n))) {
            (true, std::cmp::Ordering::Equal) => 2.0,
            (true, std::cmp::Ordering::Greater) => 4.0,
            _ => 0.0,
        });
        assert_abs_diff_eq!(h, want, epsilon = 1e-12);
        let by_values = second(&a, |a| a.symmetric_eigenvalues().map(op::Exp).sum().eval());
        let by_function = second(&a, |a| a.symmetric_exp().trace().eval());
        assert_abs_diff_eq!(by_values, by_function, epsilon = 1e-11);
        let product = |a: &Matrix| {
            let d = a.symmetric_eigenvalues();
            (d.at(0) * d.at(1) * d.at(2)).eval()
        };
        let lower = |a: &Matrix| {
            let x = |i: usize, j: usize| a.at((i.max(j), i.min(j))).eval();
            (x(0, 0) * (x(1, 1) * x(2, 2) - x(1, 2) * x(1, 2))
                - x(0, 1) * (x(0, 1) * x(2, 2) - x(0, 2) * x(1, 2))
                + x(0, 2) * (x(0, 1) * x(1, 2) - x(0, 2) * x(1, 1)))
            .eval()
        };
        assert_abs_diff_eq!(second(&a, product), second(&a, lower), epsilon = 1e-12);
        let a = hermitian(&d);
        let by_values = second_complex(&a, |a| a.symmetric_eigenvalues().map(op::Exp).sum().eval());
        let by_function = second_complex(&a, |a| a.symmetric_exp().trace().re().eval());
        assert_abs_diff_eq!(by_values, by_function, epsilon = 1e-11);
    }
}
#[test]
fn a_single_eigenvalue_of_equal_ones_has_no_hessian() {
    for (d, at) in [
        ([1.0, 1.0, 2.0], 0),
        ([1.0, 1.0, 2.0], 1),
        ([1.0, 2.0, 2.0], 2),
        ([1.5; 3], 1),
    ] {
        let a = symmetric(&d);
        let v = real(3, 3, 2);
        let (_, along) = hessian_vector(
            |a: &Matrix| a.symmetric_eigenvalues().at(at).eval(),
            a.clone(),
            v.clone(),
        )
        .unwrap();
        assert!(
            (0..3).all(|j| (j..3).all(|i| along[(i, j)].is_nan())),
            "{along}"
        );
        let a = DMatrix::from_diagonal(&DVector::from_column_slice(&d));
        let v = DMatrix::from_diagonal(&DVector::from_column_slice(&[1.0, 2.0, 3.0]));
        let (_, along) =
            hessian_vector(|a: &Matrix| a.symmetric_eigenvalues().at(at).eval(), a, v).unwrap();
        assert!(along[(0, 0)].is_nan(), "{along}");
    }
    let a = symmetric(&[1.0, 1.0, 2.0]);
    let (v, h) = (real(3, 3, 2), 1e-4);
    let largest = |a: &DMatrix<f64>| {
        crate::gradient(a, |a: &Matrix| a.symmetric_eigenvalues().at(2).eval()).1
    };
    let (_, along) = hessian_vector(
        |a: &Matrix| a.symmetric_eigenvalues().at(2).eval(),
        a.clone(),
        v.clone(),
    )
    .unwrap();
    let want = (largest(&(&a + &v * h)) - largest(&(&a - &v * h))) / (2.0 * h);
    assert_abs_diff_eq!(along, want, epsilon = 1e-6);
}
#[test]
fn tangents_of_equal_eigenvalues_are_one_sided_derivatives() {
    let v = dmatrix![0.3, 0.0, 0.0; 1.2, -0.7, 0.0; 0.5, 0.4, 1.0];
    let a = Matrix::<Forward<1>>::with_tangents(DMatrix::identity(3, 3) * 2.0, [v.clone()]);
    let [tangents] = a.symmetric_eigenvalues().tangents();
    let whole = DMatrix::from_fn(3, 3, |i, j| v[(i.max(j), i.min(j))]);
    let mut want: Vec<f64> = whole.symmetric_eigenvalues().iter().copied().collect();
    want.sort_by(f64::total_cmp);
    assert_abs_diff_eq!(tangents, DVector::from_vec(want), epsilon = 1e-14);
    let [tangents] = a.symmetric_eigen().eigenvectors.tangents();
    assert!(tangents.iter().all(|x| x.is_nan()));
    let zero = Matrix::<Forward<1>>::with_tangents(DMatrix::zeros(3, 3), [v.clone()]);
    let [tangents] = zero.singular_values().tangents();
    assert_abs_diff_eq!(tangents, v.singular_values(), epsilon = 1e-14);
}

const SHAPES: [(usize, usize); 5] = [(3, 3), (4, 3), (3, 4), (2, 2), (3, 1)];
fn vanishing(k: usize) -> impl Iterator<Item = Vec<f64>> {
    let all = [
        vec![2.0, 2.0, 1.0],
        vec![2.0, 1.0, 1.0],
        vec![1.5, 1.5, 1.5],
        vec![2.0, 1.0, 0.0],
        vec![2.0, 0.0, 0.0],
        vec![2.0, 2.0, 0.0],
        vec![0.0, 0.0, 0.0],
        vec![3.0, 2.0, 1.0],
    ];
    all.into_iter().map(move |mut s| {
        s.truncate(k);
        s
    })
}
fn fourth<M: AnyMode>(s: &Vector<M>) -> Real<M> {
    s.component_mul(s).norm_squared().eval()
}
#[test]
fn symmetric_and_even_functions_of_singular_values_have_their_hessian() {
    for (m, n) in SHAPES {
        for s in vanishing(m.min(n)) {
            let a = singular(m, n, &s);
            let h = second(&a, |a| a.singular_values().norm_squared().eval());
            assert_abs_diff_eq!(h, DMatrix::identity(m * n, m * n) * 2.0, epsilon = 1e-12);
            let h = second(&a, |a| fourth(&a.singular_values()));
            let want = second(&a, |a| a.tr_mul(a).norm_squared().eval());
            assert_abs_diff_eq!(h, want, epsilon = 1e-11);
            let a = complex_singular(m, n, &s);
            let h = second_complex(&a, |a| fourth(&a.singular_values()));
            let want = second_complex(&a, |a| a.ad_mul(a).norm_squared().eval());
            assert_abs_diff_eq!(h, want, epsilon = 1e-11);
        }
    }
}
#[test]
fn sums_of_vanishing_singular_values_have_no_hessian() {
    for (m, n) in [(3, 3), (4, 3)] {
        let a = singular(m, n, &[2.0, 1.0, 0.0]);
        let (_, along) = hessian_vector(
            |a: &Matrix| a.singular_values().sum().eval(),
            a,
            real(m, n, 3),
        )
        .unwrap();
        assert!(along.iter().all(|x| x.is_nan()));
    }
}
#[test]
fn a_spectral_norm_with_equal_values_has_no_hessian() {
    let f = |a: &Matrix| a.spectral_norm().eval();
    let square = |a: &Matrix| {
        let n = (a.spectral_norm() - 2.0).eval();
        (&n * &n).eval()
    };
    for (a, v) in [
        (singular(3, 3, &[2.0, 2.0, 1.0]), real(3, 3, 2)),
        (singular(4, 2, &[2.0, 2.0]), real(4, 2, 2)),
        (dmatrix![2.0, 0.0; 0.0, 2.0], dmatrix![0.0, 0.0; 0.0, 1.0]),
        (dmatrix![2.0, 0.0; 0.0, 2.0], dmatrix![1.0, 0.0; 0.0, 0.0]),
    ] {
        let along = hessian_vector(f, a.clone(), v.clone()).unwrap().1;
        assert!(along.iter().all(|x| x.is_nan()), "{along}");
        let along = hessian_vector(square, a, v).unwrap().1;
        assert!(along.iter().all(|x| x.is_nan()), "{along}");
    }
}

mod free_phase {
    use super::*;

    fn moduli<M: AnyMode>(a: &ComplexMatrix<M>, columns: usize) -> Real<M> {
        let u = a.svd().u;
        let size = u.columns(0, columns).abs().eval();
        let weight = Matrix::<M>::passive(real(3, columns, 4));
        size.component_mul(&size).eval().dot(&weight).eval()
    }
    fn rank_two() -> DMatrix<C> {
        complex_singular(3, 3, &[2.0, 1.0, 0.0])
    }
    #[test]
    fn gradients_of_moduli_are_right() {
        let a = rank_two();
        for columns in [2, 3] {
            let (_, got) = crate::gradient(&a, |a: &ComplexMatrix| moduli(a, columns));
            let v = complex(3, 3, 6);
            let value = |t: f64| {
                let a = &a + &v * C::from(t);
                crate::gradient(&a, |a: &ComplexMatrix| moduli(a, columns)).0
            };
            let want = (value(1e-5) - value(-1e-5)) / 2e-5;
            assert_abs_diff_eq!(got.dotc(&v).re, want, epsilon = 1e-8);
        }
    }
    #[test]
    fn tangents_of_the_free_vector_and_second_derivatives_are_nan() {
        let (a, v) = (rank_two(), complex(3, 3, 6));
        for columns in [2, 3] {
            let f = |a: &ComplexMatrix| moduli(a, columns);
            let (_, along) = hessian_vector(f, a.clone(), v.clone()).unwrap();
            assert!(along.iter().all(|z| z.re.is_nan()));
        }
        let forward = ComplexMatrix::<Forward<1>>::with_tangents(a.clone(), [v.clone()]);
        assert!(moduli(&forward, 3).tangents()[0].is_nan());
        let [got] = moduli(&forward, 2).tangents();
        let (_, slope) = crate::gradient(&a, |a: &ComplexMatrix| moduli(a, 2));
        assert_abs_diff_eq!(got, slope.dotc(&v).re, epsilon = 1e-12);
        let [values] = forward.svd().singular_values.tangents();
        assert!(values.iter().all(|x| x.is_finite()));
    }
}
