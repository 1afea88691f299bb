use entape_check::{ListOf, assert_kind, assert_part, assert_rule};
use entape_core::{real::Real, store::PlaceIndex};
use entape_simd::{
    F32x4, F32x8, F32x16, F64x2, F64x4, F64x8, Lanes, SimdVector, op,
    wide::{f32x4, f32x8, f32x16, f64x2, f64x4, f64x8},
};

fn numbers<V: SimdVector>() -> V {
    V::from_fn(|i| V::Number::nearest((0.7 * i as f64 + 0.3).sin()))
}
macro_rules! every { ($($K:ident $V:ident)*) => { $(
    assert_kind::<$K>(numbers());
    assert_kind::<$K>(<$V>::default());
    for i in 0..<$V>::LANES as usize {
        let part = <Lanes<$V> as PlaceIndex<usize>>::part(&numbers(), i);
        assert_part::<$K, _>(part, numbers());
    }
)* } }
#[test]
fn lanes_of_all_vectors_are_kinds() {
    every! { F64x2 f64x2 F64x4 f64x4 F64x8 f64x8 F32x4 f32x4 F32x8 f32x8 F32x16 f32x16 }
}
#[test]
fn lists_have_derivatives() {
    assert_rule(&op::Scatter, (numbers::<f64x4>(),));
    assert_rule(&op::Scatter, (numbers::<f32x8>(),));
    assert_rule(
        &op::Gather::<f64x4>::default(),
        (ListOf(vec![0.7, -1.2, 0.4, 2.5]),),
    );
}
