//! `num-dual`: dual numbers with several directions, in as many passes as the inputs need.
use crate::number::Of;
use evaluation_worker::{
    Fault, Job, Number, Problem, Program, Tool,
    objectives::{self, Derive, Objective, Visitor, derivatives},
    run, serve,
};
use nalgebra::{Const, U1};
use num_dual::{DualNum, DualSVec64};
use std::ops::Mul;

const WIDTH: usize = 8;
type Dual = DualSVec64<WIDTH>;
/// Larger programs are left to the reverse mode.
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
    #[inline(always)]
    fn exp(self) -> Self {
        Of(self.0.exp())
    }
    #[inline(always)]
    fn ln(self) -> Self {
        Of(self.0.ln())
    }
    #[inline(always)]
    fn sin(self) -> Self {
        Of(self.0.sin())
    }
    #[inline(always)]
    fn cos(self) -> Self {
        Of(self.0.cos())
    }
    #[inline(always)]
    fn tanh(self) -> Self {
        Of(self.0.tanh())
    }
    #[inline(always)]
    fn plus(self, x: f64) -> Self {
        Of(self.0 + x)
    }
}

struct Forward {
    problem: Problem,
    gradient: Vec<f64>,
}
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

/// The derivatives of an objective, with as many passes for each part as its directions need.
pub(crate) struct ByDirections<'x>(pub(crate) &'x [f64]);
impl Visitor for ByDirections<'_> {
    type Output = Result<Derive, Fault>;
    fn visit<O: Objective>(self, objective: O) -> Self::Output {
        if objective.curvature() {
            return Err(Fault::Unable(
                "its second derivatives take a pass for each input".into(),
            ));
        }
        let x = self.0.to_vec();
        let (directions, rows) = (objective.directions(), objective.rows());
        let program = objectives::Program::new(objective);
        let (mut values, mut outputs) = (Vec::new(), Vec::new());
        let mut tangents = vec![0.0; program.reads().len() * rows * directions];
        Ok(Box::new(move |all| {
            values.clear();
            let parts = program
                .reads()
                .iter()
                .zip(tangents.chunks_mut(rows * directions));
            for (part, (reads, tangents)) in parts.enumerate() {
                for first in (0..directions).step_by(WIDTH) {
                    let seeded = |(own, &input): (usize, &usize)| {
                        let number = Dual::from_re(x[input]);
                        let direction = program.objective.direction(own).wrapping_sub(first);
                        Of(match direction < WIDTH {
                            true => number.derivative(direction),
                            false => number,
                        })
                    };
                    let own: Vec<Of<Dual>> = reads.iter().enumerate().map(seeded).collect();
                    outputs.clear();
                    program.objective.run(part, &own, &mut outputs);
                    for (output, tangents) in outputs.iter().zip(tangents.chunks_mut(directions)) {
                        let along = output.0.eps.unwrap_generic(Const, U1);
                        let into = tangents[first..].iter_mut().zip(along.iter());
                        into.for_each(|(tangent, along)| *tangent = *along);
                    }
                }
                values.extend(outputs.iter().map(Number::value));
            }
            let at = |part, row, column| {
                let direction = program.objective.direction(column);
                tangents[(part * rows + row) * directions + direction]
            };
            derivatives(&program, all, at);
            Ok(program.finish(&values, all))
        }))
    }
}
