#[cfg(test)]
use crate::samples::*;
use crate::{
    Dense, Number, Product, Sizes, View, Within,
    adjoint::product,
    factors::Factor,
    kernels::{Triangle, gemm_triangle, real_diagonal, solve_triangular},
    memory::{Pooled, by_elements, copied, identity},
    shapes,
    view::{view, view_mut},
};
use entape_core::{
    expr::{Active, Binary, Expr, KindOf, Operand, Unary, binary, node_of},
    kind::{Heap, Kind, Policy},
    mode::AnyMode,
    node::{Evaluated, Node, Produce},
    op,
    rule::{Rule, Sink},
    store::{Shared, Stash},
};
use nalgebra::{DefaultAllocator, Dim, Dyn, OMatrix};
use std::{cmp::Ordering, marker::PhantomData};

#[cfg(test)]
mod tests;

/// The error for a singular matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the matrix is singular: check its rank, or use `pseudo_inverse` or `svd`")]
pub struct Singular;

/// How a matrix is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Stash)]
pub enum Read {
    /// Unchanged.
    Plain,
    /// Transposed.
    Transposed,
    /// As the conjugate transpose.
    Adjoint,
}
impl Read {
    pub(crate) fn of<T: Number>(
        self,
        triangle: Triangle,
        a: View<'_, T>,
    ) -> (Triangle, View<'_, T>) {
        match self {
            Read::Plain => (triangle, a),
            Read::Transposed => (triangle.t(), a.t()),
            Read::Adjoint => (triangle.t(), a.h()),
        }
    }
}

/// `inverse(triangle of a) * b`, with the triangle read according to `read`.
// Giles 2008: w = inverse(a') * r_b, b_b += w, a_b -= w * r' on the triangle.
#[op(
    rule_only, shared(
        ref w = {
            let (triangle, a) = read.of(triangle, view(a));
            Pooled::from(solved(triangle.t(), a.h(), copied(r_b)))
        },
        // -inverse(a') * a_t' * w
        ref w_t = some_a_t.map(|a_t| {
            let moved = triangle_times(triangle, read, a_t, true, view(&**w));
            let (triangle, a) = read.of(triangle, view(a));
            Pooled::from(solved::<T, N, C>(triangle.t(), a.h(), moved))
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
            solved(triangle, a, copied(b_t))
        },
    ),
    second(
        a = {
            if let Some(w_t) = w_t {
                a_b.add(triangle_difference(triangle, read, view(&**w_t), view(r)));
            }
            a_b.add(triangle_difference(triangle, read, view(&**w), view(r_t)));
        },
        b = w_t.iter().for_each(|w_t| b_b.add(&**w_t)),
    ),
    sample(type T = f64 | Z, for n in SIZES, for (triangle, read) in triangles(), a = triangular::<T>(n, triangle), b = vector::<T>(n, 1)),
    sample(type T = f64 | Z, for n in SIZES, for (triangle, read) in triangles(), a = triangular::<T>(n, triangle), b = matrix::<T>(n, 3, 1)),
    sample(type T = f64 | Z, for (triangle, read) in triangles(), a = fixed::<T, 2, 2>(0), b = fixed::<T, 2, 2>(1)),
    sample(type T = f32 | Z32, for read in [Read::Plain, Read::Adjoint], triangle = Triangle::Lower, a = regular::<T>(3, 0), b = matrix::<T>(3, 2, 0)),
)]
pub fn triangular_solve<T: Number, N: Dim, C: Dim>(
    #[ad_in(triangle_difference(triangle, read, view(&**w), view(r)))] a: &Dense<T, N, N>,
    #[ad_in(&**w)] b: &Dense<T, N, C>,
    #[ad_passive] triangle: Triangle,
    #[ad_passive] read: Read,
) -> &Dense<T, N, C>
where
    DefaultAllocator: Sizes<N, N> + Sizes<N, C>,
{
    check_triangular(a.shape(), b.shape());
    let (triangle, a) = read.of(triangle, view(a));
    solved(triangle, a, copied(b))
}
#[track_caller]
pub(crate) fn check_triangular(a: (usize, usize), b: (usize, usize)) {
    shapes::square("a triangular solve", a);
    shapes::inner("a triangular solve", a, b, (a.0, b.0));
}
/// `-w * r'`, as an adjoint of a triangle read according to `read`.
pub(crate) fn triangle_difference<T: Number, N: Dim>(
    triangle: Triangle,
    read: Read,
    w: View<'_, T>,
    r: View<'_, T>,
) -> Within<impl FnOnce(&mut OMatrix<T, N, N>)>
where
    DefaultAllocator: Sizes<N, N>,
{
    Within::new((w.rows, r.rows), move |x: &mut OMatrix<T, N, N>| {
        let (left, right) = match read {
            Read::Plain => (w, r),
            Read::Transposed => (r.conjugate(), w.conjugate()),
            Read::Adjoint => (r, w),
        };
        gemm_triangle(triangle, -T::one(), left, right.h(), view_mut(x));
    })
}
/// `-d * x` or `-d' * x`, where `d` is the triangle of `a_t`, without ones on the diagonal.
pub(crate) fn triangle_times<T: Number, N: Dim, R: Dim, C: Dim>(
    triangle: Triangle,
    read: Read,
    a_t: &OMatrix<T, N, N>,
    adjoint: bool,
    x: View<'_, T>,
) -> OMatrix<T, R, C>
where
    DefaultAllocator: Sizes<N, N> + Sizes<R, C>,
{
    let d: Pooled<T, Dyn, Dyn> =
        Pooled::from(by_elements(a_t.shape(), |i, j| match triangle.has(i, j) {
            true => a_t[(i, j)],
            false => T::zero(),
        }));
    let (_, d) = read.of(triangle, view(&*d));
    product(-T::one(), if adjoint { d.h() } else { d }, x)
}
pub(crate) fn solved<T: Number, N: Dim, C: Dim>(
    triangle: Triangle,
    a: View<'_, T>,
    mut x: OMatrix<T, N, C>,
) -> OMatrix<T, N, C>
where
    DefaultAllocator: Sizes<N, C>,
{
    solve_triangular(triangle, a, view_mut(&mut x));
    x
}

/// A part of a factorization, or a result computed from it: the operation `O` on the matrix.
pub type FactorExpr<'s, O, T, R, C, M> = Unary<O, M, &'s Active<Dense<T, R, C>, M>>;
/// A solution by a factorization: the operation `O` on the matrix and the right side `B`.
pub type SolveExpr<'s, O, T, R, C, M, B> = Binary<O, M, &'s Active<Dense<T, R, C>, M>, B>;

/// [`FactorExpr`], if the matrix is not singular.
pub type TryPart<'s, O, T, R, C, M> = Result<FactorExpr<'s, O, T, R, C, M>, Singular>;
/// [`SolveExpr`], if the matrix is not singular.
pub type TrySolve<'s, O, T, R, C, M, B> = Result<SolveExpr<'s, O, T, R, C, M, B>, Singular>;

type Solve<M, A, B> = Binary<TriangularSolve, M, A, B>;
macro_rules! methods { ($($(#[$doc:meta])* $checked:ident $unchecked:ident $triangle:ident $read:ident;)*) => {
    /// Solutions of triangular systems. Only the named triangle of the matrix is read; the other one has a zero
    /// adjoint. Right sides are vectors or matrices. Methods that end in `_unchecked` accept zeros on the diagonal,
    /// which result in infinities or NaN. On evaluation, all panic if the matrix is not square, or the number of rows
    /// of `b` differs.
    ///
    /// With the solution `w` of `l' * w = x_b`, the adjoints of `l * x = b` are `b_b += w` and `l_b -= w * x'`,
    /// restricted to the triangle ([Giles 2008](crate#sources)).
    ///
    /// ```
    /// use entape_core::tape::Tape;
    /// use entape_linalg::prelude::*;
    /// use nalgebra::{dmatrix, dvector};
    ///
    /// let mut tape = Tape::new();
    /// let l = tape.input(dmatrix![2.0, 0.0; 1.0, 4.0]);
    /// let b = tape.input(dvector![2.0, 9.0]);
    /// let y = tape.record(|| {
    ///     let x = l.solve_lower_triangular(&b)?.eval();
    ///     assert_eq!(x.get(), &dvector![1.0, 2.0]);
    ///     Ok::<_, Singular>(x.sum().eval())
    /// })?;
    /// let gradient = tape.gradient(&y)?;
    /// assert_eq!(gradient.wrt(&b)?, dvector![0.375, 0.25]);
    /// assert_eq!(gradient.wrt(&l)?, dmatrix![-0.375, 0.0; -0.25, -0.5]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub trait TriangularOps<M: AnyMode, T: Number, N: Dim>: Operand<M, Kind = Dense<T, N, N>> + Sized
    where
        DefaultAllocator: Sizes<N, N>,
    {
        $(
            $(#[$doc])*
            /// Reads the value of the matrix; an expression is evaluated first.
            ///
            /// # Errors
            /// If the diagonal contains a zero.
            fn $checked<B: Operand<M>>(self, b: B) -> Result<Solve<M, Self, B>, Singular>
            where
                TriangularSolve: Rule<Dense<T, N, N>, KindOf<B, M>>,
            {
                let node = node_of(self.into_expr());
                let zero = {
                    let a = node.evaluate().0.ready();
                    let a = a.arg();
                    let a = <Dense<T, N, N> as Kind>::Policy::value(&a);
                    (0..a.nrows().min(a.ncols())).any(|i| a[(i, i)] == T::zero())
                };
                match zero {
                    true => Err(Singular),
                    false => Ok(Expr::new(node).$unchecked(b)),
                }
            }
            $(#[$doc])*
            /// Zeros on the diagonal result in infinities or NaN.
            fn $unchecked<B: Operand<M>>(self, b: B) -> Solve<M, Self, B>
            where
                TriangularSolve: Rule<Dense<T, N, N>, KindOf<B, M>>,
            {
                binary(TriangularSolve { triangle: Triangle::$triangle, read: Read::$read }, self, b)
            }
        )*
    }
    impl<M: AnyMode, T: Number, N: Dim, X: Operand<M, Kind = Dense<T, N, N>>> TriangularOps<M, T, N> for X where
        DefaultAllocator: Sizes<N, N>
    {
    }
} }
methods! {
    /// Returns the solution `x` of `l * x = b` for a lower triangular `l`.
    solve_lower_triangular solve_lower_triangular_unchecked Lower Plain;
    /// Returns the solution `x` of `u * x = b` for an upper triangular `u`.
    solve_upper_triangular solve_upper_triangular_unchecked Upper Plain;
    /// Returns the solution `x` of `transpose(l) * x = b` for a lower triangular `l`.
    tr_solve_lower_triangular tr_solve_lower_triangular_unchecked Lower Transposed;
    /// Returns the solution `x` of `transpose(u) * x = b` for an upper triangular `u`.
    tr_solve_upper_triangular tr_solve_upper_triangular_unchecked Upper Transposed;
    /// Returns the solution `x` of `l' * x = b` for a lower triangular `l`.
    ad_solve_lower_triangular ad_solve_lower_triangular_unchecked Lower Adjoint;
    /// Returns the solution `x` of `u' * x = b` for an upper triangular `u`.
    ad_solve_upper_triangular ad_solve_upper_triangular_unchecked Upper Adjoint;
}

/// `inverse(a) * b` by a factorization that the statement stores.
// Giles 2008: w = inverse(a') * r_b, b_b += w, a_b -= w * r'. r_t = inverse(a) * (b_t - a_t * r), and w_t =
// -inverse(a') * a_t' * w.
#[op(
    shared(
        ref w = { let mut x = copied(r_b); factor.solve_adjoint(view_mut(&mut x)); Pooled::from(x) },
        ref w_t = some_a_t.map(|a_t| {
            let mut x: OMatrix<T, N, C> = matrix_times::<F, T, N, N, C>(a_t, true, view(&**w));
            factor.solve_adjoint(view_mut(&mut x));
            Pooled::from(x)
        }),
    ),
    tangent(
        a = {
            let mut x: OMatrix<T, N, C> = matrix_times::<F, T, N, N, C>(a_t, false, view(r));
            factor.solve(view_mut(&mut x));
            x
        },
        b = { let mut x = copied(b_t); factor.solve(view_mut(&mut x)); x },
    ),
    second(
        a = {
            if let Some(w_t) = w_t {
                subtract::<F, T, N>(&mut a_b, view(&**w_t), view(r));
            }
            subtract::<F, T, N>(&mut a_b, view(&**w), view(r_t));
        },
        b = w_t.iter().for_each(|w_t| b_b.add(&**w_t)),
    ),
)]
pub fn solve_with<T: Number, N: Dim, C: Dim, F: Default + 'static>(
    #[ad_in(subtract::<F, T, N>(&mut a_b, view(&**w), view(r)))] a: &Dense<T, N, N>,
    #[ad_in(&**w)] b: &Dense<T, N, C>,
    #[ad_passive] factor: Shared<F>,
) -> &Dense<T, N, C>
where
    F: Factor<T>,
    DefaultAllocator: Sizes<N, N> + Sizes<N, C>,
{
    shapes::inner("a.solve(b)", a.shape(), b.shape(), (a.nrows(), b.nrows()));
    let mut x = copied(b);
    factor.solve(view_mut(&mut x));
    x
}
impl<F: Default + Heap + 'static> SolveWith<F> {
    pub(crate) fn by(factor: &Shared<F>) -> Self {
        SolveWith {
            factor: factor.clone(),
            of: PhantomData,
        }
    }
}
/// `inverse(a)` by a factorization of `a`.
// a_b -= r' * r_b * r', r_t = -r * a_t * r
#[op(
    tangent(a = {
        let moved: OMatrix<T, N, N> = matrix_times::<F, T, N, N, N>(a_t, false, view(r));
        product(T::one(), view(r), view(&*Pooled::from(moved)))
    }),
    second(a = {
        for (left, right) in [(r_t, r), (r, r_t)] {
            let left: OMatrix<T, N, N> = product(T::one(), view(left).h(), view(r_b));
            subtract::<F, T, N>(&mut a_b, view(&*Pooled::from(left)), view(right));
        }
    }),
)]
pub fn inverse_with<T: Number, N: Dim, F: Default + 'static>(
    #[ad_in({
        let left: OMatrix<T, N, N> = product(T::one(), view(r).h(), view(r_b));
        subtract::<F, T, N>(&mut a_b, view(&*Pooled::from(left)), view(r));
    })]
    a: &Dense<T, N, N>,
    #[ad_passive] factor: Shared<F>,
) -> &Dense<T, N, N>
where
    F: Factor<T>,
    DefaultAllocator: Sizes<N, N>,
{
    let mut x = identity(a.nrows(), T::one());
    factor.solve(view_mut(&mut x));
    x
}
/// `-a_t * x` or `-a_t' * x`, where `a_t` is the tangent of a matrix that `F` factorizes.
pub(crate) fn matrix_times<F: Factor<T>, T: Number, N: Dim, R: Dim, C: Dim>(
    a_t: &OMatrix<T, N, N>,
    adjoint: bool,
    x: View<'_, T>,
) -> OMatrix<T, R, C>
where
    DefaultAllocator: Sizes<N, N> + Sizes<R, C>,
{
    if F::LOWER {
        return product(-T::one(), view(&*Pooled::from(mirrored(view(a_t)))), x);
    }
    let a_t = view(a_t);
    product(-T::one(), if adjoint { a_t.h() } else { a_t }, x)
}
/// The Hermitian matrix with this lower triangle.
pub(crate) fn mirrored<T: Number>(a: View<'_, T>) -> OMatrix<T, Dyn, Dyn> {
    by_elements((a.rows, a.cols), |i, j| match i.cmp(&j) {
        Ordering::Less => a.at(j, i).conjugate(),
        Ordering::Equal => T::from_real(a.at(i, j).real()),
        Ordering::Greater => a.at(i, j),
    })
}
pub(crate) fn subtract<F: Factor<T>, T: Number, N: Dim>(
    a_b: &mut impl Sink<Dense<T, N, N>>,
    w: View<'_, T>,
    r: View<'_, T>,
) where
    DefaultAllocator: Sizes<N, N>,
{
    if F::LOWER {
        a_b.add(lower_difference(w, r));
    } else {
        a_b.add(Product(-T::one(), w, r.h()));
    }
}
/// `-w * r'`, as an adjoint of the lower triangle, which represents both triangles.
pub(crate) fn lower_difference<T: Number, N: Dim>(
    w: View<'_, T>,
    r: View<'_, T>,
) -> Within<impl FnOnce(&mut OMatrix<T, N, N>)>
where
    DefaultAllocator: Sizes<N, N>,
{
    Within::new((w.rows, r.rows), move |x: &mut OMatrix<T, N, N>| {
        gemm_triangle(Triangle::Lower, -T::one(), w, r.h(), view_mut(x));
        gemm_triangle(Triangle::UnitLower, -T::one(), r, w.h(), view_mut(x));
        real_diagonal(&mut view_mut(x));
    })
}
/// `inverse(a')` times a number.
pub(crate) fn inverse_adjoint<T: Number, N: Dim>(
    n: usize,
    factor: &impl Factor<T>,
    by: T,
) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    let mut x = identity(n, by);
    factor.solve_adjoint(view_mut(&mut x));
    x
}
