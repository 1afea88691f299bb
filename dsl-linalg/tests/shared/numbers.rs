use nalgebra::{Complex, DMatrix};

pub(crate) type C = Complex<f64>;

/// Whether this is a slow emulator (`.ci/processors`).
pub(crate) fn few_cases() -> bool {
    std::env::var_os("ENTAPE_FEW_CASES").is_some()
}
/// Linearly independent numbers.
pub(crate) fn number(i: usize, j: usize, k: usize) -> C {
    let [i, j, k] = [i, j, k].map(|i| i as f64);
    let angle = 1.0 + 0.7 * i + 1.3 * j + 0.05 * i * j + 0.37 * k;
    C::new(angle.sin(), (1.7 * angle + 0.4).cos())
}
pub(crate) fn complex(rows: usize, cols: usize, k: usize) -> DMatrix<C> {
    DMatrix::from_fn(rows, cols, |i, j| number(i, j, k))
}
pub(crate) fn real(rows: usize, cols: usize, k: usize) -> DMatrix<f64> {
    complex(rows, cols, k).map(|z| z.re)
}
