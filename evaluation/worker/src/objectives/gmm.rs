//! A mixture of Gaussians; `entape_programs::gmm` documents its formula. Inputs are the weights, the means and the factors.
use super::{Case, Objective};
use crate::Number;
use entape_programs::gmm::problem::{Parameters, Problem, Sizes};

#[derive(Clone, Debug)]
pub struct Gmm {
    pub problem: Problem,
    constant: f64,
}
impl Gmm {
    pub fn parameters<T: Clone>(&self, x: &[T]) -> Parameters<T> {
        let [alphas, means, icf] = self.lists(x).map(<[T]>::to_vec);
        Parameters { alphas, means, icf }
    }
    fn lists<'x, T>(&self, x: &'x [T]) -> [&'x [T]; 3] {
        let Sizes {
            dimension,
            components,
            ..
        } = self.problem.sizes;
        let (alphas, rest) = x.split_at(components);
        let (means, icf) = rest.split_at(components * dimension);
        [alphas, means, icf]
    }
}
pub(super) fn random(dimension: usize, components: usize, points: usize) -> (Vec<f64>, Vec<f64>) {
    let sizes = Sizes {
        dimension,
        components,
        points,
    };
    let (problem, parameters) = Problem::random(sizes);
    let data = [problem.points, vec![problem.gamma, problem.m]].concat();
    (parameters.lists().concat(), data)
}
impl Objective for Gmm {
    fn new(case: &Case) -> Self {
        let &[dimension, components, points] = &case.sizes[..] else {
            unreachable!("a case has the sizes of its objective");
        };
        let (numbers, prior) = case.data.split_at(points * dimension);
        let problem = Problem {
            sizes: Sizes {
                dimension,
                components,
                points,
            },
            points: numbers.to_vec(),
            gamma: prior[0],
            m: prior[1],
        };
        let constant = problem.constant();
        Gmm { problem, constant }
    }
    fn reads(&self, _: usize) -> Vec<usize> {
        self.columns(0)
    }
    fn columns(&self, _: usize) -> Vec<usize> {
        let Sizes {
            dimension,
            components,
            ..
        } = self.problem.sizes;
        (0..components * (1 + dimension + self.problem.sizes.factor())).collect()
    }
    fn run<T: Number>(&self, _: usize, x: &[T], outputs: &mut Vec<T>) {
        let Problem {
            sizes, gamma, m, ..
        } = self.problem;
        let (d, factor) = (sizes.dimension, sizes.factor());
        let [alphas, means, icf] = self.lists(x);
        let each_factor = || icf.chunks_exact(factor);
        let diagonals: Vec<T> = each_factor()
            .flat_map(|f| f[..d].iter().map(|q| q.exp()))
            .collect();
        let sums: Vec<T> = each_factor().map(|f| sum(&f[..d])).collect();
        let mut centred = vec![T::constant(0.0); d];
        let mut product = centred.clone();
        let mut terms = vec![T::constant(0.0); sizes.components];
        let mut total = T::constant(self.constant);
        for point in self.problem.each_point() {
            let components = means
                .chunks_exact(d)
                .zip(each_factor())
                .zip(diagonals.chunks_exact(d));
            for (k, ((mean, factor), diagonal)) in components.enumerate() {
                for ((c, &m), &x) in centred.iter_mut().zip(mean).zip(point) {
                    *c = (-m).plus(x);
                }
                for ((p, &q), &c) in product.iter_mut().zip(diagonal).zip(&centred) {
                    *p = q * c;
                }
                let mut below = factor[d..].iter();
                for (i, &c) in centred.iter().enumerate() {
                    for (p, &l) in product[i + 1..].iter_mut().zip(&mut below) {
                        *p = p.plus_product(l, c);
                    }
                }
                terms[k] = alphas[k] + sums[k] - squares(&product) * 0.5;
            }
            total = total + log_sum_exp(&terms);
        }
        for ((factor, diagonal), &sum) in each_factor().zip(diagonals.chunks_exact(d)).zip(&sums) {
            let mut norm = squares(diagonal);
            if d > 1 {
                norm = norm + squares(&factor[d..]);
            }
            total = total + norm * (0.5 * gamma * gamma);
            if m != 0.0 {
                total = total - sum * m;
            }
        }
        outputs.push(total - log_sum_exp(alphas) * sizes.points as f64);
    }
}
fn sum<T: Number>(x: &[T]) -> T {
    x[1..].iter().fold(x[0], |sum, &x| sum + x)
}
fn squares<T: Number>(x: &[T]) -> T {
    x[1..]
        .iter()
        .fold(x[0] * x[0], |sum, &x| sum.plus_product(x, x))
}
fn log_sum_exp<T: Number>(x: &[T]) -> T {
    let largest = |max: T, &x: &T| if x.value() > max.value() { x } else { max };
    let max = x[1..].iter().fold(x[0], largest);
    let sum = x[1..]
        .iter()
        .fold((x[0] - max).exp(), |sum, &x| sum + (x - max).exp());
    sum.ln() + max
}
