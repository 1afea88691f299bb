//! The equation of Kuramoto and Sivashinsky in Fourier space.
use crate::{DT, LENGTH, POINTS};
use entape::simd::ComplexArray;
use entape::{complex::num_complex::Complex64, prelude::*};
use std::f64::consts::TAU;

pub(crate) struct Equation {
    /// `exp(l dt)` for the linear part `l`.
    decay: Vec<f64>,
    /// `dt φ(l dt)` for the two functions of the method, times the derivative in `-(u²)_x / 2`.
    stages: [Vec<Complex64>; 2],
}
impl Equation {
    pub(crate) fn new() -> Self {
        let wave = |k: usize| TAU * k as f64 / LENGTH;
        let linear = |k: usize| (wave(k).powi(2) - wave(k).powi(4)) * DT;
        // products of waves beyond two thirds would be aliased to longer ones
        let derivative = |k: usize| match 3 * k < POINTS {
            true => Complex64::new(0.0, -0.5 * wave(k) * DT),
            false => Complex64::ZERO,
        };
        let phi = [
            |z: f64| {
                if z.abs() < 1e-4 {
                    1.0 + z / 2.0
                } else {
                    z.exp_m1() / z
                }
            },
            |z: f64| {
                if z.abs() < 1e-4 {
                    0.5 + z / 6.0
                } else {
                    (z.exp_m1() - z) / (z * z)
                }
            },
        ];
        let waves = 0..POINTS / 2 + 1;
        Equation {
            decay: waves.clone().map(|k| linear(k).exp()).collect(),
            stages: phi.map(|phi| {
                waves
                    .clone()
                    .map(|k| derivative(k) * phi(linear(k)))
                    .collect()
            }),
        }
    }
    /// The states from `u` on, each some steps after the previous one.
    pub(crate) fn states<M: AnyMode>(
        &self,
        u: &Array<M>,
        steps: usize,
    ) -> impl Iterator<Item = Array<M>> {
        let decay = Array::<M>::passive(self.decay.clone());
        let [first, second] = self.stages.clone().map(ComplexArray::<M>::passive);
        let mut v = u.rfft().eval();
        std::iter::from_fn(move || {
            let u = v.irfft(POINTS).eval();
            for _ in 0..steps {
                let square = squared(&v);
                let stage = (&v * &decay + &square * &first).eval();
                v = (&stage + (&squared(&stage) - &square) * &second).eval();
            }
            Some(u)
        })
    }
}
/// The spectrum of `u²`. `u` is a variable, so that sweeps do not compute it again.
fn squared<M: AnyMode>(v: &ComplexArray<M>) -> ComplexArray<M> {
    let u = v.irfft(POINTS).eval();
    (&u * &u).rfft().eval()
}
