//! Robotics: the calibration of an arm with six joints from measured positions of its hand, with 27 parameters.
use entape::prelude::*;
use nalgebra::{Matrix3, Vector3};

/// Angles of the joints, and the position of the hand.
pub type Reading = ([f64; 6], Vector3<f64>);

/// The sum of the squared errors of all readings, without derivatives.
pub mod plain {
    use super::{Matrix3, Reading, Vector3};

    pub fn hand(p: &[f64], q: &[f64]) -> Vector3<f64> {
        let (mut turn, mut at) = (Matrix3::identity(), Vector3::zeros());
        for (l, &q) in p.chunks(4).zip(q) {
            let [offset, d, a, alpha] = [l[0], l[1], l[2], l[3]];
            let (s, c) = (q + offset).sin_cos();
            let (sa, ca) = alpha.sin_cos();
            at += turn * Vector3::new(a * c, a * s, d);
            turn *= Matrix3::new(c, -s * ca, s * sa, s, c * ca, -c * sa, 0.0, sa, ca);
        }
        at + turn * Vector3::new(p[24], p[25], p[26])
    }
    pub fn misfit(p: &[f64], readings: &[Reading]) -> f64 {
        let error = |(q, seen): &Reading| (hand(p, q) - seen).norm_squared();
        readings.iter().map(error).sum()
    }
}

#[entape::function]
fn hand(p: &[Real], q: &[f64]) -> FixedVector<3> {
    let (mut turn, mut at) = (FixedMatrix::identity(), FixedVector::zeros());
    for (l, &q) in p.chunks(4).zip(q) {
        let [offset, d, a, alpha] = [l[0], l[1], l[2], l[3]];
        let (s, c) = (q + offset).sin_cos();
        let (sa, ca) = alpha.sin_cos();
        at += turn * vector![a * c, a * s, d];
        turn *= matrix![c, -s * ca, s * sa; s, c * ca, -c * sa; 0.0, sa, ca];
    }
    at + turn * vector![p[24], p[25], p[26]]
}
/// The sum of the squared errors of all readings.
#[entape::function]
pub fn misfit(p: &[Real], readings: &[Reading]) -> Real {
    let error = |(q, seen): &Reading| (hand(p, q) - seen).norm_squared();
    readings.iter().map(error).sum::<Real>()
}

/// The parameters of an arm, and readings of another one.
#[allow(clippy::approx_constant)] // the numbers of a data sheet
pub fn data() -> (Vec<f64>, Vec<Reading>) {
    let mut p = vec![
        0.0, 0.0892, 0.0, 1.5708, 0.0, 0.0, -0.425, 0.0, 0.0, 0.0, -0.3922, 0.0, 0.0, 0.1093, 0.0,
        1.5708, 0.0, 0.09475, 0.0, -1.5708, 0.0, 0.0825, 0.0, 0.0, 0.02, 0.0, 0.11,
    ];
    let made: Vec<f64> = (0..27)
        .map(|i| p[i] + 0.002 * (1.7 * i as f64).sin())
        .collect();
    p.iter_mut().for_each(|p| *p += 1e-3);
    let joint = |k: usize, j: usize| 1.2 * ((k * 7 + j * 3) as f64 * 0.61).sin();
    let reading = |k| {
        let q = std::array::from_fn(|j| joint(k, j));
        (q, plain::hand(&made, &q))
    };
    (p, (0..40).map(reading).collect())
}
