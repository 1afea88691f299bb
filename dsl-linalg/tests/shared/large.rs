//! Sizes that kernels process in blocks and halves.
use super::{matrix, regular};
use entape_core::tape::Tape;
use entape_linalg::*;
use nalgebra::ComplexField;

/// The part of the diagonal that is used.
fn half<T: ComplexField<RealField = f64>>(x: T) -> T {
    T::from_real(0.5 * x.real())
}

#[test]
fn solves_by_reflections_agree_with_pivots() {
    let a = regular(60, 0);
    for cols in [1, 10] {
        let b = matrix(60, cols, 1);
        let run = |by_qr: bool| {
            let mut tape = Tape::new();
            let (a, b) = (tape.input(a.clone()), tape.input(b.clone()));
            let r = tape.record(|| {
                let x = if by_qr {
                    a.qr().solve(&b).unwrap().eval()
                } else {
                    a.lu().solve(&b).unwrap().eval()
                };
                (&x * 60.0).norm_squared().eval()
            });
            tape.gradient(&r).unwrap().wrt_all([&a, &b]).unwrap()
        };
        for (qr, lu) in run(true).into_iter().zip(run(false)) {
            let error = (qr - &lu).norm() / lu.norm();
            assert!(error < 1e-13, "{cols} columns: {error}");
        }
    }
}

/// Murray 2016: the lower triangle of twice the Hermitian part of `inverse(l') * p * inverse(l)`, where `p` is the
/// lower triangle of `l' * l_b` with half its diagonal.
#[test]
fn adjoints_of_large_factors_agree_with_the_formula() {
    for n in [1, 7, 8, 9, 20, 32, 33, 50, 70] {
        let (a, l_b) = (regular(n, 0) * regular(n, 0).adjoint(), matrix(n, n, 1));
        let mut tape = Tape::new();
        let x = tape.input(a.clone());
        let y = tape.record(|| x.cholesky().unwrap().l().eval());
        tape.seed(&y, l_b.clone()).unwrap();
        let got = tape.sweep().unwrap().wrt(&x).unwrap();
        let l = y.get();
        let mut p = (l.adjoint() * l_b.lower_triangle()).lower_triangle();
        (0..n).for_each(|i| p[(i, i)] = half(p[(i, i)]));
        let inverse = l.clone().try_inverse().unwrap();
        let s = inverse.adjoint() * p * inverse;
        let mut want = (&s + s.adjoint()).lower_triangle();
        (0..n).for_each(|i| want[(i, i)] = half(want[(i, i)]));
        let error = (got - &want).norm() / want.norm();
        assert!(error < 1e-13, "{n}: {error}");
    }
}
