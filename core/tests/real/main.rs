//! The Real DSL against reference data, finite differences and conventions.
mod conventions;
mod differences;
mod everyday;
mod lanes;
mod pack;
mod passive;
mod reference;
mod singular;
mod special;

use approx::relative_eq;
use entape_core::{expr::Active, real::Elementary, tape::Tape};

/// A variable of the mode `Taped`.
pub type Real = Active<f64>;

/// The value of `f` at `x`, and its gradient.
pub fn gradient<const N: usize>(x: [f64; N], f: impl FnOnce([Real; N]) -> Real) -> (f64, [f64; N]) {
    let mut tape = Tape::new();
    let inputs = x.map(|x| tape.input(x));
    let y = tape.record(|| f(inputs));
    if !y.is_active() {
        return (y.value(), [0.0; N]);
    }
    let gradient = tape.gradient(&y).expect("a recorded output");
    (
        y.value(),
        inputs.map(|x| gradient.wrt(&x).expect("an input")),
    )
}

/// Up to the relative `tolerance`. `NaN` equals `NaN` here.
#[track_caller]
pub fn assert_close(got: f64, want: f64, tolerance: f64, what: &dyn std::fmt::Debug) {
    let both_nan = got.is_nan() && want.is_nan();
    assert!(
        both_nan || relative_eq!(got, want, epsilon = 0.0, max_relative = tolerance),
        "{got} instead of {want} in {what:?}"
    );
}

#[test]
fn member_operations_take_variables_expressions_and_numbers() {
    let (y, slopes) = gradient([3.0, 4.0], |[x, y]| {
        let (x, y) = (&x, &y);
        (x.hypot(y) * x.powf(2.0).max(y)
            + x.mul_add(2.0, y * 3.0)
            + (-x).abs().min(*y).clamp(0.0, x + y))
        .eval()
    });
    assert_eq!(y, 5.0 * 9.0 + 18.0 + 3.0);
    assert_close(slopes[0], 0.6 * 9.0 + 5.0 * 6.0 + 2.0 + 1.0, 1e-15, &"x");
    assert_close(slopes[1], 0.8 * 9.0 + 3.0, 1e-15, &"y");
}
