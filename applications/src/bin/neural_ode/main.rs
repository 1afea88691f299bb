//! A differential equation for lynx and hare whose right side is a small neural network.
//!
//! The Hudson's Bay Company counted the pelts that it bought from 1900 to 1920. The classical model of Lotka and
//! Volterra has four parameters. A neural ordinary differential equation (R. T. Q. Chen, Y. Rubanova, J. Bettencourt
//! and D. Duvenaud, *Neural ordinary differential equations*, 2018) uses a network instead. Both are solved by the
//! Runge-Kutta method for the logarithms of the counts, and fitted by L-BFGS, with gradients by checkpoints. The
//! network is fitted to the first years before it gets all of them.
//!
//! B. Carpenter, *Predator-prey population dynamics: the Lotka-Volterra model in Stan*, 2018, reports residuals of the
//! logarithms of 0.25 with the parameters 0.55, 0.028, 0.80 and 0.024 of the classical model, and the program finds
//! them. The network comes closer.
use applications::{
    Outcome, Settings, maximise,
    picture::{self, BLUE, Chart, GREEN, GREY, Layer, Legend, Mark::*, RED},
    plain, root_mean_square, table,
};
use entape::{
    Function,
    checkpoint::{Checkpoints, Steps},
    driver::{ArrayShape, ListShape},
    prelude::*,
};
use rand::{Rng, SeedableRng, rngs::SmallRng};

const SETTINGS: &[[&str; 3]] = &[
    ["years", "how many are fitted, 20 at most", "20"],
    ["width", "neurons of the network", "8"],
    ["per-year", "steps of the solver in a year", "10"],
    ["steps", "steps of L-BFGS for each span of years", "300"],
];

trait Rates: Clone + 'static {
    const DECAY: f64;
    fn rates<M: Mode>(&self, state: [Real<M>; 2], p: &[Real<M>]) -> [Real<M>; 2];
}
/// Lotka and Volterra's equations, by the logarithms of the four parameters.
#[derive(Clone)]
struct Classical;
impl Rates for Classical {
    const DECAY: f64 = 0.0;
    fn rates<M: Mode>(&self, [hare, lynx]: [Real<M>; 2], p: &[Real<M>]) -> [Real<M>; 2] {
        let grows = (p[0].exp() - (p[1] + lynx).exp()).eval();
        [grows, ((p[3] + hare).exp() - p[2].exp()).eval()]
    }
}
/// A network with one hidden layer: for each neuron a bias, two weights in front and two behind; then two biases.
#[derive(Clone)]
struct Network;
impl Rates for Network {
    const DECAY: f64 = 2e-3;
    fn rates<M: Mode>(&self, [hare, lynx]: [Real<M>; 2], p: &[Real<M>]) -> [Real<M>; 2] {
        let (neurons, ends) = p.split_at(p.len() - 2);
        let (hare, lynx) = ((hare - 3.3).eval(), (lynx - 2.7).eval());
        let mut out = [ends[0], ends[1]];
        for p in neurons.chunks_exact(5) {
            let active = (p[0] + p[1] * hare + p[2] * lynx).tanh().eval();
            out[0] += p[3] * active;
            out[1] += p[4] * active;
        }
        out
    }
}

/// The classical Runge-Kutta method, with steps of this fraction of a year.
#[derive(Clone)]
struct RungeKutta<R>(R, f64);
impl<R: Rates> Steps for RungeKutta<R> {
    type State = ArrayShape<f64, 2>;
    type Parameters = ListShape<f64>;
    type Output<M: Mode> = [Real<M>; 2];
    fn step<M: Mode>(&self, _: usize, x: [Real<M>; 2], p: &[Real<M>]) -> [Real<M>; 2] {
        let RungeKutta(equation, h) = self;
        let ahead = |by: f64, k: [Real<M>; 2]| [0, 1].map(|i| (x[i] + by * k[i]).eval());
        let a = equation.rates(x, p);
        let b = equation.rates(ahead(0.5 * h, a), p);
        let c = equation.rates(ahead(0.5 * h, b), p);
        let d = equation.rates(ahead(*h, c), p);
        [0, 1].map(|i| (x[i] + *h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i])).eval())
    }
}
/// The equation with the logarithms of the counts, one pair for each year.
struct Fit<'f, R> {
    solver: RungeKutta<R>,
    counts: &'f [[f64; 2]],
    per_year: usize,
}
impl<R: Rates> Function for Fit<'_, R> {
    type Inputs = ListShape<f64>;
    type Values = f64;
    type Output<M: Mode> = Real<M>;
    /// The misfit, by the initial state and the parameters in one list. A year is one statement.
    fn call<M: Mode>(&self, x: &[Real<M>]) -> Real<M> {
        let (mut state, p) = ([x[0], x[1]], &x[2..]);
        let squares: Real<M> = p.iter().map(|p| p * p).sum();
        let mut misfit = (R::DECAY * squares).eval();
        for (year, [hare, lynx]) in self.counts.iter().enumerate() {
            if year > 0 {
                let (solver, loops) = (self.solver.clone(), Checkpoints::new().states(5));
                let next = loops.as_statement(solver, state, p, self.per_year);
                state = next.expect("steps that cannot fail");
            }
            misfit += (state[0] - *hare).powi(2) + (state[1] - *lynx).powi(2);
        }
        (-misfit).eval()
    }
}
impl<R: Rates> Fit<'_, R> {
    /// The states after each step, and the residual of the logarithms of each animal.
    fn solve(&self, x: &[f64]) -> (Vec<[f64; 2]>, [f64; 2]) {
        let x = plain(x);
        let mut state = [x[0], x[1]];
        let mut all = vec![state.map(|x| x.value())];
        for number in 0..(self.counts.len() - 1) * self.per_year {
            state = self.solver.step(number, state, &x[2..]);
            all.push(state.map(|x| x.value()));
        }
        let of_years = || all.iter().step_by(self.per_year).zip(self.counts);
        let left = [0, 1].map(|i| root_mean_square(of_years().map(|(x, y)| x[i] - y[i])));
        (all, left)
    }
}

fn main() -> Outcome {
    let about = "A differential equation for lynx and hare";
    let settings = Settings::read("neural_ode", about, SETTINGS)?;
    let rows = table(include_str!("../../../data/lynx_hare.csv"))?;
    let counts: Vec<_> = rows.iter().map(|row| [row[1].ln(), row[2].ln()]).collect();
    let years = settings.get::<usize>("years")?.clamp(4, counts.len() - 1);
    let per_year = settings.get::<usize>("per-year")?.max(1);
    let steps = settings.get("steps")?;

    let h = 1.0 / per_year as f64;
    let classical = Fit {
        solver: RungeKutta(Classical, h),
        counts: &counts[..=years],
        per_year,
    };
    let guess = [0.5, 0.03, 0.8, 0.03].map(f64::ln);
    let start = [&counts[0], &guess[..]].concat();
    let parameters = maximise::lbfgs(&classical, start, steps)?.at;
    let [a, b, c, d] = [2, 3, 4, 5].map(|i| parameters[i].exp());
    println!("Lotka and Volterra's parameters {a:.3} {b:.3} {c:.3} {d:.3}");
    let (of_classical, [a, b]) = classical.solve(&parameters);
    println!("left of them hare {a:.3} lynx {b:.3}");

    let mut random = SmallRng::seed_from_u64(3);
    let count = 5 * settings.get::<usize>("width")? + 2;
    let start = (0..count).map(|_| random.random_range(-0.5..0.5));
    let mut weights: Vec<f64> = counts[0].into_iter().chain(start).collect();
    let mut network = Fit {
        solver: RungeKutta(Network, h),
        counts: &counts,
        per_year,
    };
    for part in [0.25, 0.5, 0.75, 1.0] {
        network.counts = &counts[..=(part * years as f64).ceil() as usize];
        weights = maximise::lbfgs(&network, weights, steps)?.at;
    }
    let (of_network, [a, b]) = network.solve(&weights);
    println!("left of the network hare {a:.3} lynx {b:.3} with {count} weights");

    let curve = |solution: &[[f64; 2]], i: usize| {
        let points = solution.iter().enumerate();
        let points = points.map(|(k, x)| (rows[0][0] + k as f64 / per_year as f64, x[i].exp()));
        points.collect::<Vec<_>>()
    };
    let animal = |title, i: usize| {
        let counted = rows.iter().map(|row| (row[0], row[i + 1]));
        let layers = vec![
            Layer::new("Lotka, Volterra", GREY, Line(2), curve(&of_classical, i)),
            Layer::new("network", BLUE, Line(3), curve(&of_network, i)),
            Layer::new("counted", RED, Points(4), counted),
        ];
        let axes = ["year", "thousands of pelts"];
        Chart::new(title, axes, Legend::UpperRight, layers)
    };
    let weights = plain(&weights[2..]);
    let arrows = (0..16 * 16).flat_map(|k| {
        let (column, row) = (f64::from(k % 16), f64::from(k / 16));
        let (x, y) = (1.8 + 0.17 * column, 1.2 + 0.2 * row);
        let at = [x, y].map(Real::<Plain>::passive);
        let [dx, dy] = Network.rates(at, &weights).map(|d| d.value());
        let long = 0.12 / (0.5 + dx.hypot(dy));
        [(x, y), (x + long * dx, y + long * dy)]
    });
    let pair = |x: &[f64; 2]| (x[0], x[1]);
    let layers = vec![
        Layer::new("rates of the network", GREEN, Segments(1), arrows),
        Layer::new("its solution", BLUE, Line(2), of_network.iter().map(pair)),
        Layer::new("counted", RED, Points(4), counts.iter().map(pair)),
    ];
    let axes = ["logarithm of hare", "logarithm of lynx"];
    let plane = Chart::new("The plane", axes, Legend::UpperRight, layers);
    let charts = [animal("Hare", 0), animal("Lynx", 1), plane];
    picture::draw(settings.output(), (430, 430), &charts)
}
