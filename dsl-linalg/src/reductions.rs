//! Sums, norms, extremes: of all elements, of rows and columns, of the diagonal; questions without
//! derivatives.
#[cfg(test)]
use crate::samples::*;
use crate::{
    Dense, Mapped, Number, RealNumber, Sizes, Within, Zipped,
    kernels::{dotc, squares},
    memory::{by_elements, map, zip},
    scale, shapes,
};
use entape_core::operations;
use nalgebra::{ComplexField, DefaultAllocator, Dim, OMatrix, U1};
use num_traits::{One, Zero};

/// Sums, means and norms of all elements, sums of rows and columns, and questions about shapes, which have no derivatives.
///
/// In the formulas `r` is the result, `r_b` its adjoint, and `sign(x)` is `x / |x|`, or 0 for a 0.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::dmatrix;
///
/// let mut tape = Tape::new();
/// let a = tape.input(dmatrix![0.0, 2.0; -1.0, 2.0]);
/// let y = tape.record(|| a.norm().eval());
/// assert_eq!(y, 3.0);
/// let gradient = tape.gradient(&y)?.wrt(&a)?;
/// approx::assert_abs_diff_eq!(gradient, dmatrix![0.0, 2.0; -1.0, 2.0] / 3.0, epsilon = 5e-16);
///
/// let columns = tape.record(|| a.column_sum().eval()); // the sum of all columns
/// assert_eq!(columns.get(), &nalgebra::dvector![2.0, 1.0]);
/// assert_eq!(a.shape(), (2, 2));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[operations(ext = ReductionOps)]
impl<T: Number, R: Dim, C: Dim> Dense<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    /// The sum of all elements. Each element of `a_b` gets `r_b`.
    #[op(
        linear, save(shape: (usize, usize) = a.shape()),
        sample(type T = f64 | Z, for (m, n) in SHAPES, a = matrix::<T>(m, n, 0)),
    )]
    fn sum(#[ad_in(filled(shape, r_b))] a: &Self) -> T::Kind {
        a.sum()
    }
    /// The mean of the `n` elements, 0 if there are none. Each element of `a_b` gets `r_b / n`.
    #[op(
        linear, save(shape: (usize, usize) = a.shape()),
        sample(type T = f64 | Z, for (m, n) in SHAPES, a = matrix::<T>(m, n, 0)),
    )]
    fn mean(#[ad_in(filled(shape, r_b / T::of((shape.0 * shape.1) as f64)))] a: &Self) -> T::Kind {
        if a.is_empty() { T::zero() } else { a.mean() }
    }
    /// The square root of the sum of the squares of the absolute values: the length of a vector, the Frobenius norm of
    /// a matrix. `a_b += r_b * a / r`; the slope at 0 is 0. No square overflows or vanishes, however large or small elements are.
    #[op(
        tangent(a = inner(&divided(a, r), a_t)),
        second(a = {
            let share = divided(a, r);
            zip(a_t, &share, |x: T, share: T| match r == T::Part::zero() {
                true => T::zero(),
                false => (x - share.scale(r_t)).unscale(r).scale(r_b),
            })
        }),
        sample(type T = f64 | Z, for (m, n) in FILLED, a = matrix::<T>(m, n, 0)),
        sample(type T = f64 | Z, a = fixed::<T, 2, 2>(0)),
    )]
    fn norm(
        #[ad_in({
            let by = if r == T::Part::zero() { r } else { r_b / r };
            let whole = scale::is_whole(by);
            Mapped(a, move |a: T| if whole { a.scale(by) } else { a.unscale(r).scale(r_b) })
        })]
        a: &Self,
    ) -> T::Part {
        length(a)
    }
    /// The matrix divided by its [`norm`](ReductionOps::norm), `r = a / |a|`: `a_b += (r_b - r * Re(Σ conj(r) .* r_b)) / |a|`. All elements
    /// are NaN where the norm is 0.
    #[op(
        save(norm: T::Part = length(a)),
        tangent(a = across(a_t, r, norm)),
        second(a = {
            let (along, along_t) = (inner(r, r_b), inner(r_t, r_b));
            let moved = zip(r_t, r, |r_t: T, r: T| r_t.scale(along) + r.scale(along_t));
            let norm_t = inner(r, a_t);
            let slope = across(r_b, r, norm);
            zip(&moved, &slope, |moved: T, slope: T| -(moved + slope.scale(norm_t)).unscale(norm))
        }),
        sample(type T = f64 | Z, for (m, n) in FILLED, a = matrix::<T>(m, n, 0)),
    )]
    fn normalize(
        #[ad_in({
            let along = inner(r, r_b);
            Zipped(r_b, r, move |r_b: T, r: T| (r_b - r.scale(along)).unscale(norm))
        })]
        a: &Self,
    ) -> &Self {
        let norm = length(a);
        map(a, |a| a.unscale(norm))
    }
    /// The sum of the squares of the absolute values: `a_b += 2 * r_b * a`.
    #[op(
        tangent(a = {
            let half = inner(a, a_t);
            half + half
        }),
        second(a = Mapped(a_t, |x: T| x.scale(r_b + r_b))),
        sample(type T = f64 | Z, for (m, n) in SHAPES, a = matrix::<T>(m, n, 0)),
    )]
    fn norm_squared(#[ad_in(Mapped(a, move |a: T| a.scale(r_b + r_b)))] a: &Self) -> T::Part {
        squares(a.as_slice())
    }
    /// The sum of the absolute values: `a_b += r_b * sign(a)` element by element, so the slope of a 0 is 0.
    #[op(
        tangent(a = inner(&map(a, |x: T| sign(x).1), a_t)),
        second(a = zip(a, a_t, |x: T, x_t: T| Size::of(x, x_t).sign_t.scale(r_b))),
        sample(type T = f64 | Z, for (m, n) in FILLED, a = matrix::<T>(m, n, 0)),
    )]
    fn norm_l1(
        #[ad_in(Mapped(a, |a: T| if a == T::zero() { a } else { a.to_exp().1.scale(r_b) }))]
        a: &Self,
    ) -> T::Part {
        a.iter().fold(T::Part::zero(), |sum, x| sum + x.modulus())
    }
    /// The norm of order `p`: the `p`th root of the sum of the absolute values to the power `p`. Element by element
    /// `a_b += r_b * (|a| / r)^(p - 1) * sign(a)`, so an element that is 0 has slope 0. No power overflows or vanishes, however large
    /// or small elements are.
    ///
    /// # Panics
    /// On evaluation, if `p` is not positive.
    // With each element of a as a size times a sign, a_b is r_b * sign * share^(p - 1) for share = size / r.
    #[op(
        tangent(a = {
            let slope = map(a, |x: T| {
                let (size, sign) = sign(x);
                sign.scale(power(size / r, p - 1))
            });
            inner(&slope, a_t)
        }),
        second(a = zip(a, a_t, |x: T, x_t: T| {
            let Size { size, size_t, sign, sign_t } = Size::of(x, x_t);
            if size == T::Part::zero() {
                // Only a square has a second derivative there.
                return if p == 2 { x_t.unscale(r).scale(r_b) } else { T::zero() };
            }
            let share = size / r;
            let share_t = (size_t - share * r_t) / r;
            let slope = T::Part::of(f64::from(p - 1)) * power(share, p - 2) * share_t;
            (sign_t.scale(power(share, p - 1)) + sign.scale(slope)).scale(r_b)
        })),
        sample(type T = f64 | Z, for (m, n) in FILLED, a = matrix::<T>(m, n, 0), for p in [1, 2, 3, 7]),
        sample(type T = f64 | Z, a = fixed::<T, 3, 1>(0), p = 4),
    )]
    fn lp_norm(
        #[ad_in(Mapped(a, move |a: T| {
            let size = a.modulus();
            if size == T::Part::zero() { a } else { a.unscale(size).scale(power(size / r, p - 1) * r_b) }
        }))]
        a: &Self,
        #[ad_passive] p: i32,
    ) -> T::Part {
        assert!(p > 0, "`a.lp_norm({p})`: the order of a norm is positive");
        norm_of_order(p, a.as_slice())
    }
    /// The sum of all rows, a row vector: `r[j]` is the sum of column `j`.
    #[op(
        linear, save(shape: (usize, usize) = a.shape()),
        sample(type T = f64 | Z, for (m, n) in SHAPES, a = matrix::<T>(m, n, 0)),
    )]
    fn row_sum(
        #[ad_in(Within::new(shape, |x: &mut OMatrix<T, R, C>| x.row_iter_mut().for_each(|mut x| x += r_b)))]
        a: &Self,
    ) -> &Dense<T, U1, C>
    where
        DefaultAllocator: Sizes<U1, C>,
    {
        by_elements((1, a.ncols()), |_, j| a.column(j).sum())
    }
    /// The sum of all columns, a vector: `r[i]` is the sum of row `i`.
    #[op(
        linear, save(shape: (usize, usize) = a.shape()),
        sample(type T = f64 | Z, for (m, n) in SHAPES, a = matrix::<T>(m, n, 0)),
    )]
    fn column_sum(
        #[ad_in(Within::new(shape, |x: &mut OMatrix<T, R, C>| x.column_iter_mut().for_each(|mut x| x += r_b)))]
        a: &Self,
    ) -> &Dense<T, R, U1>
    where
        DefaultAllocator: Sizes<R, U1>,
    {
        by_elements((a.nrows(), 1), |i, _| a.row(i).sum())
    }

    /// The numbers of rows and columns.
    #[op(passive)]
    fn shape(#[ad_inp] a: &Self) -> (usize, usize) {
        a.shape()
    }
    /// The number of rows.
    #[op(passive)]
    fn nrows(#[ad_inp] a: &Self) -> usize {
        a.nrows()
    }
    /// The number of columns.
    #[op(passive)]
    fn ncols(#[ad_inp] a: &Self) -> usize {
        a.ncols()
    }
    /// The number of elements.
    #[op(passive)]
    fn len(#[ad_inp] a: &Self) -> usize {
        a.len()
    }
    /// Whether there are no elements.
    #[op(passive)]
    fn is_empty(#[ad_inp] a: &Self) -> bool {
        a.is_empty()
    }
    /// Whether there are as many rows as columns.
    #[op(passive)]
    fn is_square(#[ad_inp] a: &Self) -> bool {
        a.is_square()
    }
}

/// The largest and the smallest element of a real matrix. "First" is meant column after column.
///
/// ```
/// use entape_core::real::Elementary;
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::dmatrix;
///
/// let mut tape = Tape::new();
/// let a = tape.input(dmatrix![1.0, 5.0; 7.0, 7.0]);
/// let y = tape.record(|| a.max_element().powi(2).eval());
/// assert_eq!(a.argmax(), (1, 0));
/// assert_eq!(tape.gradient(&y)?.wrt(&a)?, dmatrix![0.0, 0.0; 14.0, 0.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[operations(ext = ExtremeOps)]
impl<T: RealNumber, R: Dim, C: Dim> Dense<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    /// The largest element. Of several equal ones it is the first, which alone gets `r_b`.
    ///
    /// # Panics
    /// If the matrix is empty.
    #[op(
        linear, tangent(a = a_t[at]), save(shape: (usize, usize) = a.shape(), at: usize = first(a, |x, y| x > y)),
        sample(for (m, n) in FILLED, a = matrix::<f64>(m, n, 0)),
    )]
    fn max_element(#[ad_in(single(shape, at, r_b))] a: &Self) -> T {
        a[at]
    }
    /// The smallest element. Of several equal ones it is the first, which alone gets `r_b`.
    ///
    /// # Panics
    /// If the matrix is empty.
    #[op(
        linear, tangent(a = a_t[at]), save(shape: (usize, usize) = a.shape(), at: usize = first(a, |x, y| x < y)),
        sample(for (m, n) in FILLED, a = matrix::<f64>(m, n, 0)),
    )]
    fn min_element(#[ad_in(single(shape, at, r_b))] a: &Self) -> T {
        a[at]
    }
    /// The row and the column of the largest element, the first one of several equal ones.
    ///
    /// # Panics
    /// If the matrix is empty.
    #[op(passive)]
    fn argmax(#[ad_inp] a: &Self) -> (usize, usize) {
        let at = first(a, |x, y| x > y);
        (at % a.nrows(), at / a.nrows())
    }
    /// The row and the column of the smallest element, the first one of several equal ones.
    ///
    /// # Panics
    /// If the matrix is empty.
    #[op(passive)]
    fn argmin(#[ad_inp] a: &Self) -> (usize, usize) {
        let at = first(a, |x, y| x < y);
        (at % a.nrows(), at / a.nrows())
    }
}

/// The trace, which only square matrices have.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::dmatrix;
///
/// let mut tape = Tape::new();
/// let a = tape.input(dmatrix![1.0, 2.0; 3.0, 4.0]);
/// let y = tape.record(|| (&a * &a).trace().eval());
/// assert_eq!(y, 29.0);
/// assert_eq!(tape.gradient(&y)?.wrt(&a)?, dmatrix![2.0, 6.0; 4.0, 8.0]); // 2 a'
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[operations(ext = SquareOps)]
impl<T: Number, N: Dim> Dense<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    /// The sum of the elements on the diagonal, each of which gets `r_b`.
    ///
    /// # Panics
    /// If the matrix is not square.
    #[op(
        linear, save(n: usize = a.nrows()),
        sample(type T = f64 | Z, for n in SIZES, a = matrix::<T>(n, n, 0)),
        sample(type T = f64 | Z, a = fixed::<T, 2, 2>(0)),
    )]
    fn trace(
        #[ad_in(Within::new((n, n), move |x: &mut OMatrix<T, N, N>| (0..n).for_each(|i| x[(i, i)] += r_b)))]
        a: &Self,
    ) -> T::Kind {
        shapes::square("a.trace()", a.shape());
        (0..a.nrows()).fold(T::zero(), |sum, i| sum + a[(i, i)])
    }
}

/// Where powers overflow, vanish or lose digits, they are those of shares of the largest element.
fn norm_of_order<T: Number>(p: i32, a: &[T]) -> T::Part {
    let norm = |unit: T::Part| {
        let sum = |sum, a: &T| sum + power(a.modulus() / unit, p);
        let sum = a.iter().fold(T::Part::zero(), sum);
        let root = ComplexField::powf(sum, T::Part::of(1.0 / f64::from(p)));
        (sum, root * unit)
    };
    let (sum, plain) = norm(T::Part::one());
    if scale::is_usual(sum) {
        return plain;
    }
    let larger = |x, y| if x > y { x } else { y };
    let largest = a.iter().map(|a| a.modulus()).fold(T::Part::zero(), larger);
    match largest > T::Part::zero() && ComplexField::is_finite(&largest) {
        true => norm(largest).1,
        false => plain,
    }
}
/// The absolute value of a number and what it is multiplied by, which is 0 for 0.
fn sign<T: Number>(x: T) -> (T::Part, T) {
    match x == T::zero() {
        true => (T::Part::zero(), x),
        false => x.to_exp(),
    }
}
/// The absolute value and the sign of a number, and their tangents.
struct Size<T: Number> {
    size: T::Part,
    size_t: T::Part,
    sign: T,
    sign_t: T,
}
impl<T: Number> Size<T> {
    fn of(x: T, x_t: T) -> Self {
        let (size, sign) = sign(x);
        let size_t = (sign.conjugate() * x_t).real();
        let sign_t = match size == T::Part::zero() {
            true => T::zero(),
            false => (x_t - sign.scale(size_t)).unscale(size),
        };
        Size {
            size,
            size_t,
            sign,
            sign_t,
        }
    }
}
/// The real part of the sum of the products of the conjugated elements of `a` with those of `b`.
fn inner<T: Number, R: Dim, C: Dim>(a: &OMatrix<T, R, C>, b: &OMatrix<T, R, C>) -> T::Part
where
    DefaultAllocator: Sizes<R, C>,
{
    dotc(a.as_slice(), b.as_slice()).real()
}
/// The matrix divided by its norm, or zero.
fn divided<T: Number, R: Dim, C: Dim>(a: &OMatrix<T, R, C>, norm: T::Part) -> OMatrix<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    map(a, |x| match norm == T::Part::zero() {
        true => T::zero(),
        false => x.unscale(norm),
    })
}
/// The part of `x` that is orthogonal to the unit `r`, divided by a norm.
fn across<T: Number, R: Dim, C: Dim>(
    x: &OMatrix<T, R, C>,
    r: &OMatrix<T, R, C>,
    norm: T::Part,
) -> OMatrix<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    let along = inner(r, x);
    zip(x, r, |x: T, r: T| (x - r.scale(along)).unscale(norm))
}
fn length<T: Number, R: Dim, C: Dim>(a: &OMatrix<T, R, C>) -> T::Part
where
    DefaultAllocator: Sizes<R, C>,
{
    scale::norm(a.as_slice())
}
fn power<T: RealNumber>(x: T, n: i32) -> T {
    ComplexField::powi(x, n)
}
/// The same number for every element.
fn filled<T: Number, R: Dim, C: Dim>(
    shape: (usize, usize),
    x_b: T,
) -> Within<impl FnOnce(&mut OMatrix<T, R, C>)>
where
    DefaultAllocator: Sizes<R, C>,
{
    Within::new(shape, move |x: &mut OMatrix<T, R, C>| {
        x.as_mut_slice().iter_mut().for_each(|x| *x += x_b);
    })
}
/// A number for one element.
fn single<T: Number, R: Dim, C: Dim>(
    shape: (usize, usize),
    at: usize,
    x_b: T,
) -> Within<impl FnOnce(&mut OMatrix<T, R, C>)>
where
    DefaultAllocator: Sizes<R, C>,
{
    Within::new(shape, move |x: &mut OMatrix<T, R, C>| {
        x.as_mut_slice()[at] += x_b
    })
}
/// The first element that no other one is better than.
#[track_caller]
fn first<T: RealNumber, R: Dim, C: Dim>(
    a: &OMatrix<T, R, C>,
    better: impl Fn(T, T) -> bool,
) -> usize
where
    DefaultAllocator: Sizes<R, C>,
{
    assert!(!a.is_empty(), "the extreme element of an empty matrix");
    let a = a.as_slice();
    (1..a.len()).fold(0, |best, i| if better(a[i], a[best]) { i } else { best })
}
