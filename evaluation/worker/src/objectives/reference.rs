use super::{Case, Name, Objective, Program, summary};
use serde::Deserialize;

#[derive(Deserialize)]
struct Reference {
    name: String,
    sizes: Vec<usize>,
    inputs: Vec<f64>,
    data: Vec<f64>,
    outputs: Vec<f64>,
    derivatives: Vec<f64>,
}
/// Returns the cases, each with the [summary] of its outputs followed by the [`derivatives`].
/// `evaluation/external/reference.py` made them.
pub fn references() -> Vec<(Case, Vec<f64>)> {
    let all: Vec<Reference> = serde_json::from_str(include_str!("../../data/objectives.json"))
        .expect("the cases of reference.py");
    let case = |reference: Reference| {
        let name: Name = reference.name.parse().expect("the name of an objective");
        let numbers = [vec![summary(&reference.outputs)], reference.derivatives].concat();
        let case = Case {
            name,
            sizes: reference.sizes,
            inputs: reference.inputs,
            data: reference.data,
        };
        (case, numbers)
    };
    all.into_iter().map(case).collect()
}

/// Returns the derivatives in the order of the protocol: `first(part, row, column)` for each part, output and input
/// that it depends on, then second derivatives on the diagonal.
pub fn derivatives<O: Objective>(
    program: &Program<O>,
    all: &mut Vec<f64>,
    mut first: impl FnMut(usize, usize, usize) -> f64,
) {
    all.clear();
    for part in 0..program.reads().len() {
        for (row, columns) in program.columns().iter().enumerate() {
            all.extend(columns.iter().map(|&column| first(part, row, column)));
        }
    }
}
