//! Functions of a few inputs, for entape and for `num-dual`, with equal operations in equal order.
use entape::prelude::*;
use num_dual::DualNum;

pub(crate) trait Dual: DualNum<Primitive = f64> + Copy {}
impl<D: DualNum<Primitive = f64> + Copy> Dual for D {}

pub(crate) fn rosenbrock<M: Mode>(x: &[Real<M>; 20]) -> Real<M> {
    let mut sum = Real::<M>::passive(0.0);
    for pair in x.windows(2) {
        let (a, b) = ((1.0 - pair[0]).eval(), (pair[1] - pair[0] * pair[0]).eval());
        sum += a * a + b * b * 100.0;
    }
    sum
}
pub(crate) fn rosenbrock_dual<D: Dual>(x: &[D; 20]) -> D {
    let mut sum = D::from(0.0);
    for pair in x.windows(2) {
        let (a, b) = (D::from(1.0) - pair[0], pair[1] - pair[0] * pair[0]);
        sum += a * a + b * b * 100.0;
    }
    sum
}

/// The image of a point in a camera: the rotation of the camera as a vector (Rodrigues), its position, and the point.
pub(crate) fn projection<M: Mode>(x: &[Real<M>; 9]) -> [Real<M>; 2] {
    let [w, t, p] = [0, 3, 6].map(|i| [x[i], x[i + 1], x[i + 2]]);
    let angle = (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]).sqrt().eval();
    let (s, c) = (angle.sin().eval(), angle.cos().eval());
    let k = w.map(|w| (w / angle).eval());
    let along = ((k[0] * p[0] + k[1] * p[1] + k[2] * p[2]) * (1.0 - c)).eval();
    let cross = [(1, 2), (2, 0), (0, 1)].map(|(i, j)| (k[i] * p[j] - k[j] * p[i]).eval());
    let q = [0, 1, 2].map(|i| (p[i] * c + cross[i] * s + k[i] * along + t[i]).eval());
    [
        (q[0] / q[2] * 500.0 - 320.0).eval(),
        (q[1] / q[2] * 500.0 - 240.0).eval(),
    ]
}
pub(crate) fn projection_dual<D: Dual>(x: &[D; 9]) -> [D; 2] {
    let [w, t, p] = [0, 3, 6].map(|i| [x[i], x[i + 1], x[i + 2]]);
    let angle = (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]).sqrt();
    let (s, c) = (angle.sin(), angle.cos());
    let k = w.map(|w| w / angle);
    let along = (k[0] * p[0] + k[1] * p[1] + k[2] * p[2]) * (D::from(1.0) - c);
    let cross = [(1, 2), (2, 0), (0, 1)].map(|(i, j)| k[i] * p[j] - k[j] * p[i]);
    let q = [0, 1, 2].map(|i| p[i] * c + cross[i] * s + k[i] * along + t[i]);
    [q[0] / q[2] * 500.0 - 320.0, q[1] / q[2] * 500.0 - 240.0]
}

/// The right side of HIRES, a stiff chain of eight reactions (E. Schäfer 1975; Hairer and Wanner, Solving Ordinary Differential
/// Equations II, IV.10).
pub(crate) fn hires<M: Mode>(y: &[Real<M>; 8]) -> [Real<M>; 8] {
    let r = (y[5] * y[7] * 280.0).eval();
    [
        (-1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007).eval(),
        (1.71 * y[0] - 8.75 * y[1]).eval(),
        (-10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4]).eval(),
        (8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3]).eval(),
        (-1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6]).eval(),
        (-r + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6]).eval(),
        (r - 1.81 * y[6]).eval(),
        (1.81 * y[6] - r).eval(),
    ]
}
pub(crate) fn hires_dual<D: Dual>(y: &[D; 8]) -> [D; 8] {
    let r = y[5] * y[7] * 280.0;
    [
        y[0] * -1.71 + y[1] * 0.43 + y[2] * 8.32 + 0.0007,
        y[0] * 1.71 - y[1] * 8.75,
        y[2] * -10.03 + y[3] * 0.43 + y[4] * 0.035,
        y[1] * 8.32 + y[2] * 1.71 - y[3] * 1.12,
        y[4] * -1.745 + y[5] * 0.43 + y[6] * 0.43,
        -r + y[3] * 0.69 + y[4] * 1.71 - y[5] * 0.43 + y[6] * 0.69,
        r - y[6] * 1.81,
        y[6] * 1.81 - r,
    ]
}
