//! Sampling by `nuts-rs`.
use crate::{Outcome, moments};
use entape::{Function, driver::ListShape};
use entape_adapters::nuts_rs::{
    LogDensity,
    nuts_rs::{
        Chain, CpuMath, DiagNutsSettings, Settings,
        rand::{SeedableRng, rngs::SmallRng},
    },
};

/// Draws of the No-U-Turn Sampler.
pub struct Draws {
    /// One point for each draw.
    pub points: Vec<Vec<f64>>,
    /// How many draws had a step whose energy was wrong: there should be none or few.
    pub divergences: usize,
    /// How many gradients were computed, those of the tuning included.
    pub gradients: u64,
}

/// One chain of the No-U-Turn Sampler (M. D. Hoffman and A. Gelman, *The No-U-Turn Sampler*, 2014) for the logarithm of a density: so
/// many draws to tune it, and as many as are returned, from a start where the density is high.
///
/// # Errors
/// If the density is not defined at the start.
pub fn nuts(
    logarithm: impl Function<Inputs = ListShape<f64>, Values = f64>,
    start: &[f64],
    [tuning, draws]: [u64; 2],
    seed: u64,
) -> Outcome<Draws> {
    let settings = DiagNutsSettings {
        num_tune: tuning,
        num_draws: draws,
        ..DiagNutsSettings::default()
    };
    let math = CpuMath::new(LogDensity::new(logarithm, start.len()));
    let mut chain = settings.new_chain(seed, math, &mut SmallRng::seed_from_u64(seed))?;
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
        chains.iter().map(|chain| moments(chain)).unzip();
    let within = deviations.iter().map(|s| s * s).sum::<f64>() / chains.len() as f64;
    let between = moments(&means).1.powi(2);
    ((draws as f64 - 1.0) / draws as f64 + between / within).sqrt()
}
