use crate::{SHAPES, matrix};
use entape_check::assert_rule;
use entape_core::{
    expr::{Active, constant},
    op as core_op,
};
use entape_linalg::*;
use nalgebra::{Vector3, dvector};

#[test]
fn elementary_functions_have_derivatives() {
    for (m, n) in SHAPES {
        assert_rule(&core_op::Abs, (matrix(m, n, 0),));
        let (a, b) = (
            matrix(m, n, 0).map(|x| x + 2.0),
            matrix(m, n, 1).map(|x| x + 2.0),
        );
        assert_rule(&Map(core_op::Exp), (a.clone(),));
        assert_rule(&Map(core_op::Ln), (a.clone(),));
        assert_rule(&Map(core_op::Powi { n: 3 }), (a.clone(),));
        assert_rule(&Map(core_op::Atan2), (a.clone(), b.clone()));
        assert_rule(&Map(core_op::Powf), (a.clone(), b.clone()));
    }
    assert_rule(&Map(core_op::Tanh), (nalgebra::Vector2::new(0.5_f32, 0.2),));
    assert_rule(&Map(core_op::Floor), (dvector![1.5, 2.5],));
    assert_rule(&Map(core_op::Sin), (Vector3::new(1.0, 2.0, 3.0),));
}

#[test]
fn numbers_beside_fixed_matrices_have_second_derivatives() {
    let f = |x: &[Active<f64>]| {
        let fixed = constant(nalgebra::Matrix2::new(1.1, 0.2, 0.3, 2.4)) * x[0];
        let sum = fixed.add_scalar(&x[1]).add_scalar(&x[1]).eval();
        sum.norm_squared().eval()
    };
    let h = entape_drivers::hessian(f, &[0.7, -0.4]).unwrap();
    // for the sum of (m x + 2 y)^2 over four elements m
    let (squares, sum) = (1.1 * 1.1 + 0.2 * 0.2 + 0.3 * 0.3 + 2.4 * 2.4, 4.0);
    for (h, expected) in h
        .as_slice()
        .iter()
        .zip([2.0 * squares, 4.0 * sum, 4.0 * sum, 32.0])
    {
        assert!((h - expected).abs() < 1e-12, "{h} instead of {expected}");
    }
}
