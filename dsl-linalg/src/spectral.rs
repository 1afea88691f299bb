//! Eigenvalues of symmetric and Hermitian matrices and singular values.
//!
//! Where two of them are equal, the vectors that belong to them are not unique and have no derivative; the
//! adjoints leave those terms out, which is right for functions that do not depend on the choice.
//!
//! A complex eigenvector may be turned by any angle. It is turned such that its element with the largest absolute value is
//! real and positive, and its adjoint has the turn's share: with `v` moved by `dv` across itself, `v' * dv = 0`, the turn
//! that keeps element `k` real adds `-i * v * Im(dv[k]) / v[k]`.
use crate::{
    Dense, Number, Product, RealNumber, Sizes, View,
    adjoint::product,
    factors,
    kernels::real_diagonal,
    shapes,
    view::{view, view_mut},
};
use entape_core::{
    expr::{Active, Operand},
    mode::AnyMode,
    op,
    rule::unary,
};
use nalgebra::{DMatrix, DVector, DefaultAllocator, Dim, Dyn, OMatrix, U1};
use num_traits::{One, Zero};
use std::rc::Rc;

fn times<T: Number>(a: &DMatrix<T>, b: &DMatrix<T>) -> DMatrix<T> {
    product(T::one(), view(a), view(b))
}
fn ad_times<T: Number>(a: &DMatrix<T>, b: &DMatrix<T>) -> DMatrix<T> {
    product(T::one(), view(a).h(), view(b))
}
fn times_ad<T: Number>(a: &DMatrix<T>, b: &DMatrix<T>) -> DMatrix<T> {
    product(T::one(), view(a), view(b).h())
}
fn dynamic<T: Number, R: Dim, C: Dim>(a: &OMatrix<T, R, C>) -> DMatrix<T>
where
    DefaultAllocator: Sizes<R, C>,
{
    view(a).copied()
}
fn of<T: Number, R: Dim, C: Dim>(a: DMatrix<T>) -> OMatrix<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    let (rows, cols) = a.shape();
    OMatrix::from_column_slice_generic(R::from_usize(rows), C::from_usize(cols), a.as_slice())
}
/// `1 / x`, 0 for 0.
fn over<T: RealNumber>(x: T) -> T {
    if x == T::zero() { x } else { T::one() / x }
}
/// The row of the element with the largest absolute value, the first of equal ones.
fn largest<T: Number>(v: &DMatrix<T>, j: usize) -> usize {
    let size = |i: usize| v[(i, j)].modulus_squared();
    (1..v.nrows()).fold(0, |best, i| if size(i) > size(best) { i } else { best })
}
/// What complex vectors in columns are divided by to have a real and positive largest element; nothing for real ones.
fn turns<T: Number>(v: &DMatrix<T>) -> Option<DVector<T>> {
    let turn = |j, _| v[(largest(v, j), j)].to_exp().1;
    let turned = !T::IS_REAL && !v.is_empty();
    turned.then(|| DVector::from_fn(v.ncols(), turn))
}
/// Adds to the adjoints of vectors that were turned what the turn depends on; `along[j]` is the adjoint of the angle.
fn add_turns<T: Number>(v: &DMatrix<T>, along: impl Fn(usize) -> T::Part, v_b: &mut DMatrix<T>) {
    if T::IS_REAL || v.is_empty() {
        return;
    }
    for j in 0..v.ncols() {
        let at = (largest(v, j), j);
        v_b[at] += T::of_parts(T::Part::zero(), along(j) / v[at].real());
    }
}
/// The imaginary part of the product of the conjugated column of `v` with that of `v_b`.
fn crosswise<T: Number>(v: &DMatrix<T>, v_b: &DMatrix<T>, j: usize) -> T::Part {
    v_b.column(j).dotc(&v.column(j)).imaginary()
}

/// Eigenvalues and eigenvectors of a symmetric or Hermitian matrix.
pub struct SymmetricEigen<T: Number, N: Dim, M: AnyMode>
where
    DefaultAllocator: Sizes<N, N> + Sizes<N, U1>,
{
    /// The eigenvalues in ascending order, real ones.
    pub eigenvalues: Active<Dense<T::Part, N, U1>, M>,
    /// The eigenvectors, of length 1, in columns. The element of a complex one with the largest absolute value is real and
    /// positive.
    pub eigenvectors: Active<Dense<T, N, N>, M>,
}
/// Eigenvalues in ascending order and eigenvectors.
// Giles 2008: a_b = v * (diag(d_b) + f .* (v' * v_b)) * v', f[i, j] = 1 / (d[j] - d[i]), where ' is conjugated and
// transposed; the lower triangle is read, so the adjoint of the upper one goes there.
#[op]
pub fn eigen<T: Number, N: Dim>(
    #[ad_in({
        let (d, v, mut v_b) = (&r.0, dynamic(&r.1), dynamic(&r_b.1));
        let angles: Vec<_> = (0..v.ncols()).map(|j| crosswise(&v, &v_b, j)).collect();
        add_turns(&v, |j| angles[j], &mut v_b);
        let mut m = ad_times(&v, &v_b);
        for j in 0..m.ncols() {
            for i in 0..m.nrows() {
                m[(i, j)] = m[(i, j)].scale(over(d[j] - d[i]));
            }
            m[(j, j)] = T::from_real(r_b.0[j]);
        }
        of::<T, N, N>(lower(times_ad(&times(&v, &m), &v)))
    })]
    a: &Dense<T, N, N>,
) -> (Dense<T::Part, N, U1>, Dense<T, N, N>)
where
    DefaultAllocator: Sizes<N, N> + Sizes<N, U1>,
{
    shapes::square("a.symmetric_eigen()", a.shape());
    let (values, mut vectors) = factors::symmetric_eigen(view(a));
    if let Some(turns) = turns(&vectors) {
        unturn(&mut vectors, &turns);
    }
    let n = a.shape_generic().0;
    (
        OMatrix::from_column_slice_generic(n, U1, values.as_slice()),
        of(vectors),
    )
}
/// Divides each column by its turn.
fn unturn<T: Number>(v: &mut DMatrix<T>, turns: &DVector<T>) {
    let each = v.column_iter_mut().zip(turns.iter());
    each.for_each(|(mut v, turn)| v *= turn.conjugate());
}
/// The adjoint of a lower triangle that stands for a symmetric or Hermitian matrix.
fn lower<T: Number>(mut a: DMatrix<T>) -> DMatrix<T> {
    for j in 0..a.ncols() {
        for i in j + 1..a.nrows() {
            a[(i, j)] = a[(i, j)] + a[(j, i)].conjugate();
            a[(j, i)] = T::zero();
        }
    }
    real_diagonal(&mut view_mut(&mut a));
    a
}

/// Singular values and vectors, `a = u * diag(singular_values) * v_t`. Complex right singular vectors are conjugated in the
/// rows of `v_t`, and the element of each with the largest absolute value is real and positive.
pub struct Svd<T: Number, R: Dim, C: Dim, M: AnyMode>
where
    DefaultAllocator: Sizes<R, Dyn> + Sizes<Dyn, C>,
{
    /// The left singular vectors in columns.
    pub u: Active<Dense<T, R, Dyn>, M>,
    /// The singular values in descending order.
    pub singular_values: Active<Dense<T::Part, Dyn, U1>, M>,
    /// The right singular vectors in rows.
    pub v_t: Active<Dense<T, Dyn, C>, M>,
}
/// Left singular vectors, singular values in descending order, right singular vectors in rows.
// Townsend 2016: f[i, j] = 1 / (s[j]^2 - s[i]^2)
#[op]
pub fn singular<T: Number, R: Dim, C: Dim>(
    #[ad_in({
        let (u, s, v) = (dynamic(&r.0), &r.1, dynamic(&r.2).adjoint());
        let (u_b, s_b, v_b) = (dynamic(&r_b.0), &r_b.1, dynamic(&r_b.2).adjoint());
        of::<T, R, C>(adjoint_of_svd(&u, s, &v, &u_b, s_b, v_b))
    })]
    a: &Dense<T, R, C>,
) -> (Dense<T, R, Dyn>, Dense<T::Part, Dyn, U1>, Dense<T, Dyn, C>)
where
    DefaultAllocator: Sizes<R, C> + Sizes<R, Dyn> + Sizes<Dyn, C>,
{
    let (mut u, s, mut v) = factors::svd(view(a));
    if let Some(turns) = turns(&v) {
        unturn(&mut u, &turns);
        unturn(&mut v, &turns);
    }
    (of(u), s, of(v.adjoint()))
}
fn adjoint_of_svd<T: Number>(
    u: &DMatrix<T>,
    s: &DVector<T::Part>,
    v: &DMatrix<T>,
    u_b: &DMatrix<T>,
    s_b: &DVector<T::Part>,
    mut v_b: DMatrix<T>,
) -> DMatrix<T> {
    let k = s.len();
    // A turn turns both vectors of a pair. With `v` moved across itself, `u` takes the turn of the singular value.
    let turn_of_u: Vec<_> = (0..k).map(|j| crosswise(u, u_b, j)).collect();
    let turn_of_v: Vec<_> = (0..k).map(|j| crosswise(v, &v_b, j)).collect();
    add_turns(v, |j| turn_of_u[j] + turn_of_v[j], &mut v_b);
    let v_b = &v_b;
    let skew = |x: DMatrix<T>| {
        DMatrix::from_fn(k, k, |i, j| {
            (x[(i, j)] - x[(j, i)].conjugate()).scale(over((s[j] - s[i]) * (s[j] + s[i])))
        })
    };
    let (mu, mv) = (skew(ad_times(u, u_b)), skew(ad_times(v, v_b)));
    let middle = DMatrix::from_fn(k, k, |i, j| {
        let diagonal = match i == j {
            true => T::of_parts(s_b[i], -turn_of_u[i] * over(s[i])),
            false => T::zero(),
        };
        mu[(i, j)].scale(s[j]) + mv[(i, j)].scale(s[i]) + diagonal
    });
    let divided = |mut x: DMatrix<T>| {
        x.column_iter_mut()
            .zip(s.iter())
            .for_each(|(mut x, s)| x *= T::from_real(over(*s)));
        x
    };
    // What of the vectors' adjoints lies outside of the span of the vectors.
    let beyond = |u: &DMatrix<T>, u_b: &DMatrix<T>| divided(u_b - times(u, &ad_times(u, u_b)));
    times_ad(&(times(u, &middle) + beyond(u, u_b)), v) + times_ad(u, &beyond(v, v_b))
}

/// The pseudo-inverse; singular values up to `eps` count as zero.
// Golub and Pereyra 1973, for matrices of full rank or a rank that does not change.
#[op]
pub fn pseudo_inverse_of<T: Number, R: Dim, C: Dim>(
    #[ad_in({
        let (a, p, p_b) = (dynamic(a), dynamic(r), dynamic(r_b));
        let inner = times_ad(&ad_times(&p, &p_b), &p);
        // (1 - a * p) * p_b' * p * p' and p' * p * p_b' * (1 - p * a), all conjugated and transposed
        let left = times_ad(&p_b.adjoint(), &times_ad(&p, &p));
        let left = &left - times(&a, &times(&p, &left));
        let right = times_ad(&ad_times(&p, &p), &p_b);
        let right = &right - times(&times(&right, &p), &a);
        of::<T, R, C>(left + right - inner)
    })]
    a: &Dense<T, R, C>,
    #[ad_passive] eps: f64,
) -> &Dense<T, C, R>
where
    DefaultAllocator: Sizes<R, C> + Sizes<C, R>,
{
    let (u, s, mut v) = factors::svd(view(a));
    let inverse = |s: T::Part| match s > T::Part::of(eps) {
        true => T::from_real(T::Part::one() / s),
        false => T::zero(),
    };
    v.column_iter_mut()
        .zip(s.iter())
        .for_each(|(mut v, s)| v *= inverse(*s));
    of(times_ad(&v, &u))
}

/// The largest singular value, with its vectors.
#[derive(Debug)]
pub struct Largest<T: Number> {
    value: T::Part,
    left: DVector<T>,
    right: DVector<T>,
}
impl<T: Number> Largest<T> {
    fn of(a: View<'_, T>) -> Rc<Self> {
        let (u, values, v) = factors::svd(a);
        let first = |m: &DMatrix<T>| m.column_iter().next().map(|column| column.into_owned());
        Rc::new(Largest {
            value: values.iter().copied().next().unwrap_or(T::Part::zero()),
            left: first(&u).unwrap_or_else(|| DVector::zeros(a.rows)),
            right: first(&v).unwrap_or_else(|| DVector::zeros(a.cols)),
        })
    }
}
/// The spectral norm.
// a_b = r_b * u * v' with the singular vectors of the largest singular value, v' conjugated and transposed
#[op(rule_only, save(ref top: Rc<Largest<T>> = Largest::of(view(a))))]
pub fn spectral_norm<T: Number, R: Dim, C: Dim>(
    #[ad_in(Product(T::from_real(r_b), view(&top.left), view(&top.right).h()))] a: &Dense<T, R, C>,
) -> T::Part
where
    DefaultAllocator: Sizes<R, C>,
{
    top.value
}

/// Eigenvalues, singular values, and what is computed from them.
pub trait SpectralOps<M: AnyMode, T: Number, R: Dim, C: Dim>:
    Operand<M, Kind = Dense<T, R, C>> + Sized
where
    DefaultAllocator: Sizes<R, C>,
{
    /// Singular values and vectors; one statement. All are NaN if an element is not finite.
    #[track_caller]
    fn svd(self) -> Svd<T, R, C, M>
    where
        DefaultAllocator: Sizes<R, Dyn> + Sizes<Dyn, C>,
    {
        let (u, singular_values, v_t) = unary(Singular, self).split();
        Svd {
            u,
            singular_values,
            v_t,
        }
    }
    /// The largest singular value: how much the matrix stretches a vector at most. 0 if there are no elements, NaN if one
    /// is not finite; where the largest two are equal, the gradient is that of one of them.
    fn spectral_norm(self) -> entape_core::rule::Unary<SpectralNorm, M, Self> {
        unary(SpectralNorm, self)
    }
    /// The pseudo-inverse; singular values up to `eps` count as zero. NaN if an element is not finite.
    fn pseudo_inverse(self, eps: f64) -> entape_core::rule::Unary<PseudoInverseOf, M, Self>
    where
        DefaultAllocator: Sizes<C, R>,
    {
        unary(PseudoInverseOf { eps }, self)
    }
}
impl<M: AnyMode, T: Number, R: Dim, C: Dim, X: Operand<M, Kind = Dense<T, R, C>>>
    SpectralOps<M, T, R, C> for X
where
    DefaultAllocator: Sizes<R, C>,
{
}
/// Eigenvalues of symmetric matrices.
pub trait EigenOps<M: AnyMode, T: Number, N: Dim>:
    Operand<M, Kind = Dense<T, N, N>> + Sized
where
    DefaultAllocator: Sizes<N, N> + Sizes<N, U1>,
{
    /// Eigenvalues and eigenvectors of a symmetric or Hermitian matrix; one statement. The lower triangle is read, the
    /// upper one has a zero adjoint. All values are NaN if an element that is read is not finite.
    ///
    /// # Panics
    /// If the matrix is not square.
    #[track_caller]
    fn symmetric_eigen(self) -> SymmetricEigen<T, N, M> {
        let (eigenvalues, eigenvectors) = unary(Eigen, self).split();
        SymmetricEigen {
            eigenvalues,
            eigenvectors,
        }
    }
}
impl<M: AnyMode, T: Number, N: Dim, X: Operand<M, Kind = Dense<T, N, N>>> EigenOps<M, T, N> for X where
    DefaultAllocator: Sizes<N, N> + Sizes<N, U1>
{
}
