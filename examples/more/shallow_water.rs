//! The bottom of a bay from tide gauges, by gradients of a long simulation in bounded memory.
//!
//! ```text
//! cargo run --release -p entape-examples --example shallow_water                     6,000 steps of a minute on 128 x 128 cells
//! cargo run --release -p entape-examples --example shallow_water -- --measure        what the gradient of 100,000 steps takes
//! cargo run --release -p entape-examples --example shallow_water -- --help
//! ```
//!
//! The tide enters through the southern edge and moves in the bay by the linear shallow-water equations,
//!
//! ```text
//! h_t + (d u)_x + (d v)_y = 0,   u_t + g h_x + r u = 0,   v_t + g h_y + r v = 0,
//! ```
//!
//! for the level `h`, the velocities `u` and `v` and the depth `d`, on a staggered grid (A. Arakawa and V. R. Lamb,
//! *Computational design of the basic dynamical processes of the UCLA general circulation model*, 1977, grid C) with
//! alternating steps of velocities and level. Gauges measure the level. The unknown bottom is interpolated between
//! points as far apart as the gauges. L-BFGS minimises the misfit, with a preference for a smooth bottom.
//!
//! The tape of all steps would take tens of gigabytes. With checkpoints some states are stored instead, and steps are
//! repeated. The measurements are simulated with a known bottom.
use argmin::{
    core::{CostFunction, Executor, Gradient, State},
    solver::{linesearch::MoreThuenteLineSearch, quasinewton::LBFGS},
};
use entape::{checkpoint::Checkpoints, prelude::Real};
use indicatif::{ProgressBar, ProgressStyle};
use lexopt::{Arg, ValueExt};
use rand::{SeedableRng, rngs::SmallRng};
use rand_distr::{Distribution, Normal};
use std::{cell::RefCell, error::Error as StdError, path::PathBuf};

#[path = "shallow_water/bay.rs"]
mod bay;
#[path = "shallow_water/measure.rs"]
mod measure;
#[path = "shallow_water/picture.rs"]
mod picture;
use bay::Bay;

const HELP: &str = "\
The bottom of a bay from tide gauges

usage: shallow_water [options]
  -n, --cells N       cells along one side (128)
  -s, --steps N       time steps (6000; 100000 with --measure)
  -m, --memory MB     the bound for states and tape (350)
  -i, --iterations N  steps of L-BFGS (40)
      --measure       take the time of one gradient, and of parts of it
  -o, --output F      the picture (shallow_water.svg)
  -h, --help          this text";

type Outcome<T = ()> = Result<T, Box<dyn StdError>>;
/// The standard deviation of a measurement in metres.
const NOISE: f64 = 0.002;

type Known = (Vec<f64>, f64, Vec<f64>);
/// The misfit, by the interpolation points of the bottom.
struct Problem<'p> {
    bay: &'p Bay,
    bytes: usize,
    bar: &'p ProgressBar,
    /// The last point with its value and gradient, which are requested one after the other.
    known: RefCell<Option<Known>>,
}
impl Problem<'_> {
    fn slope(&self, x: &[f64]) -> Result<(f64, Vec<f64>), argmin::core::Error> {
        if let Some((_, value, slope)) = self.known.borrow().as_ref().filter(|(at, ..)| at == x) {
            return Ok((*value, slope.clone()));
        }
        let depth = self.bay.plain_depth(x);
        let checkpoints = Checkpoints::new().bytes(self.bytes).progress(|p| {
            let part = 1000.0 * p.fraction().unwrap_or(0.0);
            self.bar.set_position(part as u64);
        });
        let (h, u, v) = self.bay.at_rest();
        let steps = self.bay.steps;
        let (value, (_, depth_b)) =
            checkpoints.value_and_gradient(self.bay, (&h, &u, &v), &depth, steps)?;
        let (_, slope) = entape::vjp(|x: &[Real]| self.bay.depth(x), x, depth_b)?;
        let evaluations = self.bar.prefix().parse::<u64>().unwrap_or(0) + 1;
        self.bar.set_prefix(evaluations.to_string());
        self.bar.set_message(format!("{value:.4}"));
        *self.known.borrow_mut() = Some((x.to_vec(), value, slope.clone()));
        Ok((value, slope))
    }
}
impl CostFunction for Problem<'_> {
    type Param = Vec<f64>;
    type Output = f64;
    fn cost(&self, x: &Vec<f64>) -> Result<f64, argmin::core::Error> {
        Ok(self.slope(x)?.0)
    }
}
impl Gradient for Problem<'_> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;
    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, argmin::core::Error> {
        Ok(self.slope(x)?.1)
    }
}

fn main() -> Outcome {
    let Some(options) = arguments()? else {
        println!("{HELP}");
        return Ok(());
    };
    let Options { cells, memory, .. } = options;
    let bytes = memory << 20;
    if options.measure {
        return measure::run(cells, options.steps.unwrap_or(100_000), bytes);
    }
    let mut bay = Bay::new(cells, options.steps.unwrap_or(6000));
    let truth = bay.true_depth();
    let (mut random, noise) = (SmallRng::seed_from_u64(1), Normal::new(0.0, NOISE)?);
    bay.measure(&truth, || noise.sample(&mut random));

    let bar = ProgressBar::new(1000).with_style(ProgressStyle::with_template(
        "gradient {prefix:>3} {bar:40} {percent:>3} %   misfit {msg}",
    )?);
    let (known, start) = (RefCell::new(None), std::time::Instant::now());
    let problem = Problem {
        bay: &bay,
        bytes,
        bar: &bar,
        known,
    };
    let solver = LBFGS::new(MoreThuenteLineSearch::new().with_c(1e-4, 0.9)?, 10);
    let result = Executor::new(problem, solver.with_tolerance_grad(1e-9)?)
        .configure(|state| state.param(bay.flat()).max_iters(options.iterations))
        .run()?;
    bar.finish_and_clear();
    let state = result.state();
    let found = state.get_best_param().ok_or("no step was made")?;
    let [guess, found] = [&bay.flat(), found].map(|x| bay.plain_depth(x));
    let [before, after] = [&guess, &found].map(|depth| bay.distance(depth, &truth));
    println!(
        "{} steps of {cells} x {cells} cells, {} measurements",
        bay.steps,
        bay.measurements()
    );
    println!(
        "misfit {:.4} after {} iterations and {:.0} s",
        state.get_best_cost(),
        state.get_iter(),
        start.elapsed().as_secs_f64()
    );
    println!("error of the depth in metres: guess {before:.2}, found {after:.2}");
    if let Some(peak) = measure::peak() {
        println!("memory of the process at most {} MB", peak >> 20);
    }
    picture::write(&options.output, &bay, &truth, &found)?;
    println!("picture {}", options.output.display());
    if after >= before {
        return Err("the bottom is not found".into());
    }
    Ok(())
}

struct Options {
    cells: usize,
    steps: Option<usize>,
    memory: usize,
    iterations: u64,
    measure: bool,
    output: PathBuf,
}
fn arguments() -> Result<Option<Options>, lexopt::Error> {
    let mut options = Options {
        cells: 128,
        steps: None,
        memory: 350,
        iterations: 40,
        measure: false,
        output: PathBuf::from("shallow_water.svg"),
    };
    let mut line = lexopt::Parser::from_env();
    while let Some(argument) = line.next()? {
        match argument {
            Arg::Short('n') | Arg::Long("cells") => options.cells = line.value()?.parse()?,
            Arg::Short('s') | Arg::Long("steps") => options.steps = Some(line.value()?.parse()?),
            Arg::Short('m') | Arg::Long("memory") => options.memory = line.value()?.parse()?,
            Arg::Short('i') | Arg::Long("iterations") => {
                options.iterations = line.value()?.parse()?;
            }
            Arg::Long("measure") => options.measure = true,
            Arg::Short('o') | Arg::Long("output") => options.output = line.value()?.into(),
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    if options.cells < 16 {
        return Err("at least 16 cells along one side".into());
    }
    Ok(Some(options))
}
