//! `numbers`, `vector` and `real` on types with missing implementations.
use entape_core::kind;

#[kind(numbers(x, q), vector)]
#[derive(Clone, Copy, Default)]
pub struct Vector {
    x: f64,
}

#[kind(numbers(name))]
#[derive(Clone, Copy, Default)]
pub struct Named {
    name: &'static str,
}

#[kind(numbers)]
#[derive(Clone, Copy)]
pub struct NoDefault {
    x: f64,
}

#[kind(real(sqrt))]
#[derive(Clone, Copy)]
pub struct Bare(f64);

fn main() {}
