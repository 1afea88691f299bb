//! The past of a chaotic flame front from few and noisy measurements, by gradients through Fourier transforms.
//!
//! ```text
//! cargo run --release -p entape-examples --features fft --example spectral               128 points, measured at every 4th of them
//! cargo run --release -p entape-examples --features fft --example spectral -- --help
//! ```
//!
//! The front moves by the equation of Kuramoto and Sivashinsky, `u_t + u u_x + u_xx + u_xxxx = 0`, on a periodic line.
//! It is solved in Fourier space, where derivatives are products: the linear part exactly, the other one by the
//! exponential Runge-Kutta method of second order (S. M. Cox and P. C. Matthews, *Exponential time differencing for
//! stiff systems*, 2002). The state at the first time of some measurements is unknown. L-BFGS minimises the misfit and
//! the distance from an inexact guess, by the gradient with respect to the whole state (O. Talagrand and P. Courtier,
//! *Variational assimilation of meteorological observations with the adjoint vorticity equation*, 1987).
//!
//! The measurements come from a known front. Short waves are damped immediately, so the front is determined well only
//! some time after the first measurement.
use argmin::{
    core::{CostFunction, Executor, Gradient, State},
    solver::{linesearch::MoreThuenteLineSearch, quasinewton::LBFGS},
};
use entape::{Function, check, driver::ListShape, prelude::*};
use lexopt::{Arg, ValueExt};
use rand::{SeedableRng, rngs::SmallRng};
use rand_distr::{Distribution, Normal};
use std::{error::Error as StdError, f64::consts::TAU, path::PathBuf};

#[path = "spectral/equation.rs"]
mod equation;
#[path = "spectral/picture.rs"]
mod picture;
use equation::Equation;

const HELP: &str = "\
The past of a chaotic flame front from few and noisy measurements

usage: spectral [options]
  -e, --every N    measure at every Nth of 128 points (4)
  -s, --sigma S    the standard deviation of a measurement (0.3)
  -o, --output F   the picture (spectral.svg)
  -h, --help       this text";

type Outcome<T = ()> = Result<T, Box<dyn StdError>>;
const POINTS: usize = 128;
const LENGTH: f64 = 60.0;
const DT: f64 = 0.05;
/// Steps between measurements, and the number of measurements.
const STEPS: usize = 10;
const TIMES: usize = 20;

struct Measured {
    equation: Equation,
    every: isize,
    sigma: f64,
    /// At each time, at equally spaced points.
    values: Vec<Vec<f64>>,
    /// The initial state before its improvement, with an error of 1.
    guess: Vec<f64>,
}
impl Measured {
    fn new(truth: &[f64], every: usize, sigma: f64) -> Outcome<Self> {
        let equation = Equation::new();
        let (mut random, noise) = (SmallRng::seed_from_u64(1), Normal::new(0.0, sigma)?);
        let truth = Array::<Plain>::passive(truth.to_vec());
        let measure = |u: Array<Plain>| -> Vec<f64> {
            let points = u.get().iter().step_by(every);
            points.map(|u| u + noise.sample(&mut random)).collect()
        };
        let values: Vec<_> = equation
            .states(&truth, STEPS)
            .map(measure)
            .take(TIMES)
            .collect();
        // linear interpolation of the first measurements
        let between = |i: usize| {
            let (k, part) = (i / every, (i % every) as f64 / every as f64);
            let (left, right) = (values[0][k], values[0][(k + 1) % values[0].len()]);
            left + part * (right - left)
        };
        let guess = (0..POINTS).map(between).collect();
        let every = every as isize;
        Ok(Measured {
            equation,
            every,
            sigma,
            values,
            guess,
        })
    }
    /// The squared distance of the front from the measurements, and of its beginning `u` from the guess.
    fn misfit<M: AnyMode>(&self, u: &Array<M>) -> Real<M> {
        let guess = Array::<M>::passive(self.guess.clone());
        let mut sum = ((u - &guess).norm_squared() * self.sigma.powi(2)).eval();
        for (u, values) in self.equation.states(u, STEPS).zip(&self.values) {
            let values = Array::<M>::passive(values.clone());
            sum += (u.slice_step(.., self.every) - &values).norm_squared();
        }
        sum /= (TIMES * self.values[0].len()) as f64;
        sum
    }
    fn slope(&self, u: &[f64]) -> Result<(f64, Vec<f64>), Error> {
        let mut tape = Tape::new();
        let u = tape.input(u.to_vec());
        let y = tape.record(|| self.misfit(&u));
        Ok((y.value(), tape.gradient(&y)?.wrt(&u)?))
    }
}
impl Function for &Measured {
    type Inputs = ListShape<f64>;
    type Values = f64;
    type Output<M: Mode> = Active<f64, M>;
    fn call<M: Mode>(&self, u: &[Real<M>]) -> Real<M> {
        self.misfit(&u.gather_array().eval())
    }
}
impl CostFunction for &Measured {
    type Param = Vec<f64>;
    type Output = f64;
    fn cost(&self, u: &Vec<f64>) -> Result<f64, argmin::core::Error> {
        // The line search would not terminate.
        let value = Some(self.value(u)).filter(|value| value.is_finite());
        value.ok_or_else(|| argmin::core::Error::msg("a step led to a front out of range"))
    }
}
impl Gradient for &Measured {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;
    fn gradient(&self, u: &Vec<f64>) -> Result<Vec<f64>, argmin::core::Error> {
        Ok(self.slope(u)?.1)
    }
}
fn distance(a: &[f64], b: &[f64]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| (a - b).powi(2));
    (squares.sum::<f64>() / a.len() as f64).sqrt()
}

fn main() -> Outcome {
    let Some((every, sigma, output)) = arguments()? else {
        println!("{HELP}");
        return Ok(());
    };
    // a front after enough time to be typical
    let wave = |i: usize| (TAU * i as f64 / POINTS as f64).cos();
    let start = Array::<Plain>::passive((0..POINTS).map(|i| wave(i) + wave(3 * i + 5)).collect());
    let equation = Equation::new();
    let truth = equation.states(&start, 4000).nth(1).ok_or("a state")?;
    let measured = Measured::new(truth.get(), every, sigma)?;
    check::gradient(&measured, &measured.guess)?;

    let solver = LBFGS::new(MoreThuenteLineSearch::new().with_c(1e-4, 0.9)?, 10);
    let result = Executor::new(&measured, solver.with_tolerance_grad(1e-7)?)
        .configure(|state| state.param(measured.guess.clone()).max_iters(300))
        .run()?;
    let found = result.state().get_best_param().ok_or("no step was made")?;
    let states = |u: &[f64]| -> Vec<Array<Plain>> {
        let u = Array::passive(u.to_vec());
        equation.states(&u, STEPS).take(3 * TIMES).collect()
    };
    let [truth, guess, found] = [truth.get(), &measured.guess, found].map(|u| states(u));
    println!("the error at time   of the guess   of what was found   of a measurement: {sigma}");
    for k in [0, TIMES / 2, TIMES - 1, 2 * TIMES - 1] {
        let error = |of: &[Array<Plain>]| distance(of[k].get(), truth[k].get());
        let time = (k * STEPS) as f64 * DT;
        println!(
            "{time:>17.1}   {:>12.3}   {:>17.3}",
            error(&guess),
            error(&found)
        );
    }
    println!("{} steps", result.state().get_iter());
    picture::write(&output, &measured, &truth, &guess, &found)?;
    println!("picture {}", output.display());
    if distance(found[TIMES / 2].get(), truth[TIMES / 2].get()) > sigma / 2.0 {
        return Err("the front is not found".into());
    }
    Ok(())
}

fn arguments() -> Result<Option<(usize, f64, PathBuf)>, lexopt::Error> {
    let (mut every, mut sigma, mut output) = (4, 0.3, PathBuf::from("spectral.svg"));
    let mut line = lexopt::Parser::from_env();
    while let Some(argument) = line.next()? {
        match argument {
            Arg::Short('e') | Arg::Long("every") => every = line.value()?.parse()?,
            Arg::Short('s') | Arg::Long("sigma") => sigma = line.value()?.parse()?,
            Arg::Short('o') | Arg::Long("output") => output = line.value()?.into(),
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    if ![1, 2, 4, 8].contains(&every) || sigma <= 0.0 {
        return Err("measure at every 1, 2, 4 or 8 points, with a positive deviation".into());
    }
    Ok(Some((every, sigma, output)))
}
