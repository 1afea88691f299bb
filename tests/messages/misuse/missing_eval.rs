//! An expression where a variable is expected.
use entape_core::{expr::Active, real::Elementary, tape::Tape};

fn result(x: Active<f64>) -> Active<f64> {
    x * x
}
fn branch(x: Active<f64>) -> Active<f64> {
    if x > 0.0 { x.sqrt() } else { x }
}
fn branches(x: Active<f64>) {
    let _ = if x > 0.0 { x } else { -x };
}
fn assigned(x: Active<f64>) {
    let mut y = x;
    y = y * x;
}
fn collected(x: &[Active<f64>]) -> Vec<Active<f64>> {
    x.iter().map(|x| x * 2.0).collect()
}
fn swept(tape: &mut Tape, x: Active<f64>) {
    let y = tape.record(|| x * x);
    let _ = tape.gradient(&y);
}
fn main() {}
