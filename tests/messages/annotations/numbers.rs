//! `numbers`, `vector` and `real`: contradictions, and requirements.
use entape_core::kind;

#[kind(numbers(x + 1.0, y), coordinates)]
#[derive(Clone, Copy, Default)]
pub struct Sum {
    x: f64,
    y: f64,
}

#[kind(numbers(), real)]
#[derive(Clone, Copy, Default)]
pub struct Nothing {
    x: f64,
}

#[kind(numbers, coordinates, add = |a, b| {}, vector)]
#[derive(Clone, Copy, Default)]
pub struct Twice {
    x: f64,
}

#[kind(value = (f64, u8), numbers)]
pub struct Unnamed;

#[kind(vector)]
#[derive(Clone, Copy, Default, PartialEq)]
pub struct Alone {
    x: f64,
}

#[kind(value = f64, real(exp2))]
pub struct Rounded;

#[kind(value = f64, real(sinc))]
pub struct Unknown;

#[kind(value = f64, real(sqrt))]
pub struct Foreign;

#[kind(numbers(x), sample(x = 1.0))]
#[derive(Clone, Copy, Default)]
pub struct NoValue {
    x: f64,
}

fn main() {}
