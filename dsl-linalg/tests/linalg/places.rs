use crate::{matrix, vector};
use entape_check::assert_expression;
use entape_core::{expr::IntoExpr, real::Elementary, tape::Tape};
use entape_linalg::*;
use nalgebra::{Vector3, dmatrix, dvector};

#[test]
fn elements_are_places() {
    assert_expression(
        |(m, v): (&Matrix, &Vector)| {
            let (mut m, mut v) = (m.clone(), v.clone());
            let e = &v[0] * m.at((0, 1)) + 1.0;
            m[(1, 0)].assign(e);
            v[1] += m.at(2_usize);
            v[1] *= &m[(1, 0)];
            let e = v.at(1) * 2.0;
            v[0].assign(e);
            (m.tr_mul(&v) * v.at(1)).eval()
        },
        (matrix(2, 3, 0), vector(2, 1)),
    );
    // Value kinds: a new identifier for each write.
    assert_expression(
        |v: FixedVector<3>| {
            let mut w = v;
            w[1].assign(&v[0] * &v[2]);
            let e = w.at(1);
            w[0] += e;
            w.dot(v).eval()
        },
        Vector3::new(2.0, 3.0, 5.0),
    );
}

#[test]
fn blocks_are_places() {
    assert_expression(
        |(a, b): (&Matrix, &Matrix)| {
            let mut m = a.clone();
            m.view_mut((0, 1), (2, 2))
                .assign(b * a.view((0, 0), (2, 2)));
            m.column_mut(0).add_assign(b.column(1));
            m.row_mut(1).mul_assign(3.0);
            m.row_mut(0)
                .update(|r| r.clone() * 0.5 + r.component_mul(a.row(1)));
            m[(1, 0)].update(|x| x.clone().sin() * x);
            m.rows_mut(0, 1).sub_assign(m_row(a).into_expr());
            m.columns_mut(1, 2).assign(b + b.transpose());
            // One variable on both sides.
            let last = m.column_at(2);
            m.column_mut(1).add_assign(last);
            m.update(|m| m * 0.5 + a);
            m.mul_tr(&m).eval()
        },
        (matrix(2, 3, 0), matrix(2, 2, 1)),
    );
    fn m_row(
        a: &Matrix,
    ) -> impl entape_core::expr::Operand<
        entape_core::mode::Taped,
        Kind = Dense<f64, nalgebra::Dyn, nalgebra::Dyn>,
    > {
        a.view((1, 0), (1, 3))
    }
}

#[test]
fn blocks_of_fixed_sizes_are_places() {
    assert_expression(
        |(a, b): (&Matrix, &Matrix)| {
            let mut m = a.clone();
            let block: FixedMatrix<2, 2> = (b.fixed_view::<2, 2>(0, 0) * 2.0).eval();
            m.fixed_view_mut::<2, 2>(0, 1).assign(block * block);
            m.fixed_columns_mut::<1>(0)
                .add_assign(a.fixed_columns::<1>(2));
            m.fixed_rows_mut::<1>(1).mul_assign(3.0);
            let corner = m.fixed_view_at::<1, 2>(0, 0);
            m.fixed_view_mut::<1, 2>(1, 1).sub_assign(corner);
            let row = (a.fixed_rows::<1>(1) + m.fixed_rows::<1>(0)).eval();
            (m.mul_tr(&m).trace() + row.norm_squared()).eval()
        },
        (matrix(2, 3, 0), matrix(2, 2, 1)),
    );
    assert_expression(
        |v: FixedVector<3>| {
            let mut w = v;
            w.fixed_rows_mut::<2>(1)
                .assign(v.fixed_rows::<2>(0) * &v[2]);
            w.dot(v).eval()
        },
        Vector3::new(2.0, 3.0, 5.0),
    );
}
#[test]
#[should_panic(
    expected = "`a.fixed_view(..)`: the block with shape 2x2 at row 1 and column 0 is out of range for a matrix with shape 2x2"
)]
fn a_fixed_block_out_of_range_panics() {
    let m = Matrix::<entape_core::mode::Plain>::passive(dmatrix![1.0, 2.0; 3.0, 4.0]);
    m.fixed_view::<2, 2>(1, 0).eval();
}

#[test]
fn a_write_to_a_part_saves_only_this_part() {
    let mut tape = Tape::new();
    let v = tape.input(dvector![1.0, 2.0, 3.0]);
    let s = tape.input(10.0);
    let (before, after) = tape.record(|| {
        let mut w = v.clone();
        let before = w.norm_squared().eval();
        w[1].assign(s);
        (before, w.norm_squared().eval())
    });
    assert_eq!((before.value(), after.value()), (14.0, 110.0));
    let gradient = tape.gradient(&before).unwrap();
    assert_eq!(gradient.wrt(&v).unwrap(), dvector![2.0, 4.0, 6.0]);
    assert_eq!(gradient.wrt(&s).unwrap(), 0.0);
    let gradient = tape.gradient(&after).unwrap();
    assert_eq!(gradient.wrt(&v).unwrap(), dvector![2.0, 0.0, 6.0]);
    assert_eq!(gradient.wrt(&s).unwrap(), 20.0);
}

#[test]
#[should_panic(expected = "the index (2, 0) is out of range for a matrix with shape 2x2")]
fn an_index_out_of_range_panics() {
    let m = Matrix::<entape_core::mode::Plain>::passive(dmatrix![1.0, 2.0; 3.0, 4.0]);
    let _ = m[(2, 0)].value();
}
#[test]
#[should_panic(
    expected = "the block with shape 2x2 at row 1 and column 0 is out of range for a matrix with shape 2x2"
)]
fn a_block_out_of_range_panics() {
    let mut m = Matrix::<entape_core::mode::Plain>::passive(dmatrix![1.0, 2.0; 3.0, 4.0]);
    m.view_mut((1, 0), (2, 2)).mul_assign(2.0);
}
#[test]
#[should_panic(
    expected = "`a * b` of matrices with shapes 2x3 and 2x3: the sizes 3 and 2 must be equal"
)]
fn a_write_of_another_shape_panics() {
    let mut tape = Tape::new();
    let a = tape.input(matrix(2, 3, 0));
    tape.record(|| (&a * &a).eval());
}
