use crate::{
    Dense, Number, Sizes, View,
    adjoint::product,
    factors::{CholeskyFactor, Factor},
    kernels::{Triangle, cholesky_adjoint, dotc, real_diagonal},
    memory::{copied, filled},
    scale, shapes,
    solves::{
        FactorExpr, InverseWith, SolveExpr, SolveWith, inverse_adjoint, inverse_with, matrix_times,
        mirrored, solved,
    },
    view::{view, view_mut},
};
use entape_core::{
    expr::{Active, KindOf, Operand, binary},
    mode::AnyMode,
    op,
    rule::Rule,
    store::Shared,
};
use nalgebra::{ComplexField, DefaultAllocator, Dim, OMatrix};
use num_traits::{One, Zero};

#[cfg(test)]
use std::marker::PhantomData;

#[cfg(test)]
mod tests;

/// The error for a matrix that is not positive definite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the matrix is not positive definite: check that it is symmetric, add a multiple of the identity, or use `lu` or `symmetric_eigen`"
)]
pub struct NotPositiveDefinite;

/// A symmetric or Hermitian positive definite matrix `a = l * l'` with its factor, for any number of solves. Only the
/// lower triangle and the real parts of its diagonal are read and have adjoints. The gradient of the factor follows
/// [Murray 2016](crate#sources).
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::{dmatrix, dvector};
///
/// let mut tape = Tape::new();
/// let a = tape.input(dmatrix![4.0, 2.0; 2.0, 5.0]);
/// let b = tape.input(dvector![6.0, 7.0]);
/// let y = tape.record(|| {
///     let chol = a.cholesky()?;
///     approx::assert_abs_diff_eq!(chol.l(), dmatrix![2.0, 0.0; 1.0, 2.0], epsilon = 5e-16);
///     Ok::<_, NotPositiveDefinite>(chol.solve(&b).sum().eval()) // the solution is [1, 1]
/// })?;
/// approx::assert_abs_diff_eq!(y, 2.0, epsilon = 1e-15);
/// // The adjoint of the right side is the solution for a right side of ones.
/// let b_b = tape.gradient(&y)?.wrt(&b)?;
/// approx::assert_abs_diff_eq!(b_b, dvector![3.0, 2.0] / 16.0, epsilon = 5e-16);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Cholesky<T: Number, N: Dim, M: AnyMode>
where
    DefaultAllocator: Sizes<N, N>,
{
    a: Active<Dense<T, N, N>, M>,
    factor: Shared<CholeskyFactor<T>>,
}
entape_core::debug_by_name! { [T: Number, N: Dim, M: AnyMode] Cholesky<T, N, M> where [DefaultAllocator: Sizes<N, N>] }

/// The adjoint of the lower triangle, from the adjoint of the whole Hermitian matrix.
fn folded<T: Number, N: Dim>(mut x: OMatrix<T, N, N>) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    for j in 0..x.ncols() {
        for i in 0..j {
            let above = std::mem::replace(&mut x[(i, j)], T::zero());
            x[(j, i)] += above.conjugate();
        }
    }
    real_diagonal(&mut view_mut(&mut x));
    x
}
/// The lower triangle with the real part of half its diagonal.
fn half<T: Number, N: Dim>(mut x: OMatrix<T, N, N>) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    x.fill_upper_triangle(T::zero(), 1);
    (0..x.nrows()).for_each(|i| x[(i, i)] = T::from_real(x[(i, i)].real()).scale(T::Part::of(0.5)));
    x
}
/// `x * inverse(l)`, or `x * inverse(l')`.
fn divided<T: Number, N: Dim>(
    x: &OMatrix<T, N, N>,
    l: View<'_, T>,
    adjoint: bool,
) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    let (triangle, l) = if adjoint {
        (Triangle::Lower, l)
    } else {
        (Triangle::Upper, l.h())
    };
    solved(triangle, l, x.adjoint()).adjoint()
}
/// The tangent of the factor: `l * half(inverse(l) * a_t * inverse(l'))`.
fn tangent_of_factor<T: Number, N: Dim>(
    l: &OMatrix<T, N, N>,
    a_t: &OMatrix<T, N, N>,
) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    let a_t = filled(a_t.shape(), mirrored(view(a_t)).as_slice());
    let left = solved(Triangle::Lower, view(l), a_t);
    let inner = half(divided(&left, view(l), true));
    let mut l_t: OMatrix<T, N, N> = product(T::one(), view(l), view(&inner));
    real_diagonal(&mut view_mut(&mut l_t));
    l_t
}
// With p = half(l' * l_b), the adjoint is the Hermitian part of s = inverse(l') * p * inverse(l), and
// s_t = inverse(l') * p_t * inverse(l) - inverse(l') * l_t' * s - s * l_t * inverse(l).
fn second_of_factor<T: Number, N: Dim>(
    l: &OMatrix<T, N, N>,
    l_t: &OMatrix<T, N, N>,
    l_b: &OMatrix<T, N, N>,
) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    let one = T::one();
    let between =
        |p: OMatrix<T, N, N>| divided(&solved(Triangle::Upper, view(l).h(), p), view(l), false);
    let s = between(half(product(one, view(l).h(), view(l_b))));
    let p_t: OMatrix<T, N, N> = half(product(one, view(l_t).h(), view(l_b)));
    let left: OMatrix<T, N, N> = product(one, view(l_t).h(), view(&s));
    let right: OMatrix<T, N, N> = product(one, view(&s), view(l_t));
    let s_t =
        between(p_t) - solved(Triangle::Upper, view(l).h(), left) - divided(&right, view(l), false);
    folded(s_t)
}
/// The tangent of `x`, a multiple of the inverse.
fn moved_inverse<T: Number, N: Dim>(
    factor: &CholeskyFactor<T>,
    a_t: &OMatrix<T, N, N>,
    x: &OMatrix<T, N, N>,
) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    let mut x_t: OMatrix<T, N, N> =
        matrix_times::<CholeskyFactor<T>, T, N, N, N>(a_t, false, view(x));
    factor.solve(view_mut(&mut x_t));
    x_t
}
/// `Re(Σ conj(a) .* b)`.
fn inner<T: Number, N: Dim>(a: &OMatrix<T, N, N>, b: &OMatrix<T, N, N>) -> T::Part
where
    DefaultAllocator: Sizes<N, N>,
{
    dotc(a.as_slice(), b.as_slice()).real()
}
/// The triangular factor, whose tangent follows [Walter and Lehmann 2010](crate#sources).
#[op(
    tangent(a = tangent_of_factor(r, a_t)),
    second(a = second_of_factor(r, r_t, r_b)),
)]
pub fn cholesky_l<T: Number, N: Dim>(
    #[ad_in({
        let mut lower: OMatrix<T, N, N> = filled(r_b.shape(), r_b.as_slice());
        cholesky_adjoint(view(r), view_mut(&mut lower));
        lower.fill_upper_triangle(T::zero(), 1);
        lower
    })]
    a: &Dense<T, N, N>,
    #[ad_passive] factor: Shared<CholeskyFactor<T>>,
) -> &Dense<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    filled(a.shape(), factor.l.as_slice())
}
fn adjoint_of_logarithm<T: Number, N: Dim>(
    factor: &CholeskyFactor<T>,
    r_b: T::Part,
) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    folded(inverse_adjoint::<T, N>(
        factor.l.nrows(),
        factor,
        T::from_real(r_b),
    ))
}
fn adjoint_of_determinant<T: Number, N: Dim>(
    factor: &CholeskyFactor<T>,
    r_b: T::Part,
) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    // The determinant may be out of range.
    let (by, unit) = scale::product(pivots(factor).chain([r_b]));
    let mut x = inverse_adjoint::<T, N>(factor.l.nrows(), factor, T::from_real(by));
    unit.scale(x.as_mut_slice());
    folded(x)
}
#[op(
    tangent(a = inner(&adjoint_of_logarithm::<T, N>(&factor, T::Part::one()), a_t)),
    second(a = {
        let x: OMatrix<T, N, N> = inverse_adjoint(factor.l.nrows(), &*factor, T::from_real(r_b));
        folded(moved_inverse(&factor, a_t, &x))
    }),
)]
pub fn cholesky_ln_determinant<T: Number, N: Dim>(
    #[ad_in(adjoint_of_logarithm::<T, N>(&factor, r_b))] a: &Dense<T, N, N>,
    #[ad_passive] factor: Shared<CholeskyFactor<T>>,
) -> T::Part
where
    DefaultAllocator: Sizes<N, N>,
{
    let ln = |i| ComplexField::ln(factor.l[(i, i)].real());
    (0..a.nrows()).fold(T::Part::zero(), |sum, i| sum + ln(i) + ln(i))
}
// With x = inverse(a) the tangent of det * x is det * (tr(x * a_t) * x - x * a_t * x).
#[op(
    tangent(a = inner(&adjoint_of_determinant::<T, N>(&factor, T::Part::one()), a_t)),
    second(a = {
        let n = factor.l.nrows();
        let x: OMatrix<T, N, N> = inverse_adjoint(n, &*factor, T::one());
        let (trace, mut x_t) = (inner(&folded(copied(&x)), a_t), moved_inverse(&factor, a_t, &x));
        x_t.zip_apply(&x, |x_t, x| *x_t += x.scale(trace));
        let (by, unit) = scale::product(pivots(&factor).chain([r_b]));
        x_t.apply(|x| *x = x.scale(by));
        unit.scale(x_t.as_mut_slice());
        folded(x_t)
    }),
)]
pub fn cholesky_determinant<T: Number, N: Dim>(
    #[ad_in(adjoint_of_determinant::<T, N>(&factor, r_b))] a: &Dense<T, N, N>,
    #[ad_passive] factor: Shared<CholeskyFactor<T>>,
) -> T::Part
where
    DefaultAllocator: Sizes<N, N>,
{
    let (product, unit) = scale::product(pivots(&factor));
    unit.times(product)
}
fn pivots<T: Number>(factor: &CholeskyFactor<T>) -> impl Iterator<Item = T::Part> + Clone {
    let each = (0..factor.l.nrows()).map(|i| factor.l[(i, i)].real());
    each.flat_map(|l| [l, l])
}

impl<T: Number, N: Dim, M: AnyMode> Cholesky<T, N, M>
where
    DefaultAllocator: Sizes<N, N>,
{
    /// Returns the solution `x` of `a * x = b` for a vector or matrix `b`. With the solution `w` of `a * w = x_b`,
    /// `b_b += w` and, for the whole symmetric matrix, `a_b -= w * x'` ([Giles 2008](crate#sources)).
    ///
    /// # Panics
    /// On evaluation, if numbers of rows differ.
    pub fn solve<B: Operand<M>>(
        &self,
        b: B,
    ) -> SolveExpr<'_, SolveWith<CholeskyFactor<T>>, T, N, N, M, B>
    where
        SolveWith<CholeskyFactor<T>>: Rule<Dense<T, N, N>, KindOf<B, M>>,
    {
        binary(SolveWith::by(&self.factor), &self.a, b)
    }
    /// Returns the lower triangular factor `l`, with a positive diagonal. Its gradient is `a_b += half(s + s')` for
    /// `s = inverse(l') * half(l' * l_b) * inverse(l)`, where `half` takes the lower triangle with half of its
    /// diagonal.
    ///
    /// Near a singular matrix the derivative grows without bound: if cancellation leaves a fraction `d` of `a[(i, i)]`
    /// for `l[(i, i)]^2`, the gradient has a relative error of about `eps / d`.
    pub fn l(&self) -> FactorExpr<'_, CholeskyL<T>, T, N, N, M> {
        cholesky_l(&self.a, self.factor.clone())
    }
    /// Returns the logarithm of the determinant, finite even if the determinant overflows. The gradient of the whole
    /// symmetric matrix is `r_b * inverse(a)`.
    pub fn ln_determinant(&self) -> FactorExpr<'_, CholeskyLnDeterminant<T>, T, N, N, M> {
        cholesky_ln_determinant(&self.a, self.factor.clone())
    }
    /// Returns the determinant. The gradient of the whole symmetric matrix is `r_b * r * inverse(a)`.
    pub fn determinant(&self) -> FactorExpr<'_, CholeskyDeterminant<T>, T, N, N, M> {
        cholesky_determinant(&self.a, self.factor.clone())
    }
    /// Returns the inverse. The gradient of the whole symmetric matrix is `-r * r_b * r`.
    pub fn inverse(&self) -> FactorExpr<'_, InverseWith<CholeskyFactor<T>>, T, N, N, M> {
        inverse_with(&self.a, self.factor.clone())
    }
}

/// The factorization of symmetric or Hermitian positive definite matrices.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::dmatrix;
///
/// let mut tape = Tape::new();
/// let a = tape.input(dmatrix![4.0, 2.0; 2.0, 5.0]);
/// let y = tape.record(|| Ok::<_, NotPositiveDefinite>(a.cholesky()?.ln_determinant().eval()))?;
/// approx::assert_abs_diff_eq!(y, 16_f64.ln(), epsilon = 1e-15);
/// // The gradient is the inverse. The lower triangle, which was read, represents both triangles.
/// let gradient = tape.gradient(&y)?.wrt(&a)?;
/// approx::assert_abs_diff_eq!(gradient, dmatrix![5.0, 0.0; -4.0, 4.0] / 16.0, epsilon = 5e-16);
///
/// let indefinite = tape.input(dmatrix![1.0, 2.0; 2.0, 1.0]);
/// assert_eq!(tape.record(|| indefinite.cholesky().err()), Some(NotPositiveDefinite));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait CholeskyOps<M: AnyMode, T: Number, N: Dim>:
    Operand<M, Kind = Dense<T, N, N>> + Sized
where
    DefaultAllocator: Sizes<N, N>,
{
    /// Factorizes the matrix immediately. The upper triangle has a zero adjoint.
    ///
    /// # Errors
    /// If the matrix is not positive definite.
    ///
    /// # Panics
    /// If the matrix is not square.
    #[track_caller]
    fn cholesky(self) -> Result<Cholesky<T, N, M>, NotPositiveDefinite> {
        let a = self.into_expr().eval();
        shapes::square("a.cholesky()", a.get().shape());
        let factor = CholeskyFactor::new(view(a.get())).ok_or(NotPositiveDefinite)?;
        Ok(Cholesky {
            a,
            factor: Shared::new(factor),
        })
    }
}
impl<M: AnyMode, T: Number, N: Dim, X: Operand<M, Kind = Dense<T, N, N>>> CholeskyOps<M, T, N> for X where
    DefaultAllocator: Sizes<N, N>
{
}
