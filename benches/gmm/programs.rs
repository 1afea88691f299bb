//! The objective with reals, in loops as a program in C++ has it, and with expressions of lists.
use super::problem::{Parameters, Problem};
use entape::{
    expr::list,
    prelude::*,
    real::ListReductions,
};

/// Each assignment of the plain program is a statement.
pub(crate) fn with_reals<M: Mode>(problem: &Problem, parameters: &Parameters<Real<M>>) -> Real<M> {
    let (sizes, d) = (problem.sizes, problem.sizes.dimension);
    let mut diagonals = Vec::new();
    let mut sums = Vec::new();
    for (_, factor) in parameters.components(sizes) {
        let mut sum = Real::passive(0.0);
        for q in &factor[..d] {
            sum += q;
            diagonals.push(q.exp().eval());
        }
        sums.push(sum);
    }
    let mut centred = vec![Real::passive(0.0); d];
    let mut product = centred.clone();
    let mut terms = vec![Real::passive(0.0); sizes.components];
    let mut sum = Real::passive(0.0);
    for point in problem.each_point() {
        for (k, (mean, factor)) in parameters.components(sizes).enumerate() {
            for i in 0..d {
                centred[i] = (point[i] - mean[i]).eval();
            }
            for i in 0..d {
                product[i] = (diagonals[k * d + i] * centred[i]).eval();
            }
            let mut below = factor[d..].iter();
            for i in 0..d {
                for (product, &l) in product[i + 1..].iter_mut().zip(&mut below) {
                    *product += l * centred[i];
                }
            }
            terms[k] = (parameters.alphas[k] + sums[k] - 0.5 * norm_squared(&product)).eval();
        }
        sum += log_sum_exp(&terms);
    }
    let mut prior = Real::passive(0.0);
    for (k, (_, factor)) in parameters.components(sizes).enumerate() {
        let norm = norm_squared(&diagonals[k * d..][..d]) + norm_squared(&factor[d..]);
        prior += 0.5 * problem.gamma * problem.gamma * norm - problem.m * sums[k];
    }
    let n = sizes.points as f64;
    (sum - n * log_sum_exp(&parameters.alphas) + prior + problem.constant()).eval()
}
fn norm_squared<M: Mode>(x: &[Real<M>]) -> Real<M> {
    let mut sum = (x[0] * x[0]).eval();
    for &x in &x[1..] {
        sum += x * x;
    }
    sum
}
fn log_sum_exp<M: Mode>(x: &[Real<M>]) -> Real<M> {
    let mut max = x[0];
    for &x in &x[1..] {
        if max < x {
            max = x;
        }
    }
    let mut sum = Real::passive(0.0);
    for &x in x {
        sum += (x - max).exp();
    }
    (sum.ln() + max).eval()
}

/// An expression of lists is a statement.
pub(crate) fn with_lists<M: Mode>(problem: &Problem, parameters: &Parameters<Real<M>>) -> Real<M> {
    let (sizes, d) = (problem.sizes, problem.sizes.dimension);
    // The rows of each factor, with its diagonal.
    let mut rows = Vec::new();
    let mut sums = Vec::new();
    let mut prior = Real::passive(0.0);
    for (_, factor) in parameters.components(sizes) {
        let (q, mut below) = factor.split_at(d);
        let mut of_factor: Vec<Vec<Real<M>>> = vec![Vec::new(); d];
        for i in 0..d {
            of_factor[i].push(q[i].exp().eval());
            let (column, others) = below.split_at(d - i - 1);
            let rest = of_factor[i + 1..].iter_mut().zip(column);
            rest.for_each(|(row, &l)| row.push(l));
            below = others;
        }
        let sum = q.sum().eval();
        for row in &of_factor {
            prior += 0.5 * problem.gamma * problem.gamma * row.norm_squared();
        }
        prior -= problem.m * sum;
        rows.extend(of_factor);
        sums.push(sum);
    }
    let mut terms = Vec::with_capacity(sizes.components);
    let mut centred = Vec::with_capacity(d);
    let mut product = Vec::with_capacity(d);
    let mut sum = Real::passive(0.0);
    for point in problem.each_point() {
        terms.clear();
        for (k, (mean, _)) in parameters.components(sizes).enumerate() {
            centred.clear();
            centred.extend(point.iter().zip(mean).map(|(x, &m)| (x - m).eval()));
            let rows = rows[k * d..][..d].iter();
            product.clear();
            product.extend(rows.zip(1..).map(|(row, n)| row.dot(&centred[..n]).eval()));
            let term = parameters.alphas[k] + sums[k] - 0.5 * product.norm_squared();
            terms.push(term.eval());
        }
        sum += lists_log_sum_exp(&terms);
    }
    let n = sizes.points as f64;
    (sum - n * lists_log_sum_exp(&parameters.alphas) + prior + problem.constant()).eval()
}
fn lists_log_sum_exp<M: Mode>(x: &[Real<M>]) -> Real<M> {
    let max = x.max().eval();
    (max + (list(x) - max).exp().sum().ln()).eval()
}
