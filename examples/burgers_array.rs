//! Burgers' equations with arrays: the example `burgers` row by row.
//!
//! ```text
//! cargo run --release --example burgers_array              500 x 500 points, 32 steps
//! cargo run --release --example burgers_array -- 100 8     100 x 100 points, 8 steps
//! ```
//!
//! The program itself is in `programs/src/burgers_array.rs`. A row of a field is one statement and one loop.
use entape::prelude::*;
use entape_programs::{
    burgers::{Grid, Recorded, Statements::Fused},
    burgers_array,
    measure::ms,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut sizes = std::env::args().skip(1).map(|size| size.parse::<usize>());
    let n = sizes.next().transpose()?.unwrap_or(500);
    let steps = sizes.next().transpose()?.unwrap_or(32);
    if n < 3 {
        return Err("at least 3 points along one side".into());
    }
    let grid = Grid { n, steps };
    println!("Burgers' equations, {n} x {n} points, {steps} time steps\n");

    let (mut tape, mut real_tape) = (Tape::new(), Tape::new());
    // the first runs do not count
    burgers_array::record_and_sweep(&mut tape, grid)?;
    let (record, arrays) = burgers_array::record_and_sweep(&mut tape, grid)?;
    let by_value = |tape: &mut Tape| Recorded::new(tape, grid, |burgers| burgers.by_value(Fused));
    by_value(&mut real_tape).sweep(&mut real_tape)?;
    let recorded = by_value(&mut real_tape);
    let reals = recorded.sweep(&mut real_tape)?;

    let norm = |x: &mut dyn Iterator<Item = f64>| x.map(|x| x * x).sum::<f64>().sqrt();
    let size = norm(&mut reals.gradient.iter().copied());
    let both = arrays.gradient.iter().zip(reals.gradient.iter());
    let distance = norm(&mut both.map(|(a, b)| a - b)) / size;
    println!("value            {} (reals {})", arrays.value, reals.value);
    println!("gradient norm    {size}");
    println!("relative distance of the gradients of arrays and reals {distance:.1e}\n");

    println!("thread CPU time in ms    record   reverse  statements");
    for (name, record, reverse, tape) in [
        ("arrays", record, arrays.time, &tape),
        ("reals", recorded.time, reals.time, &real_tape),
    ] {
        let statements = tape.statistics().statements;
        let (record, reverse) = (ms(record), ms(reverse));
        println!("{name:<21}{record:>10.2}{reverse:>10.2}{statements:>12}");
    }
    println!("\nthe tape of arrays\n{}", tape.statistics());
    if distance > 1e-12 {
        return Err("the gradients differ".into());
    }
    Ok(())
}
