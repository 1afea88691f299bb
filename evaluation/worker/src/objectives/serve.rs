use super::{Case, Name, Objective, Program, Visitor};
use crate::{Fault, Job, Tool, serve_beside};

/// One round of a tool: fills a list with all [derivatives](super::derivatives), and returns the [summary](super::summary) of the
/// outputs.
pub type Derive = Box<dyn FnMut(&mut Vec<f64>) -> Result<f64, Fault>>;

/// Runs the job with the tool that `make` creates, in turns with the plain program, and reports the results.
pub fn serve_objective(
    job: &Job<Name>,
    make: impl FnOnce(&Case) -> Result<Derive, Fault>,
) -> Result<(), Fault> {
    let case = Case::read(job.program, &job.numbers)?;
    let plain = case.visit(Plain(&case.inputs));
    serve_beside(job, plain, || {
        Ok(Direct {
            derive: make(&case)?,
            derivatives: Vec::new(),
        })
    })
}
struct Direct {
    derive: Derive,
    derivatives: Vec<f64>,
}
impl Tool for Direct {
    const TWO_CALLS: bool = false;
    fn record(&mut self) -> Result<f64, Fault> {
        (self.derive)(&mut self.derivatives)
    }
    fn reverse(&mut self) -> Result<(), Fault> {
        Ok(())
    }
    fn gradient(&mut self) -> Result<Vec<f64>, Fault> {
        Ok(self.derivatives.clone())
    }
}

pub(super) struct Plain<'x>(pub(super) &'x [f64]);
impl Visitor for Plain<'_> {
    type Output = Box<dyn FnMut() -> f64>;
    fn visit<O: Objective>(self, objective: O) -> Self::Output {
        let program = Program::new(objective);
        let x = self.0.to_vec();
        let mut outputs = Vec::new();
        Box::new(move || {
            outputs.clear();
            program.run(&x, &mut outputs);
            program.finish(&outputs, &mut Vec::new())
        })
    }
}
