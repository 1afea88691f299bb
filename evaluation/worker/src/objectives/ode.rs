//! An ordinary differential equation by the Runge-Kutta method of fourth order, from time 0 to 2, starting at zero; the output
//! is the last state at the end.
//!
//! ```text
//! y_0' = x_0,   y_i' = x_i y_(i-1)
//! ```
use super::{Case, Objective, case::Random};
use crate::Number;

pub const END: f64 = 2.0;

#[derive(Clone, Copy, Debug)]
pub struct Ode {
    pub states: usize,
    pub steps: usize,
}
pub(super) fn random(random: &mut Random, states: usize) -> (Vec<f64>, Vec<f64>) {
    (
        (0..states).map(|_| random.uniform(0.5, 1.5)).collect(),
        Vec::new(),
    )
}
impl Objective for Ode {
    fn new(case: &Case) -> Self {
        let &[states, steps] = &case.sizes[..] else {
            unreachable!("a case has the sizes of its objective");
        };
        Ode { states, steps }
    }
    fn reads(&self, _: usize) -> Vec<usize> {
        self.columns(0)
    }
    fn columns(&self, _: usize) -> Vec<usize> {
        (0..self.states).collect()
    }
    fn run<T: Number>(&self, _: usize, x: &[T], outputs: &mut Vec<T>) {
        let n = self.states;
        let h = END / self.steps as f64;
        let zeros = || vec![T::constant(0.0); n];
        let (mut y, mut at) = (zeros(), zeros());
        let mut k = [(); 4].map(|()| zeros());
        let slope = |y: &[T], k: &mut [T]| {
            k[0] = x[0];
            for i in 1..n {
                k[i] = x[i] * y[i - 1];
            }
        };
        for _ in 0..self.steps {
            slope(&y, &mut k[0]);
            for (stage, h) in [0.5 * h, 0.5 * h, h].into_iter().enumerate() {
                for i in 0..n {
                    at[i] = y[i] + k[stage][i] * h;
                }
                slope(&at, &mut k[stage + 1]);
            }
            for i in 0..n {
                let sum = k[0][i] + (k[1][i] + k[2][i]) * 2.0 + k[3][i];
                y[i] = y[i] + sum * (h / 6.0);
            }
        }
        outputs.push(y[n - 1]);
    }
}
