//! Errors in an annotated `impl` block: one run reports the errors of all its functions.
use entape_core::{kind, operations};

#[kind(value = (f64, f64), adjoint = Option<(f64, f64)>, zero = |_| (0.0, 0.0), add = |a, b| *a = b)]
pub struct Pair;

#[operations(inplace)]
impl Pair {
    #[op]
    fn first(#[ad_in((r_b, 0.0))] self) -> f64 {
        self.0
    }
    #[op]
    fn scale(#[ad_in(r_b * p.0)] s: f64, #[ad_in((r_b * s, 0.0))] p: Self) -> f64 {
        s * p.0
    }
}

#[operations(ext = PairOps)]
impl Clone for Pair {
    #[op]
    fn clone(p: &Self) -> Self {
        *p
    }
}

fn main() {}
