//! The price of an Asian call option, whose payment depends on the arithmetic mean of the daily prices of a year, by
//! paths of Black and Scholes' model. The inputs are spot, rate and volatility.
//!
//! ```text
//! price_i = price_(i-1) * exp((rate - volatility² / 2) h + volatility √h z_i)      h = 1 / steps, z normal
//! value   = exp(-rate) * mean over the paths of max(mean of price_i - strike, 0)
//! ```
use super::{Case, Objective, case::Random};
use crate::Number;

#[derive(Clone, Debug)]
pub struct Asian {
    pub paths: usize,
    pub steps: usize,
    pub strike: f64,
    /// The normal numbers of each path.
    pub normals: Vec<f64>,
}
pub(super) fn random(random: &mut Random, paths: usize, steps: usize) -> (Vec<f64>, Vec<f64>) {
    let mut data = vec![101.0];
    data.extend(random.normals(paths * steps, 1.0));
    (vec![100.0, 0.03, 0.2], data)
}
impl Asian {
    /// The length of a step in years.
    pub fn step(&self) -> f64 {
        1.0 / self.steps as f64
    }
}
impl Objective for Asian {
    fn new(case: &Case) -> Self {
        let (&[paths, steps], [strike, normals @ ..]) = (&case.sizes[..], &case.data[..]) else {
            unreachable!("a case has the sizes and the data of its objective");
        };
        Asian {
            paths,
            steps,
            strike: *strike,
            normals: normals.to_vec(),
        }
    }
    fn parts(&self) -> usize {
        self.paths
    }
    fn adds(&self) -> bool {
        true
    }
    fn reads(&self, _: usize) -> Vec<usize> {
        self.columns(0)
    }
    fn columns(&self, _: usize) -> Vec<usize> {
        vec![0, 1, 2]
    }
    fn run<T: Number>(&self, path: usize, x: &[T], outputs: &mut Vec<T>) {
        let (spot, rate, volatility, h) = (x[0], x[1], x[2], self.step());
        let drift = (rate - volatility * volatility * 0.5) * h;
        let spread = volatility * h.sqrt();
        let (mut price, mut sum) = (spot, T::constant(0.0));
        for &z in &self.normals[path * self.steps..][..self.steps] {
            price = price * (drift + spread * z).exp();
            sum = sum + price;
        }
        let paid = (sum * h).plus(-self.strike);
        let share = if paid.value() > 0.0 {
            1.0 / self.paths as f64
        } else {
            0.0
        };
        outputs.push(paid * (-rate).exp() * share);
    }
}
