//! The quaternions of micromath 2.1.0, whose source becomes differentiable by attributes alone. `data/micromath` has the original
//! and its licences.
use approx::assert_abs_diff_eq;
use entape::{
    driver::{jvp, value_and_gradient},
    expr::Active,
    mode::{AnyMode, Plain, Reuse},
    tape::Tape,
};
use quaternion::{Quaternion, QuaternionOps};
use std::ops::{Add, Mul};

#[rustfmt::skip]
#[allow(clippy::wrong_self_convention)] // published source
mod quaternion;

/// The items that the source uses from its crate, with the functions of `std`.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct F32(f32);
impl F32 {
    fn abs(self) -> F32 {
        F32(self.0.abs())
    }
    fn sqrt(self) -> F32 {
        F32(self.0.sqrt())
    }
    fn inv(self) -> F32 {
        F32(1.0 / self.0)
    }
    fn invsqrt(self) -> F32 {
        F32(1.0 / self.0.sqrt())
    }
    fn sin(self) -> F32 {
        F32(self.0.sin())
    }
    fn cos(self) -> F32 {
        F32(self.0.cos())
    }
    fn asin(self) -> F32 {
        F32(self.0.asin())
    }
    fn atan2(self, x: F32) -> F32 {
        F32(self.0.atan2(x.0))
    }
}
impl Add<f32> for F32 {
    type Output = F32;
    fn add(self, x: f32) -> F32 {
        F32(self.0 + x)
    }
}
impl Mul<F32> for f32 {
    type Output = F32;
    fn mul(self, x: F32) -> F32 {
        F32(self * x.0)
    }
}
impl From<F32> for f32 {
    fn from(x: F32) -> f32 {
        x.0
    }
}
trait F32Ext {
    fn invsqrt(self) -> f32;
}
impl F32Ext for f32 {
    fn invsqrt(self) -> f32 {
        F32(self).invsqrt().0
    }
}

#[allow(unreachable_pub)]
mod vector {
    use std::ops::{Add, Mul, Neg, Sub};

    pub trait Component:
        Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
    {
    }
    impl Component for f32 {}

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Vector3d<C> {
        pub x: C,
        pub y: C,
        pub z: C,
    }
    pub type F32x3 = Vector3d<f32>;

    pub trait Vector<C> {
        fn dot(self, b: Self) -> C;
        fn magnitude(self) -> f32
        where
            Self: Sized + Copy,
            C: Into<f32>,
        {
            self.dot(self).into().sqrt()
        }
    }
    impl<C: Component> Vector<C> for Vector3d<C> {
        fn dot(self, b: Self) -> C {
            self.x * b.x + self.y * b.y + self.z * b.z
        }
    }
    impl Sub for F32x3 {
        type Output = F32x3;
        fn sub(self, b: F32x3) -> F32x3 {
            let (x, y, z) = (self.x - b.x, self.y - b.y, self.z - b.z);
            Vector3d { x, y, z }
        }
    }
    impl Mul for F32x3 {
        type Output = F32x3;
        fn mul(self, b: F32x3) -> F32x3 {
            let Vector3d { x, y, z } = self;
            Vector3d {
                x: y * b.z - z * b.y,
                y: z * b.x - x * b.z,
                z: x * b.y - y * b.x,
            }
        }
    }
    impl Mul<f32> for F32x3 {
        type Output = F32x3;
        fn mul(self, s: f32) -> F32x3 {
            let Vector3d { x, y, z } = self;
            Vector3d {
                x: x * s,
                y: y * s,
                z: z * s,
            }
        }
    }
    impl<C: Neg<Output = C>> Neg for Vector3d<C> {
        type Output = Self;
        fn neg(self) -> Self {
            let Vector3d { x, y, z } = self;
            Vector3d {
                x: -x,
                y: -y,
                z: -z,
            }
        }
    }
}

fn slopes_of_angles(q: Quaternion) -> [Quaternion; 3] {
    let [a, b, c, d] = q.to_array();
    let arc = |y: f32, x: f32| (x / (x * x + y * y), 2.0 * y / (x * x + y * y));
    let (u, v) = arc(2.0 * (a * b + c * d), 1.0 - 2.0 * (b * b + c * c));
    let s = 2.0 * (a * c - b * d);
    let (x, y) = arc(2.0 * (a * d + b * c), 1.0 - 2.0 * (c * c + d * d));
    [
        Quaternion::new(b * u, a * u + b * v, d * u + c * v, c * u) * 2.0,
        Quaternion::new(c, -d, a, -b) * (2.0 / (1.0 - s * s).sqrt()),
        Quaternion::new(d * x, c * x, b * x + c * y, a * x + d * y) * 2.0,
    ]
}

const P: Quaternion = Quaternion::new(0.8, -0.2, 0.3, 0.1);
const Q: Quaternion = Quaternion::new(0.5, 0.25, -0.1, 0.4);

/// Declares programs. Tests gradients by differences, and tangents and the mode [`Reuse`] by gradients.
macro_rules! programs { ($($name:ident = |$p:ident, $q:ident, $s:ident| $result:expr;)*) => { $(
    #[test]
    fn $name() {
        type Of<K, M> = Active<K, M>;
        fn program<M: AnyMode>($p: &Of<Quaternion, M>, $q: &Of<Quaternion, M>, $s: &Of<f32, M>) -> Of<f32, M> {
            let result = $result;
            result.eval()
        }
        let x = (P, Q, 1.5_f32);
        let (value, (p, q, s)) = value_and_gradient(|(p, q, s)| program(&p, &q, &s), x).expect("a gradient");
        let (dp, dq) = (Quaternion::new(1.0, -2.0, 0.5, 0.25), Quaternion::new(0.5, 1.0, -1.0, 2.0));
        let (again, slope) = jvp(|(p, q, s)| program(&p, &q, &s), x, (dp, dq, 0.75)).expect("a tangent");
        assert_eq!(again, value);
        assert_eq!(plain(program, x), value);
        let wants = differences(|x| plain(program, x), x);
        for (got, want) in [p.to_array(), q.to_array()].concat().iter().chain([&s]).zip(wants) {
            assert_abs_diff_eq!(*got, want, epsilon = 1e-4);
        }
        assert_abs_diff_eq!(slope, p.dot(dp) + q.dot(dq) + s * 0.75, epsilon = 2e-6 * (1.0 + slope.abs()));
        assert_eq!(reused(program, x), (value, (p, q, s)));
    }
)* } }
programs! {
    operators = |p, q, s| (p * q + s * p.conj() - q * s).dot(q);
    inverse = |p, q, s| (q.inv() * p * s).w();
    lengths = |p, q, s| (p + s * q).norm() * (p * q).magnitude();
    normalized = |p, q, s| (p * s).normalize().dot(q) + 0.0 * s;
    components = |p, q, s| p.w() * q.x() + p.y() * s - q.z();
    written = |p, q, s| {
        let mut r = p.clone();
        r += q * s;
        r -= p * q;
        r *= s;
        ((&r).x() * (&r).z()).eval()
    };
    angles = |p, q, s| {
        let (roll, pitch, yaw) = (p * q).to_euler();
        roll * pitch - yaw * s
    };
}
fn plain(
    f: impl Fn(
        &Active<Quaternion, Plain>,
        &Active<Quaternion, Plain>,
        &Active<f32, Plain>,
    ) -> Active<f32, Plain>,
    (p, q, s): (Quaternion, Quaternion, f32),
) -> f32 {
    f(
        &Active::passive(p),
        &Active::passive(q),
        &Active::passive(s),
    )
    .value()
}
fn differences(
    f: impl Fn((Quaternion, Quaternion, f32)) -> f32,
    (p, q, s): (Quaternion, Quaternion, f32),
) -> [f32; 9] {
    std::array::from_fn(|i| {
        let moved = |h: f32| {
            let mut x = [0.0; 9];
            x[i] = h;
            let [a, b, c, d, e, g, k, l, m] = x;
            f((
                p + Quaternion::new(a, b, c, d),
                q + Quaternion::new(e, g, k, l),
                s + m,
            ))
        };
        let slope = |h| (moved(h) - moved(-h)) / (2.0 * h);
        (4.0 * slope(0.015) - slope(0.03)) / 3.0
    })
}

type Variable<K> = Active<K, Reuse>;
fn reused(
    f: impl Fn(&Variable<Quaternion>, &Variable<Quaternion>, &Variable<f32>) -> Variable<f32>,
    (p, q, s): (Quaternion, Quaternion, f32),
) -> (f32, (Quaternion, Quaternion, f32)) {
    let mut tape = Tape::<Reuse>::default();
    let (p, q, s) = (tape.input(p), tape.input(q), tape.input_as::<f32>(s));
    let y = tape.record(|| f(&p, &q, &s));
    let gradient = tape.gradient(&y).expect("a recorded result");
    let (p, q, s) = (gradient.wrt(&p), gradient.wrt(&q), gradient.wrt(&s));
    (
        y.value(),
        (
            p.expect("an input"),
            q.expect("an input"),
            s.expect("an input"),
        ),
    )
}

#[test]
fn plain_calls_remain() {
    let (p, mut q) = (P, Q);
    q += p * 2.0;
    assert_eq!((p * q).conj(), q.conj() * p.conj());
    assert_eq!(p.dot(q), q.dot(p));
}

fn without_annotations(source: &str) -> String {
    let mut rest = String::new();
    let mut tail = source;
    let begins = ["#[op", "#[ad_in", "#[entape::"];
    while let Some(at) = begins.iter().filter_map(|begin| tail.find(begin)).min() {
        rest.push_str(&tail[..at]);
        let mut depth = 0;
        let end = tail[at..].find(|c| {
            depth += i32::from(c == '[') - i32::from(c == ']');
            c == ']' && depth == 0
        });
        tail = &tail[at + end.expect("the end of an attribute") + 1..];
    }
    rest.push_str(tail);
    rest.retain(|c| !c.is_whitespace());
    rest.replace(",)", ")")
}
#[test]
fn only_attributes_were_added() {
    let (ours, published) = (
        include_str!("quaternion.rs"),
        include_str!("../data/micromath/quaternion.rs"),
    );
    assert_ne!(ours, published);
    assert_eq!(without_annotations(ours), without_annotations(published));
}
