use entape_core::{kind, tape::Tape};

#[kind(parts(x: f64, y: f64), add = |into, from| { into.x += from.x; into.y += from.y })]
#[derive(Clone, Copy, Default, PartialEq)]
pub struct Point {
    x: f64,
    y: f64,
}

fn main() {
    let mut tape = Tape::new();
    let x = tape.input(2.0);
    let mut p = tape.input(Point { x: 3.0, y: 4.0 });
    tape.record(|| {
        let product = &p[Point::X] * 2.0;
        p[Point::X].assign(x);
        product.eval()
    });
}
