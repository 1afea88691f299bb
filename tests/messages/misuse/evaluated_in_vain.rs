//! If `.eval()` fails, the compiler does not suggest a function of another type.
use entape_core::{expr::Active, kind, mode::AnyMode, real::Elementary};

#[kind(parts(x: f64, y: f64))]
#[derive(Clone, Copy, Default, PartialEq)]
pub struct Point {
    x: f64,
    y: f64,
}

fn f<M: AnyMode>(p: &Active<Point, M>) -> Active<Point, M> {
    p.exp().eval()
}
fn main() {}
