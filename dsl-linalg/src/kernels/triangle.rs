//! Products into a triangle, by blocks where faer's function is wrong for `Complex<f64>`.
use crate::{Number, kernels::Triangle};
use faer::{
    Accum, Conj, MatMut, MatRef, Par,
    linalg::matmul::{matmul_with_conj, triangular},
    prelude::ReborrowMut,
};

/// Diagonal blocks are computed as whole products.
const BLOCK: usize = 16;

/// Whether faer 0.24.4 uses its kernel for 256 bits, which overwrites the other triangle of each block.
fn faer_fails<T: Number>() -> bool {
    if !<T as faer::traits::ComplexField>::IS_NATIVE_C64 {
        return false;
    }
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("fma")
        && !std::arch::is_x86_feature_detected!("avx512f");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

pub(super) fn add_to_triangle<T: Number>(
    triangle: Triangle,
    alpha: T,
    a: (MatRef<'_, T>, Conj),
    b: (MatRef<'_, T>, Conj),
    out: MatMut<'_, T>,
) {
    if faer_fails::<T>() {
        by_blocks(triangle, alpha, a, b, out);
    } else {
        by_faer(triangle, alpha, a, b, out);
    }
}
fn by_faer<T: Number>(
    triangle: Triangle,
    alpha: T,
    (a, conj_a): (MatRef<'_, T>, Conj),
    (b, conj_b): (MatRef<'_, T>, Conj),
    out: MatMut<'_, T>,
) {
    use triangular::BlockStructure::*;
    let structure = match triangle {
        Triangle::Lower => TriangularLower,
        Triangle::Upper => TriangularUpper,
        Triangle::UnitLower => StrictTriangularLower,
        Triangle::UnitUpper => StrictTriangularUpper,
    };
    let (full, add, par) = (Rectangular, Accum::Add, Par::Seq);
    triangular::matmul_with_conj(
        out, structure, add, a, full, conj_a, b, full, conj_b, alpha, par,
    );
}
fn by_blocks<T: Number>(
    triangle: Triangle,
    alpha: T,
    (a, conj_a): (MatRef<'_, T>, Conj),
    (b, conj_b): (MatRef<'_, T>, Conj),
    mut out: MatMut<'_, T>,
) {
    let n = out.nrows();
    let product = |out: MatMut<'_, T>, accumulate, a, b| {
        matmul_with_conj(out, accumulate, a, conj_a, b, conj_b, alpha, Par::Seq);
    };
    if n <= BLOCK {
        let mut whole = [T::zero(); BLOCK * BLOCK];
        let mut whole = MatMut::from_column_major_slice_mut(&mut whole[..n * n], n, n);
        product(whole.rb_mut(), Accum::Replace, a, b);
        for j in 0..n {
            for i in triangle.rows(j, n) {
                out[(i, j)] += whole[(i, j)];
            }
        }
        return;
    }
    let half = n.div_ceil(2).next_multiple_of(4);
    let ((above, below), (left, right)) = (a.split_at_row(half), b.split_at_col(half));
    let (mut first, upper, lower, mut second) = out.split_at_mut(half, half);
    match triangle {
        Triangle::Lower | Triangle::UnitLower => product(lower, Accum::Add, below, left),
        Triangle::Upper | Triangle::UnitUpper => product(upper, Accum::Add, above, right),
    }
    by_blocks(
        triangle,
        alpha,
        (above, conj_a),
        (left, conj_b),
        first.rb_mut(),
    );
    by_blocks(
        triangle,
        alpha,
        (below, conj_a),
        (right, conj_b),
        second.rb_mut(),
    );
}

#[cfg(test)]
mod tests {
    use super::{by_blocks, by_faer, faer_fails};
    use crate::{Number, kernels::Triangle, samples::few_or};
    use faer::{Conj, Mat, MatMut, MatRef, c64};
    use nalgebra::ComplexField;

    type Product<T> = fn(Triangle, T, (MatRef<'_, T>, Conj), (MatRef<'_, T>, Conj), MatMut<'_, T>);

    fn error<T: Number<Part = f64>>(product: Product<T>) -> f64 {
        use Triangle::*;
        let number = |i: usize, j: usize, k: usize| {
            let angle = (1 + i + 3 * j + k) as f64 * 0.7;
            T::of_parts(angle.sin(), (1.3 * angle).cos())
        };
        let conjugated = |x: T, conj| if conj == Conj::Yes { x.conjugate() } else { x };
        let (mut worst, conjs, alpha) = (0.0_f64, [Conj::No, Conj::Yes], T::of_parts(-1.5, 0.5));
        for (n, depth) in (1..24)
            .chain([33, 50, 70].into_iter().take(few_or(1, 3)))
            .zip([1, 2, 3, 5, 8, 40].into_iter().cycle())
        {
            let a = Mat::from_fn(n, depth, |i, j| number(i, j, 0));
            let b = Mat::from_fn(n, depth, |i, j| number(i, j, 5));
            for (conj_a, conj_b) in conjs.iter().flat_map(|a| conjs.map(|b| (*a, b))) {
                let want = Mat::from_fn(n, n, |i, j| {
                    let term = |k| conjugated(a[(i, k)], conj_a) * conjugated(b[(j, k)], conj_b);
                    alpha * (0..depth).fold(T::zero(), |sum, k| sum + term(k))
                });
                for triangle in [Lower, Upper, UnitLower, UnitUpper] {
                    let before = Mat::from_fn(n, n, |i, j| number(i, j, 9));
                    let mut out = before.clone();
                    let b = b.as_ref().transpose();
                    product(
                        triangle,
                        alpha,
                        (a.as_ref(), conj_a),
                        (b, conj_b),
                        out.as_mut(),
                    );
                    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                        let inside = match triangle.has(i, j) {
                            true => want[(i, j)],
                            false => T::zero(),
                        };
                        let error = out[(i, j)] - before[(i, j)] - inside;
                        worst = worst.max(ComplexField::modulus(error));
                    }
                }
            }
        }
        worst
    }

    #[test]
    fn triangles_by_blocks_are_right() {
        assert!(error::<f64>(by_blocks) < 1e-12);
        #[cfg(feature = "complex")]
        assert!(error::<c64>(by_blocks) < 1e-12);
    }

    #[cfg(feature = "complex")]
    #[test]
    fn faer_is_right_where_it_is_called_and_wrong_elsewhere() {
        assert!(error::<f64>(by_faer) < 1e-12);
        let error = error::<c64>(by_faer);
        if faer_fails::<c64>() {
            assert!(
                error > 1e-3,
                "faer's products into triangles are right on this processor now: `by_blocks` and `faer_fails` can go"
            );
        } else {
            assert!(
                error < 1e-12,
                "faer's products into triangles are off by {error:e} on this processor"
            );
        }
    }
}
