use crate::{C, matrix, real, regular, vector};
use entape_check::assert_expression;
use entape_complex::{Complex, ComplexOps, ComplexParts};
use entape_core::{
    expr::{Active, constant},
    mode::{AnyMode, Plain, Recording, Reuse, Taped},
    tape::Tape,
};
use entape_linalg::*;
use nalgebra::{Complex as Number, DMatrix, DVector, dmatrix, dvector};

fn program<M: AnyMode>(
    a: &ComplexMatrix<M>,
    v: &ComplexVector<M>,
    x: &Matrix<M>,
    z: &Complex<M>,
    s: &Active<f64, M>,
) -> Active<f64, M> {
    let n = x.ncols();
    let mut m = (a * x - z * x + s * a * z).eval();
    m += from_parts(x, x.transpose()) * 0.5;
    m.update(|m| m.clone() * m.adjoint() / 3.0);
    m[(0, 1)].assign(&v[2] * z * 2.0);
    m[(1, 1)] += s;
    m[3] *= &v[0];
    let e = m.at((0, 2)).conj() + z;
    m[(2, 0)].assign(e);
    m[(2, 2)].re_mut().assign(s * v[1].im());
    m[2].im_mut().mul_assign(&x[3]);
    m.column_mut(1).assign(v);
    m.row_mut(0).assign(v.adjoint() * z);
    m.view_mut((1, 1), (2, 2)).mul_assign(s);
    m.rows_mut(0, 1).add_assign(x.rows(1, 1).to_complex());
    let mut w = (&m * v / z).eval();
    w += m.column_at(0) * (z * z * s);
    w.update(|w| w + v.component_mul(v).conjugate());
    let lu = (&m + constant(DMatrix::identity(n, n) * C::new(5.0, 2.0))).lu();
    let y = lu.solve(&w).unwrap().eval();
    let t = lu.solve(m.im() * &y).unwrap().eval();
    let mut sum = (y.dotc(&t).re() + m.re().component_mul(x).sum() + w.norm()).eval();
    sum += (lu.determinant() * z.conj()).im() * 1e-3 + (x * v).norm_squared() * s;
    sum += y.dot(v).norm_sqr() + t.sum().norm();
    sum
}
type Values = (DMatrix<C>, DVector<C>, DMatrix<f64>, C, f64);
fn values() -> Values {
    (
        regular(3, 0),
        vector(3, 1),
        real(&matrix(3, 3, 2)),
        C::new(0.8, 0.3),
        0.7,
    )
}

fn run<M: Recording>(chunk: Option<usize>) -> (f64, Values) {
    let builder = Tape::<M>::builder();
    let mut tape = match chunk {
        Some(bytes) => builder.chunk_bytes(bytes).build(),
        None => builder.build(),
    }
    .unwrap();
    let (a, v, x, z, s) = values();
    let (a, v, x) = (tape.input(a), tape.input(v), tape.input(x));
    let (z, s) = (tape.input(z), tape.input(s));
    let y = tape.record(|| program(&a, &v, &x, &z, &s));
    let g = tape.gradient(&y).unwrap();
    let gradient = (
        g.wrt(&a).unwrap(),
        g.wrt(&v).unwrap(),
        g.wrt(&x).unwrap(),
        g.wrt(&z).unwrap(),
        g.wrt(&s).unwrap(),
    );
    (y.value(), gradient)
}

#[test]
fn all_modes_agree() {
    let (a, v, x, z, s) = values();
    let plain = program::<Plain>(
        &Active::passive(a),
        &Active::passive(v),
        &Active::passive(x),
        &Active::passive(z),
        &Active::passive(s),
    );
    let taped = run::<Taped>(None);
    assert_eq!(plain.value(), taped.0);
    assert_eq!(run::<Taped>(Some(64)), taped);
    assert_eq!(run::<Reuse>(None), taped);
    assert_eq!(run::<Reuse>(Some(64)), taped);
}

#[test]
fn places_and_mixed_kinds_agree_with_differences() {
    assert_expression(
        |(a, v, x): (&ComplexMatrix, &ComplexVector, &Matrix)| {
            let (z, s) = ((&a[0] / 4.0).eval(), a[1].re().eval());
            program(a, v, x, &z, &s)
        },
        (values().0, values().1, values().2),
    );
}

#[test]
fn plain_numbers_are_operands_beside_matrices() {
    const Z: C = C::new(0.8, 0.3);
    assert_expression(
        |(m, x): (&ComplexMatrix, &Matrix)| {
            let by_reference = &Z;
            let mut r = (m * Z + x * by_reference - m / Z + x / Z).eval();
            r *= Z;
            r /= by_reference;
            r[(0, 1)] *= Z;
            r[3].assign(Z);
            (r.add_scalar(Z).scale(0.5) - m.unscale(2.0)).eval()
        },
        (values().0, values().2),
    );
    let m = nalgebra::Matrix2::new(Z, Z * Z, -Z, Z.conj());
    let fixed = FixedComplexMatrix::<2, 2, Plain>::passive(m);
    assert_eq!((fixed * Z / Z).eval().value(), m * Z / Z);
}

#[test]
fn untyped_literals_infer_double_precision() {
    let mut tape = Tape::new();
    let x = tape.input(dmatrix![3.0, 0.0; 0.0, 4.0]);
    let z = tape.input(dvector![Number::new(3.0, 4.0)]);
    let y = tape.record(|| {
        let norms = (&x * 2.0).norm() + (2.0 * &x).norm() + (&x / 2.0).norm();
        (norms + (&z * 2.0).norm()).eval()
    });
    assert_eq!(y, 32.5);
    assert_eq!(
        tape.gradient(&y).unwrap().wrt(&x).unwrap()[(1, 1)],
        4.5 * 0.8
    );
}

#[test]
fn operands_may_be_real_and_complex() {
    type M<'m> = &'m ComplexMatrix;
    assert_expression(
        |(z, x, v): (M<'_>, &Matrix, &ComplexVector)| {
            let w = (z.component_mul(x) + x.component_div(z) - z.component_div(x)).eval();
            let y = x.lu().solve(v).unwrap().eval();
            let a = x.component_mul(&w).dotc(x) * w.dot(x) + v.dotc(y.re());
            let b = z
                .zip_map(x, entape_core::op::Mul)
                .zip_map(&w, entape_complex::op::Powc);
            (a * b.sum() + x.dotc(z)).eval()
        },
        (regular(3, 0), real(&regular(3, 1)), vector(3, 1)),
    );
}

#[test]
fn fixed_sizes_are_operands_by_value() {
    type M3 = FixedComplexMatrix<3, 3>;
    type V3 = FixedComplexVector<3>;
    let m = nalgebra::Matrix3::from_fn(|i, j| crate::number(i, j, 0));
    let v = nalgebra::Vector3::from_fn(|i, _| crate::number(i, 2, 1));
    assert_expression(
        |(m, v): (M3, V3)| {
            let mut u = (m * v * 2.0 + m.adjoint() * v).eval();
            u[1] *= v.norm();
            u.row_mut(2).assign(v.row(0) * 3.0);
            (u.dotc(v) + m.mul_ad(m).trace()).eval()
        },
        (m, v),
    );
}

/// The gradient of `|a * x - b|²` with respect to complex `x` is twice `a' * (a * x - b)`.
#[test]
fn steps_against_the_gradient_descend() {
    let (a, b) = (regular(4, 0), vector(4, 1));
    let mut x = DVector::<C>::zeros(4);
    let mut tape: Tape = Tape::new();
    for _ in 0..400 {
        tape.reset();
        let v = tape.input(x.clone());
        let y = tape.record(|| (&a * &v - &b).norm_squared().eval());
        let gradient = tape.gradient(&y).unwrap().wrt(&v).unwrap();
        let want = a.adjoint() * (&a * &x - &b) * C::from(2.0);
        assert!((&gradient - &want).norm() <= 1e-12 * b.norm());
        x -= gradient * C::from(0.01);
    }
    assert!((&a * &x - &b).norm() < 1e-6);
}

/// Plain complex matrices are operands on either side of complex and real variables.
#[test]
fn plain_matrices_are_operands() {
    let (a, d) = (matrix(3, 3, 0), matrix(3, 3, 2));
    assert_expression(
        |x: &ComplexMatrix| (&a * x - x * &d + &d).norm_squared().eval(),
        matrix(3, 3, 1),
    );
    assert_expression(
        |x: &Matrix| (&a * x + (x - &a) * a.clone()).norm_squared().eval(),
        real(&d),
    );
}
