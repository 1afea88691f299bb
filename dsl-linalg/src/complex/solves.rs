//! Solves with one real and one complex side. A real matrix solves both parts of the right side separately.
use super::{beside, joined, re_of};
#[cfg(test)]
use crate::samples::*;
use crate::{
    Dense, Product, RealNumber, Sizes, ViewMut,
    factors::Factor,
    kernels::solve_triangular,
    memory::{Pooled, copied, map},
    qr::{Moved, QrSolve, Rest, beyond_q, least_squares, over_r, q_times, residual},
    shapes,
    solves::{
        SolveWith, TriangularSolve, check_triangular, matrix_times, solved, subtract,
        triangle_difference, triangle_times,
    },
    view::{view, view_mut},
};
use entape_complex::num_complex::Complex;
use entape_core::op;
use nalgebra::{DefaultAllocator, Dim, Dyn, OMatrix};

// The adjoint of a real matrix is the real part of w * r'.

fn by_parts<T: RealNumber, R: Dim, C: Dim>(
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

#[op(
    SolveWith<F>,
    shared(
        ref w = by_parts(r_b, |x| factor.solve_adjoint(x)),
        ref w_t = some_a_t.map(|a_t| {
            let mut x = Pooled::from(matrix_times::<F, T, N, Dyn, Dyn>(a_t, true, view(&**w)));
            factor.solve_adjoint(view_mut(&mut *x));
            x
        }),
    ),
    tangent(
        a = {
            let mut x = Pooled::from(matrix_times::<F, T, N, Dyn, Dyn>(a_t, false, view(&*beside(r))));
            factor.solve(view_mut(&mut *x));
            joined::<T, N, C>(&x)
        },
        b = joined::<T, N, C>(&by_parts(b_t, |x| factor.solve(x))),
    ),
    second(
        a = {
            if let Some(w_t) = w_t {
                subtract::<F, T, N>(&mut a_b, view(&**w_t), view(&*beside(r)));
            }
            subtract::<F, T, N>(&mut a_b, view(&**w), view(&*beside(r_t)));
        },
        b = w_t.iter().for_each(|w_t| b_b.add(joined(w_t))),
    ),
)]
fn solve_complex<T: RealNumber, N: Dim, C: Dim, F: Default + 'static>(
    #[ad_in(subtract::<F, T, N>(&mut a_b, view(&**w), view(&*beside(r))))] a: &Dense<T, N, N>,
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
#[op(
    SolveWith<F>,
    shared(
        ref w = { let mut x = copied(r_b); factor.solve_adjoint(view_mut(&mut x)); Pooled::from(x) },
        ref w_t = some_a_t.map(|a_t| {
            let mut x = matrix_times::<F, Complex<T>, N, N, C>(a_t, true, view(&**w));
            factor.solve_adjoint(view_mut(&mut x));
            Pooled::from(x)
        }),
    ),
    tangent(
        a = {
            let mut x = matrix_times::<F, Complex<T>, N, N, C>(a_t, false, view(r));
            factor.solve(view_mut(&mut x));
            x
        },
        b = { let mut x = map(b_t, Complex::from); factor.solve(view_mut(&mut x)); x },
    ),
    second(
        a = {
            if let Some(w_t) = w_t {
                subtract::<F, Complex<T>, N>(&mut a_b, view(&**w_t), view(r));
            }
            subtract::<F, Complex<T>, N>(&mut a_b, view(&**w), view(r_t));
        },
        b = w_t.iter().for_each(|w_t| b_b.add(re_of(&**w_t))),
    ),
)]
fn solve_real<T: RealNumber, N: Dim, C: Dim, F: Default + 'static>(
    #[ad_in(subtract::<F, Complex<T>, N>(&mut a_b, view(&**w), view(r)))] a: &Dense<
        Complex<T>,
        N,
        N,
    >,
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
        ref moved = some_a_t.map(|a_t| {
            let y = Pooled::from(over_r::<T, Dyn, Dyn>(&factor, &**z));
            Moved { factor: &factor, a_t: view(a_t) }.weights::<Dyn, Dyn, Dyn>(view(&*y), view(&**w))
        }),
    ),
    tangent(
        a = joined::<T, C, K>(&Pooled::from(Moved { factor: &factor, a_t: view(a_t) }.solution::<Dyn, Dyn, Dyn>(view(&*beside(r)), view(&**rest)))),
        b = joined::<T, C, K>(&Pooled::from(least_squares::<T, Dyn, Dyn, Dyn>(&factor, &*beside(b_t)))),
    ),
    second(
        a = {
            let one = T::ONE;
            a_b.add(Product(-one, view(&**w), view(&*beside(r_t)).t()));
            let r = beside(r);
            if let Some((_, w_t)) = moved {
                a_b.add(Product(-one, view(w_t), view(&*r).t()));
            }
            if !rest.is_empty() {
                let y = Pooled::from(over_r::<T, Dyn, Dyn>(&factor, &**z));
                if let Some((y_t, _)) = moved {
                    a_b.add(Product(one, view(&**rest), view(y_t).t()));
                }
                if let Some(a_t) = some_a_t {
                    let rest_t: OMatrix<T, Dyn, Dyn> = Moved { factor: &factor, a_t: view(a_t) }.residual::<Dyn, Dyn, Dyn>(view(&*r), view(&**rest));
                    a_b.add(Product(one, view(&rest_t), view(&*y).t()));
                }
                if let Some(b_t) = some_b_t {
                    a_b.add(Product(one, view(&beyond_q(&factor, &*beside(b_t))), view(&*y).t()));
                }
            }
        },
        b = moved.iter().for_each(|(_, w_t)| b_b.add(joined(w_t))),
    ),
)]
fn qr_solve_complex<T: RealNumber, R: Dim, C: Dim, K: Dim>(
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
        ref moved = some_a_t.map(|a_t| {
            let y = Pooled::from(over_r::<Complex<T>, C, K>(&factor, &**z));
            Moved { factor: &factor, a_t: view(a_t) }.weights::<R, C, K>(view(&*y), view(&**w))
        }),
    ),
    tangent(
        a = Moved { factor: &factor, a_t: view(a_t) }.solution::<R, C, K>(view(r), view(&**rest)),
        b = least_squares::<Complex<T>, R, C, K>(&factor, &*Pooled::from(map(b_t, Complex::from))),
    ),
    second(
        a = {
            let one = Complex::from(T::ONE);
            a_b.add(Product(-one, view(&**w), view(r_t).h()));
            if let Some((_, w_t)) = moved {
                a_b.add(Product(-one, view(w_t), view(r).h()));
            }
            if !rest.is_empty() {
                let y = Pooled::from(over_r::<Complex<T>, C, K>(&factor, &**z));
                if let Some((y_t, _)) = moved {
                    a_b.add(Product(one, view(&**rest), view(y_t).h()));
                }
                if let Some(a_t) = some_a_t {
                    let rest_t: OMatrix<Complex<T>, R, K> = Moved { factor: &factor, a_t: view(a_t) }.residual::<R, C, K>(view(r), view(&**rest));
                    a_b.add(Product(one, view(&rest_t), view(&*y).h()));
                }
                if let Some(b_t) = some_b_t {
                    let b_t = Pooled::from(map(b_t, Complex::from));
                    a_b.add(Product(one, view(&beyond_q(&factor, &*b_t)), view(&*y).h()));
                }
            }
        },
        b = moved.iter().for_each(|(_, w_t)| b_b.add(re_of(w_t))),
    ),
)]
fn qr_solve_real<T: RealNumber, R: Dim, C: Dim, K: Dim>(
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
    TriangularSolve, shared(
        ref w = {
            let (triangle, a) = read.of(triangle, view(a));
            by_parts(r_b, |x| solve_triangular(triangle.t(), a.t(), x))
        },
        ref w_t = some_a_t.map(|a_t| {
            let moved = triangle_times(triangle, read, a_t, true, view(&**w));
            let (triangle, a) = read.of(triangle, view(a));
            Pooled::from(solved::<T, Dyn, Dyn>(triangle.t(), a.t(), moved))
        }),
    ),
    tangent(
        a = {
            let moved = triangle_times(triangle, read, a_t, false, view(&*beside(r)));
            let (triangle, a) = read.of(triangle, view(a));
            joined::<T, N, C>(&Pooled::from(solved::<T, Dyn, Dyn>(triangle, a, moved)))
        },
        b = {
            let (triangle, a) = read.of(triangle, view(a));
            joined::<T, N, C>(&by_parts(b_t, |x| solve_triangular(triangle, a, x)))
        },
    ),
    second(
        a = {
            if let Some(w_t) = w_t {
                a_b.add(triangle_difference(triangle, read, view(&**w_t), view(&*beside(r))));
            }
            a_b.add(triangle_difference(triangle, read, view(&**w), view(&*beside(r_t))));
        },
        b = w_t.iter().for_each(|w_t| b_b.add(joined(w_t))),
    ),
    sample(for n in SIZES, for (triangle, read) in triangles(), a = triangular::<f64>(n, triangle), b = matrix::<Z>(n, 2, 1)),
)]
fn triangular_solve_complex<T: RealNumber, N: Dim, C: Dim>(
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
    TriangularSolve, shared(
        ref w = {
            let (triangle, a) = read.of(triangle, view(a));
            Pooled::from(solved(triangle.t(), a.h(), copied(r_b)))
        },
        ref w_t = some_a_t.map(|a_t| {
            let moved = triangle_times(triangle, read, a_t, true, view(&**w));
            let (triangle, a) = read.of(triangle, view(a));
            Pooled::from(solved::<Complex<T>, N, C>(triangle.t(), a.h(), moved))
        }),
    ),
    tangent(
        a = {
            let moved = triangle_times(triangle, read, a_t, false, view(r));
            let (triangle, a) = read.of(triangle, view(a));
            solved(triangle, a, moved)
        },
        b = {
            let (triangle, a) = read.of(triangle, view(a));
            solved(triangle, a, map(b_t, Complex::from))
        },
    ),
    second(
        a = {
            if let Some(w_t) = w_t {
                a_b.add(triangle_difference(triangle, read, view(&**w_t), view(r)));
            }
            a_b.add(triangle_difference(triangle, read, view(&**w), view(r_t)));
        },
        b = w_t.iter().for_each(|w_t| b_b.add(re_of(&**w_t))),
    ),
    sample(for n in SIZES, for (triangle, read) in triangles(), a = triangular::<Z>(n, triangle), b = matrix::<f64>(n, 2, 1)),
)]
fn triangular_solve_real<T: RealNumber, N: Dim, C: Dim>(
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
