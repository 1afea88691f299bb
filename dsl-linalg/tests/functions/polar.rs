use crate::*;
use entape_complex::ComplexOps;
use entape_core::expr::constant;
use entape_linalg::prelude::*;

#[test]
fn factors_are_orthonormal_and_symmetric() {
    for (m, n) in [(1, 1), (2, 2), (3, 3), (5, 3), (40, 30)] {
        for s in spectra(n) {
            let (w, v) = (unitary(m, n, 0), unitary(n, n, 5));
            let mut tape = Tape::new();
            let a = tape.input(&w * diagonal::<C>(&s) * v.adjoint());
            tape.record(|| {
                let polar = a.polar();
                let (u, p) = (polar.u().eval(), polar.p().eval());
                assert_close(u.get(), &(&w * v.adjoint()), 1e-13 * n as f64);
                assert_close(p.get(), &of_values(&v, &s), 1e-13 * n as f64);
                assert_eq!(p.get(), &p.get().adjoint());
            });
        }
    }
}
#[test]
fn the_nuclear_norm_has_the_polar_factor_as_gradient() {
    for (m, n) in [(1, 1), (2, 2), (3, 3), (5, 3), (40, 30)] {
        for s in spectra(n) {
            let (w, v) = (unitary(m, n, 0), unitary(n, n, 5));
            let a = &w * diagonal::<C>(&s) * v.adjoint();
            let (_, g) = gradient(&a, |a: &ComplexMatrix| a.polar().p().trace().re().eval());
            assert_close(&g, &(&w * v.adjoint()), 1e-12);
        }
    }
}
#[test]
fn products_of_the_factors_have_the_gradient_of_the_matrix() {
    for (m, n) in [(1, 1), (2, 2), (3, 3), (5, 3), (40, 30)] {
        let b = complex(m, n, 1);
        for s in spectra(n) {
            let (w, v) = (unitary(m, n, 0), unitary(n, n, 5));
            let a = &w * diagonal::<C>(&s) * v.adjoint();
            let (_, g) = gradient(&a, |a: &ComplexMatrix| {
                let polar = a.polar();
                constant(b.clone()).dotc(polar.u() * polar.p()).re().eval()
            });
            assert_close(&g, &b, 1e-12);
        }
    }
}
#[test]
fn the_symmetric_factor_is_the_root_of_the_gram_matrix() {
    for s in spectra(3) {
        let a = orthogonal(5, 3, 0) * diagonal(&s) * orthogonal(3, 3, 5).transpose();
        let b = real(3, 3, 1);
        let (_, g) = gradient(&a, |a: &Matrix| {
            constant(b.clone()).dot(a.polar().p()).eval()
        });
        let (_, want) = gradient(&a, |a: &Matrix| {
            let root = a.tr_mul(a).symmetric_sqrt().unwrap();
            constant(b.clone()).dot(&root).eval()
        });
        assert_close(&g, &want, 1e-12);
    }
}
#[test]
fn singular_matrices_have_no_gradient() {
    for (m, n, r) in [
        (1, 1, 0),
        (2, 2, 0),
        (2, 2, 1),
        (3, 3, 2),
        (5, 3, 2),
        (10, 10, 9),
    ] {
        let a = real(m, r, 0) * real(r, n, 1);
        let b = real(m, n, 2);
        let (_, g) = gradient(&a, |a: &Matrix| {
            constant(b.clone()).dot(a.polar().u()).eval()
        });
        assert!(g.iter().all(|x| !x.is_finite()), "{m}x{n}: {g}");
        let (_, g) = gradient(&a, |a: &Matrix| a.polar().p().sum().eval());
        assert!(g.iter().all(|x| !x.is_finite()), "{m}x{n}: {g}");
    }
}
