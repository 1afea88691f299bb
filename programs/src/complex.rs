//! Programs of complex numbers with plain numbers, with complex entities, and with a pair of reals for each number.
//!
//! | program | a step |
//! |---|---|
//! | [`Horner`] | `p = p * z + c` |
//! | [`Iteration`] | `z = z * z + c` |
//! | `matrices` | products and solves of complex matrices |
use entape::{complex::num_complex::Complex64, prelude::*};
use std::f64::consts::TAU;

mod costs;
#[cfg(feature = "linalg")]
pub mod matrices;

pub use costs::{Cost, Costs, Setting, measure};

const DEGREE: usize = 32;
const STEPS: usize = 64;

pub trait Program {
    const NAME: &'static str;
    fn inputs(&self, points: usize) -> Vec<Complex64>;
    fn steps(&self, points: usize) -> usize;
    fn plain(&self, x: &[Complex64]) -> f64;
    fn entities(&self, x: &[Complex]) -> Real;
    fn pairs(&self, x: &[[Real; 2]]) -> Real;
}

fn disk(radius: f64, points: usize) -> impl Iterator<Item = Complex64> {
    let turn = TAU * 0.618_033_988_749_895;
    (0..points).map(move |k| {
        let share = (k as f64 + 0.5) / points as f64;
        Complex64::from_polar(radius * share.sqrt(), turn * k as f64)
    })
}

/// A polynomial of degree 32 with variable coefficients at each point. Inputs are the coefficients, from the highest,
/// and then the points.
pub struct Horner;
impl Program for Horner {
    const NAME: &'static str = "Horner's scheme of degree 32";
    fn inputs(&self, points: usize) -> Vec<Complex64> {
        let coefficients = (0..=DEGREE).map(|k| Complex64::from_polar(1.0, (k * k) as f64));
        coefficients.chain(disk(1.0, points)).collect()
    }
    fn steps(&self, points: usize) -> usize {
        points * DEGREE
    }
    fn plain(&self, x: &[Complex64]) -> f64 {
        let (coefficients, points) = x.split_at(DEGREE + 1);
        let mut sum = 0.0;
        for z in points {
            let mut p = coefficients[0];
            for c in &coefficients[1..] {
                p = p * z + c;
            }
            sum += p.norm_sqr();
        }
        sum
    }
    fn entities(&self, x: &[Complex]) -> Real {
        let (coefficients, points) = x.split_at(DEGREE + 1);
        let mut sum = Real::passive(0.0);
        for &z in points {
            let mut p = coefficients[0];
            for &c in &coefficients[1..] {
                p = (p * z + c).eval();
            }
            sum += p.norm_sqr();
        }
        sum
    }
    fn pairs(&self, x: &[[Real; 2]]) -> Real {
        let (coefficients, points) = x.split_at(DEGREE + 1);
        let mut sum = Real::passive(0.0);
        for &[x, y] in points {
            let [mut p, mut q] = coefficients[0];
            for &[c, d] in &coefficients[1..] {
                (p, q) = ((p * x - q * y + c).eval(), (p * y + q * x + d).eval());
            }
            sum += p * p + q * q;
        }
        sum
    }
}

/// 64 steps from 0 for each point `c` in a disk in which the iteration stays bounded.
pub struct Iteration;
impl Program for Iteration {
    const NAME: &'static str = "64 steps of z = z * z + c";
    fn inputs(&self, points: usize) -> Vec<Complex64> {
        disk(0.24, points).collect()
    }
    fn steps(&self, points: usize) -> usize {
        points * STEPS
    }
    fn plain(&self, x: &[Complex64]) -> f64 {
        let mut sum = 0.0;
        for c in x {
            let mut z = *c;
            for _ in 1..STEPS {
                z = z * z + c;
            }
            sum += z.norm_sqr();
        }
        sum
    }
    fn entities(&self, x: &[Complex]) -> Real {
        let mut sum = Real::passive(0.0);
        for &c in x {
            let mut z = c;
            for _ in 1..STEPS {
                z = (z * z + c).eval();
            }
            sum += z.norm_sqr();
        }
        sum
    }
    fn pairs(&self, x: &[[Real; 2]]) -> Real {
        let mut sum = Real::passive(0.0);
        for &[c, d] in x {
            let [mut x, mut y] = [c, d];
            for _ in 1..STEPS {
                (x, y) = ((x * x - y * y + c).eval(), (2.0 * x * y + d).eval());
            }
            sum += x * x + y * y;
        }
        sum
    }
}
