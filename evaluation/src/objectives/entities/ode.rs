//! The ordinary differential equation by arrays over the states: eight statements for each step.
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
fn last(Ode { states, steps }: Ode, x: &Array) -> Real {
    let h = END / steps as f64;
    // what stands before the first state
    let first = Array::filled_by(states, |all| all[0] = 1.0);
    let mut y = Array::filled(states, 0.0);
    for _ in 0..steps {
        let a = (x * (y.shift(1) + &first)).eval();
        let at = (&y + 0.5 * h * &a).eval();
        let b = (x * (at.shift(1) + &first)).eval();
        let at = (&y + 0.5 * h * &b).eval();
        let c = (x * (at.shift(1) + &first)).eval();
        let at = (&y + h * &c).eval();
        let d = (x * (at.shift(1) + &first)).eval();
        y += (h / 6.0) * (&a + 2.0 * (&b + &c) + &d);
    }
    y.at(states - 1).eval()
}
