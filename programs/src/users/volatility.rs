//! Finance: the misfit of a local volatility surface to prices of options, by Dupire's forward equation (Crank-Nicolson with
//! tridiagonal solves), with 17 unknowns.
use entape::prelude::*;

const KNOTS: usize = 5;
/// The price of an option with a strike at a step.
#[derive(Debug)]
pub struct Quote {
    step: usize,
    strike: f64,
    price: f64,
}
#[derive(Debug)]
pub struct Grid {
    n: usize,
    steps: usize,
    dt: f64,
    dx: f64,
}
impl Grid {
    fn x(&self, i: usize) -> f64 {
        (i as f64 - (self.n / 2) as f64) * self.dx
    }
    /// The position of a grid point between knots.
    fn knot(&self, i: usize) -> (usize, f64) {
        let at = ((self.x(i) + 1.0) / 2.0 * 4.0).clamp(0.0, 4.0 - 1e-9);
        (at as usize, at.fract())
    }
    fn layer(&self, step: usize) -> (usize, f64) {
        let at = step as f64 / self.steps as f64 * 1.999998;
        (at as usize, at.fract())
    }
}

pub mod plain {
    use super::{Grid, KNOTS, Quote};

    pub fn errors(p: &[f64], grid: &Grid, quotes: &[Quote]) -> Vec<f64> {
        let (n, rate, spot) = (grid.n, p[15], p[16]);
        let log_vol: Vec<&[f64]> = p[..15].chunks(KNOTS).collect();
        let mut c: Vec<f64> = (0..n).map(|i| (1.0 - grid.x(i).exp()).max(0.0)).collect();
        let mut out = vec![];
        for step in 0..grid.steps {
            let (layer, u) = grid.layer(step);
            let (mut low, mut mid, mut up, mut rhs) =
                (vec![0.0; n], vec![1.0; n], vec![0.0; n], c.clone());
            for i in 1..n - 1 {
                let (k, w) = grid.knot(i);
                let v = |l: usize| (1.0 - w) * log_vol[l][k] + w * log_vol[l][k + 1];
                let half = 0.5 * (2.0 * ((1.0 - u) * v(layer) + u * v(layer + 1))).exp();
                let (d, a) = (half / (grid.dx * grid.dx), (half + rate) / (2.0 * grid.dx));
                let (l, r) = (0.5 * grid.dt * (d + a), 0.5 * grid.dt * (d - a));
                low[i] = -l;
                up[i] = -r;
                mid[i] = 1.0 + l + r;
                rhs[i] = c[i] + l * (c[i - 1] - c[i]) + r * (c[i + 1] - c[i]);
            }
            for i in 1..n {
                let w = low[i] / mid[i - 1];
                mid[i] -= w * up[i - 1];
                rhs[i] -= w * rhs[i - 1];
            }
            c[n - 1] = rhs[n - 1] / mid[n - 1];
            for i in (0..n - 1).rev() {
                c[i] = (rhs[i] - up[i] * c[i + 1]) / mid[i];
            }
            for q in quotes.iter().filter(|q| q.step == step) {
                let at = (q.strike / spot).ln() / grid.dx + (n / 2) as f64;
                let (i, w) = (at as usize, at.fract());
                out.push(spot * ((1.0 - w) * c[i] + w * c[i + 1]) - q.price);
            }
        }
        out
    }
    pub fn misfit(p: &[f64], grid: &Grid, quotes: &[Quote]) -> f64 {
        errors(p, grid, quotes).iter().map(|e| e * e).sum()
    }
}

#[entape::function]
pub fn errors(p: &[Real], grid: &Grid, quotes: &[Quote]) -> Vec<Real> {
    let (n, rate, spot) = (grid.n, p[15], p[16]);
    let log_vol: Vec<&[Real]> = p[..15].chunks(KNOTS).collect();
    let (zero, one) = (Real::passive(0.0), Real::passive(1.0));
    let mut c: Vec<Real> = (0..n)
        .map(|i| Real::passive((1.0 - grid.x(i).exp()).max(0.0)))
        .collect();
    let mut out = vec![];
    for step in 0..grid.steps {
        let (layer, u) = grid.layer(step);
        let (mut low, mut mid, mut up, mut rhs) =
            (vec![zero; n], vec![one; n], vec![zero; n], c.clone());
        for i in 1..n - 1 {
            let (k, w) = grid.knot(i);
            let v = |l: usize| (1.0 - w) * log_vol[l][k] + w * log_vol[l][k + 1];
            let half = 0.5 * (2.0 * ((1.0 - u) * v(layer) + u * v(layer + 1))).exp();
            let (d, a) = (half / (grid.dx * grid.dx), (half + rate) / (2.0 * grid.dx));
            let (l, r) = (0.5 * grid.dt * (d + a), 0.5 * grid.dt * (d - a));
            low[i] = -l;
            up[i] = -r;
            mid[i] = 1.0 + l + r;
            rhs[i] = c[i] + l * (c[i - 1] - c[i]) + r * (c[i + 1] - c[i]);
        }
        for i in 1..n {
            let w = low[i] / mid[i - 1];
            mid[i] -= w * up[i - 1];
            rhs[i] -= w * rhs[i - 1];
        }
        c[n - 1] = rhs[n - 1] / mid[n - 1];
        for i in (0..n - 1).rev() {
            c[i] = (rhs[i] - up[i] * c[i + 1]) / mid[i];
        }
        for q in quotes.iter().filter(|q| q.step == step) {
            let at = (q.strike / spot).ln() / grid.dx + (n / 2) as f64;
            let (i, w) = (at.value() as usize, at.fract());
            out.push(spot * ((1.0 - w) * c[i] + w * c[i + 1]) - q.price);
        }
    }
    out
}
#[entape::function]
pub fn misfit(p: &[Real], grid: &Grid, quotes: &[Quote]) -> Real {
    let errors = errors(p, grid, quotes);
    errors.norm_squared()
}

/// Parameters, and quotes of other parameters, on a grid of `n` points with `steps` steps.
pub fn data(n: usize, steps: usize) -> (Vec<f64>, Grid, Vec<Quote>) {
    let grid = Grid {
        n,
        steps,
        dt: 1.0 / steps as f64,
        dx: 4.0 / n as f64,
    };
    let quote = |k: usize| {
        let strike = 80.0 + 10.0 * (k % 5) as f64;
        Quote {
            step: steps / 4 * (1 + k / 5 % 4) - 1,
            strike,
            price: 0.0,
        }
    };
    let mut quotes: Vec<Quote> = (0..20).map(quote).collect();
    quotes.sort_by_key(|q| q.step);
    let smile = |k: usize| 0.2 + 0.0075 * ((k % 5) as f64 - 2.0).powi(2) - 0.02 * (k / 5) as f64;
    let mut p: Vec<f64> = (0..15).map(|k| smile(k).ln()).collect();
    p.extend([0.03, 100.3]);
    let prices = plain::errors(&p, &grid, &quotes);
    quotes
        .iter_mut()
        .zip(prices)
        .for_each(|(q, price)| q.price = price);
    p[..15].fill(0.22_f64.ln());
    (p, grid, quotes)
}
