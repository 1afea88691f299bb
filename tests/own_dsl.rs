//! The example of a custom DSL computes the documented results.
#[path = "../examples/own_dsl.rs"]
#[allow(dead_code, missing_docs, unreachable_pub)]
mod example;

use approx::assert_abs_diff_eq;
use entape::tape::Tape;

fn plain(x: f64, y: f64) -> f64 {
    let (mut px, py) = (x * (x + 2.0), y * (x + 2.0));
    if px >= x {
        px = x * y;
    }
    let py = py + 0.5 * x;
    let (radius, angle) = (px.hypot(py), py.atan2(px));
    radius * angle + px
}

#[test]
fn the_gradient_agrees_with_the_plain_program() {
    for (x0, y0) in [(0.5, 1.5), (-0.5, 1.5), (2.0, -1.0)] {
        let mut tape = Tape::new();
        let (x, y) = (tape.input(x0), tape.input(y0));
        let f = tape.record(|| example::program(&[x, y]));
        let g = tape.gradient(&f).expect("a recorded output");
        let (gx, gy) = (g.wrt(&x).expect("an input"), g.wrt(&y).expect("an input"));
        let h = 1e-6;
        let x_b = (plain(x0 + h, y0) - plain(x0 - h, y0)) / (2.0 * h);
        let y_b = (plain(x0, y0 + h) - plain(x0, y0 - h)) / (2.0 * h);
        assert_abs_diff_eq!(f.value(), plain(x0, y0), epsilon = 1e-12);
        assert_abs_diff_eq!(gx, x_b, epsilon = 1e-6);
        assert_abs_diff_eq!(gy, y_b, epsilon = 1e-6);
    }
}
