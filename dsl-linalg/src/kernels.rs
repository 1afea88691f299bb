//! Kernels: `out = alpha * op(a, b) + beta * out` on views, without derivatives. Small matrices take loops of this
//! crate, large ones faer on one thread. Faer leaves the upper halves of vector registers in use, so they are cleared
//! after a call.
//!
//! ```
//! use entape_linalg::{View, ViewMut, kernels};
//!
//! let a = [1.0, 3.0, 2.0, 4.0]; // [1, 2; 3, 4], column by column
//! let mut out = [0.0; 4];
//! let (a, into) = (View::new(&a, 2, 2), ViewMut::new(&mut out, 2, 2));
//! kernels::gemm(1.0, a.t(), a, 0.0, into); // the transpose times the matrix
//! assert_eq!(out, [10.0, 14.0, 14.0, 20.0]);
//! ```
use crate::{Number, View, ViewMut, workspace::with_workspace};
use entape_core::{machine::clear_upper_halves, store::Stash};
use faer::{Accum, Par, linalg};
use num_traits::Zero;

mod cholesky;
mod compiled;
mod fixed;
pub mod householder;
mod small;
mod triangle;

pub use self::cholesky::cholesky_adjoint;
#[doc(hidden)]
pub use self::compiled::Kernels;
#[cfg(feature = "complex")]
pub(crate) use self::compiled::{OF_C32, OF_C64};
pub(crate) use self::compiled::{OF_F32, OF_F64};
pub(crate) use self::fixed::add_product;
pub(crate) use self::small::lu as lu_by_columns;

/// The largest sizes for loops of this crate, for real and for complex numbers; measured in
/// `docs/decisions/0010-matrices-and-kernels.md`.
struct Crossover {
    real: usize,
    complex: usize,
}
impl Crossover {
    const fn of<T: Number>(self) -> usize {
        if T::IS_REAL { self.real } else { self.complex }
    }
}
const fn crossover(real: usize, complex: usize) -> Crossover {
    Crossover { real, complex }
}
/// The product of the three sizes.
const PRODUCT: Crossover = crossover(3 * 3 * 3, 3 * 3 * 3);
/// The product of the three sizes, if faer must pack a transposed left factor.
const TRANSPOSED_PRODUCT: Crossover = crossover(5 * 5 * 5, 5 * 5 * 5);
/// The rows that faer takes at a time of a right factor stored by rows, which are in different memory pages.
const ROWS_DEEP: usize = 128;
/// The number of elements of the matrix.
const VECTOR: Crossover = crossover(48 * 48, 8 * 8);
/// The number of elements of the transposed matrix.
const TRANSPOSED_VECTOR: Crossover = crossover(20 * 20, 8 * 8);
/// The number of elements.
const OUTER: Crossover = crossover(20 * 20, 6 * 6);
/// The number of rows, for one vector.
const SOLVE: Crossover = crossover(128, 30);
const TRANSPOSED_SOLVE: Crossover = crossover(12, 32);
/// The number of rows, for several vectors.
const SOLVE_MANY: Crossover = crossover(2, 2);
const TRIANGULAR: Crossover = crossover(5, 3);
const LU: Crossover = crossover(32, 11);
const FACTORIZE: Crossover = crossover(24, 12);

/// `out = alpha * a * b + beta * out`; `beta = 0` ignores `out`.
///
/// # Panics
/// If the shapes do not match.
pub fn gemm<T: Number>(alpha: T, a: View<'_, T>, b: View<'_, T>, beta: T, mut out: ViewMut<'_, T>) {
    let (m, n, k) = (out.rows, out.cols, a.cols);
    assert!(
        a.rows == m && b.rows == k && b.cols == n,
        "the shapes of the factors fit"
    );
    if m == 0 || n == 0 {
        return;
    }
    if k == 0 {
        scale(beta, &mut out);
        return;
    }
    if m == 1 && n > 1 {
        let (rows, cols) = (n, 1);
        let out = ViewMut { rows, cols, ..out };
        gemm(alpha, b.t(), a.t(), beta, out);
        return;
    }
    if let Some(x) = a.columns().filter(|_| k == 1 && m * n <= OUTER.of::<T>()) {
        scale(beta, &mut out);
        small::outer(alpha, (x, a.number()), b, out);
        return;
    }
    let transposed = a.by_columns().is_none();
    let most = match (n, transposed) {
        (1, false) => VECTOR.of::<T>(),
        (1, true) => TRANSPOSED_VECTOR.of::<T>(),
        (_, false) => PRODUCT.of::<T>(),
        (_, true) => TRANSPOSED_PRODUCT.of::<T>(),
    };
    if m * n * k <= most && (k <= small::GATHERED || small::reads_columns(b)) {
        scale(beta, &mut out);
        small::gemm(alpha, a, b, out);
        return;
    }
    (T::KERNELS.product)(alpha, a, b, beta, out);
}
fn large_product<T: Number>(
    alpha: T,
    a: View<'_, T>,
    b: View<'_, T>,
    beta: T,
    mut out: ViewMut<'_, T>,
) {
    let k = a.cols;
    let mut accumulate = if beta == T::zero() {
        Accum::Replace
    } else {
        scale(beta, &mut out);
        Accum::Add
    };
    let pieces = match b.by_columns() {
        Some(_) => 1,
        None => k.div_ceil(ROWS_DEEP),
    };
    let (a_faer, b_faer, deep) = (a.faer(), b.faer(), k.div_ceil(pieces));
    for first in (0..k).step_by(deep) {
        let deep = deep.min(k - first);
        linalg::matmul::matmul_with_conj(
            out.faer(),
            accumulate,
            a_faer.subcols(first, deep),
            a.conj(),
            b_faer.subrows(first, deep),
            b.conj(),
            alpha,
            Par::Seq,
        );
        accumulate = Accum::Add;
    }
    clear_upper_halves();
}
fn scale<T: Number>(beta: T, out: &mut ViewMut<'_, T>) {
    if beta == T::zero() {
        out.elements().fill(T::zero());
    } else if beta != T::one() {
        out.elements().iter_mut().for_each(|x| *x *= beta);
    }
}

/// `out = alpha * x + out`, element by element.
///
/// # Panics
/// If the numbers of elements differ.
pub fn axpy<T: Number>(alpha: T, x: &[T], out: &mut [T]) {
    axpy_of(alpha, (x, |x| x), out);
}
#[inline(always)]
fn axpy_of<T: Number>(alpha: T, (x, of): (&[T], impl Fn(T) -> T), out: &mut [T]) {
    assert!(out.len() == x.len(), "the shapes of a sum are equal");
    out.iter_mut()
        .zip(x)
        .for_each(|(out, x)| *out += alpha * of(*x));
}
/// `Σ x .* y`.
pub fn dot<T: Number>(x: &[T], y: &[T]) -> T {
    dot_of((x, |x| x), y)
}
/// `Σ conj(x) .* y`.
pub fn dotc<T: Number>(x: &[T], y: &[T]) -> T {
    dot_of((x, |x: T| x.conjugate()), y)
}
/// `Σ of(x) .* y`.
#[inline(always)]
fn dot_of<T: Number>((x, of): (&[T], impl Fn(T) -> T), y: &[T]) -> T {
    // One sum would be a chain of dependent additions.
    let (mut sums, (x4, x1), (y4, y1)) = ([T::zero(); 4], x.as_chunks::<4>(), y.as_chunks::<4>());
    for (x, y) in x4.iter().zip(y4) {
        let each = sums.iter_mut().zip(x.iter().zip(y));
        each.for_each(|(sum, (x, y))| *sum += of(*x) * *y);
    }
    let rest = x1
        .iter()
        .zip(y1)
        .fold(T::zero(), |sum, (x, y)| sum + of(*x) * *y);
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// The sum of the squares of the absolute values.
pub fn squares<T: Number>(x: &[T]) -> T::Part {
    let (mut sums, (x4, x1)) = ([T::Part::zero(); 4], x.as_chunks::<4>());
    for x in x4 {
        let each = sums.iter_mut().zip(x);
        each.for_each(|(sum, x)| *sum += x.modulus_squared());
    }
    let rest = x1
        .iter()
        .fold(T::Part::zero(), |sum, x| sum + x.modulus_squared());
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// The triangle of a square matrix that a solve reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Stash)]
pub enum Triangle {
    /// On and below the diagonal.
    Lower,
    /// On and above the diagonal.
    Upper,
    /// Below the diagonal, with ones on the diagonal.
    UnitLower,
    /// Above the diagonal, with ones on the diagonal.
    UnitUpper,
}
impl Triangle {
    /// Returns the triangle of the transpose.
    pub fn t(self) -> Self {
        use Triangle::*;
        match self {
            Lower => Upper,
            Upper => Lower,
            UnitLower => UnitUpper,
            UnitUpper => UnitLower,
        }
    }
    /// Returns whether element `(i, j)` belongs to the triangle.
    pub fn has(self, i: usize, j: usize) -> bool {
        use Triangle::*;
        match self {
            Lower => i >= j,
            Upper => i <= j,
            UnitLower => i > j,
            UnitUpper => i < j,
        }
    }
    fn rows(self, j: usize, n: usize) -> std::ops::Range<usize> {
        use Triangle::*;
        match self {
            Lower => j.min(n)..n,
            UnitLower => (j + 1).min(n)..n,
            Upper => 0..(j + 1).min(n),
            UnitUpper => 0..j.min(n),
        }
    }
}
/// `x = inverse(a) * x` for a triangle of `a`. A zero on the diagonal gives infinities or NaN.
pub fn solve_triangular<T: Number>(triangle: Triangle, a: View<'_, T>, mut x: ViewMut<'_, T>) {
    assert!(
        a.rows == a.cols && a.rows == x.rows,
        "the shapes of a triangular solve fit"
    );
    if a.rows == 0 || x.cols == 0 {
        return;
    }
    let most = match (x.cols, a.by_columns()) {
        (1, Some(_)) => SOLVE.of::<T>(),
        (1, None) => TRANSPOSED_SOLVE.of::<T>(),
        _ => SOLVE_MANY.of::<T>(),
    };
    if a.rows <= most {
        (0..x.cols).for_each(|j| small::solve(triangle, a, x.column(j)));
        return;
    }
    (T::KERNELS.solve)(triangle, a, x);
}
fn large_solve<T: Number>(triangle: Triangle, a: View<'_, T>, x: ViewMut<'_, T>) {
    use Triangle::*;
    use linalg::triangular_solve as solve;
    let (conj, a, x, par) = (a.conj(), a.faer(), x.into_faer(), Par::Seq);
    match triangle {
        Lower => solve::solve_lower_triangular_in_place_with_conj(a, conj, x, par),
        Upper => solve::solve_upper_triangular_in_place_with_conj(a, conj, x, par),
        UnitLower => solve::solve_unit_lower_triangular_in_place_with_conj(a, conj, x, par),
        UnitUpper => solve::solve_unit_upper_triangular_in_place_with_conj(a, conj, x, par),
    }
}

/// `out += alpha * a * b` on a triangle of `out`.
pub fn gemm_triangle<T: Number>(
    triangle: Triangle,
    alpha: T,
    a: View<'_, T>,
    b: View<'_, T>,
    out: ViewMut<'_, T>,
) {
    if a.rows == 0 || a.cols == 0 {
        return;
    }
    // A single outer product needs no packing.
    if a.rows <= TRIANGULAR.of::<T>() || a.cols == 1 {
        small::gemm_triangle(triangle, alpha, a, b, out);
        return;
    }
    (T::KERNELS.triangle)(triangle, alpha, a, b, out);
}
fn large_triangle<T: Number>(
    triangle: Triangle,
    alpha: T,
    a: View<'_, T>,
    b: View<'_, T>,
    mut out: ViewMut<'_, T>,
) {
    let (left, right) = ((a.faer(), a.conj()), (b.faer(), b.conj()));
    triangle::add_to_triangle(triangle, alpha, left, right, out.faer());
    clear_upper_halves();
}

/// Replaces `a` by the lower triangular `l` with `a = l * l'`, reading and writing only the lower triangle with a real
/// diagonal. Returns whether `a` is positive definite; if not, the contents are unspecified.
#[must_use]
pub fn cholesky<T: Number>(a: ViewMut<'_, T>) -> bool {
    assert!(a.rows == a.cols, "the shape of the factorization fits");
    if a.rows <= FACTORIZE.of::<T>() {
        return small::cholesky(a);
    }
    (T::KERNELS.cholesky)(a)
}
fn large_cholesky<T: Number>(mut a: ViewMut<'_, T>) -> bool {
    // Faer uses the imaginary parts of the diagonal.
    real_diagonal(&mut a);
    use linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
    let request = cholesky_in_place_scratch::<T>(a.rows, Par::Seq, Default::default());
    with_workspace(request, |stack| {
        let (none, parameters) = (Default::default(), Default::default());
        let done = cholesky_in_place(a.faer(), none, Par::Seq, stack, parameters).is_ok();
        real_diagonal(&mut a);
        done
    })
}
/// Replaces `a`, with its rows exchanged, by `l * u`: `u` on and above the diagonal, `l` below. Row `i` is row
/// `rows[i]` of `a`. Returns whether the number of exchanges is odd. Elements after a zero pivot may be NaN.
///
/// # Panics
/// If `a` is not square, or `rows` has another length.
pub fn lu<T: Number>(a: ViewMut<'_, T>, rows: &mut [usize]) -> bool {
    let n = a.rows;
    assert!(
        a.cols == n && rows.len() == n,
        "the shape of the factorization fits"
    );
    if n <= LU.of::<T>() {
        return small::lu(a, rows);
    }
    (T::KERNELS.lu)(a, rows)
}
fn large_lu<T: Number>(mut a: ViewMut<'_, T>, rows: &mut [usize]) -> bool {
    let n = a.rows;
    use linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
    let mut back = vec![0; n];
    let request = lu_in_place_scratch::<usize, T>(n, n, Par::Seq, Default::default());
    let info = with_workspace(request, |stack| {
        let parameters = Default::default();
        lu_in_place(a.faer(), rows, &mut back, Par::Seq, stack, parameters).0
    });
    info.transposition_count % 2 == 1
}
pub(crate) fn real_diagonal<T: Number>(a: &mut ViewMut<'_, T>) {
    if !T::IS_REAL {
        let of = |i: usize, column: &mut [T]| column[i] = T::from_real(column[i].real());
        (0..a.rows.min(a.cols)).for_each(|i| of(i, a.column(i)));
    }
}
