//! Solves with a real matrix and a complex right side, whose real and imaginary parts are solved for one by one, and
//! solves with a complex matrix and a real right side.
use super::{ComplexPart, beside, joined, re_of};
#[cfg(test)]
use crate::samples::*;
use crate::{
    Dense, Product, Sizes, ViewMut,
    factors::Factor,
    kernels::solve_triangular,
    memory::{Pooled, copied, map},
    qr::{QrSolve, Rest, least_squares, q_times, residual},
    shapes,
    solves::{
        SolveWith, TriangularSolve, check_triangular, lower_difference, solved, triangle_difference,
    },
    view::{view, view_mut},
};
use entape_complex::num_complex::Complex;
use entape_core::op;
use nalgebra::{DefaultAllocator, Dim, Dyn, OMatrix};

// The adjoint of a real matrix is the real part of what the adjoint of a complex one would be: for a product w * r', it
// is the sum of the products of the real and of the imaginary parts.

/// The solution, of which both parts are computed by a function that replaces right sides by solutions.
fn by_parts<T: ComplexPart, R: Dim, C: Dim>(
    b: &OMatrix<Complex<T>, R, C>,
    solve: impl FnOnce(ViewMut<'_, T>),
) -> Pooled<T, Dyn, Dyn>
where
    DefaultAllocator: Sizes<R, C>,
{
    let mut x = beside(b);
    solve(view_mut(&mut *x));
    x
}

#[op(SolveWith<F>, shared(ref w = by_parts(r_b, |x| factor.solve_adjoint(x))))]
fn solve_complex<T: ComplexPart, N: Dim, C: Dim, F: Default + 'static>(
    #[ad_in({
        let r = beside(r);
        if F::LOWER {
            a_b.add(lower_difference(view(&**w), view(&*r)));
        } else {
            a_b.add(Product(-T::ONE, view(&**w), view(&*r).t()));
        }
    })]
    a: &Dense<T, N, N>,
    #[ad_in(joined(w))] b: &Dense<Complex<T>, N, C>,
    #[ad_passive] factor: Shared<F>,
) -> &Dense<Complex<T>, N, C>
where
    F: Factor<T>,
    DefaultAllocator: Sizes<N, N> + Sizes<N, C>,
{
    shapes::inner("a.solve(b)", a.shape(), b.shape(), (a.nrows(), b.nrows()));
    joined(&by_parts(b, |x| factor.solve(x)))
}
#[op(SolveWith<F>, shared(ref w = { let mut x = copied(r_b); factor.solve_adjoint(view_mut(&mut x)); Pooled::from(x) }))]
fn solve_real<T: ComplexPart, N: Dim, C: Dim, F: Default + 'static>(
    #[ad_in({
        if F::LOWER {
            a_b.add(lower_difference(view(&**w), view(r)));
        } else {
            a_b.add(Product(-Complex::from(T::ONE), view(&**w), view(r).h()));
        }
    })]
    a: &Dense<Complex<T>, N, N>,
    #[ad_in(re_of(w))] b: &Dense<T, N, C>,
    #[ad_passive] factor: Shared<F>,
) -> &Dense<Complex<T>, N, C>
where
    F: Factor<Complex<T>>,
    DefaultAllocator: Sizes<N, N> + Sizes<N, C>,
{
    shapes::inner("a.solve(b)", a.shape(), b.shape(), (a.nrows(), b.nrows()));
    let mut x = map(b, Complex::from);
    factor.solve(view_mut(&mut x));
    x
}

#[op(
    QrSolve<T>,
    save(rest: Rest<T> = residual(view(a), view(&*beside(r)), view(&*beside(b)))),
    shared(
        ref z = by_parts(r_b, |x| factor.solve_r(x, true)),
        ref w = Pooled::from(q_times::<T, Dyn, Dyn, Dyn>(&factor, &**z)),
    )
)]
fn qr_solve_complex<T: ComplexPart, R: Dim, C: Dim, K: Dim>(
    #[ad_in({
        a_b.add(Product(-T::ONE, view(&**w), view(&*beside(r)).t()));
        if !rest.is_empty() {
            let mut z = Pooled::from(copied(&**z));
            factor.solve_r(view_mut(&mut *z), false);
            a_b.add(Product(T::ONE, view(&**rest), view(&*z).t()));
        }
    })]
    a: &Dense<T, R, C>,
    #[ad_in(joined(w))] b: &Dense<Complex<T>, R, K>,
    #[ad_passive] factor: Shared<QrFactor<T>>,
) -> &Dense<Complex<T>, C, K>
where
    DefaultAllocator: Sizes<R, C> + Sizes<R, K> + Sizes<C, K>,
{
    shapes::inner("a.solve(b)", a.shape(), b.shape(), (a.nrows(), b.nrows()));
    let x: OMatrix<T, Dyn, Dyn> = least_squares(&factor, &*beside(b));
    joined(&Pooled::from(x))
}
#[op(
    QrSolve<Complex<T>>,
    save(rest: Rest<Complex<T>> = residual(view(a), view(r), view(&*Pooled::from(map(b, Complex::from))))),
    shared(
        ref z = { let mut x = copied(r_b); factor.solve_r(view_mut(&mut x), true); Pooled::from(x) },
        ref w = Pooled::from(q_times::<Complex<T>, R, C, K>(&factor, &**z)),
    )
)]
fn qr_solve_real<T: ComplexPart, R: Dim, C: Dim, K: Dim>(
    #[ad_in({
        let one = Complex::from(T::ONE);
        a_b.add(Product(-one, view(&**w), view(r).h()));
        if !rest.is_empty() {
            let mut z = Pooled::from(copied(&**z));
            factor.solve_r(view_mut(&mut *z), false);
            a_b.add(Product(one, view(&**rest), view(&*z).h()));
        }
    })]
    a: &Dense<Complex<T>, R, C>,
    #[ad_in(re_of(w))] b: &Dense<T, R, K>,
    #[ad_passive] factor: Shared<QrFactor<Complex<T>>>,
) -> &Dense<Complex<T>, C, K>
where
    DefaultAllocator: Sizes<R, C> + Sizes<R, K> + Sizes<C, K>,
{
    shapes::inner("a.solve(b)", a.shape(), b.shape(), (a.nrows(), b.nrows()));
    least_squares(&factor, &*Pooled::from(map(b, Complex::from)))
}

#[op(
    TriangularSolve, shared(ref w = {
    let (triangle, a) = read.of(triangle, view(a));
    by_parts(r_b, |x| solve_triangular(triangle.t(), a.t(), x))
}),
    sample(for n in SIZES, for (triangle, read) in triangles(), a = triangular::<f64>(n, triangle), b = matrix::<Z>(n, 2, 1)),
)]
fn triangular_solve_complex<T: ComplexPart, N: Dim, C: Dim>(
    #[ad_in({
        let r = beside(r);
        a_b.add(triangle_difference(triangle, read, view(&**w), view(&*r)));
    })]
    a: &Dense<T, N, N>,
    #[ad_in(joined(w))] b: &Dense<Complex<T>, N, C>,
    #[ad_passive] triangle: Triangle,
    #[ad_passive] read: Read,
) -> &Dense<Complex<T>, N, C>
where
    DefaultAllocator: Sizes<N, N> + Sizes<N, C>,
{
    check_triangular(a.shape(), b.shape());
    let (triangle, a) = read.of(triangle, view(a));
    joined(&by_parts(b, |x| solve_triangular(triangle, a, x)))
}
#[op(
    TriangularSolve, shared(ref w = {
    let (triangle, a) = read.of(triangle, view(a));
    Pooled::from(solved(triangle.t(), a.h(), copied(r_b)))
}),
    sample(for n in SIZES, for (triangle, read) in triangles(), a = triangular::<Z>(n, triangle), b = matrix::<f64>(n, 2, 1)),
)]
fn triangular_solve_real<T: ComplexPart, N: Dim, C: Dim>(
    #[ad_in(triangle_difference(triangle, read, view(&**w), view(r)))] a: &Dense<Complex<T>, N, N>,
    #[ad_in(re_of(w))] b: &Dense<T, N, C>,
    #[ad_passive] triangle: Triangle,
    #[ad_passive] read: Read,
) -> &Dense<Complex<T>, N, C>
where
    DefaultAllocator: Sizes<N, N> + Sizes<N, C>,
{
    check_triangular(a.shape(), b.shape());
    let (triangle, a) = read.of(triangle, view(a));
    solved(triangle, a, map(b, Complex::from))
}
