//! What recording and reversing Burgers' equations costs over the plain program, in thread CPU time and bytes.
//!
//! ```text
//! cargo bench --bench burgers                       500 x 500 points, 32 steps: a table, then criterion
//! BURGERS=100,8 cargo bench --bench burgers         another grid
//! BURGERS=100,8 cargo bench --bench burgers -- --test   everything once
//! ```
//!
//! * *plain f64* is the baseline of all factors: the loop a numerical programmer would write.
//! * *warm* runs reuse the memory of the run before; the rounds of the table take all programs in turn, so
//!   that noise meets them all.
//! * *cold* is the first recording of a fresh process, which this program starts. Its bound is the warm time
//!   plus the time to touch as many bytes of fresh memory, measured in the same process.
use criterion::Criterion;
use entape::prelude::*;
use entape_programs::{
    burgers::{
        Burgers, Grid, Recorded,
        Statements::{self, Four, Fused},
    },
    measure::{first_touch, median, ms, timed},
};
use std::{env, error::Error, process::Command, time::Duration};

/// Tells a process that it is to measure a first recording.
const COLD: &str = "BURGERS_COLD";

/// A recorded program of the table.
struct Program {
    name: &'static str,
    run: fn(&mut Burgers<Real>) -> Real,
}
const PROGRAMS: [Program; 4] = [
    Program {
        name: "taped",
        run: |burgers| burgers.by_value(Four),
    },
    Program {
        name: "taped, fused",
        run: |burgers| burgers.by_value(Fused),
    },
    Program {
        name: "taped by reference",
        run: |burgers| burgers.by_reference(Four),
    },
    Program {
        name: "taped by reference, fused",
        run: |burgers| burgers.by_reference(Fused),
    },
];

fn main() -> Result<(), Box<dyn Error>> {
    let grid = grid()?;
    if let Ok(index) = env::var(COLD) {
        cold(grid, &PROGRAMS[index.parse::<usize>()?]);
        return Ok(());
    }
    let once = env::args().any(|argument| argument == "--test");
    table(grid, if once { 1 } else { 5 })?;
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    statistics(&mut criterion, grid);
    criterion.final_summary();
    Ok(())
}
/// `BURGERS=N,steps`.
fn grid() -> Result<Grid, Box<dyn Error>> {
    let Ok(sizes) = env::var("BURGERS") else {
        return Ok(Grid { n: 500, steps: 32 });
    };
    let (n, steps) = sizes.split_once(',').ok_or("BURGERS=N,steps")?;
    Ok(Grid {
        n: n.parse()?,
        steps: steps.parse()?,
    })
}
/// What the tape takes for a cell and a step, both fields.
fn bytes(tape: &mut Tape) -> usize {
    let (handles, constants, blocks, identifiers) = tape.bytes();
    handles + constants + blocks + identifiers * 2 * size_of::<f64>()
}

/// The medians of some rounds, warm; then the cold runs.
fn table(grid: Grid, rounds: usize) -> Result<(), Box<dyn Error>> {
    let mut plain = Burgers::new(grid, |x| x);
    let mut generic = Burgers::new(grid, Active::<f64, Plain>::new);
    let mut tapes: Vec<Tape> = PROGRAMS.iter().map(|_| Tape::new()).collect();
    let mut times = vec![Vec::new(); 3 + 2 * PROGRAMS.len()];
    for round in 0..=rounds {
        let mut now = vec![
            timed(|| plain.baseline()).0,
            timed(|| generic.by_value(Four)).0,
            timed(|| generic.by_value(Fused)).0,
        ];
        for (program, tape) in PROGRAMS.iter().zip(&mut tapes) {
            let recorded = Recorded::new(tape, grid, program.run);
            now.extend([recorded.time, recorded.sweep(tape).time]);
        }
        // the first round warms up
        if round > 0 {
            times
                .iter_mut()
                .zip(now)
                .for_each(|(times, now)| times.push(now));
        }
    }
    let medians: Vec<Duration> = times.into_iter().map(median).collect();
    let baseline = medians[0];
    let points = (grid.n * grid.n * grid.steps.max(1)) as f64;

    println!(
        "Burgers' equations, {0} x {0} points, {1} steps",
        grid.n, grid.steps
    );
    println!("thread CPU time in ms, medians of {rounds} warm rounds; bytes for a cell and step\n");
    println!("| program | record | reverse | both | over plain f64 | bytes |");
    println!("|---|--:|--:|--:|--:|--:|");
    for (name, time) in [
        ("plain f64", baseline),
        ("plain mode", medians[1]),
        ("plain mode, fused", medians[2]),
    ] {
        println!(
            "| {name} | {:.2} | | {0:.2} | {:.2} | |",
            ms(time),
            over(time, baseline)
        );
    }
    for (program, (times, tape)) in PROGRAMS.iter().zip(medians[3..].chunks(2).zip(&mut tapes)) {
        let both = times[0] + times[1];
        println!(
            "| {} | {:.2} | {:.2} | {:.2} | {:.2} | {:.1} |",
            program.name,
            ms(times[0]),
            ms(times[1]),
            ms(both),
            over(both, baseline),
            bytes(tape) as f64 / points,
        );
    }
    drop(tapes);

    println!(
        "\n| first recording of a process | record | reverse | both | warm | first touch | over warm + touch |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|");
    for index in 0..PROGRAMS.len() {
        let status = Command::new(env::current_exe()?)
            .env(COLD, index.to_string())
            .status()?;
        if !status.success() {
            return Err(
                format!("the cold run of {} failed: {status}", PROGRAMS[index].name).into(),
            );
        }
    }
    println!();
    Ok(())
}
/// A row of the table of cold runs, in a process of its own.
fn cold(grid: Grid, program: &Program) {
    let mut tape = Tape::new();
    let mut both = || {
        let recorded = Recorded::new(&mut tape, grid, program.run);
        [recorded.time, recorded.sweep(&mut tape).time]
    };
    let [record, reverse] = both();
    let warm = median([(); 3].map(|()| both().iter().sum()));
    let bytes = bytes(&mut tape);
    drop(tape);
    let touch = median([(); 3].map(|()| first_touch(bytes)));
    println!(
        "| {} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} |",
        program.name,
        ms(record),
        ms(reverse),
        ms(record + reverse),
        ms(warm),
        ms(touch),
        over(record + reverse, warm + touch),
    );
}
fn over(time: Duration, baseline: Duration) -> f64 {
    time.as_secs_f64() / baseline.as_secs_f64()
}

/// The same programs under criterion, which keeps the results of the run before.
fn statistics(criterion: &mut Criterion, grid: Grid) {
    let mut group = criterion.benchmark_group(format!("burgers {} x {}", grid.n, grid.steps));
    let mut plain = Burgers::new(grid, |x| x);
    group.bench_function("plain f64", |b| {
        b.iter_custom(|runs| total(runs, || timed(|| plain.baseline()).0))
    });
    let mut generic = Burgers::new(grid, Active::<f64, Plain>::new);
    for (name, statements) in [("plain mode", Four), ("plain mode, fused", Fused)] {
        let statements: Statements = statements;
        group.bench_function(name, |b| {
            b.iter_custom(|runs| total(runs, || timed(|| generic.by_value(statements)).0));
        });
    }
    for program in &PROGRAMS {
        let mut tape = Tape::new();
        group.bench_function(format!("{}: record", program.name), |b| {
            b.iter_custom(|runs| total(runs, || Recorded::new(&mut tape, grid, program.run).time));
        });
        let recorded = Recorded::new(&mut tape, grid, program.run);
        group.bench_function(format!("{}: reverse", program.name), |b| {
            b.iter_custom(|runs| total(runs, || recorded.sweep(&mut tape).time));
        });
    }
    group.finish();
}
fn total(runs: u64, mut run: impl FnMut() -> Duration) -> Duration {
    (0..runs).map(|_| run()).sum()
}
