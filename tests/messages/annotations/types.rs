//! A formula of the wrong type is reported at its position.
use entape_core::{kind, op};

#[kind(value = (f64, f64), adjoint = Option<(f64, f64)>, zero = |_| (0.0, 0.0), add = |a, b| *a = b)]
pub struct Pair;

#[op]
fn first(#[ad_in(r_b)] p: Pair) -> f64 {
    p.0
}

#[op]
fn second(#[ad_in((0.0, p.2))] p: Pair) -> f64 {
    p.3
}

#[op]
fn lost(#[ad_in({ let p_b = r_b; (p_b, 0.0) })] p: Pair) -> f64 {
    p.0
}

fn main() {}
