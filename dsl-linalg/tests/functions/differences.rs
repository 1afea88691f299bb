use crate::*;
use approx::{abs_diff_eq, relative_eq};
use entape_core::op;
use entape_linalg::{prelude::*, symmetric};
use nalgebra::dmatrix;

/// Relative gaps, from large to hardly distinguishable.
const GAPS: [f64; 16] = [
    1e3, 10.0, 3.0, 1.0, 0.7, 0.4, 0.2, 0.1, 0.05, 1e-2, 1e-3, 1e-5, 1e-8, 1e-11, 1e-14, 3e-16,
];
#[track_caller]
fn assert_near(got: f64, want: f64, within: f64, what: &str) {
    assert!(
        relative_eq!(got, want, epsilon = 0.0, max_relative = within),
        "{what}: {got:e} instead of {want:e}"
    );
}
fn of_matrix(x: f64, y: f64, f: impl FnOnce(&Matrix) -> Matrix) -> f64 {
    let (_, g) = gradient(&dmatrix![x, 0.0; 0.0, y], |a: &Matrix| {
        f(a).at((1, 0)).eval()
    });
    g[(1, 0)]
}
fn sinhc(x: f64) -> f64 {
    if x.abs() < 1e-4 {
        1.0 + x * x / 6.0
    } else {
        x.sinh() / x
    }
}
/// `atanh(x) / x`, by its series where the function loses digits.
fn atanhc(x: f64) -> f64 {
    if x.abs() > 0.1 {
        return x.atanh() / x;
    }
    (0..20)
        .rev()
        .fold(0.0, |sum, k| sum * x * x + 1.0 / (2 * k + 1) as f64)
}

#[test]
fn differences_of_exponentials_logarithms_and_roots_do_not_cancel() {
    for x in [1e-200, 1e-9, 0.3, 1.0, 7.0, 1e5, 1e150] {
        for gap in GAPS {
            let y = x + x * gap;
            let what = format!("{x:e} {y:e}");
            for (x, y) in [(x, y), (y, x)] {
                let want = 2.0 * atanhc((x - y) / (x + y)) / (x + y);
                let within = if gap > 100.0 { 1e-12 } else { 2e-15 };
                assert_near(symmetric::Ln.divided_difference(x, y), want, within, &what);
                let got = of_matrix(x, y, |a| a.symmetric_ln().unwrap());
                assert_near(got, want, within, &what);
                let want = 1.0 / (x.sqrt() + y.sqrt());
                let got = of_matrix(x, y, |a| a.symmetric_sqrt().unwrap());
                assert_near(got, want, 1e-15, &what);
                for (p, want) in [
                    (2.0, x + y),
                    (3.0, x * x + x * y + y * y),
                    (-1.0, -1.0 / x / y),
                    (0.5, 1.0 / (x.sqrt() + y.sqrt())),
                    (1.0, 1.0),
                    (-0.5, -1.0 / (x * y.sqrt() + y * x.sqrt())),
                ] {
                    if !want.is_normal() {
                        continue;
                    }
                    let got = of_matrix(x, y, |a| a.symmetric_powf(p).unwrap());
                    assert_near(got, want, 5e-15, &format!("{what} {p}"));
                }
                assert_eq!(of_matrix(x, y, |a| a.symmetric_powf(0.0).unwrap()), 0.0);
            }
        }
    }
    for x in [-500.0, -3.0, -1e-3, 0.0, 0.3, 1.0, 100.0] {
        for gap in GAPS.map(|gap| gap.min(500.0)) {
            let y = x + gap;
            let want = ((x + y) / 2.0).exp() * sinhc((x - y) / 2.0);
            for (x, y) in [(x, y), (y, x)] {
                let within = 1e-15 * (4.0 + x.abs().max(y.abs()));
                let got = symmetric::Exp.divided_difference(x, y);
                assert_near(got, want, within, &format!("{x:e} {y:e}"));
            }
        }
    }
    assert_eq!(
        symmetric::Exp.divided_difference(-2000.0, 0.0),
        1.0 / 2000.0
    );
    let got: f64 = symmetric::Ln.divided_difference(1e-300, 1e300);
    assert_near(got, 600.0 * 10.0_f64.ln() / 1e300, 1e-15, "ends");
}
#[test]
fn differences_of_any_function_do_not_cancel() {
    // (f(x) - f(y)) / (x - y) without cancellation
    let tanh = |x: f64, y: f64| sinhc(x - y) / x.cosh() / y.cosh();
    let sin = |x: f64, y: f64| {
        let half = (x - y) / 2.0;
        let sinc = if half.abs() < 1e-4 {
            1.0 - half * half / 6.0
        } else {
            half.sin() / half
        };
        ((x + y) / 2.0).cos() * sinc
    };
    let recip = |x: f64, y: f64| -1.0 / x / y;
    let square = |x: f64, y: f64| x + y;
    for x in [-2.0, -0.3, 0.1, 0.3, 1.0, 7.0] {
        for gap in GAPS {
            let y = x + x * gap;
            let what = format!("{x:e} {y:e}");
            if y.abs() < 300.0 {
                // There, differences and slopes are rounding errors.
                let (got, want) = (op::Tanh.divided_difference(x, y), tanh(x, y));
                let within = 1e-13 * want.abs() + 1e-15 / (x - y).abs().max(0.3);
                assert!(
                    abs_diff_eq!(got, want, epsilon = within),
                    "{what}: {got:e} {want:e}"
                );
            }
            assert_near(
                op::Recip.divided_difference(x, y),
                recip(x, y),
                1e-13,
                &what,
            );
            let f = WithSlope(|x: f64| x * x, |x: f64| x + x);
            assert_near(f.divided_difference(x, y), square(x, y), 1e-13, &what);
            // Means of a few slopes miss waves.
            for waves in [1.0, 30.0, 1000.0, 1e6] {
                let f = WithSlope(
                    move |x: f64| (waves * x).sin(),
                    move |x: f64| waves * (waves * x).cos(),
                );
                let want = waves * sin(waves * x, waves * y);
                let got: f64 = f.divided_difference(x, y);
                let within = 1e-12 * waves * (1.0 + waves * x.abs().max(y.abs()) * 1e-3);
                assert!(
                    abs_diff_eq!(got, want, epsilon = within),
                    "{what} {waves}: {got:e} {want:e}"
                );
            }
            assert_near(
                op::Floor.divided_difference(x, y) * (y - x),
                y.floor() - x.floor(),
                1e-15,
                &what,
            );
        }
    }
    let abs: f64 = op::Abs.divided_difference(-1e-9, 2e-9);
    assert_near(abs, 1.0 / 3.0, 1e-15, "abs");
    let half = WithSlope(|x: f64| x / 2.0, |_| 0.5);
    assert_eq!(half.divided_difference(1e308, -1.2e308), 0.5);
    assert_eq!(half.divided_difference(1.7e308, 1.6999999999999e308), 0.5);
    let root: f64 = op::Sqrt.divided_difference(-1.0, 2.0);
    assert!(root.is_nan());
}
#[test]
fn differences_in_single_precision_do_not_cancel() {
    let near = |got: f32, want: f64, what: &str| assert_near(got.into(), want, 4e-6, what);
    for x in [0.01_f32, 0.3, 1.0, 7.0] {
        for gap in GAPS.map(|gap| gap as f32) {
            let y = x + x * gap;
            let what = format!("{x:e} {y:e}");
            let [a, b] = [x, y].map(f64::from);
            let ln = 2.0 * atanhc((a - b) / (a + b)) / (a + b);
            near(symmetric::Ln.divided_difference(x, y), ln, &what);
            near(op::Ln.divided_difference(x, y), ln, &what);
            near(op::Recip.divided_difference(x, y), -1.0 / a / b, &what);
            if y < 80.0 {
                let exp = ((a + b) / 2.0).exp() * sinhc((a - b) / 2.0);
                near(symmetric::Exp.divided_difference(x, y), exp, &what);
            }
        }
    }
}
