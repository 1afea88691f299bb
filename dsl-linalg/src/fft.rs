//! Discrete Fourier transforms by columns and rows, with the formulas of [`entape_complex::fft`].
#[cfg(test)]
use crate::samples::*;
use crate::{
    Dense, Number, RealNumber, Sizes,
    memory::{Pooled, fresh},
};
use entape_complex::{
    fft::{
        FftDirection::{self, Forward, Inverse},
        FftNum, half_spectra, half_spectra_adjoints, inverses, inverses_adjoints, normalised,
        transform,
    },
    num_complex::Complex,
};
use entape_core::{operations, storage::pool};
use nalgebra::{DefaultAllocator, Dim, Dyn, OMatrix};

fn by_columns<T: Number, U: Number, R: Dim, C: Dim, S: Dim>(
    a: &OMatrix<T, R, C>,
    n: usize,
    f: impl Fn(&[T], &mut [U]),
) -> OMatrix<U, S, C>
where
    DefaultAllocator: Sizes<R, C> + Sizes<S, C>,
{
    let mut r: OMatrix<U, S, C> = fresh(n, a.ncols());
    f(a.as_slice(), r.as_mut_slice());
    r
}
/// Computes several rows at a time in contiguous memory, enough to use whole cache lines.
fn by_rows<T: Number, U: Number, R: Dim, C: Dim, S: Dim>(
    a: &OMatrix<T, R, C>,
    n: usize,
    f: impl Fn(&[T], &mut [U]),
) -> OMatrix<U, R, S>
where
    DefaultAllocator: Sizes<R, C> + Sizes<R, S>,
{
    const SOME: usize = 16;
    let (rows, cols) = a.shape();
    let mut r: OMatrix<U, R, S> = fresh(rows, n);
    let (mut from, mut into) = (pool::take(SOME * cols), pool::take(SOME * n));
    for first in (0..rows).step_by(SOME) {
        let some = SOME.min(rows - first);
        let (from, into) = (&mut from[..some * cols], &mut into[..some * n]);
        for (j, column) in a.as_slice().chunks_exact(rows).enumerate() {
            let each = column[first..first + some].iter().enumerate();
            each.for_each(|(i, x)| from[i * cols + j] = *x);
        }
        f(from, into);
        for (j, column) in r.as_mut_slice().chunks_exact_mut(rows).enumerate() {
            let each = column[first..first + some].iter_mut().enumerate();
            each.for_each(|(i, x)| *x = into[i * n + j]);
        }
    }
    pool::give(from);
    pool::give(into);
    r
}
type Kernel<T> = fn(usize, FftDirection, &[Complex<T>], &mut [Complex<T>]);
fn columns<T: RealNumber + FftNum, R: Dim, C: Dim>(
    a: &OMatrix<Complex<T>, R, C>,
    kernel: Kernel<T>,
    direction: FftDirection,
) -> OMatrix<Complex<T>, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    by_columns(a, a.nrows(), |from, into| {
        kernel(a.nrows(), direction, from, into);
    })
}
fn rows<T: RealNumber + FftNum, R: Dim, C: Dim>(
    a: &OMatrix<Complex<T>, R, C>,
    kernel: Kernel<T>,
    direction: FftDirection,
) -> OMatrix<Complex<T>, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    by_rows(a, a.ncols(), |from, into| {
        kernel(a.ncols(), direction, from, into);
    })
}
fn both<T: RealNumber + FftNum, R: Dim, C: Dim>(
    a: &OMatrix<Complex<T>, R, C>,
    kernel: Kernel<T>,
    direction: FftDirection,
) -> OMatrix<Complex<T>, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    rows(
        &*Pooled::from(columns(a, kernel, direction)),
        kernel,
        direction,
    )
}

/// Discrete Fourier transforms of complex matrices.
#[operations(ext = MatrixFftOps)]
impl<T: RealNumber + FftNum, R: Dim, C: Dim> Dense<Complex<T>, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    /// Returns the Fourier transform of each column: `r[(k, l)] = Σ_j a[(j, l)] exp(-2πi jk / n)` for `n` rows.
    ///
    /// ```
    /// use entape_core::tape::Tape;
    /// use entape_linalg::prelude::*;
    /// use nalgebra::{Complex, dmatrix};
    ///
    /// let c = |re: f64| Complex::new(re, 0.0);
    /// let mut tape = Tape::new();
    /// let a = tape.input(dmatrix![c(1.0), c(2.0); c(3.0), c(5.0)]);
    /// let y = tape.record(|| {
    ///     let r = a.fft_columns().eval();
    ///     assert_eq!(r.get(), &dmatrix![c(4.0), c(7.0); c(-2.0), c(-3.0)]);
    ///     r.norm_squared().eval()
    /// });
    /// assert_eq!(tape.gradient(&y)?.wrt(&a)?, a.get() * c(2.0 * 2.0)); // Parseval
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    #[op(
        linear,
        sample(for (m, n) in SHAPES, a = matrix::<Z>(m, n, 0)),
        sample(a = fixed::<Z, 3, 2>(0)),
        sample(a = vector::<Z>(5, 0)),
        sample(a = matrix::<Z32>(2, 2, 0)),
    )]
    fn fft_columns(#[ad_in(columns(r_b, transform, Inverse))] a: &Self) -> &Self {
        columns(a, transform, Forward)
    }
    /// Returns the inverse of [`fft_columns`](MatrixFftOps::fft_columns), with the factor `1 / n`.
    #[op(linear, sample(for (m, n) in SHAPES, a = matrix::<Z>(m, n, 0)))]
    fn ifft_columns(#[ad_in(columns(r_b, normalised, Forward))] a: &Self) -> &Self {
        columns(a, normalised, Inverse)
    }
    /// Returns the Fourier transform of each row.
    #[op(
        linear,
        sample(for (m, n) in SHAPES, a = matrix::<Z>(m, n, 0)),
        sample(a = fixed::<Z, 3, 2>(0)),
        sample(a = matrix::<Z32>(2, 2, 0)),
    )]
    fn fft_rows(#[ad_in(rows(r_b, transform, Inverse))] a: &Self) -> &Self {
        rows(a, transform, Forward)
    }
    /// Returns the inverse of [`fft_rows`](MatrixFftOps::fft_rows), with the factor `1 / n`.
    #[op(linear, sample(for (m, n) in SHAPES, a = matrix::<Z>(m, n, 0)))]
    fn ifft_rows(#[ad_in(rows(r_b, normalised, Forward))] a: &Self) -> &Self {
        rows(a, normalised, Inverse)
    }
    /// Returns the Fourier transform in two dimensions.
    #[op(linear, sample(for (m, n) in SHAPES, a = matrix::<Z>(m, n, 0)))]
    fn fft2(#[ad_in(both(r_b, transform, Inverse))] a: &Self) -> &Self {
        both(a, transform, Forward)
    }
    /// Returns the inverse of [`fft2`](MatrixFftOps::fft2), with the factor `1 / (m n)`.
    #[op(linear, sample(for (m, n) in SHAPES, a = matrix::<Z>(m, n, 0)))]
    fn ifft2(#[ad_in(both(r_b, normalised, Forward))] a: &Self) -> &Self {
        both(a, normalised, Inverse)
    }
    /// Returns the real matrix with `n` rows, the inverse of [`rfft_columns`](RealMatrixFftOps::rfft_columns) with the
    /// factor `1 / n`. The imaginary parts of the first row, and of the last one if `n` is even, are ignored.
    ///
    /// # Panics
    /// On evaluation, if the number of rows is not `n / 2 + 1`.
    #[op(linear, sample(for (n, m) in [(1, 1), (2, 3), (5, 2), (16, 9)], a = matrix::<Z>(n / 2 + 1, m, 0), n = n))]
    fn irfft_columns(
        #[ad_in(by_columns(r_b, n / 2 + 1, |from, into| inverses_adjoints(n, from, into)))]
        a: &Self,
        #[ad_passive] n: usize,
    ) -> &Dense<T, Dyn, C>
    where
        DefaultAllocator: Sizes<Dyn, C>,
    {
        half_spectrum("irfft_columns", a.nrows(), "rows", n);
        by_columns(a, n, |a, r| inverses(n, a, r))
    }
    /// Returns the real matrix with `n` columns, the inverse of [`rfft_rows`](RealMatrixFftOps::rfft_rows), as
    /// [`irfft_columns`](MatrixFftOps::irfft_columns) does.
    ///
    /// # Panics
    /// On evaluation, if the number of columns is not `n / 2 + 1`.
    #[op(linear, sample(for (n, m) in [(1, 1), (2, 3), (5, 2), (16, 9)], a = matrix::<Z>(m, n / 2 + 1, 0), n = n))]
    fn irfft_rows(
        #[ad_in(by_rows(r_b, n / 2 + 1, |from, into| inverses_adjoints(n, from, into)))] a: &Self,
        #[ad_passive] n: usize,
    ) -> &Dense<T, R, Dyn>
    where
        DefaultAllocator: Sizes<R, Dyn>,
    {
        half_spectrum("irfft_rows", a.ncols(), "columns", n);
        by_rows(a, n, |a, r| inverses(n, a, r))
    }
}
#[track_caller]
fn half_spectrum(operation: &str, length: usize, what: &str, n: usize) {
    assert!(
        length == n / 2 + 1,
        "`{operation}({n})` of a matrix with {length} {what}: pass a spectrum with {} {what}",
        n / 2 + 1
    );
}

/// Discrete Fourier transforms of real matrices.
#[operations(ext = RealMatrixFftOps)]
impl<T: RealNumber + FftNum, R: Dim, C: Dim> Dense<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    /// Returns the first `n / 2 + 1` rows of the Fourier transform of the columns; the others are their conjugates.
    ///
    /// ```
    /// use entape_core::tape::Tape;
    /// use entape_linalg::prelude::*;
    /// use nalgebra::{DMatrix, dmatrix};
    ///
    /// let mut tape = Tape::new();
    /// let a = tape.input(dmatrix![1.0, 2.0; 3.0, 5.0; 2.0, 2.0]);
    /// let y = tape.record(|| a.rfft_columns().irfft_columns(3).norm_squared().eval());
    /// approx::assert_abs_diff_eq!(tape.gradient(&y)?.wrt(&a)?, a.get() * 2.0, epsilon = 2e-14);
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    #[op(
        linear,
        save(n: usize = a.nrows()),
        sample(for (m, n) in SHAPES, a = matrix::<f64>(m, n, 0)),
        sample(a = vector::<f64>(6, 0)),
    )]
    fn rfft_columns(
        #[ad_in(by_columns(r_b, n, |from, into| half_spectra_adjoints(n, from, into)))] a: &Self,
    ) -> &Dense<Complex<T>, Dyn, C>
    where
        DefaultAllocator: Sizes<Dyn, C>,
    {
        let n = a.nrows();
        by_columns(a, n / 2 + 1, |a, r| half_spectra(n, a, r))
    }
    /// Returns the first `n / 2 + 1` columns of the Fourier transform of the rows. In two dimensions, use
    /// `a.rfft_rows().fft_columns()`.
    #[op(
        linear,
        save(n: usize = a.ncols()),
        sample(for (m, n) in SHAPES, a = matrix::<f64>(m, n, 0)),
        sample(a = fixed::<f64, 2, 3>(0)),
    )]
    fn rfft_rows(
        #[ad_in(by_rows(r_b, n, |from, into| half_spectra_adjoints(n, from, into)))] a: &Self,
    ) -> &Dense<Complex<T>, R, Dyn>
    where
        DefaultAllocator: Sizes<R, Dyn>,
    {
        let n = a.ncols();
        by_rows(a, n / 2 + 1, |a, r| half_spectra(n, a, r))
    }
}
