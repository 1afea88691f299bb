//! Expressions that are used twice.
use entape_core::{
    expr::Active,
    real::Elementary,
};

fn operands(x: Active<f64>) -> Active<f64> {
    let d = x - 1.0;
    (d * d).eval()
}
fn method(x: Active<f64>) -> Active<f64> {
    let d = x * x + 1.0;
    (d.sqrt() + d.sin()).eval()
}
fn nested(x: Active<f64>) -> Active<f64> {
    let a = x.exp() + x;
    let b = a * 2.0 + a;
    (b * b).eval()
}
fn main() {}
