use crate::*;
use entape_core::op;
use entape_linalg::prelude::*;
use nalgebra::dmatrix;

fn singular(n: usize, r: usize) -> DMatrix<f64> {
    let b = real(n, r, 7);
    &b * b.transpose()
}
fn with<R>(a: DMatrix<f64>, f: impl FnOnce(&Matrix) -> R) -> R {
    let mut tape = Tape::new();
    let a = tape.input(a);
    tape.record(|| f(&a))
}

#[test]
fn indefinite_matrices_are_errors() {
    for n in [2, 3, 10, 40] {
        for a in [
            of_values(
                &orthogonal(n, n, 0),
                &[vec![-1e-3], vec![1.0; n - 1]].concat(),
            ),
            diagonal(&[vec![1.0; n - 1], vec![-1e-30]].concat()),
            DMatrix::from_element(n, n, f64::NAN),
        ] {
            with(a, |a| {
                assert_eq!(a.symmetric_ln().err(), Some(NotPositiveDefinite));
                assert_eq!(a.symmetric_sqrt().err(), Some(NotPositiveDefinite));
                assert_eq!(a.symmetric_powf(0.5).err(), Some(NotPositiveDefinite));
                assert_eq!(a.symmetric_powf(-1.0).err(), Some(NotPositiveDefinite));
            });
        }
        for a in [singular(n, 1), singular(n, n - 1), diagonal(&vec![0.0; n])] {
            with(a, |a| {
                assert_eq!(a.symmetric_ln().err(), Some(NotPositiveDefinite));
                assert_eq!(a.symmetric_powf(-0.1).err(), Some(NotPositiveDefinite));
                let f = a.symmetric_functions();
                assert_eq!(f.ln().err(), Some(NotPositiveDefinite));
                assert!(f.sqrt().is_ok() && f.powf(0.1).is_ok() && f.powf(0.0).is_ok());
            });
        }
    }
}
#[test]
fn nan_and_infinity_give_nan() {
    for a in [
        dmatrix![1.0, 0.0; f64::NAN, 1.0],
        dmatrix![f64::INFINITY, 0.0; 1.0, 1.0],
        dmatrix![f64::NAN, 0.0; 0.0, f64::NAN],
    ] {
        with(a, |a| {
            assert!(a.symmetric_exp().get().iter().all(|x| x.is_nan()));
            assert!(
                a.symmetric_function(op::Tanh)
                    .get()
                    .iter()
                    .all(|x| x.is_nan())
            );
            assert!(a.polar().u().eval().get().iter().all(|x| x.is_nan()));
            assert!(a.polar().p().eval().get().iter().all(|x| x.is_nan()));
        });
    }
    let a = of_values(&orthogonal(2, 2, 0), &[-1.0, 1.0]);
    with(a, |a| {
        assert!(
            a.symmetric_function(op::Ln)
                .get()
                .iter()
                .all(|x| x.is_nan())
        );
    });
}
#[test]
fn roots_of_singular_matrices_have_infinite_gradients() {
    for (n, r) in [(2, 1), (3, 1), (3, 2), (10, 4), (40, 39)] {
        let b = orthogonal(n, r, 2);
        let projector = &b * b.transpose();
        for p in [0.1, 0.5, 0.9] {
            let (_, g) = gradient(&projector, |a: &Matrix| {
                let root = a.symmetric_powf(p).unwrap();
                assert_close(root.get(), &projector, 1e-14 * n as f64);
                root.sum().eval()
            });
            assert!(lower_of(&g).all(|x| !x.is_finite()), "{g}");
        }
        let (_, g) = gradient(&projector, |a: &Matrix| {
            let root = a.symmetric_sqrt().unwrap();
            assert_close(root.get(), &projector, 1e-14 * n as f64);
            root.sum().eval()
        });
        assert!(lower_of(&g).all(|x| !x.is_finite()), "{g}");
        // The gradient of powers above one: p * x^(p - 1) on the space, 1 between it and its complement, 0 outside.
        let (_, g) = gradient(&projector, |a: &Matrix| {
            a.symmetric_powf(1.5).unwrap().sum().eval()
        });
        let (ones, id) = (DMatrix::from_element(n, n, 1.0), DMatrix::identity(n, n));
        let rest = id - &projector;
        let want = &projector * &ones * &projector * 1.5
            + &rest * &ones * &projector
            + &projector * &ones * &rest;
        assert_close(&g, &lower(&want), 1e-12 * n as f64);
    }
    let (value, g) = gradient(&dmatrix![0.0], |a: &Matrix| {
        a.symmetric_sqrt().unwrap().sum().eval()
    });
    assert_eq!((value, g[0]), (0.0, f64::INFINITY));
}
fn lower_of(g: &DMatrix<f64>) -> impl Iterator<Item = f64> + '_ {
    (0..g.ncols()).flat_map(move |j| (j..g.nrows()).map(move |i| g[(i, j)]))
}
#[test]
fn results_are_as_accurate_as_the_smallest_eigenvalue() {
    for small in [1e-3, 1e-6, 1e-9, 1e-12] {
        let q = orthogonal(3, 3, 0);
        let a = of_values(&q, &[small, 1.0, 2.0]);
        let (_, g) = gradient(&a, |a: &Matrix| a.symmetric_ln().unwrap().trace().eval());
        let want = of_values(&q, &[1.0 / small, 1.0, 0.5]);
        assert_close(&g, &lower(&want), 1e-14 / small);
        let (_, g) = gradient(&a, |a: &Matrix| a.symmetric_sqrt().unwrap().trace().eval());
        let want = of_values(&q, &[0.5 / small.sqrt(), 0.5, 0.5 / 2.0_f64.sqrt()]);
        assert_close(&g, &lower(&want), 1e-14 / small);
    }
}
#[test]
fn gradients_of_large_and_small_matrices_are_in_range() {
    let (q, d) = (orthogonal(3, 3, 0), [1.0, 1.0, 2.0]);
    for unit in [1e-300, 1e-150, 1e150, 1e300] {
        let a = of_values(&q, &d) * unit;
        let (_, g) = gradient(&a, |a: &Matrix| a.symmetric_ln().unwrap().trace().eval());
        assert_close(
            &(g * unit),
            &lower(&of_values(&q, &d.map(|d| 1.0 / d))),
            1e-13,
        );
        let (_, g) = gradient(&a, |a: &Matrix| a.symmetric_sqrt().unwrap().trace().eval());
        let want = of_values(&q, &d.map(|d: f64| 0.5 / d.sqrt()));
        assert_close(&(g * unit.sqrt()), &lower(&want), 1e-13);
        let (_, g) = gradient(&a, |a: &Matrix| a.polar().p().trace().eval());
        assert_close(&g, &DMatrix::identity(3, 3), 1e-13);
        let (_, g) = gradient(&a, |a: &Matrix| a.polar().u().eval().at((1, 0)).eval());
        let (_, want) = gradient(&(a / unit), |a: &Matrix| {
            a.polar().u().eval().at((1, 0)).eval()
        });
        assert_close(&(g * unit), &want, 1e-13);
    }
}
