//! Reproduces the paper's evaluation and others: programs over their sizes, all tools in one run, and a report.
//!
//! ```text
//! cargo run --release -p evaluation                          everything, into ./evaluation-report
//! cargo run --release -p evaluation -- --quick               below four minutes
//! cargo run --release -p evaluation -- --program burgers,t3  some programs
//! cargo run --release -p evaluation -- --only objectives     some sections
//! cargo run --release -p evaluation -- --peers --external    with other crates, and tools of other languages
//! cargo run --release -p evaluation -- --compare OLD.csv     what became slower or larger: exit code 1
//! ```
mod arguments;
mod compare;
mod conditions;
mod external;
mod goals;
mod kinds;
mod mixture;
mod objectives;
mod peers;
mod plan;
mod process;
mod programs;
mod report;
mod results;
mod run;
mod scaling;
mod tools;
mod users;

#[path = "../../benches/linalg/memory.rs"]
mod memory;

use arguments::Arguments;
use clap::Parser;
use evaluation_worker::Job;
use run::Run;
use serde::de::DeserializeOwned;
use std::{
    env,
    error::Error,
    path::Path,
    process::{Command, ExitCode},
};

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// `evaluation measure TOOL PROGRAM ..` measures in its process.
const MEASURE: &str = "measure";
/// `evaluation scale STATEMENTS LIVE ROUNDS` is one point of the scaling.
const SCALE: &str = "scale";
/// `evaluation kinds` runs the programs of other kinds.
const KINDS: &str = "kinds";
/// `evaluation users ROUNDS` runs the programs of users.
const USERS: &str = "users";
/// `evaluation mixture TOOL ..` computes the Hessian of a mixture.
const MIXTURE: &str = "mixture";
/// `evaluation objective TOOL NAME ..` runs an objective.
const OBJECTIVE: &str = "objective";

fn main() -> Outcome<ExitCode> {
    let mut inner = env::args().skip(1);
    match inner.next().as_deref() {
        Some(MEASURE) => tools::work(&Job::parse(inner)?)?,
        Some(SCALE) => scaling::work(inner)?,
        Some(KINDS) => kinds::work(inner)?,
        Some(USERS) => users::work(inner)?,
        Some(MIXTURE) => mixture::work(inner)?,
        Some(OBJECTIVE) => objectives::work(inner)?,
        _ => return evaluate(&Arguments::parse()),
    }
    Ok(ExitCode::SUCCESS)
}
/// What this program prints as JSON in a process of its own.
fn answer<T: DeserializeOwned>(arguments: &[String]) -> Outcome<T> {
    let output = Command::new(env::current_exe()?).args(arguments).output()?;
    serde_json::from_slice(&output.stdout)
        .map_err(|_| String::from_utf8_lossy(&output.stderr).into())
}
fn evaluate(arguments: &Arguments) -> Outcome<ExitCode> {
    let old: Option<Vec<results::Row>> = arguments
        .compare
        .as_deref()
        .map(results::read)
        .transpose()?;
    let run = match &arguments.results {
        None => Run::measure(arguments)?,
        Some(path) => Run {
            rows: results::read(path)?,
            ..Run::read(path.parent().unwrap_or(Path::new(".")), arguments)
        },
    };
    if arguments.results.is_none() || old.is_none() {
        report::write(&arguments.out, &run)?;
    }
    let Some(old) = old else {
        return Ok(ExitCode::SUCCESS);
    };
    let worse = compare::worse(&old, &run.rows, arguments.tolerance / 100.0);
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
