//! Products of square real matrices with 2 to 4 rows, times such matrices or vectors. Unrolled loops take a third of
//! the instructions. They are separate, because more code in [`gemm`](super::gemm) slows all products down.
use crate::{Number, View, ViewMut};

/// Computes `out += alpha * a * b`, or `out = ..` if `new`, if a loop exists for these sizes. `known`: the sizes are
/// constants at the caller.
#[inline(always)]
fn small_product<T: Number>(
    known: bool,
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
    match known {
        true => choose(known, alpha, a, b, sizes, new, out.data),
        false => of_sizes(alpha, a, b, sizes, new, out.data),
    }
}
#[inline(always)]
pub(crate) fn add_product<T: Number>(
    known: bool,
    alpha: T,
    a: View<'_, T>,
    b: View<'_, T>,
    new: bool,
    mut out: ViewMut<'_, T>,
) {
    if !small_product(known, alpha, a, b, new, out.reborrow()) {
        let beta = if new { T::zero() } else { T::one() };
        super::gemm(alpha, a, b, beta, out);
    }
}
#[inline(never)]
fn of_sizes<T: Number>(
    alpha: T,
    a: (&[T], bool),
    b: (&[T], bool),
    sizes: (usize, usize, usize),
    new: bool,
    out: &mut [T],
) -> bool {
    choose(false, alpha, a, b, sizes, new, out)
}
/// A factor is its elements and whether they are stored by rows.
#[inline(always)]
fn choose<T: Number>(
    known: bool,
    alpha: T,
    (a, a_rows): (&[T], bool),
    (b, b_rows): (&[T], bool),
    sizes: (usize, usize, usize),
    new: bool,
    out: &mut [T],
) -> bool {
    // A short function has a short prologue.
    macro_rules! product {
        ($of:ident $m:literal $k:literal $n:literal) => {{
            let out = out.as_chunks_mut().0.first_chunk_mut();
            match (a.as_chunks().0.first_chunk(), b.as_chunks().0.first_chunk(), out) {
                (Some(a), Some(b), Some(out)) if known => $of::<T, $m, $k, $n>(alpha, a, b, new, out),
                (Some(a), Some(b), Some(out)) => apart::$of::<T, $m, $k, $n>(alpha, a, b, new, out),
                _ => return false,
            }
        }};
        ($n:literal) => {
            match (sizes.1, sizes.2) {
                ($n, 1) if a_rows => product!(by_rows $n $n 1),
                ($n, 1) => product!(by_columns $n $n 1),
                (1, $n) => product!(by_columns $n 1 $n),
                ($n, $n) => match (a_rows, b_rows) {
                    (false, false) => product!(by_columns $n $n $n),
                    (true, false) => product!(by_rows $n $n $n),
                    (false, true) => product!(with_rows $n $n $n),
                    (true, true) => product!(all_by_rows $n $n $n),
                },
                _ => return false,
            }
        };
    }
    match sizes.0 {
        4 => product!(4),
        3 => product!(3),
        2 => product!(2),
        _ => return false,
    }
    true
}
/// Declares products of factors that are stored by columns or rows, and compiles them apart for callers that do not
/// know the sizes.
macro_rules! products { ($($name:ident [$A:ident; $As:ident] [$B:ident; $Bs:ident] |$a:ident, $b:ident| $left:expr, $right:expr;)*) => {
    $(
        #[inline(always)]
        fn $name<T: Number, const M: usize, const K: usize, const N: usize>(
            alpha: T,
            $a: &[[T; $A]; $As],
            $b: &[[T; $B]; $Bs],
            new: bool,
            out: &mut [[T; M]; N],
        ) {
            product(alpha, $left, $right, new, out);
        }
    )*
    mod apart {
        use crate::Number;
        $(
            #[inline(never)]
            pub(super) fn $name<T: Number, const M: usize, const K: usize, const N: usize>(
                alpha: T,
                $a: &[[T; $A]; $As],
                $b: &[[T; $B]; $Bs],
                new: bool,
                out: &mut [[T; M]; N],
            ) {
                super::$name(alpha, $a, $b, new, out);
            }
        )*
    }
} }
products! {
    by_columns [M; K] [K; N] |a, b| *a, b;
    by_rows [K; M] [K; N] |a, b| transposed(a), b;
    with_rows [M; K] [N; K] |a, b| *a, &transposed(b);
    all_by_rows [K; M] [N; K] |a, b| transposed(a), &transposed(b);
}
#[inline(always)]
fn product<T: Number, const M: usize, const K: usize, const N: usize>(
    alpha: T,
    a: [[T; M]; K],
    b: &[[T; K]; N],
    new: bool,
    out: &mut [[T; M]; N],
) {
    for (out, b) in out.iter_mut().zip(b) {
        let mut sum = [T::zero(); M];
        for (k, (a, b)) in a.iter().zip(b).enumerate() {
            let b = alpha * *b;
            let term = a.map(|a| a * b);
            sum = if k == 0 { term } else { plus(sum, term) };
        }
        *out = if new { sum } else { plus(*out, sum) };
    }
}
#[inline(always)]
fn plus<T: Number, const N: usize>(a: [T; N], b: [T; N]) -> [T; N] {
    std::array::from_fn(|i| a[i] + b[i])
}
#[inline(always)]
fn transposed<T: Number, const R: usize, const C: usize>(rows: &[[T; C]; R]) -> [[T; R]; C] {
    std::array::from_fn(|j| rows.map(|row| row[j]))
}
