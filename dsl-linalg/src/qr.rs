use crate::{
    Dense, Number, Product, Sizes, View,
    adjoint::product,
    factors::QrFactor,
    kernels::gemm,
    memory::{Pooled, by_elements, copied, filled, fresh, zeros},
    shapes,
    solves::{FactorExpr, Singular, TrySolve},
    view::{view, view_mut},
};
use entape_core::{
    expr::{Active, KindOf, Operand, binary},
    mode::AnyMode,
    op,
    rule::Rule,
    store::Shared,
};
use nalgebra::{DefaultAllocator, Dim, DimMin, DimMinimum, Dyn, OMatrix};
use std::{marker::PhantomData, rc::Rc};

mod factors;
#[cfg(test)]
mod tests;

use factors::{FactorTangents, adjoint_of_factors, nan, second_of_factors};

/// A matrix and its QR factorization, for both factors and any number of least squares problems. Gradients of least
/// squares follow [Golub and Pereyra 1973](crate#sources); gradients of the factors Roberts and Roberts 2020, and their
/// tangents Walter and Lehmann 2010.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::{dmatrix, dvector};
///
/// let mut tape = Tape::new();
/// // A line through the points (0, 1), (1, 2), (2, 4): its slope depends on the heights `b`.
/// let a = tape.input(dmatrix![1.0, 0.0; 1.0, 1.0; 1.0, 2.0]);
/// let b = tape.input(dvector![1.0, 2.0, 4.0]);
/// let slope = tape.record(|| Ok::<_, Singular>(a.qr().solve(&b)?.eval().at(1).eval()))?;
/// approx::assert_abs_diff_eq!(slope, 1.5, epsilon = 1e-14);
/// let gradient = tape.gradient(&slope)?.wrt(&b)?;
/// approx::assert_abs_diff_eq!(gradient, dvector![-0.5, 0.0, 0.5], epsilon = 5e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Qr<T: Number, R: Dim, C: Dim, M: AnyMode>
where
    DefaultAllocator: Sizes<R, C>,
{
    a: Active<Dense<T, R, C>, M>,
    factor: Shared<QrFactor<T>>,
}
entape_core::debug_by_name! { [T: Number, R: Dim, C: Dim, M: AnyMode] Qr<T, R, C, M> where [DefaultAllocator: Sizes<R, C>] }

pub(crate) fn least_squares<T: Number, R: Dim, C: Dim, K: Dim>(
    factor: &QrFactor<T>,
    b: &OMatrix<T, R, K>,
) -> OMatrix<T, C, K>
where
    DefaultAllocator: Sizes<R, K> + Sizes<C, K>,
{
    let (m, n) = factor.shape();
    let mut y = Pooled::from(copied(b));
    factor.apply_q(view_mut(&mut *y), true);
    let mut x: OMatrix<T, C, K> = fresh(n, b.ncols());
    let columns = x.as_mut_slice().chunks_exact_mut(n.max(1));
    columns
        .zip(y.as_slice().chunks_exact(m.max(1)))
        .for_each(|(x, y)| x.copy_from_slice(&y[..n]));
    factor.solve_r(view_mut(&mut x), false);
    x
}
pub(crate) type Rest<T> = Rc<Pooled<T, Dyn, Dyn>>;

/// Returns `b - a * x`, empty if the matrix is square.
pub(crate) fn residual<T: Number>(a: View<'_, T>, x: View<'_, T>, b: View<'_, T>) -> Rest<T> {
    if a.rows == a.cols {
        return Rc::new(Pooled::from(fresh(0, 0)));
    }
    let mut rest = Pooled::from(b.copied());
    gemm(-T::one(), a, x, T::one(), view_mut(&mut *rest));
    Rc::new(rest)
}
pub(crate) fn q_times<T: Number, R: Dim, C: Dim, K: Dim>(
    factor: &QrFactor<T>,
    x: &OMatrix<T, C, K>,
) -> OMatrix<T, R, K>
where
    DefaultAllocator: Sizes<R, K> + Sizes<C, K>,
{
    let (m, n) = factor.shape();
    let mut y: OMatrix<T, R, K> = zeros(m, x.ncols());
    let columns = y.as_mut_slice().chunks_exact_mut(m.max(1));
    columns
        .zip(x.as_slice().chunks_exact(n.max(1)))
        .for_each(|(y, x)| y[..n].copy_from_slice(x));
    factor.apply_q(view_mut(&mut y), false);
    y
}
/// `q * q' * y`, for the columns of `q` that correspond to `r`.
fn within_q<T: Number, R: Dim, K: Dim>(
    factor: &QrFactor<T>,
    mut y: OMatrix<T, R, K>,
) -> OMatrix<T, R, K>
where
    DefaultAllocator: Sizes<R, K>,
{
    let n = factor.shape().1;
    factor.apply_q(view_mut(&mut y), true);
    y.rows_range_mut(n..).fill(T::zero());
    factor.apply_q(view_mut(&mut y), false);
    y
}
/// Tangents of a least squares problem.
pub(crate) struct Moved<'f, T: Number> {
    pub(crate) factor: &'f QrFactor<T>,
    pub(crate) a_t: View<'f, T>,
}
impl<T: Number> Moved<'_, T> {
    fn times<R: Dim, K: Dim>(&self, x: View<'_, T>) -> OMatrix<T, R, K>
    where
        DefaultAllocator: Sizes<R, K>,
    {
        product(T::one(), self.a_t, x)
    }
    /// `inverse(r') * a_t' * y`
    fn back<C: Dim, K: Dim>(&self, y: View<'_, T>) -> OMatrix<T, C, K>
    where
        DefaultAllocator: Sizes<C, K>,
    {
        let mut x = product(T::one(), self.a_t.h(), y);
        self.factor.solve_r(view_mut(&mut x), true);
        x
    }
    /// The tangent of `x`: the solution of `a * x = b - a_t * x`, plus `inverse(a' * a) * a_t' * rest`.
    pub(crate) fn solution<R: Dim, C: Dim, K: Dim>(
        &self,
        x: View<'_, T>,
        rest: View<'_, T>,
    ) -> OMatrix<T, C, K>
    where
        DefaultAllocator: Sizes<R, K> + Sizes<C, K>,
    {
        let moved: OMatrix<T, R, K> = self.times(x);
        let mut x_t: OMatrix<T, C, K> = -least_squares(self.factor, &moved);
        if rest.rows > 0 {
            let mut more: OMatrix<T, C, K> = self.back(rest);
            self.factor.solve_r(view_mut(&mut more), false);
            x_t += more;
        }
        x_t
    }
    /// The tangent of `rest = b - a * x`, without the contribution of `b_t`.
    pub(crate) fn residual<R: Dim, C: Dim, K: Dim>(
        &self,
        x: View<'_, T>,
        rest: View<'_, T>,
    ) -> OMatrix<T, R, K>
    where
        DefaultAllocator: Sizes<R, K> + Sizes<C, K>,
    {
        let moved: OMatrix<T, R, K> = self.times(x);
        let back: OMatrix<T, C, K> = self.back(rest);
        within_q(self.factor, copied(&moved)) - moved - q_times(self.factor, &back)
    }
    /// The tangents of `y = inverse(r) * z` and `w = a * y`, for a constant `r_b`.
    pub(crate) fn weights<R: Dim, C: Dim, K: Dim>(
        &self,
        y: View<'_, T>,
        w: View<'_, T>,
    ) -> (OMatrix<T, C, K>, OMatrix<T, R, K>)
    where
        DefaultAllocator: Sizes<R, K> + Sizes<C, K>,
    {
        let (m, n) = self.factor.shape();
        let moved: OMatrix<T, R, K> = self.times(y);
        let mut back: OMatrix<T, C, K> = self.back(w);
        let mut w_t = -q_times(self.factor, &back);
        if m > n {
            w_t += &moved - within_q(self.factor, copied(&moved));
        }
        self.factor.solve_r(view_mut(&mut back), false);
        (-back - least_squares(self.factor, &moved), w_t)
    }
}
/// `inverse(r) * z`
pub(crate) fn over_r<T: Number, C: Dim, K: Dim>(
    factor: &QrFactor<T>,
    z: &OMatrix<T, C, K>,
) -> OMatrix<T, C, K>
where
    DefaultAllocator: Sizes<C, K>,
{
    let mut y = copied(z);
    factor.solve_r(view_mut(&mut y), false);
    y
}
pub(crate) fn beyond_q<T: Number, R: Dim, K: Dim>(
    factor: &QrFactor<T>,
    b: &OMatrix<T, R, K>,
) -> OMatrix<T, R, K>
where
    DefaultAllocator: Sizes<R, K>,
{
    b - within_q(factor, copied(b))
}
/// The `x` with the least `|a * x - b|`.
// Golub and Pereyra 1973: z = inverse(r') * r_b, w = q * z, b_b += w, a_b += (b - a * x) * (inverse(r) * z)' - w * x'.
// The tangents follow from the normal equations, `a' * a * x = a' * b` and `a' * a * y = r_b` for y = inverse(r) * z,
// written with q and r, because a' * a squares rounding errors.
#[op(
    save(rest: Rest<T> = residual(view(a), view(r), view(b))),
    shared(
        ref z = { let mut x = copied(r_b); factor.solve_r(view_mut(&mut x), true); Pooled::from(x) },
        ref w = Pooled::from(q_times::<T, R, C, K>(&factor, &**z)),
        ref moved = some_a_t.map(|a_t| {
            let y = Pooled::from(over_r::<T, C, K>(&factor, &**z));
            Moved { factor: &factor, a_t: view(a_t) }.weights::<R, C, K>(view(&*y), view(&**w))
        }),
    ),
    tangent(
        a = Moved { factor: &factor, a_t: view(a_t) }.solution::<R, C, K>(view(r), view(&**rest)),
        b = least_squares(&factor, b_t),
    ),
    second(
        a = {
            let one = T::one();
            a_b.add(Product(-one, view(&**w), view(r_t).h()));
            if let Some((_, w_t)) = moved {
                a_b.add(Product(-one, view(w_t), view(r).h()));
            }
            if !rest.is_empty() {
                let y = Pooled::from(over_r::<T, C, K>(&factor, &**z));
                if let Some((y_t, _)) = moved {
                    a_b.add(Product(one, view(&**rest), view(y_t).h()));
                }
                if let Some(a_t) = some_a_t {
                    let rest_t: OMatrix<T, R, K> = Moved { factor: &factor, a_t: view(a_t) }.residual::<R, C, K>(view(r), view(&**rest));
                    a_b.add(Product(one, view(&rest_t), view(&*y).h()));
                }
                if let Some(b_t) = some_b_t {
                    a_b.add(Product(one, view(&beyond_q(&factor, b_t)), view(&*y).h()));
                }
            }
        },
        b = moved.iter().for_each(|(_, w_t)| b_b.add(w_t)),
    ),
)]
pub fn qr_solve<T: Number, R: Dim, C: Dim, K: Dim>(
    #[ad_in({
        a_b.add(Product(-T::one(), view(&**w), view(r).h()));
        if !rest.is_empty() {
            let mut z = Pooled::from(copied(&**z));
            factor.solve_r(view_mut(&mut *z), false);
            a_b.add(Product(T::one(), view(&**rest), view(&*z).h()));
        }
    })]
    a: &Dense<T, R, C>,
    #[ad_in(&**w)] b: &Dense<T, R, K>,
    #[ad_passive] factor: Shared<QrFactor<T>>,
) -> &Dense<T, C, K>
where
    DefaultAllocator: Sizes<R, C> + Sizes<R, K> + Sizes<C, K>,
{
    shapes::inner("a.solve(b)", a.shape(), b.shape(), (a.nrows(), b.nrows()));
    least_squares(&factor, b)
}

impl<T: Number> QrSolve<T> {
    fn by(factor: &Shared<QrFactor<T>>) -> Self {
        QrSolve {
            factor: factor.clone(),
            of: PhantomData,
        }
    }
}

type Least<R, C> = DimMinimum<R, C>;

/// The orthogonal or unitary factor.
#[op(
    tangent(a = {
        let shape = factor.shape();
        match FactorTangents::new(&factor, &view(a_t).copied()) {
            Some(tangents) => filled(shape, tangents.q_t.as_slice()),
            None => by_elements(shape, |_, _| nan()),
        }
    }),
    second(a = second_of_factors::<T, R, C>(&factor, view(a_t), Some(view(r_b)), None)),
)]
pub fn qr_q<T: Number, R: DimMin<C>, C: Dim>(
    #[ad_in(adjoint_of_factors::<T, R, C>(&factor, Some(view(r_b)), None))] a: &Dense<T, R, C>,
    #[ad_passive] factor: Shared<QrFactor<T>>,
) -> &Dense<T, R, Least<R, C>>
where
    DefaultAllocator: Sizes<R, C> + Sizes<R, Least<R, C>>,
{
    filled(factor.shape(), factor.q().as_slice())
}
/// The triangular factor.
#[op(
    tangent(a = {
        let (a_t, shape) = (view(a_t).copied(), (factor.shape().1, a_t.ncols()));
        match FactorTangents::new(&factor, &a_t) {
            Some(tangents) => filled(shape, tangents.whole_r_t(&factor, &a_t).as_slice()),
            None => by_elements(shape, |_, _| nan()),
        }
    }),
    second(a = second_of_factors::<T, R, C>(&factor, view(a_t), None, Some(view(r_b)))),
)]
pub fn qr_r<T: Number, R: DimMin<C>, C: Dim>(
    #[ad_in(adjoint_of_factors::<T, R, C>(&factor, None, Some(view(r_b))))] a: &Dense<T, R, C>,
    #[ad_passive] factor: Shared<QrFactor<T>>,
) -> &Dense<T, Least<R, C>, C>
where
    DefaultAllocator: Sizes<R, C> + Sizes<Least<R, C>, C>,
{
    filled((factor.shape().1, a.ncols()), factor.whole_r().as_slice())
}

impl<T: Number, R: Dim, C: Dim, M: AnyMode> Qr<T, R, C, M>
where
    DefaultAllocator: Sizes<R, C>,
{
    /// Returns the `x` with the least `|a * x - b|` for a vector or matrix `b`. With `y = inverse(a' * a) * x_b`, the
    /// adjoints are `b_b += a * y` and `a_b += (b - a * x) * y' - a * y * x'`.
    ///
    /// # Errors
    /// If the columns are linearly dependent: in a column of `m` elements, the part orthogonal to earlier columns is at
    /// most `8 * eps * sqrt(m)` of the largest part.
    ///
    /// # Panics
    /// If the matrix has fewer rows than columns; use [`pseudo_inverse`](crate::SpectralOps::pseudo_inverse). On
    /// evaluation, if the numbers of rows differ.
    #[track_caller]
    pub fn solve<B: Operand<M>>(&self, b: B) -> TrySolve<'_, QrSolve<T>, T, R, C, M, B>
    where
        QrSolve<T>: Rule<Dense<T, R, C>, KindOf<B, M>>,
    {
        let (m, n) = self.a.get().shape();
        assert!(
            m >= n,
            "`a.qr().solve(b)` of a matrix with shape {m}x{n}: use at least as many rows as columns, or `a.pseudo_inverse(eps) * b` for the shortest solution"
        );
        match self.factor.is_invertible() {
            true => Ok(binary(QrSolve::by(&self.factor), &self.a, b)),
            false => Err(Singular),
        }
    }
    /// Returns the factor `q` of `a = q * r` with `min(m, n)` orthonormal columns, for `m` rows and `n` columns. With
    /// `l`, the lower triangle of `g + w - (g + w)'` with half of its diagonal for `g = q' * q_b` and `w = r * r_b'`,
    /// the gradient of both factors is `a_b += q * r_b + (q_b + q * (l - g)) * inverse(r')`.
    ///
    /// A wide matrix is `[x, y] = q * [u, v]` with square blocks `x` and `u`. The gradient with respect to `x` is the
    /// formula above, in which `q_b` also gets `y * v_b'`, and the gradient with respect to `y` is `q * v_b`.
    ///
    /// # Dependent columns
    /// If one of the first `min(m, n)` columns depends on earlier ones, as detected by [`solve`](Self::solve), rounding
    /// determines its column of `q` and the following ones, so the gradient is NaN. Factorize only the columns before
    /// it; order a wide matrix such that its first columns are independent. The last column of a real square `q` always
    /// has a gradient. If the orthogonal part of a column is a fraction `d` of it, the gradient has a relative error of
    /// about `eps / d`.
    pub fn q(&self) -> FactorExpr<'_, QrQ<T>, T, R, C, M>
    where
        R: DimMin<C>,
        DefaultAllocator: Sizes<R, DimMinimum<R, C>>,
    {
        qr_q(&self.a, self.factor.clone())
    }
    /// Returns the upper triangular factor `r` with `min(m, n)` rows. Its diagonal is real: of either sign for a real
    /// matrix, positive for a complex one. If [columns are linearly dependent](Self::q), its gradient is NaN.
    pub fn r(&self) -> FactorExpr<'_, QrR<T>, T, R, C, M>
    where
        R: DimMin<C>,
        DefaultAllocator: Sizes<DimMinimum<R, C>, C>,
    {
        qr_r(&self.a, self.factor.clone())
    }
}

/// The QR factorization of matrices of any shape.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::dmatrix;
///
/// let mut tape = Tape::new();
/// let a = tape.input(dmatrix![3.0, 1.0; 4.0, 2.0]);
/// let y = tape.record(|| {
///     let qr = a.qr();
///     let (q, r) = (qr.q().eval(), qr.r().eval());
///     approx::assert_abs_diff_eq!(&q * &r, a, epsilon = 5e-15);
///     (r.at((0, 0)) * r.at((0, 0))).eval() // the squared length of the first column
/// });
/// approx::assert_abs_diff_eq!(y, 25.0, epsilon = 1e-14);
/// let gradient = tape.gradient(&y)?.wrt(&a)?;
/// approx::assert_abs_diff_eq!(gradient, dmatrix![6.0, 0.0; 8.0, 0.0], epsilon = 5e-14);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait QrOps<M: AnyMode, T: Number, R: Dim, C: Dim>:
    Operand<M, Kind = Dense<T, R, C>> + Sized
where
    DefaultAllocator: Sizes<R, C>,
{
    /// Factorizes the matrix immediately. If columns are dependent, [`solve`](Qr::solve) fails.
    #[track_caller]
    fn qr(self) -> Qr<T, R, C, M> {
        let a = self.into_expr().eval();
        let factor = Shared::new(QrFactor::new(view(a.get())));
        Qr { a, factor }
    }
}
impl<M: AnyMode, T: Number, R: Dim, C: Dim, X: Operand<M, Kind = Dense<T, R, C>>> QrOps<M, T, R, C>
    for X
where
    DefaultAllocator: Sizes<R, C>,
{
}
