//! The cost of SIMD entities, compared with plain vectors and with reals, in thread CPU time and bytes.
//!
//! ```text
//! cargo bench -p entape-benches --bench simd                10⁷ paths: table
//! SIMD=1000000 cargo bench -p entape-benches --bench simd   other sizes
//! BURGERS=500,32 cargo bench -p entape-benches --bench simd points along one side, and time steps
//! cargo bench -p entape-benches --bench simd -- --test      everything once, small
//! ```
//!
//! Paths and Burgers' equations take turns with the programs that they are compared with. criterion measures steps of
//! complex arrays.
//!
//! *Paths*: the price of an option and its gradient by Monte Carlo paths, in batches of 100 000. Four paths are one
//! statement of lanes, or a path is one statement of reals. The plain program computes only the price, by vectors of
//! `wide`.
//!
//! *Burgers*: the equations of the bench `burgers`, row by row with arrays, compared with the plain loop, with arrays
//! in plain mode, and with reals.
//!
//! *Complex arrays*: products, exponentials and Fourier transforms of arrays of 1024 numbers, beside loops of plain
//! numbers and the transforms of `rustfft`.
use entape::prelude::*;
use entape_programs::{
    burgers::{Burgers, Fields, Grid, Recorded, Statements::Fused},
    burgers_array,
    measure::{median, ms, timed},
    option::costs::{self, BATCH},
};
use std::{env, error::Error as StdError, time::Duration};

#[path = "linalg/memory.rs"]
mod memory;
#[path = "simd/spectra.rs"]
mod spectra;

/// The values of arrays own memory that the statistics of a tape do not count.
#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

type Outcome<T = ()> = Result<T, Box<dyn StdError>>;

fn main() -> Outcome {
    let mut criterion = entape_programs::measure::micro::criterion(50);
    let once = env::args().any(|argument| argument == "--test");
    let paths = match env::var("SIMD") {
        Ok(paths) => paths.parse()?,
        Err(_) if once => 2 * BATCH,
        Err(_) => 10_000_000,
    };
    let grid = match env::var("BURGERS") {
        Ok(sizes) => {
            let (n, steps) = sizes.split_once(',').ok_or("BURGERS=N,STEPS")?;
            Grid {
                n: n.parse()?,
                steps: steps.parse()?,
            }
        }
        Err(_) if once => Grid { n: 32, steps: 4 },
        Err(_) => Grid { n: 500, steps: 32 },
    };
    lanes(paths)?;
    arrays(grid, if once { 1 } else { 5 })?;
    println!();
    spectra::spectra(&mut criterion, 1024)?;
    criterion.final_summary();
    Ok(())
}

fn lanes(paths: usize) -> Outcome {
    let costs::Costs {
        plain,
        lanes,
        reals,
    } = costs::measure(paths)?;
    println!("\n{paths} paths of an option in batches of {BATCH}");
    println!("thread CPU time in ms, one run; tape bytes for a path\n");
    println!("| program | record | reverse | both | over plain | reals over this | bytes |");
    println!("|---|--:|--:|--:|--:|--:|--:|");
    println!(
        "| plain f64x4 | {:.1} | | {0:.1} | 1.00 | | |",
        ms(plain.both())
    );
    for (name, run) in [("entape f64x4", &lanes), ("entape reals", &reals)] {
        println!(
            "| {name} | {:.1} | {:.1} | {:.1} | {:.2} | {:.2} | {:.1} |",
            ms(run.record),
            ms(run.reverse),
            ms(run.both()),
            run.both().as_secs_f64() / plain.both().as_secs_f64(),
            reals.both().as_secs_f64() / run.both().as_secs_f64(),
            run.bytes,
        );
    }
    Ok(())
}

/// Bytes are those in use for reals, and all that a first recording and its sweep leave allocated for arrays, with the
/// gradient.
#[derive(Default)]
struct Costs {
    record: Vec<Duration>,
    reverse: Vec<Duration>,
    bytes: usize,
}
fn arrays(grid: Grid, runs: usize) -> Outcome {
    let (mut tape, mut real_tape) = (Tape::new(), Tape::new());
    let [mut plain_loop, mut plain_arrays] = [Vec::new(), Vec::new()];
    let [mut by_arrays, mut by_reals] = [(); 2].map(|()| Costs::default());
    for run in 0..=runs {
        let mut burgers = Burgers::new(grid, |x| x);
        let (loop_time, value) = timed(|| burgers.baseline());
        let Fields { u, v } = grid.initial();
        let plain = (Array::<Plain>::passive(u), Array::passive(v));
        let (plain_time, of_plain) = timed(|| burgers_array::program(grid, &plain).value());
        let before = memory::live();
        let (record, got) = burgers_array::record_and_sweep(&mut tape, grid)?;
        let live = memory::live() - before;
        let recorded = Recorded::new(&mut real_tape, grid, |burgers| burgers.by_value(Fused));
        let want = recorded.sweep(&mut real_tape)?;
        if run == 0 {
            by_arrays.bytes = live;
            let close = |a: f64, b: f64| {
                assert!((a - b).abs() <= 1e-11 * b.abs().max(1.0), "{a} is not {b}");
            };
            close(got.value, value);
            close(of_plain, value);
            for (&a, &b) in got.gradient.iter().zip(want.gradient.iter()) {
                close(a, b);
            }
            continue;
        }
        plain_loop.push(loop_time);
        plain_arrays.push(plain_time);
        by_arrays.record.push(record);
        by_arrays.reverse.push(got.time);
        by_reals.record.push(recorded.time);
        by_reals.reverse.push(want.time);
    }
    by_reals.bytes = real_tape.statistics().bytes();

    let Grid { n, steps } = grid;
    println!("\nBurgers' equations, {n} x {n} points, {steps} time steps");
    println!(
        "thread CPU time in ms, medians of {runs}; tape bytes for a cell and step, both fields\n"
    );
    println!("| program | record | reverse | both | over the loop | bytes |");
    println!("|---|--:|--:|--:|--:|--:|");
    let baseline = median(plain_loop);
    let over = |time: Duration| time.as_secs_f64() / baseline.as_secs_f64();
    for (name, time) in [
        ("plain loop", baseline),
        ("plain arrays", median(plain_arrays)),
    ] {
        println!(
            "| {name} | {:.2} | | {0:.2} | {:.2} | |",
            ms(time),
            over(time)
        );
    }
    let points = (n * n * steps) as f64;
    for (name, costs) in [("entape reals", by_reals), ("entape arrays", by_arrays)] {
        let (record, reverse) = (median(costs.record), median(costs.reverse));
        println!(
            "| {name} | {:.2} | {:.2} | {:.2} | {:.2} | {:.1} |",
            ms(record),
            ms(reverse),
            ms(record + reverse),
            over(record + reverse),
            costs.bytes as f64 / points,
        );
    }
    Ok(())
}
