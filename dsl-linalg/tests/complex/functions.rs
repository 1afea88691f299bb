use crate::{matrix, regular};
use entape_check::{assert_expression, assert_rule};
use entape_core::{op as core_op, real::Elementary};
use entape_linalg::*;

#[test]
fn powers_and_exponentials_have_derivatives() {
    for n in [0, 1, 3, 5] {
        for power in [0, 1, 2, 3, 6, -1, -2] {
            assert_rule(&core_op::Powi { n: power }, (regular(n, 0),));
        }
    }
    assert_expression(
        |a: &ComplexMatrix| (Elementary::exp(a) * a.powi(2)).trace().eval(),
        matrix(2, 2, 0),
    );
}
