//! Plain factorizations, which statements save for their adjoints.
use crate::{
    Number, View, ViewMut,
    kernels::{self, Triangle, cholesky, householder, solve_triangular},
    memory::{Pooled, fresh, zeros},
    scale::{self, PowerOfTwo},
    view::{view, view_mut},
    workspace::with_workspace,
};
use entape_core::kind::Heap;
use faer::{Par, diag::DiagMut, linalg};
use nalgebra::{DMatrix, DVector, Dyn, MatrixViewMut, U1};
use std::ops::Range;

/// A factorization for solving systems.
pub trait Factor<T>: Default + Heap + 'static {
    /// Whether only the lower triangle is read.
    const LOWER: bool = false;
    /// `x = inverse(a) * x`.
    fn solve(&self, x: ViewMut<'_, T>);
    /// `x = inverse(a') * x`.
    fn solve_adjoint(&self, x: ViewMut<'_, T>);
}

/// Whether the last of these elements may be a rounding error of the whole column, of size `n`.
fn depends<T: Number>(column: &[T], n: usize) -> bool {
    let rounding = scale::rounding::<T>(n) * T::Part::of(0.125);
    let rest = column.last().copied().unwrap_or(T::zero());
    // Squares may be out of range.
    rest.modulus_squared() <= rounding * rounding * kernels::squares(column)
        && rest.norm1() <= rounding * scale::size(column)
}

macro_rules! heap { ($($Factor:ident $($matrix:ident)*;)*) => { $(
    impl<T: Number> Heap for $Factor<T> {
        fn heap_bytes(&self) -> usize { 0 $(+ self.$matrix.heap_bytes())* }
    }
)* } }
heap! { CholeskyFactor l; LuFactor lu rows; QrFactor qr aside beyond; }

/// `a = l * l'`.
#[derive(Debug, Default)]
pub struct CholeskyFactor<T: Number> {
    pub(crate) l: Pooled<T, Dyn, Dyn>,
}
impl<T: Number> CholeskyFactor<T> {
    /// Returns `None` if the matrix is not positive definite.
    pub(crate) fn new(a: View<'_, T>) -> Option<Self> {
        let mut l = Pooled::from(a.copied());
        if !cholesky(view_mut(&mut *l)) {
            return None;
        }
        l.fill_upper_triangle(T::zero(), 1);
        Some(CholeskyFactor { l })
    }
}
impl<T: Number> Factor<T> for CholeskyFactor<T> {
    const LOWER: bool = true;
    fn solve(&self, mut x: ViewMut<'_, T>) {
        solve_triangular(Triangle::Lower, view(&*self.l), x.reborrow());
        solve_triangular(Triangle::Upper, view(&*self.l).h(), x);
    }
    fn solve_adjoint(&self, x: ViewMut<'_, T>) {
        self.solve(x);
    }
}

/// `a = l * u`, with the rows of `a` exchanged.
#[derive(Debug, Default)]
pub struct LuFactor<T: Number> {
    /// `u` on and above the diagonal, divided by `unit`, and `l` below.
    pub(crate) lu: Pooled<T, Dyn, Dyn>,
    /// Row `i` of `l * u` is row `rows[i]` of `a`.
    pub(crate) rows: Vec<usize>,
    pub(crate) odd: bool,
    /// Divided out first, because a complex division squares the pivot.
    pub(crate) unit: PowerOfTwo,
}
impl<T: Number> LuFactor<T> {
    pub(crate) fn new(a: View<'_, T>) -> Self {
        let by = |kernel: fn(ViewMut<'_, T>, &mut [usize]) -> bool| {
            let (mut lu, mut rows) = (Pooled::from(a.copied()), vec![0; a.rows]);
            let unit = match T::IS_REAL {
                true => PowerOfTwo::ONE,
                false => PowerOfTwo::of_extreme(lu.as_slice()),
            };
            unit.inverse().scale(lu.as_mut_slice());
            let odd = kernel(view_mut(&mut *lu), &mut rows);
            LuFactor {
                lu,
                rows,
                odd,
                unit,
            }
        };
        let factor = by(kernels::lu);
        // Faer divides by a pivot even if it is zero.
        match factor.is_invertible() {
            true => factor,
            false => by(kernels::lu_by_columns),
        }
    }
    pub(crate) fn is_invertible(&self) -> bool {
        (0..self.lu.nrows()).all(|i| self.lu[(i, i)] != T::zero())
    }
    /// The number of leading columns whose pivot exceeds rounding errors.
    pub(crate) fn known(&self) -> usize {
        let n = self.lu.nrows();
        let depends = |j: &usize| depends(&self.lu.as_slice()[j * n..][..=*j], n);
        (0..n).find(depends).unwrap_or(n)
    }
    pub(crate) fn determinant(&self) -> (T, PowerOfTwo) {
        let n = self.lu.nrows();
        let (product, unit) = scale::product((0..n).map(|i| self.lu[(i, i)]));
        let signed = if self.odd { -product } else { product };
        (signed, unit.and(self.unit.powi(n)))
    }
    pub(crate) fn matrix_of_unit(&self) -> DMatrix<T> {
        let mut u = self.lu.upper_triangle();
        for j in 0..u.ncols() {
            // A row of `l * u` needs the rows of `u` above it.
            for i in (1..u.nrows()).rev() {
                let sum = |sum, k| sum + self.lu[(i, k)] * u[(k, j)];
                u[(i, j)] = (0..i).fold(u[(i, j)], sum);
            }
        }
        self.permute(&mut view_mut(&mut u), true);
        u
    }
    /// Permutes to the order of `l * u`, or back.
    pub(crate) fn permute(&self, x: &mut ViewMut<'_, T>, back: bool) {
        let n = self.rows.len();
        let mut old = Pooled::<T, Dyn, U1>::from(fresh(n, 1));
        let old = old.as_mut_slice();
        for x in x.elements().chunks_exact_mut(n.max(1)) {
            old.copy_from_slice(x);
            for (i, &row) in self.rows.iter().enumerate() {
                if back {
                    x[row] = old[i];
                } else {
                    x[i] = old[row];
                }
            }
        }
    }
}
impl<T: Number> Factor<T> for LuFactor<T> {
    fn solve(&self, mut x: ViewMut<'_, T>) {
        self.permute(&mut x, false);
        solve_triangular(Triangle::UnitLower, view(&*self.lu), x.reborrow());
        solve_triangular(Triangle::Upper, view(&*self.lu), x.reborrow());
        self.unit.inverse().scale(x.elements());
    }
    fn solve_adjoint(&self, mut x: ViewMut<'_, T>) {
        self.unit.inverse().scale(x.elements());
        solve_triangular(Triangle::Lower, view(&*self.lu).h(), x.reborrow());
        solve_triangular(Triangle::UnitUpper, view(&*self.lu).h(), x.reborrow());
        self.permute(&mut x, true);
    }
}

/// `a = q * r` with `q` as reflections; of a wide matrix, the leading square block. The diagonal of this `r` may be
/// complex.
#[derive(Debug, Default)]
pub struct QrFactor<T: Number> {
    /// `r` on and above the diagonal, divided by `unit`, and the reflections below.
    qr: Pooled<T, Dyn, Dyn>,
    /// See [`householder::qr`].
    aside: Pooled<T, Dyn, Dyn>,
    /// The columns of `r` after its square block.
    beyond: Pooled<T, Dyn, Dyn>,
    /// The number of leading columns that do not depend on earlier ones.
    known: usize,
    /// Divided out, because reflections square elements.
    unit: PowerOfTwo,
}
impl<T: Number> QrFactor<T> {
    pub(crate) fn new(a: View<'_, T>) -> Self {
        let (mut qr, mut beyond) = (a.copied(), fresh(a.rows, 0));
        if a.cols > a.rows {
            beyond = qr.columns_range(a.rows..).into_owned();
            qr = qr.columns_range(..a.rows).into_owned();
        }
        let mut qr = Pooled::from(qr);
        let unit = PowerOfTwo::of_extreme(qr.as_slice());
        unit.inverse().scale(qr.as_mut_slice());
        let (m, n) = qr.shape();
        let mut aside = Pooled::from(zeros(householder::qr_rows::<T>(m, n), m.min(n)));
        householder::qr(view_mut(&mut *qr), view_mut(&mut *aside));
        let depends = |j: &usize| depends(&qr.as_slice()[j * m..][..=*j], m);
        let known = (0..n).find(depends).unwrap_or(n);
        let mut factor = QrFactor {
            qr,
            aside,
            beyond: Pooled::default(),
            known,
            unit,
        };
        if !beyond.is_empty() {
            factor.apply_q(view_mut(&mut beyond), true);
            factor.unturn(&mut beyond);
        }
        factor.beyond = Pooled::from(beyond);
        factor
    }
    /// The shape of the square block or of the whole matrix.
    pub(crate) fn shape(&self) -> (usize, usize) {
        self.qr.shape()
    }
    pub(crate) fn beyond(&self) -> View<'_, T> {
        view(&*self.beyond)
    }
    /// `x = q * x`, or `x = q' * x`.
    pub(crate) fn apply_q(&self, x: ViewMut<'_, T>, inverse: bool) {
        householder::apply_q(view(&*self.qr), view(&*self.aside), x, inverse);
    }
    pub(crate) fn r(&self) -> DMatrix<T> {
        let mut r = self.r_of_unit();
        self.unit.scale(r.as_mut_slice());
        r
    }
    pub(crate) fn unit(&self) -> PowerOfTwo {
        self.unit
    }
    pub(crate) fn r_of_unit(&self) -> DMatrix<T> {
        let n = self.qr.ncols();
        let mut r = DMatrix::from_fn(
            n,
            n,
            |i, j| if i <= j { self.qr[(i, j)] } else { T::zero() },
        );
        self.unturn(&mut r);
        if !T::IS_REAL {
            (0..n).for_each(|i| r[(i, i)] = T::from_real(r[(i, i)].real()));
        }
        r
    }
    fn unturn(&self, rows: &mut DMatrix<T>) {
        if !T::IS_REAL {
            let turned = |(i, mut row): (usize, MatrixViewMut<'_, T, U1, Dyn, U1, Dyn>)| {
                row *= self.turn(i).conjugate()
            };
            rows.row_iter_mut().enumerate().for_each(turned);
        }
    }
    fn turn(&self, i: usize) -> T {
        self.qr[(i, i)].to_exp().1
    }
    pub(crate) fn q(&self) -> DMatrix<T> {
        let mut q = DMatrix::identity(self.qr.nrows(), self.qr.ncols());
        self.apply_q(view_mut(&mut q), false);
        if !T::IS_REAL {
            let turned =
                |(i, mut column): (usize, MatrixViewMut<'_, T, Dyn, U1>)| column *= self.turn(i);
            q.column_iter_mut().enumerate().for_each(turned);
        }
        q
    }
    pub(crate) fn is_invertible(&self) -> bool {
        self.known == self.qr.ncols() && self.beyond.ncols() == 0
    }
    /// The last column of a square real `q` follows from the others.
    pub(crate) fn has_derivative(&self) -> bool {
        self.known >= self.undivided().start
    }
    /// The diagonal elements of `r` by which derivatives are not divided.
    pub(crate) fn undivided(&self) -> Range<usize> {
        let (m, n) = self.qr.shape();
        n - usize::from(T::IS_REAL && m == n).min(n)..n
    }
    pub(crate) fn whole_r(&self) -> DMatrix<T> {
        let (r, beyond) = (self.r(), self.beyond());
        if beyond.cols == 0 {
            return r;
        }
        let mut all = r.as_slice().to_vec();
        all.extend_from_slice(self.beyond.as_slice());
        DMatrix::from_vec(beyond.rows, self.qr.ncols() + beyond.cols, all)
    }
    /// `x = inverse(r) * x`, or `x = inverse(r') * x`.
    pub(crate) fn solve_r(&self, mut x: ViewMut<'_, T>, adjoint: bool) {
        self.unit.inverse().scale(x.elements());
        let n = self.qr.ncols();
        let r = view(&*self.qr).top(n);
        if adjoint {
            solve_triangular(Triangle::Lower, r.h(), x);
        } else {
            solve_triangular(Triangle::Upper, r, x);
        }
    }
}

/// Ascending eigenvalues, and eigenvectors; NaN if an element is not finite.
pub(crate) fn symmetric_eigen<T: Number>(a: View<'_, T>) -> (DVector<T::Part>, DMatrix<T>) {
    (T::KERNELS.symmetric_eigen)(a)
}
pub(crate) fn compute_symmetric_eigen<T: Number>(a: View<'_, T>) -> (DVector<T::Part>, DMatrix<T>) {
    use linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
    let n = a.rows;
    let (mut values, mut vectors) = (DVector::<T>::zeros(n), DMatrix::zeros(n, n));
    if n == 0 {
        return (values.map(T::real), vectors);
    }
    let nan = T::of(f64::NAN);
    if !all_finite(a, (0..n).flat_map(|j| (j..n).map(move |i| (i, j)))) {
        return (values.map(|_| nan.real()), vectors.map(|_| nan));
    }
    let mut a = a.copied();
    // Faer reads the imaginary parts of the diagonal, too.
    kernels::real_diagonal(&mut view_mut(&mut a));
    a.fill_upper_triangle(T::zero(), 1);
    let unit = scale::normalize(&mut a);
    let a = view(&a);
    let request =
        self_adjoint_evd_scratch::<T>(n, ComputeEigenvectors::Yes, Par::Seq, Default::default());
    let done = with_workspace(request, |stack| {
        let s = DiagMut::from_slice_mut(values.as_mut_slice());
        let u = view_mut(&mut vectors).into_faer();
        self_adjoint_evd(a.faer(), s, Some(u), Par::Seq, stack, Default::default())
    });
    if done.is_err() {
        vectors.fill(nan);
        values.fill(nan);
    }
    unit.scale(values.as_mut_slice());
    (values.map(T::real), vectors)
}
/// Left singular vectors, descending singular values, right singular vectors; NaN if an element is not finite.
pub(crate) fn svd<T: Number>(a: View<'_, T>) -> (DMatrix<T>, DVector<T::Part>, DMatrix<T>) {
    (T::KERNELS.svd)(a)
}
pub(crate) fn compute_svd<T: Number>(a: View<'_, T>) -> (DMatrix<T>, DVector<T::Part>, DMatrix<T>) {
    use linalg::svd::{ComputeSvdVectors::Thin, svd, svd_scratch};
    let (m, n) = (a.rows, a.cols);
    let k = m.min(n);
    let mut values = DVector::<T>::zeros(k);
    let (mut u, mut v) = (DMatrix::zeros(m, k), DMatrix::zeros(n, k));
    if k == 0 {
        return (u, values.map(T::real), v);
    }
    let nan = T::of(f64::NAN);
    if !all_finite(a, (0..n).flat_map(|j| (0..m).map(move |i| (i, j)))) {
        return (u.map(|_| nan), values.map(|_| nan.real()), v.map(|_| nan));
    }
    let mut a = a.copied();
    let unit = scale::normalize(&mut a);
    let request = svd_scratch::<T>(m, n, Thin, Thin, Par::Seq, Default::default());
    let done = with_workspace(request, |stack| {
        let s = DiagMut::from_slice_mut(values.as_mut_slice());
        let (u, v) = (view_mut(&mut u).into_faer(), view_mut(&mut v).into_faer());
        svd(
            view(&a).faer(),
            s,
            Some(u),
            Some(v),
            Par::Seq,
            stack,
            Default::default(),
        )
    });
    if done.is_err() {
        u.fill(nan);
        v.fill(nan);
        values.fill(nan);
    }
    unit.scale(values.as_mut_slice());
    (u, values.map(T::real), v)
}
/// If an element is not finite, iterations may return any number.
fn all_finite<T: Number>(a: View<'_, T>, mut at: impl Iterator<Item = (usize, usize)>) -> bool {
    at.all(|(i, j)| nalgebra::ComplexField::is_finite(&a.at(i, j)))
}
