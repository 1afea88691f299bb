//! Reproduces the paper's evaluation: its programs over its sizes, all tools in one run, and a report.
//!
//! ```text
//! cargo run --release -p evaluation                          everything, into ./evaluation-report
//! cargo run --release -p evaluation -- --quick               below four minutes
//! cargo run --release -p evaluation -- --program burgers,t3  some programs
//! cargo run --release -p evaluation -- --peers --external    with other crates, and tools of other languages
//! cargo run --release -p evaluation -- --mixture             the Hessian of a mixture of Gaussians alone
//! cargo run --release -p evaluation -- --objectives          the objectives of ADBench and gradbench alone
//! cargo run --release -p evaluation -- --compare OLD.csv     what became slower or larger: exit code 1
//! ```
mod arguments;
mod compare;
mod external;
mod goals;
mod kinds;
mod machine;
mod mixture;
mod objectives;
mod peers;
mod plan;
mod process;
mod report;
mod results;
mod run;
mod scaling;
mod tools;

#[path = "../../benches/linalg/memory.rs"]
mod memory;

use arguments::Arguments;
use clap::Parser;
use evaluation_worker::Job;
use std::{env, error::Error, process::ExitCode};

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// `evaluation measure TOOL PROGRAM ..` measures in its process.
const MEASURE: &str = "measure";
/// `evaluation scale STATEMENTS LIVE ROUNDS` is one point of the scaling.
const SCALE: &str = "scale";
/// `evaluation kinds` runs the programs of other kinds.
const KINDS: &str = "kinds";
/// `evaluation mixture TOOL ..` computes the Hessian of a mixture.
const MIXTURE: &str = "mixture";
/// `evaluation objective TOOL NAME ..` runs an objective of ADBench or gradbench.
const OBJECTIVE: &str = "objective";

fn main() -> Outcome<ExitCode> {
    let mut inner = env::args().skip(1);
    match inner.next().as_deref() {
        Some(MEASURE) => {
            tools::work(&Job::parse(inner)?)?;
            Ok(ExitCode::SUCCESS)
        }
        Some(SCALE) => {
            scaling::work(inner)?;
            Ok(ExitCode::SUCCESS)
        }
        Some(KINDS) => {
            kinds::work(inner)?;
            Ok(ExitCode::SUCCESS)
        }
        Some(MIXTURE) => {
            mixture::work(inner)?;
            Ok(ExitCode::SUCCESS)
        }
        Some(OBJECTIVE) => {
            objectives::work(inner)?;
            Ok(ExitCode::SUCCESS)
        }
        _ => evaluate(&Arguments::parse()),
    }
}
fn evaluate(arguments: &Arguments) -> Outcome<ExitCode> {
    if arguments.mixture {
        run::mixture(arguments)?;
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.objectives.is_some() {
        let objectives = run::objectives(arguments)?;
        let figures = report::Figures {
            objectives: &objectives,
            ..report::Figures::default()
        };
        run::report(arguments, figures)?;
        return Ok(ExitCode::SUCCESS);
    }
    let old = arguments
        .compare
        .as_deref()
        .map(results::read)
        .transpose()?;
    let rows = match &arguments.results {
        Some(path) => results::read(path)?,
        None => run::everything(arguments)?,
    };
    if let (Some(path), None) = (&arguments.results, &old) {
        let scaling = scaling::read(&path.with_file_name("scaling.csv")).unwrap_or_default();
        let kinds = goals::read(&path.with_file_name("kinds.csv")).unwrap_or_default();
        let mixture = mixture::read_rows(&path.with_file_name("mixture.csv")).unwrap_or_default();
        let objectives =
            objectives::read_rows(&path.with_file_name("objectives.csv")).unwrap_or_default();
        let mut goals = goals::of_run(&rows, &scaling);
        goals.extend(kinds);
        let figures = report::Figures {
            rows: &rows,
            scaling: &scaling,
            goals: &goals,
            mixture: &mixture,
            objectives: &objectives,
        };
        run::report(arguments, figures)?;
    }
    let Some(old) = old else {
        return Ok(ExitCode::SUCCESS);
    };
    let worse = compare::worse(&old, &rows, arguments.tolerance / 100.0);
    for line in &worse {
        println!("{line}");
    }
    println!(
        "{} figures became worse by more than {} %",
        worse.len(),
        arguments.tolerance
    );
    Ok(if worse.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
