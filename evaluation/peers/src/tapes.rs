//! Crates with a tape of numbers: the programs are loops over elements.
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

use evaluation_worker::{Fault, Job, Number, Problem, Tool, run, serve};

/// What differs from crate to crate.
pub(crate) trait Tape: Sized {
    type Number: Number;
    fn new() -> Self;
    /// Forgets everything and registers inputs.
    fn inputs(&mut self, values: &[f64]) -> Vec<Self::Number>;
    /// What `f` records.
    fn record(&mut self, f: impl FnOnce() -> Self::Number) -> Self::Number {
        f()
    }
    type Adjoints;
    /// The adjoints of one output.
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
/// The process of a crate.
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
        let output = self.output.as_ref().expect("it was recorded before");
        self.adjoints = Some(self.tape.reverse(output));
        Ok(())
    }
    fn gradient(&mut self) -> Result<Vec<f64>, Fault> {
        let adjoints = self.adjoints.as_ref().expect("it was swept before");
        Ok(self
            .inputs
            .iter()
            .map(|x| T::adjoint(adjoints, x))
            .collect())
    }
}
