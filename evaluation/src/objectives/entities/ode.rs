//! The ordinary differential equation by arrays over the states: one statement for each stage.
use entape::prelude::*;
use evaluation_worker::{
    Fault,
    objectives::{Derive, END, Ode},
};

pub(super) fn derive(ode: Ode, x: Vec<f64>) -> Derive {
    let mut tape = Tape::new();
    Box::new(move |all| {
        tape.reset();
        let input: Array = tape.input(x.clone());
        let y = tape.record(|| last(ode, &input));
        let gradient = tape.gradient(&y).map_err(Fault::tool)?;
        *all = gradient.wrt(&input).map_err(Fault::tool)?;
        Ok(y.value())
    })
}
/// Arrays of states begin with a one, the factor of the slope of the first state. Slopes are evaluated at `b`, `c` and
/// `d`; a step is `(b + 2 c + d - y) / 3 + h / 6` times the last slope.
fn last(Ode { states: n, steps }: Ode, x: &Array) -> Real {
    let h = END / steps as f64;
    // statements without constants are found faster on the tape
    let (half, whole, sixth) = ((0.5 * h * x).eval(), (h * x).eval(), (h / 6.0 * x).eval());
    let start = || Array::filled_by(n + 1, |all| all[0] = 1.0);
    let stage = |y: &Array, at: &Array, x: &Array| {
        let mut next: Array = start();
        next.slice_mut(1..).assign(y.slice(1..) + x * at.slice(..n));
        next
    };
    let mut y: Array = start();
    for _ in 0..steps {
        let b = stage(&y, &y, &half);
        let c = stage(&y, &b, &half);
        let d = stage(&y, &c, &whole);
        let mut next: Array = start();
        let states = b.slice(1..) + 2.0 * c.slice(1..) + d.slice(1..) - y.slice(1..);
        next.slice_mut(1..)
            .assign(states * (1.0 / 3.0) + &sixth * d.slice(..n));
        y = next;
    }
    y.at(n).eval()
}
