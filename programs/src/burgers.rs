//! The coupled Burgers' equations on the unit square: upwind differences, explicit Euler steps.
//!
//! ```text
//! u_t + u u_x + v u_y = (u_xx + u_yy) / R      four statements for each cell and field:
//! v_t + u v_x + v v_y = (v_xx + v_yy) / R      two upwind products, the Laplacian, the update
//! ```
//!
//! Inputs are the initial fields. The output is the squared norm of the final fields, summed over the interior points.
//! Boundary values are constants.
//!
//! | program | runs in |
//! |---|---|
//! | [`baseline`](Burgers::baseline) | plain `f64`, the denominator of all factors |
//! | [`hand::Adjoint`] | plain `f64`, the hand-written adjoint |
//! | [`by_value`](Burgers::by_value) | `Plain`, `Taped` |
//! | [`by_reference`](Burgers::by_reference) | every mode, including `Reuse` |

use crate::measure::timed;
use entape::prelude::*;
use std::time::Duration;

pub mod hand;

/// A square grid with `n` times `n` points.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    pub n: usize,
    pub steps: usize,
}
/// The fields `u` and `v`; the point at `x = i dx`, `y = j dx` has index `i + j * n`.
#[derive(Clone, Debug, PartialEq)]
pub struct Fields<T> {
    pub u: Vec<T>,
    pub v: Vec<T>,
}
/// How the update of a field at a point is divided into statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statements {
    Four,
    /// One: intermediates stay expressions.
    Fused,
}

const REYNOLDS: f64 = 1.0;

impl Grid {
    pub fn dx(&self) -> f64 {
        1.0 / (self.n as f64 - 1.0)
    }
    pub fn dt(&self) -> f64 {
        0.2 * REYNOLDS * self.dx() * self.dx()
    }
    /// The exact solution `(u, v)` at a point and a time.
    pub fn exact(&self, i: usize, j: usize, t: f64) -> (f64, f64) {
        let (x, y) = (i as f64 * self.dx(), j as f64 * self.dx());
        let scale = 1.0 - 2.0 * t * t;
        ((x + y - 2.0 * x * t) / scale, (x - y - 2.0 * y * t) / scale)
    }
    pub fn initial(&self) -> Fields<f64> {
        let points = (0..self.n * self.n).map(|c| self.exact(c % self.n, c / self.n, 0.0));
        let (u, v) = points.unzip();
        Fields { u, v }
    }
    fn interior(self) -> impl Iterator<Item = usize> {
        (1..self.n - 1).flat_map(move |j| j * self.n + 1..(j + 1) * self.n - 1)
    }
}
impl<T> Fields<T> {
    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> Fields<U> {
        Fields {
            u: self.u.into_iter().map(&mut f).collect(),
            v: self.v.into_iter().map(&mut f).collect(),
        }
    }
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.u.iter().chain(&self.v)
    }
}

/// The program and its data, with two buffers between which the time steps alternate.
#[derive(Debug)]
pub struct Burgers<T> {
    grid: Grid,
    pub initial: Fields<T>,
    old: Fields<T>,
    new: Fields<T>,
}
impl<T: From<f64>> Burgers<T> {
    pub fn new(grid: Grid, input: impl FnMut(f64) -> T) -> Self {
        let buffer = || grid.initial().map(T::from);
        Burgers {
            grid,
            initial: grid.initial().map(input),
            old: buffer(),
            new: buffer(),
        }
    }
    /// `update` advances one field, `norm` is the output.
    #[inline(always)]
    fn run(&mut self, update: Update<T>, norm: impl FnOnce(Grid, &[T], &[T]) -> T) -> T {
        let Burgers {
            grid,
            initial,
            old,
            new,
        } = self;
        let (dx, dt) = (grid.dx(), grid.dt());
        let (cx, cd) = (dt / dx, dt / (REYNOLDS * dx * dx));
        let mut t = 0.0;
        for step in 0..grid.steps {
            let Fields { u, v } = if step == 0 { &*initial } else { &*old };
            update(&mut new.u, u, u, v, grid.n, cx, cd);
            update(&mut new.v, v, u, v, grid.n, cx, cd);
            t += dt;
            new.set_boundary(grid, t);
            std::mem::swap(old, new);
        }
        let Fields { u, v } = if grid.steps == 0 { &*initial } else { &*old };
        norm(*grid, u, v)
    }
}
/// Advances the field `w`: `new, w, u, v, n, cx, cd`. Functions of this type are not inlined, because slices passed as
/// arguments cannot overlap.
type Update<T> = fn(&mut [T], &[T], &[T], &[T], usize, f64, f64);

impl<T: From<f64>> Fields<T> {
    fn set_boundary(&mut self, grid: &Grid, t: f64) {
        let last = grid.n - 1;
        for k in 0..grid.n {
            for (i, j) in [(k, 0), (k, last), (0, k), (last, k)] {
                let (u, v) = grid.exact(i, j, t);
                self.u[i + j * grid.n] = u.into();
                self.v[i + j * grid.n] = v.into();
            }
        }
    }
}

impl Burgers<f64> {
    pub fn baseline(&mut self) -> f64 {
        self.run(plain, norm)
    }
}
fn norm(grid: Grid, u: &[f64], v: &[f64]) -> f64 {
    let mut sum = 0.0;
    for c in grid.interior() {
        sum = sum + u[c] * u[c] + v[c] * v[c];
    }
    sum
}
impl<M: Mode> Burgers<Active<f64, M>> {
    pub fn by_value(&mut self, statements: Statements) -> Active<f64, M> {
        let update = match statements {
            Statements::Four => four,
            Statements::Fused => fused,
        };
        self.run(update, |grid, u, v| {
            let mut sum = Active::passive(0.0);
            for c in grid.interior() {
                sum = (sum + u[c] * u[c] + v[c] * v[c]).eval();
            }
            sum
        })
    }
}
impl<M: AnyMode> Burgers<Active<f64, M>> {
    pub fn by_reference(&mut self, statements: Statements) -> Active<f64, M> {
        let update = match statements {
            Statements::Four => four_by_reference,
            Statements::Fused => fused_by_reference,
        };
        self.run(update, |grid, u, v| {
            let mut sum = Active::passive(0.0);
            for c in grid.interior() {
                sum = (&sum + &u[c] * &u[c] + &v[c] * &v[c]).eval();
            }
            sum
        })
    }
}

/// The slices that the update of one row reads and writes, all of one length.
struct Row<'a, T> {
    out: &'a mut [T],
    u: &'a [T],
    v: &'a [T],
    mid: &'a [T],
    west: &'a [T],
    east: &'a [T],
    north: &'a [T],
    south: &'a [T],
}
#[inline(always)]
fn row<'a, T>(
    j: usize,
    n: usize,
    new: &'a mut [T],
    w: &'a [T],
    u: &'a [T],
    v: &'a [T],
) -> Row<'a, T> {
    let r = j * n;
    Row {
        out: &mut new[r + 1..r + n - 1],
        u: &u[r + 1..r + n - 1],
        v: &v[r + 1..r + n - 1],
        mid: &w[r + 1..r + n - 1],
        west: &w[r..r + n - 2],
        east: &w[r + 2..r + n],
        north: &w[r + n + 1..r + 2 * n - 1],
        south: &w[r - n + 1..r - 1],
    }
}

#[inline(never)]
fn plain(new: &mut [f64], w: &[f64], u: &[f64], v: &[f64], n: usize, cx: f64, cd: f64) {
    for j in 1..n - 1 {
        let Row {
            out,
            u,
            v,
            mid,
            west,
            east,
            north,
            south,
        } = row(j, n, new, w, u, v);
        for k in 0..n - 2 {
            let ax = u[k]
                * if u[k] >= 0.0 {
                    mid[k] - west[k]
                } else {
                    east[k] - mid[k]
                };
            let ay = v[k]
                * if v[k] >= 0.0 {
                    mid[k] - south[k]
                } else {
                    north[k] - mid[k]
                };
            let lap = east[k] + west[k] + north[k] + south[k] - 4.0 * mid[k];
            out[k] = mid[k] - cx * (ax + ay) + cd * lap;
        }
    }
}
type R<M> = Active<f64, M>;
#[inline(never)]
fn four<M: Mode>(new: &mut [R<M>], w: &[R<M>], u: &[R<M>], v: &[R<M>], n: usize, cx: f64, cd: f64) {
    for j in 1..n - 1 {
        let Row {
            out,
            u,
            v,
            mid,
            west,
            east,
            north,
            south,
        } = row(j, n, new, w, u, v);
        for k in 0..n - 2 {
            let du = either(u[k] >= 0.0, mid[k] - west[k], east[k] - mid[k]);
            let dv = either(v[k] >= 0.0, mid[k] - south[k], north[k] - mid[k]);
            let (ax, ay) = ((u[k] * du).eval(), (v[k] * dv).eval());
            let lap = (east[k] + west[k] + north[k] + south[k] - 4.0 * mid[k]).eval();
            out[k] = (mid[k] - cx * (ax + ay) + cd * lap).eval();
        }
    }
}
#[inline(never)]
fn fused<M: Mode>(
    new: &mut [R<M>],
    w: &[R<M>],
    u: &[R<M>],
    v: &[R<M>],
    n: usize,
    cx: f64,
    cd: f64,
) {
    for j in 1..n - 1 {
        let Row {
            out,
            u,
            v,
            mid,
            west,
            east,
            north,
            south,
        } = row(j, n, new, w, u, v);
        for k in 0..n - 2 {
            let du = either(u[k] >= 0.0, mid[k] - west[k], east[k] - mid[k]);
            let dv = either(v[k] >= 0.0, mid[k] - south[k], north[k] - mid[k]);
            let (ax, ay) = (u[k] * du, v[k] * dv);
            let lap = east[k] + west[k] + north[k] + south[k] - 4.0 * mid[k];
            out[k] = (mid[k] - cx * (ax + ay) + cd * lap).eval();
        }
    }
}
#[inline(never)]
fn four_by_reference<M: AnyMode>(
    new: &mut [R<M>],
    w: &[R<M>],
    u: &[R<M>],
    v: &[R<M>],
    n: usize,
    cx: f64,
    cd: f64,
) {
    for j in 1..n - 1 {
        let Row {
            out,
            u,
            v,
            mid,
            west,
            east,
            north,
            south,
        } = row(j, n, new, w, u, v);
        for k in 0..n - 2 {
            let du = either(u[k] >= 0.0, &mid[k] - &west[k], &east[k] - &mid[k]);
            let dv = either(v[k] >= 0.0, &mid[k] - &south[k], &north[k] - &mid[k]);
            let (ax, ay) = ((&u[k] * du).eval(), (&v[k] * dv).eval());
            let lap = (&east[k] + &west[k] + &north[k] + &south[k] - 4.0 * &mid[k]).eval();
            out[k] = (&mid[k] - cx * (&ax + &ay) + cd * &lap).eval();
        }
    }
}
#[inline(never)]
fn fused_by_reference<M: AnyMode>(
    new: &mut [R<M>],
    w: &[R<M>],
    u: &[R<M>],
    v: &[R<M>],
    n: usize,
    cx: f64,
    cd: f64,
) {
    for j in 1..n - 1 {
        let Row {
            out,
            u,
            v,
            mid,
            west,
            east,
            north,
            south,
        } = row(j, n, new, w, u, v);
        for k in 0..n - 2 {
            let du = either(u[k] >= 0.0, &mid[k] - &west[k], &east[k] - &mid[k]);
            let dv = either(v[k] >= 0.0, &mid[k] - &south[k], &north[k] - &mid[k]);
            let (ax, ay) = (&u[k] * du, &v[k] * dv);
            let lap = &east[k] + &west[k] + &north[k] + &south[k] - 4.0 * &mid[k];
            out[k] = (&mid[k] - cx * (ax + ay) + cd * lap).eval();
        }
    }
}

#[derive(Debug)]
pub struct Recorded<M: Recording> {
    inputs: Fields<R<M>>,
    output: R<M>,
    /// Thread CPU time of the recording.
    pub time: Duration,
}
#[derive(Clone, Debug)]
pub struct Outcome {
    pub value: f64,
    pub gradient: Fields<f64>,
    /// Thread CPU time of the sweep.
    pub time: Duration,
}
impl<M: Recording> Recorded<M> {
    pub fn new(
        tape: &mut Tape<M>,
        grid: Grid,
        program: impl FnOnce(&mut Burgers<R<M>>) -> R<M>,
    ) -> Self {
        tape.reset();
        let mut burgers = Burgers::new(grid, |x| tape.input(x));
        let (time, output) = timed(|| tape.record(|| program(&mut burgers)));
        Recorded {
            inputs: burgers.initial,
            output,
            time,
        }
    }
    /// Sweeps back. Reading the gradient is not timed.
    ///
    /// # Errors
    /// If the tape has been reset.
    pub fn sweep(&self, tape: &mut Tape<M>) -> Result<Outcome, Error> {
        let (time, gradient) = timed(|| tape.gradient(&self.output));
        let gradient = gradient?;
        let [u, v] = [&self.inputs.u, &self.inputs.v].map(|field| gradient.wrt_all(field));
        Ok(Outcome {
            value: self.output.value(),
            gradient: Fields { u: u?, v: v? },
            time,
        })
    }
}
