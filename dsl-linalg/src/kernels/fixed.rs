//! Products of reals of sizes that are constants: of square matrices with 2 to 4 rows, with each other and with vectors, and of
//! vectors of such sizes. Their loops disappear, and what is left takes a third of what the choice of a loop does.
//!
//! They stand beside [`gemm`](super::gemm) and not in it, as more code there slows all products: expressions and sweeps, whose
//! products are mostly of such forms, ask here before. How a factor lies in memory is asked where it is known, by the
//! caller's view, and is a constant there.
use crate::{Number, View, ViewMut};

/// `out += alpha * a * b`, or `out = ..` where it is `new`, if the sizes are among those; tells whether they are.
#[inline(always)]
fn small_product<T: Number>(
    alpha: T,
    a: View<'_, T>,
    b: View<'_, T>,
    new: bool,
    out: ViewMut<'_, T>,
) -> bool {
    let sizes = (a.rows, a.cols, b.cols);
    if !T::IS_REAL || sizes.0 > 4 || sizes.2 > 4 || sizes.1 != b.rows {
        return false;
    }
    if (out.rows, out.cols) != (sizes.0, sizes.2) {
        return false;
    }
    let (Some(a), Some(b)) = (a.whole(), b.whole()) else {
        return false;
    };
    of_sizes(alpha, a, b, sizes, new, out.data)
}
/// [`gemm`](super::gemm) with `beta` 0, where `out` is `new`, or 1.
#[inline(always)]
pub(crate) fn add_product<T: Number>(
    alpha: T,
    a: View<'_, T>,
    b: View<'_, T>,
    new: bool,
    mut out: ViewMut<'_, T>,
) {
    if !small_product(alpha, a, b, new, out.reborrow()) {
        let beta = if new { T::zero() } else { T::one() };
        super::gemm(alpha, a, b, beta, out);
    }
}
/// Chooses the sizes. A factor is its elements and whether they stand row by row, which of a vector doesn't matter.
#[inline(never)]
fn of_sizes<T: Number>(
    alpha: T,
    (a, a_rows): (&[T], bool),
    (b, b_rows): (&[T], bool),
    sizes: (usize, usize, usize),
    new: bool,
    out: &mut [T],
) -> bool {
    macro_rules! with_matrix {
        ($n:literal) => {
            match (a_rows, b_rows) {
                (false, false) => product::<T, $n, $n, $n, false, false>(alpha, a, b, new, out),
                (false, true) => product::<T, $n, $n, $n, false, true>(alpha, a, b, new, out),
                (true, false) => product::<T, $n, $n, $n, true, false>(alpha, a, b, new, out),
                (true, true) => product::<T, $n, $n, $n, true, true>(alpha, a, b, new, out),
            }
        };
    }
    macro_rules! with_vector {
        ($n:literal) => {
            match a_rows {
                false => product::<T, $n, $n, 1, false, false>(alpha, a, b, new, out),
                true => product::<T, $n, $n, 1, true, false>(alpha, a, b, new, out),
            }
        };
    }
    match sizes {
        (4, 4, 1) => with_vector!(4),
        (4, 1, 4) => product::<T, 4, 1, 4, false, false>(alpha, a, b, new, out),
        (4, 4, 4) => with_matrix!(4),
        (3, 3, 1) => with_vector!(3),
        (3, 1, 3) => product::<T, 3, 1, 3, false, false>(alpha, a, b, new, out),
        (3, 3, 3) => with_matrix!(3),
        (2, 2, 1) => with_vector!(2),
        (2, 1, 2) => product::<T, 2, 1, 2, false, false>(alpha, a, b, new, out),
        (2, 2, 2) => with_matrix!(2),
        _ => false,
    }
}

/// Of `M` rows, `K` columns of the left factor and `N` columns of the right one.
#[inline(always)]
fn product<
    T: Number,
    const M: usize,
    const K: usize,
    const N: usize,
    const A: bool,
    const B: bool,
>(
    alpha: T,
    a: &[T],
    b: &[T],
    new: bool,
    out: &mut [T],
) -> bool {
    let (Some(a), Some(b)) = (columns::<T, M, K, A>(a), columns::<T, K, N, B>(b)) else {
        return false;
    };
    for (out, b) in out.as_chunks_mut::<M>().0.iter_mut().zip(&b) {
        let mut sum = [T::zero(); M];
        for (k, (a, b)) in a.iter().zip(b).enumerate() {
            let b = alpha * *b;
            let term = a.map(|a| a * b);
            sum = if k == 0 { term } else { plus(sum, term) };
        }
        *out = if new { sum } else { plus(*out, sum) };
    }
    true
}
#[inline(always)]
fn plus<T: Number, const N: usize>(a: [T; N], b: [T; N]) -> [T; N] {
    std::array::from_fn(|i| a[i] + b[i])
}
/// The columns of a matrix whose elements stand column by column, or row by row.
#[inline(always)]
fn columns<T: Number, const R: usize, const C: usize, const ROWS: bool>(
    all: &[T],
) -> Option<[[T; R]; C]> {
    if !ROWS {
        return all.as_chunks::<R>().0.first_chunk().copied();
    }
    let rows: &[[T; C]; R] = all.as_chunks::<C>().0.first_chunk()?;
    Some(std::array::from_fn(|j| rows.map(|row| row[j])))
}
