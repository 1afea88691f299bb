//! Sampling by `nuts-rs`, of densities that return their logarithm and its gradient.
use crate::Outcome;
use nuts_rs::{
    Chain, CpuLogpFunc, CpuMath, CpuMathError, DiagNutsSettings, HasDims, LogpError, Settings,
    rand::{Rng, SeedableRng, rngs::SmallRng},
};
use std::collections::HashMap;

/// Draws of the No-U-Turn Sampler.
pub struct Draws {
    /// One point for each draw.
    pub points: Vec<Vec<f64>>,
    /// How many draws had a step whose energy was wrong: there should be none or few.
    pub divergences: usize,
    /// How many gradients were computed, those of the tuning included.
    pub gradients: u64,
}

/// A point where the density is not defined. The sampler rejects it and goes on.
#[derive(Debug, thiserror::Error)]
#[error("the density is not defined: {0}")]
struct Undefined(String);
impl LogpError for Undefined {
    fn is_recoverable(&self) -> bool {
        true
    }
}
struct Density<F> {
    logarithm: F,
    dimension: usize,
}
impl<F> HasDims for Density<F> {
    fn dim_sizes(&self) -> HashMap<String, u64> {
        HashMap::from([("dim".to_owned(), self.dimension as u64)])
    }
}
impl<F: Fn(&[f64]) -> Outcome<(f64, Vec<f64>)>> CpuLogpFunc for Density<F> {
    type LogpError = Undefined;
    type FlowParameters = ();
    type ExpandedVector = Vec<f64>;
    fn dim(&self) -> usize {
        self.dimension
    }
    fn logp(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64, Undefined> {
        let (value, slope) = (self.logarithm)(x).map_err(|e| Undefined(e.to_string()))?;
        gradient.copy_from_slice(&slope);
        Ok(value)
    }
    fn expand_vector<R: Rng + ?Sized>(
        &mut self,
        _: &mut R,
        x: &[f64],
    ) -> Result<Vec<f64>, CpuMathError> {
        Ok(x.to_vec())
    }
}

/// One chain of the No-U-Turn Sampler (M. D. Hoffman and A. Gelman, *The No-U-Turn Sampler*, 2014): so many draws to tune it, and
/// as many as are returned, from a start where the density is high.
///
/// # Errors
/// If the density is not defined at the start.
pub fn nuts(
    logarithm: impl Fn(&[f64]) -> Outcome<(f64, Vec<f64>)>,
    start: &[f64],
    [tuning, draws]: [usize; 2],
    seed: u64,
) -> Outcome<Draws> {
    let settings = DiagNutsSettings {
        num_tune: tuning as u64,
        num_draws: draws as u64,
        ..DiagNutsSettings::default()
    };
    let dimension = start.len();
    let math = CpuMath::new(Density {
        logarithm,
        dimension,
    });
    let mut random = SmallRng::seed_from_u64(seed);
    let mut chain = settings.new_chain(seed, math, &mut random)?;
    chain.set_position(start)?;
    let (mut points, mut divergences, mut gradients) = (Vec::new(), 0, 0);
    for draw in 0..tuning + draws {
        let (point, progress) = chain.draw()?;
        gradients += progress.num_gradients;
        if draw >= tuning {
            divergences += usize::from(progress.diverging);
            points.push(point.to_vec());
        }
    }
    Ok(Draws {
        points,
        divergences,
        gradients,
    })
}

/// How much several chains of one number disagree: 1 if they have one distribution, above 1.05 or so if they were too short. The
/// potential scale reduction of A. Gelman and D. B. Rubin, *Inference from iterative simulation using multiple sequences*, 1992.
///
/// # Panics
/// If the chains have different lengths.
pub fn disagreement(chains: &[Vec<f64>]) -> f64 {
    let draws = chains[0].len();
    assert!(
        chains.iter().all(|chain| chain.len() == draws),
        "chains of different lengths"
    );
    let (means, deviations): (Vec<f64>, Vec<f64>) =
        chains.iter().map(|chain| crate::moments(chain)).unzip();
    let within = deviations.iter().map(|s| s * s).sum::<f64>() / chains.len() as f64;
    let between = crate::moments(&means).1.powi(2);
    ((draws as f64 - 1.0) / draws as f64 + between / within).sqrt()
}
