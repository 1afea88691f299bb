use entape_check::{ListOf, assert_kind, assert_part, assert_rule};
use entape_complex::{
    C32, C64,
    num_complex::{c32, c64},
};

#[test]
fn complex_numbers_are_kinds() {
    assert_kind::<C64>(c64(0.7, -0.3));
    assert_kind::<C64>(c64(0.0, 0.0));
    assert_kind::<C32>(c32(0.7, -0.3));
}
#[test]
fn real_and_imaginary_parts_are_places() {
    assert_part::<C64, _>(C64::RE, c64(0.7, -0.3));
    assert_part::<C64, _>(C64::IM, c64(0.7, -0.3));
    assert_part::<C32, _>(C32::RE, c32(0.7, -0.3));
    assert_part::<C32, _>(C32::IM, c32(0.7, -0.3));
}
#[test]
fn lists_have_derivatives() {
    let list = ListOf(vec![c64(0.7, -0.3), c64(-1.2, 0.4), c64(0.1, 2.0)]);
    assert_rule(&entape_core::op::Sum, (list.clone(),));
    assert_rule(&entape_core::op::Product, (list,));
}
