//! Misuse during a recording, which must not affect it.
use crate::{program::Misuse, state::Entities};
use entape::{op, prelude::*};
use nalgebra::DMatrix;

#[op]
fn panicking(#[ad_in(r_b)] x: f64) -> f64 {
    assert!(x.is_nan(), "an operation panics");
    x
}

/// May return `true` only if the action is permitted.
pub(crate) fn panics<M: Recording>(misuse: Misuse, state: &mut Entities<M>) -> bool {
    let Entities { x, v, m, n, .. } = state;
    let n = *n;
    match misuse {
        Misuse::Foreign => {
            let mut other = Tape::<M>::default();
            let y = other.input(0.5);
            x[0] = (&x[0] * &y + &x[1]).eval();
        }
        Misuse::Lengths => v[0] = (&v[1] * constant(vec![0.5; n + 1])).eval(),
        Misuse::Shapes => {
            m[0] = (&m[1] - &m[2] * constant(DMatrix::<f64>::zeros(n + 1, n))).eval();
        }
        Misuse::Index => v[0][n].assign(&x[0] * 2.0),
        Misuse::Operation => x[0] = (&x[0] * &x[1] + panicking(&x[2] * &x[2])).eval(),
        Misuse::Between => {
            let _expression = &x[0] * &x[1];
            panic!("between two statements");
        }
        Misuse::Slice => {
            let other = v[1].clone();
            v[0].slice_mut(1..).assign(&other * 0.5);
        }
        Misuse::StaleCopy => {
            let mut w = v[0].clone();
            let old = w.at(0_usize) * 2.0;
            w[0].assign(0.125);
            // A passive array lacks an identifier that could denote another value.
            let passive = !w.is_active();
            let _ = old.eval();
            return passive;
        }
    }
    false
}

pub(crate) fn another_tape<M: Recording>() {
    let mut tape = Tape::<M>::default();
    let (x, v) = (tape.input(0.5), tape.input(vec![1.0, 2.0]));
    let y = tape.record(|| (&x * v.sum() * &x).eval());
    let gradient = tape.gradient(&y).expect("an output");
    assert_eq!(gradient.wrt(&x), Ok(3.0));
    assert_eq!(gradient.wrt(&v), Ok(vec![0.25; 2]));
}
