//! The bay: a step of the equations, and the measurements of gauges.
use entape::{
    checkpoint::{Cost, Steps},
    driver::SingleRefShape,
    prelude::*,
    simd::arrays::ArrayKind,
};
use std::{f64::consts::TAU, ops::Range};

type Field = SingleRefShape<ArrayKind<f64>>;
type Fields<'f, M> = (&'f Array<M>, &'f Array<M>, &'f Array<M>);

pub(crate) const MEAN_DEPTH: f64 = 30.0;
const SIDE: f64 = 120e3;
const GRAVITY: f64 = 9.81;
const FRICTION: f64 = 2e-5;
const SMOOTH: f64 = 1e-2;
/// The distance of gauges in cells, and the interval of measurements in steps.
const APART: usize = 8;
const EVERY: usize = 50;

pub(crate) struct Bay {
    pub(crate) cells: usize,
    pub(crate) steps: usize,
    dt: f64,
    gauges: Vec<usize>,
    levels: Vec<Vec<f64>>,
}
impl Bay {
    pub(crate) fn new(cells: usize, steps: usize) -> Self {
        let n = cells;
        let inner = (APART / 2..n - 1).step_by(APART);
        let all = inner
            .clone()
            .flat_map(|j| inner.clone().map(move |i| i + j * n));
        Bay {
            cells,
            steps,
            // half of the stable step at twice the mean depth
            dt: 0.5 * SIDE / n as f64 / (2.0 * 2.0 * GRAVITY * MEAN_DEPTH).sqrt(),
            gauges: all.collect(),
            levels: Vec::new(),
        }
    }
    /// Points along one side between which the bottom is interpolated.
    fn points(&self) -> usize {
        self.cells / APART + 1
    }
    pub(crate) fn flat(&self) -> Vec<f64> {
        vec![0.0; self.points().pow(2)]
    }
    /// The depth of each cell, by bilinear interpolation of the logarithms of its ratio to the mean depth.
    pub(crate) fn depth<M: Mode>(&self, x: &[Real<M>]) -> Vec<Real<M>> {
        let (n, m) = (self.cells, self.points());
        let place = |i: usize| {
            let place = (i * (m - 1)) as f64 / (n - 1) as f64;
            let left = (place as usize).min(m - 2);
            (left, place - left as f64)
        };
        let cell = |k: usize| {
            let [(i, a), (j, b)] = [place(k % n), place(k / n)];
            let [south, north] =
                [j, j + 1].map(|j| (1.0 - a) * x[i + j * m] + a * x[i + 1 + j * m]);
            (MEAN_DEPTH * ((1.0 - b) * south + b * north).exp()).eval()
        };
        (0..n * n).map(cell).collect()
    }
    pub(crate) fn plain_depth(&self, x: &[f64]) -> Vec<f64> {
        let x: Vec<_> = x.iter().map(|&x| Real::<Plain>::passive(x)).collect();
        self.depth(&x).iter().map(|d| d.value()).collect()
    }
    pub(crate) fn at_rest(&self) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let (n, all) = (self.cells, self.cells * self.cells);
        (vec![0.0; all], vec![0.0; all - 1], vec![0.0; all - n])
    }
    /// The tides of the moon and of the sun, which build up within half a day.
    fn tide(&self, number: usize) -> f64 {
        let hours = number as f64 * self.dt / 3600.0;
        let wave = |period: f64| (TAU * hours / period).sin();
        (wave(12.42) + 0.4 * wave(12.0)) * (hours / 12.0).min(1.0)
    }
    /// A channel with a bank across it, and a hole.
    pub(crate) fn true_depth(&self) -> Vec<f64> {
        let hill = |x: f64, y: f64, width: f64| (-(x * x + y * y) / (width * width)).exp();
        let depth = |k: usize| {
            let [x, y] = [k % self.cells, k / self.cells].map(|i| i as f64 / self.cells as f64);
            let channel = 6.0 * (TAU * (x - 0.25 - 0.1 * (TAU * y).sin())).sin();
            let bank = -14.0 * hill(x - 0.35, y - 0.45, 0.14);
            let hole = 14.0 * hill(x - 0.7, y - 0.65, 0.12);
            MEAN_DEPTH + channel + bank + hole
        };
        (0..self.cells * self.cells).map(depth).collect()
    }
    pub(crate) fn measure(&mut self, depth: &[f64], mut noise: impl FnMut() -> f64) {
        let (h, u, v) = self.at_rest();
        let [mut h, mut u, mut v, d] = [h, u, v, depth.to_vec()].map(Array::<Plain>::passive);
        for number in 0..self.steps {
            if self.is_measured(number) {
                let level = self.gauges.iter().map(|&k| h.get()[k] + noise());
                self.levels.push(level.collect());
            }
            (h, u, v) = self.step(number, (&h, &u, &v), &d);
        }
    }
    pub(crate) fn measurements(&self) -> usize {
        self.levels.len() * self.gauges.len()
    }
    pub(crate) fn gauges(&self) -> impl Iterator<Item = (f64, f64)> {
        let place = |i: usize| (i as f64 + 0.5) / self.cells as f64;
        self.gauges
            .iter()
            .map(move |k| (place(k % self.cells), place(k / self.cells)))
    }
    /// The root mean square difference where there is water.
    pub(crate) fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        let water = self.water();
        let squares = water.clone().map(|k| (a[k] - b[k]).powi(2));
        (squares.sum::<f64>() / water.len() as f64).sqrt()
    }
    /// The cells between the sea, which is the first row, and the land, which is the last one.
    fn water(&self) -> Range<usize> {
        self.cells..self.cells * (self.cells - 1)
    }
    fn is_measured(&self, number: usize) -> bool {
        number.is_multiple_of(EVERY) && number > 0
    }
}
impl Steps for Bay {
    type State = (Field, Field, Field);
    type Parameters = Field;
    type Output<M: Mode> = (Array<M>, Array<M>, Array<M>);
    /// Velocities by the slope of the level, and the level by the water that they carry.
    fn step<M: Mode>(
        &self,
        number: usize,
        (h, u, v): Fields<'_, M>,
        d: &Array<M>,
    ) -> Self::Output<M> {
        let (n, all) = (self.cells, self.cells * self.cells);
        let per_cell = self.dt * n as f64 / SIDE;
        let slow = 1.0 - self.dt * FRICTION;
        let fall = GRAVITY * per_cell;
        let east = h.slice(1..) - h.slice(..all - 1);
        let mut u = (slow * u - fall * east).eval();
        // fields are stored row by row: no flow from the end of a row to the next one, and none over the coast
        u.slice_step_mut(n - 1.., n as isize)
            .assign(&Array::filled(n - 1, 0.0));
        let north = h.slice(n..) - h.slice(..all - n);
        let mut v = (slow * v - fall * north).eval();
        v.slice_mut(all - 2 * n..).assign(&Array::filled(n, 0.0));

        // twice the depth of a face is the sum of the depths of its cells
        let inner = self.water();
        let [west, here, east] = [n - 1, n, n + 1].map(|k| d.slice(k..k + all - 2 * n));
        let [south, north] = [0, 2 * n].map(|k| d.slice(k..k + all - 2 * n));
        let flows_x =
            (here + east) * u.slice(inner.clone()) - (west + here) * u.slice(n - 1..all - n - 1);
        let flows_y =
            (here + north) * v.slice(inner.clone()) - (south + here) * v.slice(..all - 2 * n);
        let tide = self.tide(number + 1);
        let mut level = Array::<M>::filled_by(all, |level| {
            level[..n].fill(tide);
            level[all - n..].fill(0.0);
        });
        let change = 0.5 * per_cell * (flows_x + flows_y);
        level
            .slice_mut(inner.clone())
            .assign(h.slice(inner) - change);
        (level, u, v)
    }
}
impl Cost for Bay {
    fn cost<M: Mode>(&self, _: Fields<'_, M>, d: &Array<M>) -> Real<M> {
        let n = self.cells;
        let mut sum = Real::passive(0.0);
        for row in self.water().step_by(n) {
            let [west, here, east] = [row, row + 1, row + 2].map(|k| d.slice(k..k + n - 2));
            let [south, north] = [row + 1 - n, row + 1 + n].map(|k| d.slice(k..k + n - 2));
            sum += (west + east + south + north - 4.0 * here).norm_squared();
        }
        (SMOOTH * sum).eval()
    }
    /// In units of the error of a measurement.
    fn cost_along<M: Mode>(
        &self,
        number: usize,
        (h, _, _): Fields<'_, M>,
        _: &Array<M>,
    ) -> Option<Real<M>> {
        if !self.is_measured(number) {
            return None;
        }
        let levels = self.levels.get(number / EVERY - 1)?;
        let levels = Array::passive(levels.clone());
        let difference = h.take(&self.gauges) - &levels;
        Some((difference.norm_squared() * (0.5 / crate::NOISE.powi(2) / EVERY as f64)).eval())
    }
}
