//! Quaternions of nalgebra as entities, as written by an author of a DSL.
use approx::assert_abs_diff_eq;
use entape::{
    core::check,
    driver::{Function, vjp},
    function, kind,
    linalg::Dense,
    op, operations,
    prelude::*,
};
use nalgebra::{Const, Quaternion, Vector3};

/// One identifier for four numbers, with the operators of nalgebra.
#[kind(value = Quaternion<f64>, numbers(w, i, j, k), vector, sample(value = Quaternion::new(1.0, -0.5, 2.0, 0.25)))]
struct Q;
type V3 = Dense<f64, Const<3>, Const<1>>;

#[op(name = Parts, sample(w = 1.0..2.0, v = Vector3::new(1.0, -2.0, 0.5)))]
fn quaternion(#[ad_in(r_b.w)] w: f64, #[ad_in(r_b.imag())] v: &V3) -> Q {
    Quaternion::from_parts(w, *v)
}
#[operations(ext = QOps)]
impl Q {
    #[op(Mul, sample(p = Quaternion::new(1.0, -0.5, 2.0, 0.25), q = Quaternion::new(0.5, 1.5, -1.0, 2.0)))]
    fn mul(#[ad_in(r_b * q.conjugate())] p: Self, #[ad_in(p.conjugate() * r_b)] q: Self) -> Self {
        p * q
    }
    #[op(self_adjoint, sample(q = Quaternion::new(1.0, -0.5, 2.0, 0.25)))]
    fn conjugate(#[ad_in] q: Self) -> Self {
        q.conjugate()
    }
    #[op(sample(q = Quaternion::new(1.0, -0.5, 2.0, 0.25)))]
    fn norm(#[ad_in(q * (r_b / r))] q: Self) -> f64 {
        q.norm()
    }
    #[op(sample(q = Quaternion::new(1.0, -0.5, 2.0, 0.25)))]
    fn imag(#[ad_in(Quaternion::from_imag(*r_b))] q: Self) -> &V3 {
        q.imag()
    }
    #[op(sample(q = Quaternion::new(1.0, -0.5, 2.0, 0.25)))]
    fn inverse(
        #[ad_in(-(r.conjugate() * r_b * r.conjugate()))] q: Self,
    ) -> Result<Self, ZeroQuaternion> {
        q.try_inverse().ok_or(ZeroQuaternion)
    }
}
#[derive(Clone, Copy, Debug, PartialEq)]
struct ZeroQuaternion;

#[function]
fn program<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
    let [a, b] = [Vector3::new(1.0, -2.0, 0.5), Vector3::new(0.5, 1.0, 3.0)];
    let axis = (x[1] * constant(a) + x[2] * constant(b)).eval();
    let q = quaternion(x[0], &axis).eval();
    let Ok(inverse) = q.inverse() else {
        return x[3];
    };
    let turned = (q * quaternion(x[3], constant(b)) * inverse).imag().eval();
    let p = (q / q.norm() - q.conjugate() * 0.5 + 2.0 * q).eval();
    ((&turned).cross(constant(a)).dot(&axis) + p.norm() * x[3]).eval()
}

#[test]
fn gradients_agree_with_differences() {
    check::assert_gradient(program {}, &[1.0, -0.5, 2.0, 0.25]);
    check::assert_gradient(program {}, &[-2.0, 0.5, 0.1, 3.0]);
    assert_eq!(program {}.value(&[0.0, 0.0, 0.0, 3.0]), 3.0);
}

#[test]
fn the_derivative_by_the_angle_is_the_cross_product_with_the_axis() {
    let v = Vector3::new(0.3, -1.0, 2.0);
    let axis = Vector3::new(2.0, -1.0, 2.0) / 3.0;
    let turned = |angle: Active<f64>| {
        let (sin, cos) = (angle / 2.0).sin_cos();
        let q = quaternion(cos, sin * constant(axis)).eval();
        let r = (q * constant(Quaternion::from_imag(v)) * q.conjugate())
            .imag()
            .eval();
        [Vector3::x(), Vector3::y(), Vector3::z()]
            .map(|e: Vector3<f64>| (&r).dot(constant(e)).eval())
    };
    let (_, slopes) = vjp_of_each(turned);
    assert_abs_diff_eq!(Vector3::from(slopes), axis.cross(&v), epsilon = 1e-14);
}
fn vjp_of_each(f: impl Fn(Active<f64>) -> [Active<f64>; 3]) -> ([f64; 3], [f64; 3]) {
    let unit = |i: usize| std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 });
    let rows = [0, 1, 2].map(|i| vjp(&f, 0.0, unit(i)).expect("a gradient"));
    (rows[0].0, rows.map(|(_, slope)| slope))
}
