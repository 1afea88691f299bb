//! The price of a European call option and all its derivatives, by Monte Carlo paths in SIMD lanes.
//!
//! ```text
//! cargo run --release -p entape-examples --example monte_carlo                  4 million paths
//! cargo run --release -p entape-examples --example monte_carlo -- --help
//! ```
//!
//! The share follows Black and Scholes' model, so price and derivatives (the *Greeks*) are known in closed form:
//!
//! ```text
//! end   = spot * exp((rate - volatility² / 2) * time + volatility * √time * z)      z normal
//! price = exp(-rate * time) * mean of max(end - strike, 0)
//! ```
//!
//! Four paths are one statement, and a batch of 100 000 paths is one recording. One sweep gives delta, rho, vega and
//! theta, the slopes of the price. The second derivative of the payoff is zero but for its kink, and does not determine
//! gamma. Instead, gamma is the slope of another mean with the value delta, the *likelihood ratio* of the payoff:
//! `exp(-rate * time) * mean of max(end - strike, 0) * z / (spot * volatility * √time)`. It is continuous, and a second
//! sweep differentiates it.
use entape::{prelude::*, simd::wide::f64x4};
use entape_programs::option::{Greeks, Market};
use indicatif::ProgressBar;
use lexopt::{Arg, ValueExt};
use rand::{SeedableRng, rngs::SmallRng};
use rand_distr::{Distribution, StandardNormal};
use std::path::PathBuf;

#[path = "monte_carlo/picture.rs"]
mod picture;

const HELP: &str = "\
The price of an option and its derivatives, by Monte Carlo paths in SIMD lanes

usage: monte_carlo [options]
  -n, --paths N    the number of paths (4000000)
  -k, --strike K   what a share costs at the end (105)
  -s, --seed S     of the random numbers (1)
  -o, --output F   the picture (monte_carlo.svg)
  -h, --help       this text";

const BATCH: usize = 100_000;
const MARKET: Market<f64> = Market {
    spot: 100.0,
    rate: 0.03,
    volatility: 0.2,
    time: 1.0,
};

fn batch(market: &Market<Real>, strike: f64, normals: &[f64x4]) -> [Real; 2] {
    let Market {
        spot,
        rate,
        volatility,
        time,
    } = *market;
    let spread = (volatility * time.sqrt()).eval();
    let drift = ((rate - 0.5 * volatility * volatility) * time).eval();
    let scale = ((-rate * time).exp() / (4 * normals.len()) as f64).eval();
    // separate lanes: their adjoints are summed once
    let [from, rise, width] = [spot, drift, spread].map(|x| x.splat::<f64x4>().eval());
    let (mut sum, mut ratio) = (Realx4::default(), Realx4::default());
    for &z in normals {
        let paid = ((from * (rise + width * z).exp() - strike).max(0.0)).eval();
        sum += paid;
        ratio += paid * z;
    }
    [
        (sum.reduce_add() * scale).eval(),
        (ratio.reduce_add() * scale / (spot * spread)).eval(),
    ]
}
/// The Greeks of a batch: one recording, two sweeps.
fn greeks(tape: &mut Tape, strike: f64, normals: &[f64x4]) -> Result<Greeks, Error> {
    tape.reset();
    let market = MARKET.map(|x| tape.input(x));
    let [price, ratio] = tape.record(|| batch(&market, strike, normals));
    let gradient = tape.gradient(&price)?;
    let (delta, rho) = (gradient.wrt(&market.spot)?, gradient.wrt(&market.rate)?);
    let (vega, slope) = (
        gradient.wrt(&market.volatility)?,
        gradient.wrt(&market.time)?,
    );
    Ok(Greeks {
        price: price.value(),
        delta,
        vega,
        rho,
        // the remaining time decreases
        theta: -slope,
        gamma: tape.gradient(&ratio)?.wrt(&market.spot)?,
    })
}

/// After this many paths.
struct Known {
    paths: usize,
    mean: Greeks,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some((paths, strike, seed, output)) = arguments()? else {
        println!("{HELP}");
        return Ok(());
    };
    let mut random = SmallRng::seed_from_u64(seed);
    let mut normal = || -> f64 { StandardNormal.sample(&mut random) };
    let mut tape = Tape::new();
    let (mut known, mut each): (Vec<Known>, Vec<[f64; 6]>) = (Vec::new(), Vec::new());
    let mut sum = [0.0; 6];
    let batches = paths.div_ceil(BATCH);
    let bar = ProgressBar::new(batches as u64); // on a terminal
    for count in 1..=batches {
        let normals: Vec<_> = (0..BATCH / 4)
            .map(|_| f64x4::new([(); 4].map(|()| normal())))
            .collect();
        let of_batch = greeks(&mut tape, strike, &normals)?.into_array();
        sum.iter_mut().zip(of_batch).for_each(|(sum, x)| *sum += x);
        each.push(of_batch);
        known.push(Known {
            paths: count * BATCH,
            mean: Greeks::from_array(sum.map(|sum| sum / count as f64)),
        });
        bar.inc(1);
    }
    bar.finish_and_clear();

    let exact = Greeks::black_scholes(&MARKET, strike);
    let last = known.last().ok_or("no paths")?;
    println!("{} paths, strike {strike}\n", last.paths);
    println!("           by paths    closed form        error   standard error");
    let mut worst: f64 = 0.0;
    for (i, ((name, got), (_, want))) in last.mean.list().into_iter().zip(exact.list()).enumerate()
    {
        let n = each.len() as f64;
        let square: f64 = each.iter().map(|x| (x[i] - got).powi(2)).sum();
        let deviation = (square / (n * (n - 1.0))).sqrt();
        let error = got - want;
        println!("{name:<6} {got:>13.7}  {want:>13.7}  {error:>11.1e}  {deviation:>15.1e}");
        worst = worst.max(error.abs() / deviation);
    }
    picture::write(&output, &known, &exact)?;
    println!("\npicture {}", output.display());
    if worst > 5.0 {
        return Err(format!("an error is {worst:.1} times the standard error").into());
    }
    Ok(())
}

fn arguments() -> Result<Option<(usize, f64, u64, PathBuf)>, lexopt::Error> {
    let (mut paths, mut strike, mut seed) = (4_000_000_usize, 105.0, 1);
    let mut output = PathBuf::from("monte_carlo.svg");
    let mut line = lexopt::Parser::from_env();
    while let Some(argument) = line.next()? {
        match argument {
            Arg::Short('n') | Arg::Long("paths") => paths = line.value()?.parse()?,
            Arg::Short('k') | Arg::Long("strike") => strike = line.value()?.parse::<f64>()?,
            Arg::Short('s') | Arg::Long("seed") => seed = line.value()?.parse()?,
            Arg::Short('o') | Arg::Long("output") => output = line.value()?.into(),
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    if paths < 3 * BATCH {
        return Err("a standard error needs at least 300000 paths, three batches".into());
    }
    if !(10.0..=1000.0).contains(&strike) {
        return Err("the strike is between 10 and 1000".into());
    }
    Ok(Some((paths, strike, seed, output)))
}
