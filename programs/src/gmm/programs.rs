//! The objective with reals, and with expressions of lists.
use super::problem::{self, Parameters, Problem};
use entape::{expr::list, kind::List, op, prelude::*, real::ListReductions};

pub fn with_reals<M: Mode>(problem: &Problem, parameters: &Parameters<Real<M>>) -> Real<M> {
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

pub fn with_lists<M: Mode>(problem: &Problem, parameters: &Parameters<Real<M>>) -> Real<M> {
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

#[op(shared(ref p = product(factor, x)))]
fn norm_squared_of_product(
    #[ad_in({
        let mut each = Vec::with_capacity(factor.len());
        each.extend(p.iter().zip(x).map(|(p, x)| 2.0 * r_b * p * x));
        for (i, x) in x.iter().enumerate() {
            each.extend(p[i + 1..].iter().map(|p| 2.0 * r_b * p * x));
        }
        each
    })]
    factor: List<f64>,
    #[ad_in({
        let (q, below) = factor.split_at(x.len());
        let each = problem::columns(below, x.len()).zip(q).zip(p).enumerate();
        let each = each.map(|(i, ((column, q), p_i))| {
            let rest = column.iter().zip(&p[i + 1..]);
            2.0 * r_b * (q * p_i + rest.map(|(l, p)| l * p).sum::<f64>())
        });
        each.collect::<Vec<f64>>()
    })]
    x: List<f64>,
) -> f64 {
    problem::norm_squared(&product(factor, x))
}
fn product(factor: &[f64], x: &[f64]) -> Vec<f64> {
    let mut product = vec![0.0; x.len()];
    let (q, below) = factor.split_at(x.len());
    problem::multiply(q, below, x, &mut product);
    product
}
pub fn with_operation<M: Mode>(problem: &Problem, parameters: &Parameters<Real<M>>) -> Real<M> {
    let (sizes, d) = (problem.sizes, problem.sizes.dimension);
    let mut factors = Vec::new();
    let mut sums = Vec::new();
    let mut prior = Real::passive(0.0);
    for (_, factor) in parameters.components(sizes) {
        let (q, below) = factor.split_at(d);
        let sum = q.sum().eval();
        let mut factor: Vec<Real<M>> = q.iter().map(|q| q.exp().eval()).collect();
        factor.extend(below);
        prior += 0.5 * problem.gamma * problem.gamma * factor.norm_squared() - problem.m * sum;
        factors.push(factor);
        sums.push(sum);
    }
    let mut terms = Vec::with_capacity(sizes.components);
    let mut centred = Vec::with_capacity(d);
    let mut sum = Real::passive(0.0);
    for point in problem.each_point() {
        terms.clear();
        for (k, (mean, _)) in parameters.components(sizes).enumerate() {
            centred.clear();
            centred.extend(point.iter().zip(mean).map(|(x, &m)| (x - m).eval()));
            let square = norm_squared_of_product(list(&factors[k]), list(&centred));
            terms.push((parameters.alphas[k] + sums[k] - 0.5 * square).eval());
        }
        sum += lists_log_sum_exp(&terms);
    }
    let n = sizes.points as f64;
    (sum - n * lists_log_sum_exp(&parameters.alphas) + prior + problem.constant()).eval()
}
