use crate::{matrix, vector};
use entape_check::{ListOf, assert_kind, assert_part, assert_rule};
use entape_core::store::PlaceIndex;
use entape_linalg::{Block, Dense, op};
use nalgebra::{Const, DMatrix, Dyn, Matrix3x2, RowDVector, U1, Vector3};

type Matrix = Dense<f64, Dyn, Dyn>;
type Fixed = Dense<f64, Const<3>, Const<2>>;

fn fixed() -> Matrix3x2<f64> {
    Matrix3x2::from_fn(|i, j| matrix(3, 2, 0)[(i, j)])
}
#[test]
fn matrices_and_vectors_are_kinds() {
    for (rows, cols) in [(0, 0), (0, 3), (1, 1), (3, 2), (2, 5), (9, 8)] {
        assert_kind::<Matrix>(matrix(rows, cols, 0));
        assert_kind::<Dense<f32, Dyn, Dyn>>(matrix(rows, cols, 0).map(|x| x as f32));
        assert_kind::<Dense<f64, Dyn, U1>>(vector(rows, 1));
        assert_kind::<Dense<f64, U1, Dyn>>(RowDVector::from_fn(cols, |_, i| vector(cols, 0)[i]));
    }
    assert_kind::<Fixed>(fixed());
    assert_kind::<Fixed>(Matrix3x2::zeros());
    assert_kind::<Dense<f32, Const<3>, U1>>(Vector3::new(0.7, -0.3, 2.0));
}
#[test]
fn elements_are_places() {
    let m = matrix(3, 2, 0);
    for at in 0..6 {
        assert_part::<Matrix, _>(<Matrix as PlaceIndex<usize>>::part(&m, at), m.clone());
        assert_part::<Fixed, _>(<Fixed as PlaceIndex<usize>>::part(&fixed(), at), fixed());
    }
    let v = vector(3, 0);
    let part = <Dense<f64, Dyn, U1> as PlaceIndex<usize>>::part(&v, 1);
    assert_part::<Dense<f64, Dyn, U1>, _>(part, v);
}
#[test]
fn blocks_are_places() {
    let of = (3, 4);
    for (start, shape) in [
        ((0, 0), (3, 4)),
        ((1, 2), (2, 2)),
        ((2, 0), (1, 4)),
        ((0, 3), (3, 1)),
        ((1, 1), (0, 2)),
    ] {
        let block = Block::<Dyn, Dyn>::new(of, start, shape);
        assert_part::<Matrix, _>(block, matrix(3, 4, 0));
    }
    assert_part::<Matrix, _>(Block::<U1, Dyn>::new(of, (1, 0), (1, 4)), matrix(3, 4, 0));
    assert_part::<Matrix, _>(Block::<Dyn, U1>::new(of, (0, 2), (3, 1)), matrix(3, 4, 0));
    assert_part::<Matrix, _>(
        Block::<Const<2>, Const<2>>::new(of, (1, 1), (2, 2)),
        matrix(3, 4, 0),
    );
    assert_part::<Fixed, _>(Block::<U1, Const<2>>::new((3, 2), (2, 0), (1, 2)), fixed());
    assert_part::<Fixed, _>(
        Block::<Const<2>, Const<1>>::new((3, 2), (1, 1), (2, 1)),
        fixed(),
    );
}
#[test]
fn lists_have_derivatives() {
    for (rows, cols) in [(0, 2), (1, 1), (3, 2)] {
        assert_rule(&op::Elements, (matrix(rows, cols, 0),));
        let beside = vec![
            matrix(rows, cols, 0),
            matrix(rows, 2, 1),
            matrix(rows, 0, 0),
        ];
        assert_rule(&op::HstackList, (ListOf(beside),));
        let below: Vec<DMatrix<f64>> = vec![matrix(rows, cols, 0), matrix(2, cols, 1)];
        assert_rule(&op::VstackList, (ListOf(below),));
    }
    assert_rule(&op::Elements, (fixed(),));
}
