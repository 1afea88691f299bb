//! Programs whose parts are differentiated as a whole.
// Functions take pairs of lists and tuples.
#![allow(clippy::type_complexity)]

mod checkpoint;
mod external;
mod implicit;
mod parallel;
mod preaccumulate;
mod structs;
mod undefined;

use approx::assert_relative_eq;
use std::panic::{AssertUnwindSafe, catch_unwind};

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
    assert_relative_eq!(a, b, epsilon = tolerance, max_relative = tolerance);
}
