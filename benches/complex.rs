//! What complex entities cost, beside plain complex numbers and beside the same programs with a pair of reals for
//! each number, in thread CPU time and bytes.
//!
//! ```text
//! cargo bench --bench complex               100 000 points: tables
//! COMPLEX=1000 cargo bench --bench complex  other sizes
//! cargo bench --bench complex -- --test     everything once
//! ```
//!
//! The programs are those of `entape_programs::complex`; all gradients are compared before anything is measured.
use entape_programs::{
    complex::{
        Horner, Iteration, Program,
        matrices::{self, PROGRAMS},
        measure,
    },
    measure::ms,
};
use std::{env, error::Error};

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> Outcome {
    let points = match env::var("COMPLEX") {
        Ok(points) => points.parse()?,
        Err(_) => 100_000,
    };
    let once = env::args().any(|argument| argument == "--test");
    let rounds = if once { 1 } else { 5 };
    numbers(&Horner, points, rounds)?;
    numbers(&Iteration, points, rounds)?;
    // A round of matrices is short.
    of_matrices(if once { &[4] } else { &[4, 20, 200] }, 5 * rounds)
}

fn numbers<P: Program>(program: &P, points: usize, rounds: usize) -> Outcome {
    let costs = measure(program, points, rounds)?;
    println!("\n{}, {points} points", P::NAME);
    println!("thread CPU time in ms, medians of {rounds} warm rounds; tape bytes for a step\n");
    println!(
        "| program | record | reverse | both | over plain | over pairs | bytes | over pairs |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    println!(
        "| plain complex | {:.2} | | {0:.2} | 1.00 | | | |",
        ms(costs.plain)
    );
    for (name, cost) in [
        ("complex entities", costs.entities),
        ("pairs of reals", costs.pairs),
    ] {
        println!(
            "| {name} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.1} | {:.2} |",
            ms(cost.record),
            ms(cost.reverse),
            ms(cost.both()),
            cost.both().as_secs_f64() / costs.plain.as_secs_f64(),
            cost.both().as_secs_f64() / costs.pairs.both().as_secs_f64(),
            cost.bytes,
            cost.bytes / costs.pairs.bytes,
        );
    }
    Ok(())
}

/// Products and solves: the plain program with nalgebra alone; with the kernels that the DSL has, in memory that is there before;
/// recorded and swept.
fn of_matrices(sizes: &[usize], rounds: usize) -> Outcome {
    println!("\nMatrices of n by n complex numbers");
    println!(
        "thread CPU time in us, medians of {rounds} warm rounds; in brackets what is asked at n = 200"
    );
    println!("reading copies both gradients, and adds an outer product that a sweep may leave\n");
    println!(
        "| program | n | nalgebra | plain | record | reverse | both over plain | over nalgebra | reading |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    for program in &PROGRAMS {
        for &n in sizes {
            let costs = matrices::measure(program, n, rounds)?;
            let us = |time: std::time::Duration| time.as_secs_f64() * 1e6;
            println!(
                "| {} | {n} | {:.1} | {:.1} | {:.1} | {:.1} | {:.2} ({}) | {:.2} | {:.1} |",
                program.name,
                us(costs.nalgebra),
                us(costs.plain),
                us(costs.record),
                us(costs.reverse),
                costs.over_plain(),
                program.asked,
                costs.both().as_secs_f64() / costs.nalgebra.as_secs_f64(),
                us(costs.read),
            );
        }
    }
    Ok(())
}
