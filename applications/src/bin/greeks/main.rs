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
    picture::{self, BLUE, Chart, Layer, Legend, Mark::*, RED},
};
use entape::{Objective, parallel::Parallel, prelude::*};

mod book;
use book::{BATCH, Integral, MARKET, Part, batch};

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
    let european = by_paths(Part::European, &market, size)?;
    let delta = by_paths(Part::Delta, &market, size)?;
    let asian = by_paths(Part::Asian, &market, size)?;
    let cores = std::thread::available_parallelism()?;
    let ([paths, steps], seconds) = (size, clock.elapsed().as_secs_f64());
    println!("{paths} paths of {steps} steps, three parts, {seconds:.1} s on {cores} cores\n");
    println!("                       European      error  closed form        Asian      error");
    let line = |name: &str, (x, error): (f64, f64), exact: f64| {
        print!("{name:<20} {x:>10.3} {error:>10.3} {exact:>12.3}")
    };
    let names = ["price"].into_iter().chain(MARKET.map(|(name, _)| name));
    let exact = [exact].into_iter().chain(slope);
    for (((name, european), exact), (x, error)) in names.zip(european).zip(exact).zip(asian) {
        line(name, european, exact);
        println!(" {x:>12.3} {error:>10.3}");
    }
    line("gamma", delta[1], gamma);
    println!();

    let at = |spot: f64| MARKET.map(|(name, x)| if name == "spot" { spot } else { x });
    let spots =
        |count: usize| (0..count).map(move |i| 75.0 + 60.0 * (i as f64 + 0.5) / count as f64);
    let count: usize = settings.get("spots")?;
    let mut direction = [0.0; MARKET.len()];
    direction[0] = 1.0;
    // value, delta and gamma in closed form and by paths
    let (mut curves, mut marks) = ([(); 3].map(|()| Vec::new()), [(); 3].map(|()| Vec::new()));
    for spot in spots(4 * count) {
        let (value, slope) = integral.value_and_gradient(&at(spot))?;
        let gamma = integral.hessian_vector(&at(spot), &direction)?[0];
        let all = curves.iter_mut().zip([value, slope[0], gamma]);
        all.for_each(|(list, y)| list.push((spot, y)));
    }
    for spot in spots(count) {
        let value = by_paths(Part::European, &at(spot), [paths / 16, steps])?;
        let delta = by_paths(Part::Delta, &at(spot), [paths / 16, steps])?;
        let all = marks.iter_mut().zip([value[0].0, value[1].0, delta[1].0]);
        all.for_each(|(list, y)| list.push((spot, y)));
    }
    let names = ["Value", "Delta", "Gamma"].into_iter();
    let chart = |((title, curve), points)| {
        let layers = vec![
            Layer::new("closed form", BLUE, Line(2), curve),
            Layer::new("by paths", RED, Points(4), points),
        ];
        Chart::new(title, ["spot price", ""], Legend::UpperRight, layers)
    };
    let charts: Vec<_> = names.zip(curves).zip(marks).map(chart).collect();
    picture::draw(settings.output(), (420, 400), &charts)
}
