//! The objectives of ADBench (F. Šrajer, Z. Kukelova and A. Fitzgibbon, 2018), two of its successor gradbench, and an
//! option, each generic in the number.
//!
//! ```text
//! Case       an objective at one size: its inputs and its data, as numbers
//! Objective  what differs from one to the next: data, shape of the derivatives, program
//! Visitor    what a tool does with any of them
//! ```
mod asian;
mod ba;
mod case;
mod gmm;
mod hand;
mod kmeans;
mod lstm;
mod ode;
mod reference;
mod serve;

pub use asian::Asian;
pub use ba::{CAMERA, INPUTS, Observation};
pub use case::{Case, Name};
pub use gmm::Gmm;
pub use hand::{BONES, Hand, Pose, THETA, fingers, parent};
pub use kmeans::{KMeans, nearest};
pub use lstm::Lstm;
pub use ode::{END, Ode};
pub use reference::{derivatives, references};
pub use serve::{Derive, serve_objective};

use crate::Number;

/// An objective with its data. It consists of [parts](Self::parts), each with a program and outputs; most have one
/// part.
pub trait Objective: Clone + 'static {
    fn new(case: &Case) -> Self;
    fn parts(&self) -> usize {
        1
    }
    /// Whether the objective is the sum of its parts, which have one output each, of all inputs.
    fn adds(&self) -> bool {
        false
    }
    /// Returns the inputs of a part, in the order in which its program takes them.
    fn reads(&self, part: usize) -> Vec<usize>;
    fn rows(&self) -> usize {
        1
    }
    /// Returns the inputs of its part that an output depends on.
    fn columns(&self, row: usize) -> Vec<usize>;
    /// Returns the number of directions for all derivatives of a part. Inputs that share no output share a
    /// direction.
    fn directions(&self) -> usize {
        self.columns(0).len()
    }
    fn direction(&self, input: usize) -> usize {
        input
    }
    fn run<T: Number>(&self, part: usize, x: &[T], outputs: &mut Vec<T>);
    fn curvature(&self) -> bool {
        false
    }
}

pub trait Visitor {
    type Output;
    fn visit<O: Objective>(self, objective: O) -> Self::Output;
}

pub struct Program<O> {
    pub objective: O,
    reads: Vec<Vec<usize>>,
    columns: Vec<Vec<usize>>,
}
impl<O: Objective> Program<O> {
    pub fn new(objective: O) -> Self {
        Program {
            reads: (0..objective.parts()).map(|p| objective.reads(p)).collect(),
            columns: (0..objective.rows())
                .map(|r| objective.columns(r))
                .collect(),
            objective,
        }
    }
    pub fn reads(&self) -> &[Vec<usize>] {
        &self.reads
    }
    pub fn columns(&self) -> &[Vec<usize>] {
        &self.columns
    }
    /// Appends the outputs of all parts.
    pub fn run<T: Number>(&self, x: &[T], outputs: &mut Vec<T>) {
        let mut own = Vec::new();
        for (part, reads) in self.reads.iter().enumerate() {
            own.clear();
            own.extend(reads.iter().map(|&i| x[i]));
            self.objective.run(part, &own, outputs);
        }
    }
    /// Returns the [summary] of all outputs. In a sum, the derivatives of its parts become those of the sum.
    pub fn finish(&self, outputs: &[f64], derivatives: &mut Vec<f64>) -> f64 {
        if !self.objective.adds() {
            return summary(outputs);
        }
        let inputs = self.columns[0].len();
        for i in inputs..derivatives.len() {
            derivatives[i % inputs] += derivatives[i];
        }
        derivatives.truncate(inputs);
        outputs.iter().sum()
    }
}
/// Returns the output, or the sum of squares of several, as a check of their values.
pub fn summary(outputs: &[f64]) -> f64 {
    match outputs {
        &[output] => output,
        all => all.iter().map(|x| x * x).sum(),
    }
}
