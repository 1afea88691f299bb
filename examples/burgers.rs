//! The full gradient of Burgers' equations: its cost, and a picture.
//!
//! ```text
//! cargo run --release --example burgers                 500 x 500 points, 32 steps
//! cargo run --release --example burgers -- 100 8        100 x 100 points, 8 steps
//! cargo run --release --example burgers -- --help
//! ```
//!
//! The program itself is in `programs/src/burgers.rs`: one source for plain and recorded runs.
use entape::{prelude::*, tape::Statistics};
use entape_programs::{
    burgers::{
        Burgers, Fields, Grid, Recorded,
        Statements::{Four, Fused},
    },
    measure::{median, ms, timed},
};
use lexopt::{Arg, ValueExt};
use std::{path::PathBuf, time::Duration};

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

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(Arguments { grid, runs, output }) = arguments()? else {
        println!("{HELP}");
        return Ok(());
    };
    println!(
        "Burgers' equations, {0} x {0} points, {1} time steps\n",
        grid.n, grid.steps
    );

    let four = Cost::of::<Taped>(runs, grid, |burgers| burgers.by_value(Four))?;
    let fused = Cost::of::<Taped>(runs, grid, |burgers| burgers.by_value(Fused))?;
    let reuse = Cost::of::<Reuse>(runs, grid, |burgers| burgers.by_reference(Four))?;
    println!("value          {}", four.value);
    println!("gradient norm  {}\n", norm(&four.gradient));
    println!(
        "the tape, with four statements for each cell and field\n{}\n",
        four.statistics
    );

    let mut plain = Burgers::new(grid, |x| x);
    let baseline = median_of(runs, || timed(|| plain.baseline()).0);
    let mut plain = Burgers::new(grid, Active::<f64, Plain>::passive);
    let plain = median_of(runs, || timed(|| plain.by_value(Four)).0);
    let points = (grid.n * grid.n * grid.steps) as f64;
    println!("thread CPU time in ms; tape bytes for a cell and a step, both fields");
    println!("                            record   reverse      both  over f64     bytes");
    for (name, time) in [("plain f64", baseline), ("plain mode", plain)] {
        println!(
            "{name:<24}{:>30.2}{:>10.2}",
            ms(time),
            ms(time) / ms(baseline)
        );
    }
    for (name, cost) in [
        ("taped", &four),
        ("taped, one statement", &fused),
        ("reuse", &reuse),
    ] {
        let (record, reverse) = (ms(cost.record), ms(cost.reverse));
        let (both, bytes) = (record + reverse, cost.statistics.bytes() as f64 / points);
        let over = both / ms(baseline);
        println!("{name:<24}{record:>10.2}{reverse:>10.2}{both:>10.2}{over:>10.2}{bytes:>10.1}");
    }

    picture::write(&output, grid, &four.gradient)?;
    println!("\nthe gradient field is in {}", output.display());
    Ok(())
}

struct Cost {
    value: f64,
    gradient: Fields<f64>,
    record: Duration,
    reverse: Duration,
    statistics: Statistics,
}
impl Cost {
    /// The first run does not count.
    fn of<M: Recording>(
        runs: usize,
        grid: Grid,
        program: impl Fn(&mut Burgers<Active<f64, M>>) -> Active<f64, M>,
    ) -> Result<Cost, Error> {
        let mut tape = Tape::<M>::default();
        let mut run = || {
            let recorded = Recorded::new(&mut tape, grid, &program);
            recorded
                .sweep(&mut tape)
                .map(|outcome| (recorded.time, outcome))
        };
        run()?;
        let (mut record, mut reverse) = (Vec::new(), Vec::new());
        for _ in 1..runs {
            let (time, outcome) = run()?;
            record.push(time);
            reverse.push(outcome.time);
        }
        let (time, last) = run()?;
        record.push(time);
        reverse.push(last.time);
        Ok(Cost {
            value: last.value,
            gradient: last.gradient,
            record: median(record),
            reverse: median(reverse),
            statistics: tape.statistics(),
        })
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
