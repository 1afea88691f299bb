//! The QR factorization by reflections `1 - v * v' / t`. Below the diagonal are stored the elements of `v` after its
//! first, which is 1. Stored separately is the real `t`, or triangular matrices for blocks of reflections.
use super::{Crossover, axpy, crossover, dotc, squares};
use crate::{Number, View, ViewMut, workspace::with_workspace};
use faer::{
    Conj, Par,
    linalg::{householder as h, qr::no_pivoting::factor},
};
use num_traits::{One, Zero};

/// The most columns factorized without faer's blocks, from which products with `q` profit earlier than the
/// factorization.
const BLOCKED: usize = 48;

/// The most elements whose vectors are reflected one by one despite blocks.
const ONE_BY_ONE: Crossover = crossover(400, 150);

/// Returns the number of rows of `aside` in [`qr`], which has a column per reflection.
pub fn qr_rows<T: Number>(rows: usize, cols: usize) -> usize {
    if rows.min(cols) <= BLOCKED {
        1
    } else {
        factor::recommended_block_size::<T>(rows, cols).max(1)
    }
}
/// Factorizes in place: `r` on and above the diagonal, the reflections below and in `aside`.
///
/// # Panics
/// If `aside` does not have the shape given by [`qr_rows`].
pub fn qr<T: Number>(mut a: ViewMut<'_, T>, mut aside: ViewMut<'_, T>) {
    let (m, n) = (a.rows, a.cols);
    assert!(
        (aside.rows, aside.cols) == (qr_rows::<T>(m, n), m.min(n)),
        "the other operand fits the factorization"
    );
    if m.min(n) > BLOCKED {
        (T::KERNELS.qr)(a, aside);
        return;
    }
    for (k, t) in aside.elements().iter_mut().enumerate() {
        let (column, later) = a.elements()[k * m..].split_at_mut(m);
        let Some((first, below)) = column[k..].split_first_mut() else {
            return;
        };
        let length = nalgebra::ComplexField::sqrt(first.modulus_squared() + squares(below));
        if length == T::Part::zero() {
            *t = T::of(f64::INFINITY);
            continue;
        }
        // The sign that avoids cancellation.
        let onto = -first.to_exp().1.scale(length);
        let scale = T::one() / (*first - onto);
        below.iter_mut().for_each(|x| *x *= scale);
        *first = onto;
        let by = (T::Part::one() + squares(below)) * T::Part::of(0.5);
        *t = T::from_real(by);
        for column in later.chunks_exact_mut(m) {
            reflect(by, below, &mut column[k..]);
        }
    }
}
pub(super) fn large_qr<T: Number>(mut a: ViewMut<'_, T>, mut aside: ViewMut<'_, T>) {
    let (m, n) = (a.rows, a.cols);
    let request = factor::qr_in_place_scratch::<T>(m, n, aside.rows, Par::Seq, Default::default());
    with_workspace(request, |stack| {
        factor::qr_in_place(a.faer(), aside.faer(), Par::Seq, stack, Default::default());
    });
}
fn reflect<T: Number>(t: T::Part, below: &[T], x: &mut [T]) {
    let Some((first, x)) = x.split_first_mut() else {
        return;
    };
    let by = (*first + dotc(below, x)).unscale(t);
    *first -= by;
    axpy(-by, below, x);
}
/// `x = q * x`, or `x = q' * x`, for a factorization by [`qr`].
pub fn apply_q<T: Number>(
    qr: View<'_, T>,
    aside: View<'_, T>,
    mut x: ViewMut<'_, T>,
    inverse: bool,
) {
    assert!(qr.rows == x.rows, "the shapes of the factors fit");
    let (m, size, cols) = (qr.rows, aside.rows, x.cols);
    if aside.cols <= BLOCKED || m * cols <= ONE_BY_ONE.of::<T>() {
        for x in x.elements().chunks_exact_mut(m.max(1)) {
            let one = |k: usize| {
                if let Some(column) = qr.column(k) {
                    let t = aside.at(k % size, k).real();
                    reflect(t, &column[k + 1..], &mut x[k..]);
                }
            };
            if inverse {
                (0..aside.cols).for_each(one);
            } else {
                (0..aside.cols).rev().for_each(one);
            }
        }
        return;
    }
    (T::KERNELS.apply_q)(qr, aside, x, inverse);
}
pub(super) fn large_apply_q<T: Number>(
    qr: View<'_, T>,
    aside: View<'_, T>,
    mut x: ViewMut<'_, T>,
    inverse: bool,
) {
    let (m, size, cols) = (qr.rows, aside.rows, x.cols);
    let (basis, aside, x) = (qr.faer(), aside.faer(), x.faer());
    if inverse {
        use h::apply_block_householder_sequence_transpose_on_the_left_in_place_scratch as scratch;
        use h::apply_block_householder_sequence_transpose_on_the_left_in_place_with_conj as apply;
        with_workspace(scratch::<T>(m, size, cols), |stack| {
            apply(basis, aside, Conj::Yes, x, Par::Seq, stack);
        });
    } else {
        use h::apply_block_householder_sequence_on_the_left_in_place_scratch as scratch;
        use h::apply_block_householder_sequence_on_the_left_in_place_with_conj as apply;
        with_workspace(scratch::<T>(m, size, cols), |stack| {
            apply(basis, aside, Conj::No, x, Par::Seq, stack);
        });
    }
}
