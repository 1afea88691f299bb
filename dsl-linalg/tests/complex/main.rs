//! How operations on complex matrices interact. Rules are tested at their definitions.
mod elementwise;
mod factorizations;
mod functions;
mod kinds;
mod lists;
mod misuse;
mod mixed;
mod products;
mod reference;
mod spectra;

use nalgebra::{Complex, DMatrix, DVector, Matrix3, Vector3};

type C = Complex<f64>;

fn number(i: usize, j: usize, k: usize) -> C {
    let [i, j, k] = [i, j, k].map(|i| i as f64);
    let angle = 1.0 + 0.7 * i + 1.3 * j + 0.05 * i * j + 0.37 * k;
    C::new(angle.sin(), (1.7 * angle + 0.4).cos())
}
fn matrix(rows: usize, cols: usize, k: usize) -> DMatrix<C> {
    DMatrix::from_fn(rows, cols, |i, j| number(i, j, k))
}
fn vector(n: usize, k: usize) -> DVector<C> {
    DVector::from_fn(n, |i, _| number(i, 3, k))
}
fn regular(n: usize, k: usize) -> DMatrix<C> {
    matrix(n, n, k) + DMatrix::identity(n, n) * C::new(n as f64 + 1.0, 1.0)
}
fn positive(n: usize, k: usize) -> DMatrix<C> {
    let a = regular(n, k);
    &a * a.adjoint()
}
fn real(m: &DMatrix<C>) -> DMatrix<f64> {
    m.map(|z| z.re)
}
fn single(m: &DMatrix<C>) -> DMatrix<Complex<f32>> {
    m.map(|z| Complex::new(z.re as f32, z.im as f32))
}
fn matrix3(k: usize) -> Matrix3<C> {
    Matrix3::from_fn(|i, j| number(i, j, k))
}
fn vector3(k: usize) -> Vector3<C> {
    Vector3::from_fn(|i, j| number(i, j, k))
}
const SHAPES: [(usize, usize); 7] = [(0, 0), (0, 3), (1, 1), (3, 3), (3, 5), (5, 2), (9, 12)];
