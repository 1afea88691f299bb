//! Hand-written long short-term memory: the result of each gate is stored for the way back.
use evaluation_worker::objectives::{Derive, Lstm};

#[derive(Clone, Copy, Default)]
struct Kept {
    below: f64,
    hidden: f64,
    cell: f64,
    forget: f64,
    input: f64,
    output: f64,
    change: f64,
    bounded: f64,
}
pub(super) fn derive(lstm: Lstm, x: Vec<f64>) -> Derive {
    let (n, layers) = (lstm.bits, lstm.layers);
    let steps = lstm.count() / n;
    let mut kept = vec![Kept::default(); n * layers * steps];
    let mut tops = vec![0.0; n * steps];
    // the exponentials of the predictions, and two with their sum
    let mut exponentials = vec![0.0; n * steps];
    let mut sums = vec![0.0; steps];
    Box::new(move |all| {
        let (gates, last) = x.split_at(8 * n * layers);
        let (first, out, bias) = (&last[..n], &last[n..2 * n], &last[2 * n..]);
        let mut state = lstm.state.clone();
        let mut below = vec![0.0; n];
        let mut total = 0.0;
        for (t, (now, next)) in lstm.steps().enumerate() {
            for i in 0..n {
                below[i] = now[i] * first[i];
            }
            for layer in 0..layers {
                let p = &gates[8 * n * layer..][..8 * n];
                let (hidden, cell) = state[2 * n * layer..][..2 * n].split_at_mut(n);
                let kept = &mut kept[n * (layers * t + layer)..][..n];
                for i in 0..n {
                    let gate = |x: f64, k: usize| x * p[k * n + i] + p[(4 + k) * n + i];
                    let forget = logistic(gate(below[i], 0));
                    let input = logistic(gate(hidden[i], 1));
                    let output = logistic(gate(below[i], 2));
                    let change = gate(hidden[i], 3).tanh();
                    let new = cell[i] * forget + input * change;
                    let bounded = new.tanh();
                    kept[i] = Kept {
                        below: below[i],
                        hidden: hidden[i],
                        cell: cell[i],
                        forget,
                        input,
                        output,
                        change,
                        bounded,
                    };
                    cell[i] = new;
                    hidden[i] = output * bounded;
                }
                below.copy_from_slice(hidden);
            }
            let mut sum = 2.0;
            for i in 0..n {
                tops[t * n + i] = below[i];
                let y = below[i] * out[i] + bias[i];
                total += next[i] * y;
                exponentials[t * n + i] = y.exp();
                sum += exponentials[t * n + i];
            }
            sums[t] = sum;
            total -= next.iter().sum::<f64>() * sum.ln();
        }
        let scale = -1.0 / lstm.count() as f64;
        all.clear();
        all.resize(x.len(), 0.0);
        let (gates_b, last_b) = all.split_at_mut(8 * n * layers);
        let (first_b, rest_b) = last_b.split_at_mut(n);
        let (out_b, bias_b) = rest_b.split_at_mut(n);
        let mut state_b = vec![0.0; 2 * n * layers];
        let all_steps: Vec<_> = lstm.steps().collect();
        for (t, (now, next)) in all_steps.into_iter().enumerate().rev() {
            let count: f64 = next.iter().sum();
            for i in 0..n {
                let y_b = scale * (next[i] - count * exponentials[t * n + i] / sums[t]);
                out_b[i] += y_b * tops[t * n + i];
                bias_b[i] += y_b;
                below[i] = y_b * out[i];
            }
            for layer in (0..layers).rev() {
                let p = &gates[8 * n * layer..][..8 * n];
                let p_b = &mut gates_b[8 * n * layer..][..8 * n];
                let (hidden_b, cell_b) = state_b[2 * n * layer..][..2 * n].split_at_mut(n);
                let kept = &kept[n * (layers * t + layer)..][..n];
                for (i, k) in kept.iter().enumerate() {
                    let new_b = hidden_b[i] + below[i];
                    let c_b = cell_b[i] + new_b * k.output * (1.0 - k.bounded * k.bounded);
                    let mut add = |gate: usize, z_b: f64, x: f64| {
                        p_b[gate * n + i] += z_b * x;
                        p_b[(4 + gate) * n + i] += z_b;
                        z_b * p[gate * n + i]
                    };
                    below[i] = add(0, c_b * k.cell * k.forget * (1.0 - k.forget), k.below)
                        + add(2, new_b * k.bounded * k.output * (1.0 - k.output), k.below);
                    hidden_b[i] = add(1, c_b * k.change * k.input * (1.0 - k.input), k.hidden)
                        + add(3, c_b * k.input * (1.0 - k.change * k.change), k.hidden);
                    cell_b[i] = c_b * k.forget;
                }
            }
            for i in 0..n {
                first_b[i] += below[i] * now[i];
            }
        }
        Ok(scale * total)
    })
}
fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}
