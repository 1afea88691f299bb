//! Matrices.
use crate::kinds::next_and_before;
use entape::{driver::gradient, prelude::*};
use entape_mpi::{Communicator, Operation};
use nalgebra::{DMatrix, DVector, dmatrix};

pub fn matrices(ranks: &Communicator) {
    let (to, from) = next_and_before(ranks);
    let rank = ranks.rank() as f64;
    let a = dmatrix![1.0, 2.0 + rank; 3.0, 4.0];
    let of_ring = |a: &Matrix| {
        let other = ranks.send_receive(to, a, from, a.get().clone(), 4).eval();
        let part = (a * &other).sum().eval();
        ranks.once().all_reduce(&part, Operation::Sum).eval()
    };
    let a_b = gradient(of_ring, a.clone()).expect("a gradient");
    // The sum of A B has the gradients 1 (B 1)ᵀ and (Aᵀ 1) 1ᵀ.
    let of = |rank: usize| dmatrix![1.0, 2.0 + rank as f64; 3.0, 4.0];
    let ones = DVector::from_element(2, 1.0);
    let expected =
        &ones * (of(from) * &ones).transpose() + of(to).transpose() * &ones * ones.transpose();
    assert!((a_b - expected).norm() < 1e-12);
    let all = |a: &Matrix| {
        let product = ranks
            .once()
            .all_reduce_with(a, |a: &Matrix, b: &Matrix| (a * b).eval());
        product.trace().eval()
    };
    let h = 1e-6;
    let value = |change: f64| -> f64 {
        let alone = (0..ranks.size()).fold(DMatrix::identity(2, 2), |product, rank| {
            let mut b = of(rank);
            b[(0, 1)] += change;
            product * b
        });
        alone.trace()
    };
    let difference: f64 = (value(h) - value(-h)) / (2.0 * h);
    let a_b = gradient(all, a.clone()).expect("a gradient");
    let slope: Real = Real::passive(a_b[(0, 1)]);
    let sum: f64 = ranks.all_reduce(&slope, Operation::Sum).eval().value();
    assert!(
        f64::abs(sum - difference) < 1e-6 * (1.0 + difference.abs()),
        "{sum} for {difference}"
    );
    let mut tape = Tape::<Reuse>::default();
    let x = tape.input(a.clone());
    let y = tape.record(|| {
        let mut y = ranks.all_reduce(&x, Operation::Sum).eval();
        y *= 2.0;
        let z = ranks.send_receive(to, &y, from, a.clone(), 4).eval();
        z.sum().eval()
    });
    let x_b = tape
        .gradient(&y)
        .expect("a sweep")
        .wrt(&x)
        .expect("an input");
    assert!((x_b - DMatrix::from_element(2, 2, 2.0 * ranks.size() as f64)).norm() < 1e-12);
}
