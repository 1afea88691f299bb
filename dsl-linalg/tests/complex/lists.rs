use crate::matrix;
use entape_check::assert_expression;
use entape_core::expr::{list, list_of};
use entape_linalg::*;

#[test]
fn stacked_and_gathered_matrices_have_derivatives() {
    assert_expression(
        |(a, b): (&ComplexMatrix, &ComplexMatrix)| {
            let wide: ComplexMatrix = hstack(list_of([a, b, a])).eval();
            let tall: ComplexMatrix = vstack(list(&[wide.clone(), (b * &wide).eval()])).eval();
            let x = tall.ad_mul(&tall).elements().split();
            let m: ComplexMatrix = gather(list(&x[..6]), 3, 2).eval();
            m.component_mul(&m).sum().eval()
        },
        (matrix(2, 3, 0), matrix(2, 2, 1)),
    );
}
