//! Eigenvalues of Hermitian matrices, and singular values. [`Turns`] decides whether the adjoint is NaN for equal
//! values; see [`EigenOps::symmetric_eigen`].
//!
//! Vectors are normalised by their [leading element](SymmetricEigen::eigenvectors). The adjoint of a complex vector
//! includes this normalisation: if `v` moves by `dv` with `v' * dv = 0`, the rotation that keeps element `k` real adds
//! `-i * v * Im(dv[k]) / v[k]`.
#[cfg(test)]
use crate::samples::*;
use crate::{
    Dense, Number, Sizes,
    adjoint::product,
    factors,
    kernels::real_diagonal,
    scale::{self, PowerOfTwo, rounding, size},
    shapes,
    view::{view, view_mut},
};
use entape_core::{
    expr::{Active, Operand, unary},
    kind::Kind,
    mode::AnyMode,
    op,
};
#[cfg(test)]
use nalgebra::Matrix2;
use nalgebra::{ComplexField, DMatrix, DVector, DefaultAllocator, Dim, Dyn, OMatrix, U1};
use num_traits::{One, Zero};
use std::ops::Range;

mod norm;
mod tangents;

pub use norm::SpectralNorm;
use tangents::{
    directional_eigen, directional_svd, second_of_eigen, second_of_svd, tangents_of_eigen,
    tangents_of_svd,
};

pub(crate) fn times<T: Number>(a: &DMatrix<T>, b: &DMatrix<T>) -> DMatrix<T> {
    product(T::one(), view(a), view(b))
}
pub(crate) fn ad_times<T: Number>(a: &DMatrix<T>, b: &DMatrix<T>) -> DMatrix<T> {
    product(T::one(), view(a).h(), view(b))
}
pub(crate) fn times_ad<T: Number>(a: &DMatrix<T>, b: &DMatrix<T>) -> DMatrix<T> {
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
fn is_unset<T: Number>(mut tangent: impl Iterator<Item = T>) -> bool {
    tangent.all(|x_t| <T::Kind as Kind>::is_unset_tangent(&x_t))
}
/// Whether elements of a tangent were computed as zero, so that they do not separate equal values.
fn has_zeros<T: Number>(mut tangent: impl Iterator<Item = T>) -> bool {
    tangent.any(|x_t| x_t == T::zero() && !<T::Kind as Kind>::is_unset_tangent(&x_t))
}
fn of_lower<T: Number>(a: crate::View<'_, T>) -> impl Iterator<Item = T> {
    (0..a.cols).flat_map(move |j| (j..a.rows).map(move |i| a.at(i, j)))
}
fn nan<T: Number>() -> T {
    T::of(f64::NAN)
}
/// Values divided by a power of two near the largest one, with the bounds that distinguish them.
struct Spectrum<T: Number> {
    all: Vec<T::Part>,
    unit: PowerOfTwo,
    /// Up to this bound, a value or a difference may be a rounding error.
    least: T::Part,
    /// Up to this fraction of its vector, an adjoint may be a rounding error.
    rounding: T::Part,
}
impl<T: Number> Spectrum<T> {
    fn new(values: &[T::Part], n: usize) -> Self {
        let unit = PowerOfTwo::of(values);
        let mut all = values.to_vec();
        unit.inverse().scale(&mut all);
        let rounding = rounding::<T>(n);
        let least = rounding * size(&all);
        Spectrum {
            all,
            unit,
            least,
            rounding,
        }
    }
    /// Ranges of values that may be equal, and of `singular` values that may be zero.
    fn groups(&self, singular: bool) -> Vec<Range<usize>> {
        let mut groups = Vec::new();
        let mut first = 0;
        for end in 1..=self.all.len() {
            let meets = |end: &usize| (self.all[*end] - self.all[end - 1]).norm1() <= self.least;
            if Some(end)
                .filter(|end| *end < self.all.len())
                .filter(meets)
                .is_some()
            {
                continue;
            }
            if end - first > 1 || (singular && self.is_zero(first)) {
                groups.push(first..end);
            }
            first = end;
        }
        groups
    }
    fn is_zero(&self, j: usize) -> bool {
        self.all[j] <= self.least
    }
    /// Whether a function of the values with these adjoints lacks a second derivative: equal values with different
    /// adjoints, or zero singular values with nonzero ones.
    fn kinks(&self, singular: bool, adjoints: &[T::Part]) -> bool {
        let most = self.rounding * size(adjoints);
        self.groups(singular).into_iter().any(|group| {
            let zero = singular && self.is_zero(group.start);
            let of = if zero {
                T::Part::zero()
            } else {
                adjoints[group.start]
            };
            !group
                .into_iter()
                .all(|j| (adjoints[j] - of).norm1() <= most)
        })
    }
    /// Returns `x / by`. If `by` may be a rounding error, returns 0 if all `parts` of `x` may be, relative to their
    /// wholes, otherwise NaN.
    fn divide(&self, x: T, by: T::Part, parts: &[(T::Part, T::Part)]) -> T {
        if by.norm1() > self.least {
            self.unit.inverse().times(x.unscale(by))
        } else if parts.iter().all(|(x, of)| *x <= self.rounding * *of) {
            T::zero()
        } else {
            nan()
        }
    }
}
/// The dependence of the adjoints of vectors on rotations `t[i, j]` of vector `j` towards vector `i`, and their sizes.
struct Turns<T: Number> {
    t: DMatrix<T>,
    sizes: Vec<T::Part>,
}
impl<T: Number> Turns<T> {
    fn share(&self, i: usize, j: usize, values: &Spectrum<T>, by: T::Part) -> T {
        let (there, back) = (self.t[(i, j)], self.t[(j, i)]);
        let skew = (there - back.conjugate()).scale(T::Part::of(0.5));
        let parts = [
            (there.norm1(), self.sizes[j]),
            (back.norm1(), self.sizes[i]),
        ];
        values.divide(skew, by, &parts)
    }
}
fn sizes<T: Number>(m: &DMatrix<T>) -> Vec<T::Part> {
    let columns = m.as_slice().chunks_exact(m.nrows().max(1));
    columns.map(size).collect()
}
/// The row of the leading element.
fn leading<T: Number>(v: &DMatrix<T>, j: usize) -> usize {
    let size = |i: usize| v[(i, j)].modulus_squared();
    let larger = |x, y| if x > y { x } else { y };
    let largest = (0..v.nrows()).map(size).fold(T::Part::zero(), larger);
    let least = largest * T::Part::of(0.9 * 0.9);
    (0..v.nrows()).find(|i| size(*i) >= least).unwrap_or(0)
}
/// The divisors that make the leading elements real and positive.
fn turns<T: Number>(v: &DMatrix<T>) -> DVector<T> {
    DVector::from_fn(v.ncols(), |j, _| match v.is_empty() {
        true => T::one(),
        false => v[(leading(v, j), j)].to_exp().1,
    })
}
fn add_turns<T: Number>(v: &DMatrix<T>, along: impl Fn(usize) -> T::Part, v_b: &mut DMatrix<T>) {
    if T::IS_REAL || v.is_empty() {
        return;
    }
    for j in 0..v.ncols() {
        let at = (leading(v, j), j);
        v_b[at] += T::of_parts(T::Part::zero(), along(j) / v[at].real());
    }
}
/// `Im(v[j]' * v_b[j])`.
fn crosswise<T: Number>(v: &DMatrix<T>, v_b: &DMatrix<T>, j: usize) -> T::Part {
    v_b.column(j).dotc(&v.column(j)).imaginary()
}

/// Eigenvalues and eigenvectors, `a = v * diag(d) * v'`.
#[derive(Debug)]
pub struct SymmetricEigen<T: Number, N: Dim, M: AnyMode>
where
    DefaultAllocator: Sizes<N, N> + Sizes<N, U1>,
{
    /// The real eigenvalues `d` in ascending order.
    pub eigenvalues: Active<Dense<T::Part, N, U1>, M>,
    /// The eigenvectors of length 1, in the columns of `v`. The first element of at least nine tenths of the largest
    /// absolute value is real and positive, so small changes do not change signs.
    pub eigenvectors: Active<Dense<T, N, N>, M>,
}
// Giles 2008: a_b = v * (diag(d_b) + f .* (v' * v_b)) * v', f[i, j] = 1 / (d[j] - d[i]), where only the Hermitian part
// of the second term is used. With e = v' * a_t * v: d_t = the diagonal of e, v_t = v * (f .* e).
#[op(
    tangent(a = {
        let (d_t, v_t) = tangents_of_eigen(r.0.as_slice(), &dynamic(&r.1), view(a_t));
        (OMatrix::from_column_slice_generic(N::from_usize(d_t.len()), U1, &d_t), of::<T, N, N>(v_t))
    }),
    second(a = {
        let (v, v_b) = (dynamic(&r.1), dynamic(&r_b.1));
        of::<T, N, N>(second_of_eigen(r.0.as_slice(), &v, r_b.0.as_slice(), v_b, view(a_t)))
    }),
    along(a = {
        let (v, v_b) = (dynamic(&r.1), dynamic(&r_b.1));
        of::<T, N, N>(directional_eigen(r.0.as_slice(), &v, r_b.0.as_slice(), v_b, view(a_t)))
    }),
    sample(type T = f64 | Z, for n in [1, 3, 5], a = hermitian::<T>(n)),
    sample(type T = f64 | Z, a = Matrix2::from_column_slice(hermitian::<T>(2).as_slice())),
)]
pub fn eigen<T: Number, N: Dim>(
    #[ad_in({
        let (v, v_b) = (dynamic(&r.1), dynamic(&r_b.1));
        of::<T, N, N>(adjoint_of_eigen(r.0.as_slice(), &v, r_b.0.as_slice(), v_b))
    })]
    a: &Dense<T, N, N>,
) -> (Dense<T::Part, N, U1>, Dense<T, N, N>)
where
    DefaultAllocator: Sizes<N, N> + Sizes<N, U1>,
{
    shapes::square("a.symmetric_eigen()", a.shape());
    let (values, mut vectors) = factors::symmetric_eigen(view(a));
    let turns = turns(&vectors);
    unturn(&mut vectors, &turns);
    let n = a.shape_generic().0;
    (
        OMatrix::from_column_slice_generic(n, U1, values.as_slice()),
        of(vectors),
    )
}
fn adjoint_of_eigen<T: Number>(
    d: &[T::Part],
    v: &DMatrix<T>,
    d_b: &[T::Part],
    mut v_b: DMatrix<T>,
) -> DMatrix<T> {
    let angles: Vec<_> = (0..d.len()).map(|j| crosswise(v, &v_b, j)).collect();
    add_turns(v, |j| angles[j], &mut v_b);
    let (values, turns) = (Spectrum::new(d, d.len()), turns_of(v, &v_b));
    let middle = DMatrix::from_fn(d.len(), d.len(), |i, j| match i == j {
        true => T::from_real(d_b[j]),
        false => turns.share(i, j, &values, values.all[j] - values.all[i]),
    });
    lower(times_ad(&times(v, &middle), v))
}
fn turns_of<T: Number>(v: &DMatrix<T>, v_b: &DMatrix<T>) -> Turns<T> {
    Turns {
        t: ad_times(v, v_b),
        sizes: sizes(v_b),
    }
}
fn unturn<T: Number>(v: &mut DMatrix<T>, turns: &DVector<T>) {
    let each = v.column_iter_mut().zip(turns.iter());
    each.for_each(|(mut v, turn)| v *= turn.conjugate());
}
/// The adjoint of the lower triangle, which represents the matrix.
pub(crate) fn lower<T: Number>(mut a: DMatrix<T>) -> DMatrix<T> {
    for j in 0..a.ncols() {
        for i in j + 1..a.nrows() {
            a[(i, j)] = a[(i, j)] + a[(j, i)].conjugate();
            a[(j, i)] = T::zero();
        }
    }
    real_diagonal(&mut view_mut(&mut a));
    a
}

/// Singular values and vectors, `a = u * diag(singular_values) * v_t`. Right vectors are normalised as
/// [eigenvectors](SymmetricEigen::eigenvectors) are; complex ones are conjugated in the rows of `v_t`.
#[derive(Debug)]
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
// Townsend 2016, with f[i, j] = 1 / (s[j]^2 - s[i]^2) split: a common rotation of a pair has 1 / (s[j] - s[i]), an
// opposite rotation 1 / (s[j] + s[i]).
#[op(
    tangent(a = {
        let (u, v) = (dynamic(&r.0), dynamic(&r.2).adjoint());
        let (u_t, s_t, v_t) = tangents_of_svd(&u, &r.1, &v, &dynamic(a_t));
        (of::<T, R, Dyn>(u_t), s_t, of::<T, Dyn, C>(v_t.adjoint()))
    }),
    second(a = {
        let (u, s, v) = (dynamic(&r.0), &r.1, dynamic(&r.2).adjoint());
        let (u_b, s_b, v_b) = (dynamic(&r_b.0), &r_b.1, dynamic(&r_b.2).adjoint());
        of::<T, R, C>(second_of_svd((&u, s, &v), &u_b, s_b, v_b, &dynamic(a_t)))
    }),
    along(a = {
        let (u, s, v) = (dynamic(&r.0), &r.1, dynamic(&r.2).adjoint());
        let (u_b, s_b, v_b) = (dynamic(&r_b.0), &r_b.1, dynamic(&r_b.2).adjoint());
        of::<T, R, C>(directional_svd((&u, s, &v), &u_b, s_b, v_b, &dynamic(a_t)))
    }),
    sample(type T = f64 | Z, for n in [1, 3, 5], for (rows, cols) in [(n, n), (n + 2, n), (n, n + 2)], a = spread::<T>(rows, cols)),
)]
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
    let turns = turns(&v);
    unturn(&mut u, &turns);
    unturn(&mut v, &turns);
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
    // If `v` moves orthogonally to itself, `u` has the rotation of the singular value.
    let turn_of_u: Vec<_> = (0..k).map(|j| crosswise(u, u_b, j)).collect();
    let turn_of_v: Vec<_> = (0..k).map(|j| crosswise(v, &v_b, j)).collect();
    add_turns(v, |j| turn_of_u[j] + turn_of_v[j], &mut v_b);
    let v_b = &v_b;
    let values = Spectrum::<T>::new(s.as_slice(), u.nrows().max(v.nrows()));
    let scaled = &values.all;
    let (left, right) = (turns_of(u, u_b), turns_of(v, v_b));
    let sizes: Vec<_> = left
        .sizes
        .iter()
        .zip(&right.sizes)
        .map(|(u, v)| *u + *v)
        .collect();
    let together = Turns {
        t: &left.t + &right.t,
        sizes: sizes.clone(),
    };
    let against = Turns {
        t: &left.t - &right.t,
        sizes,
    };
    let middle = DMatrix::from_fn(k, k, |i, j| match i == j {
        true => {
            let angle = T::from_real(-turn_of_u[i]);
            let part = [(angle.norm1(), left.sizes[i])];
            T::of_parts(s_b[i], values.divide(angle, scaled[i], &part).real())
        }
        false => {
            together.share(i, j, &values, scaled[j] - scaled[i])
                + against.share(i, j, &values, scaled[j] + scaled[i])
        }
    });
    let beyond = |u: &DMatrix<T>, u_b: &DMatrix<T>, turns: &Turns<T>| {
        let mut rest = u_b - times(u, &turns.t);
        for (j, mut rest) in rest.column_iter_mut().enumerate() {
            let part = [(size(rest.as_slice()), turns.sizes[j])];
            let inside = u.nrows() == k;
            rest.apply(|x| {
                *x = if inside {
                    T::zero()
                } else {
                    values.divide(*x, scaled[j], &part)
                }
            });
        }
        rest
    };
    times_ad(&(times(u, &middle) + beyond(u, u_b, &left)), v) + times_ad(u, &beyond(v, v_b, &right))
}

/// Singular values up to `eps` are treated as zero.
// Golub and Pereyra 1973.
#[op(
    tangent(a = {
        let (a, p, a_t) = (dynamic(a), dynamic(r), dynamic(a_t));
        // -p * a_t * p + p * p' * a_t' * (1 - a * p) + (1 - p * a) * a_t' * p' * p
        let inner = times(&p, &times(&a_t, &p));
        let right = times(&times_ad(&p, &p), &a_t.adjoint());
        let right = &right - times(&times(&right, &a), &p);
        let left = times(&a_t.adjoint(), &ad_times(&p, &p));
        let left = &left - times(&p, &times(&a, &left));
        of::<T, C, R>(left + right - inner)
    }),
    second(a = {
        let (a, p, p_b) = (dynamic(a), dynamic(r), dynamic(r_b));
        let (a_t, p_t) = (dynamic(a_t), dynamic(r_t));
        let inner = times_ad(&ad_times(&p_t, &p_b), &p) + times_ad(&ad_times(&p, &p_b), &p_t);
        let back = p_b.adjoint();
        let left = times(&back, &times_ad(&p, &p));
        let left_t = times(&back, &(times_ad(&p_t, &p) + times_ad(&p, &p_t)));
        let left_t = &left_t
            - times(&a_t, &times(&p, &left))
            - times(&a, &times(&p_t, &left))
            - times(&a, &times(&p, &left_t));
        let right = times(&ad_times(&p, &p), &back);
        let right_t = times(&(ad_times(&p_t, &p) + ad_times(&p, &p_t)), &back);
        let right_t = &right_t
            - times(&times(&right_t, &p), &a)
            - times(&times(&right, &p_t), &a)
            - times(&times(&right, &p), &a_t);
        of::<T, R, C>(left_t + right_t - inner)
    }),
    sample(type T = f64 | Z, for n in [1, 3, 5], for (rows, cols) in [(n, n), (n + 2, n), (n, n + 2)], a = spread::<T>(rows, cols), eps = <T as Number>::Part::of(1e-12)),
)]
pub fn pseudo_inverse_of<T: Number, R: Dim, C: Dim>(
    #[ad_in({
        let (mut a, mut p, p_b) = (dynamic(a), dynamic(r), dynamic(r_b));
        let unit = scale::normalize(&mut p);
        unit.scale(a.as_mut_slice());
        let inner = times_ad(&ad_times(&p, &p_b), &p);
        // (1 - a * p) * p_b' * p * p' and p' * p * p_b' * (1 - p * a), transposed and conjugated
        let left = times_ad(&p_b.adjoint(), &times_ad(&p, &p));
        let left = &left - times(&a, &times(&p, &left));
        let right = times_ad(&ad_times(&p, &p), &p_b);
        let right = &right - times(&times(&right, &p), &a);
        let mut sum = left + right - inner;
        unit.scale(sum.as_mut_slice());
        unit.scale(sum.as_mut_slice());
        of::<T, R, C>(sum)
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

/// Singular values and results of them. The gradients follow [Giles 2008, Townsend 2016 and Golub and Pereyra
/// 1973](crate#sources).
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::{dmatrix, dvector};
///
/// let mut tape = Tape::new();
/// let a = tape.input(dmatrix![3.0, 0.0; 0.0, -2.0]);
/// let y = tape.record(|| {
///     let svd = a.svd();
///     approx::assert_abs_diff_eq!(svd.singular_values, dvector![3.0, 2.0], epsilon = 5e-16);
///     svd.singular_values.sum().eval()
/// });
/// // The gradient of the sum of the singular values is u * v_t.
/// let gradient = tape.gradient(&y)?.wrt(&a)?;
/// approx::assert_abs_diff_eq!(gradient, dmatrix![1.0, 0.0; 0.0, -1.0], epsilon = 5e-16);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait SpectralOps<M: AnyMode, T: Number, R: Dim, C: Dim>:
    Operand<M, Kind = Dense<T, R, C>> + Sized
where
    DefaultAllocator: Sizes<R, C>,
{
    /// Returns the singular value decomposition `a = u * diag(s) * v_t`, as one statement. All values are NaN if an
    /// element is not finite. The adjoint of the singular values alone is `a_b += u * diag(s_b) * v_t`.
    ///
    /// # Equal or nearly equal singular values
    /// Equal singular values follow the rules of equal eigenvalues, see [`symmetric_eigen`](EigenOps::symmetric_eigen).
    /// Values that are zero up to rounding also form a group. Their tangents along a direction are the singular values
    /// of the direction between their spaces. Functions of them have second derivatives if their adjoints are 0 there,
    /// as for squares.
    ///
    /// For a complex matrix, the phase of the left vector of a single zero is free. Functions that do not depend on it
    /// have correct gradients. Tangents that involve this vector, and second derivatives of functions of singular
    /// vectors, are NaN.
    ///
    /// For the nearest orthogonal matrix, `u * v_t`, use [`polar`](crate::PolarOps::polar).
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
    /// Returns the singular values in descending order, evaluated immediately.
    #[track_caller]
    fn singular_values(self) -> Active<Dense<T::Part, Dyn, U1>, M>
    where
        DefaultAllocator: Sizes<R, Dyn> + Sizes<Dyn, C>,
    {
        self.svd().singular_values
    }
    /// Returns the largest singular value: `a_b += r_b * u * v'` for its singular vectors `u` and `v`. It is 0 for an
    /// empty matrix, and NaN if an element is not finite. See the [conventions](crate#conventions) for equal values.
    fn spectral_norm(self) -> entape_core::expr::Unary<SpectralNorm, M, Self> {
        unary(SpectralNorm, self)
    }
    /// Returns the pseudo-inverse of E. H. Moore and R. Penrose, `v * diag(1 / s) * u'`, in which `1 / s` is 0 for
    /// singular values up to `eps`. All elements are NaN if an element of the matrix is not finite. The gradient treats
    /// the rank as constant, so it does not exist where a singular value passes `eps`.
    fn pseudo_inverse(self, eps: f64) -> entape_core::expr::Unary<PseudoInverseOf, M, Self>
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
/// Eigenvalues and eigenvectors. All methods panic if the matrix is not square.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::{dmatrix, dvector};
///
/// let mut tape = Tape::new();
/// let a = tape.input(dmatrix![2.0, 1.0; 1.0, 2.0]);
/// let y = tape.record(|| {
///     let eigen = a.symmetric_eigen();
///     approx::assert_abs_diff_eq!(eigen.eigenvalues, dvector![1.0, 3.0], epsilon = 5e-16);
///     eigen.eigenvalues.at(1).eval()
/// });
/// // v * v' for the vector v = [1, 1] / sqrt(2); the lower triangle represents both triangles.
/// let gradient = tape.gradient(&y)?.wrt(&a)?;
/// approx::assert_abs_diff_eq!(gradient, dmatrix![0.5, 0.0; 1.0, 0.5], epsilon = 5e-16);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait EigenOps<M: AnyMode, T: Number, N: Dim>:
    Operand<M, Kind = Dense<T, N, N>> + Sized
where
    DefaultAllocator: Sizes<N, N> + Sizes<N, U1>,
{
    /// Returns the eigenvalues `d` and eigenvectors `v` of a symmetric or Hermitian matrix `a = v * diag(d) * v'`, as
    /// one statement. The lower triangle is read, and the upper one has a zero adjoint. All values are NaN if an
    /// element that is read is not finite.
    ///
    /// The gradient of the whole symmetric matrix is `v * (diag(d_b) + f .* (v' * v_b)) * v'` with
    /// `f[(i, j)] = 1 / (d[j] - d[i])` and zeros on the diagonal of `f` ([Giles 2008](crate#sources)).
    ///
    /// # Equal or nearly equal eigenvalues
    /// A function of the eigenvalues alone has a gradient, also at equal ones; a single eigenvalue then has one of many
    /// possible gradients. Tangents of equal eigenvalues along a direction are the eigenvalues of the direction within
    /// their space, in ascending order. Second derivatives exist if equal eigenvalues have equal adjoints, as for
    /// smooth functions of the matrix; otherwise they are NaN.
    ///
    /// Any rotation within the space of equal eigenvalues gives eigenvectors again, so these have no derivative, and
    /// `f` is infinite. The gradient is **NaN** unless the adjoints of the vectors do not depend on such rotations:
    /// `v[i]' * v_b[j]` is zero for every two of them. So:
    ///
    /// * Functions of the vectors of other eigenvalues keep their gradients.
    /// * The projector `p = v * v'` onto the space of a whole group of equal eigenvalues has a gradient if the adjoint
    ///   `p_b` lacks a part within that space (`v[i]' * p_b * v[j]` is zero). Otherwise it is NaN although the
    ///   derivative exists, because these adjoints could also belong to `v * exp(d) * v'`, whose derivative differs.
    /// * A function that multiplies the vectors of equal eigenvalues by zero, such as `v * ln(d) * v'` at the identity,
    ///   appears not to use them. Its gradient is not NaN, but **lacks** the contribution of their rotations.
    ///
    /// So functions of a matrix are separate operations, with correct gradients everywhere: see
    /// [`SymmetricOps`](crate::SymmetricOps).
    ///
    /// Eigenvalues of a matrix with `n` rows count as equal if they differ by less than `64 * sqrt(n) * eps` of the
    /// largest one. Just above, gradients of eigenvectors have a relative error of about `eps / gap`.
    #[track_caller]
    fn symmetric_eigen(self) -> SymmetricEigen<T, N, M> {
        let (eigenvalues, eigenvectors) = unary(Eigen, self).split();
        SymmetricEigen {
            eigenvalues,
            eigenvectors,
        }
    }
    /// Returns the eigenvalues in ascending order, evaluated immediately.
    #[track_caller]
    fn symmetric_eigenvalues(self) -> Active<Dense<T::Part, N, U1>, M> {
        self.symmetric_eigen().eigenvalues
    }
}
impl<M: AnyMode, T: Number, N: Dim, X: Operand<M, Kind = Dense<T, N, N>>> EigenOps<M, T, N> for X where
    DefaultAllocator: Sizes<N, N> + Sizes<N, U1>
{
}
