//! The mixture of Gaussians by arrays over points: one for each coordinate of a block of points, and for each component.
use entape::{expr::list, prelude::*, real::ListReductions};
use entape_programs::gmm::problem::{Parameters, Sizes};
use evaluation_worker::{
    Fault,
    objectives::{Derive, Gmm},
};

/// Points of a block, so that what belongs to a component stays in the caches.
const BLOCK: usize = 256;

pub(super) fn derive(gmm: Gmm, x: Vec<f64>) -> Derive {
    let d = gmm.problem.sizes.dimension;
    let parameters = gmm.parameters(&x);
    let blocks: Vec<Vec<Array>> = gmm
        .problem
        .points
        .chunks(BLOCK * d)
        .map(|points| {
            let coordinate = |i| {
                points
                    .iter()
                    .skip(i)
                    .step_by(d)
                    .copied()
                    .collect::<Vec<f64>>()
            };
            (0..d).map(|i| Array::passive(coordinate(i))).collect()
        })
        .collect();
    let constant = gmm.problem.constant();
    let mut tape = Tape::new();
    Box::new(move |all| {
        tape.reset();
        let inputs = parameters.map(|list| tape.inputs(list.iter().copied()));
        let y = tape.record(|| objective(&gmm, constant, &blocks, &inputs));
        let gradient = tape.gradient(&y).map_err(Fault::tool)?;
        all.clear();
        for list in inputs.lists() {
            all.extend(gradient.wrt_all(list).map_err(Fault::tool)?);
        }
        Ok(y.value())
    })
}
fn objective(gmm: &Gmm, constant: f64, blocks: &[Vec<Array>], x: &Parameters<Real>) -> Real {
    let problem = &gmm.problem;
    let Sizes {
        dimension: d,
        points,
        ..
    } = problem.sizes;
    let mut total = Real::passive(constant);
    let mut components = Vec::new();
    for ((mean, factor), alpha) in x.components(problem.sizes).zip(&x.alphas) {
        let (q, below) = factor.split_at(d);
        let sum = q.sum().eval();
        let diagonal: Vec<Real> = q.iter().map(|q| q.exp().eval()).collect();
        let norm = diagonal.norm_squared() + below.norm_squared();
        total += 0.5 * problem.gamma * problem.gamma * norm - problem.m * sum;
        components.push((mean, diagonal, below, (alpha + sum).eval()));
    }
    for block in blocks {
        let terms = components.iter().map(|(mean, diagonal, below, weight)| {
            let centred = block.iter().zip(*mean).map(|(x, m)| (x - m).eval());
            let centred: Vec<Array> = centred.collect();
            let products = diagonal.iter().zip(&centred).map(|(q, c)| (q * c).eval());
            let mut products: Vec<Array> = products.collect();
            let mut below = below.iter();
            for (i, c) in centred.iter().enumerate() {
                for (product, l) in products[i + 1..].iter_mut().zip(&mut below) {
                    *product += l * c;
                }
            }
            let mut square = (&products[0] * &products[0]).eval();
            for product in &products[1..] {
                square += product * product;
            }
            (weight - 0.5 * &square).eval()
        });
        total += log_sum_exp(&terms.collect::<Vec<Array>>());
    }
    let max = x.alphas.max().eval();
    let log = (max + (list(&x.alphas) - max).exp().sum().ln()).eval();
    (total - points as f64 * log).eval()
}
/// The sum over points of the logarithm of the sum over components.
fn log_sum_exp(terms: &[Array]) -> Real {
    // Any number that is subtracted and added gives the same; the largest avoids overflow.
    let mut max = terms[0].get().clone();
    for term in &terms[1..] {
        max.iter_mut()
            .zip(term.get().iter())
            .for_each(|(max, &x)| *max = max.max(x));
    }
    let max = Array::passive(max);
    let mut sum = (&terms[0] - &max).exp().eval();
    for term in &terms[1..] {
        sum += (term - &max).exp();
    }
    (sum.ln() + &max).sum().eval()
}
