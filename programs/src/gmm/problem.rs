//! The objective, its plain program and the hand-written gradient.
//!
//! Each of `K` components of dimension `d` has a weight `alpha_k`, a mean `mu_k` and a factor of its inverse covariance
//! matrix: `Q_k` is lower triangular with `exp(q_k)` on its diagonal and `l_k` below it. `icf` is `q_k, l_k`. With the
//! points `x_i` the objective is
//!
//! ```text
//! sum_i lse_k (alpha_k + sum q_k - |Q_k (x_i - mu_k)|²/2) - n lse(alpha) - n d ln(2 pi)/2
//!     + sum_k (gamma² (|exp q_k|² + |l_k|²)/2 - m sum q_k) - K C
//! ```
//!
//! where `lse` is the logarithm of a sum of exponentials, and `C` the constant of the Wishart prior.
use entape::prelude::*;
use rand::{Rng, SeedableRng, rngs::SmallRng};
use rand_distr::StandardNormal;
use std::f64::consts::{LN_2, PI, TAU};

#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    pub dimension: usize,
    pub components: usize,
    pub points: usize,
}
impl Sizes {
    pub fn factor(self) -> usize {
        self.dimension * (self.dimension + 1) / 2
    }
}

#[derive(Clone, Debug)]
pub struct Parameters<T> {
    /// Logarithms of the weights, up to a constant.
    pub alphas: Vec<T>,
    /// Means, component by component.
    pub means: Vec<T>,
    /// Factors of the inverse covariances, component by component.
    pub icf: Vec<T>,
}
impl<T> Parameters<T> {
    pub fn lists(&self) -> [&[T]; 3] {
        [&self.alphas, &self.means, &self.icf]
    }
    pub fn map<U>(&self, mut list: impl FnMut(&[T]) -> Vec<U>) -> Parameters<U> {
        let [alphas, means, icf] = self.lists().map(&mut list);
        Parameters { alphas, means, icf }
    }
    pub fn components(&self, sizes: Sizes) -> impl Iterator<Item = (&[T], &[T])> {
        let factors = self.icf.chunks_exact(sizes.factor());
        self.means.chunks_exact(sizes.dimension).zip(factors)
    }
}

#[derive(Clone, Debug)]
pub struct Problem {
    pub sizes: Sizes,
    pub points: Vec<f64>,
    /// The weight of the factors in the Wishart prior.
    pub gamma: f64,
    /// Degrees of freedom of the prior beyond the dimension.
    pub m: f64,
}
impl Problem {
    pub fn random(sizes: Sizes) -> (Problem, Parameters<f64>) {
        let mut random = SmallRng::seed_from_u64(31);
        let mut normal = |count: usize, scale: f64| -> Vec<f64> {
            let number = |_| scale * random.sample::<f64, _>(StandardNormal);
            (0..count).map(number).collect()
        };
        let Sizes {
            dimension,
            components,
            points,
        } = sizes;
        let problem = Problem {
            sizes,
            points: normal(points * dimension, 1.0),
            gamma: 1.0,
            m: 0.0,
        };
        let parameters = Parameters {
            alphas: normal(components, 1.0),
            means: normal(components * dimension, 1.0),
            icf: normal(components * sizes.factor(), 0.3),
        };
        (problem, parameters)
    }
    pub fn each_point(&self) -> impl Iterator<Item = &[f64]> {
        self.points.chunks_exact(self.sizes.dimension)
    }
    /// Returns the part that does not depend on the parameters.
    pub fn constant(&self) -> f64 {
        let [d, k, n] = [
            self.sizes.dimension,
            self.sizes.components,
            self.sizes.points,
        ]
        .map(|size| size as f64);
        let freedom = d + self.m + 1.0;
        let ln_gamma = |j| Real::<Plain>::passive(0.5 * (freedom - j as f64)).ln_gamma();
        let multivariate: f64 = (0..self.sizes.dimension)
            .map(|j| ln_gamma(j).eval().value())
            .sum();
        let prior = freedom * d * (self.gamma.ln() - 0.5 * LN_2)
            - (0.25 * d * (d - 1.0) * PI.ln() + multivariate);
        -0.5 * n * d * TAU.ln() - k * prior
    }

    pub fn plain(&self, parameters: &Parameters<f64>) -> f64 {
        let d = self.sizes.dimension;
        let diagonals = self.diagonals(parameters);
        let sums = self.sums(parameters);
        let (mut centred, mut product) = (vec![0.0; d], vec![0.0; d]);
        let mut terms = vec![0.0; self.sizes.components];
        let mut sum = 0.0;
        for point in self.each_point() {
            let components = parameters.components(self.sizes);
            for (k, (mean, factor)) in components.enumerate() {
                let diagonal = &diagonals[k * d..][..d];
                centre(point, mean, &mut centred);
                multiply(diagonal, &factor[d..], &centred, &mut product);
                terms[k] = parameters.alphas[k] + sums[k] - 0.5 * norm_squared(&product);
            }
            sum += log_sum_exp(&terms);
        }
        let mut prior = 0.0;
        for (k, (_, factor)) in parameters.components(self.sizes).enumerate() {
            let norm = norm_squared(&diagonals[k * d..][..d]) + norm_squared(&factor[d..]);
            prior += 0.5 * self.gamma * self.gamma * norm - self.m * sums[k];
        }
        sum - self.sizes.points as f64 * log_sum_exp(&parameters.alphas) + prior + self.constant()
    }
    pub fn by_hand(&self, parameters: &Parameters<f64>) -> (f64, Parameters<f64>) {
        let d = self.sizes.dimension;
        let diagonals = self.diagonals(parameters);
        let sums = self.sums(parameters);
        let mut gradient = parameters.map(|list| vec![0.0; list.len()]);
        let mut diagonals_b = vec![0.0; diagonals.len()];
        let mut sums_b = vec![0.0; sums.len()];
        let mut centred = vec![0.0; diagonals.len()];
        let mut products = vec![0.0; diagonals.len()];
        let mut centred_b = vec![0.0; d];
        let mut terms = vec![0.0; self.sizes.components];
        let mut sum = 0.0;
        for point in self.each_point() {
            let components = parameters.components(self.sizes);
            for (k, (mean, factor)) in components.enumerate() {
                let of = k * d..(k + 1) * d;
                let product = &mut products[of.clone()];
                centre(point, mean, &mut centred[of.clone()]);
                multiply(&diagonals[of.clone()], &factor[d..], &centred[of], product);
                terms[k] = parameters.alphas[k] + sums[k] - 0.5 * norm_squared(product);
            }
            let log = log_sum_exp(&terms);
            sum += log;
            let factors = parameters.icf.chunks_exact(self.sizes.factor());
            let factors_b = gradient.icf.chunks_exact_mut(self.sizes.factor());
            for (k, (factor, factor_b)) in factors.zip(factors_b).enumerate() {
                let weight = (terms[k] - log).exp();
                gradient.alphas[k] += weight;
                sums_b[k] += weight;
                let of = k * d..(k + 1) * d;
                let (centred, product_b) = (&centred[of.clone()], &mut products[of.clone()]);
                product_b.iter_mut().for_each(|p| *p *= -weight);
                let (mut below, mut below_b) = (&factor[d..], &mut factor_b[d..]);
                for i in 0..d {
                    let rest = &product_b[i + 1..];
                    let (column, others) = below.split_at(rest.len());
                    let (column_b, others_b) = below_b.split_at_mut(rest.len());
                    centred_b[i] = diagonals[of.start + i] * product_b[i];
                    diagonals_b[of.start + i] += product_b[i] * centred[i];
                    for ((l, l_b), p_b) in column.iter().zip(column_b).zip(rest) {
                        centred_b[i] += l * p_b;
                        *l_b += p_b * centred[i];
                    }
                    (below, below_b) = (others, others_b);
                }
                let mean_b = &mut gradient.means[of];
                mean_b.iter_mut().zip(&centred_b).for_each(|(m, c)| *m -= c);
            }
        }
        let log = log_sum_exp(&parameters.alphas);
        let n = self.sizes.points as f64;
        let square = self.gamma * self.gamma;
        let mut prior = 0.0;
        let factors_b = gradient.icf.chunks_exact_mut(self.sizes.factor());
        let components = parameters.components(self.sizes).zip(factors_b);
        for (k, ((_, factor), factor_b)) in components.enumerate() {
            gradient.alphas[k] -= n * (parameters.alphas[k] - log).exp();
            let diagonal = &diagonals[k * d..][..d];
            prior += 0.5 * square * (norm_squared(diagonal) + norm_squared(&factor[d..]))
                - self.m * sums[k];
            for i in 0..d {
                factor_b[i] += (diagonals_b[k * d + i] + square * diagonal[i]) * diagonal[i]
                    + (sums_b[k] - self.m);
            }
            let below = factor_b[d..].iter_mut().zip(&factor[d..]);
            below.for_each(|(l_b, l)| *l_b += square * l);
        }
        (sum - n * log + prior + self.constant(), gradient)
    }
    fn diagonals(&self, parameters: &Parameters<f64>) -> Vec<f64> {
        let logarithms = parameters
            .components(self.sizes)
            .flat_map(|(_, factor)| &factor[..self.sizes.dimension]);
        logarithms.map(|q| q.exp()).collect()
    }
    fn sums(&self, parameters: &Parameters<f64>) -> Vec<f64> {
        let logarithms = parameters
            .components(self.sizes)
            .map(|(_, factor)| &factor[..self.sizes.dimension]);
        logarithms.map(|q| q.iter().sum()).collect()
    }
}

fn centre(point: &[f64], mean: &[f64], centred: &mut [f64]) {
    for ((c, x), m) in centred.iter_mut().zip(point).zip(mean) {
        *c = x - m;
    }
}
/// Returns the columns below the diagonal of a factor of `d` rows.
pub fn columns(mut below: &[f64], d: usize) -> impl Iterator<Item = &[f64]> {
    (0..d).map(move |i| below.split_off(..d - i - 1).unwrap_or_default())
}
/// Multiplies a factor, given as its diagonal and the part below, with `x`.
pub fn multiply(diagonal: &[f64], below: &[f64], x: &[f64], product: &mut [f64]) {
    for ((p, q), x) in product.iter_mut().zip(diagonal).zip(x) {
        *p = q * x;
    }
    for (i, (column, x)) in columns(below, x.len()).zip(x).enumerate() {
        for (p, l) in product[i + 1..].iter_mut().zip(column) {
            *p += l * x;
        }
    }
}
pub fn norm_squared(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}
fn log_sum_exp(x: &[f64]) -> f64 {
    let max = x.iter().fold(f64::NEG_INFINITY, |max, &x| max.max(x));
    max + x.iter().map(|x| (x - max).exp()).sum::<f64>().ln()
}
