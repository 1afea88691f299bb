//! The LU factorization of a square matrix, with exchanged rows.
use crate::{
    Dense, Number, Sizes,
    adjoint::product,
    factors::LuFactor,
    kernels::{Triangle, solve_triangular},
    memory::by_elements,
    shapes,
    solves::{
        InverseWith, PartExpr, Singular, SolveWith, TryPart, TrySolve, inverse_adjoint,
        inverse_with,
    },
    view::{view, view_mut},
};
use entape_core::{
    expr::{Active, KindOf, Operand},
    kind::Shared,
    mode::AnyMode,
    op,
    rule::{Rule, binary},
};
use nalgebra::{ComplexField, DefaultAllocator, Dim, OMatrix};
use num_traits::Zero;

/// A square matrix, factorized once for any number of solves.
pub struct Lu<T: Number, N: Dim, M: AnyMode>
where
    DefaultAllocator: Sizes<N, N>,
{
    a: Active<Dense<T, N, N>, M>,
    factor: Shared<LuFactor<T>>,
}

/// The adjoint of the matrix for those of both triangular factors.
// p * a = l * u, m = strictly lower part of l' * l_b + upper part of u_b * u',
// a_b = p' * inverse(l') * m * inverse(u'), all conjugated and transposed
fn adjoint_of_factors<T: Number, N: Dim>(
    factor: &LuFactor<T>,
    mut m: OMatrix<T, N, N>,
) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    let lu = view(&*factor.lu);
    solve_triangular(Triangle::UnitUpper, lu.h(), view_mut(&mut m));
    m.adjoint_mut();
    solve_triangular(Triangle::Upper, lu, view_mut(&mut m));
    m.adjoint_mut();
    factor.permute(&mut view_mut(&mut m), true);
    factor.unit.inverse().scale(m.as_mut_slice());
    m
}
fn l_of<T: Number, N: Dim>(factor: &LuFactor<T>) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    by_elements(factor.lu.shape(), |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => T::zero(),
        std::cmp::Ordering::Equal => T::one(),
        std::cmp::Ordering::Greater => factor.lu[(i, j)],
    })
}
fn u_of<T: Number, N: Dim>(factor: &LuFactor<T>) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    by_elements(factor.lu.shape(), |i, j| match i <= j {
        true => factor.unit.times(factor.lu[(i, j)]),
        false => T::zero(),
    })
}
/// The lower triangular factor, with ones on its diagonal.
#[op]
pub fn lu_l<T: Number, N: Dim>(
    #[ad_in({
        let mut m: OMatrix<T, N, N> = product(T::one(), view(&l_of::<T, N>(&factor)).h(), view(r_b));
        m.fill_upper_triangle(T::zero(), 0);
        adjoint_of_factors(&factor, m)
    })]
    _a: &Dense<T, N, N>,
    #[ad_passive] factor: Shared<LuFactor<T>>,
) -> &Dense<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    l_of(&factor)
}
/// The upper triangular factor.
#[op]
pub fn lu_u<T: Number, N: Dim>(
    #[ad_in({
        let mut m: OMatrix<T, N, N> = product(T::one(), view(r_b), view(&u_of::<T, N>(&factor)).h());
        m.fill_lower_triangle(T::zero(), 1);
        adjoint_of_factors(&factor, m)
    })]
    _a: &Dense<T, N, N>,
    #[ad_passive] factor: Shared<LuFactor<T>>,
) -> &Dense<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    u_of(&factor)
}
/// The determinant. Its adjoint at a singular matrix is NaN.
#[op]
pub fn lu_determinant<T: Number, N: Dim>(
    #[ad_in(inverse_adjoint::<T, N>(factor.lu.nrows(), &*factor, r_b * r.conjugate()))] _a: &Dense<
        T,
        N,
        N,
    >,
    #[ad_passive] factor: Shared<LuFactor<T>>,
) -> T::Kind
where
    DefaultAllocator: Sizes<N, N>,
{
    let sign = if factor.odd { -T::one() } else { T::one() };
    (0..factor.lu.nrows()).fold(sign, |product, i| {
        product * factor.unit.times(factor.lu[(i, i)])
    })
}
/// The logarithm of the absolute value of the determinant.
#[op]
pub fn lu_ln_abs_determinant<T: Number, N: Dim>(
    #[ad_in(inverse_adjoint::<T, N>(factor.lu.nrows(), &*factor, T::from_real(r_b)))] _a: &Dense<
        T,
        N,
        N,
    >,
    #[ad_passive] factor: Shared<LuFactor<T>>,
) -> T::Part
where
    DefaultAllocator: Sizes<N, N>,
{
    let ln = |i| ComplexField::ln(factor.unit.times(factor.lu[(i, i)]).modulus());
    (0..factor.lu.nrows()).fold(T::Part::zero(), |sum, i| sum + ln(i))
}

impl<T: Number, N: Dim, M: AnyMode> Lu<T, N, M>
where
    DefaultAllocator: Sizes<N, N>,
{
    /// Whether the matrix is not singular.
    pub fn is_invertible(&self) -> bool {
        self.factor.is_invertible()
    }
    /// Row `i` of `l * u` is row `rows()[i]` of the matrix.
    pub fn rows(&self) -> &[usize] {
        &self.factor.rows
    }
    /// The solution `x` of `a * x = b`.
    ///
    /// # Errors
    /// If the matrix is singular.
    ///
    /// # Panics
    /// On evaluation, if the numbers of rows differ.
    pub fn solve<B: Operand<M>>(&self, b: B) -> TrySolve<'_, SolveWith<LuFactor<T>>, T, N, N, M, B>
    where
        SolveWith<LuFactor<T>>: Rule<Dense<T, N, N>, KindOf<B, M>>,
    {
        self.invertible()?;
        Ok(binary(SolveWith::by(&self.factor), &self.a, b))
    }
    /// The inverse.
    ///
    /// # Errors
    /// If the matrix is singular.
    pub fn try_inverse(&self) -> TryPart<'_, InverseWith<LuFactor<T>>, T, N, N, M> {
        self.invertible()?;
        Ok(inverse_with(&self.a, self.factor.clone()))
    }
    fn invertible(&self) -> Result<(), Singular> {
        if self.is_invertible() {
            Ok(())
        } else {
            Err(Singular)
        }
    }
    /// The lower triangular factor, with ones on its diagonal.
    pub fn l(&self) -> PartExpr<'_, LuL<T>, T, N, N, M> {
        lu_l(&self.a, self.factor.clone())
    }
    /// The upper triangular factor.
    pub fn u(&self) -> PartExpr<'_, LuU<T>, T, N, N, M> {
        lu_u(&self.a, self.factor.clone())
    }
    /// The determinant. Where it is zero, its gradient is NaN.
    pub fn determinant(&self) -> PartExpr<'_, LuDeterminant<T>, T, N, N, M> {
        lu_determinant(&self.a, self.factor.clone())
    }
    /// The logarithm of the absolute value of the determinant, without overflow.
    pub fn ln_abs_determinant(&self) -> PartExpr<'_, LuLnAbsDeterminant<T>, T, N, N, M> {
        lu_ln_abs_determinant(&self.a, self.factor.clone())
    }
}

#[track_caller]
fn factorized<M: AnyMode, T: Number, N: Dim, X>(operation: &str, a: X) -> Lu<T, N, M>
where
    X: Operand<M, Kind = Dense<T, N, N>>,
    DefaultAllocator: Sizes<N, N>,
{
    let a = a.into_expr().eval();
    shapes::square(operation, a.get().shape());
    let factor = Shared::new(LuFactor::new(view(a.get())));
    Lu { a, factor }
}
/// The factorization of square matrices.
pub trait LuOps<M: AnyMode, T: Number, N: Dim>: Operand<M, Kind = Dense<T, N, N>> + Sized
where
    DefaultAllocator: Sizes<N, N>,
{
    /// Factorizes, at once: the object tells whether the matrix is singular.
    ///
    /// # Panics
    /// If the matrix is not square.
    #[track_caller]
    fn lu(self) -> Lu<T, N, M> {
        factorized("a.lu()", self)
    }
    /// The inverse, by the LU factorization; evaluated at once.
    ///
    /// # Errors
    /// If the matrix is singular.
    ///
    /// # Panics
    /// If it is not square.
    #[track_caller]
    fn try_inverse(self) -> Result<Active<Dense<T, N, N>, M>, Singular> {
        Ok(factorized("a.try_inverse()", self).try_inverse()?.eval())
    }
    /// The determinant, by the LU factorization; evaluated at once.
    ///
    /// # Panics
    /// If the matrix is not square.
    #[track_caller]
    fn determinant(self) -> Active<T::Kind, M> {
        factorized("a.determinant()", self).determinant().eval()
    }
    /// The logarithm of the absolute value of the determinant, by the LU factorization; evaluated at once.
    ///
    /// # Panics
    /// If the matrix is not square.
    #[track_caller]
    fn ln_abs_det(self) -> Active<T::Part, M> {
        factorized("a.ln_abs_det()", self)
            .ln_abs_determinant()
            .eval()
    }
}
impl<M: AnyMode, T: Number, N: Dim, X: Operand<M, Kind = Dense<T, N, N>>> LuOps<M, T, N> for X where
    DefaultAllocator: Sizes<N, N>
{
}
