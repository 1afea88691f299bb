//! The carbon dioxide in the air over Mauna Loa, by a Gaussian process whose hyperparameters are found and then sampled.
//!
//! The concentration is the sum of a smooth rise, of a yearly wave whose form changes slowly, of irregularities of some months or years, and
//! of noise. Each has a covariance of its own (C. E. Rasmussen and C. K. I. Williams, *Gaussian Processes for Machine Learning*, 2006, section
//! 5.4.3), and how likely the measurements are follows from a Cholesky factorization of the sum. The covariance of all times is one matrix, so
//! a likelihood is some twenty statements on the tape, whatever the number of measurements. L-BFGS finds the nine hyperparameters with the
//! highest posterior density; then two chains of the No-U-Turn Sampler tell how sure they are.
//!
//! Measurements after a year are kept back. Look at whether they lie in the band that is foretold for them, and at whether the two chains
//! agree. The book has, for data up to 2003, a wave that fades in 90 years, irregularities of 0.7 ppm and noise of 0.2 ppm.
use applications::{
    Outcome, Settings, maximise, moments,
    picture::{self, BLUE, Chart, INK, Layer, Legend, Mark, RED},
    plain, root_mean_square, sample, table,
};

mod process;
use process::{PRIORS, Process};

const SETTINGS: &[[&str; 3]] = &[
    ["every", "each so many measurements one is used", "10"],
    ["until", "the first year that is kept back", "1994"],
    ["tune", "draws of a chain to tune it", "150"],
    ["draws", "draws of a chain to keep", "150"],
];

/// The concentrations with their times in years.
fn measurements() -> Outcome<Vec<(f64, f64)>> {
    let rows = table(include_str!("../../../data/co2.csv"))?;
    let time = |date: f64| {
        let (year, month, day) = (
            (date / 1e4).floor(),
            (date / 100.0).floor() % 100.0,
            date % 100.0,
        );
        year + (month - 1.0 + (day - 1.0) / 31.0) / 12.0
    };
    Ok(rows.iter().map(|row| (time(row[0]), row[1])).collect())
}

fn main() -> Outcome {
    let about = "Carbon dioxide over Mauna Loa by a Gaussian process";
    let settings = Settings::read("gaussian_process", about, SETTINGS)?;
    let all = measurements()?;
    let until: f64 = settings.get("until")?;
    let used = all
        .iter()
        .step_by(settings.get::<usize>("every")?.max(1))
        .copied();
    let (times, values): (Vec<f64>, Vec<f64>) = used.filter(|(t, _)| *t < until).unzip();
    let later = all.iter().filter(|(t, _)| *t >= until).copied();
    let (later, truth): (Vec<f64>, Vec<f64>) = later.unzip();
    let mean = moments(&values).0;
    let process = Process::new(&times, &values, mean);

    let start = PRIORS.map(|(_, about)| about.ln()).to_vec();
    let found = maximise::lbfgs(&process, start, 200)?;
    println!(
        "{} measurements before {until}, {} kept back",
        times.len(),
        later.len()
    );
    println!(
        "log likelihood {:.2} after {} gradients",
        process.likelihood(&plain(&found.at))?.value(),
        found.gradients
    );

    let lengths = [settings.get("tune")?, settings.get("draws")?];
    let chain = |seed| sample::nuts(&process, &found.at, lengths, seed);
    let (one, two) = std::thread::scope(|scope| {
        let other = scope.spawn(|| chain(2));
        (chain(1), other.join().expect("a chain that does not panic"))
    });
    let chains = [one?, two?];
    println!("\nhyperparameter           found     mean  deviation  disagreement of two chains");
    for (i, (name, _)) in PRIORS.iter().enumerate() {
        let of = |draws: &sample::Draws| draws.points.iter().map(|x| x[i]).collect::<Vec<_>>();
        let logarithms = [0, 1].map(|k| of(&chains[k]));
        let natural: Vec<f64> = logarithms.iter().flatten().map(|x| x.exp()).collect();
        let (mean, deviation) = moments(&natural);
        let apart = sample::disagreement(&logarithms);
        println!(
            "{name:<20} {:>9.3} {mean:>9.3} {deviation:>9.3}  {apart:>9.3}",
            found.at[i].exp()
        );
    }
    let gradients: u64 = chains.iter().map(|draws| draws.gradients).sum();
    let divergences: usize = chains.iter().map(|draws| draws.divergences).sum();
    println!("\n{gradients} gradients, {divergences} divergences");

    // What is foretold is a mixture of what some of the draws foretell.
    let draws: Vec<_> = chains.iter().flat_map(|draws| &draws.points).collect();
    let few = draws.iter().step_by((draws.len() / 40).max(1));
    let each: Vec<_> = few
        .map(|x| process.foretell(x, &later))
        .collect::<Outcome<_>>()?;
    let of_time = |j: usize| {
        let means: Vec<f64> = each.iter().map(|list| list[j].0).collect();
        let inner = root_mean_square(each.iter().map(|list| list[j].1));
        let (centre, outer) = moments(&means);
        (centre + mean, outer.hypot(inner))
    };
    let foretold: Vec<_> = (0..later.len()).map(of_time).collect();
    let apart = foretold.iter().zip(&truth).map(|((y, _), truth)| y - truth);
    let inside = apart
        .clone()
        .zip(&foretold)
        .filter(|(error, (_, s))| error.abs() < 1.96 * s);
    let share = 100.0 * inside.count() as f64 / later.len() as f64;
    println!(
        "error of what is foretold {:.3} ppm",
        root_mean_square(apart)
    );
    println!("in the band of 95 % are {share:.1} %");

    let edges =
        [-1.96, 1.96].map(|by| foretold.iter().map(|(y, s)| y + by * s).collect::<Vec<_>>());
    let band = |places: &[f64]| Layer::band("foretold, 95 %", BLUE, places, [&edges[0], &edges[1]]);
    let middle = foretold.iter().map(|(y, _)| *y);
    let known = times.iter().copied().zip(values.iter().copied());
    let kept_back = later.iter().copied().zip(truth.iter().copied());
    let recent = known.clone().filter(|(t, _)| *t > until - 4.0);
    let chart = |title, layers| Chart {
        title,
        x: "year",
        y: "CO2 in ppm",
        layers,
        legend: Legend::UpperLeft,
    };
    let whole = vec![
        band(&later),
        Layer::new("measured, used", INK, Mark::Points(2), known),
    ];
    let close = vec![
        band(&later),
        Layer::new("", BLUE, Mark::Line(2), later.iter().copied().zip(middle)),
        Layer::new("measured, used", INK, Mark::Points(3), recent),
        Layer::new("measured, kept back", RED, Mark::Points(2), kept_back),
    ];
    picture::draw(
        settings.output(),
        (620, 480),
        &[
            chart("Carbon dioxide over Mauna Loa", whole),
            chart("The years that were kept back", close),
        ],
    )?;
    Ok(())
}
