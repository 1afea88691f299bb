//! The Gaussian process: its covariance, its likelihood, and what it foretells.
use applications::{Outcome, plain};
use entape::{
    Function,
    driver::ListShape,
    linalg::{Cholesky, prelude::*},
    op,
    prelude::*,
};
use nalgebra::{DMatrix, DVector, Dyn};
use std::f64::consts::{PI, TAU};

/// The hyperparameters, and what they are about: their logarithms have normal priors around these, with a deviation of 1.
pub(crate) const PRIORS: [(&str, f64); 9] = [
    ("rise, ppm", 50.0),
    ("rise, years", 50.0),
    ("wave, ppm", 3.0),
    ("wave fades, years", 50.0),
    ("wave, smoothness", 1.0),
    ("irregular, ppm", 0.5),
    ("irregular, years", 1.0),
    ("irregular, tails", 1.0),
    ("noise, ppm", 0.2),
];

/// What the covariance of two lists of times depends on: of each pair the squared distance, and the squared sine of the seasons between.
struct Distances {
    squares: DMatrix<f64>,
    seasons: DMatrix<f64>,
}
impl Distances {
    fn between(a: &[f64], b: &[f64]) -> Self {
        let each = |f: fn(f64) -> f64| DMatrix::from_fn(a.len(), b.len(), |i, j| f(a[i] - b[j]));
        Distances {
            squares: each(|t| t * t),
            seasons: each(|t| (PI * t).sin().powi(2)),
        }
    }
    /// The covariances, without noise.
    fn covariance<M: Mode>(&self, hyper: &[Real<M>]) -> Matrix<M> {
        let [squares, seasons] =
            [&self.squares, &self.seasons].map(|m| Matrix::<M>::passive(m.clone()));
        let per = |i: usize| (1.0 / (hyper[i] * hyper[i])).eval();
        let rise = (&squares * (-0.5 * per(1))).map(op::Exp) * hyper[0].powi(2);
        let fading = &squares * (0.5 * per(3)) + &seasons * (2.0 * per(4));
        let wave = (-fading).map(op::Exp) * hyper[2].powi(2);
        let near = (&squares * (0.5 * per(6) / hyper[7])).map(op::Ln1p);
        let irregular = (near * -hyper[7]).map(op::Exp) * hyper[5].powi(2);
        (rise + wave + irregular).eval()
    }
}

pub(crate) struct Process {
    times: Vec<f64>,
    /// Differences to the mean.
    values: DVector<f64>,
    distances: Distances,
}
impl Process {
    pub(crate) fn new(times: &[f64], values: &[f64], mean: f64) -> Self {
        Process {
            times: times.to_vec(),
            values: DVector::from_iterator(values.len(), values.iter().map(|y| y - mean)),
            distances: Distances::between(times, times),
        }
    }
    /// The covariance of the measurements, with their noise, as a factorization.
    fn factor<M: Mode>(
        &self,
        hyper: &[Real<M>],
    ) -> Result<Cholesky<f64, Dyn, M>, NotPositiveDefinite> {
        let n = self.values.len();
        let noise = constant(DMatrix::<f64>::identity(n, n)) * hyper[8].powi(2);
        let mut covariance = self.distances.covariance(hyper);
        covariance += noise;
        covariance.cholesky()
    }
    /// The logarithm of the likelihood.
    pub(crate) fn likelihood<M: Mode>(
        &self,
        logarithms: &[Real<M>],
    ) -> Result<Real<M>, NotPositiveDefinite> {
        let factor = self.factor(&exp(logarithms))?;
        let y = Vector::<M>::passive(self.values.clone());
        let explained = y.dot(factor.solve(&y));
        let per_value = TAU.ln() * self.values.len() as f64;
        Ok((-0.5 * (explained + factor.ln_determinant() + per_value)).eval())
    }
    /// Mean and standard deviation of measurements at other times.
    pub(crate) fn foretell(&self, logarithms: &[f64], times: &[f64]) -> Outcome<Vec<(f64, f64)>> {
        let hyper = exp(&plain(logarithms));
        let factor = self.factor(&hyper)?;
        let across = Distances::between(&self.times, times).covariance(&hyper);
        let weights = factor
            .solve(&Vector::<Plain>::passive(self.values.clone()))
            .eval();
        let means = across.tr_mul(&weights).eval();
        let known = factor.solve(&across).eval().component_mul(&across).eval();
        let own = Distances::between(&[0.0], &[0.0]).covariance(&hyper);
        let variance = own.get()[(0, 0)] + hyper[8].value().powi(2);
        let of = |j: usize| (variance - known.get().column(j).sum()).max(0.0).sqrt();
        Ok((0..times.len()).map(|j| (means.get()[j], of(j))).collect())
    }
}
impl Function for Process {
    type Inputs = ListShape<f64>;
    type Values = f64;
    type Output<M: Mode> = Real<M>;
    /// The logarithm of the posterior density but for a constant.
    fn call<M: Mode>(&self, logarithms: &[Real<M>]) -> Real<M> {
        let Ok(likelihood) = self.likelihood(logarithms) else {
            return Real::passive(f64::NEG_INFINITY);
        };
        let apart = logarithms
            .iter()
            .zip(PRIORS)
            .map(|(x, (_, about))| (x - about.ln()).powi(2));
        let prior: Real<M> = apart.sum();
        (likelihood - 0.5 * prior).eval()
    }
}
fn exp<M: Mode>(logarithms: &[Real<M>]) -> Vec<Real<M>> {
    logarithms.iter().map(|x| x.exp().eval()).collect()
}
