//! Rules against finite differences for `f64x4`; `functions.rs` tests other vectors.
use entape_check::{Check, ListOf, assert_rule};
use entape_core::{op, real::Real};
use entape_simd::{
    F64x4, Mask, SimdVector, op as lanes,
    wide::{f32x4, f32x8, f32x16, f64x2, f64x4, f64x8},
};

/// Not near each other or whole numbers.
fn lanes<V: SimdVector>(shift: f64) -> V {
    V::from_fn(|i| {
        let x = (0.618 * i as f64 + shift).rem_euclid(4.0) - 2.0;
        let near = (x - x.round()).abs() < 0.05;
        V::Number::nearest(x + if near { 0.07 } else { 0.0 })
    })
}
fn inner<V: SimdVector>(shift: f64) -> V {
    let v = lanes::<V>(shift);
    V::from_fn(|i| V::Number::nearest(0.5 + 0.15 * v.as_slice()[i].double()))
}
fn operands() -> (f64x4, f64x4, f64x4) {
    (lanes(0.3), lanes(1.7), inner(0.9))
}

macro_rules! rules { ($($arguments:expr => $($Op:expr)*;)*) => { $( $( assert_rule(&$Op, $arguments); )* )* } }

#[test]
fn arithmetic_has_derivatives() {
    let (v, w, p) = operands();
    rules! {
        (v, w) => op::Add op::Sub op::Mul;
        (v, p) => op::Div;
        (v, f64x4::splat(5.1)) => op::Rem;
        (v,) => op::Neg;
        (v, 0.7) => op::Add op::Sub op::Mul op::Div;
        (0.7, p) => op::Add op::Sub op::Mul op::Div;
    }
}
#[test]
fn functions_have_derivatives() {
    let (v, _, p) = operands();
    rules! {
        (v,) => op::Exp op::Exp2 op::ExpM1 op::Sin op::Cos op::Tan op::Atan op::Sinh op::Cosh op::Tanh op::Asinh op::Abs
            op::Cbrt op::Powi { n: 3 } op::ToDegrees op::ToRadians op::Erf op::Erfc op::Fract op::Floor;
        (p,) => op::Sqrt op::Recip op::Ln op::Log2 op::Log10 op::Ln1p op::Asin op::Acos op::Atanh op::LnGamma op::Digamma
            op::SinCos;
        (p + 1.5,) => op::Acosh;
    }
    for n in [-2, -1, 0, 1, 2] {
        assert_rule(&op::Powi { n }, (v,));
    }
}
#[test]
fn functions_of_two_and_three_have_derivatives() {
    let (v, w, p) = operands();
    rules! {
        (v, w) => op::Hypot op::Atan2 op::Max op::Min op::Midpoint op::Copysign;
        (p, p + p) => op::Powf op::Log;
        (v, w, p) => op::MulAdd;
        (v, -p, p) => op::Clamp;
        (p, 1.3) => op::Powf op::Max;
        (1.3, p) => op::Powf op::Max;
        (v, w, 0.3) => op::MulAdd;
        (v, -0.56, 0.61) => op::Clamp;
        (0.3, v, 1.3) => op::MulAdd;
    }
}
#[test]
fn reductions_and_choices_have_derivatives() {
    let (v, w, p) = operands();
    rules! {
        (v,) => lanes::ReduceAdd lanes::ReduceMax lanes::ReduceMin;
        (p,) => lanes::ReduceMul;
        (v, w) => lanes::Dot;
    }
    for i in 0..4 {
        assert_rule(&lanes::Lane { i }, (v,));
    }
    for bits in [0, 0b1001, 0b0110, 0b1111] {
        let select = lanes::Blend(Mask::<f64x4>::from_fn(|i| bits >> i & 1 == 1));
        assert_rule(&select, (v, w));
        assert_rule(&select, (v, 0.3));
        assert_rule(&select, (0.3, w));
    }
}
macro_rules! vectors { ($($V:ident)*) => { $(
    #[test]
    fn $V() {
        let v: $V = lanes(0.3);
        let i = <$V as SimdVector>::LANES - 1;
        let select = lanes::Blend(Mask::<$V>::from_fn(|i| i % 3 != 1));
        assert_rule(&lanes::Lane { i }, (v,));
        assert_rule(&lanes::ReduceMax, (v,));
        assert_rule(&select, (v, v));
        let reversed = std::array::from_fn(|at| i.saturating_sub(at) as u8);
        assert_rule(&lanes::Shuffled { from: reversed }, (v,));
        let from = std::array::from_fn(|at| if at < 2 { 0 } else { u8::MAX });
        assert_rule(&lanes::Shuffled { from }, (v,));
        let rows: Vec<$V> = (0..=i).map(|i| lanes(0.3 * i as f64)).collect();
        assert_rule(&lanes::Transposed, (ListOf(rows),));
        assert_rule(&lanes::AsinAcos, (inner::<$V>(0.9),));
    }
)* } }
vectors! { f64x2 f64x4 f64x8 f32x4 f32x8 f32x16 }

#[test]
fn the_kit_finds_a_rule_that_is_wrong_in_one_lane() {
    use entape_core::op as annotated;
    #[annotated(rule_only)]
    fn wrong(
        #[ad_in({ let mut all = r_b; all.as_mut_array()[3] *= 1.01; all })] x: F64x4,
    ) -> F64x4 {
        x
    }
    assert!(Check::default().rule(&Wrong, (f64x4::splat(1.0),)).is_err());
}
