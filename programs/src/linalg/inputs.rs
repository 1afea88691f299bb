//! Inputs for states that neither grow nor decay.
use nalgebra::{DMatrix, DVector};

/// A matrix without structure, one for each `k`.
pub fn matrix(n: usize, k: usize) -> DMatrix<f64> {
    DMatrix::from_fn(n, n, |i, j| {
        let (i, j, k) = (i as f64, j as f64, k as f64);
        (1.0 + 0.7 * i + 1.3 * j + 0.05 * i * j + 0.37 * k).sin()
    })
}
/// A vector without structure, one for each `k`.
pub fn vector(n: usize, k: usize) -> DVector<f64> {
    DVector::from_fn(n, |i, _| (0.2 + 0.9 * i as f64 + 0.41 * k as f64).cos())
}
fn symmetric(n: usize, k: usize) -> DMatrix<f64> {
    let m = matrix(n, k);
    &m + m.transpose()
}
fn identity(n: usize) -> DMatrix<f64> {
    DMatrix::identity(n, n)
}

/// The matrix of T2: far from singular.
pub fn regular(n: usize) -> DMatrix<f64> {
    matrix(n, 0) + identity(n) * n as f64
}

#[derive(Clone, Debug)]
pub struct Kalman {
    /// `F B Q H R P`.
    pub matrices: [DMatrix<f64>; 6],
    /// `u z x`.
    pub vectors: [DVector<f64>; 3],
}
impl Kalman {
    pub fn new(n: usize) -> Self {
        let (r, one) = (1.0 / n as f64, identity(n));
        Kalman {
            matrices: [
                &one + 1e-6 * r * matrix(n, 0),
                1e-6 * r * matrix(n, 1),
                1e-6 * (0.5 * &one + 0.1 * r * symmetric(n, 2)),
                &one + 0.3 * r * matrix(n, 3),
                1e6 * (&one + 0.1 * r * symmetric(n, 4)),
                &one + 0.1 * r * symmetric(n, 5),
            ],
            vectors: [vector(n, 0), vector(n, 2), vector(n, 1)],
        }
    }
}

#[derive(Clone, Debug)]
pub struct Analysis {
    /// `W A`.
    pub matrices: [DMatrix<f64>; 2],
    /// `x0 y v1 z1 v2 z2`.
    pub vectors: [DVector<f64>; 6],
    /// `alpha beta tau`.
    pub numbers: [f64; 3],
}
impl Analysis {
    pub fn new(n: usize) -> Self {
        let (r, one) = (1.0 / n as f64, identity(n));
        let operator = |k| 0.5 * &one + 0.5 * r * matrix(n, k);
        Analysis {
            matrices: [operator(0), operator(1)],
            vectors: [
                1e-6 * vector(n, 0),
                1e-6 * vector(n, 1),
                vector(n, 2),
                vector(n, 3),
                vector(n, 4),
                vector(n, 5),
            ],
            numbers: [0.5, 1e-6, 0.5],
        }
    }
}
