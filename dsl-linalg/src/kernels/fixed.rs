//! Products of reals of sizes that are constants: of square matrices with 2 to 4 rows, with each other and with vectors, and of
//! vectors of such sizes. Their loops disappear, and what is left takes a third of what the choice of a loop does.
//!
//! They stand beside [`gemm`](super::gemm) and not in it, as more code there slows all products: a sweep, whose products are
//! mostly of such forms, asks here before.
use crate::{Number, View, ViewMut};

/// `out += alpha * a * b`, or `out = ..` where it is `new`, if the sizes are among those; tells whether they are.
#[inline]
pub(crate) fn small_product<T: Number>(
    alpha: T,
    a: View<'_, T>,
    b: View<'_, T>,
    new: bool,
    out: ViewMut<'_, T>,
) -> bool {
    if !T::IS_REAL || a.rows > 4 || b.cols > 4 || a.cols != b.rows {
        return false;
    }
    if (out.rows, out.cols) != (a.rows, b.cols) {
        return false;
    }
    match (a.rows, a.cols, b.cols) {
        (4, 4, 4) => product::<T, 4, 4, 4>(alpha, a, b, new, out.data),
        (4, 4, 1) => product::<T, 4, 4, 1>(alpha, a, b, new, out.data),
        (4, 1, 4) => product::<T, 4, 1, 4>(alpha, a, b, new, out.data),
        (3, 3, 3) => product::<T, 3, 3, 3>(alpha, a, b, new, out.data),
        (3, 3, 1) => product::<T, 3, 3, 1>(alpha, a, b, new, out.data),
        (3, 1, 3) => product::<T, 3, 1, 3>(alpha, a, b, new, out.data),
        (2, 2, 2) => product::<T, 2, 2, 2>(alpha, a, b, new, out.data),
        (2, 2, 1) => product::<T, 2, 2, 1>(alpha, a, b, new, out.data),
        (2, 1, 2) => product::<T, 2, 1, 2>(alpha, a, b, new, out.data),
        _ => false,
    }
}

/// Of `M` rows, `K` columns of the left factor and `N` columns of the right one, if both lie in one piece.
fn product<T: Number, const M: usize, const K: usize, const N: usize>(
    alpha: T,
    a: View<'_, T>,
    b: View<'_, T>,
    new: bool,
    out: &mut [T],
) -> bool {
    let (Some(a), Some(b)) = (columns::<T, M, K>(a), columns::<T, K, N>(b)) else {
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
/// The columns of a matrix that lies in one piece.
#[inline(always)]
fn columns<T: Number, const R: usize, const C: usize>(m: View<'_, T>) -> Option<[[T; R]; C]> {
    if let Some(all) = m.columns() {
        return all.as_chunks::<R>().0.first_chunk().copied();
    }
    let rows: &[[T; C]; R] = m.t().columns()?.as_chunks::<C>().0.first_chunk()?;
    Some(std::array::from_fn(|j| rows.map(|row| row[j])))
}
