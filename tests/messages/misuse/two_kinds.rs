//! Two kinds with one value type: the message shows how to name the kind.
use entape_core::{expr::constant, kind, mode::Plain, expr::Expr, tape::Tape};

#[kind(value = Vec<f64>, index = Owned)]
struct Signal;
#[kind(value = Vec<f64>, index = Owned)]
struct Spectrum;

fn main() {
    let mut tape: Tape = Tape::new();
    let x = tape.input(vec![1.0]);
    let all = tape.inputs([vec![1.0]]);
    let c: Expr<_, Plain, _> = constant(vec![1.0]);
}
