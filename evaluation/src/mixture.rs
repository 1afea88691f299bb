//! The Hessian of a mixture of Gaussians with 100 parameters, with the objective of the bench `gmm`. Before timing, a
//! tool's Hessian is compared with entape's, and entape's with differences of the hand-written gradient.
use crate::{
    MIXTURE, Outcome,
    objectives::differs,
    plan::Extent,
    process::{self, End, Limits, Starter},
};
use entape::{
    prelude::*,
    tape::{Count, Directed},
};
use entape_programs::gmm::{
    problem::{Parameters, Problem, Sizes},
    programs,
};
use evaluation_worker::{Fault, Job, Measured, Tool, read, serve_beside, write};
use serde::{Deserialize, Serialize};
use std::env;

const INPUTS: usize = 100;
/// Relative to the largest entry.
const TOLERANCE: f64 = 1e-9;
const DIFFERENCES: f64 = 1e-6;
const TOOLS: [(&str, &str, &str); 5] = [
    ("reals", "entape", ""),
    (
        "num-dual",
        "num-dual (hyper-dual numbers, 10 by 10)",
        "num-dual",
    ),
    ("adolc", "ADOL-C, hessian", "adolc"),
    ("adolc-matrix", "ADOL-C, hess_mat", "adolc"),
    ("jax", "JAX, jax.hessian, compiled", "jax"),
];

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) points: usize,
    pub(crate) tool: String,
    /// `None` if the tool has one call for both.
    pub(crate) record: Option<f64>,
    pub(crate) sweeps: f64,
    pub(crate) plain: f64,
    pub(crate) peak_bytes: Option<u64>,
}
impl Row {
    pub(crate) fn both(&self) -> f64 {
        self.record.unwrap_or(0.0) + self.sweeps
    }
}
pub(crate) fn label(tool: &str) -> &str {
    let known = TOOLS.iter().find(|(name, ..)| *name == tool);
    known.map_or(tool, |(_, label, _)| label)
}

fn points(extent: Extent) -> &'static [usize] {
    match extent {
        Extent::Full => &[100, 1000, 10_000],
        Extent::Quick => &[100, 1000],
        Extent::Smoke => &[20],
    }
}
fn sizes(points: usize) -> Sizes {
    Sizes {
        dimension: 3,
        components: 10,
        points,
    }
}
pub(crate) fn measure(
    extent: Extent,
    limits: Limits,
    others: &[(&'static str, Starter)],
) -> Outcome<Vec<Row>> {
    let own = Starter {
        program: env::current_exe()?,
        arguments: vec![MIXTURE.into()],
        variables: Vec::new(),
    };
    let folder = tempfile::tempdir()?;
    let mut rows: Vec<Row> = Vec::new();
    for &points in points(extent) {
        let (problem, parameters) = Problem::random(sizes(points));
        let inputs = parameters.lists().concat();
        let numbers = [inputs, problem.points.clone(), vec![problem.constant()]].concat();
        let mut expected = by_differences(&problem, &parameters);
        let mut tolerance = DIFFERENCES;
        let mut plain = f64::NAN;
        for (tool, label, foreign) in TOOLS {
            let other = others.iter().find(|(name, _)| *name == foreign);
            let starter = match (foreign, other) {
                ("", _) => &own,
                (_, Some((_, starter))) => starter,
                (_, None) => continue,
            };
            let job = Job {
                tool: tool.into(),
                program: MIXTURE.to_string(),
                n: points,
                steps: 1,
                rounds: extent.rounds(),
                numbers: folder.path().join("numbers"),
                gradient: folder.path().join("hessian"),
            };
            write(&job.numbers, &numbers)?;
            let end = process::run(starter, &job, limits, |got| {
                if let Some(why) = differs(got, &expected, tolerance) {
                    return Err(why);
                }
                if foreign.is_empty() {
                    (expected, tolerance) = (got.to_vec(), TOLERANCE);
                }
                Ok(true)
            })?;
            let End::Measured(measured) = end else {
                println!("mixture of {points} points, {label}: {end:?}");
                continue;
            };
            let Measured {
                warm, peak_bytes, ..
            } = measured;
            if foreign.is_empty() {
                plain = measured.plain.unwrap_or(plain);
            }
            rows.push(Row {
                points,
                tool: tool.into(),
                record: warm.record,
                sweeps: warm.reverse,
                plain,
                peak_bytes,
            });
        }
    }
    Ok(rows)
}
fn by_differences(problem: &Problem, parameters: &Parameters<f64>) -> Vec<f64> {
    let mut all = vec![problem.plain(parameters)];
    for j in 0..INPUTS {
        let h = 1e-5;
        let slope = |step: f64| {
            let mut at = 0;
            let moved = parameters.map(|list| {
                let moved = list
                    .iter()
                    .zip(at..)
                    .map(|(x, i)| if i == j { x + step } else { *x });
                at += list.len();
                moved.collect()
            });
            problem.by_hand(&moved).1.lists().concat()
        };
        let (above, below) = (slope(h), slope(-h));
        // the matrix is symmetric
        all.extend(above.iter().zip(&below).map(|(a, b)| (a - b) / (2.0 * h)));
    }
    all
}
pub(crate) fn work(arguments: impl Iterator<Item = String>) -> Outcome {
    let job = Job::<String>::parse(arguments)?;
    let (problem, parameters) = Problem::random(sizes(job.n));
    let plain = || problem.plain(&parameters);
    serve_beside(&job, plain, || {
        let numbers = read(&job.numbers)?;
        let (x, _) = numbers.split_at(INPUTS);
        Ok(Recorded {
            problem: &problem,
            x: x.to_vec(),
            tape: Tape::default(),
            inputs: Vec::new(),
            output: Real::passive(0.0),
            hessian: vec![0.0; INPUTS * INPUTS],
        })
    })?;
    Ok(())
}
struct Recorded<'p> {
    problem: &'p Problem,
    x: Vec<f64>,
    tape: Tape,
    inputs: Vec<Real>,
    output: Real,
    hessian: Vec<f64>,
}
impl Recorded<'_> {
    fn columns<const N: usize>(&mut self, first: usize) -> Result<(), Error>
    where
        Count: Directed<N>,
    {
        let mut directions = self.tape.directions::<N>()?;
        let chosen = &self.inputs[first..INPUTS.min(first + N)];
        for (j, x) in chosen.iter().enumerate() {
            directions.set_along(x, j, 1.0)?;
        }
        let swept = directions.sweep()?.gradient(&self.output)?;
        for (row, x) in self.hessian.chunks_exact_mut(INPUTS).zip(&self.inputs) {
            row[first..][..chosen.len()].copy_from_slice(&swept.wrt(x)?[..chosen.len()]);
        }
        Ok(())
    }
}
impl Tool for Recorded<'_> {
    fn record(&mut self) -> Result<f64, Fault> {
        self.tape.reset();
        self.inputs = self.tape.inputs(self.x.iter().copied());
        let Sizes {
            dimension,
            components,
            ..
        } = self.problem.sizes;
        let (alphas, rest) = self.inputs.split_at(components);
        let (means, icf) = rest.split_at(components * dimension);
        let [alphas, means, icf] = [alphas, means, icf].map(<[_]>::to_vec);
        let parameters = Parameters { alphas, means, icf };
        let program = || programs::with_reals(self.problem, &parameters);
        self.output = self.tape.record(program);
        Ok(self.output.value())
    }
    fn reverse(&mut self) -> Result<(), Fault> {
        let mut all = (0..INPUTS).step_by(8);
        all.try_for_each(|first| self.columns::<8>(first))
            .map_err(Fault::tool)
    }
    fn gradient(&mut self) -> Result<Vec<f64>, Fault> {
        Ok(self.hessian.clone())
    }
}
