//! Discrete Fourier transforms of arrays, with the formulas of [`entape_complex::fft`].
use super::ArrayKind;
use crate::LaneNumber;
use entape_complex::{
    fft::{self, FftDirection, FftNum},
    num_complex::Complex,
};
use entape_core::{operations, storage::pool};

fn filled<T: Copy + Default + 'static>(length: usize, f: impl FnOnce(&mut [T])) -> Vec<T> {
    let mut r = pool::take(length);
    f(&mut r);
    r
}
fn transformed<T: LaneNumber + FftNum>(
    v: &[Complex<T>],
    direction: FftDirection,
) -> Vec<Complex<T>> {
    filled(v.len(), |r| fft::transform(v.len(), direction, v, r))
}
fn normalised<T: LaneNumber + FftNum>(
    v: &[Complex<T>],
    direction: FftDirection,
) -> Vec<Complex<T>> {
    filled(v.len(), |r| fft::normalised(v.len(), direction, v, r))
}

/// Discrete Fourier transforms of complex arrays.
#[operations(ext = FftOps)]
impl<T: LaneNumber + FftNum> ArrayKind<Complex<T>> {
    /// Returns the discrete Fourier transform, without a factor: `r[k] = Σ_j v[j] exp(-2πi jk / n)`.
    ///
    /// ```
    /// use entape_complex::num_complex::c64;
    /// use entape_core::tape::Tape;
    /// use entape_simd::arrays::{ArrayOps, ComplexArrayOps, FftOps};
    ///
    /// let mut tape = Tape::new();
    /// let z = tape.input(vec![c64(1.0, 0.0), c64(0.0, 2.0), c64(-3.0, 0.0)]);
    /// let y = tape.record(|| z.fft().norm_sqr().sum().eval());
    /// approx::assert_abs_diff_eq!(y.value(), 3.0 * 14.0, epsilon = 1e-12); // Parseval
    /// let gradient = tape.gradient(&y)?.wrt(&z)?;
    /// approx::assert_abs_diff_eq!(gradient[1], 6.0 * c64(0.0, 2.0), epsilon = 5e-13);
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    #[op(linear)]
    fn fft(#[ad_in(transformed(r_b, FftDirection::Inverse))] v: Self) -> Self {
        transformed(v, FftDirection::Forward)
    }
    /// Returns the inverse of [`fft`](FftOps::fft), with the factor `1 / n`: `r[j] = Σ_k v[k] exp(2πi jk / n) / n`.
    #[op(linear)]
    fn ifft(#[ad_in(normalised(r_b, FftDirection::Forward))] v: Self) -> Self {
        normalised(v, FftDirection::Inverse)
    }
    /// Returns the `n` reals whose spectrum begins with these elements, the inverse of [`rfft`](RealFftOps::rfft) with
    /// the factor `1 / n`. The imaginary parts of the first element, and of the last one if `n` is even, are ignored.
    ///
    /// # Panics
    /// On evaluation, if the number of elements is not `n / 2 + 1`.
    #[op(linear)]
    fn irfft(
        #[ad_in(filled(n / 2 + 1, |into| fft::inverses_adjoints(n, r_b, into)))] v: Self,
        #[ad_passive] n: usize,
    ) -> ArrayKind<T> {
        let length = v.len();
        assert!(
            length == n / 2 + 1,
            "`irfft({n})` of an array of length {length}: pass a spectrum of length {}",
            n / 2 + 1
        );
        filled(n, |r| fft::inverses(n, v, r))
    }
}
/// Discrete Fourier transforms of real arrays.
#[operations(ext = RealFftOps)]
impl<T: LaneNumber + FftNum> ArrayKind<T> {
    /// Returns the first `n / 2 + 1` elements of the transform; the others are their conjugates.
    ///
    /// ```
    /// use entape_core::tape::Tape;
    /// use entape_simd::{Array, arrays::{ArrayOps, ComplexArrayOps, FftOps, RealFftOps}};
    ///
    /// let mut tape = Tape::new();
    /// let x: Array = tape.input(vec![1.0, 2.0, 4.0]);
    /// let y = tape.record(|| (x.rfft().re().sum() + x.rfft().irfft(3).norm_squared()).eval());
    /// // 7 for k = 0, and 1 - (2 + 4) / 2 for k = 1
    /// approx::assert_abs_diff_eq!(y.value(), 7.0 - 2.0 + 21.0, epsilon = 1e-12);
    /// let gradient = tape.gradient(&y)?.wrt(&x)?;
    /// approx::assert_abs_diff_eq!(gradient[2], 0.5 + 8.0, epsilon = 1e-12);
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    #[op(linear, save(n: usize = x.len()))]
    fn rfft(
        #[ad_in(filled(n, |into| fft::half_spectra_adjoints(n, r_b, into)))] x: Self,
    ) -> ArrayKind<Complex<T>> {
        filled(x.len() / 2 + 1, |r| fft::half_spectra(x.len(), x, r))
    }
}
