//! The Real DSL through the tape: against reference data, finite differences and the table of
//! conventions.
mod conventions;
mod differences;
mod lanes;
mod passive;
mod reference;
mod special;

use entape_core::{expr::Active, tape::Tape};

/// A variable of the taped mode.
pub type Real = Active<f64>;

/// The value of `f` at `x`, and its gradient, computed through a tape of its own. The only place that
/// knows how a tape is driven.
pub fn gradient<const N: usize>(x: [f64; N], f: impl FnOnce([Real; N]) -> Real) -> (f64, [f64; N]) {
    let mut tape = Tape::new();
    let inputs = x.map(|x| tape.input(x));
    let y = tape.record(|| f(inputs));
    if !y.is_active() {
        return (y.value(), [0.0; N]);
    }
    tape.sweep(&y);
    (y.value(), inputs.map(|x| tape.grad(&x)))
}

/// Asserts that two numbers agree up to `tolerance`, relative to `want` where it is not small.
#[track_caller]
pub fn assert_close(got: f64, want: f64, tolerance: f64, what: &dyn std::fmt::Debug) {
    let same = got == want || (got.is_nan() && want.is_nan());
    assert!(
        same || (got - want).abs() <= tolerance * want.abs(),
        "{got} instead of {want} in {what:?}"
    );
}
