//! Errors in `#[kind]`, all reported at once.
use entape_core::kind;

#[kind(value = Vec<f64>, index = Owned, plain, size = 3, add = |into| {})]
pub struct Array;

#[kind(value = f64 f64, index = Linear)]
pub struct Twice;

fn main() {}
