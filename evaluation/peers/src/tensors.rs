//! Programs of whole matrices. Neither crate differentiates solves or a Cholesky factorization, so T2, T2m and T3
//! cannot be expressed.
#[cfg(feature = "burn")]
pub(crate) mod burn;
#[cfg(feature = "candle")]
pub(crate) mod candle;

use evaluation_worker::{Fault, Job, Problem, Program, Tool, serve};
use std::ops::Range;

/// Operations of a crate on matrices; vectors have one column, numbers one row, too.
pub(crate) trait Tensors: Sized {
    type Tensor: Clone;
    type Gradients;
    fn new() -> Self;
    fn input(&self, values: &[f64], shape: (usize, usize)) -> Self::Tensor;
    fn constant(&self, values: &[f64], shape: (usize, usize)) -> Self::Tensor;
    fn add(a: &Self::Tensor, b: &Self::Tensor) -> Self::Tensor;
    fn sub(a: &Self::Tensor, b: &Self::Tensor) -> Self::Tensor;
    fn mul(a: &Self::Tensor, b: &Self::Tensor) -> Self::Tensor;
    fn times(number: &Self::Tensor, a: &Self::Tensor) -> Self::Tensor;
    fn scale(a: &Self::Tensor, by: f64) -> Self::Tensor;
    fn matmul(a: &Self::Tensor, b: &Self::Tensor) -> Self::Tensor;
    fn transpose(a: &Self::Tensor) -> Self::Tensor;
    fn sum(a: &Self::Tensor) -> Self::Tensor;
    fn part(a: &Self::Tensor, rows: Range<usize>, cols: Range<usize>) -> Self::Tensor;
    fn framed(a: &Self::Tensor) -> Self::Tensor;
    fn upwind(x: &Self::Tensor, a: &Self::Tensor, b: &Self::Tensor) -> Self::Tensor;
    fn value(a: &Self::Tensor) -> f64;
    fn backward(output: &Self::Tensor) -> Self::Gradients;
    fn gradient(gradients: &Self::Gradients, input: &Self::Tensor) -> Vec<f64>;
}

struct Recorder<T: Tensors> {
    problem: Problem,
    tensors: T,
    inputs: Vec<T::Tensor>,
    weights: Option<T::Tensor>,
    output: Option<T::Tensor>,
    gradients: Option<T::Gradients>,
}
pub(crate) fn work<T: Tensors>(job: &Job) -> Result<(), Fault> {
    serve(job, |problem| {
        if let Program::T2 | Program::T2m | Program::T3 = problem.program {
            let why = "it has no solve that it differentiates";
            return Err(Fault::Unable(why.into()));
        }
        Ok(Recorder {
            problem,
            tensors: T::new(),
            inputs: Vec::new(),
            weights: None,
            output: None,
            gradients: None,
        })
    })
}
impl<T: Tensors> Tool for Recorder<T> {
    fn prepare(&mut self) -> Result<(), Fault> {
        (self.output, self.gradients) = (None, None);
        let Problem { program, n, .. } = self.problem;
        let mut rest = &self.problem.numbers[..];
        let mut take = |shape: (usize, usize)| {
            let (head, tail) = rest.split_at(shape.0 * shape.1);
            rest = tail;
            (head, shape)
        };
        let inputs = program.inputs(n).into_iter().map(&mut take);
        self.inputs = inputs
            .map(|(values, shape)| self.tensors.input(values, shape))
            .collect();
        let weights = program.weights(n).map(take);
        self.weights = weights.map(|(values, shape)| self.tensors.constant(values, shape));
        Ok(())
    }
    fn record(&mut self) -> Result<f64, Fault> {
        let output = match (self.problem.program, &self.inputs[..]) {
            (Program::Burgers, [u, v]) => burgers(&self.tensors, &self.problem, u, v),
            (Program::T1, [a, b]) => {
                let weights = self.weights.as_ref().expect("T1 has weights");
                T::sum(&T::mul(&T::matmul(a, b), weights))
            }
            (_, inputs) => analysis::<T>(self.problem.steps, inputs),
        };
        Ok(T::value(self.output.insert(output)))
    }
    fn reverse(&mut self) -> Result<(), Fault> {
        let output = self.output.as_ref().expect("the program was recorded");
        self.gradients = Some(T::backward(output));
        Ok(())
    }
    fn gradient(&mut self) -> Result<Vec<f64>, Fault> {
        let gradients = self.gradients.as_ref().expect("the program was swept");
        Ok(self
            .inputs
            .iter()
            .flat_map(|x| T::gradient(gradients, x))
            .collect())
    }
}

fn squares<T: Tensors>(x: &T::Tensor) -> T::Tensor {
    T::sum(&T::mul(x, x))
}
fn burgers<T: Tensors>(tensors: &T, problem: &Problem, u: &T::Tensor, v: &T::Tensor) -> T::Tensor {
    let (grid, n) = (problem.grid(), problem.n);
    let (dx, dt) = (grid.dx(), grid.dt());
    let (cx, cd) = (dt / dx, dt / (dx * dx));
    let inside = |x: &T::Tensor| T::part(x, 1..n - 1, 1..n - 1);
    let advance = |w: &T::Tensor, u: &T::Tensor, v: &T::Tensor| {
        let (mid, u, v) = (inside(w), inside(u), inside(v));
        let (west, east) = (T::part(w, 1..n - 1, 0..n - 2), T::part(w, 1..n - 1, 2..n));
        let (south, north) = (T::part(w, 0..n - 2, 1..n - 1), T::part(w, 2..n, 1..n - 1));
        let along_x = T::upwind(&u, &T::sub(&mid, &west), &T::sub(&east, &mid));
        let along_y = T::upwind(&v, &T::sub(&mid, &south), &T::sub(&north, &mid));
        let carried = T::add(&T::mul(&u, &along_x), &T::mul(&v, &along_y));
        let around = T::add(&T::add(&east, &west), &T::add(&north, &south));
        let laplacian = T::sub(&around, &T::scale(&mid, 4.0));
        let moved = T::sub(&mid, &T::scale(&carried, cx));
        T::framed(&T::add(&moved, &T::scale(&laplacian, cd)))
    };
    let (mut u, mut v) = (u.clone(), v.clone());
    let mut t = 0.0;
    for _ in 0..problem.steps {
        t += dt;
        let edge = |field: fn((f64, f64)) -> f64| {
            let on_edge = |c: usize| {
                let (i, j) = (c % n, c / n);
                let outer = [0, n - 1];
                let edge = outer.contains(&i) || outer.contains(&j);
                if edge {
                    field(grid.exact(i, j, t))
                } else {
                    0.0
                }
            };
            let values: Vec<f64> = (0..n * n).map(on_edge).collect();
            tensors.constant(&values, (n, n))
        };
        let new_u = T::add(&advance(&u, &u, &v), &edge(|exact| exact.0));
        v = T::add(&advance(&v, &u, &v), &edge(|exact| exact.1));
        u = new_u;
    }
    T::add(&squares::<T>(&inside(&u)), &squares::<T>(&inside(&v)))
}
fn analysis<T: Tensors>(steps: usize, inputs: &[T::Tensor]) -> T::Tensor {
    let [w, a, x0, y, v1, z1, v2, z2, alpha, beta, tau] = inputs else {
        unreachable!("the inputs of T4");
    };
    let combined = |v: &T::Tensor, z: &T::Tensor| T::add(&T::times(alpha, v), &T::times(tau, z));
    let (wt, at) = (T::transpose(w), T::transpose(a));
    let [mut v1, mut z1, mut v2, mut z2] = [v1, z1, v2, z2].map(Clone::clone);
    for _ in 0..steps {
        let (y1, y2) = (combined(&v1, &z1), combined(&v2, &z2));
        let x1 = T::sub(&T::matmul(&wt, &y1), &T::matmul(&at, &y2));
        let x = T::add(x0, &T::times(beta, &x1));
        z1 = T::sub(&y1, &T::matmul(w, &x));
        z2 = T::sub(&y2, &T::sub(y, &T::matmul(a, &x)));
        (v1, v2) = (combined(&v1, &z1), combined(&v2, &z2));
    }
    let both = |v: &T::Tensor, z: &T::Tensor| T::add(&squares::<T>(v), &squares::<T>(z));
    T::add(&both(&v1, &z1), &both(&v2, &z2))
}
