//! Eigenvalues of symmetric and Hermitian matrices and singular values.
//!
//! Where two of them are equal, the vectors that belong to them may be turned into each other and have no derivative. What
//! adjoints of these vectors say of such turns then tells nothing of the function: `v * exp(d) * v'` and `v * v'` may have the
//! same ones, and have other derivatives. So the adjoint of the matrix is NaN there, also where a difference is not
//! told from rounding, unless the vectors' adjoints have no share in such turns ([`Turns`]).
//!
//! A vector may have either sign, a complex one may be turned by any angle. It is turned such that its leading element is real and positive:
//! the first one whose absolute value is at least nine tenths of the largest one. (The largest one itself would be one or the other
//! by rounding in vectors such as `[1, -1]`.) The adjoint of a complex one has the turn's share: with `v` moved by `dv` across itself, `v' * dv = 0`, the turn
//! that keeps element `k` real adds `-i * v * Im(dv[k]) / v[k]`.
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
/// Whether a matrix does not depend on the direction of the tangent.
fn is_unset<T: Number>(mut tangent: impl Iterator<Item = T>) -> bool {
    tangent.all(|x_t| <T::Kind as Kind>::is_unset_tangent(&x_t))
}
/// Whether elements of a tangent were computed as zero, which do not tell where equal values part.
fn has_zeros<T: Number>(mut tangent: impl Iterator<Item = T>) -> bool {
    tangent.any(|x_t| x_t == T::zero() && !<T::Kind as Kind>::is_unset_tangent(&x_t))
}
/// The elements on the diagonal and below.
fn of_lower<T: Number>(a: crate::View<'_, T>) -> impl Iterator<Item = T> {
    (0..a.cols).flat_map(move |j| (j..a.rows).map(move |i| a.at(i, j)))
}
fn nan<T: Number>() -> T {
    T::of(f64::NAN)
}
/// The eigenvalues or singular values with the bounds that tell them from each other. They are divided by a power of
/// two near the largest one.
struct Spectrum<T: Number> {
    all: Vec<T::Part>,
    unit: PowerOfTwo,
    /// Up to this bound a value, or the difference of two, may be rounding.
    least: T::Part,
    /// Up to this share of its vector an adjoint may be rounding.
    rounding: T::Part,
}
impl<T: Number> Spectrum<T> {
    /// For a matrix with up to `n` rows and columns.
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
    /// Ranges of several values that may be equal, and of those that may be zero if they are `singular` values.
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
    /// Whether a singular value may be rounding.
    fn is_zero(&self, j: usize) -> bool {
        self.all[j] <= self.least
    }
    /// Whether a function of the values with these adjoints has no second derivative: equal values have different adjoints, or singular
    /// values of zero have any.
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
    /// `x / by`, where `by` is a value or a sum of two. If it may be rounding: 0 if so may be all `parts` that go into
    /// `x`, which come with the sizes of what they are parts of; else NaN.
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
/// How the adjoints of vectors depend on turns of each two of them, `t[i, j]` of the `j`th towards the `i`th, and how
/// large they are.
struct Turns<T: Number> {
    t: DMatrix<T>,
    sizes: Vec<T::Part>,
}
impl<T: Number> Turns<T> {
    /// The share of the matrix between the `i`th and the `j`th vector.
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
/// What vectors in columns are divided by to have a real and positive leading element.
fn turns<T: Number>(v: &DMatrix<T>) -> DVector<T> {
    DVector::from_fn(v.ncols(), |j, _| match v.is_empty() {
        true => T::one(),
        false => v[(leading(v, j), j)].to_exp().1,
    })
}
/// Adds to the adjoints of vectors that were turned what the turn depends on; `along[j]` is the adjoint of the angle.
fn add_turns<T: Number>(v: &DMatrix<T>, along: impl Fn(usize) -> T::Part, v_b: &mut DMatrix<T>) {
    if T::IS_REAL || v.is_empty() {
        return;
    }
    for j in 0..v.ncols() {
        let at = (leading(v, j), j);
        v_b[at] += T::of_parts(T::Part::zero(), along(j) / v[at].real());
    }
}
/// The imaginary part of the product of the conjugated column of `v` with that of `v_b`.
fn crosswise<T: Number>(v: &DMatrix<T>, v_b: &DMatrix<T>, j: usize) -> T::Part {
    v_b.column(j).dotc(&v.column(j)).imaginary()
}

/// The eigenvalues and eigenvectors of a symmetric or Hermitian matrix, `a = v * diag(d) * v'` with the conjugated and transposed
/// `v'`. [`EigenOps`] has an example.
#[derive(Debug)]
pub struct SymmetricEigen<T: Number, N: Dim, M: AnyMode>
where
    DefaultAllocator: Sizes<N, N> + Sizes<N, U1>,
{
    /// The eigenvalues `d` in ascending order; they are real.
    pub eigenvalues: Active<Dense<T::Part, N, U1>, M>,
    /// The eigenvectors of length 1, in the columns of `v`. In each of them the first element whose absolute value is at least nine
    /// tenths of the largest one is positive, and real in a complex vector. So a small change of the matrix changes no sign.
    pub eigenvectors: Active<Dense<T, N, N>, M>,
}
/// Eigenvalues in ascending order and eigenvectors.
// Giles 2008: a_b = v * (diag(d_b) + f .* (v' * v_b)) * v', f[i, j] = 1 / (d[j] - d[i]), where ' is conjugated and
// transposed, and of the second term the Hermitian part counts; the lower triangle is read, so the adjoint of the upper one
// goes there.
// For a tangent a_t, with e = v' * a_t * v: d_t = the diagonal of e, v_t = v * (f .* e).
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
/// Divides each column by its turn.
fn unturn<T: Number>(v: &mut DMatrix<T>, turns: &DVector<T>) {
    let each = v.column_iter_mut().zip(turns.iter());
    each.for_each(|(mut v, turn)| v *= turn.conjugate());
}
/// The adjoint of a lower triangle that stands for a symmetric or Hermitian matrix.
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

/// Singular values and vectors, `a = u * diag(singular_values) * v_t`. A matrix with `m` rows and `n` columns has `min(m, n)` of
/// them. Complex right singular vectors are conjugated in the rows of `v_t`. In each right vector the first element whose
/// absolute value is at least nine tenths of the largest one is positive, and real in a complex vector. So a small change of the
/// matrix changes no sign. [`SpectralOps`] has an example.
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
/// Left singular vectors, singular values in descending order, right singular vectors in rows.
// Townsend 2016, with f[i, j] = 1 / (s[j]^2 - s[i]^2) taken apart: a turn of both vectors of a pair has 1 / (s[j] - s[i]), one
// against each other 1 / (s[j] + s[i]).
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
    // A turn turns both vectors of a pair. With `v` moved across itself, `u` takes the turn of the singular value.
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
    // What of the vectors' adjoints lies outside of the span of the vectors, if that is not all.
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

/// The pseudo-inverse; singular values up to `eps` count as zero.
// Golub and Pereyra 1973, for matrices of full rank or a rank that does not change.
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
        // The derivatives of the three terms of the adjoint.
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
        // (1 - a * p) * p_b' * p * p' and p' * p * p_b' * (1 - p * a), all conjugated and transposed
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

/// Singular values, and what is computed from them.
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
///
/// The gradients of eigenvectors follow M. B. Giles, *Collected matrix derivative results for forward and reverse mode
/// algorithmic differentiation* (2008), those of singular vectors J. Townsend, *Differentiating the singular value
/// decomposition* (2016), and that of the pseudo-inverse G. H. Golub and V. Pereyra, *The differentiation of pseudo-inverses
/// and nonlinear least squares problems whose variables separate* (1973).
pub trait SpectralOps<M: AnyMode, T: Number, R: Dim, C: Dim>:
    Operand<M, Kind = Dense<T, R, C>> + Sized
where
    DefaultAllocator: Sizes<R, C>,
{
    /// The singular value decomposition `a = u * diag(s) * v_t`, computed at once as one statement. All values are NaN if an element is
    /// not finite. The adjoint of the singular values alone is `a_b += u * diag(s_b) * v_t`.
    ///
    /// # Equal or nearly equal singular values
    /// What [`symmetric_eigen`](EigenOps::symmetric_eigen) says of equal and nearly equal eigenvalues holds for singular values, too:
    /// functions of the values alone have a gradient, and that of functions of the vectors may be NaN. Singular values that are zero, or not
    /// larger than rounding errors, are such a group, too: along a direction they part as the singular values of what the direction
    /// does between their spaces, and functions of them have second derivatives if their adjoints are 0 there, as those of squares are. The vectors
    /// of such values have no derivative either. The phase of the left vector of a single zero is free if the matrix is complex: the
    /// gradient of a function that does not depend on it, such as one of absolute values, is right, but its tangents are NaN as
    /// far as they are made of this vector, as forward mode does not know what the function depends on, and second derivatives of functions of
    /// singular vectors are NaN at such a matrix. What turns the left and the right vectors of equal
    /// singular values against each other does have one. The nearest orthogonal matrix, `u * v_t`, is an operation of its own that has
    /// a gradient for equal singular values: [`polar`](crate::PolarOps::polar).
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
    /// The singular values in descending order, evaluated at once.
    #[track_caller]
    fn singular_values(self) -> Active<Dense<T::Part, Dyn, U1>, M>
    where
        DefaultAllocator: Sizes<R, Dyn> + Sizes<Dyn, C>,
    {
        self.svd().singular_values
    }
    /// The largest singular value, which is how much the matrix stretches a vector at most: `a_b += r_b * u * v'` for its singular vectors
    /// `u` and `v`. It is 0 if there are no elements, and NaN if one is not finite. Where the two largest values are equal, the
    /// gradient is that of one of them, the tangent is the derivative along the direction, and the second derivative, which does not exist, is
    /// NaN, also that of a function of the norm. Of a matrix with one row or column the norm is a length, with the derivatives of [`norm`](crate::ReductionOps::norm)
    /// at the origin.
    fn spectral_norm(self) -> entape_core::expr::Unary<SpectralNorm, M, Self> {
        unary(SpectralNorm, self)
    }
    /// The pseudo-inverse of E. H. Moore and R. Penrose, `v * diag(1 / s) * u'`, in which singular values up to `eps` count as zero:
    /// `1 / s` is 0 for them. All elements are NaN if one of the matrix is not finite. The gradient is right for equal singular values,
    /// too; it takes the rank as constant, so there is none where a singular value passes `eps`.
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
/// Eigenvalues and eigenvectors of symmetric and Hermitian matrices.
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
/// // v * v' for the vector v = [1, 1] / sqrt(2); the lower triangle stands for both.
/// let gradient = tape.gradient(&y)?.wrt(&a)?;
/// approx::assert_abs_diff_eq!(gradient, dmatrix![0.5, 0.0; 1.0, 0.5], epsilon = 5e-16);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait EigenOps<M: AnyMode, T: Number, N: Dim>:
    Operand<M, Kind = Dense<T, N, N>> + Sized
where
    DefaultAllocator: Sizes<N, N> + Sizes<N, U1>,
{
    /// The eigenvalues `d` and eigenvectors `v` of a symmetric or Hermitian matrix `a = v * diag(d) * v'`, computed at once as one
    /// statement. The lower triangle is read, and the upper one has a zero adjoint. All values are NaN if an element that is read is not
    /// finite.
    ///
    /// The gradient of the whole symmetric matrix is `v * (diag(d_b) + f .* (v' * v_b)) * v'` with `f[(i, j)] = 1 / (d[j] - d[i])` and
    /// zeros on the diagonal of `f` (M. B. Giles, *Collected matrix derivative results for forward and reverse mode algorithmic
    /// differentiation*, 2008).
    ///
    /// # Equal or nearly equal eigenvalues
    /// A function of the eigenvalues alone has a gradient where some of them are equal, too. That of a single one of several
    /// equal eigenvalues is one of many possible ones. Along a direction equal eigenvalues part as the eigenvalues of what the direction is
    /// within their space, in ascending order, and these are their tangents. A function of the eigenvalues whose adjoints are equal for equal
    /// eigenvalues, as those of smooth functions of the matrix are, has its second derivative there. Where such adjoints differ, as those of a
    /// single eigenvalue do, the second derivative does not exist and is NaN.
    ///
    /// The eigenvectors of equal eigenvalues are not unique: turned within the space that they span, they are eigenvectors as
    /// before. So they have no derivative, and `f` above is infinite. The gradient is **NaN** unless the adjoints of
    /// these vectors say nothing of such turns, that is, unless `v[i]' * v_b[j]` is zero for every two of them. So:
    ///
    /// * Functions of the vectors of other eigenvalues keep their gradients.
    /// * The projector `p = v * v'` onto the space of a whole group of equal eigenvalues is unique. It has a gradient where the adjoint
    ///   `p_b` has no part within that space (`v[i]' * p_b * v[j]` is zero). With such a part the gradient is NaN, although the
    ///   projector has a derivative: the adjoints of the vectors are then the same as for `v * exp(d) * v'`, which has another
    ///   derivative, and nothing tells the two functions from each other.
    /// * A function that multiplies the vectors of equal eigenvalues by zero, such as `v * ln(d) * v'` at the identity, looks like one that
    ///   does not use them. Its gradient is not NaN, but **lacks** what the turns of these vectors would add.
    ///
    /// So functions of a matrix are operations of their own, whose gradients are right everywhere:
    /// [`symmetric_ln`](crate::SymmetricOps::symmetric_ln), [`symmetric_function`](crate::SymmetricOps::symmetric_function) and
    /// the like.
    ///
    /// Eigenvalues count as equal if they differ by less than `64 * sqrt(n) * eps` of the largest one, where `n` is the number of rows.
    /// Gradients of eigenvectors whose eigenvalues differ by a little more have a relative error of about `eps / gap`.
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
    /// The eigenvalues of a symmetric or Hermitian matrix in ascending order, evaluated at once. The lower triangle is read, and the upper
    /// one has a zero adjoint.
    ///
    /// # Panics
    /// If the matrix is not square.
    #[track_caller]
    fn symmetric_eigenvalues(self) -> Active<Dense<T::Part, N, U1>, M> {
        self.symmetric_eigen().eigenvalues
    }
}
impl<M: AnyMode, T: Number, N: Dim, X: Operand<M, Kind = Dense<T, N, N>>> EigenOps<M, T, N> for X where
    DefaultAllocator: Sizes<N, N> + Sizes<N, U1>
{
}
