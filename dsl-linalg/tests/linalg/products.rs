use crate::matrix;
use entape_core::tape::{Error, Tape};
use entape_linalg::*;

#[test]
fn products_with_sums_in_several_pieces_are_right() {
    let (a, b) = (matrix(3, 300, 0), matrix(4, 300, 1));
    let mut tape = Tape::new();
    let (x, y) = (tape.input(a.clone()), tape.input(b.clone()));
    let r = tape.record(|| x.mul_tr(&y).eval());
    let error = (r.get() - &a * b.transpose()).abs().max();
    assert!(error < 1e-12, "{error}");
}

/// Factors are distributed over terms that are added in the memory of the result, which rounds differently.
#[test]
fn a_verifying_tape_accepts_terms_that_share_a_destination() -> Result<(), Error> {
    for seed in 0..8 {
        let mut tape: Tape = Tape::builder().verify(true).build()?;
        let [a, b, c, n] = [0, 1, 2, 3].map(|k| tape.input(matrix(3, 3, 4 * seed + k)));
        let s = tape.input(0.7 + f64::from(seed as u8));
        let y = tape.record(|| {
            let mut m = (&a * 1.0).eval();
            m += &b * &c - &n;
            m.column_mut(0).assign(s * (&b.column(1) + &c.column(2)));
            m.view_mut((0, 0), (3, 3)).sub_assign(s * (&b + &c));
            m.view_mut((0, 0), (3, 3)).sub_assign(&b * &c - &n);
            m.norm_squared().eval()
        });
        let b_b = tape.gradient(&y)?.wrt(&b)?;
        assert!(b_b.iter().all(|x| x.is_finite()));
    }
    Ok(())
}
