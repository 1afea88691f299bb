use crate::{Outcome, moments, root_mean_square};
use entape::{Function, driver::ListShape};
use entape_adapters::nuts_rs::{
    LogDensity,
    nuts_rs::{
        Chain, CpuMath, DiagNutsSettings, Settings,
        rand::{SeedableRng, rngs::SmallRng},
    },
};
use std::thread;

#[derive(Default)]
pub struct Draws {
    pub chains: Vec<Vec<Vec<f64>>>,
    /// Draws with a step whose energy was wrong: zero or few.
    pub divergences: usize,
    pub gradients: u64,
}
impl Draws {
    pub fn of(&self, i: usize) -> Vec<Vec<f64>> {
        let chains = self.chains.iter();
        chains
            .map(|chain| chain.iter().map(|point| point[i]).collect())
            .collect()
    }
}

/// Runs chains of the No-U-Turn Sampler (M. D. Hoffman and A. Gelman, *The No-U-Turn Sampler*, 2014) for the logarithm
/// of a density, each on a thread. It draws as often for the tuning as for the result.
pub fn nuts(
    logarithm: &(impl Function<Inputs = ListShape<f64>, Values = f64> + Sync),
    start: &[f64],
    lengths: [u64; 2],
    chains: u64,
) -> Outcome<Draws> {
    let each: Outcome<Vec<_>> = thread::scope(|scope| {
        let run = |seed| scope.spawn(move || chain(logarithm, start, lengths, seed));
        let running: Vec<_> = (1..=chains).map(run).collect();
        let ended = running.into_iter().map(|chain| chain.join());
        ended
            .map(|draws| draws.expect("a chain that does not panic"))
            .collect()
    });
    let mut draws = Draws::default();
    for (points, divergences, gradients) in each? {
        draws.chains.push(points);
        draws.divergences += divergences;
        draws.gradients += gradients;
    }
    Ok(draws)
}
fn chain(
    logarithm: &impl Function<Inputs = ListShape<f64>, Values = f64>,
    start: &[f64],
    [tuning, draws]: [u64; 2],
    seed: u64,
) -> Outcome<(Vec<Vec<f64>>, usize, u64)> {
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
    Ok((points, divergences, gradients))
}

/// Returns mean and standard deviation of a mixture of distributions with these moments.
pub fn mixture(parts: impl Iterator<Item = (f64, f64)>) -> (f64, f64) {
    let (means, deviations): (Vec<f64>, Vec<f64>) = parts.unzip();
    let (mean, outer) = moments(&means);
    (mean, outer.hypot(root_mean_square(deviations.into_iter())))
}
/// Returns 1 if several chains of a number have one distribution, and above about 1.05 if they were too short (A.
/// Gelman and D. B. Rubin, *Inference from iterative simulation using multiple sequences*, 1992).
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
