//! Prices of a book of options and all their Greeks, by Monte Carlo paths in SIMD lanes on all cores.
//!
//! The volatility follows the model of S. L. Heston, *A closed-form solution for options with stochastic volatility
//! with applications to bond and currency options*, 1993:
//!
//! ```text
//! dS = r S dt + √v S dW,   dv = κ (θ - v) dt + ξ √v dB,   dW dB = ρ dt
//! ```
//!
//! Given a path of the variance, the formula of Black and Scholes applies (G. A. Willard, *Calculating prices and
//! sensitivities for path-independent derivatives securities in multifactor models*, 1997), so the mean is smooth. One
//! sweep gives its derivatives, and another one the derivatives of delta: gamma, vanna, ...
//!
//! The closed form (A. L. Lewis, *Option Valuation under Stochastic Volatility*, 2000) is differentiated with complex
//! numbers. Beyond the standard error, the difference is the error of Euler's steps.
use applications::{
    Outcome, Settings, moments,
    picture::{self, BLUE, Chart, Layer, Legend, Mark::*, RED},
};
use entape::driver::{Function, ListShape, Objective, Program};
use entape::{complex::num_complex::c64, prelude::*, simd::wide::f64x4};
use rand::{SeedableRng, rngs::SmallRng};
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use std::f64::consts::{FRAC_1_SQRT_2, PI};

const SETTINGS: &[[&str; 3]] = &[
    ["paths", "the number of paths", "120000"],
    ["steps", "steps of a path", "128"],
    ["spots", "spot prices of the picture", "24"],
];

/// The parameters of the book, today in years.
const NAMES: [&str; 8] = ["spot", "rate", "v", "kappa", "theta", "xi", "rho", "today"];
const MARKET: [f64; 8] = [100.0, 0.03, 0.04, 2.0, 0.05, 0.3, -0.7, 0.0];
/// The expiries in years, and for each strike the numbers of calls and puts in the book.
const BOOK: [(f64, [[f64; 3]; 2]); 3] = [
    (0.25, [[95.0, 100.0, 150.0], [105.0, -200.0, 0.0]]),
    (0.5, [[95.0, 0.0, -80.0], [100.0, 120.0, 0.0]]),
    (1.0, [[100.0, 90.0, 60.0], [125.0, -150.0, 0.0]]),
];

/// Paths of a batch. Four of them are one statement, and half of them are mirror images of the others.
const BATCH: usize = 80;
struct Paths {
    steps: usize,
    batch: usize,
}
impl Function for Paths {
    type Inputs = ListShape<f64>;
    type Values = f64;
    type Output<M: Mode> = Real<M>;
    fn call<M: Mode>(&self, market: &[Real<M>]) -> Real<M> {
        let mut random = SmallRng::seed_from_u64(self.batch as u64);
        let mut four = || f64x4::new([(); 4].map(|()| StandardNormal.sample(&mut random)));
        let lanes = |x: Real<M>| x.splat::<f64x4>().eval();
        let market: [Real<M>; 8] = market.try_into().expect("eight numbers");
        let [_, rate, .., today] = market;
        let [spot, _, now, kappa, theta, xi, rho, _] = market.map(lanes);
        let across = (1.0 - rho * rho).sqrt().eval();
        let mut value = Real::passive(0.0);
        for (end, options) in BOOK {
            let left = (end - today).eval();
            let growth = lanes((rate * left).eval());
            let dt = lanes((left / self.steps as f64).eval());
            let root_dt = dt.sqrt().eval();
            let mut sum = Realx4::<M>::default();
            for _ in 0..BATCH / 8 {
                let normals: Vec<_> = (0..self.steps).map(|_| four()).collect();
                for sign in [1.0, -1.0] {
                    let (mut v, mut total, mut along) = (now, Realx4::default(), Realx4::default());
                    for &b in &normals {
                        // a negative variance is treated as zero
                        let above = v.max(1e-10).eval();
                        let step = (above.sqrt() * root_dt * (b * sign)).eval();
                        total += above * dt;
                        along += step;
                        v.update(|v| v + kappa * (theta - above) * dt + xi * step);
                    }
                    let total = (total + 0.5 * dt * (v - now)).eval();
                    let drift = growth - 0.5 * rho * rho * total;
                    let forward = (spot * (drift + rho * along).exp()).eval();
                    let spread = (across * total.sqrt()).eval();
                    for [strike, calls, puts] in options {
                        let d = ((forward / strike).ln() / spread + 0.5 * spread).eval();
                        let above = 0.5 * (d * -FRAC_1_SQRT_2).erfc();
                        let below = 0.5 * ((d - spread) * -FRAC_1_SQRT_2).erfc();
                        sum += (calls + puts) * (forward * above - strike * below);
                        sum -= puts * (forward - strike);
                    }
                }
            }
            value += (-rate * left).exp() / BATCH as f64 * sum.reduce_add();
        }
        value
    }
}

struct Integral;
impl Function for Integral {
    type Inputs = ListShape<f64>;
    type Values = f64;
    type Output<M: Mode> = Real<M>;
    fn call<M: Mode>(&self, market: &[Real<M>]) -> Real<M> {
        let market = market.try_into().expect("eight numbers");
        let [spot, rate, now, kappa, theta, xi, rho, today]: [Real<M>; 8] = market;
        let square = (xi * xi).eval();
        let mut value = Real::passive(0.0);
        for (end, options) in BOOK {
            let left = (end - today).eval();
            let discount = (-rate * left).exp().eval();
            for [strike, calls, puts] in options {
                value += calls * spot + puts * strike * discount;
            }
            let du = 0.25;
            for k in 0..480 {
                // the characteristic function, with the root that avoids the branch cut
                let u = (f64::from(k) + 0.5) * du;
                let below = u * u + 0.25;
                let beta = (kappa.to_complex() - rho * xi * constant(c64(0.5, u))).eval();
                let root = (beta * beta + square * below).sqrt().eval();
                let (minus, decay) = ((beta - root).eval(), (-root * left).exp().eval());
                let ratio = (minus / (beta + root)).eval();
                let reach = (1.0 - ratio * decay).eval();
                let from_mean = minus * left - 2.0 * (reach / (1.0 - ratio)).ln();
                let from_now = minus * (1.0 - decay) / reach;
                let log = (kappa * theta / square * from_mean + now / square * from_now).eval();
                let size = (log.re().exp() * (du / PI / below) * (spot * discount).sqrt()).eval();
                for [strike, calls, puts] in options {
                    let turn = u * ((spot / strike).ln() + rate * left);
                    value -= (calls + puts) * strike.sqrt() * size * (log.im() + turn).cos();
                }
            }
        }
        value
    }
}

fn greeks<P: Program<Values = f64>>(book: &Objective<P>, market: &[f64]) -> Outcome<Vec<f64>> {
    let (value, slope) = book.value_and_gradient(market)?;
    let of_delta = book.hessian_vector(market, &NAMES.map(|name| f64::from(name == "spot")))?;
    Ok([vec![value], slope, of_delta].concat())
}
/// The value and its slopes by paths, and the standard error of each.
fn by_paths(market: &[f64], paths: usize, steps: usize) -> Outcome<[Vec<f64>; 2]> {
    let start = || Objective::new(Paths { steps, batch: 0 });
    let batch = |book: &mut Objective<Paths>, batch| {
        book.program_mut().batch = batch;
        greeks(book, market)
    };
    let batches = (0..(paths / BATCH).max(2)).into_par_iter();
    let all: Vec<_> = batches.map_init(start, batch).collect::<Outcome<_>>()?;
    let column = |i: usize| moments(&all.iter().map(|batch| batch[i]).collect::<Vec<_>>());
    let (means, deviations): (_, Vec<f64>) = (0..all[0].len()).map(column).unzip();
    let root = (all.len() as f64).sqrt();
    Ok([means, deviations.iter().map(|x| x / root).collect()])
}

fn main() -> Outcome {
    let settings = Settings::read("greeks", "Prices and Greeks of a book of options", SETTINGS)?;
    let (paths, steps) = (settings.get("paths")?, settings.get("steps")?);
    let spots: usize = settings.get("spots")?;
    let book = Objective::new(Integral);

    let clock = std::time::Instant::now();
    let [found, errors] = by_paths(&MARKET, paths, steps)?;
    let (time, cores) = (clock.elapsed(), rayon::current_num_threads());
    println!("{paths} paths of {steps} steps, {time:.1?} on {cores} cores");
    let columns = "  by paths    error  closed form";
    println!("         {columns}    of delta{columns}");
    let exact = greeks(&book, &MARKET)?;
    let line = |k: usize| format!("{:>10.3} {:>8.3} {:>12.3}", found[k], errors[k], exact[k]);
    println!("price    {}", line(0));
    for (i, name) in NAMES.iter().enumerate() {
        println!("{name:<9}{}            {}", line(1 + i), line(9 + i));
    }

    let mut curves = vec![Vec::new(); 2 * exact.len()];
    for i in 0..spots {
        let spot = 75.0 + 60.0 * (i as f64 + 0.5) / spots as f64;
        let market = [&[spot], &MARKET[1..]].concat();
        let [found, _] = by_paths(&market, paths / 32, steps)?;
        let all = [greeks(&book, &market)?, found].concat();
        (curves.iter_mut().zip(all)).for_each(|(curve, y)| curve.push((spot, y)));
    }
    let chart = |(title, k): (_, usize)| {
        let line = Layer::new("closed form", BLUE, Line(2), curves[k].clone());
        let found = curves[exact.len() + k].clone();
        let layers = vec![line, Layer::new("by paths", RED, Points(4), found)];
        let legend = [Legend::LowerRight, Legend::UpperRight][k.min(1)].clone();
        Chart::new(title, ["spot price", ""], legend, layers)
    };
    let charts = [("Value", 0), ("Delta", 1), ("Gamma", 9)].map(chart);
    picture::draw(settings.output(), (420, 400), &charts)
}
