//! Elementary functions of every element.
use crate::{SHAPES, matrix};
use entape_core::{check::assert_rule, op as core_op};
use entape_linalg::*;
use nalgebra::{Vector3, dvector};

#[test]
fn elementary_functions() {
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
