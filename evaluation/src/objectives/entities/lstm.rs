//! Long short-term memory by arrays over the bits: two statements for each layer and character.
use entape::{op, prelude::*};
use evaluation_worker::{
    Fault,
    objectives::{Derive, Lstm},
};

#[op(elementwise)]
pub(in crate::objectives) fn logistic<L: Lane>(#[ad_in(r_b * r * (x.one() - r))] x: L) -> L {
    x.one() / (x.one() + (-x).exp())
}
/// By the exponential function, which arrays vectorise; its error is about 1e-16, also for smaller values.
#[op(elementwise)]
fn bounded<L: Lane>(#[ad_in(r_b * (x.one() - r * r))] x: L) -> L {
    let one = x.one();
    one - (one + one) / (one + (x + x).exp())
}

struct Step {
    now: Array,
    after: Array,
    count: f64,
}
pub(super) fn derive(lstm: Lstm, x: Vec<f64>) -> Derive {
    let n = lstm.bits;
    let steps: Vec<Step> = lstm
        .steps()
        .map(|(now, next)| {
            let [now, after] = [now, next].map(|bits| Array::passive(bits.to_vec()));
            Step {
                now,
                after,
                count: next.iter().sum(),
            }
        })
        .collect();
    let mut tape = Tape::new();
    Box::new(move |all| {
        tape.reset();
        let inputs: Vec<Array> = x
            .chunks_exact(n)
            .map(|list| tape.input(list.to_vec()))
            .collect();
        let y = tape.record(|| objective(&lstm, &steps, &inputs));
        let gradient = tape.gradient(&y).map_err(Fault::tool)?;
        all.clear();
        for list in &inputs {
            all.extend(gradient.wrt(list).map_err(Fault::tool)?);
        }
        Ok(y.value())
    })
}
fn objective(lstm: &Lstm, steps: &[Step], x: &[Array]) -> Real {
    let (gates, last) = x.split_at(8 * lstm.layers);
    let [first, out, bias] = last else {
        unreachable!("three lists follow the lists of the layers");
    };
    let mut states: Vec<[Array; 2]> = lstm
        .state
        .chunks_exact(2 * lstm.bits)
        .map(|both| {
            let (hidden, cell) = both.split_at(lstm.bits);
            [hidden, cell].map(|list| Array::passive(list.to_vec()))
        })
        .collect();
    let mut total = Real::passive(0.0);
    for Step { now, after, count } in steps {
        let mut below = (now * first).eval();
        for (p, state) in gates.chunks_exact(8).zip(&mut states) {
            let [wf, wi, wo, wc, bf, bi, bo, bc] = p else {
                unreachable!("each layer has eight lists");
            };
            let [hidden, cell] = state;
            let forget = logistic(&below * wf + bf);
            let change = logistic(&*hidden * wi + bi) * bounded(&*hidden * wc + bc);
            *cell = (&*cell * forget + change).eval();
            *hidden = (logistic(&below * wo + bo) * bounded(&*cell)).eval();
            below = hidden.clone();
        }
        let y = (&below * out + bias).eval();
        total += y.dot(after) - *count * (y.exp().sum() + 2.0).ln();
    }
    (total * (-1.0 / lstm.count() as f64)).eval()
}
