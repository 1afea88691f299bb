//! Every rule, compared with central differences.
use crate::*;
use entape_check::assert_expression;
use entape_core::{expr::lit, op};
use entape_linalg::prelude::*;
use nalgebra::{Matrix2, Matrix3, Matrix3x2};

/// A constant and an input without small elements, because steps of differences are relative. Multiples of 1/8 stay
/// exact.
fn apart<T: Number>(a: &DMatrix<T>) -> (DMatrix<T>, DMatrix<T>) {
    let step = |x: f64| T::Part::of((4.0 * x).round() / 8.0 + 0.0625);
    let x = DMatrix::from_fn(a.nrows(), a.ncols(), |i, j| {
        let x = number(i, j, 4);
        T::of_parts(step(x.re), step(x.im))
    });
    (a - &x, x)
}
fn some_spectra(n: usize) -> Vec<Vec<f64>> {
    let all = spectra(n);
    match n {
        0 | 1 => vec![all[0].clone()],
        2 => all,
        _ => vec![
            all[1].clone(),
            (0..n).map(|i| 1.0 + 1e-9 * i as f64).collect(),
        ],
    }
}
macro_rules! check { ($T:ty: $a:expr, |$x:ident $(, $p:ident = $point:tt)?| $f:expr) => {{
    let (rest, input) = apart::<$T>(&$a);
    let whole = |a: &Matrix<Taped, $T>| (a + lit::<Dense<$T, Dyn, Dyn>, _>(rest.clone())).eval();
    let run = |a: &Matrix<Taped, $T>, _p: Active<<$T as Number>::Part>| {
        let $x = &whole(a);
        $(let $p = _p;)?
        $f
    };
    let point = <<$T as Number>::Part as Number>::of(1.0 $(* $point)?);
    $(
        let _ = stringify!($p);
        assert_expression(|(a, p): (&Matrix<Taped, $T>, Active<<$T as Number>::Part>)| run(a, p), (input.clone(), point));
    )?
    assert_expression(|a: &Matrix<Taped, $T>| run(a, Active::passive(point)), input);
}} }
macro_rules! functions { ($T:ty: $a:expr) => {{
    let a: DMatrix<$T> = $a;
    check!($T: a, |a| a.symmetric_exp());
    check!($T: a, |a| a.symmetric_ln().unwrap());
    check!($T: a, |a| a.symmetric_sqrt().unwrap());
    for exponent in [-1.5, 0.0, 0.3] {
        check!($T: a, |a, p = exponent| a.symmetric_powf(p).unwrap());
    }
    check!($T: a, |a| a.symmetric_function(op::Tanh));
    check!($T: a, |a| {
        type Real = <$T as Number>::Part;
        a.symmetric_function(WithSlope(|x: Real| x * x * x, |x: Real| x * x * Real::of(3.0)))
    });
}} }

#[test]
fn functions_of_real_matrices_have_derivatives() {
    functions!(f64: of_values(&orthogonal(5, 5, 0), &[0.7, 0.7, 1.0, 1.0 + 1e-9, 2.0]));
    for n in [0, 1, 2, 3] {
        for d in some_spectra(n) {
            functions!(f64: of_values(&orthogonal(n, n, 0), &d));
        }
        let a = real(n, n, 3);
        functions!(f64: &a * a.transpose() + DMatrix::identity(n, n));
        functions!(f64: DMatrix::identity(n, n));
    }
}
#[test]
fn functions_of_complex_matrices_have_derivatives() {
    for n in [0, 1, 2, 3] {
        for d in some_spectra(n) {
            functions!(C: of_values(&unitary(n, n, 0), &d));
        }
        let a = complex(n, n, 3);
        functions!(C: &a * a.adjoint() + DMatrix::identity(n, n));
        functions!(C: DMatrix::identity(n, n));
    }
}
#[test]
fn single_precision_has_the_slopes_of_double_precision() {
    // Single precision cannot distinguish small slopes from rounding.
    macro_rules! same {
        ($a:expr, |$x:ident| $f:expr) => {{
            let a: DMatrix<f32> = $a;
            let weights = real(a.nrows(), a.ncols(), 1);
            let (_, got) = gradient(&a, |$x: &Matrix<Taped, f32>| {
                $f.component_mul(lit::<Dense<f32, Dyn, Dyn>, _>(single(&weights)))
                    .sum()
                    .eval()
            });
            let (_, want) = gradient(&a.map(f64::from), |$x: &Matrix| {
                $f.component_mul(lit::<Dense<f64, Dyn, Dyn>, _>(weights))
                    .sum()
                    .eval()
            });
            assert_close(&got.map(f64::from), &want, 1e-5);
        }};
    }
    for n in [0, 1, 2, 3, 5] {
        for d in spectra(n) {
            let a = single(&of_values(&orthogonal(n, n, 0), &d));
            same!(a.clone(), |a| a.symmetric_exp());
            same!(a.clone(), |a| a.symmetric_ln().unwrap());
            same!(a.clone(), |a| a.symmetric_sqrt().unwrap());
            same!(a.clone(), |a| a.symmetric_powf(-1.5).unwrap());
            same!(a.clone(), |a| a.symmetric_powf(0.3).unwrap());
            same!(a, |a| a.symmetric_function(op::Tanh));
            let a = orthogonal(n + 1, n, 0) * diagonal(&d) * orthogonal(n, n, 5);
            same!(single(&a), |a| a.polar().u().eval());
        }
    }
}
#[test]
fn functions_of_fixed_sizes_have_derivatives() {
    let a = of_values(&orthogonal(3, 3, 0), &[1.0, 1.0, 2.0]);
    let a = Matrix3::from_column_slice(a.as_slice());
    assert_expression(|a: FixedMatrix<3, 3>| a.symmetric_ln().unwrap(), a);
    assert_expression(
        |(a, p): (FixedMatrix<3, 3>, Active<f64>)| a.symmetric_powf(p).unwrap(),
        (a, 0.3),
    );
    let a = of_values(&unitary(2, 2, 0), &[1.0, 2.0]);
    let a = Matrix2::from_column_slice(a.as_slice());
    assert_expression(|a: FixedComplexMatrix<2, 2>| a.symmetric_sqrt().unwrap(), a);
    let a = Matrix3x2::new(1.0, 2.0, 3.0, 4.0, 5.0, 7.0);
    assert_expression(|a: FixedMatrix<3, 2>| a.polar().u().eval(), a);
    assert_expression(|a: FixedMatrix<3, 2>| a.polar().p().eval(), a);
}
#[test]
fn functions_share_a_factorization() {
    for d in spectra(3) {
        check!(f64: of_values(&orthogonal(3, 3, 0), &d), |a, p = 0.4| {
            let f = (a * 2.0).symmetric_functions();
            let unused = f.exp().eval();
            let r = (f.ln().unwrap() * f.sqrt().unwrap() - f.powf(p + 1.0).unwrap()).eval();
            (&r + f.function(op::Atan) * unused.get()[(0, 0)].signum()).eval()
        });
    }
}
#[test]
fn polar_factors_have_derivatives() {
    for n in [0, 1, 2, 3] {
        for m in [n, n + 2] {
            for s in some_spectra(n) {
                let (w, v) = (orthogonal(m, n, 0), orthogonal(n, n, 5));
                let a = w * diagonal(&s) * v.transpose();
                check!(f64: a, |a| a.polar().p().eval());
                if m > 1 {
                    check!(f64: a, |a| a.polar().u().eval());
                }
                let (w, v) = (unitary(m, n, 0), unitary(n, n, 5));
                let a = w * diagonal(&s) * v.adjoint();
                check!(C: a, |a| a.polar().u().eval());
                check!(C: a, |a| a.polar().p().eval());
            }
            let a = real(m, n, 3);
            check!(f64: a, |a| {
                let polar = a.polar();
                (polar.u() * polar.p() * 2.0 - polar.u()).eval()
            });
        }
    }
}
