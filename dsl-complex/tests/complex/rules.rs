use entape_check::assert_rule;
use entape_complex::{
    num_complex::{Complex32, Complex64, c32, c64},
    op as complex,
};
use entape_core::op;

/// Away from branch cuts and zeros.
const POINTS: [Complex64; 5] = [
    Complex64::new(0.7, 0.3),
    Complex64::new(-0.4, 1.2),
    Complex64::new(-1.3, -0.6),
    Complex64::new(2.1, -0.8),
    Complex64::new(0.2, 3.5),
];
fn pairs() -> impl Iterator<Item = (Complex64, Complex64)> {
    POINTS
        .into_iter()
        .zip(POINTS.into_iter().skip(2).chain(POINTS))
}
fn single(z: Complex64) -> Complex32 {
    c32(z.re as f32, z.im as f32)
}

#[test]
fn arithmetic_has_derivatives() {
    for (a, b) in pairs() {
        assert_rule(&op::Add, (a, b));
        assert_rule(&op::Sub, (a, b));
        assert_rule(&op::Mul, (a, b));
        assert_rule(&op::Div, (a, b));
        assert_rule(&op::Neg, (a,));
        assert_rule(&op::Rem, (b * c64(1.5, -0.4), b));
        assert_rule(&op::Rem, (b * c64(-2.5, 1.45), b));
        assert_rule(&op::MulAdd, (a, b, a - b));
    }
    assert_rule(&op::Mul, (c64(0.0, 0.0), c64(1.0, -2.0)));
    assert_rule(&op::Mul, (single(POINTS[0]), single(POINTS[1])));
    assert_rule(&op::Div, (single(POINTS[0]), single(POINTS[1])));
}
#[test]
fn arithmetic_with_reals_has_derivatives() {
    for (z, x) in POINTS.into_iter().zip([1.7, -0.6, 2.5, 0.3, -4.0]) {
        assert_rule(&op::Add, (z, x));
        assert_rule(&op::Sub, (z, x));
        assert_rule(&op::Mul, (z, x));
        assert_rule(&op::Div, (z, x));
        assert_rule(&op::Rem, (c64(1.5 * x, -0.4 * x), x));
        assert_rule(&op::Add, (x, z));
        assert_rule(&op::Sub, (x, z));
        assert_rule(&op::Mul, (x, z));
        assert_rule(&op::Div, (x, z));
        assert_rule(&op::Rem, (x, x / c64(1.5, -0.4)));
    }
    assert_rule(&op::Mul, (single(POINTS[0]), 1.5_f32));
    assert_rule(&op::Div, (1.5_f32, single(POINTS[0])));
}
#[test]
fn functions_with_shared_formulas_have_derivatives() {
    for z in POINTS {
        assert_rule(&op::Sqrt, (z,));
        assert_rule(&op::Cbrt, (z,));
        assert_rule(&op::Recip, (z,));
        for n in [-3, -1, 0, 1, 2, 5] {
            assert_rule(&op::Powi { n }, (z,));
        }
        assert_rule(&op::Exp, (z,));
        assert_rule(&op::Exp2, (z,));
        assert_rule(&op::Ln, (z,));
        assert_rule(&op::Log2, (z,));
        assert_rule(&op::Log10, (z,));
        assert_rule(&op::Sin, (z,));
        assert_rule(&op::Cos, (z,));
        assert_rule(&op::Sinh, (z,));
        assert_rule(&op::Cosh, (z,));
    }
    assert_rule(&op::Sqrt, (single(POINTS[0]),));
    assert_rule(&op::Exp, (single(POINTS[1]),));
}
#[test]
fn functions_with_separate_formulas_have_derivatives() {
    for z in POINTS {
        assert_rule(&op::ExpM1, (z,));
        assert_rule(&op::Ln1p, (z,));
        assert_rule(&op::Tan, (z,));
        assert_rule(&op::Tanh, (z,));
        assert_rule(&op::Asin, (z,));
        assert_rule(&op::Acos, (z,));
        assert_rule(&op::Asinh, (z,));
        assert_rule(&op::Acosh, (z,));
        assert_rule(&op::Atan, (z,));
        assert_rule(&op::Atanh, (z,));
    }
    assert_rule(&op::Acosh, (single(POINTS[1]),));
    assert_rule(&op::Ln1p, (single(POINTS[1]),));
}
#[test]
fn powers_and_logarithms_have_derivatives() {
    for ((z, w), x) in pairs().zip([1.7, -0.6, 2.5, 0.3, -4.0]) {
        assert_rule(&op::Powf, (z, x));
        assert_rule(&complex::Powc, (z, w));
        assert_rule(&complex::Powu { n: 0 }, (z,));
        assert_rule(&complex::Powu { n: 6 }, (z,));
        assert_rule(&complex::Expf, (z, x.abs()));
        assert_rule(&op::Log, (z, x.abs()));
    }
    assert_rule(&op::Powf, (single(POINTS[0]), 1.5_f32));
}
#[test]
fn parts_sizes_and_angles_have_derivatives() {
    for (z, w) in pairs() {
        assert_rule(&complex::Re, (z,));
        assert_rule(&complex::Im, (z,));
        assert_rule(&complex::Conj, (z,));
        assert_rule(&complex::Norm, (z,));
        assert_rule(&op::Abs, (z,));
        assert_rule(&complex::NormSqr, (z,));
        assert_rule(&complex::L1Norm, (z,));
        assert_rule(&complex::Arg, (z,));
        assert_rule(&complex::ToPolar, (z,));
        assert_rule(&complex::Inv, (z,));
        assert_rule(&complex::Finv, (z,));
        assert_rule(&complex::Fdiv, (z, w));
        assert_rule(&complex::Scale, (z, w.re));
        assert_rule(&complex::Unscale, (z, w.re));
        assert_rule(&op::ToF32, (single(z),));
        assert_rule(&op::ToF32, (z,));
        assert_rule(&op::ToF64, (z,));
        assert_rule(&op::ToF64, (single(z),));
    }
    assert_rule(&complex::Norm, (single(POINTS[3]),));
    assert_rule(&complex::ToPolar, (single(POINTS[3]),));
}
#[test]
fn conversions_from_reals_have_derivatives() {
    for z in POINTS {
        assert_rule(&complex::New, (z.re, z.im));
        assert_rule(&complex::FromPolar, (z.re, z.im));
        assert_rule(&complex::Cis, (z.re,));
        assert_rule(&complex::ToComplex, (z.re,));
    }
    assert_rule(&complex::New, (0.5_f32, -1.5_f32));
}
