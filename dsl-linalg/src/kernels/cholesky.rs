//! The adjoint of the Cholesky factorization ([Murray 2016](crate#sources)): by columns for small matrices, otherwise
//! by halves, as in its section 4. It takes twice the operations of the factorization, a third of the formula with two
//! triangular solves.
use super::{Triangle, clear_upper_halves, dotc, small::add_columns, triangle::add_to_triangle};
use crate::{Number, View, ViewMut};
use faer::{
    Accum, Conj, MatMut, MatRef, Par,
    linalg::{matmul::matmul, triangular_solve::solve_upper_triangular_in_place},
    prelude::{Reborrow, ReborrowMut},
};

/// The most rows that are reversed by columns in place.
const SMALL: usize = 32;
/// The most rows of a block that is reversed by columns on a copy.
const BLOCK: usize = 12;

/// Replaces the lower triangle of `a_b`, the adjoint of the factor `l`, by the adjoint of the matrix. The upper
/// triangle is overwritten.
///
/// # Panics
/// If the matrices are not square or differ in size.
pub fn cholesky_adjoint<T: Number>(l: View<'_, T>, mut a_b: ViewMut<'_, T>) {
    let n = l.rows;
    assert!(
        [l.cols, a_b.rows, a_b.cols] == [n; 3],
        "the shapes of the factorization fit"
    );
    match l.columns() {
        Some(l) if n <= SMALL => by_columns(l, a_b.elements(), n),
        _ => (T::KERNELS.cholesky_adjoint)(l, a_b),
    }
}
pub(super) fn large_adjoint<T: Number>(l: View<'_, T>, mut a_b: ViewMut<'_, T>) {
    in_halves(l.faer(), a_b.faer());
    clear_upper_halves();
}
// The reverse of l21 = a21 * inverse(l11'), a22 - l21 * l21' = l22 * l22'.
fn in_halves<T: Number>(l: MatRef<'_, T>, a_b: MatMut<'_, T>) {
    let n = l.nrows();
    if n <= BLOCK {
        of_block(l, a_b);
        return;
    }
    let half = n / 2;
    let (l11, _, l21, l22) = l.split_at(half, half);
    let (mut a11_b, _, mut a21_b, mut a22_b) = a_b.split_at_mut(half, half);
    in_halves(l22, a22_b.rb_mut());
    // a21_b -= (a22_b + a22_b') * l21
    let (one, two) = (T::one(), T::of(2.0));
    for j in 0..n - half {
        a22_b[(j, j)] *= two;
        for i in j + 1..n - half {
            a22_b[(j, i)] = a22_b[(i, j)].conjugate();
        }
    }
    let (par, add) = (Par::Seq, Accum::Add);
    matmul(a21_b.rb_mut(), add, a22_b.rb(), l21, -one, par);
    (0..n - half).for_each(|j| a22_b[(j, j)] *= T::of(0.5));
    // a21_b *= inverse(l11)
    solve_upper_triangular_in_place(l11.transpose(), a21_b.rb_mut().transpose_mut(), par);
    // a11_b -= the lower triangle of a21_b' * l21
    let (left, right) = ((a21_b.rb().transpose(), Conj::Yes), (l21, Conj::No));
    add_to_triangle(Triangle::Lower, -one, left, right, a11_b.rb_mut());
    in_halves(l11, a11_b);
}
fn of_block<T: Number>(l: MatRef<'_, T>, mut a_b: MatMut<'_, T>) {
    let n = l.nrows();
    let [mut factor, mut adjoint] = [[T::zero(); BLOCK * BLOCK]; 2];
    let lower = || (0..n).flat_map(|j| (j..n).map(move |i| (i, j)));
    for (i, j) in lower() {
        (factor[i + j * n], adjoint[i + j * n]) = (l[(i, j)], a_b[(i, j)]);
    }
    by_columns(&factor, &mut adjoint[..n * n], n);
    for (i, j) in lower() {
        a_b[(i, j)] = adjoint[i + j * n];
    }
}
/// Reverses the columns from the last one on. The adjoint of the following part is stored as a Hermitian matrix with a
/// doubled diagonal, so each column takes one product.
fn by_columns<T: Number>(l: &[T], a_b: &mut [T], n: usize) {
    for j in (0..n).rev() {
        let (before, later) = a_b.split_at_mut((j + 1) * n);
        let [d_b, c_b @ ..] = &mut before[j * n..][j..] else {
            return;
        };
        // later -= c * c', where c = .. / d and d = sqrt(..)
        let [d, c @ ..] = &l[j * n..][j..n] else {
            return;
        };
        let d = d.real();
        if let Some(later) = later.get(j + 1..) {
            add_columns(-T::one(), later, |x| x, n, c, c_b);
        }
        c_b.iter_mut().for_each(|x| *x = x.unscale(d));
        *d_b = T::from_real((d_b.real() - dotc(c_b, c).real()) / d);
        let row = later.iter_mut().skip(j).step_by(n);
        row.zip(c_b).for_each(|(x, c_b)| *x = c_b.conjugate());
    }
    (0..n).for_each(|j| a_b[j * (n + 1)] *= T::of(0.5));
}
