//! Discrete Fourier transforms of plain numbers, normalised as in NumPy, with `w = exp(-2πi / n)`:
//!
//! | operation | result | adjoint of the argument |
//! |---|---|---|
//! | `v.fft()` | `r[k] = Σ_j v[j] w^(jk)` | `v_b[j] = Σ_k r_b[k] w^(-jk)`, the inverse transform without its factor |
//! | `v.ifft()` | `r[j] = 1/n Σ_k v[k] w^(-jk)` | `v_b[k] = 1/n Σ_j r_b[j] w^(jk)` |
//! | `x.rfft()` | the first `n/2 + 1` elements of the transform of `x`; the others are their conjugates | `x_b[j] = Re Σ_k r_b[k] w^(-jk)` over these elements |
//! | `v.irfft(n)` | `r[j] = 1/n Σ_k c[k] Re(v[k] w^(-jk))`, the inverse of `rfft` | `v_b[k] = c[k]/n Σ_j r_b[j] w^(jk)` |
//!
//! `c[k]` is 1 for `k = 0` and, if `n` is even, for `k = n/2`, whose imaginary parts are ignored. It is 2 for other
//! elements, which represent two.
//!
//! A slice holds *lines* of `n` numbers. A half spectrum is a line of `n/2 + 1` complex numbers; of an empty line it is
//! a zero.
//!
//! ```
//! use entape_complex::{fft::{FftDirection, half_spectra, inverses, transform}, num_complex::c64};
//!
//! let lines = [c64(1.0, 0.0), c64(2.0, 0.0), c64(0.0, 1.0), c64(0.0, 3.0)];
//! let mut spectra = lines;
//! transform(2, FftDirection::Forward, &lines, &mut spectra);
//! assert_eq!(spectra, [c64(3.0, 0.0), c64(-1.0, 0.0), c64(0.0, 4.0), c64(0.0, -2.0)]);
//!
//! let (mut half, mut again) = ([c64(0.0, 0.0); 2], [0.0; 3]);
//! half_spectra(3, &[1.0, 1.0, 4.0], &mut half);
//! inverses(3, &half, &mut again);
//! approx::assert_abs_diff_eq!(half[0].re, 6.0, epsilon = 1e-14);
//! approx::assert_abs_diff_eq!(again[..], [1.0, 1.0, 4.0][..], epsilon = 1e-14);
//! ```
//!
//! `rustfft` and `realfft` compute the transforms, with plans cached for each thread.
//!
//! # Panics
//! If the slices do not hold whole lines, or differ in their number of lines.
use entape_core::{real::Real, storage::pool};
use num_complex::Complex;
use realfft::RealFftPlanner;
use rustfft::FftPlanner;
pub use rustfft::{FftDirection, FftNum};
use std::{any::Any, cell::RefCell};

struct Plans<T: FftNum> {
    complex: FftPlanner<T>,
    real: RealFftPlanner<T>,
}
impl<T: FftNum> Plans<T> {
    fn new() -> RefCell<Self> {
        RefCell::new(Plans {
            complex: FftPlanner::new(),
            real: RealFftPlanner::new(),
        })
    }
}
thread_local! {
    static PLANS: (RefCell<Plans<f64>>, RefCell<Plans<f32>>) = (Plans::new(), Plans::new());
}
/// Runs `f` with the plans of this thread.
fn with_plans<T: Real + FftNum, R>(f: impl FnOnce(&mut Plans<T>) -> R) -> R {
    PLANS.with(|(double, single)| {
        let plans: &dyn Any = if T::DOUBLE { double } else { single };
        let plans = plans.downcast_ref::<RefCell<Plans<T>>>();
        f(&mut plans.expect("a real is `f64` or `f32`").borrow_mut())
    })
}

#[track_caller]
fn whole((n, from): (usize, usize), (m, into): (usize, usize)) {
    assert!(
        from.is_multiple_of(n) && into.is_multiple_of(m) && from * m == into * n,
        "slices of {from} and {into} numbers do not hold as many lines of {n} and of {m} numbers: pass slices of whole lines"
    );
}
/// Transforms lines of `n` complex numbers without a factor, with the conjugate of `w` if inverse.
#[track_caller]
pub fn transform<T: Real + FftNum>(
    n: usize,
    direction: FftDirection,
    from: &[Complex<T>],
    into: &mut [Complex<T>],
) {
    whole((n, from.len()), (n, into.len()));
    if from.is_empty() {
        return;
    }
    let plan = with_plans(|plans: &mut Plans<T>| plans.complex.plan_fft(n, direction));
    let mut scratch = pool::take(plan.get_immutable_scratch_len());
    plan.process_immutable_with_scratch(from, into, &mut scratch);
    pool::give(scratch);
}
/// Transforms lines of `n` complex numbers inversely, with the factor `1 / n`; if forward, computes the adjoints.
#[track_caller]
pub fn normalised<T: Real + FftNum>(
    n: usize,
    direction: FftDirection,
    from: &[Complex<T>],
    into: &mut [Complex<T>],
) {
    transform(n, direction, from, into);
    let share = share::<T>(n);
    into.iter_mut().for_each(|v| *v *= share);
}
/// Computes half spectra of lines of `n` reals, without a factor.
#[track_caller]
pub fn half_spectra<T: Real + FftNum>(n: usize, from: &[T], into: &mut [Complex<T>]) {
    whole((n, from.len()), (n / 2 + 1, into.len()));
    if n == 0 {
        into.fill(Complex::default());
        return;
    }
    let plan = with_plans(|plans: &mut Plans<T>| plans.real.plan_fft_forward(n));
    let (mut line, mut scratch) = (pool::take(n), pool::take(plan.get_scratch_len()));
    for (from, into) in from.chunks_exact(n).zip(into.chunks_exact_mut(n / 2 + 1)) {
        line.copy_from_slice(from);
        plan.process_with_scratch(&mut line, into, &mut scratch)
            .expect("the buffers have the lengths of the plan");
    }
    pool::give(line);
    pool::give(scratch);
}
/// Computes lines of `n` reals from their half spectra, with the factor `1 / n`.
#[track_caller]
pub fn inverses<T: Real + FftNum>(n: usize, from: &[Complex<T>], into: &mut [T]) {
    backward(n, [share::<T>(n); 2], from, into);
}
/// Computes the adjoints of lines of `n` reals from the adjoints of their [half spectra](half_spectra).
#[track_caller]
pub fn half_spectra_adjoints<T: Real + FftNum>(n: usize, r_b: &[Complex<T>], into: &mut [T]) {
    // `backward` counts most elements twice.
    backward(n, [T::nearest(1.0), T::nearest(0.5)], r_b, into);
}
/// Computes the adjoints of half spectra from the adjoints of the `n` reals that [`inverses`] computes.
#[track_caller]
pub fn inverses_adjoints<T: Real + FftNum>(n: usize, r_b: &[T], into: &mut [Complex<T>]) {
    half_spectra(n, r_b, into);
    let (once, twice) = (share::<T>(n), T::nearest(2.0) * share::<T>(n));
    for line in into.chunks_exact_mut(n / 2 + 1) {
        for (k, v) in line.iter_mut().enumerate() {
            *v *= if alone(k, n) { once } else { twice };
        }
    }
}
/// `Σ_k c[k] Re(v[k] w^(-jk))`, for `v` times the factor `once` or `twice`.
#[track_caller]
fn backward<T: Real + FftNum>(
    n: usize,
    [once, twice]: [T; 2],
    from: &[Complex<T>],
    into: &mut [T],
) {
    whole((n / 2 + 1, from.len()), (n, into.len()));
    if n == 0 {
        return;
    }
    let plan = with_plans(|plans: &mut Plans<T>| plans.real.plan_fft_inverse(n));
    let mut line: Vec<Complex<T>> = pool::take(n / 2 + 1);
    let mut scratch = pool::take(plan.get_scratch_len());
    for (from, into) in from.chunks_exact(n / 2 + 1).zip(into.chunks_exact_mut(n)) {
        for (k, (line, v)) in line.iter_mut().zip(from).enumerate() {
            *line = match alone(k, n) {
                true => Complex::from(v.re * once),
                false => v * twice,
            };
        }
        plan.process_with_scratch(&mut line, into, &mut scratch)
            .expect("the buffers have the lengths of the plan, and numbers are real where the plan requires it");
    }
    pool::give(line);
    pool::give(scratch);
}
fn alone(k: usize, n: usize) -> bool {
    k == 0 || 2 * k == n
}
/// `1 / n`; 0 if there are no elements.
fn share<T: Real + FftNum>(n: usize) -> T {
    T::nearest(if n == 0 { 0.0 } else { 1.0 / n as f64 })
}
