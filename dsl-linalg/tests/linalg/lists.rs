use crate::{matrix, vector};
use entape_check::assert_expression;
use entape_core::expr::{Active, list, list_of};
use entape_linalg::*;

#[test]
fn stacked_matrices_have_derivatives() {
    assert_expression(
        |(a, b, v): (&Matrix, &Matrix, &Vector)| {
            let columns: Matrix = hstack(list(&[v.clone(), v.clone()])).eval();
            let mut last = b.clone();
            let wide: Matrix = hstack(list_of([a, &last, a])).eval();
            last *= 2.0;
            let tall: Matrix = vstack(list(&[wide.clone(), (&last * &wide).eval()])).eval();
            (tall.tr_mul(&tall).norm() + (&tall * columns.row(0).sum()).column(1).sum()).eval()
        },
        (matrix(2, 3, 0), matrix(2, 2, 1), vector(2, 2)),
    );
}

#[test]
fn gathered_and_scattered_numbers_have_derivatives() {
    assert_expression(
        |x: &[Active<f64>]| {
            let m: Matrix = gather(list(x), 2, 3).eval();
            let y = m.tr_mul(&m).elements().split();
            (y[0] * y[5] + y[1]).eval()
        },
        &[0.5, 1.5, -2.0, 3.0, 0.25, 1.0],
    );
}
