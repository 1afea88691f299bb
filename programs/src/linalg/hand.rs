//! Hand-written adjoints of the programs in preallocated memory: every formula is one call of a kernel, and the outer
//! products of T4 are collected for one product of matrices.
use super::inputs;
use super::plain::{Qr, add, combine, gemv, product, r, squares, w, zeros};
use entape::linalg::{
    View, ViewMut,
    kernels::{Triangle, cholesky, cholesky_adjoint, dot, gemm, gemm_triangle, solve_triangular},
};
use nalgebra::{DMatrix, DVector};

pub struct Product {
    c: DMatrix<f64>,
    pub a_b: DMatrix<f64>,
    pub b_b: DMatrix<f64>,
}
impl Product {
    pub fn new(n: usize) -> Self {
        let [c, a_b, b_b] = std::array::from_fn(|_| zeros(n));
        Product { c, a_b, b_b }
    }
    pub fn record(&mut self, [a, b, weights]: [&DMatrix<f64>; 3]) -> f64 {
        product(a, b, &mut self.c);
        dot(self.c.as_slice(), weights.as_slice())
    }
    pub fn reverse(&mut self, [a, b, weights]: [&DMatrix<f64>; 3]) {
        gemm(1.0, r(weights), r(b).t(), 0.0, w(&mut self.a_b));
        gemm(1.0, r(a).t(), r(weights), 0.0, w(&mut self.b_b));
    }
}

/// The program T2, and T2m with as many right sides as rows.
pub struct Solve {
    qr: Qr,
    x: Vec<f64>,
    pub a_b: DMatrix<f64>,
    pub b_b: Vec<f64>,
}
impl Solve {
    pub fn new(n: usize, cols: usize) -> Self {
        let qr = Qr::new(n);
        let (x, b_b) = (vec![0.0; n * cols], vec![0.0; n * cols]);
        let a_b = zeros(n);
        Solve { qr, x, a_b, b_b }
    }
    fn cols(&self) -> usize {
        self.x.len() / self.a_b.nrows()
    }
    pub fn record(&mut self, a: &DMatrix<f64>, b: &[f64], weights: &[f64]) -> f64 {
        self.qr.factorize(a);
        self.x.copy_from_slice(b);
        let cols = self.cols();
        self.qr.solve(&mut self.x, cols);
        dot(&self.x, weights)
    }
    pub fn reverse(&mut self, weights: &[f64]) {
        let (n, cols) = (self.a_b.nrows(), self.cols());
        self.b_b.copy_from_slice(weights);
        let b_b = ViewMut::new(&mut self.b_b, n, cols);
        solve_triangular(Triangle::Lower, r(&self.qr.qr).t(), b_b);
        self.qr.apply_q(&mut self.b_b, cols, false);
        let (b_b, x) = (
            View::new(&self.b_b, n, cols),
            View::new(&self.x, n, cols).t(),
        );
        gemm(-1.0, b_b, x, 0.0, w(&mut self.a_b));
    }
}

#[derive(Clone)]
struct Step {
    x: DVector<f64>,
    y: DVector<f64>,
    v1: DVector<f64>,
    v2: DVector<f64>,
    p: DMatrix<f64>,
    fp: DMatrix<f64>,
    cov: DMatrix<f64>,
    m1: DMatrix<f64>,
    m2: DMatrix<f64>,
    l: DMatrix<f64>,
    m4: DMatrix<f64>,
    m5: DMatrix<f64>,
}
impl Step {
    fn new(n: usize) -> Self {
        let [x, y, v1, v2] = std::array::from_fn(|_| DVector::zeros(n));
        let [p, fp, cov, m1, m2, l, m4, m5] = std::array::from_fn(|_| zeros(n));
        Step {
            x,
            y,
            v1,
            v2,
            p,
            fp,
            cov,
            m1,
            m2,
            l,
            m4,
            m5,
        }
    }
}
pub struct Kalman {
    inputs: inputs::Kalman,
    steps: Vec<Step>,
    x: DVector<f64>,
    p: DMatrix<f64>,
    /// The adjoints of `F B Q H R P`.
    pub matrices: [DMatrix<f64>; 6],
    /// The adjoints of `u z x`.
    pub vectors: [DVector<f64>; 3],
    local: [DMatrix<f64>; 6],
    local_vectors: [DVector<f64>; 3],
}
impl Kalman {
    pub fn new(inputs: inputs::Kalman, steps: usize) -> Self {
        let n = inputs.vectors[0].len();
        Kalman {
            inputs,
            steps: vec![Step::new(n); steps],
            x: DVector::zeros(n),
            p: zeros(n),
            matrices: std::array::from_fn(|_| zeros(n)),
            vectors: std::array::from_fn(|_| DVector::zeros(n)),
            local: std::array::from_fn(|_| zeros(n)),
            local_vectors: std::array::from_fn(|_| DVector::zeros(n)),
        }
    }
    pub fn record(&mut self) -> f64 {
        let inputs::Kalman {
            matrices: [f, b, q, h, noise, p0],
            vectors: [u, z, x0],
        } = &self.inputs;
        let (end_x, end_p) = (&mut self.x, &mut self.p);
        if let Some(first) = self.steps.first_mut() {
            first.x.copy_from(x0);
            first.p.copy_from(p0);
        }
        let mut steps = self.steps.iter_mut().peekable();
        while let Some(s) = steps.next() {
            gemm(1.0, r(f), r(&s.x), 0.0, w(&mut s.y));
            gemm(1.0, r(b), r(u), 1.0, w(&mut s.y));
            gemm(1.0, r(f), r(&s.p), 0.0, w(&mut s.fp));
            s.cov.copy_from(q);
            gemm(1.0, r(&s.fp), r(f).t(), 1.0, w(&mut s.cov));
            s.v1.copy_from(z);
            gemm(-1.0, r(h), r(&s.y), 1.0, w(&mut s.v1));
            gemm(1.0, r(h), r(&s.cov), 0.0, w(&mut s.m1));
            gemm(1.0, r(&s.cov), r(h).t(), 0.0, w(&mut s.m2));
            s.l.copy_from(noise);
            gemm(1.0, r(&s.m1), r(h).t(), 1.0, w(&mut s.l));
            assert!(cholesky(w(&mut s.l)), "positive definite");
            s.l.fill_upper_triangle(0.0, 1);
            solve_triangular(Triangle::Lower, r(&s.l), w(&mut s.v1));
            s.v2.copy_from(&s.v1);
            solve_triangular(Triangle::Upper, r(&s.l).t(), w(&mut s.v2));
            s.m4.copy_from(&s.m1);
            solve_triangular(Triangle::Lower, r(&s.l), w(&mut s.m4));
            s.m5.copy_from(&s.m4);
            solve_triangular(Triangle::Upper, r(&s.l).t(), w(&mut s.m5));
            let (x, p) = match steps.peek_mut() {
                Some(next) => (&mut next.x, &mut next.p),
                None => (&mut *end_x, &mut *end_p),
            };
            x.copy_from(&s.y);
            gemm(1.0, r(&s.m2), r(&s.v2), 1.0, w(x));
            p.copy_from(&s.cov);
            gemm(-1.0, r(&s.m2), r(&s.m5), 1.0, w(p));
        }
        squares(&[self.x.as_slice(), self.p.as_slice()])
    }
    pub fn reverse(&mut self) {
        let inputs::Kalman {
            matrices: [f, b, _, h, ..],
            vectors: [u, ..],
        } = &self.inputs;
        let [f_b, b_b, q_b, h_b, noise_b, p_b] = &mut self.matrices;
        let [u_b, z_b, x_b] = &mut self.vectors;
        let [m1_b, m2_b, l_b, s_b, m3_b, cov_b] = &mut self.local;
        let [y_b, v1_b, v2_b] = &mut self.local_vectors;
        for m in [&mut *f_b, b_b, q_b, h_b, noise_b] {
            m.fill(0.0);
        }
        u_b.fill(0.0);
        z_b.fill(0.0);
        combine(
            x_b.as_mut_slice(),
            2.0,
            self.x.as_slice(),
            0.0,
            self.x.as_slice(),
        );
        combine(
            p_b.as_mut_slice(),
            2.0,
            self.p.as_slice(),
            0.0,
            self.p.as_slice(),
        );
        for s in self.steps.iter().rev() {
            // p = cov - m2 m5, x = y + m2 v2
            cov_b.copy_from(p_b);
            y_b.copy_from(x_b);
            gemm(-1.0, r(p_b), r(&s.m5).t(), 0.0, w(m2_b));
            gemm(1.0, r(x_b), r(&s.v2).t(), 1.0, w(m2_b));
            gemm(1.0, r(&s.m2).t(), r(x_b), 0.0, w(v2_b));
            gemm(-1.0, r(&s.m2).t(), r(p_b), 0.0, w(m1_b));
            // l' m5 = m4, l m4 = m1, l' v2 = v1, l v1 = v0; only the lower triangle of l_b
            l_b.fill(0.0);
            let lower = Triangle::Lower;
            solve_triangular(lower, r(&s.l), w(m1_b));
            gemm_triangle(lower, -1.0, r(&s.m5), r(m1_b).t(), w(l_b));
            solve_triangular(Triangle::Upper, r(&s.l).t(), w(m1_b));
            gemm_triangle(lower, -1.0, r(m1_b), r(&s.m4).t(), w(l_b));
            solve_triangular(lower, r(&s.l), w(v2_b));
            gemm_triangle(lower, -1.0, r(&s.v2), r(v2_b).t(), w(l_b));
            v1_b.copy_from(v2_b);
            solve_triangular(Triangle::Upper, r(&s.l).t(), w(v1_b));
            gemm_triangle(lower, -1.0, r(v1_b), r(&s.v1).t(), w(l_b));
            // m3 = l l'
            m3_b.copy_from(l_b);
            cholesky_adjoint(r(&s.l), w(m3_b));
            m3_b.fill_upper_triangle(0.0, 1);
            // m3 = m1 h' + r
            *noise_b += &*m3_b;
            gemm(1.0, r(m3_b), r(h), 1.0, w(m1_b));
            gemm(1.0, r(m3_b).t(), r(&s.m1), 1.0, w(h_b));
            // m2 = cov h', m1 = h cov
            gemm(1.0, r(m2_b), r(h), 1.0, w(cov_b));
            gemm(1.0, r(m2_b).t(), r(&s.cov), 1.0, w(h_b));
            gemm(1.0, r(h).t(), r(m1_b), 1.0, w(cov_b));
            gemm(1.0, r(m1_b), r(&s.cov).t(), 1.0, w(h_b));
            // v0 = z - h y
            *z_b += &*v1_b;
            gemm(-1.0, r(h).t(), r(v1_b), 1.0, w(y_b));
            gemm(-1.0, r(v1_b), r(&s.y).t(), 1.0, w(h_b));
            // cov = f p f' + q
            *q_b += &*cov_b;
            gemm(1.0, r(cov_b), r(f), 0.0, w(s_b));
            gemm(1.0, r(cov_b).t(), r(&s.fp), 1.0, w(f_b));
            gemm(1.0, r(s_b), r(&s.p).t(), 1.0, w(f_b));
            gemm(1.0, r(f).t(), r(s_b), 0.0, w(p_b));
            // y = f x + b u
            gemm(1.0, r(y_b), r(&s.x).t(), 1.0, w(f_b));
            gemm(1.0, r(f).t(), r(y_b), 0.0, w(x_b));
            gemm(1.0, r(y_b), r(u).t(), 1.0, w(b_b));
            gemm(1.0, r(b).t(), r(y_b), 1.0, w(u_b));
        }
    }
}

/// Columns of `x` times columns of `y`, to be added to a matrix.
struct Outers {
    n: usize,
    x: Vec<f64>,
    y: Vec<f64>,
}
impl Outers {
    const BATCH: usize = 64;
    fn new(n: usize) -> Self {
        let room = || Vec::with_capacity(Self::BATCH * n);
        Outers {
            n,
            x: room(),
            y: room(),
        }
    }
    /// `into += alpha * x * y'`, possibly deferred.
    fn add(&mut self, alpha: f64, x: &[f64], y: &[f64], into: &mut DMatrix<f64>) {
        self.x.extend(x.iter().map(|x| alpha * x));
        self.y.extend_from_slice(y);
        if self.x.len() == Self::BATCH * self.n {
            self.flush(into);
        }
    }
    fn flush(&mut self, into: &mut DMatrix<f64>) {
        let count = self.x.len() / self.n;
        let (x, y) = (
            View::new(&self.x, self.n, count),
            View::new(&self.y, self.n, count),
        );
        gemm(1.0, x, y.t(), 1.0, w(into));
        self.x.clear();
        self.y.clear();
    }
}
pub struct Analysis {
    inputs: inputs::Analysis,
    steps: usize,
    /// `v1 z1 v2 z2 y1 y2 x1 x` of each step, and the first four after the last one.
    kept: Vec<f64>,
    outers: [Outers; 2],
    /// The adjoints of `W A`.
    pub matrices: [DMatrix<f64>; 2],
    /// The adjoints of `x0 y v1 z1 v2 z2`.
    pub vectors: [Vec<f64>; 6],
    /// The adjoints of `alpha beta tau`.
    pub numbers: [f64; 3],
    /// The adjoints of `y1 y2 x1 x`.
    local: [Vec<f64>; 4],
}
const KEPT: usize = 8;
impl Analysis {
    pub fn new(inputs: inputs::Analysis, steps: usize) -> Self {
        let n = inputs.vectors[0].len();
        Analysis {
            inputs,
            steps,
            kept: vec![0.0; (KEPT * steps + 4) * n],
            outers: [Outers::new(n), Outers::new(n)],
            matrices: [zeros(n), zeros(n)],
            vectors: std::array::from_fn(|_| vec![0.0; n]),
            numbers: [0.0; 3],
            local: std::array::from_fn(|_| vec![0.0; n]),
        }
    }
    pub fn record(&mut self) -> f64 {
        let inputs::Analysis {
            matrices: [w_, a],
            vectors: [x0, y, starts @ ..],
            numbers: [alpha, beta, tau],
        } = &self.inputs;
        let (w_, a, x0, y) = (r(w_), r(a), x0.as_slice(), y.as_slice());
        let (alpha, beta, tau) = (*alpha, *beta, *tau);
        let n = x0.len();
        for (kept, start) in self.kept.chunks_exact_mut(n).zip(starts) {
            kept.copy_from_slice(start.as_slice());
        }
        for k in 0..self.steps {
            let (now, next) = self.kept[KEPT * n * k..].split_at_mut(KEPT * n);
            let [v1, z1, v2, z2, y1, y2, x1, x] = parts_mut(now);
            let [next_v1, next_z1, next_v2, next_z2] = parts_mut(&mut next[..4 * n]);
            combine(y1, alpha, v1, tau, z1);
            combine(y2, alpha, v2, tau, z2);
            gemv(1.0, w_.t(), y1, 0.0, x1);
            gemv(-1.0, a.t(), y2, 1.0, x1);
            combine(x, 1.0, x0, beta, x1);
            next_z1.copy_from_slice(y1);
            gemv(-1.0, w_, x, 1.0, next_z1);
            combine(next_z2, 1.0, y2, -1.0, y);
            gemv(1.0, a, x, 1.0, next_z2);
            combine(next_v1, alpha, v1, tau, next_z1);
            combine(next_v2, alpha, v2, tau, next_z2);
        }
        squares(&[&self.kept[KEPT * n * self.steps..]])
    }
    pub fn reverse(&mut self) {
        let inputs::Analysis {
            matrices: [w_, a],
            numbers: [alpha, beta, tau],
            ..
        } = &self.inputs;
        let (w_, a) = (r(w_), r(a));
        let (alpha, beta, tau) = (*alpha, *beta, *tau);
        let [w_b, a_b] = &mut self.matrices;
        let [w_outers, a_outers] = &mut self.outers;
        let [x0_b, y_b, v1_b, z1_b, v2_b, z2_b] = self.vectors.each_mut().map(Vec::as_mut_slice);
        let [y1_b, y2_b, x1_b, x_b] = self.local.each_mut().map(Vec::as_mut_slice);
        w_b.fill(0.0);
        a_b.fill(0.0);
        x0_b.fill(0.0);
        y_b.fill(0.0);
        let (mut alpha_b, mut beta_b, mut tau_b) = (0.0, 0.0, 0.0);
        let n = x0_b.len();
        let [v1, z1, v2, z2] = parts(&self.kept[KEPT * n * self.steps..]);
        for (into, from) in [
            (&mut *v1_b, v1),
            (&mut *z1_b, z1),
            (&mut *v2_b, v2),
            (&mut *z2_b, z2),
        ] {
            combine(into, 2.0, from, 0.0, from);
        }
        for k in (0..self.steps).rev() {
            let (now, next) = self.kept[KEPT * n * k..].split_at(KEPT * n);
            let [v1, z1, v2, z2, y1, y2, x1, x] = parts(now);
            let [_, next_z1, _, next_z2] = parts(&next[..4 * n]);
            // v = alpha v + tau z
            for (v_b, z_b, v, z) in [
                (&mut *v1_b, &mut *z1_b, v1, next_z1),
                (&mut *v2_b, &mut *z2_b, v2, next_z2),
            ] {
                alpha_b += dot(v_b, v);
                tau_b += dot(v_b, z);
                add(tau, v_b, z_b);
                v_b.iter_mut().for_each(|v_b| *v_b *= alpha);
            }
            // z2 = y2 - (y - A x), z1 = y1 - W x
            add(-1.0, z2_b, y_b);
            gemv(1.0, a.t(), z2_b, 0.0, x_b);
            a_outers.add(1.0, z2_b, x, a_b);
            gemv(-1.0, w_.t(), z1_b, 1.0, x_b);
            w_outers.add(-1.0, z1_b, x, w_b);
            // x = x0 + beta x1
            add(1.0, x_b, x0_b);
            beta_b += dot(x_b, x1);
            combine(x1_b, beta, x_b, 0.0, x_b);
            // x1 = W' y1 - A' y2
            y1_b.copy_from_slice(z1_b);
            gemv(1.0, w_, x1_b, 1.0, y1_b);
            w_outers.add(1.0, y1, x1_b, w_b);
            y2_b.copy_from_slice(z2_b);
            gemv(-1.0, a, x1_b, 1.0, y2_b);
            a_outers.add(-1.0, y2, x1_b, a_b);
            // y = alpha v + tau z
            for (y_b, v_b, z_b, v, z) in [
                (&*y1_b, &mut *v1_b, &mut *z1_b, v1, z1),
                (&*y2_b, &mut *v2_b, &mut *z2_b, v2, z2),
            ] {
                alpha_b += dot(y_b, v);
                tau_b += dot(y_b, z);
                add(alpha, y_b, v_b);
                combine(z_b, tau, y_b, 0.0, y_b);
            }
        }
        w_outers.flush(w_b);
        a_outers.flush(a_b);
        self.numbers = [alpha_b, beta_b, tau_b];
    }
}
fn parts<const N: usize>(all: &[f64]) -> [&[f64]; N] {
    let n = all.len() / N;
    std::array::from_fn(|i| &all[i * n..][..n])
}
fn parts_mut<const N: usize>(mut all: &mut [f64]) -> [&mut [f64]; N] {
    let n = all.len() / N;
    std::array::from_fn(|_| {
        let (head, tail) = std::mem::take(&mut all).split_at_mut(n);
        all = tail;
        head
    })
}
