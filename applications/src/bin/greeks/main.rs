//! Prices of a book of options and all their Greeks, by Monte Carlo paths in SIMD lanes on all cores.
//!
//! The volatility follows the model of S. L. Heston, *A closed-form solution for options with stochastic volatility with applications to bond
//! and currency options*, 1993:
//!
//! ```text
//! dS = r S dt + √v S dW,   dv = κ (θ - v) dt + ξ √v dB,   dW dB = ρ dt
//! ```
//!
//! European options are valued by the paths of the variance alone: given one, the share is log-normal, so the formula of Black and Scholes
//! gives the rest (G. A. Willard, *Calculating prices and sensitivities for path-independent derivatives securities in multifactor
//! models*, 1997). This mean is smooth, so that gamma is the slope of delta. Asian options, which pay by the mean of the share, take whole paths.
//! Four paths are one statement, a batch of paths is one recording, batches run on all cores, and one sweep of each gives the derivatives
//! with respect to everything that the book depends on: spot, rate, five parameters of the model, and the day.
//!
//! Look at the European part: it is compared with the integral that the characteristic function gives (A. L. Lewis, *Option Valuation under
//! Stochastic Volatility*, 2000), which the same library differentiates to second order, with complex numbers. What is left beside the standard
//! error is that of Euler's steps: with `--steps 200` it is lost in the noise.
use applications::{
    Outcome, Settings, moments,
    picture::{self, BLUE, Chart, Layer, Legend, Mark, RED},
};
use entape::{Objective, parallel::Parallel, prelude::*};

mod book;
mod integral;
use book::{BATCH, MARKET, Part, batch};
use integral::Integral;

const SETTINGS: &[[&str; 3]] = &[
    ["paths", "the number of paths", "120000"],
    ["steps", "steps of a path", "128"],
    ["spots", "spot prices of the picture by paths", "12"],
];

/// Batches are divided into so many groups, whose differences tell the standard error.
const GROUPS: usize = 20;

/// A part's value and Greeks by paths, with their standard errors.
fn by_paths(part: Part, market: &[f64], [paths, steps]: [usize; 2]) -> Outcome<Vec<(f64, f64)>> {
    let batches = (paths / BATCH / GROUPS).max(1);
    let mut each = vec![Vec::new(); market.len() + 1];
    for group in 0..GROUPS {
        let term = |x: &[Real], i: usize| batch(x, steps, part, group * batches + i);
        let (value, slope) = Parallel::new().block(1).sum(batches, term, market)?;
        let all = [value].into_iter().chain(slope);
        each.iter_mut()
            .zip(all)
            .for_each(|(list, x)| list.push(x / batches as f64));
    }
    let error = |list: &Vec<f64>| {
        let (mean, deviation) = moments(list);
        (mean, deviation / (GROUPS as f64).sqrt())
    };
    Ok(each.iter().map(error).collect())
}

fn main() -> Outcome {
    let settings = Settings::read("greeks", "Prices and Greeks of a book of options", SETTINGS)?;
    let size = [settings.get("paths")?, settings.get("steps")?];
    let market = MARKET.map(|(_, x)| x);
    let integral = Objective::new(Integral);
    let (exact, slope) = integral.value_and_gradient(&market)?;
    let gamma = integral.hessian(&market)?.row(0)[0];

    let clock = std::time::Instant::now();
    let [european, delta, asian] =
        [Part::European, Part::Delta, Part::Asian].map(|part| by_paths(part, &market, size));
    let (european, delta, asian) = (european?, delta?, asian?);
    let cores = std::thread::available_parallelism()?;
    println!(
        "{} paths of {} steps, three parts, {:.1} s on {cores} cores\n",
        size[0],
        size[1],
        clock.elapsed().as_secs_f64()
    );
    println!("                       European      error  closed form        Asian      error");
    let line = |name: &str, (x, error): (f64, f64), exact: f64| {
        print!("{name:<20} {x:>10.3} {error:>10.3} {exact:>12.3}")
    };
    line("price", european[0], exact);
    println!(" {:>12.3} {:>10.3}", asian[0].0, asian[0].1);
    for (i, (name, _)) in MARKET.iter().enumerate() {
        line(name, european[i + 1], slope[i]);
        println!(" {:>12.3} {:>10.3}", asian[i + 1].0, asian[i + 1].1);
    }
    line("gamma", delta[1], gamma);
    println!();

    let at = |spot: f64| MARKET.map(|(name, x)| if name == "spot" { spot } else { x });
    let spots: usize = settings.get("spots")?;
    let spot = |part: usize, of: usize| 75.0 + 60.0 * (part as f64 + 0.5) / of as f64;
    let points: Vec<f64> = (0..spots).map(|i| spot(i, spots)).collect();
    let curve: Vec<f64> = (0..4 * spots).map(|i| spot(i, 4 * spots)).collect();
    let few = [size[0] / 16, size[1]];
    let mut layers = [Vec::new(), Vec::new(), Vec::new()];
    for &spot in &curve {
        let (value, slope) = integral.value_and_gradient(&at(spot))?;
        let gamma =
            integral.hessian_vector(&at(spot), &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])?[0];
        layers
            .iter_mut()
            .zip([value, slope[0], gamma])
            .for_each(|(list, y)| list.push((spot, y)));
    }
    let mut marks = [Vec::new(), Vec::new(), Vec::new()];
    for &spot in &points {
        let (value, delta) = (
            by_paths(Part::European, &at(spot), few)?,
            by_paths(Part::Delta, &at(spot), few)?,
        );
        let all = [value[0].0, value[1].0, delta[1].0];
        marks
            .iter_mut()
            .zip(all)
            .for_each(|(list, y)| list.push((spot, y)));
    }
    let names = ["Value", "Delta", "Gamma"];
    let charts: Vec<_> = names
        .iter()
        .zip(layers.into_iter().zip(marks))
        .map(|(title, (curve, points))| {
            let layers = vec![
                Layer::new("closed form", BLUE, Mark::Line(2), curve),
                Layer::new("by paths", RED, Mark::Points(4), points),
            ];
            Chart {
                title,
                x: "spot price",
                y: "",
                layers,
                legend: Legend::UpperRight,
            }
        })
        .collect();
    picture::draw(settings.output(), (420, 400), &charts)
}
