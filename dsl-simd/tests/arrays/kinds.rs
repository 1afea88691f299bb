use entape_check::{ListOf, assert_kind, assert_part, assert_rule};
use entape_core::store::PlaceIndex;
use entape_simd::arrays::{ArrayKind, MaskKind, op};

#[test]
fn arrays_and_masks_are_kinds() {
    for v in [vec![], vec![0.0], vec![0.7, -0.3, 2.0, 1e-3]] {
        assert_kind::<ArrayKind<f32>>(v.iter().map(|&x| x as f32).collect());
        assert_kind::<MaskKind<f64>>(v.iter().map(|&x| x > 0.0).collect());
        assert_kind::<ArrayKind<f64>>(v);
    }
}
#[test]
fn elements_are_places() {
    let v = vec![0.7, -0.3, 2.0, 1e-3];
    for i in 0..v.len() {
        let part = <ArrayKind<f64> as PlaceIndex<usize>>::part(&v, i);
        assert_part::<ArrayKind<f64>, _>(part, v.clone());
    }
}
#[test]
fn lists_have_derivatives() {
    for v in [vec![], vec![2.0], vec![0.7, -0.3, 2.0]] {
        assert_rule(&op::Scatter, (v.clone(),));
        assert_rule(&op::Gather, (ListOf(v),));
    }
}
