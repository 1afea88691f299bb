use crate::{C, SHAPES, matrix, real, vector, vector3};
use entape_check::{assert_expression, assert_rule};
use entape_complex::op as complex;
use entape_core::op as core_op;
use entape_linalg::*;

#[test]
fn elementwise_functions_have_derivatives() {
    for (m, n) in SHAPES {
        let z = matrix(m, n, 0).map(|z| z + C::new(2.0, 0.5));
        assert_rule(&core_op::ToF32, (real(&z),));
        assert_rule(&Map(core_op::Exp), (z.clone(),));
        assert_rule(&Map(core_op::Sqrt), (z.clone(),));
        assert_rule(&Map(core_op::Tanh), (z.clone(),));
        assert_rule(&Map(core_op::Powi { n: -2 }), (z,));
    }
    assert_rule(&Map(core_op::Ln), (vector3(0),));
    for (m, n) in SHAPES {
        let (z, w) = (matrix(m, n, 0), matrix(m, n, 1));
        let x = real(&matrix(m, n, 2)).map(|x| x + 2.0);
        assert_rule(&Map(complex::Arg), (z.clone(),));
        assert_rule(&Map(complex::Powc), (z.clone(), w.clone()));
        assert_rule(&Map(core_op::Div), (z.clone(), w));
        assert_rule(&Map(core_op::Powf), (z.clone(), x.clone()));
        assert_rule(&Map(core_op::Mul), (x.clone(), z));
    }
    assert_rule(&Map(complex::Powc), (vector3(0), vector3(1)));
    assert_expression(
        |z: &ComplexVector| (z.map(core_op::Sin) * &z[0]).dotc(z).eval(),
        vector(3, 0),
    );
}
