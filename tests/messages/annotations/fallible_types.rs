//! The error type is required, and an operation that can fail is not an expression.
use entape_core::{op, tape::Tape};

pub struct Silent;

#[op]
fn quiet(#[ad_in(r_b)] x: f64) -> Result<f64, Silent> {
    Ok(x)
}

#[op]
fn root(#[ad_in(r_b / (2.0 * r))] x: f64) -> Result<f64, String> {
    x.sqrt()
}

#[op]
fn ln(#[ad_in(r_b / x)] x: f64) -> Result<f64, String> {
    Ok(x.ln())
}

fn main() {
    let mut tape = Tape::new();
    let x = tape.input(1.0);
    tape.record(|| (ln(x) + x).eval());
}
