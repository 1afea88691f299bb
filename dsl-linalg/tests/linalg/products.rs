//! Values of products.
use crate::matrix;
use entape_core::tape::Tape;
use entape_linalg::*;

/// Sums that are long enough for several pieces of a product.
#[test]
fn long_sums() {
    let (a, b) = (matrix(3, 300, 0), matrix(4, 300, 1));
    let mut tape = Tape::new();
    let (x, y) = (tape.input(a.clone()), tape.input(b.clone()));
    let r = tape.record(|| x.mul_tr(&y).eval());
    let error = (r.get() - &a * b.transpose()).abs().max();
    assert!(error < 1e-12, "{error}");
}
