//! A soap film, by Newton's method with exact Hessian-vector products.
//!
//! ```text
//! cargo run --release -p entape-examples --example newton                  32 x 32 heights
//! cargo run --release -p entape-examples --example newton -- --help
//! ```
//!
//! A film in a frame minimises its area. Its height over a square is given on the edge and unknown at `n x n` points
//! inside: the area is a sum over triangles, `½ d² √(1 + u_x² + u_y²)` each. The frame is the edge of a minimal surface
//! of Scherk (1834), `u = ln(cos y / cos x)`, so the heights are known up to the size of the triangles.
//!
//! Two methods of `argmin` start from a flat film: L-BFGS with gradients, and a trust region with Steihaug's conjugate
//! gradients, which takes products of the Hessian with vectors. A product is two sweeps over a recording.
use argmin::{
    core::{
        CostFunction, Executor, Gradient, Hessian, IterState, KV, Solver, State,
        observers::{Observe, ObserverMode},
    },
    solver::{
        linesearch::MoreThuenteLineSearch,
        quasinewton::LBFGS,
        trustregion::{Steihaug, TrustRegion},
    },
};
use argmin_math::ArgminDot;
use entape::{
    driver::{Function, ListShape, Objective},
    prelude::*,
};
use lexopt::{Arg, ValueExt};
use std::{error::Error as StdError, path::PathBuf, sync::Arc, sync::Mutex, time::Instant};

#[path = "newton/picture.rs"]
mod picture;

const HELP: &str = "\
The film of least area in a frame, by a trust region with exact Hessian-vector products and by L-BFGS

usage: newton [options]
  -n, --points N   heights along one side (32)
  -o, --output F   the picture (newton.svg)
  -h, --help       this text";

type Outcome<T = ()> = Result<T, Box<dyn StdError>>;
type Fault = argmin::core::Error;

#[derive(Clone, Copy, Debug)]
struct Film {
    n: usize,
}
impl Film {
    fn width(&self) -> f64 {
        2.0 / (self.n as f64 + 1.0)
    }
    /// Points of the edge have an index 0 or n + 1.
    fn scherk(&self, i: usize, j: usize) -> f64 {
        let [x, y] = [i, j].map(|k| k as f64 * self.width() - 1.0);
        (y.cos() / x.cos()).ln()
    }
    fn distance(&self, u: &[f64]) -> f64 {
        let exact = |k: usize| self.scherk(k % self.n + 1, k / self.n + 1);
        let each = u.iter().enumerate();
        each.fold(0.0, |worst, (k, u)| worst.max((u - exact(k)).abs()))
    }
}
impl Function for Film {
    type Inputs = ListShape<f64>;
    type Values = f64;
    type Output<M: Mode> = Active<f64, M>;
    /// The area; the flat square has the area 4.
    fn call<M: Mode>(&self, u: &[Active<f64, M>]) -> Active<f64, M> {
        let (n, d) = (self.n, self.width());
        let is_inside = |k: usize| (1..=n).contains(&k);
        let height = |i: usize, j: usize| match is_inside(i) && is_inside(j) {
            true => u[i - 1 + (j - 1) * n],
            false => Active::passive(self.scherk(i, j)),
        };
        let mut area = Active::passive(0.0);
        for (i, j) in (0..=n).flat_map(|j| (0..=n).map(move |i| (i, j))) {
            let corners = [(i, j), (i + 1, j), (i, j + 1), (i + 1, j + 1)];
            let [a, b, c, e] = corners.map(|(i, j)| height(i, j));
            // two triangles, below and above the diagonal
            let below = (((b - a) / d).powi(2) + ((c - a) / d).powi(2) + 1.0).sqrt();
            let above = (((e - c) / d).powi(2) + ((e - b) / d).powi(2) + 1.0).sqrt();
            area += (below + above) * (0.5 * d * d);
        }
        area
    }
}

struct Problem(Arc<Objective<Film>>);
impl CostFunction for Problem {
    type Param = Vec<f64>;
    type Output = f64;
    fn cost(&self, u: &Vec<f64>) -> Result<f64, Fault> {
        Ok(self.0.value(u))
    }
}
impl Gradient for Problem {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;
    fn gradient(&self, u: &Vec<f64>) -> Result<Vec<f64>, Fault> {
        Ok(self.0.gradient(u)?)
    }
}
impl Hessian for Problem {
    type Param = Vec<f64>;
    type Hessian = Products;
    fn hessian(&self, u: &Vec<f64>) -> Result<Products, Fault> {
        let (area, at) = (self.0.clone(), u.clone());
        Ok(Products { area, at })
    }
}
#[derive(Clone)]
struct Products {
    area: Arc<Objective<Film>>,
    at: Vec<f64>,
}
impl ArgminDot<Vec<f64>, Vec<f64>> for Products {
    fn dot(&self, v: &Vec<f64>) -> Vec<f64> {
        let product = self.area.hessian_vector(&self.at, v);
        product.expect("the operations of the area have second derivatives")
    }
}

/// After each step the seconds, and the norm of the gradient.
type Steps = Vec<(f64, f64)>;
struct Watch {
    area: Objective<Film>,
    start: Instant,
    /// The time taken by recording them.
    apart: f64,
    steps: Arc<Mutex<Steps>>,
}
impl<S: State<Param = Vec<f64>>> Observe<S> for Watch {
    fn observe_iter(&mut self, state: &S, _: &KV) -> Result<(), Fault> {
        let now = self.start.elapsed().as_secs_f64();
        if let (Some(u), Ok(mut steps)) = (state.get_param(), self.steps.lock()) {
            let square = self.area.gradient(u)?.iter().map(|x| x * x).sum::<f64>();
            steps.push((now - self.apart, square.sqrt()));
        }
        self.apart += self.start.elapsed().as_secs_f64() - now;
        Ok(())
    }
}
/// From the flat film, for at most `most` steps.
fn run<S, H>(film: Film, solver: S, most: u64) -> Outcome<(Vec<f64>, Steps)>
where
    S: Solver<Problem, IterState<Vec<f64>, Vec<f64>, (), H, (), f64>>,
    IterState<Vec<f64>, Vec<f64>, (), H, (), f64>: State<Param = Vec<f64>, Float = f64>,
{
    let steps = Arc::new(Mutex::new(Vec::new()));
    let watch = Watch {
        area: Objective::new(film),
        start: Instant::now(),
        apart: 0.0,
        steps: steps.clone(),
    };
    let result = Executor::new(Problem(Arc::new(Objective::new(film))), solver)
        .configure(|state| state.param(vec![0.0; film.n * film.n]).max_iters(most))
        .add_observer(watch, ObserverMode::Always)
        .run()?;
    let found = result.state().get_best_param().ok_or("no step was made")?;
    let steps = std::mem::take(&mut *steps.lock().map_err(|_| "a step panicked")?);
    Ok((found.clone(), steps))
}

fn main() -> Outcome {
    let Some((n, output)) = arguments()? else {
        println!("{HELP}");
        return Ok(());
    };
    let film = Film { n };
    let search = MoreThuenteLineSearch::new().with_c(1e-4, 0.9)?;
    let (_, slow) = run(film, LBFGS::new(search, 7).with_tolerance_grad(1e-9)?, 300)?;
    let conjugate = Steihaug::new().with_epsilon(1e-10)?;
    let region = TrustRegion::new(conjugate)
        .with_max_radius(100.0)?
        .with_radius(10.0)?;
    // This solver does not test for convergence.
    let (found, fast) = run(film, region, 12)?;
    println!(
        "{} unknowns           steps   seconds   norm of the gradient",
        n * n
    );
    for (name, steps) in [("L-BFGS", &slow), ("Newton", &fast)] {
        let (seconds, norm) = steps.last().ok_or("no step was made")?;
        println!(
            "{name}              {:>8}  {seconds:>8.3}   {norm:.1e}",
            steps.len()
        );
    }
    let distance = film.distance(&found);
    println!(
        "\narea {:.6}, at most {distance:.1e} away from Scherk's surface",
        film.value(&found)
    );
    picture::write(&output, &slow, &fast)?;
    println!("picture {}", output.display());
    if fast.last().is_none_or(|(_, norm)| *norm > 1e-8) || distance > 1.0 / (n * n) as f64 {
        return Err("Newton's method did not converge to the surface".into());
    }
    Ok(())
}

fn arguments() -> Result<Option<(usize, PathBuf)>, lexopt::Error> {
    let (mut n, mut output) = (32, PathBuf::from("newton.svg"));
    let mut line = lexopt::Parser::from_env();
    while let Some(argument) = line.next()? {
        match argument {
            Arg::Short('n') | Arg::Long("points") => n = line.value()?.parse()?,
            Arg::Short('o') | Arg::Long("output") => output = line.value()?.into(),
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            Arg::Value(_) | Arg::Short(_) | Arg::Long(_) => return Err(argument.unexpected()),
        }
    }
    Ok(Some((n, output)))
}
