//! Entities built from elements: `vector![..]`, `matrix![..]`, `array![..]`, and their components.
use super::*;
use entape::{core::expr::passive, linalg, simd::array};
use nalgebra::{Matrix2, Matrix2x3, Vector2, Vector3};

fn built<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
    let (a, b, c) = (&x[0], &x[1], &x[2]);
    // Expressions, variables, places and numbers; the elements of one are entities of others.
    let v: FixedVector<3, M> = vector![a * b.sin(), c, 2.0].eval();
    let m: FixedMatrix<2, 3, M> = matrix![a, 1.0, b * c; &v[0], -a, c.exp()].eval();
    let w: FixedVector<2, M> = (&m * &v + vector![v.x() * v.y(), a]).eval();
    let d: Matrix<M> = linalg::dmatrix![w.x(), b; 3.0, &w[1]].eval();
    let u: Vector<M> = (&d * &w + linalg::dvector![a * a, 0.5]).eval();
    let t: Array<M> = (array![&u[0], b * 2.0, 1.0] * a).eval();
    (d.determinant() + u.norm_squared() + (&t * &t).sum()).eval()
}
fn plain(x: &[f64]) -> f64 {
    let (a, b, c) = (x[0], x[1], x[2]);
    let v = Vector3::new(a * b.sin(), c, 2.0);
    let m = Matrix2x3::new(a, 1.0, b * c, v[0], -a, c.exp());
    let w = m * v + Vector2::new(v.x * v.y, a);
    let d = Matrix2::new(w.x, b, 3.0, w[1]);
    let u = d * w + Vector2::new(a * a, 0.5);
    let t = [u[0] * a, b * 2.0 * a, a];
    d.determinant() + u.norm_squared() + t.iter().map(|t| t * t).sum::<f64>()
}
const AT: [f64; 3] = [0.7, -0.4, 0.3];
fn near(got: f64, want: f64, tolerance: f64) {
    assert!(
        (got - want).abs() <= tolerance * (1.0 + want.abs()),
        "{got} instead of {want}"
    );
}
fn difference(f: impl Fn(&[f64]) -> f64, i: usize) -> f64 {
    const H: f64 = 1e-5;
    let at = |h: f64| {
        let mut x = AT;
        x[i] += h;
        f(&x)
    };
    (at(H) - at(-H)) / (2.0 * H)
}
fn gradient_in<M: Recording>(mut tape: Tape<M>) -> Vec<f64> {
    let x = tape.inputs(AT);
    let y = tape.record(|| built(&x));
    near(y.value(), plain(&AT), 1e-14);
    tape.gradient(&y)
        .expect("recorded")
        .wrt_all(&x)
        .expect("inputs")
}

#[test]
fn builders_have_values_and_derivatives_in_all_modes() {
    let value = built(&AT.map(Real::<Plain>::passive));
    near(value.value(), plain(&AT), 1e-14);
    let gradients = [
        gradient_in(Tape::<Taped>::default()),
        gradient_in(Tape::<Reuse>::default()),
    ];
    for i in 0..3 {
        let want = difference(plain, i);
        for gradient in &gradients {
            near(gradient[i], want, 1e-8);
        }
        let unit = |j: usize| [f64::from(u8::from(i == j))];
        let x: Vec<_> = (0..3)
            .map(|j| Real::<Forward>::with_tangents(AT[j], unit(j)))
            .collect();
        near(built(&x).tangent(), want, 1e-8);
    }
    let mut tape = Tape::new();
    let x = tape.inputs(AT);
    let y = tape.record(|| built(&x));
    for i in 0..3 {
        let mut directions = tape.directions::<1>().expect("a tape of this mode");
        directions.set(&x[i], [1.0]).expect("an input");
        let swept = directions.sweep().expect("tangents");
        let second = swept.gradient(&y).expect("a sweep");
        for (j, x) in x.iter().enumerate() {
            let slope = |p: &[f64]| {
                let f = |x: &[Real]| built(x);
                entape::gradient(f, p).expect("a gradient")[j]
            };
            near(
                second.wrt(x).expect("an input")[0],
                difference(slope, i),
                1e-7,
            );
        }
    }
}

#[entape::function]
fn by_function(x: &[Real]) -> Real {
    let v = vector![x[0] * x[1].sin(), x[2], 2.0];
    let m = matrix![x[0], 1.0, x[1] * x[2]; v.x(), -x[0], x[2].exp()];
    let [p, q] = (m * v).into();
    let mut sum = FixedVector::zeros();
    for k in 0..3 {
        let of = |y: Real| vector![y * k as f64, y];
        sum += of(p) + of(q);
    }
    let t = array![p, q * p, 1.0];
    let e = FixedMatrix::identity() * 2.0;
    let r: FixedVector<2> = e * sum;
    let n: Matrix = &Matrix::identity(2) * p + &Matrix::zeros(2, 2);
    r.dot(vector![1.0, q]) + t.sum() + n.determinant() + (&n * r).sum()
}
#[test]
fn builders_are_one_statement() {
    let one = statements(
        |x| {
            let _: FixedVector<4> = vector![x[0] * x[1], x[0].sin(), 2.0 * x[1], 1.0].eval();
        },
        [1.0, 2.0],
    );
    assert_eq!(one, 1);
    #[entape::function]
    fn in_function(x: &[Real]) -> FixedVector<3> {
        vector![x[0] * x[1], x[0].sin(), 2.0 * x[1]]
    }
    assert_eq!(statements(in_function, [1.0, 2.0]), 1);
    check::gradient(by_function {}, &AT).unwrap();
    check::hessian(by_function {}, &AT).unwrap();
}

#[test]
fn fixed_and_dynamic_sizes_mix_in_products() {
    fn f(x: &[Real]) -> Real {
        let a: Matrix = linalg::dmatrix![x[0], x[1]; x[2], 1.0; x[0] * x[1], x[2]].eval();
        let v: FixedVector<2> = vector![x[1], x[2]].eval();
        let r: Vector = (&a * v).eval();
        let row: RowVector = (v.transpose() * a.transpose()).eval();
        (r.norm_squared() + row.sum()).eval()
    }
    let want = |x: &[f64]| {
        let a = nalgebra::dmatrix![x[0], x[1]; x[2], 1.0; x[0] * x[1], x[2]];
        let r = a * Vector2::new(x[1], x[2]);
        r.norm_squared() + r.sum()
    };
    let gradient = gradient(f, &AT).expect("a gradient");
    (0..3).for_each(|i| near(gradient[i], difference(want, i), 1e-8));
}
#[test]
#[should_panic(expected = "the sizes 3 and 2 must be equal")]
fn products_of_mixed_sizes_that_do_not_fit_panic() {
    let a = Matrix::<Plain>::passive(DMatrix::zeros(2, 3));
    let v: FixedVector<2, Plain> = passive(Vector2::zeros());
    (&a * v).eval();
}

struct Data {
    x: DMatrix<f64>,
    y: nalgebra::DVector<f64>,
    z: Vec<f64>,
}
#[entape::function]
fn loss(w: &[Real], data: &Data) -> Real {
    let residual = constant(&data.y) - constant(&data.x) * vector![w[0], w[1].exp()];
    let waves = constant(&data.z) * w[0] + constant(&data.z);
    residual.norm_squared() + (&waves * &waves).sum()
}
#[test]
fn data_is_borrowed() {
    let data = Data {
        x: dmatrix![1.0, 2.0; 3.0, 4.0; 5.0, 6.0],
        y: dvector![3.0, 7.0, 12.0],
        z: vec![1.0, -2.0],
    };
    check::gradient(loss { data: &data }, &[0.4, -0.3]).unwrap();
    check::hessian(loss { data: &data }, &[0.4, -0.3]).unwrap();
    let value = loss { data: &data }.value(&[1.0, 0.0]);
    assert_eq!(value, 1.0 + 4.0 * 5.0);
    // A statement whose adjoints do not read the data stores no copy of it.
    let large = nalgebra::DVector::repeat(100_000, 1.0);
    let mut tape = Tape::new();
    let v = tape.input(large.clone());
    let before = tape.statistics().bytes();
    tape.record(|| (constant(&large) - &v).sum().eval());
    assert!(tape.statistics().bytes() - before < 10_000);
}
#[test]
fn complex_elements() {
    fn f<M: Mode>(z: Complex<M>) -> Real<M> {
        let v = vector![z, z * z, c64(1.0, 2.0)].eval();
        (v.norm_squared() + v.y().re()).eval()
    }
    let z = c64(0.3, -0.7);
    let mut tape = Tape::new();
    let x = tape.input(z);
    let y = tape.record(|| f(x));
    near(
        y.value(),
        z.norm_sqr() + z.norm_sqr().powi(2) + 5.0 + (z * z).re,
        1e-14,
    );
    // d|z|² = 2 z, d|z|⁴ = 4 |z|² z, d Re z² = 2 conj(z)
    let want = z * 2.0 + z * (4.0 * z.norm_sqr()) + z.conj() * 2.0;
    let got = tape
        .gradient(&y)
        .expect("recorded")
        .wrt(&x)
        .expect("an input");
    assert!((got - want).norm() < 1e-13, "{got} instead of {want}");
}

#[entape::function]
fn beside(w: &[Real], data: &Data, c: Complex64) -> Real {
    let v: Vector = linalg::dvector![w[0], w[1], w[0] * w[1]];
    let m: Matrix = v.outer(&v);
    let r = &data.y - &v + constant(&data.y) * w[1] - &data.y;
    let t =
        data.x.transpose() * &m * &data.x - 2.0 * data.x.tr_mul(&data.x) + m.view((0, 1), (2, 2));
    let a = &data.z * array![w[0], w[1]] - &data.z + array![w[1], 1.0] / &data.z;
    let z = c * w[0].to_complex() + w[1].to_complex() / c - c;
    let n = c * m.to_complex() * c;
    let s = &z * 1.0 + c;
    r.norm_squared()
        + t.norm_squared()
        + (&a * &a).sum()
        + z.norm_sqr()
        + n.norm_squared()
        + s.norm_sqr()
}
#[test]
fn plain_values_stand_on_either_side() {
    let data = Data {
        x: dmatrix![1.0, 2.0; 3.0, 4.0; 5.0, 6.0],
        y: dvector![3.0, 7.0, 12.0],
        z: vec![1.0, -2.0],
    };
    let c = c64(0.3, 0.8);
    check::gradient(beside { data: &data, c }, &[0.4, -0.3]).unwrap();
    check::hessian(beside { data: &data, c }, &[0.4, -0.3]).unwrap();
    let mut tape = Tape::new();
    let v = tape.input(dvector![1.0, 2.0]);
    tape.record(|| {
        let x = &data.x;
        assert_eq!((x * &v).eval().get(), (constant(x) * &v).eval().get());
        assert_eq!(
            (&v.transpose().eval() * x.transpose()).eval().get(),
            &(x * v.get()).transpose()
        );
        assert_eq!(
            (x.transpose() * x * &v - v.get()).eval().get(),
            &(x.transpose() * x * v.get() - v.get())
        );
    });
}

#[entape::function]
fn in_place(x: &[Real]) -> Real {
    let mut v = array![x[0], x[1], 1.0];
    v[2].assign(v.at(0) * v.at(1));
    v[1] += v.at(2) * v.at(2);
    let mut rows = [v.clone(), v];
    rows[0][0].assign(rows[1].at(1) * rows[0].at(2));
    rows[1][0].assign(2.0);
    (&rows[0] * &rows[1]).sum()
}
#[test]
fn the_right_side_of_a_write_is_read_first() {
    let plain = |x: &[f64]| {
        let (a, b) = (x[0], x[1]);
        let (c, d) = (a * b, b + (a * b).powi(2));
        d * c * 2.0 + d * d + c * c
    };
    near(in_place {}.value(&AT[..2]), plain(&AT), 1e-14);
    let gradient = Objective::new(in_place {})
        .gradient(&AT[..2])
        .expect("a gradient");
    (0..2).for_each(|i| near(gradient[i], difference(plain, i), 1e-8));
    check::hessian(in_place {}, &AT[..2]).unwrap();
}
