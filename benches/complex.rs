//! The cost of complex entities, compared with plain complex numbers and with a pair of reals for each number, in
//! thread CPU time and bytes.
//!
//! ```text
//! cargo bench -p entape-benches --bench complex               100 000 points: tables of ratios, then criterion
//! COMPLEX=1000 cargo bench -p entape-benches --bench complex  other sizes
//! cargo bench -p entape-benches --bench complex -- Horner     under criterion only what has this in its name
//! cargo bench -p entape-benches --bench complex -- --test     everything once
//! ```
//!
//! Ratios compare medians of rounds in which all forms take turns. criterion measures steps and operations. Gradients
//! are compared before.
use criterion::{BenchmarkId, Criterion};
use entape_programs::{
    complex::{
        Cost, Horner, Iteration, Program, Setting,
        matrices::{self, PROGRAMS},
        measure,
    },
    measure::micro::{ThreadCpu, criterion, each_timed},
};
use std::{env, error::Error, time::Duration};

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> Outcome {
    let mut criterion = criterion(20);
    let points = match env::var("COMPLEX") {
        Ok(points) => points.parse()?,
        Err(_) => 100_000,
    };
    let once = env::args().any(|argument| argument == "--test");
    let rounds = if once { 1 } else { 5 };
    let sizes: &[usize] = if once { &[4] } else { &[4, 20, 200] };
    println!("\n{points} points, medians of {rounds} warm rounds; tape bytes for a step\n");
    println!("| program | over plain | over pairs | bytes | over pairs |");
    println!("|---|--:|--:|--:|--:|");
    ratios(&Horner, points, rounds)?;
    ratios(&Iteration, points, rounds)?;
    ratios_of_matrices(sizes, 5 * rounds)?;
    println!();
    steps(&mut criterion, &Horner, points)?;
    steps(&mut criterion, &Iteration, points)?;
    operations(&mut criterion, sizes);
    criterion.final_summary();
    Ok(())
}

fn ratios<P: Program>(program: &P, points: usize, rounds: usize) -> Outcome {
    let costs = measure(program, points, rounds)?;
    println!(
        "| {} | {:.2} | {:.2} | {:.1} | {:.2} |",
        P::NAME,
        costs.over_plain(),
        costs.over_pairs(),
        costs.entities.bytes,
        costs.bytes_over_pairs(),
    );
    Ok(())
}
fn steps<P: Program>(criterion: &mut Criterion<ThreadCpu>, program: &P, points: usize) -> Outcome {
    let mut setting = Setting::new(program, points)?;
    let steps = setting.steps();
    let mut group = criterion.benchmark_group(format!("{}: a step", P::NAME));
    group.bench_function("plain complex", |b| {
        b.iter_custom(each_timed(steps, || setting.plain()));
    });
    type Part = fn(Cost) -> Duration;
    let parts: [(_, Part); 2] = [
        ("record", |cost| cost.record),
        ("reverse", |cost| cost.reverse),
    ];
    for (name, part) in parts {
        group.bench_function(format!("complex entities: {name}"), |b| {
            let run = || part(setting.entities().expect("the program was recorded"));
            b.iter_custom(each_timed(steps, run));
        });
    }
    for (name, part) in parts {
        group.bench_function(format!("pairs of reals: {name}"), |b| {
            let run = || part(setting.pairs().expect("the program was recorded"));
            b.iter_custom(each_timed(steps, run));
        });
    }
    group.finish();
    Ok(())
}

/// Over the plain program with the kernels of the DSL, and with nalgebra alone.
fn ratios_of_matrices(sizes: &[usize], rounds: usize) -> Outcome {
    println!(
        "\nMatrices of n by n complex numbers, medians of {rounds} warm rounds; in brackets what is asked at n = 200\n"
    );
    println!("| program | n | both over plain | over nalgebra |\n|---|--:|--:|--:|");
    for program in &PROGRAMS {
        for &n in sizes {
            let costs = matrices::measure(program, n, rounds)?;
            println!(
                "| {} | {n} | {:.2} ({}) | {:.2} |",
                program.name,
                costs.over_plain(),
                program.asked,
                costs.both().div_duration_f64(costs.nalgebra),
            );
        }
    }
    Ok(())
}
/// Reading copies both gradients, and adds an outer product that a sweep may leave.
fn operations(criterion: &mut Criterion<ThreadCpu>, sizes: &[usize]) {
    for program in &PROGRAMS {
        let mut group = criterion.benchmark_group(format!("complex matrices: {}", program.name));
        for &n in sizes {
            let mut setting = matrices::Setting::new(program, n);
            group.bench_function(BenchmarkId::new("nalgebra", n), |b| {
                b.iter(|| setting.nalgebra());
            });
            group.bench_function(BenchmarkId::new("plain", n), |b| b.iter(|| setting.plain()));
            for (part, name) in ["record", "reverse", "read"].into_iter().enumerate() {
                group.bench_function(BenchmarkId::new(name, n), |b| {
                    let run = || setting.recorded().expect("a recording")[part];
                    b.iter_custom(each_timed(1, run));
                });
            }
        }
        group.finish();
    }
}
