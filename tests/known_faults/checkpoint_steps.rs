//! Checkpointed loops with untested numbers of steps: wrong gradients or index errors. Reported for Checkpointing.jl
//! (#65, #88) and Reactant.jl (#3119).
use crate::near;
use entape::{
    checkpoint::{Checkpoints, Cost, Steps},
    driver::{ListShape, SingleShape},
    prelude::*,
};

/// `x_{n + 1} = a x_n + b d_n`, with data of each step.
struct Filter {
    data: Vec<f64>,
}
impl Steps for Filter {
    type State = SingleShape<f64>;
    type Parameters = ListShape<f64>;
    type Output<M: Mode> = Real<M>;
    fn step<M: Mode>(&self, number: usize, x: Real<M>, p: &[Real<M>]) -> Real<M> {
        (p[0] * x + p[1] * self.data[number]).eval()
    }
}
impl Cost for Filter {
    fn cost<M: Mode>(&self, x: Real<M>, _: &[Real<M>]) -> Real<M> {
        x
    }
    fn cost_along<M: Mode>(&self, number: usize, x: Real<M>, p: &[Real<M>]) -> Option<Real<M>> {
        (number % 3 == 1).then(|| (p[1] * x * x).eval())
    }
}
/// The value, and its derivatives with respect to `x_0`, `a` and `b`.
fn by_hand(data: &[f64], x: f64, [a, b]: [f64; 2], steps: usize) -> (f64, [f64; 3]) {
    let (mut x, mut t, mut value, mut slope) = (x, [1.0, 0.0, 0.0], 0.0, [0.0; 3]);
    for (number, d) in data.iter().enumerate().take(steps) {
        if number % 3 == 1 {
            value += b * x * x;
            for (slope, t) in slope.iter_mut().zip(t) {
                *slope += 2.0 * b * x * t;
            }
            slope[2] += x * x;
        }
        t = [a * t[0], a * t[1] + x, a * t[2] + d];
        x = a * x + b * d;
    }
    (
        value + x,
        [slope[0] + t[0], slope[1] + t[1], slope[2] + t[2]],
    )
}
const P: [f64; 2] = [0.9, 0.3];

#[test]
fn loops_of_every_number_of_steps_have_gradients() {
    let filter = Filter {
        data: (0..200).map(|i| (f64::from(i) * 0.7).sin()).collect(),
    };
    for states in [1, 2, 3, 5] {
        let checkpoints = Checkpoints::new().states(states);
        for steps in (0..30).chain([64, 127, 128, 200, 3]) {
            let (value, (x_b, p_b)) = checkpoints
                .value_and_gradient(&filter, 0.5, P.to_vec(), steps)
                .expect("a gradient");
            let (want, [x, a, b]) = by_hand(&filter.data, 0.5, P, steps);
            near(
                "value and gradient",
                &[value, x_b, p_b[0], p_b[1]],
                &[want, x, a, b],
            );
        }
    }
}
#[test]
fn loops_until_a_condition_have_gradients() {
    let filter = Filter {
        data: (0..200).map(|i| (f64::from(i) * 0.7).sin()).collect(),
    };
    for steps in [0, 1, 2, 7, 50, 199] {
        for states in [1, 2, 4] {
            let checkpoints = Checkpoints::new().states(states);
            let (value, (x_b, p_b)) = checkpoints
                .value_and_gradient_until(&filter, 0.5, P.to_vec(), |number, _| number == steps)
                .expect("a gradient");
            let (want, [x, a, b]) = by_hand(&filter.data, 0.5, P, steps);
            near(
                "value and gradient",
                &[value, x_b, p_b[0], p_b[1]],
                &[want, x, a, b],
            );
        }
    }
}
