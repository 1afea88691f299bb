//! The example of a custom storage kind computes the documented results.
#[path = "../examples/own_storage.rs"]
#[allow(dead_code, missing_docs, unreachable_pub)]
mod example;

use approx::assert_abs_diff_eq;
use entape::{core::check, tape::Tape};
use example::{Outside, SplineOps, program};

#[test]
fn the_gradient_agrees_with_differences() {
    check::assert_gradient(program {}, &[0.75, 2.0, 0.5, 1.5]);
    check::assert_gradient(program {}, &[0.3, -1.0, 0.5]);
    check::assert_gradient(program {}, &[9.0, 2.0]);
}

#[test]
fn a_straight_line_is_interpolated_exactly() {
    let mut tape = Tape::new();
    let line = std::rc::Rc::new(vec![0.0, 1.0, 2.5, 3.0]);
    let y: Vec<_> = line.iter().map(|x| tape.input(1.0 + 2.0 * x)).collect();
    let x = tape.input(2.25);
    let (value, integral, outside) = tape.record(|| {
        let s = example::through(entape::expr::list(&y), line.clone()).eval();
        (s.value_at(x), s.integral().eval(), s.value_at(x * 2.0))
    });
    assert_eq!(outside.unwrap_err(), Outside(4.5));
    let value = value.unwrap();
    let close = |x: f64, want: f64| assert_abs_diff_eq!(x, want, epsilon = 1e-13);
    close(value.value(), 5.5);
    close(integral.value(), 12.0);
    close(tape.gradient(&value).unwrap().wrt(&x).unwrap(), 2.0);
    // Constants are interpolated exactly, so the weights of the values have the sums 1 and 3.
    let sum = |g: Vec<f64>| g.iter().sum::<f64>();
    close(
        sum(tape.gradient(&value).unwrap().wrt_all(&y).unwrap()),
        1.0,
    );
    close(
        sum(tape.gradient(&integral).unwrap().wrt_all(&y).unwrap()),
        3.0,
    );
}
