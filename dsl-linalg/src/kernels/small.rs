//! Loops for small matrices, faster than calls of blocked kernels. They take four columns or rows at a time, to load
//! and store each result once for four products. They are compiled for one instruction set, because the look-up takes
//! as long as a product of 4x4.
use crate::{
    Number, View, ViewMut,
    kernels::{Triangle, axpy, axpy_of, dot_of},
};
use faer::Conj;
use num_traits::Zero;

/// The most elements of a triangle for which the whole product is faster.
const WHOLE: usize = 36;
/// Columns of a transposed right factor are gathered in a buffer.
pub(super) const GATHERED: usize = 16;

/// `out += alpha * of(a) * x`, for columns that are `stride` elements apart. Compiled apart, because it uses more
/// registers than its callers leave.
#[inline(never)]
pub(super) fn add_columns<T: Number>(
    alpha: T,
    a: &[T],
    of: impl Fn(T) -> T + Copy,
    stride: usize,
    x: &[T],
    out: &mut [T],
) {
    let rows = out.len();
    let (fours, rest) = x.as_chunks::<4>();
    let mut left = a;
    for x in fours {
        let [a, b, c, d] = std::array::from_fn(|i| &left[i * stride..][..rows]);
        let [x, y, z, w] = x.map(|x| alpha * x);
        for i in 0..rows {
            let [a, b, c, d] = [a[i], b[i], c[i], d[i]].map(of);
            out[i] += (x * a + y * b) + (z * c + w * d);
        }
        left = left.get(4 * stride..).unwrap_or_default();
    }
    let (pair, last) = rest.as_chunks::<2>();
    if let [[x, y]] = pair {
        let (x, y) = (alpha * *x, alpha * *y);
        let both = left[..rows].iter().zip(&left[stride..][..rows]);
        out.iter_mut()
            .zip(both)
            .for_each(|(out, (a, b))| *out += x * of(*a) + y * of(*b));
    }
    if let [x] = last {
        axpy_of(
            alpha * *x,
            (&left[2 * pair.len() * stride..][..rows], of),
            out,
        );
    }
}
/// `out += alpha * of(a) * x`, for rows that are `stride` elements apart.
#[inline(always)]
fn add_rows<T: Number>(
    alpha: T,
    (a, of): (&[T], impl Fn(T) -> T + Copy),
    stride: usize,
    x: &[T],
    out: &mut [T],
) {
    let (fours, rest) = out.as_chunks_mut::<4>();
    let (pairs, last) = x.as_chunks::<2>();
    let mut left = a;
    for out in fours {
        let rows: [_; 4] = std::array::from_fn(|i| left[i * stride..][..x.len()].as_chunks::<2>());
        let mut sums = [[T::zero(); 2]; 4];
        for (k, x) in pairs.iter().enumerate() {
            for (sum, (row, _)) in sums.iter_mut().zip(&rows) {
                sum[0] += of(row[k][0]) * x[0];
                sum[1] += of(row[k][1]) * x[1];
            }
        }
        for ((out, sum), (_, row)) in out.iter_mut().zip(sums).zip(rows) {
            *out += alpha * (sum[0] + sum[1] + dot_of((row, of), last));
        }
        left = left.get(4 * stride..).unwrap_or_default();
    }
    for (out, row) in rest.iter_mut().zip(left.chunks(stride)) {
        *out += alpha * dot_of((&row[..x.len()], of), x);
    }
}
/// Whether [`gemm`] reads contiguous columns of its right factor in place.
pub(super) fn reads_columns<T: Number>(b: View<'_, T>) -> bool {
    b.by_columns().is_some() && b.conj() == Conj::No
}
/// The columns of `b` have at most [`GATHERED`] elements, unless they are [read in place](reads_columns).
#[inline]
pub(super) fn gemm<T: Number>(alpha: T, a: View<'_, T>, b: View<'_, T>, mut out: ViewMut<'_, T>) {
    let (of, stored) = (a.number(), b.conj() == Conj::No);
    if let (Some((a, stride)), true) = (a.by_columns(), reads_columns(b)) {
        for j in 0..b.cols {
            let x = b.column(j).unwrap_or_default();
            add_columns(alpha, a, of, stride, x, out.column(j));
        }
        return;
    }
    let mut gathered = [T::zero(); GATHERED];
    for j in 0..b.cols {
        let x = b.column(j).filter(|_| stored).unwrap_or_else(|| {
            let x = &mut gathered[..b.rows];
            x.iter_mut().enumerate().for_each(|(i, x)| *x = b.at(i, j));
            x
        });
        let out = out.column(j);
        match (a.by_columns(), a.t().by_columns()) {
            (Some((a, stride)), _) => add_columns(alpha, a, of, stride, x, out),
            (_, Some((a, stride))) => add_rows(alpha, (a, of), stride, x, out),
            _ => unreachable!("a view has a stride of 1"),
        }
    }
}
#[inline]
pub(super) fn outer<T: Number>(
    alpha: T,
    (x, of): (&[T], impl Fn(T) -> T + Copy),
    y: View<'_, T>,
    mut out: ViewMut<'_, T>,
) {
    for j in 0..y.cols {
        axpy_of(alpha * y.at(0, j), (x, of), out.column(j));
    }
}
pub(super) fn gemm_triangle<T: Number>(
    triangle: Triangle,
    alpha: T,
    a: View<'_, T>,
    b: View<'_, T>,
    mut out: ViewMut<'_, T>,
) {
    let n = a.rows;
    if a.cols > 1 && n * n <= WHOLE {
        // Computing the other triangle is faster than skipping it.
        let mut product = [T::zero(); WHOLE];
        let product = &mut product[..n * n];
        super::add_product(false, alpha, a, b, true, ViewMut::new(product, n, n));
        for (j, column) in product.chunks_exact(n).enumerate() {
            let rows = triangle.rows(j, n);
            let each = out.column(j)[rows.clone()].iter_mut();
            each.zip(&column[rows]).for_each(|(out, x)| *out += *x);
        }
        return;
    }
    for j in 0..b.cols {
        let rows = triangle.rows(j, a.rows);
        for k in 0..a.cols {
            let (b, out) = (alpha * b.at(k, j), &mut out.column(j)[rows.clone()]);
            match a.column(k) {
                Some(column) => axpy_of(b, (&column[rows.clone()], a.number()), out),
                None => rows
                    .clone()
                    .zip(out)
                    .for_each(|(i, out)| *out += b * a.at(i, k)),
            }
        }
    }
}
/// `x = inverse(a) * x`.
#[inline]
pub(super) fn solve<T: Number>(triangle: Triangle, a: View<'_, T>, x: &mut [T]) {
    let n = a.rows;
    let unit = matches!(triangle, Triangle::UnitLower | Triangle::UnitUpper);
    let lower = matches!(triangle, Triangle::Lower | Triangle::UnitLower);
    let of = a.number();
    for step in 0..n {
        let k = if lower { step } else { n - 1 - step };
        let (before, rest) = x.split_at_mut(k);
        let [pivot, after @ ..] = rest else { return };
        let column = a.column(k);
        if let Some(row) = a.row(k).filter(|_| column.is_none()) {
            let known = if lower {
                dot_of((&row[..k], of), before)
            } else {
                dot_of((&row[k + 1..], of), after)
            };
            *pivot -= known;
        }
        if !unit {
            *pivot /= a.at(k, k);
        }
        if let Some(column) = column {
            let (rest, column) = if lower {
                (after, &column[k + 1..])
            } else {
                (before, &column[..k])
            };
            axpy_of(-*pivot, (column, of), rest);
        }
    }
}
/// See [`lu`](super::lu). Skips columns without a pivot.
pub(crate) fn lu<T: Number>(mut a: ViewMut<'_, T>, rows: &mut [usize]) -> bool {
    let n = a.rows;
    rows.iter_mut().enumerate().for_each(|(i, row)| *row = i);
    let mut odd = false;
    for k in 0..n {
        let size = |i: usize, column: &[T]| column[i].norm1();
        let column = a.column(k);
        let best = (k + 1..n).fold(k, |best, i| {
            let larger = size(i, column) > size(best, column);
            if larger { i } else { best }
        });
        if column[best] == T::zero() {
            continue;
        }
        if best != k {
            odd = !odd;
            rows.swap(k, best);
            a.elements()
                .chunks_exact_mut(n)
                .for_each(|x| x.swap(k, best));
        }
        let (column, later) = a.elements()[k * n..].split_at_mut(n);
        let (head, below) = column.split_at_mut(k + 1);
        let scale = T::one() / head[k];
        below.iter_mut().for_each(|x| *x *= scale);
        for column in later.chunks_exact_mut(n) {
            let (head, rest) = column.split_at_mut(k + 1);
            axpy(-head[k], below, rest);
        }
    }
    odd
}
pub(super) fn cholesky<T: Number>(mut a: ViewMut<'_, T>) -> bool {
    let n = a.rows;
    for j in 0..n {
        let (before, rest) = a.elements().split_at_mut(j * n);
        let column = &mut rest[j..n];
        for before in before.chunks_exact(n) {
            axpy(-before[j].conjugate(), &before[j..], column);
        }
        let pivot = column[0].real();
        // False also for NaN.
        if pivot.partial_cmp(&T::Part::zero()) != Some(std::cmp::Ordering::Greater) {
            return false;
        }
        let root = nalgebra::ComplexField::sqrt(pivot);
        column.iter_mut().for_each(|x| *x = x.unscale(root));
        column[0] = T::from_real(root);
    }
    true
}
