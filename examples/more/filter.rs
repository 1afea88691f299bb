//! The design of a digital filter by gradients with respect to complex poles.
//!
//! ```text
//! cargo run --release -p entape-examples --example filter                     order 6, cut off at 0.3 of the Nyquist frequency
//! cargo run --release -p entape-examples --example filter -- --help
//! ```
//!
//! A recursive low-pass filter `H(q) = g Π (q + 1)² / Π (q - p)(q - p*)` has its zeros at `q = -1`. Its poles, `p` and
//! their conjugates, and the gain `g` are unknown; the strength `|H(e^iω)|²` of frequencies `ω` is given. A trust
//! region minimises the mean square of the difference of its logarithms, by gradient and exact Hessian.
//!
//! The desired strength is the maximally flat one, `1 / (1 + (tan(ω/2) / tan(ω₀/2))^2n)`, whose poles are
//! Butterworth's: equally spaced on a circle of the left half plane, mapped to the unit disk by the bilinear map.
use argmin::{
    core::{
        CostFunction, Error, Executor, Gradient, Hessian, IterState, KV, State,
        observers::{Observe, ObserverMode},
    },
    solver::trustregion::{Steihaug, TrustRegion},
};
use entape::{complex::num_complex::Complex64, prelude::*};
use lexopt::{Arg, ValueExt};
use std::{
    f64::consts::PI,
    path::PathBuf,
    sync::{Arc, Mutex},
};

#[path = "filter/picture.rs"]
mod picture;

const HELP: &str = "\
A maximally flat low-pass filter, designed by gradients with respect to its complex poles

usage: filter [options]
  -n, --order N    the order, an even number (6)
  -c, --cut C      where the strength is a half, as a part of the Nyquist frequency (0.3)
  -o, --output F   the picture (filter.svg)
  -h, --help       this text";

#[derive(Clone)]
struct Design {
    order: usize,
    cut: f64,
}
#[derive(Clone)]
struct Filter {
    poles: Vec<Complex64>,
    gain: f64,
}

impl Design {
    fn frequencies(&self) -> impl Iterator<Item = f64> + Clone {
        const COUNT: usize = 200;
        // up to slightly below π, where the logarithm is infinite
        (0..COUNT).map(|k| 0.95 * PI * (k as f64 + 0.5) / COUNT as f64)
    }
    fn wanted(&self, frequency: f64) -> f64 {
        let ratio = (frequency / 2.0).tan() / (self.cut / 2.0).tan();
        1.0 / (1.0 + ratio.powi(2 * self.order as i32))
    }
    fn butterworth(&self) -> Filter {
        let radius = (self.cut / 2.0).tan();
        let angle = |k: usize| PI * (0.5 + (k as f64 + 0.5) / self.order as f64);
        let pole = |k| {
            let s = Complex64::from_polar(radius, angle(k));
            (1.0 + s) / (1.0 - s)
        };
        let poles: Vec<_> = (0..self.order / 2).map(pole).collect();
        // the frequency 0 passes unchanged: a factor of four for each pair of zeros
        let gain = poles.iter().map(|p| (1.0 - p).norm_sqr() / 4.0).product();
        Filter { poles, gain }
    }
    fn start(&self) -> Filter {
        let pairs = self.order / 2;
        let pole = |k: usize| Complex64::from_polar(0.5, PI * (k as f64 + 0.5) / self.order as f64);
        Filter {
            poles: (0..pairs).map(pole).collect(),
            gain: 0.1,
        }
    }
    fn loss<M: Mode>(&self, poles: &[Complex<M>], gain: Real<M>) -> Real<M> {
        let mut sum = Real::passive(0.0);
        let mut count = 0.0;
        for frequency in self.frequencies() {
            let q = Complex::passive(Complex64::cis(frequency));
            let mut h = (gain * (q + 1.0).powi(self.order as i32)).eval();
            for p in poles {
                h /= (q - p) * (q - p.conj());
            }
            sum += (h.norm_sqr().ln() - self.wanted(frequency).ln()).powi(2);
            count += 1.0;
        }
        (sum / count).eval()
    }
}
/// Poles and gain are a list of numbers for `argmin`.
impl CostFunction for Design {
    type Param = Vec<f64>;
    type Output = f64;
    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        let Filter { poles, gain } = Filter::of_coordinates(x);
        let poles: Vec<_> = poles.into_iter().map(Complex::<Plain>::passive).collect();
        Ok(self.loss(&poles, Real::passive(gain)).value())
    }
}
impl Gradient for Design {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;
    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Error> {
        let Filter { poles, gain } = Filter::of_coordinates(x);
        let loss = |(poles, gain): (&[Complex], Real)| self.loss(poles, gain);
        let (poles, gain) = entape::gradient(loss, (poles.as_slice(), gain))?;
        Ok(Filter { poles, gain }.coordinates())
    }
}
impl Filter {
    /// Complex numbers as two reals each, and the gain.
    fn coordinates(&self) -> Vec<f64> {
        let parts = self.poles.iter().flat_map(|p| [p.re, p.im]);
        parts.chain([self.gain]).collect()
    }
    fn of_coordinates(x: &[f64]) -> Self {
        let pole = |p: &[f64]| Complex64::new(p[0], p[1]);
        Filter {
            poles: x.chunks_exact(2).map(pole).collect(),
            gain: x[x.len() - 1],
        }
    }
    /// `|H(e^iω)|²`
    fn strength(&self, frequency: f64) -> f64 {
        let q = Complex64::cis(frequency);
        let of_poles: f64 = self
            .poles
            .iter()
            .map(|p| ((q + 1.0).powi(2) / ((q - p) * (q - p.conj()))).norm_sqr())
            .product();
        self.gain * self.gain * of_poles
    }
    /// A pole outside of the unit disk has the strength of its mirror image inside, times a number.
    fn stable(&self) -> Self {
        let mut stable = self.clone();
        for p in stable.poles.iter_mut().filter(|p| p.norm() > 1.0) {
            stable.gain /= p.norm_sqr();
            *p = p.conj().inv();
        }
        stable.gain = stable.gain.abs();
        stable
    }
    /// A pole and its conjugate are one pair.
    fn next_to(&self, p: Complex64) -> Complex64 {
        let upper = self.poles.iter().map(|p| Complex64::new(p.re, p.im.abs()));
        let nearest = upper.min_by(|a, b| (a - p).norm().total_cmp(&(b - p).norm()));
        nearest.expect("a filter has poles")
    }
}
impl Hessian for Design {
    type Param = Vec<f64>;
    type Hessian = Vec<Vec<f64>>;
    fn hessian(&self, x: &Vec<f64>) -> Result<Vec<Vec<f64>>, Error> {
        let Filter { poles, gain } = Filter::of_coordinates(x);
        let loss = |(poles, gain): (&[Complex], Real)| self.loss(poles, gain);
        let hessian = entape::hessian(loss, (poles.as_slice(), gain))?;
        Ok(hessian.iter_rows().map(|row| row.to_vec()).collect())
    }
}
type Steps = IterState<Vec<f64>, Vec<f64>, (), Vec<Vec<f64>>, (), f64>;
#[derive(Clone, Default)]
struct Way(Arc<Mutex<Vec<Filter>>>);
impl Observe<Steps> for Way {
    fn observe_iter(&mut self, state: &Steps, _: &KV) -> Result<(), Error> {
        let mut way = self.0.lock().expect("no thread panicked");
        way.extend(state.get_param().map(|x| Filter::of_coordinates(x)));
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some((design, output)) = arguments()? else {
        println!("{HELP}");
        return Ok(());
    };
    let (start, known) = (design.start(), design.butterworth());
    let way = Way(Arc::new(Mutex::new(vec![start.clone()])));
    let region = TrustRegion::new(Steihaug::new().with_epsilon(1e-12)?);
    let result = Executor::new(design.clone(), region)
        .configure(|state| {
            state
                .param(start.coordinates())
                .max_iters(300)
                .target_cost(1e-26)
        })
        .add_observer(way.clone(), ObserverMode::Always)
        .run()?;
    let state = result.state();
    let found = state.get_best_param().ok_or("no step was made")?;
    let found = Filter::of_coordinates(found).stable();

    println!(
        "order {}, cut off at {:.3} of the Nyquist frequency\n",
        design.order,
        design.cut / PI
    );
    println!(
        "steps {}, loss {:.2e}\n",
        state.get_iter(),
        state.get_best_cost()
    );
    println!(
        "pole found                            pole known                            distance"
    );
    let mut worst: f64 = (found.gain / known.gain - 1.0).abs();
    for &q in &known.poles {
        let p = found.next_to(q);
        worst = worst.max((p - q).norm());
        println!("{p:<36.12}  {q:<36.12}  {:.1e}", (p - q).norm());
    }
    println!(
        "\ngain found {:.12e}, known {:.12e}",
        found.gain, known.gain
    );
    let way = way.0.lock().expect("no thread panicked");
    picture::write(&output, &design, &way, &found, &known)?;
    println!("picture {}", output.display());
    if worst > 1e-6 {
        return Err(format!("the filter differs from the known one by {worst:.1e}").into());
    }
    Ok(())
}

fn arguments() -> Result<Option<(Design, PathBuf)>, lexopt::Error> {
    let (mut order, mut cut, mut output) = (6_usize, 0.3, PathBuf::from("filter.svg"));
    let mut line = lexopt::Parser::from_env();
    while let Some(argument) = line.next()? {
        match argument {
            Arg::Short('n') | Arg::Long("order") => order = line.value()?.parse()?,
            Arg::Short('c') | Arg::Long("cut") => cut = line.value()?.parse::<f64>()?,
            Arg::Short('o') | Arg::Long("output") => output = line.value()?.into(),
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    if order == 0 || order % 2 == 1 || order > 8 {
        return Err("the order is an even number from 2 to 8".into());
    }
    if !(0.1..=0.8).contains(&cut) {
        return Err("the cut is between 0.1 and 0.8".into());
    }
    let cut = cut * PI;
    Ok(Some((Design { order, cut }, output)))
}
