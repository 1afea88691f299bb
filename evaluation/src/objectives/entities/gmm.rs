//! The mixture of Gaussians by matrices: one product for a block of points and a component.
use super::blocks;
use entape::{
    linalg::{
        Dense,
        nalgebra::{DMatrix, DVector, Dyn, U1},
    },
    op,
    prelude::*,
};
use evaluation_worker::{
    Fault,
    objectives::{Derive, Gmm},
};

/// Points of a block, so that the data of a component stay in the caches.
const BLOCK: usize = 256;

pub(super) fn derive(gmm: Gmm, x: Vec<f64>) -> Derive {
    let d = gmm.problem.sizes.dimension;
    let points: Vec<Matrix> = blocks(&gmm.problem.points, d, BLOCK);
    let constant = gmm.problem.constant();
    let parameters = gmm.parameters(&x);
    let mut tape = Tape::new();
    Box::new(move |all| {
        tape.reset();
        let vectors = |tape: &mut Tape, list: &[f64]| -> Vector {
            tape.input(DVector::from_column_slice(list))
        };
        let alphas: Array = tape.input(parameters.alphas.clone());
        let components: Vec<Component> = parameters
            .components(gmm.problem.sizes)
            .map(|(mean, factor)| Component {
                mean: vectors(&mut tape, mean),
                diagonal: vectors(&mut tape, &factor[..d]),
                below: vectors(&mut tape, &factor[d..]),
            })
            .collect();
        let y = tape.record(|| objective(&gmm, constant, &points, &alphas, &components));
        let gradient = tape.gradient(&y).map_err(Fault::tool)?;
        all.clear();
        all.extend(gradient.wrt(&alphas).map_err(Fault::tool)?);
        for x in &components {
            all.extend(gradient.wrt(&x.mean).map_err(Fault::tool)?.iter());
        }
        for x in &components {
            all.extend(gradient.wrt(&x.diagonal).map_err(Fault::tool)?.iter());
            all.extend(gradient.wrt(&x.below).map_err(Fault::tool)?.iter());
        }
        Ok(y.value())
    })
}
/// The inputs of a component: its mean, the logarithms on the diagonal of its factor, and the numbers below.
struct Component {
    mean: Vector,
    diagonal: Vector,
    below: Vector,
}
/// The numbers below the diagonal, column by column.
#[op(linear)]
fn strictly_lower(
    #[ad_in(below_diagonal(r_b))] below: &Dense<f64, Dyn, U1>,
    #[ad_passive] d: u32,
) -> Dense<f64, Dyn, Dyn> {
    let (d, mut below) = (d as usize, below.iter());
    DMatrix::from_fn(d, d, |i, j| {
        if i > j {
            below.next().copied().unwrap_or(f64::NAN)
        } else {
            0.0
        }
    })
}
fn below_diagonal(m: &DMatrix<f64>) -> DVector<f64> {
    let columns = m.column_iter().enumerate();
    DVector::from_iterator(
        m.nrows() * (m.nrows() - 1) / 2,
        columns.flat_map(|(j, c)| c.iter().skip(j + 1).copied().collect::<Vec<_>>()),
    )
}
fn objective(
    gmm: &Gmm,
    constant: f64,
    blocks: &[Matrix],
    alphas: &Array,
    components: &[Component],
) -> Real {
    let problem = &gmm.problem;
    let d = problem.sizes.dimension as u32;
    let mut total = Real::passive(constant);
    let mut maps = Vec::new();
    for (k, x) in components.iter().enumerate() {
        let sum = x.diagonal.sum().eval();
        let diagonal = x.diagonal.map(op::Exp).eval();
        let norm = diagonal.norm_squared() + x.below.norm_squared();
        total += 0.5 * problem.gamma * problem.gamma * norm - problem.m * sum;
        let factor = (strictly_lower(&x.below, d) + from_diagonal(&diagonal)).eval();
        let shift = -(&factor * &x.mean);
        let map: Matrix = factor.transpose().vstack(shift.transpose()).eval();
        maps.push((map, (alphas.at(k) + sum).eval()));
    }
    for block in blocks {
        let terms = maps.iter().map(|(map, weight)| {
            let products = (block * map).eval();
            let squares: Array = products
                .component_mul(&products)
                .column_sum()
                .to_array()
                .eval();
            (weight - 0.5 * &squares).eval()
        });
        total += log_sum_exp(&terms.collect::<Vec<Array>>());
    }
    let max = alphas.reduce_max().eval();
    let log = (max + (alphas - max).exp().sum().ln()).eval();
    (total - problem.sizes.points as f64 * log).eval()
}
fn log_sum_exp(terms: &[Array]) -> Real {
    // avoids overflow; the result does not depend on it
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
