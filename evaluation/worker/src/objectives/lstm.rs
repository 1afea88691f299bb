//! Long short-term memory with diagonal weights: the mean negative log-likelihood of the next bits of a sequence. `w`
//! and `b` are weights and biases of the gates *forget*, *in*, *out* and of the change. `x` is the input from the layer
//! below, `s` the logistic function, and products are elementwise:
//!
//! ```text
//! cell   = cell * s(x * w_f + b_f) + s(hidden * w_i + b_i) * tanh(hidden * w_c + b_c)
//! hidden = s(x * w_o + b_o) * tanh(cell)
//! ```
//!
//! The sequence enters the first layer times `in`; the prediction is the last hidden state times `out` plus a bias. The
//! likelihood follows ADBench, with `ln(2 + sum exp)` for the logarithm of the sum.
use super::{Case, Objective, case::Random};
use crate::Number;

#[derive(Clone, Debug)]
pub struct Lstm {
    pub layers: usize,
    /// Length of all lists.
    pub bits: usize,
    /// Hidden and cell of each layer.
    pub state: Vec<f64>,
    pub sequence: Vec<f64>,
}
pub(super) fn random(
    random: &mut Random,
    layers: usize,
    characters: usize,
    bits: usize,
) -> (Vec<f64>, Vec<f64>) {
    let inputs = random.normals(bits * (8 * layers + 3), 0.5);
    let mut data = random.normals(2 * layers * bits, 0.5);
    data.extend((0..characters * bits).map(|_| random.below(2) as f64));
    (inputs, data)
}
impl Lstm {
    pub fn steps(&self) -> impl Iterator<Item = (&[f64], &[f64])> {
        let all = || self.sequence.chunks_exact(self.bits);
        all().zip(all().skip(1))
    }
    pub fn count(&self) -> usize {
        self.sequence.len() - self.bits
    }
}
impl Objective for Lstm {
    fn new(case: &Case) -> Self {
        let &[layers, _, bits] = &case.sizes[..] else {
            unreachable!("a case has the sizes of its objective");
        };
        let (state, sequence) = case.data.split_at(2 * layers * bits);
        Lstm {
            layers,
            bits,
            state: state.to_vec(),
            sequence: sequence.to_vec(),
        }
    }
    fn reads(&self, _: usize) -> Vec<usize> {
        self.columns(0)
    }
    fn columns(&self, _: usize) -> Vec<usize> {
        (0..self.bits * (8 * self.layers + 3)).collect()
    }
    fn run<T: Number>(&self, _: usize, x: &[T], outputs: &mut Vec<T>) {
        let n = self.bits;
        let (gates, last) = x.split_at(8 * n * self.layers);
        let [first, out, bias] = [&last[..n], &last[n..2 * n], &last[2 * n..]];
        let mut state: Vec<T> = self.state.iter().map(|&x| T::constant(x)).collect();
        let mut below = vec![T::constant(0.0); n];
        let mut total = T::constant(0.0);
        for (now, next) in self.steps() {
            for ((b, &w), &x) in below.iter_mut().zip(first).zip(now) {
                *b = w * x;
            }
            for (layer, state) in state.chunks_exact_mut(2 * n).enumerate() {
                let p = &gates[8 * n * layer..][..8 * n];
                let (hidden, cell) = state.split_at_mut(n);
                for i in 0..n {
                    let gate = |x: T, k: usize| p[(4 + k) * n + i].plus_product(x, p[k * n + i]);
                    let forget = logistic(gate(below[i], 0));
                    let change = logistic(gate(hidden[i], 1)) * gate(hidden[i], 3).tanh();
                    cell[i] = change.plus_product(cell[i], forget);
                    hidden[i] = logistic(gate(below[i], 2)) * cell[i].tanh();
                }
                below.copy_from_slice(hidden);
            }
            let mut sum = T::constant(2.0);
            for i in 0..n {
                below[i] = bias[i].plus_product(below[i], out[i]);
                sum = sum + below[i].exp();
            }
            let log = sum.ln();
            for (&y, &bit) in below.iter().zip(next) {
                if bit != 0.0 {
                    total = total + (y - log) * bit;
                }
            }
        }
        outputs.push(total * (-1.0 / self.count() as f64));
    }
}
fn logistic<T: Number>(x: T) -> T {
    T::constant(1.0) / (-x).exp().plus(1.0)
}
