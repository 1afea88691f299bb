//! How operations on matrices interact. Rules are tested at their definitions.
mod approximate;
mod elementwise;
mod factorizations;
mod functions;
mod kinds;
mod lists;
mod norms;
mod places;
mod plain;
mod products;
mod reference;
mod storage;
mod wide;

use nalgebra::{DMatrix, DVector};

fn number(i: usize, j: usize, k: usize) -> f64 {
    let [i, j, k] = [i, j, k].map(|i| i as f64);
    (1.0 + 0.7 * i + 1.3 * j + 0.05 * i * j + 0.37 * k).sin()
}
fn matrix(rows: usize, cols: usize, k: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, cols, |i, j| number(i, j, k))
}
fn vector(n: usize, k: usize) -> DVector<f64> {
    DVector::from_fn(n, |i, _| number(i, 3, k))
}
fn regular(n: usize, k: usize) -> DMatrix<f64> {
    matrix(n, n, k) + DMatrix::identity(n, n) * (n as f64 + 1.0)
}
const SHAPES: [(usize, usize); 7] = [(0, 0), (0, 3), (1, 1), (3, 3), (3, 5), (5, 2), (18, 17)];
