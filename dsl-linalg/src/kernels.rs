//! The kernels: `out = alpha * op(a, b) + beta * out` over views. Above a crossover they are faer's low-level
//! calls, sequential; below it they are plain loops, as those of nalgebra take no view with two strides.
use crate::{Number, View, ViewMut, workspace::with_workspace};
use faer::{Accum, Par, linalg};

/// Products whose three sizes multiply to more than this run on faer.
const PRODUCT: usize = 8 * 8 * 8;
/// Triangular solves with more rows than this run on faer.
const TRIANGULAR: usize = 24;
/// Factorizations of matrices with more rows than this run on faer.
pub(crate) const FACTORIZE: usize = 24;
/// Matrix-vector products with more elements than this run on faer.
const VECTOR: usize = 48 * 48;

/// `out = alpha * a * b + beta * out`; with `beta = 0` what was in `out` doesn't matter.
///
/// # Panics
/// If the shapes don't fit; rules check them before.
pub fn gemm<T: Number>(alpha: T, a: View<'_, T>, b: View<'_, T>, beta: T, mut out: ViewMut<'_, T>) {
    let (m, n, k) = (out.rows, out.cols, a.cols);
    assert!(
        a.rows == m && b.rows == k && b.cols == n,
        "the shapes of a product"
    );
    if m == 0 || n == 0 {
        return;
    }
    if k == 0 {
        scale(beta, &mut out);
        return;
    }
    let narrow = m == 1 || n == 1 || k == 1;
    let small = if narrow {
        m * n * k <= VECTOR
    } else {
        m * n * k <= PRODUCT
    };
    if small {
        small_gemm(alpha, a, b, beta, out);
        return;
    }
    let accumulate = if beta == T::zero() {
        Accum::Replace
    } else {
        if beta != T::one() {
            scale(beta, &mut out);
        }
        Accum::Add
    };
    linalg::matmul::matmul(out.faer(), accumulate, a.faer(), b.faer(), alpha, Par::Seq);
}
fn small_gemm<T: Number>(
    alpha: T,
    a: View<'_, T>,
    b: View<'_, T>,
    beta: T,
    mut out: ViewMut<'_, T>,
) {
    if beta != T::one() {
        scale(beta, &mut out);
    }
    for j in 0..b.cols {
        let out = out.column(j);
        for k in 0..a.cols {
            let Some(column) = a.column(k) else { break };
            axpy(alpha * b.at(k, j), column, out);
        }
        for (i, out) in out.iter_mut().enumerate() {
            if a.column(0).is_some() {
                break;
            }
            *out += alpha
                * match (a.row(i), b.column(j)) {
                    (Some(row), Some(column)) => dot(row, column),
                    _ => (0..a.cols).fold(T::zero(), |sum, k| sum + a.at(i, k) * b.at(k, j)),
                };
        }
    }
}
fn scale<T: Number>(beta: T, out: &mut ViewMut<'_, T>) {
    if beta == T::zero() {
        out.elements().fill(T::zero());
    } else {
        out.elements().iter_mut().for_each(|x| *x *= beta);
    }
}

/// `out = alpha * x + out`, element by element.
///
/// # Panics
/// If the numbers of elements differ.
pub fn axpy<T: Number>(alpha: T, x: &[T], out: &mut [T]) {
    assert!(out.len() == x.len(), "the shapes of a sum");
    out.iter_mut()
        .zip(x)
        .for_each(|(out, x)| *out += alpha * *x);
}
/// The sum of the products of the elements.
pub fn dot<T: Number>(x: &[T], y: &[T]) -> T {
    // Four sums, so that the loop does not wait for one addition after the other.
    let (mut sums, (x4, x1), (y4, y1)) = ([T::zero(); 4], x.as_chunks::<4>(), y.as_chunks::<4>());
    for (x, y) in x4.iter().zip(y4) {
        let each = sums.iter_mut().zip(x.iter().zip(y));
        each.for_each(|(sum, (x, y))| *sum += *x * *y);
    }
    let rest = x1
        .iter()
        .zip(y1)
        .fold(T::zero(), |sum, (x, y)| sum + *x * *y);
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// Which triangle of a square matrix a solve reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Triangle {
    /// On and below the diagonal.
    Lower,
    /// On and above the diagonal.
    Upper,
    /// Below the diagonal, which is one.
    UnitLower,
    /// Above the diagonal, which is one.
    UnitUpper,
}
impl Triangle {
    /// The triangle of the transposed matrix.
    pub fn t(self) -> Self {
        use Triangle::*;
        match self {
            Lower => Upper,
            Upper => Lower,
            UnitLower => UnitUpper,
            UnitUpper => UnitLower,
        }
    }
    /// Whether the triangle has the element.
    pub fn has(self, i: usize, j: usize) -> bool {
        use Triangle::*;
        match self {
            Lower => i >= j,
            Upper => i <= j,
            UnitLower => i > j,
            UnitUpper => i < j,
        }
    }
}
/// `x = inverse(a) * x`, where only one triangle of `a` is read. A zero on the diagonal gives infinities or NaN.
pub fn solve_triangular<T: Number>(triangle: Triangle, a: View<'_, T>, mut x: ViewMut<'_, T>) {
    assert!(
        a.rows == a.cols && a.rows == x.rows,
        "the shapes of a triangular solve"
    );
    if a.rows == 0 || x.cols == 0 {
        return;
    }
    use Triangle::*;
    if a.rows > TRIANGULAR {
        use linalg::triangular_solve as solve;
        let (a, x) = (a.faer(), x.into_faer());
        match triangle {
            Lower => solve::solve_lower_triangular_in_place(a, x, Par::Seq),
            Upper => solve::solve_upper_triangular_in_place(a, x, Par::Seq),
            UnitLower => solve::solve_unit_lower_triangular_in_place(a, x, Par::Seq),
            UnitUpper => solve::solve_unit_upper_triangular_in_place(a, x, Par::Seq),
        }
        return;
    }
    for j in 0..x.cols {
        small_solve(triangle, a, x.column(j));
    }
}
fn small_solve<T: Number>(triangle: Triangle, a: View<'_, T>, x: &mut [T]) {
    let n = a.rows;
    let unit = matches!(triangle, Triangle::UnitLower | Triangle::UnitUpper);
    let lower = matches!(triangle, Triangle::Lower | Triangle::UnitLower);
    for step in 0..n {
        let k = if lower { step } else { n - 1 - step };
        let (before, rest) = x.split_at_mut(k);
        let [pivot, after @ ..] = rest else { return };
        // Column by column or row by row, whichever lies in one piece.
        if let Some(row) = a.row(k).filter(|_| a.column(k).is_none()) {
            let known = if lower {
                dot(&row[..k], before)
            } else {
                dot(&row[k + 1..], after)
            };
            *pivot -= known;
        }
        if !unit {
            *pivot /= a.at(k, k);
        }
        if let Some(column) = a.column(k) {
            let (rest, column) = if lower {
                (after, &column[k + 1..])
            } else {
                (before, &column[..k])
            };
            axpy(-*pivot, column, rest);
        }
    }
}

/// `out += alpha * a * b` on a triangle of `out`.
pub fn gemm_triangle<T: Number>(
    triangle: Triangle,
    alpha: T,
    a: View<'_, T>,
    b: View<'_, T>,
    mut out: ViewMut<'_, T>,
) {
    use linalg::matmul::triangular::{BlockStructure, matmul};
    if a.rows == 0 || a.cols == 0 {
        return;
    }
    if a.rows <= TRIANGULAR {
        for j in 0..b.cols {
            let out = out.column(j);
            for (i, out) in out
                .iter_mut()
                .enumerate()
                .filter(|(i, _)| triangle.has(*i, j))
            {
                let sum = (0..a.cols).fold(T::zero(), |sum, k| sum + a.at(i, k) * b.at(k, j));
                *out += alpha * sum;
            }
        }
        return;
    }
    let structure = match triangle {
        Triangle::Lower => BlockStructure::TriangularLower,
        Triangle::Upper => BlockStructure::TriangularUpper,
        Triangle::UnitLower => BlockStructure::StrictTriangularLower,
        Triangle::UnitUpper => BlockStructure::StrictTriangularUpper,
    };
    let full = BlockStructure::Rectangular;
    matmul(
        out.faer(),
        structure,
        Accum::Add,
        a.faer(),
        full,
        b.faer(),
        full,
        alpha,
        Par::Seq,
    );
}

/// The lower triangular `l` with `a = l * l'`, in place: reads and writes the lower triangle only. Whether `a` is positive
/// definite; if not, it is left unfinished.
#[must_use]
pub fn cholesky<T: Number>(mut a: ViewMut<'_, T>) -> bool {
    assert!(a.rows == a.cols, "the shape of a factorization");
    if a.rows <= FACTORIZE {
        return small_cholesky(a);
    }
    use linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
    let request = cholesky_in_place_scratch::<T>(a.rows, Par::Seq, Default::default());
    with_workspace(request, |stack| {
        let (none, parameters) = (Default::default(), Default::default());
        cholesky_in_place(a.faer(), none, Par::Seq, stack, parameters).is_ok()
    })
}
fn small_cholesky<T: Number>(mut a: ViewMut<'_, T>) -> bool {
    let n = a.rows;
    for j in 0..n {
        let (before, rest) = a.elements().split_at_mut(j * n);
        let column = &mut rest[j..n];
        for before in before.chunks_exact(n) {
            axpy(-before[j], &before[j..], column);
        }
        let pivot = column[0];
        // false for NaN, too
        if !(pivot > T::zero()) {
            return false;
        }
        let root = nalgebra::ComplexField::sqrt(pivot);
        column.iter_mut().for_each(|x| *x /= root);
    }
    true
}
