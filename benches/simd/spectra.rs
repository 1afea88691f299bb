//! Complex arrays and Fourier transforms, compared with plain loops and plain transforms.
use crate::Outcome;
use criterion::Criterion;
use entape::simd::ComplexArray;
use entape::{
    complex::num_complex::{Complex64, c64},
    prelude::*,
};
use entape_programs::measure::{
    micro::{ThreadCpu, each_part, each_timed},
    timed,
};
use rustfft::{Fft, FftPlanner};
use std::{sync::Arc, time::Duration};

struct Setting {
    turns: Vec<Complex64>,
    forward: Arc<dyn Fft<f64>>,
    inverse: Arc<dyn Fft<f64>>,
}
const STEPS: usize = 100;
const DT: f64 = 0.01;

struct Program {
    name: &'static str,
    plain: fn(&Setting, &mut [Complex64], &mut [Complex64]),
    recorded: fn(&ComplexArray, &ComplexArray) -> ComplexArray,
}
const PROGRAMS: [Program; 4] = [
    Program {
        name: "products: z w + (w - z) c",
        plain: |setting, z, _| {
            for (z, w) in z.iter_mut().zip(&setting.turns) {
                *z = *z * w + (w - *z) * c64(0.1, 0.2);
            }
        },
        recorded: |w, z| (z * w + (w - z) * c64(0.1, 0.2)).eval(),
    },
    Program {
        name: "exponentials: exp(c z)",
        plain: |_, z, _| z.iter_mut().for_each(|z| *z = (*z * c64(0.0, 0.3)).exp()),
        recorded: |_, z| (z * c64(0.0, 0.3)).exp().eval(),
    },
    Program {
        name: "transforms: ifft(w fft(z))",
        plain: linear,
        recorded: |w, z| (&z.fft().eval() * w).ifft().eval(),
    },
    Program {
        name: "split steps: z exp(i dt |z|²), then transforms",
        plain: |setting, z, scratch| {
            z.iter_mut()
                .for_each(|z| *z *= Complex64::cis(z.norm_sqr() * DT));
            linear(setting, z, scratch);
        },
        recorded: |w, z| {
            // a value that a sweep would compute again is a variable
            let turns = (z.norm_sqr() * DT).cis().eval();
            (&(z * &turns).fft().eval() * w).ifft().eval()
        },
    },
];
fn linear(setting: &Setting, z: &mut [Complex64], scratch: &mut [Complex64]) {
    setting.forward.process_with_scratch(z, scratch);
    let share = 1.0 / z.len() as f64;
    for (z, w) in z.iter_mut().zip(&setting.turns) {
        *z *= w * share;
    }
    setting.inverse.process_with_scratch(z, scratch);
}
impl Setting {
    fn new(n: usize) -> Self {
        let mut planner = FftPlanner::new();
        let angle = |k: usize| 0.3 * (k as f64).sin();
        Setting {
            turns: (0..n).map(|k| Complex64::cis(angle(k))).collect(),
            forward: planner.plan_fft_forward(n),
            inverse: planner.plan_fft_inverse(n),
        }
    }
    /// The real part of the sum of all numbers at the end.
    fn plain(&self, program: &Program, start: &[Complex64]) -> f64 {
        let mut z = start.to_vec();
        let needed = |plan: &dyn Fft<f64>| plan.get_inplace_scratch_len();
        let length = needed(&*self.forward).max(needed(&*self.inverse));
        let mut scratch = vec![Complex64::default(); length];
        (0..STEPS).for_each(|_| (program.plain)(self, &mut z, &mut scratch));
        z.iter().map(|z| z.re).sum()
    }
    fn recorded(
        &self,
        program: &Program,
        tape: &mut Tape,
        start: &[Complex64],
    ) -> Outcome<([Duration; 2], f64, Vec<Complex64>)> {
        tape.reset();
        let input = tape.input(start.to_vec());
        let turns = ComplexArray::passive(self.turns.clone());
        let (record, y) = timed(|| {
            tape.record(|| {
                let step = |z: ComplexArray, _| (program.recorded)(&turns, &z);
                (0..STEPS).fold(input.clone(), step).re().sum().eval()
            })
        });
        let (reverse, gradient) = timed(|| tape.gradient(&y).and_then(|all| all.wrt(&input)));
        Ok(([record, reverse], y.value(), gradient?))
    }
}

pub(crate) fn spectra(criterion: &mut Criterion<ThreadCpu>, n: usize) -> Outcome {
    let setting = Setting::new(n);
    let number = |k: usize| Complex64::from_polar(0.8, (1.7 * k as f64).sin());
    let start: Vec<_> = (0..n).map(number).collect();
    for program in &PROGRAMS {
        let mut tape = Tape::new();
        let (_, value, gradient) = setting.recorded(program, &mut tape, &start)?;
        agrees(value, setting.plain(program, &start), 1e-10);
        let along: Vec<_> = (0..n).map(|k| Complex64::cis(0.9 * k as f64)).collect();
        let moved = |by: f64| {
            let moved: Vec<_> = start.iter().zip(&along).map(|(z, d)| z + d * by).collect();
            setting.plain(program, &moved)
        };
        let slope = |(g, d): (&Complex64, &Complex64)| g.re * d.re + g.im * d.im;
        let slope: f64 = gradient.iter().zip(&along).map(slope).sum();
        agrees(slope, (moved(1e-6) - moved(-1e-6)) / 2e-6, 1e-6);

        let title = format!("a step with {n} complex numbers: {}", program.name);
        let mut group = criterion.benchmark_group(title);
        group.bench_function("plain", |b| {
            b.iter_custom(each_part(STEPS, || setting.plain(program, &start)));
        });
        for (part, name) in ["record", "reverse"].into_iter().enumerate() {
            group.bench_function(name, |b| {
                let run = || {
                    let recorded = setting.recorded(program, &mut tape, &start);
                    recorded.expect("the program was recorded").0[part]
                };
                b.iter_custom(each_timed(STEPS, run));
            });
        }
        group.finish();
    }
    Ok(())
}
fn agrees(a: f64, b: f64, error: f64) {
    assert!((a - b).abs() <= error * b.abs().max(1.0), "{a} is not {b}");
}
