use crate::{
    Dense, Number, Sizes,
    adjoint::product,
    factors::{self, Factor, LuFactor},
    kernels::{Triangle, dotc, gemm, solve_triangular},
    memory::{by_elements, copied, filled, zeros},
    scale::{self, PowerOfTwo},
    shapes,
    solves::{
        FactorExpr, InverseWith, Singular, SolveWith, TryPart, TrySolve, inverse_adjoint,
        inverse_with, matrix_times,
    },
    spectral::{ad_times, times, times_ad},
    view::{view, view_mut},
};
use entape_core::{
    expr::{Active, KindOf, Operand, binary},
    mode::AnyMode,
    op,
    rule::Rule,
    store::Shared,
};
use nalgebra::{ComplexField, DMatrix, DefaultAllocator, Dim, OMatrix};
use num_traits::Zero;

#[cfg(test)]
use std::marker::PhantomData;

#[cfg(test)]
mod tests;

/// A square matrix `a` and its factors, for any number of solves: `l * u` is `a` with its rows exchanged.
///
/// ```
/// use entape_core::expr::constant;
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::{dmatrix, dvector};
///
/// let mut tape = Tape::new();
/// let a = tape.input(dmatrix![1.0, 2.0; 3.0, 4.0]);
/// let y = tape.record(|| {
///     let lu = a.lu();
///     assert_eq!(lu.rows(), [1, 0]);
///     approx::assert_abs_diff_eq!(lu.u(), dmatrix![3.0, 4.0; 0.0, 2.0 / 3.0], epsilon = 5e-16);
///     Ok::<_, Singular>(lu.solve(constant(dvector![5.0, 11.0]))?.sum().eval()) // the solution is [1, 2]
/// })?;
/// approx::assert_abs_diff_eq!(y, 3.0, epsilon = 1e-14);
/// // -w * x' with the solution w = [-0.5, 0.5] of a' * w = [1, 1]
/// let gradient = tape.gradient(&y)?.wrt(&a)?;
/// approx::assert_abs_diff_eq!(gradient, dmatrix![0.5, 1.0; -0.5, -1.0], epsilon = 5e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Lu<T: Number, N: Dim, M: AnyMode>
where
    DefaultAllocator: Sizes<N, N>,
{
    a: Active<Dense<T, N, N>, M>,
    factor: Shared<LuFactor<T>>,
}
entape_core::debug_by_name! { [T: Number, N: Dim, M: AnyMode] Lu<T, N, M> where [DefaultAllocator: Sizes<N, N>] }

// With p * a = l * u and m = the strictly lower part of l' * l_b - u_b * u', a_b = p' * inverse(l') * (u_b + m *
// inverse(u')). The last column of m is zero, so nothing is divided by the last pivot. If another pivot is a rounding
// error, the derivative does not exist (see [`Lu::l`]).
fn adjoint_of_factors<T: Number, N: Dim>(
    factor: &LuFactor<T>,
    l_b: Option<&OMatrix<T, N, N>>,
    u_b: Option<&OMatrix<T, N, N>>,
) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    let (n, one) = (factor.lu.nrows(), T::one());
    let (mut l_b, mut u_b) = (l_b.map(copied), u_b.map(copied));
    l_b.iter_mut()
        .for_each(|l_b| l_b.fill_upper_triangle(T::zero(), 0));
    u_b.iter_mut()
        .for_each(|u_b| u_b.fill_lower_triangle(T::zero(), 1));
    if factor.known() + 1 < n {
        return by_elements((n, n), |_, _| T::of(f64::NAN));
    }
    // Here `u` and `l_b` are divided by the unit.
    let mut u = factor.lu.upper_triangle();
    let mut m: OMatrix<T, N, N> = zeros(n, n);
    if let Some(l_b) = &mut l_b {
        factor.unit.inverse().scale(l_b.as_mut_slice());
        gemm(
            one,
            view(&l_of::<T, N>(factor)).h(),
            view(l_b),
            one,
            view_mut(&mut m),
        );
    }
    if let Some(u_b) = &u_b {
        gemm(-one, view(u_b), view(&u).h(), one, view_mut(&mut m));
    }
    m.fill_upper_triangle(T::zero(), 0);
    // Avoids dividing zero by zero.
    (n.saturating_sub(1)..n).for_each(|j| u[(j, j)] = one);
    m.adjoint_mut();
    solve_triangular(Triangle::Upper, view(&u), view_mut(&mut m));
    m.adjoint_mut();
    u_b.iter().for_each(|u_b| m += u_b);
    solve_triangular(Triangle::UnitUpper, view(&*factor.lu).h(), view_mut(&mut m));
    factor.permute(&mut view_mut(&mut m), true);
    m
}
// det * inverse(a'), or the cofactors if the inverse does not exist or is out of range.
fn adjoint_of_determinant<T: Number, N: Dim>(factor: &LuFactor<T>, r_b: T) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    let n = factor.lu.nrows();
    if factor.is_invertible() {
        let (determinant, unit) = factor.determinant();
        let (by, more) = scale::product([r_b, determinant.conjugate()].into_iter());
        let mut a_b = inverse_adjoint(n, factor, by);
        unit.and(more).scale(a_b.as_mut_slice());
        // Without a branch for each element.
        let finite = |all, x| all & ComplexField::is_finite(x);
        if a_b.iter().fold(true, finite) {
            return a_b;
        }
    }
    let (cofactors, unit) = cofactors(factor.matrix_of_unit());
    let unit = unit.and(factor.unit.powi(n.saturating_sub(1)));
    let mut a_b = by_elements((n, n), |i, j| r_b * cofactors[(i, j)].conjugate());
    unit.scale(a_b.as_mut_slice());
    a_b
}
// With a = u * diag(s) * v', the cofactors of a + e * d are phase * conj(u) * .. * v transposed, for the cofactors ..
// of diag(s) + e * x with x = u' * d * v. Their derivatives are products of all singular values but two: p[i, j] * x[j,
// j] on the diagonal, summed over j, and -p[i, j] * x[j, i] elsewhere.
fn second_of_determinant<T: Number, N: Dim>(
    factor: &LuFactor<T>,
    a_t: &OMatrix<T, N, N>,
    r_b: T,
) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    let n = factor.lu.nrows();
    let (u, s, v) = factors::svd(view(&factor.matrix_of_unit()));
    let phase = u.determinant() * v.determinant().conjugate();
    let x = times(&ad_times(&u, &view(a_t).copied()), &v);
    let mut inner = DMatrix::zeros(n, n);
    let unit = factor.unit.powi(n.saturating_sub(2));
    for i in 0..n {
        for j in (0..n).filter(|j| *j != i) {
            let others = (0..n).filter(|k| *k != i && *k != j);
            let (product, more) = scale::product(others.map(|k| s[k]));
            let by = |x: T| unit.and(more).times(x.scale(product));
            inner[(i, i)] += by(x[(j, j)]);
            inner[(i, j)] = -by(x[(j, i)]);
        }
    }
    // The adjoint consists of conjugated cofactors.
    let by = r_b * phase.conjugate();
    let second = times_ad(&times(&u, &inner.map(|x| x.conjugate() * by)), &v);
    filled((n, n), second.as_slice())
}
/// The cofactors, with a common factor, from `p * a * q = l * u` with complete pivoting: the adjugate of `u`, divided
/// by all pivots but the last, is computed without that smallest one.
fn cofactors<T: Number>(mut a: DMatrix<T>) -> (DMatrix<T>, PowerOfTwo) {
    let n = a.nrows();
    if !a.iter().all(ComplexField::is_finite) {
        return (
            DMatrix::from_element(n, n, T::of(f64::NAN)),
            PowerOfTwo::ONE,
        );
    }
    let Some(last) = n.checked_sub(1) else {
        return (a, PowerOfTwo::ONE);
    };
    let size = scale::normalize(&mut a);
    let factor = a.full_piv_lu();
    let (l, mut u) = (factor.l(), factor.u());
    if (0..last).any(|i| u[(i, i)] == T::zero()) {
        return (DMatrix::zeros(n, n), PowerOfTwo::ONE);
    }
    let mut x = DMatrix::identity(n, n);
    factor.p().permute_rows(&mut x);
    solve_triangular(Triangle::UnitLower, view(&l), view_mut(&mut x));
    // u = [v c; 0 d] has the adjugate det(v) * [d * inverse(v), -inverse(v) * c; 0, 1].
    for mut x in x.column_iter_mut() {
        let below = x[last];
        (0..last).for_each(|i| x[i] = u[(last, last)] * x[i] - u[(i, last)] * below);
    }
    u.column_mut(last).fill(T::zero());
    u[(last, last)] = T::one();
    solve_triangular(Triangle::Upper, view(&u), view_mut(&mut x));
    factor.q().inv_permute_rows(&mut x);
    let sign = factor.p().determinant::<T>() * factor.q().determinant::<T>();
    let (product, unit) = scale::product((0..last).map(|i| u[(i, i)]));
    let x = x.transpose() * (sign * product);
    (x, unit.and(size.powi(last)))
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
// With m = inverse(l) * p * a_t * inverse(u), l_t = l * (the strictly lower part of m) and u_t = inverse(l) * p * a_t -
// (this strictly lower part) * u.
fn tangents_of_factors<T: Number, N: Dim>(
    factor: &LuFactor<T>,
    a_t: &OMatrix<T, N, N>,
) -> (OMatrix<T, N, N>, OMatrix<T, N, N>)
where
    DefaultAllocator: Sizes<N, N>,
{
    let (n, one) = (factor.lu.nrows(), T::one());
    if factor.known() + 1 < n {
        let unknown = || by_elements((n, n), |_, _| T::of(f64::NAN));
        return (unknown(), unknown());
    }
    let mut left = copied(a_t);
    factor.permute(&mut view_mut(&mut left), false);
    solve_triangular(Triangle::UnitLower, view(&*factor.lu), view_mut(&mut left));
    // Here `u` is divided by the unit.
    let mut u = factor.lu.upper_triangle();
    (n.saturating_sub(1)..n).for_each(|j| u[(j, j)] = one);
    let mut m = left.adjoint();
    factor.unit.inverse().scale(m.as_mut_slice());
    solve_triangular(Triangle::Lower, view(&u).h(), view_mut(&mut m));
    let mut m = m.adjoint();
    m.fill_upper_triangle(T::zero(), 0);
    let l_t = product(one, view(&l_of::<T, N>(factor)), view(&m));
    let mut u_t = left;
    gemm(
        -one,
        view(&m),
        view(&u_of::<T, N>(factor)),
        one,
        view_mut(&mut u_t),
    );
    u_t.fill_lower_triangle(T::zero(), 1);
    (l_t, u_t)
}
// With the m of the adjoint, x = m * inverse(u') and y = inverse(l') * (u_b + x):
// m_t = the strictly lower part of l_t' * l_b - u_b * u_t', x_t = (m_t - x * u_t') * inverse(u') and
// y_t = inverse(l') * (x_t - l_t' * y).
fn second_of_factors<T: Number, N: Dim>(
    factor: &LuFactor<T>,
    a_t: &OMatrix<T, N, N>,
    l_b: Option<&OMatrix<T, N, N>>,
    u_b: Option<&OMatrix<T, N, N>>,
) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    let (n, one) = (factor.lu.nrows(), T::one());
    if factor.known() + 1 < n {
        return by_elements((n, n), |_, _| T::of(f64::NAN));
    }
    let (l_t, mut u_t) = tangents_of_factors(factor, a_t);
    // Here `u`, `u_t` and `l_b` are divided by the unit.
    factor.unit.inverse().scale(u_t.as_mut_slice());
    let mut u: OMatrix<T, N, N> = by_elements((n, n), |i, j| match i <= j {
        true => factor.lu[(i, j)],
        false => T::zero(),
    });
    let lower = |l: &OMatrix<T, N, N>, u_of: &OMatrix<T, N, N>| {
        let mut m: OMatrix<T, N, N> = zeros(n, n);
        if let Some(l_b) = l_b {
            let mut l_b = copied(l_b);
            factor.unit.inverse().scale(l_b.as_mut_slice());
            l_b.fill_upper_triangle(T::zero(), 0);
            gemm(one, view(l).h(), view(&l_b), one, view_mut(&mut m));
        }
        if let Some(u_b) = u_b {
            let u_b = u_b.upper_triangle();
            gemm(-one, view(&u_b), view(u_of).h(), one, view_mut(&mut m));
        }
        m.fill_upper_triangle(T::zero(), 0);
        m
    };
    let m = lower(&l_of(factor), &u);
    let mut m_t = lower(&l_t, &u_t);
    (n.saturating_sub(1)..n).for_each(|j| u[(j, j)] = one);
    let over_u = |m: &OMatrix<T, N, N>| {
        let mut x = m.adjoint();
        solve_triangular(Triangle::Upper, view(&u), view_mut(&mut x));
        x.adjoint()
    };
    let x = over_u(&m);
    gemm(-one, view(&x), view(&u_t).h(), one, view_mut(&mut m_t));
    let x_t = over_u(&m_t);
    let mut y = x;
    u_b.iter().for_each(|u_b| y += u_b.upper_triangle());
    let l = view(&*factor.lu).h();
    solve_triangular(Triangle::UnitUpper, l, view_mut(&mut y));
    let mut y_t = x_t;
    gemm(-one, view(&l_t).h(), view(&y), one, view_mut(&mut y_t));
    solve_triangular(Triangle::UnitUpper, l, view_mut(&mut y_t));
    factor.permute(&mut view_mut(&mut y_t), true);
    y_t
}
/// The lower triangular factor.
#[op(
    tangent(a = tangents_of_factors(&factor, a_t).0),
    second(a = second_of_factors(&factor, a_t, Some(r_b), None)),
)]
pub fn lu_l<T: Number, N: Dim>(
    #[ad_in(adjoint_of_factors(&factor, Some(r_b), None))] a: &Dense<T, N, N>,
    #[ad_passive] factor: Shared<LuFactor<T>>,
) -> &Dense<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    l_of(&factor)
}
/// The upper triangular factor.
#[op(
    tangent(a = tangents_of_factors(&factor, a_t).1),
    second(a = second_of_factors(&factor, a_t, None, Some(r_b))),
)]
pub fn lu_u<T: Number, N: Dim>(
    #[ad_in(adjoint_of_factors(&factor, None, Some(r_b)))] a: &Dense<T, N, N>,
    #[ad_passive] factor: Shared<LuFactor<T>>,
) -> &Dense<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    u_of(&factor)
}
/// The determinant.
#[op(
    tangent(a = dotc(adjoint_of_determinant::<T, N>(&factor, T::one()).as_slice(), a_t.as_slice())),
    second(a = second_of_determinant(&factor, a_t, r_b)),
)]
pub fn lu_determinant<T: Number, N: Dim>(
    #[ad_in(adjoint_of_determinant::<T, N>(&factor, r_b))] a: &Dense<T, N, N>,
    #[ad_passive] factor: Shared<LuFactor<T>>,
) -> T::Kind
where
    DefaultAllocator: Sizes<N, N>,
{
    let (determinant, unit) = factor.determinant();
    unit.times(determinant)
}
/// The logarithm of the absolute value of the determinant.
#[op(
    tangent(a = {
        let slope: OMatrix<T, N, N> = inverse_adjoint(factor.lu.nrows(), &*factor, T::one());
        dotc(slope.as_slice(), a_t.as_slice()).real()
    }),
    second(a = {
        let slope: OMatrix<T, N, N> = inverse_adjoint(factor.lu.nrows(), &*factor, T::from_real(r_b));
        let mut x: OMatrix<T, N, N> = matrix_times::<LuFactor<T>, T, N, N, N>(a_t, true, view(&slope));
        factor.solve_adjoint(view_mut(&mut x));
        x
    }),
)]
pub fn lu_ln_abs_determinant<T: Number, N: Dim>(
    #[ad_in(inverse_adjoint::<T, N>(factor.lu.nrows(), &*factor, T::from_real(r_b)))] a: &Dense<
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
    /// Returns whether no pivot is exactly zero.
    pub fn is_invertible(&self) -> bool {
        self.factor.is_invertible()
    }
    /// Returns the row order: row `i` of `l * u` is row `rows()[i]`.
    pub fn rows(&self) -> &[usize] {
        &self.factor.rows
    }
    /// Returns the solution `x` of `a * x = b` for a vector or matrix `b`. With the solution `w` of `a' * w = x_b`,
    /// `b_b += w` and `a_b -= w * x'` ([Giles 2008](crate#sources)).
    ///
    /// If the matrix is singular up to rounding, no digit may be correct; [`Qr::solve`](crate::Qr::solve) detects such
    /// matrices.
    ///
    /// # Errors
    /// If a pivot is exactly zero.
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
    /// Returns the inverse `r = inverse(a)`: `a_b -= r' * r_b * r'`.
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
    /// Returns the lower triangular factor, with ones on its diagonal. Row `i` of `l * u` is row
    /// [`rows()[i]`](Self::rows) of the matrix. With `m`, the strictly lower part of `l' * l_b - u_b * u'`, the
    /// gradient of the exchanged rows is `inverse(l') * (u_b + m * inverse(u'))`.
    ///
    /// # Singular matrices
    /// If a column depends on earlier ones, rounding determines the order of the rows below its pivot, so the gradient
    /// is NaN. A small last pivot is harmless. If a pivot is a fraction `d` of its column, the gradient has a relative
    /// error of about `eps / d`.
    pub fn l(&self) -> FactorExpr<'_, LuL<T>, T, N, N, M> {
        lu_l(&self.a, self.factor.clone())
    }
    /// Returns the upper triangular factor. [`l`](Self::l) documents its gradient.
    pub fn u(&self) -> FactorExpr<'_, LuU<T>, T, N, N, M> {
        lu_u(&self.a, self.factor.clone())
    }
    /// Returns the determinant. Its gradient, the conjugated cofactors times `r_b`, also exists for singular matrices.
    pub fn determinant(&self) -> FactorExpr<'_, LuDeterminant<T>, T, N, N, M> {
        lu_determinant(&self.a, self.factor.clone())
    }
    /// Returns the logarithm of the determinant's absolute value, also if the determinant overflows: `a_b += r_b *
    /// inverse(a')`.
    pub fn ln_abs_determinant(&self) -> FactorExpr<'_, LuLnAbsDeterminant<T>, T, N, N, M> {
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
/// The LU factorization of square matrices. All methods panic if the matrix is not square.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::dmatrix;
///
/// let mut tape = Tape::new();
/// let a = tape.input(dmatrix![1.0, 2.0; 2.0, 4.0]);
/// assert_eq!(tape.record(|| a.try_inverse().err()), Some(Singular));
/// // The gradient of the determinant is the matrix of cofactors, also for a singular matrix.
/// let y = tape.record(|| a.determinant());
/// assert_eq!(y, 0.0);
/// assert_eq!(tape.gradient(&y)?.wrt(&a)?, dmatrix![4.0, -2.0; -2.0, 1.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait LuOps<M: AnyMode, T: Number, N: Dim>: Operand<M, Kind = Dense<T, N, N>> + Sized
where
    DefaultAllocator: Sizes<N, N>,
{
    /// Factorizes the matrix immediately. If it is singular, [`is_invertible`](Lu::is_invertible) returns false, and
    /// `solve` fails.
    #[track_caller]
    fn lu(self) -> Lu<T, N, M> {
        factorized("a.lu()", self)
    }
    /// Returns the inverse, evaluated immediately; see [`Lu::try_inverse`]. [`solve`](Lu::solve) is cheaper and more
    /// precise.
    ///
    /// # Errors
    /// If the matrix is singular.
    #[track_caller]
    fn try_inverse(self) -> Result<Active<Dense<T, N, N>, M>, Singular> {
        Ok(factorized("a.try_inverse()", self).try_inverse()?.eval())
    }
    /// Returns the determinant, evaluated immediately; see [`Lu::determinant`].
    #[track_caller]
    fn determinant(self) -> Active<T::Kind, M> {
        factorized("a.determinant()", self).determinant().eval()
    }
    /// Returns the logarithm of the determinant's absolute value, evaluated immediately; see
    /// [`Lu::ln_abs_determinant`].
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
