use super::{C, matrix, single, vector};
use entape_check::{ListOf, assert_kind, assert_part, assert_rule};
use entape_complex::{C64, ComplexKind};
use entape_core::store::{Nested, PlaceIndex};
use entape_linalg::{Block, Dense, op};
use nalgebra::{Complex, Const, Dyn, Matrix2, U1};

type Matrix = Dense<C, Dyn, Dyn>;
type Fixed = Dense<C, Const<2>, Const<2>>;

fn fixed() -> Matrix2<C> {
    Matrix2::from_fn(|i, j| matrix(2, 2, 0)[(i, j)])
}
#[test]
fn matrices_and_vectors_are_kinds() {
    for (rows, cols) in [(0, 0), (0, 3), (1, 1), (3, 2), (7, 6)] {
        assert_kind::<Matrix>(matrix(rows, cols, 0));
        assert_kind::<Dense<Complex<f32>, Dyn, Dyn>>(single(&matrix(rows, cols, 0)));
        assert_kind::<Dense<C, Dyn, U1>>(vector(rows, 1));
    }
    assert_kind::<Fixed>(fixed());
}
#[test]
fn elements_and_their_parts_are_places() {
    let m = matrix(3, 2, 0);
    for at in 0..6 {
        let element = <Matrix as PlaceIndex<usize>>::part(&m, at);
        assert_part::<Matrix, _>(element, m.clone());
        assert_part::<Matrix, _>(Nested(element, C64::RE), m.clone());
        assert_part::<Matrix, _>(Nested(element, C64::IM), m.clone());
    }
    let element = <Fixed as PlaceIndex<usize>>::part(&fixed(), 2);
    assert_part::<Fixed, _>(Nested(element, C64::IM), fixed());
    let single = single(&m);
    let element = <Dense<Complex<f32>, Dyn, Dyn> as PlaceIndex<usize>>::part(&single, 2);
    assert_part::<Dense<Complex<f32>, Dyn, Dyn>, _>(
        Nested(element, ComplexKind::<f32>::RE),
        single,
    );
    assert_part::<Matrix, _>(Block::<Dyn, Dyn>::new((3, 2), (1, 0), (2, 2)), m.clone());
    let block = Block::<Dyn, Dyn>::new((3, 2), (1, 0), (2, 2));
    let within = <Matrix as PlaceIndex<usize>>::part(&matrix(2, 2, 0), 3);
    assert_part::<Matrix, _>(Nested(block, Nested(within, C64::IM)), m);
}
#[test]
fn lists_have_derivatives() {
    assert_rule(&op::Elements, (matrix(3, 2, 0),));
    assert_rule(
        &op::HstackList,
        (ListOf(vec![matrix(3, 2, 0), matrix(3, 1, 1)]),),
    );
    assert_rule(
        &op::VstackList,
        (ListOf(vec![matrix(1, 2, 0), matrix(3, 2, 1)]),),
    );
}
