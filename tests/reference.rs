//! The reference data in `data/`: computed by CoDiPack, and confirmed by Stan Math, Adept, an independent program and
//! finite differences.
use approx::abs_diff_eq;
use serde_json::Value;

/// Returns the case `name`: inputs, value and gradient.
///
/// # Panics
/// If the case does not exist.
pub fn program(name: &str) -> Value {
    let all: Value =
        serde_json::from_str(include_str!("data/programs.json")).expect("the data is JSON");
    assert!(
        all[name].is_object(),
        "no program `{name}` in data/programs.json"
    );
    all[name].clone()
}
/// Returns the numbers of a JSON array.
///
/// # Panics
/// If it is not an array of numbers.
pub fn numbers(array: &Value) -> Vec<f64> {
    let array = array.as_array().expect("an array");
    array
        .iter()
        .map(|x| x.as_f64().expect("a number"))
        .collect()
}
/// Asserts that numbers agree, relative to the largest expected number.
///
/// # Panics
/// If they differ.
#[track_caller]
pub fn assert_close(what: &str, actual: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(actual.len(), expected.len(), "{what}: the lengths differ");
    let scale = expected.iter().fold(0.0_f64, |scale, x| scale.max(x.abs()));
    for (i, (a, e)) in actual.iter().zip(expected).enumerate() {
        let close = abs_diff_eq!(*a, *e, epsilon = tolerance * scale);
        assert!(
            close,
            "{what}[{i}]: {a:e} instead of {e:e}, the largest is {scale:e}"
        );
    }
}
