//! `num-dual`: dual numbers with some directions at once, as many passes as the inputs need. There is no recording.
use crate::number::Of;
use evaluation_worker::{Fault, Job, Number, Problem, Program, Tool, run, serve};
use nalgebra::{Const, U1};
use num_dual::{DualNum, DualSVec64};
use std::ops::Mul;

/// Directions of one pass.
const WIDTH: usize = 8;
type Dual = DualSVec64<WIDTH>;
/// Forward, the cost grows with the inputs: larger programs are left to the reverse mode.
const OPERATIONS: f64 = 3e10;

impl Mul<f64> for Of<Dual> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: f64) -> Self {
        Of(self.0 * other)
    }
}
impl Number for Of<Dual> {
    #[inline(always)]
    fn constant(x: f64) -> Self {
        Of(Dual::from_re(x))
    }
    #[inline(always)]
    fn value(&self) -> f64 {
        self.0.re
    }
    #[inline(always)]
    fn root(self) -> Self {
        Of(self.0.sqrt())
    }
}

struct Forward {
    problem: Problem,
    gradient: Vec<f64>,
}
/// The process of the crate.
pub(crate) fn work(job: &Job) -> Result<(), Fault> {
    serve(job, |problem| {
        let Problem {
            program, n, steps, ..
        } = problem;
        let passes = problem.inputs().div_ceil(WIDTH) as f64;
        let width = WIDTH as f64;
        if passes * width * Program::operations(program, n, steps) > OPERATIONS {
            let why = "forward mode takes a pass for each eight inputs";
            return Err(Fault::Unable(why.into()));
        }
        Ok(Forward {
            problem,
            gradient: Vec::new(),
        })
    })
}
impl Tool for Forward {
    const TWO_CALLS: bool = false;
    /// All passes.
    fn record(&mut self) -> Result<f64, Fault> {
        let inputs = &self.problem.numbers[..self.problem.inputs()];
        let mut x: Vec<Of<Dual>> = inputs.iter().map(|&x| Number::constant(x)).collect();
        self.gradient.clear();
        let mut value = 0.0;
        for (pass, chunk) in inputs.chunks(WIDTH).enumerate() {
            let seeded = pass * WIDTH..pass * WIDTH + chunk.len();
            for (direction, x) in x[seeded.clone()].iter_mut().enumerate() {
                x.0 = x.0.derivative(direction);
            }
            let output = run(&self.problem, &x).0;
            value = output.re;
            let directions = output.eps.unwrap_generic(Const, U1);
            self.gradient.extend(directions.iter().take(chunk.len()));
            for (x, &value) in x[seeded].iter_mut().zip(chunk) {
                *x = Number::constant(value);
            }
        }
        Ok(value)
    }
    fn reverse(&mut self) -> Result<(), Fault> {
        Ok(())
    }
    fn gradient(&mut self) -> Result<Vec<f64>, Fault> {
        Ok(self.gradient.clone())
    }
}
