//! Misuse panics at the user's line with the operation and the shapes, returns a `Result`, or behaves as the plain
//! program; never a wrong number.
use entape_core::{
    expr::{list, list_of},
    op,
    tape::Tape,
};
use entape_linalg::prelude::*;
use nalgebra::{DMatrix, DVector, dmatrix, dvector};
use std::{
    cell::RefCell,
    panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook},
    sync::Once,
};

thread_local! {
    static PANIC: RefCell<Option<Option<(String, String)>>> = const { RefCell::new(None) };
}
#[track_caller]
fn refuses<T>(words: &str, f: impl FnOnce() -> T) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |info| {
            let awaited = PANIC.with_borrow_mut(|panic| {
                let place = info.location().map_or("", |l| l.file()).to_string();
                let payload = info.payload();
                let fixed = || payload.downcast_ref::<&str>().map(|s| s.to_string());
                let message = payload.downcast_ref::<String>().cloned().or_else(fixed);
                let message = message.unwrap_or_default();
                panic.as_mut().map(|panic| *panic = Some((message, place)))
            });
            if awaited.is_none() {
                usual(info);
            }
        }));
    });
    PANIC.set(Some(None));
    let outcome = catch_unwind(AssertUnwindSafe(f));
    let panic = PANIC.take().flatten();
    assert!(outcome.is_err(), "no panic with {words:?}");
    let (message, place) = panic.expect("a message");
    assert!(message.contains(words), "{words:?} is not in {message:?}");
    assert!(place.ends_with(file!()), "{message:?} at {place}");
}

#[test]
fn panics_name_the_shapes_that_do_not_fit() {
    let mut tape = Tape::new();
    let m = tape.input(DMatrix::<f64>::from_element(2, 3, 1.0));
    let n = tape.input(DMatrix::<f64>::from_element(3, 3, 1.0));
    let v = tape.input(dvector![1.0, 2.0]);
    let w = tape.input(dvector![1.0, 2.0, 3.0, 4.0]);
    let (narrow, mut sum) = tape.record(|| (m.columns(0, 2).eval(), m.clone()));
    let before = tape.statistics().statements;
    let both = " of matrices with shapes 2x3 and 3x3: use matrices of the same shape";
    tape.record(|| {
        refuses(&format!("`a + b`{both}"), || (&m + &n).eval());
        refuses(&format!("`a - b`{both}"), || (&m - &n).eval());
        refuses(&format!("`a.dot(b)`{both}"), || m.dot(&n).eval());
        refuses(&format!("`a.component_mul(b)`{both}"), || {
            m.component_mul(&n).eval()
        });
        refuses(&format!("`a.component_div(b)`{both}"), || {
            m.component_div(&n).eval()
        });
        refuses(&format!("`a.zip_map(b, ..)`{both}"), || {
            m.zip_map(&n, op::Atan2).eval()
        });
        refuses(&format!("`a + b`{both}"), || sum += &n);
        let both = " of matrices with shapes 2x3 and 2x1: the sizes 3 and 2 must be equal";
        refuses(&format!("`a * b`{both}"), || (&m * &v).eval());
        refuses(
            "`a.tr_mul(b)` of matrices with shapes 2x3 and 3x3: the sizes 2 and 3",
            || m.tr_mul(&n).eval(),
        );
        refuses(
            "`a.mul_tr(b)` of matrices with shapes 2x3 and 2x1: the sizes 3 and 1",
            || m.mul_tr(v.reshape(2, 1)).eval(),
        );
        refuses(
            "`v.quadratic_form(a)` of matrices with shapes 2x1 and 3x3",
            || v.quadratic_form(&n).eval(),
        );
        refuses("`v.quadratic_form(a)` of a matrix with shape 2x3", || {
            v.quadratic_form(&m).eval()
        });
        refuses("`a.hstack(b)` of matrices with shapes 2x3 and 3x3", || {
            m.hstack(&n).eval()
        });
        refuses("`a.vstack(b)` of matrices with shapes 2x3 and 2x1", || {
            m.vstack(v.reshape(2, 1)).eval()
        });
        refuses("`hstack(list)` of matrices with shapes 2x1 and 4x1", || {
            hstack(list_of([&v, &w])).eval()
        });
        refuses("`vstack(list)` of matrices with shapes 2x3 and 2x2", || {
            vstack(list_of([&m, &narrow])).eval()
        });
        refuses("`vstack(list)` of an empty list", || {
            vstack(list(&[] as &[Matrix])).eval()
        });
        refuses(
            "`a.reshape(..)` of matrices with shapes 2x3 and 4x2",
            || m.reshape(4, 2).eval(),
        );
        refuses(
            "`gather(..)` of 6 numbers into a matrix of shape 2x2",
            || -> Matrix { gather(m.elements(), 2, 2).eval() },
        );
        refuses(
            "`gather(..)` of a matrix of shape 2x3 into a type with 2 rows and 2 columns",
            || -> FixedMatrix<2, 2> { gather(m.elements(), 2, 3).eval() },
        );
    });
    assert_eq!(tape.statistics().statements, before);
}

#[test]
fn panics_name_operations_that_take_square_matrices() {
    let mut tape = Tape::new();
    let m = tape.input(DMatrix::<f64>::from_element(2, 3, 1.0));
    tape.record(|| {
        let what = "of a matrix with shape 2x3: use";
        refuses(&format!("`a.trace()` {what} a square matrix"), || {
            m.trace().eval()
        });
        refuses(&format!("`a.diagonal()` {what} a square matrix"), || {
            m.diagonal().eval()
        });
        refuses(&format!("`a.cholesky()` {what} a square matrix"), || {
            m.cholesky()
        });
        refuses(&format!("`a.lu()` {what} a square matrix"), || m.lu());
        refuses(&format!("`a.try_inverse()` {what} a square matrix"), || {
            m.try_inverse()
        });
        refuses(&format!("`a.determinant()` {what} a square matrix"), || {
            m.determinant()
        });
        refuses(&format!("`a.ln_abs_det()` {what} a square matrix"), || {
            m.ln_abs_det()
        });
        refuses(
            &format!("`a.qr().solve(b)` {what} at least as many rows as columns, or `a.pseudo"),
            || m.qr().solve(&m).map(|x| x.eval()),
        );
        refuses("of a matrix with shape 2x3: use a square matrix", || {
            m.symmetric_eigen()
        });
    });
}

#[test]
fn extremes_of_empty_matrices_panic() {
    let mut tape = Tape::new();
    let m = tape.input(DMatrix::<f64>::zeros(0, 3));
    let v = tape.input(DVector::<f64>::zeros(0));
    let plain = Vector::<entape_core::mode::Plain>::passive(dvector![]);
    tape.record(|| {
        let rest = "needs at least one element: check `a.is_empty()` first";
        let of =
            |name: &str, shape: &str| format!("`a.{name}()` of a matrix with shape {shape} {rest}");
        refuses(&of("max_element", "0x3"), || m.max_element().eval());
        refuses(&of("min_element", "0x3"), || m.min_element().eval());
        refuses(&of("argmax", "0x1"), || v.argmax());
        refuses(&of("argmin", "0x1"), || v.argmin());
        refuses(&of("min_element", "0x1"), || (v.min_element() * 2.0).eval());
        refuses(&of("max_element", "0x1"), || plain.max_element().eval());
    });
}

#[test]
fn solves_name_both_shapes() {
    let mut tape = Tape::new();
    let a = tape.input(dmatrix![4.0, 1.0; 1.0, 3.0]);
    let b = tape.input(dvector![1.0, 2.0, 3.0]);
    tape.record(|| {
        let both = "of matrices with shapes 2x2 and 3x1: the sizes 2 and 3 must be equal";
        refuses(both, || a.cholesky().unwrap().solve(&b).eval());
        refuses(both, || a.lu().solve(&b).unwrap().eval());
        refuses(both, || a.qr().solve(&b).unwrap().eval());
        refuses(both, || a.solve_lower_triangular(&b).unwrap().eval());
    });
}

#[test]
fn panics_name_parts_outside_of_the_matrix() {
    let mut tape = Tape::new();
    let m = tape.input(DMatrix::<f64>::from_element(2, 3, 1.0));
    tape.record(|| {
        let mut x = m.clone();
        let of = "is out of range for a matrix with shape 2x3";
        refuses(
            &format!("`a.view(..)`: the block with shape 2x2 at row 1 and column 0 {of}"),
            || m.view((1, 0), (2, 2)).eval(),
        );
        refuses(
            &format!("`a.row(i)`: the block with shape 1x3 at row 2 and column 0 {of}"),
            || m.row(2).eval(),
        );
        refuses(
            &format!("`a.column(j)`: the block with shape 2x1 at row 0 and column 3 {of}"),
            || m.column(3).eval(),
        );
        refuses(
            &format!("`a.rows(first, n)`: the block with shape 2x3 at row 1 and column 0 {of}"),
            || m.rows(1, 2).eval(),
        );
        refuses(
            &format!("`a.columns(first, n)`: the block with shape 2x2 at row 0 and column 2 {of}"),
            || m.columns(2, 2).eval(),
        );
        refuses(of, || x.view_mut((0, 0), (3, 1)).mul_assign(2.0));
        refuses(of, || x.row_mut(2).mul_assign(2.0));
        refuses(of, || x.column_mut(usize::MAX).mul_assign(2.0));
        refuses(
            "the index (0, 3) is out of range for a matrix with shape 2x3",
            || x[(0, 3)].assign(1.0),
        );
        refuses(
            "the index 6 is out of range for a matrix with shape 2x3",
            || x[6].assign(1.0),
        );
        refuses(
            "`block.assign(..)` of matrices with shapes 2x2 and 2x1",
            || {
                x.view_mut((0, 0), (2, 2)).assign(m.view((0, 0), (2, 1)));
            },
        );
        refuses(
            "`block.assign(..)` of matrices with shapes 1x3 and 1x2",
            || {
                x.row_mut(0).assign(m.columns(0, 2).row(0));
            },
        );
        assert_eq!(x.get(), m.get());
    });
}

#[test]
fn sums_and_determinants_of_empty_matrices_are_neutral() {
    let mut tape = Tape::new();
    let (e, m) = (
        tape.input(DMatrix::<f64>::zeros(0, 0)),
        tape.input(DMatrix::<f64>::zeros(3, 0)),
    );
    let v = tape.input(DVector::<f64>::zeros(0));
    let y = tape.record(|| {
        assert_eq!(e.sum().eval().value(), 0.0);
        assert_eq!(e.mean().eval().value(), 0.0);
        assert_eq!(e.norm().eval().value(), 0.0);
        assert_eq!(e.determinant().value(), 1.0);
        assert_eq!(e.cholesky().unwrap().ln_determinant().eval().value(), 0.0);
        assert_eq!(e.try_inverse().unwrap().get().shape(), (0, 0));
        assert_eq!(e.lu().solve(&v).unwrap().eval().get().len(), 0);
        assert_eq!(e.symmetric_eigen().eigenvalues.get().len(), 0);
        assert_eq!(m.svd().u.get().shape(), (3, 0));
        refuses("empty", || e.max_element().eval());
        refuses("empty", || e.argmin());
        let product = m.mul_tr(&m).eval();
        assert_eq!(product.get(), &DMatrix::zeros(3, 3));
        (product.sum() + (&m * &v).sum() + e.determinant()).eval()
    });
    let gradient = tape.gradient(&y).unwrap();
    assert_eq!(gradient.wrt(&m).unwrap().shape(), (3, 0));
    assert_eq!(gradient.wrt(&v).unwrap().len(), 0);
    assert_eq!(gradient.wrt(&e).unwrap().shape(), (0, 0));
}

#[test]
fn singular_and_indefinite_matrices_are_results() {
    let mut tape = Tape::new();
    for n in [2, 5, 40] {
        let twice = DMatrix::from_fn(
            n,
            n,
            |i, j| if i.max(j) < 2 { 1.0 } else { f64::from(i == j) },
        );
        let mut indefinite = DMatrix::<f64>::identity(n, n);
        indefinite[(n - 1, n - 1)] = -1.0;
        let (singular, indefinite) = (tape.input(twice), tape.input(indefinite));
        tape.record(|| {
            assert_eq!(singular.cholesky().err(), Some(NotPositiveDefinite));
            assert_eq!(singular.try_inverse().err(), Some(Singular));
            assert_eq!(singular.lu().solve(&singular).err(), Some(Singular));
            assert!(!singular.lu().is_invertible());
            assert_eq!(singular.determinant().value(), 0.0);
            assert_eq!(indefinite.cholesky().err(), Some(NotPositiveDefinite));
            assert!(indefinite.lu().is_invertible());
        });
    }
}

#[test]
fn nan_propagates_and_is_located() {
    let mut tape = Tape::new();
    for n in [2, 40] {
        let mut a = DMatrix::<f64>::identity(n, n);
        a[(1, 1)] = f64::NAN;
        let a = tape.input(a);
        let b = tape.input(DVector::from_element(n, 1.0));
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
            let svd = a.svd();
            assert!(svd.singular_values.get().iter().all(|x| x.is_nan()));
            let inverse = a.pseudo_inverse(1e-9).eval();
            assert!(inverse.get().iter().all(|x| x.is_nan()));
        });
        assert!(tape.find_non_finite().is_some());
    }
}

#[test]
fn matrix_functions_name_the_shape_that_they_take() {
    let mut tape = Tape::new();
    let m = tape.input(DMatrix::<f64>::from_element(2, 3, 1.0));
    tape.record(|| {
        let what = "of a matrix with shape 2x3: use";
        refuses(
            &format!("`a.symmetric_functions()` {what} a square matrix"),
            || m.symmetric_functions(),
        );
        refuses(
            &format!("`a.symmetric_exp()` {what} a square matrix"),
            || m.symmetric_exp(),
        );
        refuses(
            &format!("`a.symmetric_ln()` {what} a square matrix"),
            || m.symmetric_ln(),
        );
        refuses(
            &format!("`a.symmetric_sqrt()` {what} a square matrix"),
            || m.symmetric_sqrt(),
        );
        refuses(
            &format!("`a.symmetric_powf(p)` {what} a square matrix"),
            || m.symmetric_powf(0.5),
        );
        refuses(
            &format!("`a.symmetric_function(f)` {what} a square matrix"),
            || m.symmetric_function(op::Tanh),
        );
        refuses(
            &format!("`a.polar()` {what} at least as many rows as columns"),
            || m.polar(),
        );
    });
}

#[cfg(feature = "fft")]
#[test]
fn half_spectra_of_another_length_panic() {
    let mut tape = Tape::new();
    let a = tape.input(DMatrix::from_element(
        1,
        2,
        nalgebra::Complex::new(1.0, 0.0),
    ));
    tape.record(|| {
        let of_rows = "`irfft_rows(4)` of a matrix with 2 columns: pass a spectrum with 3 columns";
        refuses(of_rows, || a.irfft_rows(4).eval());
        let of_columns = "`irfft_columns(2)` of a matrix with 1 rows: pass a spectrum with 2 rows";
        refuses(of_columns, || a.irfft_columns(2).eval());
    });
}

type Rule = entape_linalg::Dense<f64, nalgebra::Dyn, nalgebra::Dyn>;
#[op]
fn corner(#[ad_in(dmatrix![r_b])] a: &Rule) -> f64 {
    a[(0, 0)]
}
#[op]
fn corner_within(
    #[ad_in(entape_linalg::Within::new((1, 1), |sum: &mut DMatrix<f64>| sum[(0, 0)] += r_b))]
    a: &Rule,
) -> f64 {
    a[(0, 0)]
}

#[test]
fn an_adjoint_of_another_shape_panics() {
    let swept = |f: &dyn Fn(&Matrix) -> entape_core::expr::Active<f64>| {
        let mut tape = Tape::new();
        let m = tape.input(DMatrix::<f64>::from_element(2, 2, 1.0));
        let y = tape.record(|| f(&m));
        let swept = catch_unwind(AssertUnwindSafe(|| tape.gradient(&y).map(|_| ())));
        *swept.unwrap_err().downcast::<String>().expect("a message")
    };
    let both = "with respect to its first argument has shape (1, 1), but its value of kind matrix has shape (2, 2)";
    let message = swept(&|m| corner(m).eval());
    assert!(
        message.contains("Corner") && message.contains(both),
        "{message}"
    );
    let message = swept(&|m| corner_within(m).eval());
    assert!(
        message.contains("CornerWithin") && message.contains(both),
        "{message}"
    );
    // After a term of the right shape.
    let message = swept(&|m| {
        let corner = corner_within(m).eval();
        let trace = m.trace().eval();
        (corner + trace).eval()
    });
    assert!(
        message.contains("shape (1, 1)") || message.contains("shape 1x1"),
        "{message}"
    );
}
