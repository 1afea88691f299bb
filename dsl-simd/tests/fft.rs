//! Fourier transforms, compared with the defining sums and finite differences.
#[path = "fft/faults.rs"]
mod faults;
mod panics;

use approx::assert_abs_diff_eq;
use entape_check::assert_rule;
use entape_complex::num_complex::{Complex, c64};
use entape_core::tape::Tape;
use entape_simd::arrays::{ArrayOps, ComplexArrayOps, FftOps, RealFftOps, op};
use std::f64::consts::TAU;

const LENGTHS: [usize; 9] = [1, 2, 3, 4, 6, 9, 13, 16, 131];

fn reals(length: usize, shift: f64) -> Vec<f64> {
    (0..length)
        .map(|i| (1.7 * i as f64 + shift).sin())
        .collect()
}
fn numbers(length: usize) -> Vec<Complex<f64>> {
    let parts = reals(length, 0.3).into_iter().zip(reals(length, 1.1));
    parts.map(|(re, im)| c64(re, im)).collect()
}
/// The sum that defines the transform, with `exp(sign 2πi jk / n)`.
fn dense(v: &[Complex<f64>], sign: f64) -> Vec<Complex<f64>> {
    let n = v.len();
    let term = |j: usize, k: usize| v[j] * Complex::cis(sign * TAU * (j * k % n) as f64 / n as f64);
    (0..n).map(|k| (0..n).map(|j| term(j, k)).sum()).collect()
}
#[track_caller]
fn close(got: &[Complex<f64>], want: &[Complex<f64>]) {
    assert_abs_diff_eq!(got, want, epsilon = 5e-12);
}
fn complex(x: &[f64]) -> Vec<Complex<f64>> {
    x.iter().map(|&x| x.into()).collect()
}

#[test]
fn values_agree_with_the_defining_sums() {
    let mut tape = Tape::new();
    for n in LENGTHS {
        tape.reset();
        let (z, x) = (tape.input(numbers(n)), tape.input(reals(n, 0.8)));
        tape.record(|| {
            close(z.fft().eval().get(), &dense(z.get(), -1.0));
            let inverse: Vec<_> = dense(z.get(), 1.0).iter().map(|z| z / n as f64).collect();
            close(z.ifft().eval().get(), &inverse);
            close(z.fft().ifft().eval().get(), z.get());
            let half = x.rfft().eval();
            close(half.get(), &dense(&complex(x.get()), -1.0)[..n / 2 + 1]);
            close(&complex(half.irfft(n).eval().get()), &complex(x.get()));
        });
    }
}
#[test]
fn rules_agree_with_differences() {
    for n in LENGTHS {
        assert_rule(&op::Fft, (numbers(n),));
        assert_rule(&op::Ifft, (numbers(n),));
        assert_rule(&op::Rfft, (reals(n, 0.3),));
        assert_rule(&op::Irfft { n }, (numbers(n / 2 + 1),));
    }
    let single: Vec<_> = numbers(6)
        .iter()
        .map(|z| Complex::new(z.re as f32, z.im as f32))
        .collect();
    assert_rule(&op::Fft, (single.clone(),));
    assert_rule(&op::Irfft { n: 11 }, (single,));
    assert_rule(&op::Rfft, (vec![1.5_f32, -0.5, 0.25],));
}
/// `v_b = F' r_b`, for each element of the result.
#[test]
fn adjoints_agree_with_dense_matrices() {
    for n in [1, 2, 5, 8] {
        let mut tape = Tape::new();
        let (z, x) = (tape.input(numbers(n)), tape.input(reals(n, 0.8)));
        let (r, half) = tape.record(|| (z.fft().eval(), x.rfft().eval()));
        for k in 0..n {
            for seed in [c64(1.0, 0.0), c64(0.0, 1.0)] {
                let row = |j: usize| Complex::cis(TAU * (j * k % n) as f64 / n as f64) * seed;
                let row: Vec<_> = (0..n).map(row).collect();
                let mut r_b = vec![c64(0.0, 0.0); n];
                r_b[k] = seed;
                tape.seed(&r, r_b.clone()).unwrap();
                close(&tape.sweep().unwrap().wrt(&z).unwrap(), &row);
                if k <= n / 2 {
                    r_b.truncate(n / 2 + 1);
                    tape.seed(&half, r_b).unwrap();
                    let real: Vec<_> = row.iter().map(|z| z.re).collect();
                    let x_b = tape.sweep().unwrap().wrt(&x).unwrap();
                    close(&complex(&x_b), &complex(&real));
                }
            }
        }
    }
}
#[test]
fn transforms_of_no_elements_are_empty() {
    let mut tape = Tape::new();
    let (z, x) = (
        tape.input(Vec::<Complex<f64>>::new()),
        tape.input(Vec::<f64>::new()),
    );
    let y = tape.record(|| {
        assert!(z.fft().ifft().eval().get().is_empty());
        let half = x.rfft().eval();
        assert_eq!(half.get(), &[c64(0.0, 0.0)]);
        (half.irfft(0).sum() + half.norm_sqr().sum()).eval()
    });
    assert_eq!(y.value(), 0.0);
    assert!(tape.gradient(&y).unwrap().wrt(&x).unwrap().is_empty());
}
