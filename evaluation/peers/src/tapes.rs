#[cfg(feature = "ad_trait")]
mod ad_trait;
#[cfg(feature = "echidna")]
mod echidna;
#[cfg(feature = "reverse")]
mod reverse;

#[cfg(feature = "ad_trait")]
pub(crate) use ad_trait::AdTrait;
#[cfg(feature = "echidna")]
pub(crate) use echidna::Echidna;
#[cfg(feature = "reverse")]
pub(crate) use reverse::Reverse;

use evaluation_worker::{
    Fault, Job, Number, Problem, Tool,
    objectives::{Derive, Objective, Program, Visitor},
    run, serve,
};
use std::marker::PhantomData;

pub(crate) trait Tape: Sized + 'static {
    type Number: Number;
    fn new() -> Self;
    fn inputs(&mut self, values: &[f64]) -> Vec<Self::Number>;
    fn record<R>(&mut self, f: impl FnOnce() -> R) -> R {
        f()
    }
    type Adjoints;
    fn reverse(&mut self, output: &Self::Number) -> Self::Adjoints;
    fn adjoint(adjoints: &Self::Adjoints, input: &Self::Number) -> f64;
}
struct Recorder<T: Tape> {
    problem: Problem,
    tape: T,
    inputs: Vec<T::Number>,
    output: Option<T::Number>,
    adjoints: Option<T::Adjoints>,
}
pub(crate) fn work<T: Tape>(job: &Job) -> Result<(), Fault> {
    serve(job, |problem| {
        Ok(Recorder::<T> {
            problem,
            tape: T::new(),
            inputs: Vec::new(),
            output: None,
            adjoints: None,
        })
    })
}
impl<T: Tape> Tool for Recorder<T> {
    fn prepare(&mut self) -> Result<(), Fault> {
        self.adjoints = None;
        self.inputs = self
            .tape
            .inputs(&self.problem.numbers[..self.problem.inputs()]);
        Ok(())
    }
    fn record(&mut self) -> Result<f64, Fault> {
        let (problem, inputs) = (&self.problem, &self.inputs);
        let output = self.tape.record(|| run(problem, inputs));
        Ok(self.output.insert(output).value())
    }
    fn reverse(&mut self) -> Result<(), Fault> {
        let output = self.output.as_ref().expect("the program was recorded");
        self.adjoints = Some(self.tape.reverse(output));
        Ok(())
    }
    fn gradient(&mut self) -> Result<Vec<f64>, Fault> {
        let adjoints = self.adjoints.as_ref().expect("the program was swept");
        Ok(self
            .inputs
            .iter()
            .map(|x| T::adjoint(adjoints, x))
            .collect())
    }
}

/// The derivatives of an objective, with a tape for each part and a sweep for each output.
pub(crate) struct ByTape<'x, T>(&'x [f64], PhantomData<T>);
impl<'x, T> ByTape<'x, T> {
    pub(crate) fn at(x: &'x [f64]) -> Self {
        ByTape(x, PhantomData)
    }
}
impl<T: Tape> Visitor for ByTape<'_, T> {
    type Output = Result<Derive, Fault>;
    fn visit<O: Objective>(self, objective: O) -> Self::Output {
        if objective.curvature() {
            return Err(Fault::Unable("its tape has no second derivatives".into()));
        }
        let (x, mut tape) = (self.0.to_vec(), T::new());
        let program = Program::new(objective);
        let (mut own, mut values) = (Vec::new(), Vec::new());
        Ok(Box::new(move |all| {
            all.clear();
            values.clear();
            for (part, reads) in program.reads().iter().enumerate() {
                own.clear();
                own.extend(reads.iter().map(|&i| x[i]));
                let inputs = tape.inputs(&own);
                let outputs = tape.record(|| {
                    let mut outputs = Vec::with_capacity(program.columns().len());
                    program.objective.run(part, &inputs, &mut outputs);
                    outputs
                });
                for (output, columns) in outputs.iter().zip(program.columns()) {
                    let adjoints = tape.reverse(output);
                    all.extend(columns.iter().map(|&c| T::adjoint(&adjoints, &inputs[c])));
                }
                values.extend(outputs.iter().map(Number::value));
            }
            Ok(program.finish(&values, all))
        }))
    }
}
