//! Complex and real matrices and numbers, with the whole prelude of the facade in scope.
use entape::{check::assert_expression, prelude::*};
use nalgebra::{Complex as Plain, DMatrix, DVector};

fn number(i: usize, j: usize) -> Plain<f64> {
    let (i, j) = (i as f64, j as f64);
    Plain::new(
        (1.0 + 0.7 * i + 1.3 * j).sin(),
        (0.4 - 1.1 * i + 0.9 * j).cos(),
    )
}

#[test]
fn members_of_all_kinds_are_in_scope() {
    fn program<M: Mode>(
        y: &ComplexMatrix<M>,
        x: &Matrix<M>,
        i: &ComplexVector<M>,
        v: &Vector<M>,
    ) -> Real<M> {
        let admittance: ComplexMatrix<M> =
            (y + x.to_complex() * 3.0 + from_diagonal(v.map(entape::op::Exp))).eval();
        let u = admittance.lu().solve(i).unwrap().eval();
        let power = u.dotc(i).eval();
        let turned = (v.at(0).cis() * power.conj()).eval();
        let mut sum = (power.re() * turned.im() + power.norm()).eval();
        sum += u.re().norm() * v.norm() + u.im().sum() + u.abs().sum();
        sum += (u.conjugate() * u.at(1).re()).norm_squared() + v.sum().to_complex().arg();
        sum
    }
    assert_expression(
        |(y, x, i, v): (&ComplexMatrix, &Matrix, &ComplexVector, &Vector)| program(y, x, i, v),
        (
            DMatrix::from_fn(3, 3, number),
            DMatrix::from_fn(3, 3, |i, j| number(i, j).re + 2.0),
            DVector::from_fn(3, |i, _| number(i, 2)),
            DVector::from_fn(3, |i, _| number(i, 1).re + 1.5),
        ),
    );
}
