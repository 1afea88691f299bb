//! The Cholesky factorization of a symmetric positive definite matrix, of a Hermitian one if it is complex.
use crate::{
    Dense, Number, Sizes,
    factors::CholeskyFactor,
    kernels::{cholesky_adjoint, real_diagonal},
    memory::filled,
    scale, shapes,
    solves::{FactorExpr, InverseWith, SolveExpr, SolveWith, inverse_adjoint, inverse_with},
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
use num_traits::Zero;

/// A matrix is not positive definite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the matrix is not positive definite")]
pub struct NotPositiveDefinite;

/// A symmetric or Hermitian positive definite matrix, factorized once for any number of solves. Gradients flow through
/// it to the lower triangle of the matrix, which is the part that was read; of a complex diagonal only the real parts
/// are read.
///
/// The gradient of the factor follows I. Murray, *Differentiation of the Cholesky decomposition* (2016,
/// arXiv:1602.07527).
pub struct Cholesky<T: Number, N: Dim, M: AnyMode>
where
    DefaultAllocator: Sizes<N, N>,
{
    a: Active<Dense<T, N, N>, M>,
    factor: Shared<CholeskyFactor<T>>,
}

/// Turns an adjoint of the whole Hermitian matrix into one of its lower triangle, which stands for both.
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
/// The triangular factor.
#[op]
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
/// The logarithm of the determinant.
#[op]
pub fn cholesky_ln_determinant<T: Number, N: Dim>(
    #[ad_in(folded(inverse_adjoint::<T, N>(factor.l.nrows(), &*factor, T::from_real(r_b))))]
    a: &Dense<T, N, N>,
    #[ad_passive] factor: Shared<CholeskyFactor<T>>,
) -> T::Part
where
    DefaultAllocator: Sizes<N, N>,
{
    let ln = |i| ComplexField::ln(factor.l[(i, i)].real());
    (0..a.nrows()).fold(T::Part::zero(), |sum, i| sum + ln(i) + ln(i))
}
/// The determinant.
#[op]
pub fn cholesky_determinant<T: Number, N: Dim>(
    #[ad_in({
        // The determinant is kept as a number and a factor, as it may be out of range.
        let (by, unit) = scale::product(pivots(&factor).chain([r_b]));
        let mut x = inverse_adjoint::<T, N>(factor.l.nrows(), &*factor, T::from_real(by));
        unit.scale(x.as_mut_slice());
        folded(x)
    })]
    _a: &Dense<T, N, N>,
    #[ad_passive] factor: Shared<CholeskyFactor<T>>,
) -> T::Part
where
    DefaultAllocator: Sizes<N, N>,
{
    let (product, unit) = scale::product(pivots(&factor));
    unit.times(product)
}
/// The numbers whose product is the determinant.
fn pivots<T: Number>(factor: &CholeskyFactor<T>) -> impl Iterator<Item = T::Part> + Clone {
    let each = (0..factor.l.nrows()).map(|i| factor.l[(i, i)].real());
    each.flat_map(|l| [l, l])
}

impl<T: Number, N: Dim, M: AnyMode> Cholesky<T, N, M>
where
    DefaultAllocator: Sizes<N, N>,
{
    /// The solution `x` of `a * x = b`.
    ///
    /// # Panics
    /// On evaluation, if the numbers of rows differ.
    pub fn solve<B: Operand<M>>(
        &self,
        b: B,
    ) -> SolveExpr<'_, SolveWith<CholeskyFactor<T>>, T, N, N, M, B>
    where
        SolveWith<CholeskyFactor<T>>: Rule<Dense<T, N, N>, KindOf<B, M>>,
    {
        binary(SolveWith::by(&self.factor), &self.a, b)
    }
    /// The lower triangular factor: `a = l * l'`, where `l'` is conjugated and transposed. Near a singular matrix its
    /// derivative grows without bound, as that of a square root at zero. Where a diagonal element of `l * l'` loses all
    /// but a share `d` of the element of the matrix, the gradient has a relative error of about `eps / d`.
    pub fn l(&self) -> FactorExpr<'_, CholeskyL<T>, T, N, N, M> {
        cholesky_l(&self.a, self.factor.clone())
    }
    /// The logarithm of the determinant, without overflow.
    pub fn ln_determinant(&self) -> FactorExpr<'_, CholeskyLnDeterminant<T>, T, N, N, M> {
        cholesky_ln_determinant(&self.a, self.factor.clone())
    }
    /// The determinant.
    pub fn determinant(&self) -> FactorExpr<'_, CholeskyDeterminant<T>, T, N, N, M> {
        cholesky_determinant(&self.a, self.factor.clone())
    }
    /// The inverse.
    pub fn inverse(&self) -> FactorExpr<'_, InverseWith<CholeskyFactor<T>>, T, N, N, M> {
        inverse_with(&self.a, self.factor.clone())
    }
}

/// The factorization of symmetric, or complex Hermitian, positive definite matrices.
pub trait CholeskyOps<M: AnyMode, T: Number, N: Dim>:
    Operand<M, Kind = Dense<T, N, N>> + Sized
where
    DefaultAllocator: Sizes<N, N>,
{
    /// Factorizes the matrix at once, as its values decide whether that is possible. The upper triangle is not read and
    /// has a zero adjoint.
    ///
    /// # Errors
    /// If the matrix is not positive definite.
    ///
    /// # Panics
    /// If it is not square.
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
