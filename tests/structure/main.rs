//! Programs whose parts are differentiated as a whole: external functions, preaccumulated parts, implicit functions, loops.
// pairs of lists and tuples are what the functions of these tests take
#![allow(clippy::type_complexity)]

mod checkpoint;
mod external;
mod implicit;
mod parallel;
mod preaccumulate;

use std::panic::{AssertUnwindSafe, catch_unwind};

/// The message of the panic of `f`.
#[track_caller]
fn message_of<T>(f: impl FnOnce() -> T) -> String {
    let Err(panic) = catch_unwind(AssertUnwindSafe(f)) else {
        panic!("it should panic")
    };
    match panic.downcast::<String>() {
        Ok(message) => *message,
        Err(other) => other.downcast_ref::<&str>().unwrap().to_string(),
    }
}
#[track_caller]
fn assert_close(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        let scale = 1.0 + a.abs().max(b.abs());
        assert!((a - b).abs() <= tolerance * scale, "{a} and {b}");
    }
}
