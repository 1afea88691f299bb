//! Fluids: shallow water in a basin with walls, and the misfit of its last level, by matrices.
use entape::prelude::*;
use nalgebra::DMatrix;

const G: f64 = 9.81;
/// A basin of `n` times `n` cells, its depth, and a measured level.
#[derive(Debug)]
pub struct Basin {
    n: usize,
    dt: f64,
    dx: f64,
    friction: f64,
    depth: DMatrix<f64>,
    seen: DMatrix<f64>,
}

pub mod plain {
    use super::{Basin, DMatrix, G};

    pub fn misfit(level: &DMatrix<f64>, b: &Basin, steps: usize) -> f64 {
        (levels(level, b, steps) - &b.seen).norm_squared()
    }
    pub fn levels(level: &DMatrix<f64>, b: &Basin, steps: usize) -> DMatrix<f64> {
        let (n, c, k) = (b.n, b.dt * G / b.dx, 0.5 * b.dt / b.dx);
        let (mut h, mut u, mut v) = (
            level.clone(),
            DMatrix::<f64>::zeros(n - 1, n),
            DMatrix::<f64>::zeros(n, n - 1),
        );
        for _ in 0..steps {
            for j in 0..n {
                for i in 0..n - 1 {
                    u[(i, j)] -= c * (h[(i + 1, j)] - h[(i, j)]) + b.dt * b.friction * u[(i, j)];
                }
            }
            for j in 0..n - 1 {
                for i in 0..n {
                    v[(i, j)] -= c * (h[(i, j + 1)] - h[(i, j)]) + b.dt * b.friction * v[(i, j)];
                }
            }
            let d = &b.depth + &h;
            for j in 0..n {
                for i in 0..n - 1 {
                    let f = k * (d[(i, j)] + d[(i + 1, j)]) * u[(i, j)];
                    h[(i, j)] -= f;
                    h[(i + 1, j)] += f;
                }
            }
            for j in 0..n - 1 {
                for i in 0..n {
                    let f = k * (d[(i, j)] + d[(i, j + 1)]) * v[(i, j)];
                    h[(i, j)] -= f;
                    h[(i, j + 1)] += f;
                }
            }
        }
        h
    }
}

#[entape::function]
pub fn misfit(level: &Matrix, b: &Basin, steps: usize) -> Real {
    let (n, c, k) = (b.n, b.dt * G / b.dx, 0.5 * b.dt / b.dx);
    let drag = 1.0 - b.dt * b.friction;
    let (mut h, mut u, mut v) = (
        level.clone(),
        Matrix::zeros(n - 1, n),
        Matrix::zeros(n, n - 1),
    );
    for _ in 0..steps {
        u = drag * &u - c * (h.rows(1, n - 1) - h.rows(0, n - 1));
        v = drag * &v - c * (h.columns(1, n - 1) - h.columns(0, n - 1));
        let d = &b.depth + &h;
        let f = k * (d.rows(0, n - 1) + d.rows(1, n - 1)).component_mul(&u);
        let g = k * (d.columns(0, n - 1) + d.columns(1, n - 1)).component_mul(&v);
        h.rows_mut(0, n - 1).sub_assign(&f);
        h.rows_mut(1, n - 1).add_assign(&f);
        h.columns_mut(0, n - 1).sub_assign(&g);
        h.columns_mut(1, n - 1).add_assign(&g);
    }
    (&h - &b.seen).norm_squared()
}

/// A level, and a basin of `n` times `n` cells with the measured level of another one after some steps.
pub fn data(n: usize, steps: usize) -> (DMatrix<f64>, Basin) {
    let hill = |ci: f64, cj: f64| {
        let size = n as f64 / 10.0;
        let square = |i: usize, c: f64| ((i as f64 - c * n as f64) / size).powi(2);
        DMatrix::from_fn(n, n, |i, j| 0.5 * (-square(i, ci) - square(j, cj)).exp())
    };
    let depth = |i: usize, j: usize| 20.0 + 5.0 * (0.1 * i as f64).sin() * (0.07 * j as f64).cos();
    let mut basin = Basin {
        n,
        dt: 0.25,
        dx: 10.0,
        friction: 1e-3,
        depth: DMatrix::from_fn(n, n, depth),
        seen: DMatrix::zeros(n, n),
    };
    basin.seen = plain::levels(&hill(0.47, 0.47), &basin, steps);
    (hill(0.4, 0.53), basin)
}
