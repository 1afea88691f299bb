//! A differential equation for lynx and hare, whose right side is a small neural network.
//!
//! The Hudson's Bay Company counted the pelts that it bought each year; from 1900 to 1920 they rise and fall in turn. The classical model is that of
//! Lotka and Volterra, with four parameters. A neural ordinary differential equation (R. T. Q. Chen, Y. Rubanova, J. Bettencourt and
//! D. Duvenaud, *Neural ordinary differential equations*, 2018) has a network instead, which knows nothing of prey and predators. Both are
//! solved by the classical Runge-Kutta method for the logarithms of the counts, and fitted by L-BFGS, with gradients by entape's checkpoints, to
//! the initial state and all parameters. The network is fitted to the first years before it gets all of them.
//!
//! Look at what is left of the logarithms. B. Carpenter, *Predator-prey population dynamics: the Lotka-Volterra model in Stan*, 2018, has
//! 0.25 for both animals with the parameters 0.55, 0.028, 0.80 and 0.024 of the classical model, and the program finds them. The network
//! comes closer. On the right are its rates over the plane of hare and lynx.
use applications::{
    Outcome, Settings,
    picture::{self, BLUE, Chart, GREEN, GREY, Layer, Legend, Mark, RED},
    table,
};
use entape::prelude::*;

mod equation;
use equation::{Classical, Fit, Network, Rates};

const SETTINGS: &[[&str; 3]] = &[
    ["years", "how many are fitted, 20 at most", "20"],
    ["width", "neurons of the network", "8"],
    ["per-year", "steps of the solver in a year", "10"],
    ["steps", "steps of L-BFGS for each span of years", "300"],
];

fn main() -> Outcome {
    let settings = Settings::read(
        "neural_ode",
        "A differential equation for lynx and hare",
        SETTINGS,
    )?;
    let rows = table(include_str!("../../../data/lynx_hare.csv"))?;
    let counts: Vec<_> = rows.iter().map(|row| [row[1].ln(), row[2].ln()]).collect();
    let years = settings.get::<usize>("years")?.clamp(4, counts.len() - 1);
    let (per_year, steps) = (
        settings.get::<usize>("per-year")?.max(1),
        settings.get("steps")?,
    );
    let [hare, lynx] = counts[0];

    let classical = Fit {
        equation: &Classical,
        counts: &counts,
        years,
        per_year,
    };
    let guess = [0.5, 0.03, 0.8, 0.03].map(f64::ln);
    let parameters = classical.minimise([&[hare, lynx], &guess[..]].concat(), steps)?;
    let of_classical = classical.solve(&parameters);
    let natural: Vec<_> = parameters[2..]
        .iter()
        .map(|p| format!("{:.3}", p.exp()))
        .collect();
    println!("Lotka and Volterra's parameters {}", natural.join(" "));
    let [a, b] = classical.left(&of_classical);
    println!("left of them hare {a:.3} lynx {b:.3}");

    let network = Network {
        width: settings.get("width")?,
    };
    let mut weights = [&[hare, lynx], &network.start()[..]].concat();
    let mut fit = Fit {
        equation: &network,
        counts: &counts,
        years,
        per_year,
    };
    for part in [0.25, 0.5, 0.75, 1.0] {
        fit.years = (part * years as f64).ceil() as usize;
        weights = fit.minimise(weights, steps)?;
    }
    let of_network = fit.solve(&weights);
    let [a, b] = fit.left(&of_network);
    println!(
        "left of the network hare {a:.3} lynx {b:.3} with {} weights",
        weights.len() - 2
    );

    let time = |k: usize| rows[0][0] + k as f64 / per_year as f64;
    let curve = |solution: &[[f64; 2]], i: usize| -> Vec<(f64, f64)> {
        solution
            .iter()
            .enumerate()
            .map(|(k, x)| (time(k), x[i].exp()))
            .collect()
    };
    let measured = |i: usize| rows.iter().map(move |row| (row[0], row[i]));
    let chart = |title, i: usize| Chart {
        title,
        x: "year",
        y: "thousands of pelts",
        layers: vec![
            Layer::new(
                "Lotka, Volterra",
                GREY,
                Mark::Line(2),
                curve(&of_classical, i),
            ),
            Layer::new("network", BLUE, Mark::Line(3), curve(&of_network, i)),
            Layer::new("counted", RED, Mark::Points(4), measured(i + 1)),
        ],
        legend: Legend::UpperRight,
    };
    let plain: Vec<_> = weights.iter().map(|&x| Real::<Plain>::passive(x)).collect();
    let arrows = (0..16 * 16).flat_map(|k| {
        let at = [
            1.8 + 0.17 * f64::from(k % 16),
            1.2 + 0.2 * f64::from(k / 16),
        ];
        let rates = network
            .rates(at.map(Real::<Plain>::passive), &plain[2..])
            .map(|x| x.value());
        let long = 0.12 / (0.5 + rates[0].hypot(rates[1]));
        [
            (at[0], at[1]),
            (at[0] + long * rates[0], at[1] + long * rates[1]),
        ]
    });
    let plane = vec![
        Layer::new("rates of the network", GREEN, Mark::Segments(1), arrows),
        Layer::new(
            "its solution",
            BLUE,
            Mark::Line(2),
            of_network.iter().map(|x| (x[0], x[1])),
        ),
        Layer::new(
            "counted",
            RED,
            Mark::Points(4),
            counts.iter().map(|x| (x[0], x[1])),
        ),
    ];
    let plane = Chart {
        title: "The plane",
        x: "logarithm of hare",
        y: "logarithm of lynx",
        layers: plane,
        legend: Legend::UpperRight,
    };
    picture::draw(
        settings.output(),
        (430, 430),
        &[chart("Hare", 0), chart("Lynx", 1), plane],
    )?;
    println!("picture {}", settings.output().display());
    Ok(())
}
