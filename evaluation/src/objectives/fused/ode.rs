//! The ordinary differential equation by reals, with a statement for each state and stage.
use entape::prelude::*;
use evaluation_worker::objectives::{END, Ode};

/// Slopes are evaluated at `b`, `c` and `d`; a step is `(b + 2 c + d - y) / 3 + h / 6` times the last slope.
pub(super) fn last(Ode { states: n, steps }: Ode, x: &[Real]) -> Real {
    let h = END / steps as f64;
    let mut y = vec![Real::passive(0.0); n];
    let [mut b, mut c, mut d] = [(); 3].map(|()| y.clone());
    let stage = |next: &mut [Real], y: &[Real], at: &[Real], h: f64| {
        next[0] = (y[0] + h * x[0]).eval();
        for i in 1..n {
            next[i] = (y[i] + h * (x[i] * at[i - 1])).eval();
        }
    };
    for _ in 0..steps {
        stage(&mut b, &y, &y, 0.5 * h);
        stage(&mut c, &y, &b, 0.5 * h);
        stage(&mut d, &y, &c, h);
        y[0] += h * x[0];
        for i in 1..n {
            let slope = x[i] * d[i - 1];
            y[i] = ((b[i] + 2.0 * c[i] + d[i] - y[i]) / 3.0 + (h / 6.0) * slope).eval();
        }
    }
    y[n - 1]
}
