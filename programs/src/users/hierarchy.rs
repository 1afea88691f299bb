//! Statistics: the log posterior of a hierarchical regression whose group effects are correlated, with 86 unknowns.
use entape::prelude::*;
use nalgebra::{DMatrix, DVector};
use std::f64::consts::TAU;

/// A design matrix with an intercept and a slope, and observations.
#[derive(Debug)]
pub struct Group {
    x: DMatrix<f64>,
    y: DVector<f64>,
}

pub mod plain {
    use super::{Group, TAU};
    use nalgebra::{Matrix2, Vector2};

    pub fn log_posterior(p: &[f64], groups: &[Group]) -> f64 {
        let [b0, b1, log_sd0, log_sd1, angle, log_sigma] = [p[0], p[1], p[2], p[3], p[4], p[5]];
        let beta = Vector2::new(b0, b1);
        let (rho, s0, s1) = (angle.tanh(), log_sd0.exp(), log_sd1.exp());
        let cov = Matrix2::new(s0 * s0, rho * s0 * s1, rho * s0 * s1, s1 * s1);
        let Some(chol) = cov.cholesky() else {
            return f64::NEG_INFINITY;
        };
        let (l, sigma2) = (chol.l(), (2.0 * log_sigma).exp());
        let scales = log_sd0.powi(2) + log_sd1.powi(2) + angle.powi(2) + log_sigma.powi(2);
        let mut lp = -0.5 * (beta.norm_squared() / 100.0 + scales);
        for (g, z) in groups.iter().zip(p[6..].chunks(2)) {
            let z = Vector2::new(z[0], z[1]);
            let r = &g.y - &g.x * (beta + l * z);
            lp -= 0.5 * r.norm_squared() / sigma2 + g.y.len() as f64 * (log_sigma + 0.5 * TAU.ln());
            lp -= 0.5 * z.norm_squared();
        }
        lp
    }
}

/// The log posterior; minus infinity if the covariance is not positive definite.
#[entape::function]
pub fn log_posterior(p: &[Real], groups: &[Group]) -> Real {
    let [b0, b1, log_sd0, log_sd1, angle, log_sigma] = [p[0], p[1], p[2], p[3], p[4], p[5]];
    let beta = vector![b0, b1];
    let (rho, s0, s1) = (angle.tanh(), log_sd0.exp(), log_sd1.exp());
    let cov = matrix![s0 * s0, rho * s0 * s1; rho * s0 * s1, s1 * s1];
    let Ok(chol) = cov.cholesky() else {
        return Real::passive(f64::NEG_INFINITY);
    };
    let (l, sigma2) = (chol.l(), (2.0 * log_sigma).exp());
    let scales = log_sd0.powi(2) + log_sd1.powi(2) + angle.powi(2) + log_sigma.powi(2);
    let mut lp = -0.5 * (beta.norm_squared() / 100.0 + scales);
    for (g, z) in groups.iter().zip(p[6..].chunks(2)) {
        let z = vector![z[0], z[1]];
        let r = &g.y - &g.x * (beta + l * z);
        lp -= 0.5 * r.norm_squared() / sigma2 + g.y.len() as f64 * (log_sigma + 0.5 * TAU.ln());
        lp -= 0.5 * z.norm_squared();
    }
    lp
}

pub fn data() -> (Vec<f64>, Vec<Group>) {
    let noise = |k: usize| (12.9898 * k as f64 + 78.233).sin() * 1.2;
    let group = |n: usize| {
        let (a, b) = (1.0 + 0.8 * noise(n), -0.5 + 0.4 * noise(n + 100));
        let x = DMatrix::from_fn(
            15,
            2,
            |i, j| if j == 0 { 1.0 } else { 0.2 * i as f64 - 1.4 },
        );
        let y = DVector::from_fn(15, |i, _| {
            a + b * x[(i, 1)] + 0.3 * noise(1000 + 15 * n + i)
        });
        Group { x, y }
    };
    let mut p: Vec<f64> = (0..86).map(|k| 0.1 * noise(k)).collect();
    p[5] = -0.5;
    (p, (0..40).map(group).collect())
}
