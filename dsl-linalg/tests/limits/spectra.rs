use crate::{C, all_nan, assert_close, complex, gradient, lower_nan, real};
use approx::assert_abs_diff_eq;
use entape_complex::ComplexOps;
use entape_core::{
    expr::{Active, constant},
    mode::Taped,
    op,
};
use entape_linalg::prelude::*;
use nalgebra::{DMatrix, DVector, dmatrix, dvector};

fn diagonal(d: &[f64]) -> DMatrix<C> {
    DMatrix::from_diagonal(&DVector::from_iterator(
        d.len(),
        d.iter().map(|d| C::from(*d)),
    ))
}
fn lower(g: &DMatrix<C>) -> DMatrix<C> {
    DMatrix::from_fn(g.nrows(), g.ncols(), |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => C::from(0.0),
        std::cmp::Ordering::Equal => C::from(g[(i, i)].re),
        std::cmp::Ordering::Greater => g[(i, j)] + g[(j, i)].conj(),
    })
}
/// `Re(Σ conj(b) .* exp(a))`, by eigenvectors.
fn exponential(a: &ComplexMatrix, b: &DMatrix<C>) -> Active<f64, Taped> {
    let e = a.symmetric_eigen();
    let d = from_diagonal(e.eigenvalues.map(op::Exp)).eval();
    let r = (&e.eigenvectors * &d * e.eigenvectors.adjoint()).eval();
    constant(b.clone()).dotc(&r).re().eval()
}
/// Daleckii and Krein's formula, where `a = q * diag(d) * q'`.
fn slope_of_exponential(q: &DMatrix<C>, d: &[f64], b: &DMatrix<C>) -> DMatrix<C> {
    let inner = q.adjoint() * (b + b.adjoint()) * q * C::from(0.5);
    let divided = |i: usize, j: usize| match d[i] == d[j] {
        true => d[i].exp(),
        false => d[j].exp() * (d[i] - d[j]).exp_m1() / (d[i] - d[j]),
    };
    let inner = DMatrix::from_fn(d.len(), d.len(), |i, j| inner[(i, j)] * divided(i, j));
    lower(&(q * inner * q.adjoint()))
}

#[test]
fn a_function_of_a_matrix_by_eigenvectors_is_right_or_nan() {
    let (q, b) = (complex(3, 3, 0).qr().q(), complex(3, 3, 1));
    let at = |gap: f64| {
        let d = [1.0, 1.0 + gap, 2.0];
        let a = &q * diagonal(&d) * q.adjoint();
        let want = slope_of_exponential(&q, &d, &b);
        (gradient(&a, |a| exponential(a, &b)).1, want)
    };
    for (gap, within) in [
        (0.5, 1e-13),
        (1e-3, 1e-11),
        (1e-6, 1e-8),
        (1e-9, 1e-5),
        (1e-12, 1e-2),
    ] {
        let (got, want) = at(gap);
        assert_close(&got, &want, within);
    }
    for gap in [0.0, 1e-16, 1e-15, 5e-15] {
        assert!(lower_nan(&at(gap).0), "{gap:e}: {}", at(gap).0);
    }
    for d in [1.0, -3.0] {
        let a = DMatrix::identity(3, 3) * C::from(d);
        assert!(lower_nan(&gradient(&a, |a| exponential(a, &b)).1));
    }
}

#[test]
fn real_vectors_of_the_identity_have_no_gradient() {
    let (_, g) = gradient(&DMatrix::identity(2, 2), |a: &Matrix| {
        let e = a.symmetric_eigen();
        let d = from_diagonal(e.eigenvalues.map(op::Exp)).eval();
        let r = (&e.eigenvectors * &d * e.eigenvectors.transpose()).eval();
        r.at((1, 0)).eval()
    });
    assert!(lower_nan(&g), "{g}");
}

#[test]
fn functions_of_equal_eigenvalues_have_gradients() {
    let q = complex(3, 3, 0).qr().q();
    for d in [[1.0, 1.0, 1.0], [1.0, 1.0, 2.0], [1.0, 1.0 + 1e-15, 2.0]] {
        let a = &q * diagonal(&d) * q.adjoint();
        let (_, got) = gradient(&a, |a: &ComplexMatrix| {
            a.symmetric_eigen().eigenvalues.map(op::Exp).sum().eval()
        });
        let want = &q * diagonal(&d.map(f64::exp)) * q.adjoint();
        assert_close(&got, &lower(&want), 1e-13);
        let (_, got) = gradient(&a, |a: &ComplexMatrix| a.singular_values().sum().eval());
        assert_close(&got, &DMatrix::identity(3, 3), 1e-13);
        let (_, got) = gradient(&a, |a: &ComplexMatrix| {
            a.symmetric_eigenvalues().norm_squared().eval()
        });
        assert_close(&got, &lower(&(&a * C::from(2.0))), 1e-13);
    }
}

#[test]
fn functions_that_do_not_rotate_equal_eigenvectors_have_gradients() {
    let projector = |first: usize, n: usize| {
        move |a: &Matrix| {
            let v = a.symmetric_eigen().eigenvectors.columns(first, n).eval();
            let p = (&v * v.transpose()).eval();
            p.at((2, 0)).eval()
        }
    };
    let (_, g) = gradient(
        &dmatrix![1.0, 0.0, 0.0; 0.0, 1.0, 0.0; 0.0, 0.0, 2.0],
        projector(0, 2),
    );
    assert_close(
        &g,
        &dmatrix![0.0, 0.0, 0.0; 0.0, 0.0, 0.0; -1.0, 0.0, 0.0],
        1e-14,
    );
    let (_, g) = gradient(
        &dmatrix![2.0, 0.0, 0.0; 0.0, 1.0, 0.0; 0.0, 0.0, 1.0],
        projector(2, 1),
    );
    assert_close(
        &g,
        &dmatrix![0.0, 0.0, 0.0; 0.0, 0.0, 0.0; 1.0, 0.0, 0.0],
        1e-14,
    );
}

/// `u * v'` of `u * diag(s) * v'`, and the gradient of its product with `b`.
fn polar(s: &[f64], b: impl Fn(&DMatrix<C>, &DMatrix<C>) -> DMatrix<C>) -> [DMatrix<C>; 2] {
    let (u, v) = (complex(3, 3, 0).qr().q(), complex(3, 3, 5).qr().q());
    let b = b(&u, &v);
    let a = &u * diagonal(s) * v.adjoint();
    let (_, got) = gradient(&a, |a: &ComplexMatrix| {
        let s = a.svd();
        let r = (&s.u * &s.v_t).eval();
        constant(b.clone()).dotc(&r).re().eval()
    });
    let x = u.adjoint() * b * &v;
    let skew = &x - x.adjoint();
    let middle = DMatrix::from_fn(3, 3, |i, j| skew[(i, j)] / (s[i] + s[j]));
    [got, u * middle * v.adjoint()]
}
#[test]
fn a_polar_factor_by_singular_vectors_is_right_or_nan() {
    let any = |_: &DMatrix<C>, _: &DMatrix<C>| complex(3, 3, 1);
    for (gap, within) in [(0.5, 1e-13), (1e-3, 1e-11), (1e-6, 1e-8), (1e-9, 1e-5)] {
        let [got, want] = polar(&[3.0, 1.0 + gap, 1.0], any);
        assert_close(&got, &want, within);
    }
    for gap in [0.0, 1e-16, 1e-15] {
        let [got, _] = polar(&[3.0, 1.0 + gap, 1.0], any);
        assert!(all_nan(&got), "{gap:e}: {got}");
    }
    assert!(all_nan(&polar(&[2.0, 2.0, 2.0], any)[0]));
    // Functions of opposite rotations of left and right vectors have a gradient.
    let against = |u: &DMatrix<C>, v: &DMatrix<C>| {
        let x = complex(3, 3, 1);
        u * (&x - x.adjoint()) * v.adjoint()
    };
    for s in [[3.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0 + 1e-15, 1.0, 1e-3]] {
        let [got, want] = polar(&s, against);
        assert_close(&got, &want, 1e-12);
    }
}

#[test]
fn vectors_of_vanishing_singular_values_have_nan_gradients_or_none() {
    for (m, n) in [(2, 2), (4, 2), (2, 4), (3, 3)] {
        let a = complex(m, 1, 0) * complex(1, n, 1);
        let (value, g) = gradient(&a, |a: &ComplexMatrix| a.svd().u.norm_squared().eval());
        assert_abs_diff_eq!(value, m.min(n) as f64, epsilon = 1e-13);
        assert!(g.norm() < 1e-13, "{m}x{n}: {g}");
        let b = complex(m, m.min(n), 2);
        let (_, g) = gradient(&a, |a: &ComplexMatrix| {
            constant(b.clone()).dotc(&a.svd().u).re().eval()
        });
        assert!(all_nan(&g), "{m}x{n}: {g}");
    }
    let (u, v) = (dvector![0.6, 0.8], dvector![0.8, -0.6]);
    let (_, g) = gradient(&(&u * v.transpose() * 2.0), |a: &Matrix| {
        let u = a.svd().u.columns(0, 1).eval();
        let p = (&u * u.transpose()).eval();
        p.at((0, 0)).eval()
    });
    let across = dvector![0.8, -0.6];
    assert_close(
        &g,
        &(across * v.transpose() * (2.0 * 0.6 * 0.8 / 2.0)),
        1e-13,
    );
}

#[test]
fn bounds_of_equal_values_hold_in_single_precision() {
    let q = real(3, 3, 0).qr().q();
    let sum = |a: &Matrix<Taped, f32>| a.symmetric_eigen().eigenvectors.sum().eval();
    let at = |gap: f64| {
        let d = DMatrix::from_diagonal(&dvector![1.0, 1.0 + gap, 2.0]);
        (&q * d * q.transpose()).map(|x| x as f32)
    };
    assert!(lower_nan(&gradient(&at(0.0), sum).1));
    assert!(lower_nan(&gradient(&at(1e-7), sum).1));
    assert!(gradient(&at(1e-3), sum).1.iter().all(|x| x.is_finite()));
}
