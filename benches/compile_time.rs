//! The time of the compiler to type-check an expression of 32 operations: at most 0.1 s.
//!
//! ```text
//! cargo bench -p entape-benches --bench compile_time
//! ```
//!
//! `cargo check` runs on a generated package without functions and with many functions that evaluate a chain, the
//! deepest tree. Times are medians of wall-clock times.
use entape_benches::{cargo, package};
use entape_programs::measure::median;
use std::{
    env,
    error::Error,
    fmt::Write,
    fs,
    path::Path,
    time::{Duration, Instant},
};

const OPERATIONS: usize = 32;
const FUNCTIONS: usize = 40;

fn main() -> Result<(), Box<dyn Error>> {
    let once = env::args().any(|argument| argument == "--test");
    let temporary = env!("CARGO_TARGET_TMPDIR");
    let package = package(temporary, "compile-time", "default-features = false", "")?;

    check(&package, &source(0, ""))?; // the dependencies
    let rounds = if once { 1 } else { 5 };
    let time = |source: String| -> Result<f64, Box<dyn Error>> {
        let times = (0..rounds).map(|_| check(&package, &source));
        Ok(median(times.collect::<Result<Vec<_>, _>>()?).as_secs_f64() * 1e3)
    };
    let none = time(source(0, ""))?;
    println!(
        "ms to check one expression of {OPERATIONS} operations, medians of {rounds}, 100 are allowed"
    );
    for (name, signature) in [
        ("reals", "(x: &[Real; 8]) -> Real"),
        (
            "generic in the mode",
            "<M: Mode>(x: &[Active<f64, M>; 8]) -> Active<f64, M>",
        ),
    ] {
        let many = time(source(FUNCTIONS, signature))?;
        println!("  {name:<24}{:>8.1}", (many - none) / FUNCTIONS as f64);
    }
    Ok(())
}

/// After the source has changed.
fn check(package: &Path, source: &str) -> Result<Duration, Box<dyn Error>> {
    fs::write(package.join("src/lib.rs"), source)?;
    let start = Instant::now();
    let output = cargo(package, &["check"]).output()?;
    let time = start.elapsed();
    if output.status.success() {
        Ok(time)
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into())
    }
}
fn source(functions: usize, signature: &str) -> String {
    let mut text = String::from("#![allow(unused_imports)]\nuse entape::prelude::*;\n");
    for function in 0..functions {
        let mut expression = String::from("x[0]");
        let mut operations = 0;
        while operations < OPERATIONS {
            let choice = (function >> (operations / 4 % 6)) + operations;
            let variable = (operations + function) % 8;
            expression = match choice % 6 {
                0 => format!("({expression} + x[{variable}])"),
                1 => format!("({expression} * x[{variable}])"),
                2 => format!("({expression} - 2.0)"),
                3 => format!("{expression}.sin()"),
                4 => format!("(x[{variable}] / {expression})"),
                _ => format!("{expression}.exp()"),
            };
            operations += 1;
        }
        let _ = writeln!(
            text,
            "pub fn f{function}{signature} {{\n    {expression}.eval()\n}}"
        );
    }
    text
}
