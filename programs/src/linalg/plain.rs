//! The plain programs with kernels of the DSL, in preallocated memory.
use super::inputs;
pub use entape::linalg::kernels::dot;
use entape::linalg::{
    View, ViewMut,
    kernels::{
        Triangle, axpy, cholesky, gemm,
        householder::{apply_q, qr, qr_rows},
        solve_triangular,
    },
};
use nalgebra::{DMatrix, DVector, IsContiguous, Matrix, RawStorage, RawStorageMut, U1};
use std::mem::swap;

pub(super) fn r<C: nalgebra::Dim, R: nalgebra::Dim, S>(m: &Matrix<f64, R, C, S>) -> View<'_, f64>
where
    S: RawStorage<f64, R, C> + IsContiguous,
{
    View::new(m.as_slice(), m.nrows(), m.ncols())
}
pub(super) fn w<C: nalgebra::Dim, R: nalgebra::Dim, S>(
    m: &mut Matrix<f64, R, C, S>,
) -> ViewMut<'_, f64>
where
    S: RawStorageMut<f64, R, C> + IsContiguous,
{
    let (rows, cols) = m.shape();
    ViewMut::new(m.as_mut_slice(), rows, cols)
}
pub(super) fn column(x: &[f64]) -> View<'_, f64> {
    View::new(x, x.len(), 1)
}
/// `out = beta * out + alpha * a * x` of vectors.
pub(super) fn gemv(alpha: f64, a: View<'_, f64>, x: &[f64], beta: f64, out: &mut [f64]) {
    let rows = out.len();
    gemm(alpha, a, column(x), beta, ViewMut::new(out, rows, 1));
}
/// `out = a * x + b * y`.
pub(super) fn combine(out: &mut [f64], a: f64, x: &[f64], b: f64, y: &[f64]) {
    for ((out, x), y) in out.iter_mut().zip(x).zip(y) {
        *out = a * x + b * y;
    }
}
pub fn zeros(n: usize) -> DMatrix<f64> {
    DMatrix::zeros(n, n)
}
pub(super) fn squares(all: &[&[f64]]) -> f64 {
    all.iter().map(|x| dot(x, x)).sum()
}

pub fn product(a: &DMatrix<f64>, b: &DMatrix<f64>, c: &mut DMatrix<f64>) {
    gemm(1.0, r(a), r(b), 0.0, w(c));
}

pub struct Qr {
    /// The triangular factor, and below it the reflections.
    pub qr: DMatrix<f64>,
    aside: DMatrix<f64>,
}
impl Qr {
    pub fn new(n: usize) -> Self {
        Qr {
            qr: zeros(n),
            aside: DMatrix::zeros(qr_rows::<f64>(n, n), n),
        }
    }
    pub fn factorize(&mut self, a: &DMatrix<f64>) {
        self.qr.copy_from(a);
        qr(w(&mut self.qr), w(&mut self.aside));
    }
    /// `x = q * x`, or with the transposed `q`.
    pub fn apply_q(&mut self, x: &mut [f64], cols: usize, transposed: bool) {
        let x = ViewMut::new(x, self.qr.nrows(), cols);
        apply_q(r(&self.qr), r(&self.aside), x, transposed);
    }
    /// `x = inverse(a) * x`: T2 and T2m.
    pub fn solve(&mut self, x: &mut [f64], cols: usize) {
        self.apply_q(x, cols, true);
        let n = self.qr.nrows();
        solve_triangular(Triangle::Upper, r(&self.qr), ViewMut::new(x, n, cols));
    }
}

pub struct Kalman {
    pub inputs: inputs::Kalman,
    x: DVector<f64>,
    y: DVector<f64>,
    v: DVector<f64>,
    p: DMatrix<f64>,
    fp: DMatrix<f64>,
    cov: DMatrix<f64>,
    m1: DMatrix<f64>,
    m2: DMatrix<f64>,
    m3: DMatrix<f64>,
}
impl Kalman {
    pub fn new(inputs: inputs::Kalman) -> Self {
        let n = inputs.vectors[0].len();
        let [x, y, v] = std::array::from_fn(|_| DVector::zeros(n));
        let [p, fp, cov, m1, m2, m3] = std::array::from_fn(|_| zeros(n));
        Kalman {
            inputs,
            x,
            y,
            v,
            p,
            fp,
            cov,
            m1,
            m2,
            m3,
        }
    }
    pub fn run(&mut self, steps: usize) -> f64 {
        let inputs::Kalman {
            matrices: [f, b, q, h, noise, p0],
            vectors: [u, z, x0],
        } = &self.inputs;
        let Kalman {
            x,
            y,
            v,
            p,
            fp,
            cov,
            m1,
            m2,
            m3,
            ..
        } = self;
        x.copy_from(x0);
        p.copy_from(p0);
        for _ in 0..steps {
            gemm(1.0, r(f), r(x), 0.0, w(y));
            gemm(1.0, r(b), r(u), 1.0, w(y));
            gemm(1.0, r(f), r(p), 0.0, w(fp));
            cov.copy_from(q);
            gemm(1.0, r(fp), r(f).t(), 1.0, w(cov));
            v.copy_from(z);
            gemm(-1.0, r(h), r(y), 1.0, w(v));
            gemm(1.0, r(h), r(cov), 0.0, w(m1));
            gemm(1.0, r(cov), r(h).t(), 0.0, w(m2));
            m3.copy_from(noise);
            gemm(1.0, r(m1), r(h).t(), 1.0, w(m3));
            assert!(cholesky(w(m3)), "positive definite");
            solve_triangular(Triangle::Lower, r(m3), w(v));
            solve_triangular(Triangle::Upper, r(m3).t(), w(v));
            solve_triangular(Triangle::Lower, r(m3), w(m1));
            solve_triangular(Triangle::Upper, r(m3).t(), w(m1));
            gemm(1.0, r(m2), r(v), 1.0, w(y));
            gemm(-1.0, r(m2), r(m1), 1.0, w(cov));
            swap(x, y);
            swap(p, cov);
        }
        squares(&[x.as_slice(), p.as_slice()])
    }
}

pub struct Analysis {
    pub inputs: inputs::Analysis,
    /// `v1 z1 v2 z2 y1 y2 x`.
    state: [DVector<f64>; 7],
}
impl Analysis {
    pub fn new(inputs: inputs::Analysis) -> Self {
        let n = inputs.vectors[0].len();
        Analysis {
            inputs,
            state: std::array::from_fn(|_| DVector::zeros(n)),
        }
    }
    pub fn run(&mut self, steps: usize) -> f64 {
        let inputs::Analysis {
            matrices: [w_, a],
            vectors: [x0, y, starts @ ..],
            numbers: [alpha, beta, tau],
        } = &self.inputs;
        for (state, start) in self.state.iter_mut().zip(starts) {
            state.copy_from(start);
        }
        let [v1, z1, v2, z2, y1, y2, x] = self.state.each_mut().map(slice);
        let (w_, a, x0, y) = (r(w_), r(a), x0.as_slice(), y.as_slice());
        let (alpha, beta, tau) = (*alpha, *beta, *tau);
        for _ in 0..steps {
            combine(y1, alpha, v1, tau, z1);
            combine(y2, alpha, v2, tau, z2);
            gemv(1.0, w_.t(), y1, 0.0, x);
            gemv(-1.0, a.t(), y2, 1.0, x);
            for (x, x0) in x.iter_mut().zip(x0) {
                *x = x0 + beta * *x;
            }
            z1.copy_from_slice(y1);
            gemv(-1.0, w_, x, 1.0, z1);
            combine(z2, 1.0, y2, -1.0, y);
            gemv(1.0, a, x, 1.0, z2);
            for (v, z) in [(&mut *v1, &*z1), (&mut *v2, &*z2)] {
                for (v, z) in v.iter_mut().zip(z) {
                    *v = alpha * *v + tau * z;
                }
            }
        }
        squares(&[v1, z1, v2, z2])
    }
}
fn slice<S: RawStorageMut<f64, nalgebra::Dyn, U1> + IsContiguous>(
    x: &mut Matrix<f64, nalgebra::Dyn, U1, S>,
) -> &mut [f64] {
    x.as_mut_slice()
}
pub(super) fn add(a: f64, x: &[f64], out: &mut [f64]) {
    axpy(a, x, out);
}
