//! Burgers' equations with their full gradient: what does it cost, and what does it look like?
//!
//! ```text
//! cargo run --release --example burgers                 500 x 500 points, 32 steps
//! cargo run --release --example burgers -- 100 8        100 x 100 points, 8 steps
//! cargo run --release --example burgers -- --help
//! ```
//!
//! The program itself is in `tests/programs/src/burgers.rs`: one source for plain and recorded runs.
use entape::prelude::*;
use entape_programs::{
    burgers::{Burgers, Fields, Grid, Recorded, Statements},
    measure::{median, ms, timed},
};
use lexopt::{Arg, ValueExt};
use std::{error::Error, path::PathBuf, time::Duration};

#[path = "burgers/picture.rs"]
mod picture;

const HELP: &str = "\
Burgers' equations with the gradient of their squared norm

usage: burgers [N [STEPS]] [options]
  N                points along one side (500)
  STEPS            time steps (32)
  -r, --runs R     runs of which the median is taken (3)
  -o, --output F   the picture (burgers.svg)
  -h, --help       this text";

fn main() -> Result<(), Box<dyn Error>> {
    let Some(Arguments { grid, runs, output }) = arguments()? else {
        println!("{HELP}");
        return Ok(());
    };
    println!(
        "Burgers' equations, {0} x {0} points, {1} time steps\n",
        grid.n, grid.steps
    );

    let mut tape = Tape::new();
    let four = Cost::of(runs, &mut tape, grid, |burgers| {
        burgers.by_value(Statements::Four)
    });
    println!("value          {}", four.value);
    println!("gradient norm  {}\n", norm(&four.gradient));
    let fused = Cost::of(runs, &mut tape, grid, |burgers| {
        burgers.by_value(Statements::Fused)
    });

    let mut plain = Burgers::new(grid, |x| x);
    let baseline = median_of(runs, || timed(|| plain.baseline()).0);
    let mut plain = Burgers::new(grid, Active::<f64, Plain>::new);
    let plain = median_of(runs, || timed(|| plain.by_value(Statements::Four)).0);
    println!("thread CPU time, ms             record   reverse      both  over f64");
    let line = |name: &str, record: f64, reverse: f64| {
        let both = record + reverse;
        println!(
            "{name:<26}{record:>12.2}{reverse:>10.2}{both:>10.2}{:>10.2}",
            both / ms(baseline)
        );
    };
    line("plain f64", ms(baseline), 0.0);
    line("plain mode", ms(plain), 0.0);
    line("taped", ms(four.record), ms(four.reverse));
    line(
        "taped, fused statements",
        ms(fused.record),
        ms(fused.reverse),
    );

    picture::write(&output, grid, &four.gradient)?;
    println!("\nthe gradient field is in {}", output.display());
    Ok(())
}

/// A recorded program: its results and the medians of its times.
struct Cost {
    value: f64,
    gradient: Fields<f64>,
    record: Duration,
    reverse: Duration,
}
impl Cost {
    /// The first run warms the tape up and does not count.
    fn of(
        runs: usize,
        tape: &mut Tape,
        grid: Grid,
        program: impl Fn(&mut Burgers<Real>) -> Real,
    ) -> Cost {
        let mut times = Vec::new();
        let mut last = None;
        for _ in 0..=runs {
            let recorded = Recorded::new(tape, grid, &program);
            let outcome = recorded.sweep(tape);
            times.push((recorded.time, outcome.time));
            last = Some(outcome);
        }
        let last = last.expect("there is at least one run");
        Cost {
            value: last.value,
            gradient: last.gradient,
            record: median(times[1..].iter().map(|t| t.0)),
            reverse: median(times[1..].iter().map(|t| t.1)),
        }
    }
}

fn median_of(runs: usize, mut run: impl FnMut() -> Duration) -> Duration {
    median((0..=runs).map(|_| run()).skip(1))
}
fn norm(gradient: &Fields<f64>) -> f64 {
    gradient.iter().map(|x| x * x).sum::<f64>().sqrt()
}

struct Arguments {
    grid: Grid,
    runs: usize,
    output: PathBuf,
}
/// The command line; `None` asks for help.
fn arguments() -> Result<Option<Arguments>, lexopt::Error> {
    let (mut sizes, mut runs, mut output) = (Vec::new(), 3, PathBuf::from("burgers.svg"));
    let mut line = lexopt::Parser::from_env();
    while let Some(argument) = line.next()? {
        match argument {
            Arg::Value(size) if sizes.len() < 2 => sizes.push(size.parse::<usize>()?),
            Arg::Short('r') | Arg::Long("runs") => runs = line.value()?.parse::<usize>()?.max(1),
            Arg::Short('o') | Arg::Long("output") => output = line.value()?.into(),
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    let grid = Grid {
        n: sizes.first().copied().unwrap_or(500),
        steps: sizes.get(1).copied().unwrap_or(32),
    };
    if grid.n < 3 {
        return Err("a grid has at least 3 points along a side".into());
    }
    Ok(Some(Arguments { grid, runs, output }))
}
