//! Whole numbers, numbers of another precision, and kinds other than numbers.
use entape_core::{
    expr::Active,
    kind,
    real::{Elementary, RealKind, Reals},
    tape::Tape,
};

#[kind(parts(x: f64, y: f64))]
#[derive(Clone, Copy, Default, PartialEq)]
pub struct Point {
    x: f64,
    y: f64,
}

fn whole(x: Active<f64>, n: usize) {
    let _ = x * 2;
    let _ = 2 * x;
    let _ = x * n;
    let _ = n * x;
    let _ = x.powf(2);
    let mut y = x;
    y -= 1;
    y.assign(1);
}
fn precision(x: Active<f32>, y: Active<f64>) {
    let _ = x * y;
}
fn real<K: RealKind>(x: Active<K>) -> Active<K> {
    x
}
fn points(p: Active<Point>, all: &[Active<Point>], tape: &mut Tape) {
    let _ = p + p;
    let _ = all.sum();
    let _ = tape.gradient(&p);
    real(p);
}
fn main() {}
