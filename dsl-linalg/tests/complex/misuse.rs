use crate::{C, matrix, vector};
use entape_core::tape::Tape;
use entape_linalg::*;
use nalgebra::{DMatrix, DVector};
use std::panic::{AssertUnwindSafe, catch_unwind};

#[track_caller]
fn refuses<R>(message: &str, f: impl FnOnce() -> R) {
    let panic = catch_unwind(AssertUnwindSafe(f)).err().expect("a panic");
    let got = match panic.downcast_ref::<String>() {
        Some(got) => got.as_str(),
        None => panic.downcast_ref::<&str>().expect("a message"),
    };
    assert!(got.contains(message), "{got} instead of {message}");
}

#[test]
fn panics_name_the_shapes_that_do_not_fit() {
    let mut tape = Tape::new();
    let (m, n) = (tape.input(matrix(2, 3, 0)), tape.input(matrix(3, 3, 0)));
    let (v, x) = (
        tape.input(vector(2, 0)),
        tape.input(DMatrix::<f64>::zeros(4, 4)),
    );
    let before = tape.statistics().statements;
    tape.record(|| {
        let both = " of matrices with shapes 2x3 and 3x3";
        refuses(&format!("`a + b`{both}"), || (&m + &n).eval());
        refuses(&format!("`a.dotc(b)`{both}"), || m.dotc(&n).eval());
        let real = " of matrices with shapes 2x3 and 4x4";
        refuses(&format!("`a + b`{real}"), || (&m + &x).eval());
        refuses(&format!("`a - b`{real}"), || (&m - &x).eval());
        let real = " of matrices with shapes 4x4 and 2x3";
        refuses(&format!("`a + b`{real}"), || (&x + &m).eval());
        refuses(&format!("`a - b`{real}"), || (&x - &m).eval());
        refuses(
            "`from_parts(re, im)` of matrices with shapes 4x4 and 2x3",
            || from_parts(&x, m.im()).eval(),
        );
        refuses(
            "`a * b` of matrices with shapes 2x3 and 4x4: the sizes 3 and 4",
            || (&m * &x).eval(),
        );
        refuses(
            "`a * b` of matrices with shapes 4x4 and 2x3: the sizes 4 and 2",
            || (&x * &m).eval(),
        );
        refuses(
            "`a * b` of matrices with shapes 2x3 and 2x1: the sizes 3 and 2",
            || (&m * &v).eval(),
        );
        refuses(
            "`a.ad_mul(b)` of matrices with shapes 2x3 and 3x3: the sizes 2 and 3",
            || m.ad_mul(&n).eval(),
        );
        refuses(
            "`a.mul_ad(b)` of matrices with shapes 2x3 and 2x1: the sizes 3 and 1",
            || m.mul_ad(v.reshape(2, 1)).eval(),
        );
        let mut sum = n.clone();
        refuses(
            "the index (0, 3) is out of range for a matrix with shape 3x3",
            || sum[(0, 3)] *= 2.0,
        );
    });
    // Only the clone was recorded.
    assert_eq!(tape.statistics().statements, before + 1);
    tape.record(|| {
        refuses("`a.cholesky()` of a matrix with shape 2x3", || m.cholesky());
        refuses("`a.lu()` of a matrix with shape 2x3", || m.lu());
        refuses("`a.symmetric_eigen()` of a matrix with shape 2x3", || {
            m.symmetric_eigen()
        });
        refuses(
            "`a.solve(b)` of matrices with shapes 3x3 and 2x1: the sizes 3 and 2",
            || n.lu().solve(&v).unwrap().eval(),
        );
    });
}

#[test]
fn singular_and_indefinite_matrices_are_results() {
    let mut tape = Tape::new();
    for n in [2, 5, 40] {
        let unit = |i: usize, j: usize| C::from(f64::from(u8::from(i == j)));
        let twice = |i: usize, j: usize| {
            if i.max(j) < 2 {
                C::new(1.0, 0.0)
            } else {
                unit(i, j)
            }
        };
        let mut indefinite = DMatrix::<C>::identity(n, n);
        indefinite[(n - 1, n - 1)] = C::new(-1.0, 0.0);
        // Only the real part of its diagonal is read.
        let mut imaginary = DMatrix::<C>::identity(n, n);
        imaginary[(n - 1, n - 1)] = C::new(0.0, 1.0);
        let singular = tape.input(DMatrix::from_fn(n, n, twice));
        let (indefinite, imaginary) = (tape.input(indefinite), tape.input(imaginary));
        tape.record(|| {
            assert_eq!(singular.cholesky().err(), Some(NotPositiveDefinite));
            assert_eq!(indefinite.cholesky().err(), Some(NotPositiveDefinite));
            assert_eq!(imaginary.cholesky().err(), Some(NotPositiveDefinite));
            assert_eq!(singular.try_inverse().err(), Some(Singular));
            assert_eq!(singular.lu().solve(&singular).err(), Some(Singular));
            assert!(!singular.lu().is_invertible());
            assert_eq!(singular.determinant().value(), C::from(0.0));
            assert!(indefinite.lu().is_invertible());
        });
    }
}

#[test]
fn sums_and_determinants_of_empty_matrices_are_neutral() {
    let mut tape = Tape::new();
    let e = tape.input(DMatrix::<C>::zeros(0, 0));
    let m = tape.input(DMatrix::<C>::zeros(3, 0));
    let v = tape.input(DVector::<C>::zeros(0));
    let y = tape.record(|| {
        assert_eq!(e.sum().eval().value(), C::from(0.0));
        assert_eq!(e.norm().eval().value(), 0.0);
        assert_eq!(e.determinant().value(), C::from(1.0));
        assert_eq!(e.try_inverse().unwrap().get().shape(), (0, 0));
        assert_eq!(e.symmetric_eigen().eigenvalues.get().len(), 0);
        let svd = m.svd();
        assert_eq!(
            (svd.u.get().shape(), svd.v_t.get().shape()),
            ((3, 0), (0, 0))
        );
        let product = m.mul_ad(&m).eval();
        assert_eq!(product.get(), &DMatrix::zeros(3, 3));
        (product.sum() + (&m * &v).sum() + e.determinant()).eval()
    });
    tape.seed(&y, C::new(1.0, 1.0)).unwrap();
    let gradient = tape.sweep().unwrap();
    assert_eq!(gradient.wrt(&m).unwrap().shape(), (3, 0));
    assert_eq!(gradient.wrt(&e).unwrap().shape(), (0, 0));
}

#[test]
fn nan_propagates_and_is_located() {
    let mut tape = Tape::new();
    for n in [2, 40] {
        let mut a = DMatrix::<C>::identity(n, n);
        a[(1, 1)] = C::new(f64::NAN, 0.0);
        let a = tape.input(a);
        let b = tape.input(DVector::from_element(n, C::from(1.0)));
        tape.record(|| {
            assert_eq!(a.cholesky().err(), Some(NotPositiveDefinite));
            assert!(a.determinant().value().is_nan());
            assert!((&a * &b).eval().get()[1].is_nan());
            if let Ok(x) = a.lu().solve(&b) {
                assert!(x.eval().get()[1].is_nan());
            }
            if let Ok(x) = a.qr().solve(&b) {
                assert!(x.eval().get().iter().any(|x| x.is_nan()));
            }
            let eigen = a.symmetric_eigen();
            assert!(eigen.eigenvalues.get().iter().all(|x| x.is_nan()));
            assert!(eigen.eigenvectors.get().iter().all(|x| x.is_nan()));
            let svd = a.svd();
            assert!(svd.singular_values.get().iter().all(|x| x.is_nan()));
            assert!(
                a.pseudo_inverse(1e-9)
                    .eval()
                    .get()
                    .iter()
                    .all(|x| x.is_nan())
            );
        });
        assert!(tape.find_non_finite().is_some());
    }
}
