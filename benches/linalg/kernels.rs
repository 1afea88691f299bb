//! The kernels called by T3 and its adjoint, alone and in the caches: a lower bound for any adjoint that calls them.
use criterion::{BenchmarkId, Criterion};
use entape::linalg::{
    View, ViewMut,
    kernels::{
        Triangle::{Lower, Upper},
        cholesky, cholesky_adjoint, gemm, gemm_triangle, solve_triangular,
    },
};
use entape_programs::{linalg::inputs, measure::micro::ThreadCpu};
use std::hint::black_box;

pub(crate) fn measure(criterion: &mut Criterion<ThreadCpu>, sizes: Vec<usize>) {
    let mut group = criterion.benchmark_group("T3, the kernels alone");
    for n in sizes {
        let mut kernels = Kernels::new(n);
        group.bench_function(BenchmarkId::new("plain", n), |b| b.iter(|| kernels.plain()));
        group.bench_function(BenchmarkId::new("adjoint", n), |b| {
            b.iter(|| kernels.adjoint());
        });
    }
    group.finish();
}

/// Arguments of kernels; their contents do not matter.
struct Kernels {
    n: usize,
    a: Vec<f64>,
    b: Vec<f64>,
    definite: Vec<f64>,
    l: Vec<f64>,
    out: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
}
impl Kernels {
    fn new(n: usize) -> Self {
        let [a, b] = [0, 1].map(|k| inputs::matrix(n, k).as_slice().to_vec());
        let mut definite = vec![0.0; n * n];
        (0..n).for_each(|i| definite[i * (n + 1)] = 2.0);
        let [x, y] = [0, 1].map(|k| inputs::vector(n, k).as_slice().to_vec());
        let (l, out) = (definite.clone(), a.clone());
        Kernels {
            n,
            a,
            b,
            definite,
            l,
            out,
            x,
            y,
        }
    }
    fn plain(&mut self) {
        self.products(&[(false, false, 0.0); 2]); // f p, h cov
        self.products(&[(false, true, 1.0); 2]); // fp f' + q, m1 h' + r
        self.products(&[(false, true, 0.0), (false, false, 1.0)]); // cov h', cov - m2 m5
        self.vectors(&[false; 4]); // f x, b u, h y, m2 v
        self.out.copy_from_slice(&self.definite);
        assert!(cholesky(ViewMut::new(&mut self.out, self.n, self.n)));
        self.solves();
    }
    fn adjoint(&mut self) {
        self.products(&[(false, true, 0.0), (true, false, 0.0)]); // m2_b, m1_b of m2 m5
        self.solves();
        self.triangles();
        self.out.copy_from_slice(&self.definite);
        let out = ViewMut::new(&mut self.out, self.n, self.n);
        cholesky_adjoint(View::new(black_box(&self.l), self.n, self.n), out);
        self.products(&[(false, false, 1.0), (true, false, 1.0)]); // m1 h'
        self.products(&[(false, false, 1.0), (true, false, 1.0)]); // cov h'
        self.products(&[(true, false, 1.0), (false, true, 1.0)]); // h cov
        self.products(&[(false, false, 0.0), (true, false, 1.0)]); // fp f'
        self.products(&[(false, true, 1.0), (true, false, 0.0)]); // f p
        self.vectors(&[true; 4]);
        self.outers(4);
    }
    fn products(&mut self, all: &[(bool, bool, f64)]) {
        for &(a, b, beta) in all {
            let n = self.n;
            let of = |m, transposed| {
                let m = View::new(m, n, n);
                if transposed { m.t() } else { m }
            };
            let (a, b) = (of(black_box(&self.a), a), of(&self.b, b));
            gemm(1e-3, a, b, beta, ViewMut::new(&mut self.out, n, n));
        }
    }
    fn vectors(&mut self, transposed: &[bool]) {
        for &transposed in transposed {
            let a = View::new(black_box(&self.a), self.n, self.n);
            let a = if transposed { a.t() } else { a };
            let x = View::new(&self.x, self.n, 1);
            gemm(1e-3, a, x, 1.0, ViewMut::new(&mut self.y, self.n, 1));
        }
    }
    fn outers(&mut self, number: usize) {
        for _ in 0..number {
            let (x, y) = (
                View::new(black_box(&self.x), self.n, 1),
                View::new(&self.y, self.n, 1),
            );
            gemm(
                1e-3,
                x,
                y.t(),
                1.0,
                ViewMut::new(&mut self.out, self.n, self.n),
            );
        }
    }
    /// With the factor and its transpose, for a matrix and for a vector.
    fn solves(&mut self) {
        let l = View::new(black_box(&self.l), self.n, self.n);
        for (triangle, l) in [(Lower, l), (Upper, l.t())] {
            self.out.copy_from_slice(&self.b);
            solve_triangular(triangle, l, ViewMut::new(&mut self.out, self.n, self.n));
            self.y.copy_from_slice(&self.x);
            solve_triangular(triangle, l, ViewMut::new(&mut self.y, self.n, 1));
        }
    }
    /// The contributions of solves to the adjoint of the factor.
    fn triangles(&mut self) {
        let n = self.n;
        for _ in 0..2 {
            let (a, b) = (
                View::new(black_box(&self.a), n, n),
                View::new(&self.b, n, n),
            );
            gemm_triangle(Lower, 1e-3, a, b.t(), ViewMut::new(&mut self.out, n, n));
            let (x, y) = (View::new(&self.x, n, 1), View::new(&self.y, n, 1));
            gemm_triangle(Lower, 1e-3, x, y.t(), ViewMut::new(&mut self.out, n, n));
        }
    }
}
