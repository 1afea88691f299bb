//! Long short-term memory by reals, with two statements for each bit of a layer.
use super::super::entities::logistic;
use entape::{expr::list, prelude::*, real::ListReductions};
use evaluation_worker::objectives::Lstm;

pub(super) fn objective(lstm: &Lstm, x: &[Real]) -> Real {
    let n = lstm.bits;
    let (gates, last) = x.split_at(8 * n * lstm.layers);
    let [first, out, bias] = [&last[..n], &last[n..2 * n], &last[2 * n..]];
    let mut state: Vec<Real> = lstm.state.iter().map(|&x| Real::passive(x)).collect();
    let mut below = vec![Real::passive(0.0); n];
    let mut total = Real::passive(0.0);
    for (now, next) in lstm.steps() {
        for ((b, w), x) in below.iter_mut().zip(first).zip(now) {
            *b = (w * x).eval();
        }
        for (p, state) in gates.chunks_exact(8 * n).zip(state.chunks_exact_mut(2 * n)) {
            let (hidden, cell) = state.split_at_mut(n);
            for i in 0..n {
                let gate = |x: Real, k: usize| x * p[k * n + i] + p[(4 + k) * n + i];
                let change = logistic(gate(hidden[i], 1)) * gate(hidden[i], 3).tanh();
                cell[i] = (cell[i] * logistic(gate(below[i], 0)) + change).eval();
                hidden[i] = (logistic(gate(below[i], 2)) * cell[i].tanh()).eval();
            }
            below.copy_from_slice(hidden);
        }
        for i in 0..n {
            below[i] = (below[i] * out[i] + bias[i]).eval();
        }
        let log = (list(&below).exp().sum() + 2.0).ln();
        let count: f64 = next.iter().sum();
        total += below.dot(next) - count * log;
    }
    (total * (-1.0 / lstm.count() as f64)).eval()
}
