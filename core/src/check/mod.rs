//! The rule-test kit.
mod coordinates;

pub use coordinates::{Coordinates, take};
