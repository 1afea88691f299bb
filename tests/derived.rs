//! Kinds that derive from kinds of another crate.
use entape::{
    check::Check,
    core::{check, coordinates::Coordinates, kind::Val, store::PlaceIndex},
    driver::jvp,
    kind,
    linalg::Dense,
    operations,
    prelude::*,
    simd::arrays::ArrayKind,
};
use nalgebra::{Const, DMatrix, Dyn, Vector3, Vector4, dmatrix, vector};

type V<const N: usize> = Dense<f64, Const<N>, Const<1>>;
type Square = Dense<f64, Dyn, Dyn>;

/// A unit quaternion: its values are vectors, and so are results of the operations of vectors.
#[kind(value = Vector4<f64>, derives = V<4>, sample(value = vector![0.5, 0.5, -0.5, 0.5]))]
struct Rotation;

/// The author's own type: operators by its own, whose results are velocities.
#[kind(derives = V<3>, vector, sample(value = Velocity(vector![1.0, -2.0, 0.5])))]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Velocity(Vector3<f64>);
entape::core::lane_operators! { |x, y| impl[] Velocity {
    add: Velocity(x.0 + y.0), sub: Velocity(x.0 - y.0), mul: Velocity(x.0.component_mul(&y.0)),
    div: Velocity(x.0.component_div(&y.0)), neg: Velocity(-x.0),
} }
impl std::ops::Mul<f64> for Velocity {
    type Output = Self;
    fn mul(self, s: f64) -> Self {
        Velocity(self.0 * s)
    }
}
impl std::ops::Div<f64> for Velocity {
    type Output = Self;
    fn div(self, s: f64) -> Self {
        Velocity(self.0 / s)
    }
}

/// A name for two of the parts.
#[kind(numbers, parts(re: f64, im: f64))]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Wave {
    re: f64,
    im: f64,
}
#[kind(derives = Wave)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Voltage(Wave);

/// A storage kind.
#[kind(value = DMatrix<f64>, derives = Square, index = Owned, sample(value = dmatrix![2.0, 1.0; 1.0, 3.0]))]
struct Symmetric;

/// A kind of fixed size whose variables own their identifier.
#[kind(derives = K, index = Owned)]
struct InPlace<K: Coordinates>(Val<K>);
impl<K: Coordinates> Clone for InPlace<K> {
    fn clone(&self) -> Self {
        InPlace(self.0.clone())
    }
}

fn imag(q: &Vector4<f64>) -> Vector3<f64> {
    q.fixed_rows::<3>(1).into()
}
fn rotated(q: &Vector4<f64>, v: &Vector3<f64>) -> Vector3<f64> {
    let (w, u) = (q[0], imag(q));
    (w * w - u.dot(&u)) * v + 2.0 * w * u.cross(v) + 2.0 * u.dot(v) * u
}
/// The derivative of `rotated` along `q_t`.
fn turning(q: &Vector4<f64>, v: &Vector3<f64>, q_t: &Vector4<f64>) -> Vector3<f64> {
    let (w, u, w_t, u_t) = (q[0], imag(q), q_t[0], imag(q_t));
    let turned = w_t * u.cross(v) + w * u_t.cross(v) + u_t.dot(v) * u + u.dot(v) * u_t;
    2.0 * ((w * w_t - u.dot(&u_t)) * v + turned)
}
#[operations(ext = RotationOps)]
impl Rotation {
    #[op(
        Mul,
        tangent(q = Velocity(turning(&q, &v.0, &q_t)), v = Velocity(rotated(&q, &v_t.0))),
        sample(q = vector![0.5, 0.5, -0.5, 0.5], v = Velocity(vector![1.0, -2.0, 0.5]))
    )]
    fn mul(
        #[ad_in({
            let (w, u, r_b) = (q[0], imag(&q), r_b.0);
            let u_b = 2.0 * w * v.0.cross(&r_b) + 2.0 * u.dot(&v.0) * r_b + 2.0 * u.dot(&r_b) * v.0 - 2.0 * v.0.dot(&r_b) * u;
            let w_b = 2.0 * w * v.0.dot(&r_b) + 2.0 * u.cross(&v.0).dot(&r_b);
            vector![w_b, u_b.x, u_b.y, u_b.z]
        })]
        q: Self,
        #[ad_in(Velocity(rotated(&vector![q[0], -q[1], -q[2], -q[3]], &r_b.0)))] v: Velocity,
    ) -> Velocity {
        Velocity(rotated(&q, &v.0))
    }
    #[op(self_adjoint, sample(q = vector![0.5, 0.5, -0.5, 0.5]))]
    fn inverse(#[ad_in] q: Self) -> Self {
        vector![q[0], -q[1], -q[2], -q[3]]
    }
}

/// An operator of two kinds of other crates, one of them by a derived kind.
#[operations(ext = SymmetricOps)]
impl Symmetric {
    #[op(Mul, bilinear, sample(a = dmatrix![2.0, 1.0; 1.0, 3.0], x = vec![1.0, -0.5]))]
    fn apply(
        #[ad_in(DMatrix::from_fn(r_b.len(), x.len(), |i, j| r_b[i] * x[j]))] a: &Self,
        #[ad_in((0..a.ncols()).map(|j| a.column(j).iter().zip(r_b).map(|(a, r_b)| a * r_b).sum()).collect::<Vec<f64>>())]
        x: &ArrayKind<f64>,
    ) -> ArrayKind<f64> {
        (0..a.nrows())
            .map(|i| (0..x.len()).map(|j| a[(i, j)] * x[j]).sum())
            .collect()
    }
}

/// Reads members of the base, converts in both directions, and writes in place.
fn turned<M: AnyMode>(q: &Active<Rotation, M>, v: &Active<Velocity, M>) -> Active<f64, M> {
    let speed = v.norm() * q.norm_squared();
    let longer = Rotation::of(&**q * 2.0 + &**q).eval();
    let mut w = (&longer.inverse().eval() * (v * 0.5 + v)).eval();
    *w *= 2.0;
    w += v / 4.0;
    (speed * w.dot(&**v) + Velocity::base(-&w).norm()).eval()
}

fn program<M: AnyMode>(x: &[Active<f64, M>; 3]) -> Active<f64, M> {
    let [a, b, c] = x;
    let q = constant(vector![0.5, 1.0, -0.25, 2.0]) * a + constant(vector![1.0, 0.0, 0.5, 1.0]) * b;
    let v = constant(vector![1.0, -1.0, 2.0]) * c + constant(vector![0.5, 0.0, 1.0]) * a;
    turned(&Rotation::of(q).eval(), &Velocity::of(v).eval())
}
const X: [f64; 3] = [0.75, -0.5, 1.25];

#[test]
fn gradients_agree_with_differences_in_every_mode() {
    every_mode_agrees(program, program, program, program);
}
type Of<M> = fn(&[Active<f64, M>; 3]) -> Active<f64, M>;
fn every_mode_agrees(taped: Of<Taped>, plain: Of<Plain>, forward: Of<Forward>, reuse: Of<Reuse>) {
    let confirmed = Check::default().expression(|x: [Active<f64>; 3]| taped(&x), X);
    confirmed.expect("differences agree");
    let gradient = entape::gradient(|x: [Active<f64>; 3]| taped(&x), X).expect("a gradient");
    for i in 0..3 {
        let mut direction = [0.0; 3];
        direction[i] = 1.0;
        let (_, slope) =
            jvp(|x: [Active<f64, Forward>; 3]| forward(&x), X, direction).expect("tangents");
        approx::assert_relative_eq!(slope, gradient[i], max_relative = 1e-12);
    }
    let mut tape = Tape::<Reuse>::default();
    let x = X.map(|x| tape.input(x));
    let y = tape.record(|| reuse(&x));
    let of_reuse = tape
        .gradient(&y)
        .and_then(|g| g.wrt_all(&x))
        .expect("a gradient");
    assert_eq!(of_reuse, gradient);
    assert_eq!(y, plain(&X.map(Active::<f64, Plain>::passive)).value());
}

/// Operands, elements, rows and elementary functions of the base.
fn indexed<M: AnyMode>(x: &[Active<f64, M>; 3]) -> Active<f64, M> {
    let [a, b, c] = x;
    let base = (constant(vector![1.0, -1.0, 2.0]) * a).eval();
    let mut v = Velocity::of(&base * 0.5).eval();
    v[1].assign(a * b);
    let sum = v.at(0) + c;
    v[2] *= sum;
    let [first, last] = v.places([0, 2]);
    first.add_assign(b);
    last.mul_assign(c);
    let sum = (&*v + &base - (&*v).component_mul(&base) * 2.0).eval();
    let mut m = Symmetric::of(constant(dmatrix![2.0, 1.0; 1.0, 3.0]) * b).eval();
    let e = &v[1] * m.at(3);
    m[(0, 1)].assign(e);
    m[2].update(|m| m.tanh() + c);
    let row = m.row_at(0) * a;
    m.row_mut(1).assign(row);
    m.diagonal_mut()
        .add_assign(constant(nalgebra::dvector![1.0, 2.0]) * c);
    let mut u = Voltage::of(constant(Wave { re: 1.0, im: 2.0 })).eval();
    u[Wave::RE].assign(m.determinant() * c);
    u[Wave::IM] *= b;
    let part = &u[Wave::RE] * &u[Wave::IM] + &u[Wave::IM];
    (sum.norm() * &v[0] + part.tanh() * (&*m * &*m).trace()).eval()
}

#[test]
fn indices_of_the_base_agree_with_differences_in_every_mode() {
    every_mode_agrees(indexed, indexed, indexed, indexed);
    hessian_agrees(indexed);
}
fn hessian_agrees(f: Of<Taped>) {
    let hessian = entape::hessian(|x: [Active<f64>; 3]| f(&x), X).expect("a Hessian");
    let h = 1e-5;
    for i in 0..3 {
        let slopes = [h, -h].map(|h| {
            let mut x = X;
            x[i] += h;
            entape::gradient(|x: [Active<f64>; 3]| f(&x), x).expect("a gradient")
        });
        for j in 0..3 {
            let want = (slopes[0][j] - slopes[1][j]) / (2.0 * h);
            approx::assert_relative_eq!(hessian[(i, j)], want, max_relative = 1e-7, epsilon = 1e-7);
        }
    }
}
#[test]
fn a_write_to_an_element_of_the_base_saves_the_element() {
    let statement = |derived: bool| {
        let mut tape = Tape::new();
        let value = DMatrix::from_element(10, 10, 1.0);
        let (mut p, mut q) = (tape.input(value.clone()), tape.input_as::<Symmetric>(value));
        let norm = tape.record(|| (p.norm_squared() + q.norm_squared()).eval());
        let before = tape.statistics();
        tape.record(|| match derived {
            true => q[(1, 2)].assign(&norm),
            false => p[(1, 2)].assign(&norm),
        });
        let after = tape.statistics();
        (
            after.block_bytes + after.kept_bytes - before.block_bytes - before.kept_bytes,
            after.statements - before.statements,
        )
    };
    assert_eq!(statement(true), statement(false));
}
type Matrix6 = Dense<f64, Const<6>, Const<6>>;
fn in_place<M: AnyMode>(x: &[Active<f64, M>; 3]) -> Active<f64, M> {
    let [a, b, c] = x;
    let mut m = InPlace::<Matrix6>::of(constant(nalgebra::Matrix6::repeat(0.5)) * a).eval();
    let first = m.norm_squared().eval();
    m[(0, 1)].assign(b * c);
    m[(1, 0)] -= &first * b;
    let second = (&*m * &*m).trace().eval();
    let e = m.at(7) * &second;
    m[3].assign(e);
    m.row_mut(2).mul_assign(c);
    (first * second + m.norm()).eval()
}
#[test]
fn a_kind_of_fixed_size_is_written_in_place_in_every_mode() {
    every_mode_agrees(in_place, in_place, in_place, in_place);
    hessian_agrees(in_place);
}
/// In the mode `Taped`, a write to an element of a value that is copied makes a new value.
#[test]
fn a_kind_of_fixed_size_in_place_saves_an_element() {
    let value = nalgebra::Matrix6::<f64>::repeat(1.0);
    let mut tape = Tape::new();
    let x = tape.input(2.0);
    let (mut copied, mut owned) = (tape.input(value), tape.input(InPlace::<Matrix6>(value)));
    let read = tape.record(|| (copied.norm() + owned.norm()).eval());
    let mut written = |owns: bool| {
        let before = tape.statistics();
        tape.record(|| match owns {
            true => owned[(1, 2)].assign(x),
            false => copied[(1, 2)].assign(x),
        });
        let after = tape.statistics();
        assert_eq!(after.statements - before.statements, 1);
        after.bytes() - before.bytes()
    };
    let [whole, element] = [false, true].map(&mut written);
    assert!(whole > 36 * 8 && element < 48, "{whole} {element}");
    let gradient = tape.gradient(&read).expect("a result");
    let of_owned = gradient.wrt(&owned).expect("an input").0;
    approx::assert_abs_diff_eq!(of_owned, value / 6.0, epsilon = 1e-15);
}

#[test]
#[should_panic(expected = "the index (0, 2) is out of range for a matrix with shape 2x2")]
fn an_index_of_the_base_is_checked() {
    let a = Active::<Symmetric, Plain>::passive(dmatrix![2.0, 1.0; 1.0, 3.0]);
    let _ = a.at((0, 2));
}

#[test]
fn members_of_the_base_have_all_derivatives() {
    let f = |x: [Active<f64>; 2]| {
        let mut q = Rotation::of(constant(vector![0.5, 1.0, -0.25, 2.0]) * x[0]).eval();
        *q += constant(vector![1.0, 0.0, 0.5, 1.0]) * x[1];
        (q.norm() * q.dot(&*q)).eval()
    };
    let [a, b] = [0.75, -0.5];
    let norm = |a: f64, b: f64| {
        (vector![0.5, 1.0, -0.25, 2.0] * a + vector![1.0, 0.0, 0.5, 1.0] * b).norm()
    };
    let hessian = entape::hessian(f, [a, b]).expect("a Hessian");
    let h = 1e-3;
    let want =
        (norm(a + h, b).powi(3) - 2.0 * norm(a, b).powi(3) + norm(a - h, b).powi(3)) / (h * h);
    approx::assert_abs_diff_eq!(hessian[(0, 0)], want, epsilon = 1e-4);
    approx::assert_abs_diff_eq!(hessian[(0, 1)], hessian[(1, 0)], epsilon = 1e-12);
}

#[test]
fn a_storage_kind_has_the_members_of_its_base() {
    let f = |x: [Active<f64>; 2]| {
        let a = constant(dmatrix![2.0, 1.0; 1.0, 3.0]) * x[0];
        let mut a = Symmetric::of(a).eval();
        *a *= x[1];
        let array = (constant(vec![1.0, -0.5]) * x[1]).eval();
        let y = (&a * &array).eval();
        (y.sum() * a.determinant() + (&*a * &*a).trace()).eval()
    };
    let confirmed = Check::default().expression(f, [0.75, -0.5]);
    confirmed.expect("differences agree");
}

#[test]
fn a_member_of_the_base_takes_no_more_bytes() {
    let value = vector![0.5, 1.0, -0.25, 2.0];
    let bytes = |derived: bool| {
        let mut tape = Tape::new();
        let (p, q) = (tape.input(value), tape.input_as::<Rotation>(value));
        let before = tape.statistics().bytes();
        tape.record(|| match derived {
            true => q.norm_squared().eval(),
            false => p.norm_squared().eval(),
        });
        tape.statistics().bytes() - before
    };
    assert_eq!(bytes(true), bytes(false));
}

#[test]
fn conversions_are_rules() {
    let part = Rotation::BASE;
    check::assert_part::<Rotation, _>(part, vector![0.5, 1.0, -0.25, 2.0]);
    check::assert_part::<Velocity, _>(Velocity::BASE, Velocity(vector![0.5, 1.0, -0.25]));
    let m = dmatrix![2.0, 1.0; 1.0, 3.0];
    let element = <Symmetric as PlaceIndex<(usize, usize)>>::part(&m, 1);
    check::assert_part::<Symmetric, _>(element, m.clone());
    check::assert_part::<Symmetric, _>(Symmetric::BASE, m);
}

#[test]
#[should_panic(
    expected = "a value of shape (1, 2) is written to a place of shape (2, 2): assign the variable instead"
)]
fn the_base_keeps_its_shape() {
    let mut a = Active::<Symmetric, Plain>::passive(dmatrix![2.0, 1.0; 1.0, 3.0]);
    let base: &mut entape::expr::Place<_, _, _> = &mut a;
    base.assign(constant(dmatrix![1.0, 2.0]));
}
