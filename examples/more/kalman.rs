//! The noise of a linear state-space model, found by maximum likelihood with gradients through a Kalman filter.
//!
//! ```text
//! cargo run --release -p entape-examples --features linalg --example kalman              the flow of the Nile, 1871 to 1970
//! cargo run --release -p entape-examples --features linalg --example kalman -- --help
//! ```
//!
//! A state `x` evolves as `x' = F x + noise` with covariance `Q`, and is observed as `y = H x + noise` with covariance
//! `R`. The accuracy of each prediction determines the likelihood of the series. L-BFGS maximises it by its gradient
//! with respect to the logarithms of the variances.
//!
//! The series is the yearly flow of the Nile at Aswan, in 10⁸ m³, and the model is a random walk of the level: `F = H =
//! 1`. Durbin and Koopman, Time Series Analysis by State Space Methods (2012), section 2.10, have its variances of an
//! observation and of a step of the level.
use argmin::{
    core::{CostFunction, Executor, Gradient, State, TerminationReason, TerminationStatus},
    solver::{linesearch::MoreThuenteLineSearch, quasinewton::LBFGS},
};
use entape::linalg::nalgebra::{DMatrix, DVector, Matrix2};
use entape::{linalg::prelude::*, op, prelude::*};
use lexopt::Arg;
use std::{error::Error as StdError, f64::consts::TAU, path::PathBuf};

#[path = "kalman/picture.rs"]
mod picture;

const HELP: &str = "\
The variances of a wandering level and of its observations, by maximum likelihood

usage: kalman [options]
  -i, --input F    the series, lines with a time and a number after a first one with names (the Nile's flow)
  -o, --output F   the picture (kalman.svg)
  -h, --help       this text";

const NILE: &str = include_str!("kalman/nile.csv");
/// Of an observation and of a step of the level.
const PUBLISHED: [f64; 2] = [15099.0, 1469.1];

type Outcome<T = ()> = Result<T, Box<dyn StdError>>;

struct Series {
    times: Vec<f64>,
    values: Vec<f64>,
}
impl Series {
    fn parse(text: &str) -> Outcome<Self> {
        let (mut times, mut values) = (Vec::new(), Vec::new());
        for line in text.lines().skip(1) {
            let (time, value) = line.split_once(',').ok_or("a line has two columns")?;
            times.push(time.trim().parse()?);
            values.push(value.trim().parse()?);
        }
        if values.len() < 3 {
            return Err("a series has at least three observations".into());
        }
        Ok(Series { times, values })
    }
}

struct Estimate {
    mean: f64,
    variance: f64,
}
struct Problem<'s> {
    series: &'s Series,
    f: DMatrix<f64>,
    h: DMatrix<f64>,
}
impl<'s> Problem<'s> {
    fn new(series: &'s Series) -> Self {
        let [f, h] = [(); 2].map(|()| DMatrix::from_element(1, 1, 1.0));
        Problem { series, f, h }
    }
    /// Returns the negative logarithm of the likelihood, and the estimate after each observation. The first observation
    /// is not predicted.
    fn filter<M: AnyMode>(
        &self,
        logarithms: &Vector<M>,
        mut after: impl FnMut(&Vector<M>, &Matrix<M>),
    ) -> Result<Active<f64, M>, NotPositiveDefinite> {
        let [f, h] = [&self.f, &self.h].map(|m| Matrix::<M>::passive(m.clone()));
        let variances = logarithms.map(op::Exp).eval();
        let r = from_diagonal(variances.rows(0, 1)).eval();
        let q = from_diagonal(variances.rows(1, 1)).eval();

        let observed = |y: f64| Vector::<M>::passive(DVector::from_element(1, y));
        let (first, rest) = self.series.values.split_first().expect("observations");
        let (mut x, mut p) = (observed(*first), r.clone());
        let mut sum = Active::<f64, M>::passive(0.0);
        after(&x, &p);
        for &y in rest {
            // prediction: state, covariance, observation
            x.update(|x| &f * x);
            p.update(|p| (&f * p).mul_tr(&f) + &q);
            let hp = (&h * &p).eval();
            let s = hp.mul_tr(&h) + &r;
            let error = (constant(DVector::from_element(1, y)) - &h * &x).eval();
            // the likelihood of the observation
            let s = s.cholesky()?;
            let weighted = s.solve(&error).eval();
            sum += 0.5 * (error.dot(&weighted) + s.ln_determinant() + TAU.ln());
            x.update(|x| x + hp.tr_mul(&weighted));
            p.update(|p| p - hp.tr_mul(s.solve(&hp)));
            after(&x, &p);
        }
        Ok(sum)
    }
    /// By this filter in plain mode.
    fn estimates(&self, logarithms: &[f64]) -> Result<Vec<Estimate>, NotPositiveDefinite> {
        let mut all = Vec::new();
        let x = Vector::<Plain>::passive(DVector::from_column_slice(logarithms));
        self.filter(&x, |x, p| {
            all.push(Estimate {
                mean: x.get()[0],
                variance: p.get()[(0, 0)],
            });
        })?;
        Ok(all)
    }
    /// From the curvature of the likelihood, its exact Hessian.
    fn standard_errors(&self, logarithms: &[f64]) -> Result<[f64; 2], argmin::core::Error> {
        let mut tape = Tape::new();
        let x = tape.input(DVector::from_column_slice(logarithms));
        let y = tape.record(|| self.filter(&x, |_, _| ()))?;
        let mut curvature = Matrix2::zeros();
        for i in 0..2 {
            let mut directions = tape.directions::<1>()?;
            directions.set(
                &x,
                [DVector::from_fn(2, |j, _| f64::from(u8::from(i == j)))],
            )?;
            let [column] = directions.sweep()?.gradient(&y)?.wrt(&x)?;
            curvature.set_column(i, &column.fixed_rows::<2>(0));
        }
        let covariance = curvature
            .try_inverse()
            .ok_or_else(|| argmin::core::Error::msg("the likelihood is flat"))?;
        // for a variance: its size times the error of its logarithm
        Ok([0, 1].map(|i| logarithms[i].exp() * covariance[(i, i)].sqrt()))
    }
}
impl CostFunction for Problem<'_> {
    type Param = Vec<f64>;
    type Output = f64;
    fn cost(&self, x: &Vec<f64>) -> Result<f64, argmin::core::Error> {
        let x = Vector::<Plain>::passive(DVector::from_column_slice(x));
        Ok(self.filter(&x, |_, _| ())?.value())
    }
}
impl Gradient for Problem<'_> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;
    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, argmin::core::Error> {
        let mut tape = Tape::new();
        let x = tape.input(DVector::from_column_slice(x));
        let y = tape.record(|| self.filter(&x, |_, _| ()))?;
        Ok(tape.gradient(&y)?.wrt(&x)?.as_slice().to_vec())
    }
}

fn main() -> Outcome {
    let Some((input, output)) = arguments()? else {
        println!("{HELP}");
        return Ok(());
    };
    let series = match &input {
        Some(path) => Series::parse(&std::fs::read_to_string(path)?)?,
        None => Series::parse(NILE)?,
    };
    // initially, half of the variance of the series for each
    let count = series.values.len() as f64;
    let mean = series.values.iter().sum::<f64>() / count;
    let squares = series.values.iter().map(|y| (y - mean).powi(2));
    let start = vec![(squares.sum::<f64>() / count / 2.0).ln(); 2];

    let search = MoreThuenteLineSearch::new().with_c(1e-4, 0.9)?;
    let solver = LBFGS::new(search, 5).with_tolerance_grad(1e-6)?;
    let result = Executor::new(Problem::new(&series), solver)
        .configure(|state| state.param(start).max_iters(100))
        .run()?;
    let state = result.state();
    let Some(found) = state.get_best_param() else {
        return Err("no step was made".into());
    };
    let converged = matches!(
        state.get_termination_status(),
        TerminationStatus::Terminated(TerminationReason::SolverConverged)
    );

    let problem = Problem::new(&series);
    let errors = problem.standard_errors(found)?;
    println!(
        "{} observations, mean {mean}; {} steps, logarithm of the likelihood {:.3}\n",
        series.values.len(),
        state.get_iter(),
        -state.get_best_cost()
    );
    println!("variance of       found    standard error   published");
    let names = ["an observation", "a step        "];
    let mut worst: f64 = 0.0;
    for i in 0..2 {
        let variance = found[i].exp();
        let published = match input {
            None => format!("{:>9.1}", PUBLISHED[i]),
            Some(_) => String::new(),
        };
        println!(
            "{}  {variance:>9.1}  {:>9.1}         {published}",
            names[i], errors[i]
        );
        worst = worst.max((variance / PUBLISHED[i] - 1.0).abs());
    }
    picture::write(&output, &series, &problem.estimates(found)?)?;
    println!("\npicture {}", output.display());
    if !converged {
        return Err(format!("not converged: {}", state.get_termination_status()).into());
    }
    if input.is_none() && worst > 1e-3 {
        return Err(format!("the variances differ from the published ones by {worst:.1e}").into());
    }
    Ok(())
}

fn arguments() -> Result<Option<(Option<PathBuf>, PathBuf)>, lexopt::Error> {
    let (mut input, mut output) = (None, PathBuf::from("kalman.svg"));
    let mut line = lexopt::Parser::from_env();
    while let Some(argument) = line.next()? {
        match argument {
            Arg::Short('i') | Arg::Long("input") => input = Some(line.value()?.into()),
            Arg::Short('o') | Arg::Long("output") => output = line.value()?.into(),
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            Arg::Value(_) | Arg::Short(_) | Arg::Long(_) => return Err(argument.unexpected()),
        }
    }
    Ok(Some((input, output)))
}
