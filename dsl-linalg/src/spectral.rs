//! Eigenvalues of symmetric matrices and singular values.
//!
//! Where two of them are equal, the vectors that belong to them are not unique and have no derivative; the
//! adjoints leave those terms out, which is right for functions that do not depend on the choice.
use crate::{Dense, Number, Sizes, adjoint::product, factors, shapes, view::view};
use entape_core::{
    expr::{Active, Operand},
    mode::AnyMode,
    op,
    rule::unary,
};
use nalgebra::{DMatrix, DVector, DefaultAllocator, Dim, Dyn, OMatrix, U1};

fn times<T: Number>(a: &DMatrix<T>, b: &DMatrix<T>) -> DMatrix<T> {
    product(T::one(), view(a), view(b))
}
fn tr_times<T: Number>(a: &DMatrix<T>, b: &DMatrix<T>) -> DMatrix<T> {
    product(T::one(), view(a).t(), view(b))
}
fn times_tr<T: Number>(a: &DMatrix<T>, b: &DMatrix<T>) -> DMatrix<T> {
    product(T::one(), view(a), view(b).t())
}
fn dynamic<T: Number, R: Dim, C: Dim>(a: &OMatrix<T, R, C>) -> DMatrix<T>
where
    DefaultAllocator: Sizes<T, R, C>,
{
    factors::copy(view(a))
}
fn of<T: Number, R: Dim, C: Dim>(a: DMatrix<T>) -> OMatrix<T, R, C>
where
    DefaultAllocator: Sizes<T, R, C>,
{
    let (rows, cols) = a.shape();
    OMatrix::from_column_slice_generic(R::from_usize(rows), C::from_usize(cols), a.as_slice())
}
/// `1 / x`, 0 for 0.
fn over<T: Number>(x: T) -> T {
    if x == T::zero() { x } else { T::one() / x }
}

/// Eigenvalues and eigenvectors of a symmetric matrix.
pub struct SymmetricEigen<T: Number, N: Dim, M: AnyMode>
where
    DefaultAllocator: Sizes<T, N, N> + Sizes<T, N, U1>,
{
    /// The eigenvalues in ascending order.
    pub eigenvalues: Active<Dense<T, N, U1>, M>,
    /// The eigenvectors, of length 1, in columns.
    pub eigenvectors: Active<Dense<T, N, N>, M>,
}
/// Eigenvalues in ascending order and eigenvectors.
// Giles 2008: a_b = v * (diag(d_b) + f .* (v' * v_b)) * v', f[i, j] = 1 / (d[j] - d[i]); the lower triangle
// is read, so the adjoint of the upper one goes there.
#[op]
pub fn eigen<T: Number, N: Dim>(
    #[ad_in({
        let (d, v) = (&r.0, dynamic(&r.1));
        let mut m = tr_times(&v, &dynamic(&r_b.1));
        for j in 0..m.ncols() {
            for i in 0..m.nrows() {
                m[(i, j)] *= over(d[j] - d[i]);
            }
            m[(j, j)] = r_b.0[j];
        }
        of::<T, N, N>(lower(times_tr(&times(&v, &m), &v)))
    })]
    a: &Dense<T, N, N>,
) -> (Dense<T, N, U1>, Dense<T, N, N>)
where
    DefaultAllocator: Sizes<T, N, N> + Sizes<T, N, U1>,
{
    shapes::square("a.symmetric_eigen()", a.shape());
    let (values, vectors) = factors::symmetric_eigen(view(a));
    let n = a.shape_generic().0;
    (
        OMatrix::from_column_slice_generic(n, U1, values.as_slice()),
        of(vectors),
    )
}
/// The adjoint of a lower triangle that stands for a symmetric matrix.
fn lower<T: Number>(mut a: DMatrix<T>) -> DMatrix<T> {
    for j in 0..a.ncols() {
        for i in j + 1..a.nrows() {
            a[(i, j)] = a[(i, j)] + a[(j, i)];
            a[(j, i)] = T::zero();
        }
    }
    a
}

/// Singular values and vectors, `a = u * diag(singular_values) * v_t`.
pub struct Svd<T: Number, R: Dim, C: Dim, M: AnyMode>
where
    DefaultAllocator: Sizes<T, R, Dyn> + Sizes<T, Dyn, C>,
{
    /// The left singular vectors in columns.
    pub u: Active<Dense<T, R, Dyn>, M>,
    /// The singular values in descending order.
    pub singular_values: Active<Dense<T, Dyn, U1>, M>,
    /// The right singular vectors in rows.
    pub v_t: Active<Dense<T, Dyn, C>, M>,
}
/// Left singular vectors, singular values in descending order, right singular vectors in rows.
// Townsend 2016: f[i, j] = 1 / (s[j]^2 - s[i]^2)
#[op]
pub fn singular<T: Number, R: Dim, C: Dim>(
    #[ad_in({
        let (u, s, v) = (dynamic(&r.0), &r.1, dynamic(&r.2).transpose());
        let (u_b, s_b, v_b) = (dynamic(&r_b.0), &r_b.1, dynamic(&r_b.2).transpose());
        of::<T, R, C>(adjoint_of_svd(&u, s, &v, &u_b, s_b, &v_b))
    })]
    a: &Dense<T, R, C>,
) -> (Dense<T, R, Dyn>, Dense<T, Dyn, U1>, Dense<T, Dyn, C>)
where
    DefaultAllocator: Sizes<T, R, C> + Sizes<T, R, Dyn> + Sizes<T, Dyn, C>,
{
    let (u, s, v) = factors::svd(view(a));
    (of(u), s, of(v.transpose()))
}
fn adjoint_of_svd<T: Number>(
    u: &DMatrix<T>,
    s: &DVector<T>,
    v: &DMatrix<T>,
    u_b: &DMatrix<T>,
    s_b: &DVector<T>,
    v_b: &DMatrix<T>,
) -> DMatrix<T> {
    let k = s.len();
    let skew = |x: DMatrix<T>| {
        DMatrix::from_fn(k, k, |i, j| {
            (x[(i, j)] - x[(j, i)]) * over((s[j] - s[i]) * (s[j] + s[i]))
        })
    };
    let (mu, mv) = (skew(tr_times(u, u_b)), skew(tr_times(v, v_b)));
    let middle = DMatrix::from_fn(k, k, |i, j| {
        let diagonal = if i == j { s_b[i] } else { T::zero() };
        mu[(i, j)] * s[j] + s[i] * mv[(i, j)] + diagonal
    });
    let divided = |mut x: DMatrix<T>| {
        x.column_iter_mut()
            .zip(s.iter())
            .for_each(|(mut x, s)| x *= over(*s));
        x
    };
    // What of the vectors' adjoints lies outside of the span of the vectors.
    let beyond = |u: &DMatrix<T>, u_b: &DMatrix<T>| divided(u_b - times(u, &tr_times(u, u_b)));
    times_tr(&(times(u, &middle) + beyond(u, u_b)), v) + times_tr(u, &beyond(v, v_b))
}

/// The pseudo-inverse; singular values up to `eps` count as zero.
// Golub and Pereyra 1973, for matrices of full rank or a rank that does not change.
#[op]
pub fn pseudo_inverse_of<T: Number, R: Dim, C: Dim>(
    #[ad_in({
        let (a, p, p_b) = (dynamic(a), dynamic(r), dynamic(r_b));
        let inner = times_tr(&tr_times(&p, &p_b), &p);
        // (1 - a * p) * p_b' * p * p' and p' * p * p_b' * (1 - p * a)
        let left = times_tr(&p_b.transpose(), &times_tr(&p, &p).transpose());
        let left = &left - times(&a, &times(&p, &left));
        let right = times_tr(&tr_times(&p, &p), &p_b);
        let right = &right - times(&times(&right, &p), &a);
        of::<T, R, C>(left + right - inner)
    })]
    a: &Dense<T, R, C>,
    #[ad_passive] eps: f64,
) -> &Dense<T, C, R>
where
    DefaultAllocator: Sizes<T, R, C> + Sizes<T, C, R>,
{
    let (u, s, mut v) = factors::svd(view(a));
    let inverse = |s: T| {
        if s > T::of(eps) {
            T::one() / s
        } else {
            T::zero()
        }
    };
    v.column_iter_mut()
        .zip(s.iter())
        .for_each(|(mut v, s)| v *= inverse(*s));
    of(times_tr(&v, &u))
}

/// Eigenvalues, singular values, and what is computed from them.
pub trait SpectralOps<M: AnyMode, T: Number, R: Dim, C: Dim>:
    Operand<M, Kind = Dense<T, R, C>> + Sized
where
    DefaultAllocator: Sizes<T, R, C>,
{
    /// Singular values and vectors; one statement. All are NaN if an element is not finite.
    #[track_caller]
    fn svd(self) -> Svd<T, R, C, M>
    where
        DefaultAllocator: Sizes<T, R, Dyn> + Sizes<T, Dyn, C>,
    {
        let (u, singular_values, v_t) = unary(Singular, self).split();
        Svd {
            u,
            singular_values,
            v_t,
        }
    }
    /// The pseudo-inverse; singular values up to `eps` count as zero. NaN if an element is not finite.
    fn pseudo_inverse(self, eps: f64) -> entape_core::rule::Unary<PseudoInverseOf, M, Self>
    where
        DefaultAllocator: Sizes<T, C, R>,
    {
        unary(PseudoInverseOf { eps }, self)
    }
}
impl<M: AnyMode, T: Number, R: Dim, C: Dim, X: Operand<M, Kind = Dense<T, R, C>>>
    SpectralOps<M, T, R, C> for X
where
    DefaultAllocator: Sizes<T, R, C>,
{
}
/// Eigenvalues of symmetric matrices.
pub trait EigenOps<M: AnyMode, T: Number, N: Dim>:
    Operand<M, Kind = Dense<T, N, N>> + Sized
where
    DefaultAllocator: Sizes<T, N, N> + Sizes<T, N, U1>,
{
    /// Eigenvalues and eigenvectors of a symmetric matrix; one statement. The lower triangle is read, the
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
    DefaultAllocator: Sizes<T, N, N> + Sizes<T, N, U1>
{
}
