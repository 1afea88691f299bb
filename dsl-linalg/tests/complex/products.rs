use crate::matrix;
use entape_core::tape::Tape;
use entape_linalg::*;

#[test]
fn products_with_sums_in_several_pieces_are_right() {
    let (a, b) = (matrix(3, 300, 0), matrix(4, 300, 1));
    let mut tape = Tape::new();
    let (x, y) = (tape.input(a.clone()), tape.input(b.clone()));
    let r = tape.record(|| x.mul_ad(&y).eval());
    let error = (r.get() - &a * b.adjoint()).map(|z| z.norm()).max();
    assert!(error < 1e-12, "{error}");
}
