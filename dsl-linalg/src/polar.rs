//! The polar decomposition `a = u * p`: `u` is the nearest matrix with orthonormal columns, `p` is Hermitian without
//! negative eigenvalues.
//!
//! With `a = w * diag(s) * v'` they are `u = w * v'` and `p = v * diag(s) * v'` (N. J. Higham, *Computing the polar
//! decomposition -- with applications*, 1986). They have derivatives at equal singular values. With `f = w' * a_d * v`
//! for a direction `a_d` (C. Kenney and A. J. Laub, *Polar decomposition and matrix sign function condition estimates*,
//! 1991):
//!
//! ```text
//! w' * u_d * v = (f - f') ./ (s[i] + s[j])     and, outside of the span of w,  a_d * v * diag(1 / s)
//! v' * p_d * v = (s[i] * f + f' * s[j]) ./ (s[i] + s[j])
//! ```
//! Their denominators vanish only for singular matrices.
use crate::{
    Dense, Number, Sizes, View, factors,
    memory::{Pooled, filled},
    scale::{rounding, size},
    solves::FactorExpr,
    spectral::{ad_times, times, times_ad},
    symmetric::composed,
    view::view,
};
use entape_core::{
    expr::{Active, Operand},
    kind::Heap,
    mode::AnyMode,
    op,
    store::Shared,
};
use nalgebra::{DMatrix, DefaultAllocator, Dim, Dyn, OMatrix};

#[cfg(test)]
mod tests;

/// Singular values and vectors.
#[derive(Debug, Default)]
pub struct PolarFactor<T: Number> {
    /// The left vectors, in columns.
    w: Pooled<T, Dyn, Dyn>,
    s: Vec<T::Part>,
    /// The right vectors, in columns.
    v: Pooled<T, Dyn, Dyn>,
    /// The mean of two singular values up to this bound may be a rounding error.
    least: T::Part,
}
impl<T: Number> Heap for PolarFactor<T> {
    fn heap_bytes(&self) -> usize {
        self.w.heap_bytes() + size_of_val(&self.s[..]) + self.v.heap_bytes()
    }
}
impl<T: Number> PolarFactor<T> {
    fn new(a: View<'_, T>) -> Self {
        let (w, s, v) = factors::svd(a);
        let rounding = rounding::<T>(a.rows) * T::Part::of(0.125);
        PolarFactor {
            w: Pooled::from(w),
            v: Pooled::from(v),
            least: rounding * size(s.as_slice()),
            s: s.as_slice().to_vec(),
        }
    }
    fn u(&self) -> DMatrix<T> {
        times_ad(&self.w, &self.v)
    }
    /// `x / (s[i] + s[j])`, NaN if the sum may be a rounding error.
    fn divide(&self, x: T, i: usize, j: usize) -> T {
        let half = T::Part::of(0.5);
        // The sum may be out of range.
        let (x, by) = (x.scale(half), self.s[i] * half + self.s[j] * half);
        match by > self.least {
            true => x.unscale(by),
            false => T::of(f64::NAN),
        }
    }
    fn pull_u(&self, u_b: &DMatrix<T>) -> DMatrix<T> {
        let (w, s, v) = (&*self.w, &self.s, &*self.v);
        let along = times(u_b, v);
        let x = ad_times(w, &along);
        let inner = DMatrix::from_fn(s.len(), s.len(), |i, j| {
            self.divide(x[(i, j)] - x[(j, i)].conjugate(), i, j)
        });
        let mut sum = times(w, &inner);
        if w.nrows() > w.ncols() {
            let mut rest = along - times(w, &x);
            for (j, mut column) in rest.column_iter_mut().enumerate() {
                column.apply(|x| *x = self.divide(*x + *x, j, j));
            }
            sum += rest;
        }
        times_ad(&sum, v)
    }
    /// The `z` with `p * z + z * p = x`.
    fn shared(&self, x: &DMatrix<T>) -> DMatrix<T> {
        let v = &*self.v;
        let x = times(&ad_times(v, x), v);
        let z = DMatrix::from_fn(x.nrows(), x.ncols(), |i, j| self.divide(x[(i, j)], i, j));
        times_ad(&times(v, &z), v)
    }
    /// The part of `x` orthogonal to `u`, times `inverse(p)`.
    fn beyond(&self, x: &DMatrix<T>) -> DMatrix<T> {
        let (w, v) = (&*self.w, &*self.v);
        let along = times(x, v);
        let mut rest = &along - times(w, &ad_times(w, &along));
        for (j, mut column) in rest.column_iter_mut().enumerate() {
            column.apply(|x| *x = self.divide(*x + *x, j, j));
        }
        times_ad(&rest, v)
    }
    fn is_square(&self) -> bool {
        self.w.nrows() == self.w.ncols()
    }
    /// The tangent of `u`.
    fn push_u(&self, a_t: &DMatrix<T>) -> DMatrix<T> {
        let u = self.u();
        let f = ad_times(&u, a_t);
        let u_t = times(&u, &self.shared(&(&f - f.adjoint())));
        match self.is_square() {
            true => u_t,
            false => u_t + self.beyond(a_t),
        }
    }
    /// The tangent of `p`: `p * p_t + p_t * p = a_t' * a + a' * a_t`.
    fn push_p(&self, a_t: &DMatrix<T>) -> DMatrix<T> {
        let square = ad_times(a_t, &self.a());
        self.shared(&(&square + square.adjoint()))
    }
    fn a(&self) -> DMatrix<T> {
        times(&self.u(), &composed(&self.v, &self.s))
    }
    /// The tangent of [`pull_u`](Self::pull_u), `u * z + rest * inverse(p)` with `p * z + z * p = x - x'` for
    /// `x = u' * u_b` and `rest = u_b - u * x`.
    fn second_u(&self, a_t: &DMatrix<T>, u_b: &DMatrix<T>) -> DMatrix<T> {
        let (u, u_t, p_t) = (self.u(), self.push_u(a_t), self.push_p(a_t));
        let (x, x_t) = (ad_times(&u, u_b), ad_times(&u_t, u_b));
        let z = self.shared(&(&x - x.adjoint()));
        let moved = times(&p_t, &z) + times(&z, &p_t);
        let z_t = self.shared(&(&x_t - x_t.adjoint() - moved));
        let mut sum = times(&u_t, &z) + times(&u, &z_t);
        if !self.is_square() {
            // The tangent of rest * inverse(p), whose rows are orthogonal to u.
            let y = self.beyond(u_b);
            let rest_t = -times(&u_t, &x) - times(&u, &x_t);
            sum += self.over_p(&(rest_t - times(&y, &p_t)));
        }
        sum
    }
    /// `x * inverse(p)`
    fn over_p(&self, x: &DMatrix<T>) -> DMatrix<T> {
        let mut along = times(x, &self.v);
        for (j, mut column) in along.column_iter_mut().enumerate() {
            column.apply(|x| *x = self.divide(*x + *x, j, j));
        }
        times_ad(&along, &self.v)
    }
    /// The tangent of [`pull_p`](Self::pull_p), `a * z` with `p * z + z * p = p_b + p_b'`.
    fn second_p(&self, a_t: &DMatrix<T>, p_b: &DMatrix<T>) -> DMatrix<T> {
        let p_t = self.push_p(a_t);
        let z = self.shared(&(p_b + p_b.adjoint()));
        let z_t = -self.shared(&(times(&p_t, &z) + times(&z, &p_t)));
        times(a_t, &z) + times(&self.a(), &z_t)
    }
    fn pull_p(&self, p_b: &DMatrix<T>) -> DMatrix<T> {
        let (w, s, v) = (&*self.w, &self.s, &*self.v);
        let x = times(&ad_times(v, p_b), v);
        let inner = DMatrix::from_fn(s.len(), s.len(), |i, j| {
            let both = x[(i, j)] + x[(j, i)].conjugate();
            self.divide(both, i, j).scale(s[i])
        });
        times_ad(&times(w, &inner), v)
    }
}

/// The factor with orthonormal columns.
#[op(
    tangent(a = filled::<T, R, C>(a_t.shape(), factor.push_u(&view(a_t).copied()).as_slice())),
    second(a = filled::<T, R, C>(r_b.shape(), factor.second_u(&view(a_t).copied(), &view(r_b).copied()).as_slice())),
)]
pub fn polar_u<T: Number, R: Dim, C: Dim>(
    #[ad_in(filled::<T, R, C>(r_b.shape(), factor.pull_u(&view(r_b).copied()).as_slice()))]
    a: &Dense<T, R, C>,
    #[ad_passive] factor: Shared<PolarFactor<T>>,
) -> &Dense<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    filled((factor.w.nrows(), factor.v.nrows()), factor.u().as_slice())
}
/// The symmetric or Hermitian factor.
#[op(
    tangent(a = {
        let p_t = factor.push_p(&view(a_t).copied());
        filled(p_t.shape(), p_t.as_slice())
    }),
    second(a = filled::<T, R, C>(a_t.shape(), factor.second_p(&view(a_t).copied(), &view(r_b).copied()).as_slice())),
)]
pub fn polar_p<T: Number, R: Dim, C: Dim>(
    #[ad_in({
        let shape = (factor.w.nrows(), factor.v.nrows());
        filled::<T, R, C>(shape, factor.pull_p(&view(r_b).copied()).as_slice())
    })]
    a: &Dense<T, R, C>,
    #[ad_passive] factor: Shared<PolarFactor<T>>,
) -> &Dense<T, C, C>
where
    DefaultAllocator: Sizes<R, C> + Sizes<C, C>,
{
    let p: OMatrix<T, Dyn, Dyn> = composed(&factor.v, &factor.s);
    filled(p.shape(), p.as_slice())
}

/// A matrix `a = u * p` with at least as many rows as columns, decomposed into rotation and stretch. The gradient
/// follows [Kenney and Laub 1991](crate#sources).
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::dmatrix;
///
/// // A deformation and the rotation in it.
/// let mut tape = Tape::new();
/// let a = tape.input(dmatrix![0.0, -2.0; 2.0, 0.0]);
/// let y = tape.record(|| {
///     let polar = a.polar();
///     approx::assert_abs_diff_eq!(polar.p(), dmatrix![2.0, 0.0; 0.0, 2.0], epsilon = 5e-16);
///     polar.u().eval().at((0, 0)).eval()
/// });
/// // Both singular values are 2, and the slope is 1 / (2 + 2).
/// let gradient = tape.gradient(&y)?.wrt(&a)?;
/// approx::assert_abs_diff_eq!(gradient, dmatrix![0.25, 0.0; 0.0, 0.25], epsilon = 5e-16);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub struct Polar<T: Number, R: Dim, C: Dim, M: AnyMode>
where
    DefaultAllocator: Sizes<R, C>,
{
    a: Active<Dense<T, R, C>, M>,
    factor: Shared<PolarFactor<T>>,
}
entape_core::debug_by_name! { [T: Number, R: Dim, C: Dim, M: AnyMode] Polar<T, R, C, M> where [DefaultAllocator: Sizes<R, C>] }
impl<T: Number, R: Dim, C: Dim, M: AnyMode> Polar<T, R, C, M>
where
    DefaultAllocator: Sizes<R, C>,
{
    /// Returns the factor with orthonormal columns, nearest to `a`.
    ///
    /// With `a = w * diag(s) * v'`, it is `u = w * v'`. For a square matrix its derivative in a direction `d` is
    /// `w * x * v'`, where `x[(i, j)] = (f[(i, j)] - conj(f[(j, i)])) / (s[i] + s[j])` and `f = w' * d * v`.
    pub fn u(&self) -> FactorExpr<'_, PolarU<T>, T, R, C, M> {
        polar_u(&self.a, self.factor.clone())
    }
    /// Returns the symmetric or Hermitian factor, the root of `a' * a`. Its derivative `p_t` in a direction `d` solves
    /// `p * p_t + p_t * p = d' * a + a' * d`.
    pub fn p(&self) -> FactorExpr<'_, PolarP<T>, T, R, C, M>
    where
        DefaultAllocator: Sizes<C, C>,
    {
        polar_p(&self.a, self.factor.clone())
    }
}

/// The polar decomposition.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::dmatrix;
///
/// let mut tape = Tape::new();
/// // The rotation in a small deformation of the unit square turns it by half of `y - x`.
/// let a = tape.input(dmatrix![1.0, 0.0; 0.0, 1.0]); // [1, x; y, 1]
/// let y = tape.record(|| a.polar().u().eval().at((1, 0)).eval());
/// let gradient = tape.gradient(&y)?.wrt(&a)?;
/// approx::assert_abs_diff_eq!(gradient, dmatrix![0.0, -0.5; 0.5, 0.0], epsilon = 5e-16);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait PolarOps<M: AnyMode, T: Number, R: Dim, C: Dim>:
    Operand<M, Kind = Dense<T, R, C>> + Sized
where
    DefaultAllocator: Sizes<R, C>,
{
    /// Decomposes the matrix immediately. The symmetric factor is on the right; in nalgebra it is `u * p * u'` on the
    /// left. All elements are NaN if an element of the matrix is not finite.
    ///
    /// Gradients are also correct for equal singular values. They are NaN if the columns of `m` elements are linearly
    /// dependent: the smallest singular value is at most `8 * sqrt(m) * eps` of the largest one.
    ///
    /// # Panics
    /// If the matrix has fewer rows than columns.
    #[track_caller]
    fn polar(self) -> Polar<T, R, C, M> {
        let a = self.into_expr().eval();
        let (m, n) = a.get().shape();
        assert!(
            m >= n,
            "`a.polar()` of a matrix with shape {m}x{n}: use at least as many rows as columns, such as `a.transpose()`"
        );
        let factor = Shared::new(PolarFactor::new(view(a.get())));
        Polar { a, factor }
    }
}
impl<M: AnyMode, T: Number, R: Dim, C: Dim, X: Operand<M, Kind = Dense<T, R, C>>>
    PolarOps<M, T, R, C> for X
where
    DefaultAllocator: Sizes<R, C>,
{
}
