//! Bitwise equal, also in tiny chunks and twice.
use crate::*;
use entape_core::{
    mode::{AnyMode, Plain, Recording, Reuse},
    op,
};
use entape_linalg::prelude::*;

fn program<M: AnyMode>(a: &Matrix<M>, p: &Active<f64, M>) -> Active<f64, M> {
    let mut sum = (a * 0.5).symmetric_exp();
    for _ in 0..3 {
        let gram = (sum.tr_mul(&sum) + a).symmetric_functions();
        let roots = gram.sqrt().expect("positive") + gram.powf(p).expect("positive");
        sum = (roots - gram.ln().expect("positive") * gram.function(op::Tanh)).eval();
        let polar = (&sum + a).polar();
        sum = (polar.u() - polar.p() / 8.0).eval();
    }
    sum.norm_squared().eval()
}
fn run<M: Recording>(a: &DMatrix<f64>, chunk: Option<usize>) -> (f64, DMatrix<f64>, f64) {
    let builder = Tape::<M>::builder();
    let mut tape = match chunk {
        Some(bytes) => builder.chunk_bytes(bytes).build(),
        None => builder.build(),
    }
    .expect("a tape");
    let (a, p) = (tape.input(a.clone()), tape.input(0.7));
    let y = tape.record(|| program(&a, &p));
    let mut sweep = || {
        let gradient = tape.gradient(&y).expect("recorded");
        (
            gradient.wrt(&a).expect("an input"),
            gradient.wrt(&p).expect("an input"),
        )
    };
    let first = sweep();
    assert_eq!(first, sweep(), "a second sweep");
    (y.value(), first.0, first.1)
}
#[test]
fn all_modes_agree() {
    for d in [[0.5, 0.5, 2.0], [0.5, 1.0, 2.0], [1.0, 1.0, 1.0]] {
        let a = of_values(&orthogonal(3, 3, 0), &d);
        let taped = run::<Taped>(&a, None);
        assert!(taped.1.norm() > 0.0 && taped.1.iter().all(|x| x.is_finite()) && taped.2 != 0.0);
        let plain = program::<Plain>(&Active::passive(a.clone()), &Active::passive(0.7));
        assert_eq!(plain.value(), taped.0);
        assert_eq!(run::<Taped>(&a, Some(64)), taped);
        assert_eq!(run::<Reuse>(&a, None), taped);
        assert_eq!(run::<Reuse>(&a, Some(64)), taped);
    }
}
