//! The first program: two inputs, two statements, one gradient.
//!
//! ```text
//! cargo run --example hello_world
//! ```
use entape::prelude::*;

fn main() -> Result<(), Error> {
    let mut tape = Tape::new();
    let a = tape.input(4.0);
    let b = tape.input(0.5);

    // Each `.eval()` records one statement.
    let w = tape.record(|| {
        let c = (a * a).eval();
        (c * b.sin() + a).eval()
    });
    println!("w = a² sin(b) + a = {w}");

    // One reverse sweep computes all derivatives.
    let gradient = tape.gradient(&w)?;
    println!("dw/da = 2 a sin(b) + 1 = {}", gradient.wrt(&a)?);
    println!("dw/db = a² cos(b) = {}", gradient.wrt(&b)?);
    Ok(())
}
