//! Complex numbers against reference data, finite differences and the tables of the documentation.
#[path = "complex/conventions.rs"]
mod conventions;
#[path = "complex/drivers.rs"]
mod drivers;
#[path = "complex/faults.rs"]
mod faults;
#[path = "complex/kinds.rs"]
mod kinds;
#[path = "complex/literals.rs"]
mod literals;
#[path = "complex/operators.rs"]
mod operators;
#[path = "complex/plane.rs"]
mod plane;
#[path = "complex/reference.rs"]
mod reference;
#[path = "complex/rules.rs"]
mod rules;
#[path = "complex/runs.rs"]
mod runs;

use entape_complex::{Complex, num_complex::Complex64};
use entape_core::{expr::Active, tape::Tape};

/// The value of `f` at `z`, and the adjoint of `z` for a seed of the result.
pub fn pull(
    z: Complex64,
    seed: Complex64,
    f: impl FnOnce(Complex) -> Complex,
) -> (Complex64, Complex64) {
    let mut tape = Tape::new();
    let z = tape.input(z);
    let y = tape.record(|| f(z));
    tape.seed(&y, seed).expect("a recorded output");
    let z_b = tape.sweep().and_then(|g| g.wrt(&z)).expect("an input");
    (y.value(), z_b)
}
/// The gradient of a real function.
pub fn gradient(z: Complex64, f: impl FnOnce(Complex) -> Active<f64>) -> Complex64 {
    let mut tape = Tape::new();
    let z = tape.input(z);
    let y = tape.record(|| f(z));
    let gradient = tape.gradient(&y).expect("a recorded output");
    gradient.wrt(&z).expect("an input")
}
/// Relative to `want`.
#[track_caller]
pub fn assert_close(got: Complex64, want: Complex64, tolerance: f64, what: &str) {
    let error = (got - want).norm();
    assert!(
        error <= tolerance * want.norm(),
        "{what}: {got} instead of {want}"
    );
}
