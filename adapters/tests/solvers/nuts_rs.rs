//! A distribution with known moments, sampled by chains on two threads.
use entape::{Error, Function, driver::ListShape, function, prelude::*, try_external};
use entape_adapters::nuts_rs::{
    EvaluationError, LogDensity,
    nuts_rs::{
        Chain, CpuLogpFunc, CpuMath, DiagNutsSettings, HashMapConfig, HashMapValue, LogpError,
        Sampler, SamplerWaitResult, Settings,
        rand::{SeedableRng, rngs::StdRng},
    },
};
use std::{sync::Arc, time::Duration};

const MEAN: [f64; 3] = [1.0, -2.0, 0.5];
/// The factor of the covariance, a lower triangle.
const FACTOR: [[f64; 3]; 3] = [[2.0, 0.0, 0.0], [1.5, 1.0, 0.0], [-0.3, 0.4, 0.5]];
struct Normal;
impl Function for Normal {
    type Inputs = ListShape<f64>;
    type Values = f64;
    type Output<M: Mode> = Real<M>;
    fn call<M: Mode>(&self, x: &[Real<M>]) -> Real<M> {
        let mut z = Vec::new();
        for i in 0..3 {
            let known: Real<M> = (0..i).map(|j| FACTOR[i][j] * z[j]).sum();
            z.push(((x[i] - MEAN[i] - known) / FACTOR[i][i]).eval());
        }
        z.iter().map(|z| -0.5 * z * z).sum()
    }
}

/// Mean and standard error of a series in several chains. For the correlation of draws, autocovariances are summed
/// while the sums of neighbours are positive (C. J. Geyer, *Practical Markov chain Monte Carlo*, 1992).
fn estimate(chains: &[Vec<f64>]) -> (f64, f64) {
    let (count, length) = (chains.len() as f64, chains[0].len());
    let mean = chains.iter().flatten().sum::<f64>() / (count * length as f64);
    let covariance = |lag: usize| {
        let pairs = |chain: &Vec<f64>| {
            let pairs = chain.iter().zip(&chain[lag..]);
            pairs.map(|(x, y)| (x - mean) * (y - mean)).sum::<f64>()
        };
        chains.iter().map(pairs).sum::<f64>() / (count * length as f64)
    };
    let mut sum = -covariance(0);
    for lag in (0..length / 2).step_by(2) {
        let neighbours = covariance(lag) + covariance(lag + 1);
        if neighbours <= 0.0 {
            break;
        }
        sum += 2.0 * neighbours;
    }
    (
        mean,
        (sum.max(covariance(0) / 10.0) / (count * length as f64)).sqrt(),
    )
}

#[test]
fn moments() {
    let (chains, draws) = (4, 1000);
    let settings = DiagNutsSettings {
        num_tune: 400,
        num_draws: draws,
        num_chains: chains,
        seed: 7,
        ..Default::default()
    };
    let model = Arc::new(LogDensity::new(Normal, 3).around(&MEAN));
    let mut sampler =
        Sampler::new(model, settings, HashMapConfig::new(), 2, None).expect("a sampler");
    let traces = loop {
        match sampler.wait_timeout(Duration::from_secs(60)) {
            SamplerWaitResult::Trace(traces) => break traces,
            SamplerWaitResult::Timeout(rest) => sampler = rest,
            SamplerWaitResult::Err(error, _) => panic!("{error}"),
        }
    };
    assert_eq!(traces.len(), chains);
    // the draws of the warm-up come first
    let kept = traces.iter().map(|trace| match trace.draws.get("value") {
        Some(HashMapValue::F64(values)) => values[values.len() - 3 * draws as usize..].to_vec(),
        _ => panic!("draws are numbers"),
    });
    let kept: Vec<Vec<f64>> = kept.collect();
    let series = |of: &dyn Fn(&[f64]) -> f64| -> Vec<Vec<f64>> {
        kept.iter()
            .map(|chain| chain.chunks(3).map(of).collect())
            .collect()
    };
    // Four standard errors, for nine estimates, are exceeded by chance for one of 1700 seeds.
    let check = |what: &str, of: &dyn Fn(&[f64]) -> f64, want: f64, variance: f64| {
        let (mean, error) = estimate(&series(of));
        assert!(
            (mean - want).abs() < 4.0 * error,
            "{what}: {mean} is not {want} to {error}"
        );
        let effective = variance / error.powi(2);
        assert!(
            effective > 400.0,
            "{what}: {effective} effective draws tell nothing"
        );
    };
    let covariance = |i: usize, j: usize| (0..3).map(|k| FACTOR[i][k] * FACTOR[j][k]).sum::<f64>();
    for i in 0..3 {
        check("mean", &|x| x[i], MEAN[i], covariance(i, i));
        for j in 0..=i {
            let want = covariance(i, j);
            // the variance of a product of two normal variables
            let variance = covariance(i, i) * covariance(j, j) + want * want;
            check(
                "covariance",
                &|x| (x[i] - MEAN[i]) * (x[j] - MEAN[j]),
                want,
                variance,
            );
        }
    }
}

/// Half of a normal distribution: the logarithm is undefined below zero.
#[function]
fn half<M: Mode>(x: &[Real<M>]) -> Real<M> {
    (x[0].ln() - 0.5 * x[0] * x[0]).eval()
}
#[test]
fn points_without_a_density_are_divergences() {
    let density = CpuMath::new(LogDensity::new(half {}, 1));
    let settings = DiagNutsSettings {
        num_tune: 50,
        ..Default::default()
    };
    let mut chain = settings
        .new_chain(0, density, &mut StdRng::seed_from_u64(3))
        .expect("a chain");
    chain.set_position(&[0.7]).expect("a density");
    let mut divergences = 0;
    for _ in 0..300 {
        let (x, progress) = chain.draw().expect("no error ends the run");
        assert!(x[0] > 0.0);
        divergences += u32::from(progress.diverging);
    }
    assert!(divergences > 0);
}
#[test]
fn errors() {
    let evaluate = |density: &mut dyn FnMut(&mut [f64]) -> Result<f64, EvaluationError>| {
        density(&mut [0.0]).expect_err("an error")
    };
    let mut below = LogDensity::new(half {}, 1);
    let error = evaluate(&mut |g| below.logp(&[-1.0], g));
    assert!(matches!(error, EvaluationError::NotFinite { density } if density.is_nan()));
    assert!(error.is_recoverable());

    #[function]
    fn table<M: Mode>(x: &[Real<M>]) -> Real<M> {
        try_external(x[0], x[0].value(), |_: f64| {
            Err::<f64, _>("the table ends here")
        })
        .eval()
    }
    let mut table = LogDensity::new(table {}, 1);
    let error = evaluate(&mut |g| table.logp(&[1.0], g));
    assert!(matches!(
        error,
        EvaluationError::Derivative(Error::External(_))
    ));
    assert!(error.is_recoverable());
    assert!(!EvaluationError::Derivative(Error::Broken).is_recoverable());
}
#[test]
#[should_panic(expected = "a start of 2 numbers does not fit a density of 3 parameters")]
fn a_start_of_another_length() {
    let _ = LogDensity::new(Normal, 3).around(&[0.0; 2]);
}
