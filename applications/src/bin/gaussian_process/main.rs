//! The carbon dioxide in the air over Mauna Loa, by a Gaussian process whose hyperparameters are estimated and then
//! sampled.
//!
//! The concentration is the sum of a smooth rise, a yearly wave with slowly changing shape, irregularities of some
//! months or years, and noise, each with a covariance (C. E. Rasmussen and C. K. I. Williams, *Gaussian Processes for
//! Machine Learning*, 2006, section 5.4.3). A likelihood is some twenty statements. L-BFGS finds the nine
//! hyperparameters with the highest posterior density; then two chains of the No-U-Turn Sampler estimate their
//! uncertainty.
//!
//! Measurements held back should lie in the predicted band, and the two chains agree. The book has, for data up to
//! 2003, a wave that decays in 90 years, irregularities of 0.7 ppm and noise of 0.2 ppm.
use applications::{
    Outcome, Settings, maximise, moments,
    picture::{self, BLUE, Chart, INK, Layer, Legend::UpperLeft, Mark::*, RED, points},
    plain, root_mean_square, sample, table, year,
};
use entape::linalg::{Cholesky, prelude::*};
use entape::{Function, driver::ListShape, op, prelude::*};
use nalgebra::{DMatrix, DVector, Dyn};
use std::f64::consts::{PI, TAU};

const SETTINGS: &[[&str; 3]] = &[
    ["every", "each so many measurements one is used", "10"],
    ["until", "the first year that is kept back", "1994"],
    ["tune", "draws of a chain to tune it", "150"],
    ["draws", "draws of a chain to keep", "150"],
];

/// The hyperparameters and their typical values, around which their logarithms have normal priors with a deviation
/// of 1.
const PRIORS: [(&str, f64); 9] = [
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

/// For each pair of times the squared distance, and the squared sine of the seasons between them.
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

type Factored<T> = Result<T, NotPositiveDefinite>;
struct Process {
    times: Vec<f64>,
    mean: f64,
    values: DVector<f64>,
    distances: Distances,
}
impl Process {
    fn new(times: &[f64], values: &[f64]) -> Self {
        let mean = moments(values).0;
        Process {
            mean,
            times: times.to_vec(),
            values: DVector::from_iterator(values.len(), values.iter().map(|y| y - mean)),
            distances: Distances::between(times, times),
        }
    }
    /// The covariance of the measurements, with their noise, as a factorization.
    fn factor<M: Mode>(&self, hyper: &[Real<M>]) -> Factored<Cholesky<f64, Dyn, M>> {
        let n = self.values.len();
        let noise = constant(DMatrix::<f64>::identity(n, n)) * hyper[8].powi(2);
        let mut covariance = self.distances.covariance(hyper);
        covariance += noise;
        covariance.cholesky()
    }
    fn likelihood<M: Mode>(&self, logarithms: &[Real<M>]) -> Factored<Real<M>> {
        let factor = self.factor(&exp(logarithms))?;
        let y = Vector::<M>::passive(self.values.clone());
        let explained = y.dot(factor.solve(&y));
        let per_value = TAU.ln() * self.values.len() as f64;
        Ok((-0.5 * (explained + factor.ln_determinant() + per_value)).eval())
    }
    fn foretell(&self, logarithms: &[f64], times: &[f64]) -> Outcome<Vec<(f64, f64)>> {
        let hyper = exp(&plain(logarithms));
        let factor = self.factor(&hyper)?;
        let across = Distances::between(&self.times, times).covariance(&hyper);
        let y = Vector::<Plain>::passive(self.values.clone());
        let weights = factor.solve(&y).eval();
        let means = across.tr_mul(&weights).eval();
        let known = factor.solve(&across).eval().component_mul(&across).eval();
        let own = Distances::between(&[0.0], &[0.0]).covariance(&hyper);
        let variance = own.get()[(0, 0)] + hyper[8].value().powi(2);
        let of = |j: usize| (variance - known.get().column(j).sum()).max(0.0).sqrt();
        let each = (0..times.len()).map(|j| (self.mean + means.get()[j], of(j)));
        Ok(each.collect())
    }
}
impl Function for Process {
    type Inputs = ListShape<f64>;
    type Values = f64;
    type Output<M: Mode> = Real<M>;
    fn call<M: Mode>(&self, logarithms: &[Real<M>]) -> Real<M> {
        let nowhere = Real::passive(f64::NEG_INFINITY);
        let likelihood = self.likelihood(logarithms).unwrap_or(nowhere);
        let about = |i: usize| (logarithms[i] - PRIORS[i].1.ln()).powi(2);
        let prior: Real<M> = (0..PRIORS.len()).map(about).sum();
        (likelihood - 0.5 * prior).eval()
    }
}
fn exp<M: Mode>(logarithms: &[Real<M>]) -> Vec<Real<M>> {
    logarithms.iter().map(|x| x.exp().eval()).collect()
}

fn main() -> Outcome {
    let about = "Carbon dioxide over Mauna Loa by a Gaussian process";
    let settings = Settings::read("gaussian_process", about, SETTINGS)?;
    let rows = table(include_str!("../../../data/co2.csv"))?;
    let all = rows.iter().map(|row| (year(row[0]), row[1]));
    let (until, every): (f64, usize) = (settings.get("until")?, settings.get("every")?);
    let used = all.clone().step_by(every.max(1));
    let (times, values): (Vec<f64>, Vec<f64>) = used.filter(|(t, _)| *t < until).unzip();
    let (later, truth): (Vec<f64>, Vec<f64>) = all.filter(|(t, _)| *t >= until).unzip();
    let process = Process::new(&times, &values);

    let start = PRIORS.map(|(_, about)| about.ln()).to_vec();
    let maximise::Maximum { at, gradients } = maximise::lbfgs(&process, start, 200)?;
    let (count, kept_back) = (times.len(), later.len());
    println!("{count} measurements before {until}, {kept_back} kept back");
    let likelihood = process.likelihood(&plain(&at))?.value();
    println!("log likelihood {likelihood:.2} after {gradients} gradients");

    let lengths = [settings.get("tune")?, settings.get("draws")?];
    let draws = sample::nuts(&process, &at, lengths, 2)?;
    println!("\nhyperparameter           found     mean  deviation  disagreement of two chains");
    for (i, (name, _)) in PRIORS.iter().enumerate() {
        let logarithms = draws.of(i);
        let natural: Vec<f64> = logarithms.iter().flatten().map(|x| x.exp()).collect();
        let (mean, deviation) = moments(&natural);
        let (found, apart) = (at[i].exp(), sample::disagreement(&logarithms));
        println!("{name:<20} {found:>9.3} {mean:>9.3} {deviation:>9.3}  {apart:>9.3}");
    }
    let (gradients, divergences) = (draws.gradients, draws.divergences);
    println!("\n{gradients} gradients, {divergences} divergences");

    // a mixture of the predictions of some of the draws
    let all: Vec<_> = draws.chains.iter().flatten().collect();
    let few = all.iter().step_by((all.len() / 40).max(1));
    let each: Outcome<Vec<_>> = few.map(|x| process.foretell(x, &later)).collect();
    let each = each?;
    let of_time = |j: usize| sample::mixture(each.iter().map(|list| list[j]));
    let foretold: Vec<_> = (0..later.len()).map(of_time).collect();
    let errors = || foretold.iter().zip(&truth).map(|((y, _), truth)| y - truth);
    let inside = errors()
        .zip(&foretold)
        .filter(|(e, f)| e.abs() < 1.96 * f.1);
    let share = 100.0 * inside.count() as f64 / later.len() as f64;
    let error = root_mean_square(errors());
    println!("error of what is foretold {error:.3} ppm\nin the band of 95 % are {share:.1} %");

    let edge = |by: f64| -> Vec<_> { foretold.iter().map(|(y, s)| y + by * s).collect() };
    let band = || Layer::band("foretold, 95 %", BLUE, &later, [&edge(-1.96), &edge(1.96)]);
    let kept_back = points(&later, &truth);
    let known = points(&times, &values);
    let recent = known.iter().copied().filter(|(t, _)| *t > until - 4.0);
    let close = vec![
        band(),
        Layer::new("", BLUE, Line(2), points(&later, &edge(0.0))),
        Layer::new("measured, used", INK, Points(3), recent),
        Layer::new("measured, kept back", RED, Points(2), kept_back),
    ];
    let whole = vec![band(), Layer::new("measured, used", INK, Points(2), known)];
    let chart = |title, layers| Chart::new(title, ["year", "CO2 in ppm"], UpperLeft, layers);
    let charts = [
        chart("Carbon dioxide over Mauna Loa", whole),
        chart("The years that were kept back", close),
    ];
    picture::draw(settings.output(), (620, 480), &charts)
}
