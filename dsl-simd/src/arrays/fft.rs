//! Discrete Fourier transforms of arrays. They are linear, so their adjoints are transforms, too.
//!
//! With `w = exp(-2πi / n)`, and as NumPy has it: the forward transform is not normalised, the inverse one has the factor
//! `1 / n`.
//!
//! | operation | result | adjoint of the argument |
//! |---|---|---|
//! | `v.fft()` | `r[k] = Σ_j v[j] w^(jk)` | `v_b[j] = Σ_k r_b[k] w^(-jk)`, the inverse transform without its factor |
//! | `v.ifft()` | `r[j] = 1/n Σ_k v[k] w^(-jk)` | `v_b[k] = 1/n Σ_j r_b[j] w^(jk)` |
//! | `x.rfft()` | the first `n/2 + 1` elements of that of complex numbers; the others are their conjugates | `x_b[j] = Re Σ_k r_b[k] w^(-jk)` over these elements |
//! | `v.irfft(n)` | `r[j] = 1/n Σ_k c[k] Re(v[k] w^(-jk))`, the inverse of `rfft` | `v_b[k] = c[k]/n Σ_j r_b[j] w^(jk)` |
//!
//! `c[k]` is 1 for `k = 0` and, if `n` is even, for `k = n/2`, whose imaginary parts count for nothing; it is 2 for the
//! other elements, which stand for two of the whole spectrum.
//!
//! Transforms are those of `rustfft` and `realfft`, of any length. Their plans are kept for each thread.
use super::{ArrayKind, ComplexPart};
use entape_complex::num_complex::Complex;
use entape_core::{operations, storage::pool};
use realfft::RealFftPlanner;
use rustfft::{FftDirection, FftNum, FftPlanner};
use std::cell::RefCell;

/// The plans of transforms.
#[doc(hidden)]
pub struct Plans<T: FftNum> {
    complex: FftPlanner<T>,
    real: RealFftPlanner<T>,
}
impl<T: FftNum> Plans<T> {
    fn new() -> Self {
        Plans {
            complex: FftPlanner::new(),
            real: RealFftPlanner::new(),
        }
    }
}
/// The reals whose arrays have Fourier transforms: `f64` and `f32`.
pub trait FftNumber: ComplexPart + FftNum {
    /// Runs `f` with the plans of this thread.
    #[doc(hidden)]
    fn with_plans<R>(f: impl FnOnce(&mut Plans<Self>) -> R) -> R;
}
macro_rules! numbers { ($($T:ident)*) => { $(
    impl FftNumber for $T {
        fn with_plans<R>(f: impl FnOnce(&mut Plans<$T>) -> R) -> R {
            thread_local! {
                static PLANS: RefCell<Plans<$T>> = RefCell::new(Plans::new());
            }
            PLANS.with_borrow_mut(f)
        }
    }
)* } }
numbers! { f64 f32 }

/// A transform of complex numbers without a factor.
fn transformed<T: FftNumber>(v: &[Complex<T>], direction: FftDirection) -> Vec<Complex<T>> {
    let mut r = pool::take(v.len());
    if v.is_empty() {
        return r;
    }
    let plan = T::with_plans(|plans| plans.complex.plan_fft(v.len(), direction));
    let mut scratch = pool::take(plan.get_immutable_scratch_len());
    plan.process_immutable_with_scratch(v, &mut r, &mut scratch);
    pool::give(scratch);
    r
}
/// The first half of the transform of real numbers.
fn forward<T: FftNumber>(x: &[T]) -> Vec<Complex<T>> {
    let mut r = pool::take(x.len() / 2 + 1);
    if x.is_empty() {
        r.fill(Complex::default());
        return r;
    }
    let plan = T::with_plans(|plans| plans.real.plan_fft_forward(x.len()));
    let (mut input, mut scratch) = (pool::take(x.len()), pool::take(plan.get_scratch_len()));
    input.copy_from_slice(x);
    plan.process_with_scratch(&mut input, &mut r, &mut scratch)
        .expect("buffers of the lengths of the plan");
    pool::give(input);
    pool::give(scratch);
    r
}
/// `Σ_k c[k] Re(v[k] w^(-jk))`, for `v` times the factor that depends on whether an element stands for two.
fn backward<T: FftNumber>(v: &[Complex<T>], n: usize, once: T, twice: T) -> Vec<T> {
    let mut r = pool::take(n);
    if n == 0 {
        return r;
    }
    let plan = T::with_plans(|plans| plans.real.plan_fft_inverse(n));
    let (mut input, mut scratch) = (pool::take(v.len()), pool::take(plan.get_scratch_len()));
    for (k, (into, v)) in input.iter_mut().zip(v).enumerate() {
        *into = match alone(k, n) {
            true => Complex::from(v.re * once),
            false => v * twice,
        };
    }
    plan.process_with_scratch(&mut input, &mut r, &mut scratch)
        .expect("buffers of the lengths of the plan, and real numbers where it needs them");
    pool::give(input);
    pool::give(scratch);
    r
}
/// Whether element `k` of a half spectrum stands for itself alone: it is its own conjugate.
fn alone(k: usize, n: usize) -> bool {
    k == 0 || 2 * k == n
}
/// `1 / n`; of no elements 0, as nothing has a share.
fn share<T: FftNumber>(n: usize) -> T {
    T::nearest(if n == 0 { 0.0 } else { 1.0 / n as f64 })
}
fn scaled<T: FftNumber>(mut v: Vec<Complex<T>>) -> Vec<Complex<T>> {
    let share = share::<T>(v.len());
    v.iter_mut().for_each(|v| *v *= share);
    v
}

/// Elements of a half spectrum times `c[k] / n`.
fn weighted<T: FftNumber>(mut v: Vec<Complex<T>>, n: usize) -> Vec<Complex<T>> {
    let (once, twice) = (share::<T>(n), T::nearest(2.0) * share::<T>(n));
    for (k, v) in v.iter_mut().enumerate() {
        *v *= if alone(k, n) { once } else { twice };
    }
    v
}

#[operations(ext = FftOps)]
impl<T: FftNumber> ArrayKind<Complex<T>> {
    /// The discrete Fourier transform, without a factor: `r[k] = Σ_j v[j] exp(-2πi jk / n)`. That of no elements has none.
    ///
    /// ```
    /// use entape_complex::num_complex::c64;
    /// use entape_core::tape::Tape;
    /// use entape_simd::arrays::{ArrayOps, ComplexArrayOps, FftOps};
    ///
    /// let mut tape = Tape::new();
    /// let z = tape.input(vec![c64(1.0, 0.0), c64(0.0, 2.0), c64(-3.0, 0.0)]);
    /// let y = tape.record(|| z.fft().norm_sqr().sum().eval());
    /// assert!((y.value() - 3.0 * 14.0).abs() < 1e-12); // Parseval
    /// let gradient = tape.gradient(&y)?.wrt(&z)?;
    /// assert!((gradient[1] - 6.0 * c64(0.0, 2.0)).norm() < 1e-12);
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    #[op(linear)]
    fn fft(#[ad_in(transformed(r_b, FftDirection::Inverse))] v: Self) -> Self {
        transformed(v, FftDirection::Forward)
    }
    /// The inverse of [`fft`](FftOps::fft), with the factor `1 / n`.
    #[op(linear)]
    fn ifft(#[ad_in(scaled(transformed(r_b, FftDirection::Forward)))] v: Self) -> Self {
        scaled(transformed(v, FftDirection::Inverse))
    }
    /// The `n` reals whose spectrum begins with these elements, with the factor `1 / n`: the inverse of
    /// [`rfft`](RealFftOps::rfft). The imaginary parts of the first element, and of the last one if `n` is even, count for
    /// nothing.
    ///
    /// # Panics
    /// On evaluation, if there are not `n / 2 + 1` elements.
    #[op(linear)]
    fn irfft(#[ad_in(weighted(forward(r_b), n))] v: Self, #[ad_passive] n: usize) -> ArrayKind<T> {
        let length = v.len();
        assert!(
            length == n / 2 + 1,
            "`irfft({n})` of {length} elements: the spectrum of {n} reals has {}",
            n / 2 + 1
        );
        backward(v, n, share::<T>(n), share::<T>(n))
    }
}
#[operations(ext = RealFftOps)]
impl<T: FftNumber> ArrayKind<T> {
    /// The first `n / 2 + 1` elements of the discrete Fourier transform of `n` reals, without a factor. The others are
    /// conjugates of these.
    ///
    /// ```
    /// use entape_core::tape::Tape;
    /// use entape_simd::{Array, arrays::{ArrayOps, ComplexArrayOps, FftOps, RealFftOps}};
    ///
    /// let mut tape = Tape::new();
    /// let x: Array = tape.input(vec![1.0, 2.0, 4.0]);
    /// let y = tape.record(|| (x.rfft().re().sum() + x.rfft().irfft(3).norm_squared()).eval());
    /// // 7 for k = 0, and 1 - (2 + 4) / 2 for k = 1
    /// assert!((y.value() - (7.0 - 2.0 + 21.0)).abs() < 1e-12);
    /// let gradient = tape.gradient(&y)?.wrt(&x)?;
    /// assert!((gradient[2] - (0.5 + 8.0)).abs() < 1e-12);
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    #[op(linear, save(n: usize = x.len()))]
    fn rfft(
        // `backward` takes an element for two.
        #[ad_in(backward(r_b, n, T::nearest(1.0), T::nearest(0.5)))] x: Self,
    ) -> ArrayKind<Complex<T>> {
        forward(x)
    }
}
