//! Sample arguments for the tests of rules.
use crate::{Number, Read, View, kernels::Triangle, view::view};
use entape_check::Prepared;
use entape_core::{kind::Heap, real::Real, store::Shared};
use nalgebra::{Const, DMatrix, DVector, SMatrix};

#[cfg(feature = "complex")]
pub(crate) use entape_complex::num_complex::{Complex32 as Z32, Complex64 as Z};
#[cfg(not(feature = "complex"))]
pub(crate) type Z = f64;
#[cfg(not(feature = "complex"))]
pub(crate) type Z32 = f32;

/// The first number on a slow emulator (`.ci/processors`).
pub(crate) fn few_or(few: usize, usual: usize) -> usize {
    match std::env::var_os("ENTAPE_FEW_CASES") {
        Some(_) => few,
        None => usual,
    }
}
/// All sorts, and large enough for both families of kernels.
pub(crate) const SHAPES: [(usize, usize); 8] = [
    (0, 0),
    (0, 3),
    (1, 1),
    (3, 3),
    (3, 5),
    (5, 2),
    (9, 12),
    (18, 17),
];
/// Few elements in single precision, for accurate finite differences.
pub(crate) fn shapes<T: Number>() -> impl Iterator<Item = (usize, usize)> {
    let shapes = SHAPES.into_iter();
    shapes.filter(|(m, n)| T::Part::DOUBLE || m * n < 5)
}
pub(crate) const FILLED: [(usize, usize); 6] = [(1, 1), (3, 3), (3, 5), (5, 2), (9, 12), (18, 17)];
pub(crate) const LARGER: [(usize, usize); 5] = [(3, 3), (3, 5), (5, 2), (9, 12), (18, 17)];
pub(crate) const SIZES: [usize; 5] = [0, 1, 3, 5, 27];
/// The number of columns of a right factor; some are constants of kernels.
pub(crate) const COLUMNS: [usize; 5] = [0, 1, 4, 10, 19];

pub(crate) fn number<T: Number>(i: usize, j: usize, k: usize) -> T {
    let [i, j, k] = [i, j, k].map(|i| i as f64);
    let angle = 1.0 + 0.7 * i + 1.3 * j + 0.05 * i * j + 0.37 * k;
    of(angle.sin(), (1.7 * angle + 0.4).cos())
}
fn of<T: Number>(re: f64, im: f64) -> T {
    T::of_parts(<T::Part as Number>::of(re), <T::Part as Number>::of(im))
}
pub(crate) fn matrix<T: Number>(rows: usize, cols: usize, k: usize) -> DMatrix<T> {
    DMatrix::from_fn(rows, cols, |i, j| number(i, j, k))
}
pub(crate) fn vector<T: Number>(n: usize, k: usize) -> DVector<T> {
    DVector::from_fn(n, |i, _| number(i, 3, k))
}
pub(crate) fn fixed<T: Number, const M: usize, const N: usize>(k: usize) -> SMatrix<T, M, N> {
    SMatrix::from_fn_generic(Const, Const, |i, j| number(i, j, k))
}
pub(crate) fn shifted<T: Number>(rows: usize, cols: usize, k: usize) -> DMatrix<T> {
    matrix::<T>(rows, cols, k).map(|x| x + T::of(2.0))
}
pub(crate) fn regular<T: Number>(n: usize, k: usize) -> DMatrix<T> {
    matrix::<T>(n, n, k) + DMatrix::identity(n, n) * of::<T>(n as f64 + 1.0, 1.0)
}
pub(crate) fn spread<T: Number>(rows: usize, cols: usize) -> DMatrix<T> {
    let diagonal = |i: usize| T::of(3.0 * i as f64 + 4.0);
    let mut a = matrix::<T>(rows, cols, 0);
    (0..rows.min(cols)).for_each(|i| a[(i, i)] += diagonal(i));
    a
}
pub(crate) fn hermitian<T: Number>(n: usize) -> DMatrix<T> {
    spread::<T>(n, n) + spread::<T>(n, n).adjoint()
}
pub(crate) fn triangular<T: Number>(n: usize, triangle: Triangle) -> DMatrix<T> {
    let unit = matches!(triangle, Triangle::UnitLower | Triangle::UnitUpper);
    regular::<T>(n, 0) * T::of(if unit { 0.01 } else { 1.0 })
}
pub(crate) fn triangles() -> impl Iterator<Item = (Triangle, Read)> {
    use Triangle::*;
    let all = [Lower, Upper, UnitLower, UnitUpper];
    all.into_iter().flat_map(|triangle| {
        [Read::Plain, Read::Transposed, Read::Adjoint].map(|read| (triangle, read))
    })
}
pub(crate) fn scalar<T: Number>() -> T {
    of(1.7, -0.6)
}
pub(crate) fn real<T: Number>() -> T::Part {
    <T::Part as Number>::of(-1.7)
}

pub(crate) fn positive<T: Number>(n: usize) -> DMatrix<T> {
    let a = regular::<T>(n, 0);
    &a * a.adjoint()
}
/// The operation `by` on a factorization computed anew, for finite differences.
pub(crate) fn by_factor<T: Number, F: Default + Heap + 'static, O: 'static>(
    factorize: impl Fn(View<'_, T>) -> F + 'static,
    by: fn(Shared<F>) -> O,
) -> Prepared<O, DMatrix<T>> {
    Prepared::new(move |a| by(Shared::new(factorize(view(a)))))
}
pub(crate) const FEW: [usize; 4] = [0, 1, 3, 5];
pub(crate) const TALL: [(usize, usize); 5] = [(0, 0), (1, 1), (3, 3), (5, 2), (6, 5)];
macro_rules! for_numbers { ($($body:tt)*) => {
    mod real {
        use super::*;
        type T = f64;
        $($body)*
    }
    #[cfg(feature = "complex")]
    mod complex {
        use super::*;
        type T = Z;
        $($body)*
    }
} }
pub(crate) use for_numbers;
