use crate::{matrix, number, vector};
use entape_check::assert_expression;
use entape_core::{
    expr::{Active, IntoExpr},
    mode::{AnyMode, Plain, Taped},
    op,
    real::Elementary,
    tape::Tape,
};
use entape_linalg::*;
use nalgebra::{DMatrix, Dyn, Matrix3, Vector3, dmatrix, dvector};

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
fn terms_are_added_to_blocks_without_a_tape() {
    fn program<M: AnyMode>() -> DMatrix<f64> {
        let variable = |m| Active::<Dense<f64, Dyn, Dyn>, M>::passive(m);
        let (mut m, b) = (variable(matrix(3, 4, 0)), variable(matrix(2, 2, 1)));
        m.view_mut((1, 1), (2, 2)).add_assign(&b);
        m.view_mut((0, 2), (2, 2)).sub_assign(&b);
        m.view_mut((1, 0), (2, 2)).sub_assign(&b * 3.0);
        let last = m.row_at(2);
        m.row_mut(0).add_assign(last);
        m.columns_mut(4, 0)
            .add_assign(&variable(DMatrix::zeros(3, 0)));
        m.into_value()
    }
    let (mut m, b) = (matrix(3, 4, 0), matrix(2, 2, 1));
    let mut view = m.view_mut((1, 1), (2, 2));
    view += &b;
    let mut view = m.view_mut((0, 2), (2, 2));
    view -= &b;
    let mut view = m.view_mut((1, 0), (2, 2));
    view -= &b * 3.0;
    let last = m.row(2).into_owned();
    let mut row = m.row_mut(0);
    row += last;
    assert_eq!([program::<Plain>(), program::<Taped>()], [m.clone(), m]);
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

#[test]
fn patterns_are_places() {
    assert_expression(
        |(a, b, x): (&Matrix, &Matrix, Active<f64>)| {
            let mut m = a.clone();
            m.diagonal_mut().assign(b.column(1));
            m.diagonal_mut().mul_assign(3.0);
            m.upper_triangle_mut().add_assign(b * b);
            m.lower_triangle_mut().assign(b * x);
            m.transpose_mut().sub_assign(b);
            let diagonal = m.diagonal_at();
            m.column_mut(0).assign(diagonal);
            let upper = m.upper_triangle_at();
            m.transpose_mut().add_assign(upper);
            m.select_mut(&[5, 0, 7])
                .update(|s| s.clone() * 0.5 + b.row(0).transpose());
            let lower = m.lower_triangle_at();
            m.update(|m| m * 0.5 + lower);
            m.select_rows_mut(&[2, 0]).add_assign(a.rows(0, 2));
            m.select_columns_mut(&[1]).fill(x);
            let mask: Vec<_> = b.get().iter().map(|&b| b > 0.0).collect();
            m.masked_mut(&mask).mul_assign(x);
            m.view_mut((0, 1), (2, 2)).diagonal_mut().fill(&a[0]);
            m.view_mut((0, 0), (3, 2)).row_mut(1).mul_assign(2.0);
            m.row_mut(2)
                .select_mut(&[0, 2])
                .add_assign(b.column(0).rows(0, 2));
            m.transpose_mut().upper_triangle_mut().sub_assign(a);
            (m.mul_tr(&m) * b).eval()
        },
        (matrix(3, 3, 0), matrix(3, 3, 1), 0.75),
    );
    assert_expression(
        |(a, x): (FixedMatrix<3, 3>, Active<f64>)| {
            let mut m = a;
            m.diagonal_mut().assign(a.column(1) * x);
            m.fixed_view_mut::<2, 2>(0, 1)
                .fixed_rows_mut::<1>(1)
                .fill(x);
            m.upper_triangle_mut().mul_assign(x);
            m.select_mut(&[3, 8]).fill(2.0);
            (m * a).eval()
        },
        (Matrix3::from_fn(|i, j| number(i, j, 2)), 0.75),
    );
}
#[test]
fn several_outputs_are_places_of_vectors_and_matrices() {
    #[op(
        tangent(x = (c * x_t, s * x_t), y = (-r.1 * y_t, r.0 * y_t)),
        second(
            x = -s * y_t * u_b + c * y_t * v_b,
            y = (-s * x_t - r.0 * y_t) * u_b + (c * x_t - r.1 * y_t) * v_b,
        ),
        save(s: f64 = y.sin(), c: f64 = y.cos())
    )]
    fn cartesian(
        #[ad_in(u_b * c + v_b * s)] x: f64,
        #[ad_in(v_b * u - u_b * v)] y: f64,
        #[ad_out] u: &mut f64,
        #[ad_out] v: &mut f64,
    ) {
        (*u, *v) = (x * y.cos(), x * y.sin());
    }
    assert_expression(
        |(a, w): (&Matrix, &Vector)| {
            let (mut m, mut v) = (a.clone(), w.clone());
            cartesian(&a[0], &w[1], &mut v[0], &mut m[(1, 2)]);
            let [mut p, mut q] = v.places([1, 2]);
            cartesian(&a[(1, 1)], &w[0], &mut q, &mut p);
            let [mut p, mut q] = m.places([(0, 0), (2, 1)]);
            cartesian(&v[2], &a[2], &mut p, &mut q);
            let mut fixed = Active::passive(Vector3::new(0.5, 1.5, -1.0));
            cartesian(&v[1], m.at(3), &mut fixed[1], &mut m[3]);
            (&m * &v * fixed.norm_squared()).eval()
        },
        (matrix(3, 3, 0), vector(3, 1)),
    );
}
#[test]
#[should_panic(expected = "`select_mut`: the index 1 occurs twice")]
fn an_index_occurs_once() {
    let mut m = <Matrix>::passive(matrix(2, 2, 0));
    m.select_mut(&[1, 3, 1]).fill(0.0);
}
#[test]
#[should_panic(expected = "`masked_mut`: the mask has 3 elements, but the matrix has 4")]
fn a_mask_has_the_shape_of_the_matrix() {
    let mut m = <Matrix>::passive(matrix(2, 2, 0));
    m.masked_mut(&[true; 3]).fill(0.0);
}
