#[cfg(test)]
use crate::samples::*;
use crate::{
    Dense, Mapped, Number, RealNumber, Sizes, Within, Zipped,
    kernels::{dotc, squares},
    memory::{by_elements, map, zip},
    scale, shapes,
};
use entape_core::{
    elementwise::{ElementKind, tangent_at_origin},
    kind::{Contribution, Kind},
    operations,
};
use nalgebra::{ComplexField, DefaultAllocator, Dim, OMatrix, U1};
use num_traits::{One, Zero};

/// Sums, means, norms, and shapes. In the [formulas](crate#formulas) `sign(x)` is `x / |x|`, or 0 for a 0.
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
    /// Returns the sum of all elements.
    #[op(
        linear, save(shape: (usize, usize) = a.shape()),
        sample(type T = f64 | Z, for (m, n) in SHAPES, a = matrix::<T>(m, n, 0)),
    )]
    fn sum(#[ad_in(filled(shape, r_b))] a: &Self) -> T::Kind {
        a.sum()
    }
    /// Returns the mean of all elements, or 0 if there are none.
    #[op(
        linear, save(shape: (usize, usize) = a.shape()),
        sample(type T = f64 | Z, for (m, n) in SHAPES, a = matrix::<T>(m, n, 0)),
    )]
    fn mean(#[ad_in(filled(shape, r_b / T::of((shape.0 * shape.1) as f64)))] a: &Self) -> T::Kind {
        if a.is_empty() { T::zero() } else { a.mean() }
    }
    /// Returns the length of a vector, the Frobenius norm of a matrix: `a_b += r_b * a / r`. Squares neither overflow
    /// nor underflow, and if the norm itself overflows, its slope is correct.
    ///
    /// # Where all elements are zero
    /// The slope is 0, the tangent along `v` is `|v|`. The second derivative is `r_bt * v / |v|`, with the tangent
    /// `r_bt` of `r_b`, if `r_b` is 0, and NaN otherwise. So smooth functions of the norm's square, such as
    /// `exp(-r^2)`, have correct second derivatives.
    #[op(
        tangent(a = match r == T::Part::zero() {
            true if one_sided => length(a_t),
            true => T::Part::zero(),
            false => inner(&Length::of(a.as_slice(), r).divided(a), a_t),
        }),
        second(a = {
            let (norm, kink) = (Length::of(a.as_slice(), r), r == T::Part::zero());
            zip(a_t, a, |x_t: T, x: T| match kink {
                true => at_origin(one_sided, (r_b, T::Part::zero()), x_t, r_t),
                false => norm.divide(x_t - norm.divide(x).scale(r_t)).scale(r_b),
            })
        }),
        along(a = {
            let (x, norm) = if r == T::Part::zero() { (a_t, r_t) } else { (a, r) };
            match norm == T::Part::zero() {
                true => map(a_t, |x_t| at_origin(true, (T::Part::zero(), r_b), x_t, r_t)),
                false => slope(x, norm, r_b).materialise(),
            }
        }),
        sample(type T = f64 | Z, for (m, n) in FILLED, a = matrix::<T>(m, n, 0)),
        sample(type T = f64 | Z, a = fixed::<T, 2, 2>(0)),
    )]
    fn norm(#[ad_in(slope(a, r, r_b))] a: &Self) -> T::Part {
        length(a)
    }
    /// Returns the matrix divided by its [`norm`](ReductionOps::norm): `a_b += (r_b - r * Re(Σ conj(r) .* r_b)) / |a|`.
    /// All elements are NaN if the norm is 0.
    #[op(
        save(length: [T::Part; 2] = Length::of(a.as_slice(), length(a)).parts()),
        tangent(a = across(a_t, r, Length::new(length))),
        second(a = {
            let (along, along_t, length) = (inner(r, r_b), inner(r_t, r_b), Length::new(length));
            let moved = zip(r_t, r, |r_t: T, r: T| r_t.scale(along) + r.scale(along_t));
            let norm_t = inner(r, a_t);
            let slope = across(r_b, r, length);
            zip(&moved, &slope, |moved: T, slope: T| -length.divide(moved + slope.scale(norm_t)))
        }),
        sample(type T = f64 | Z, for (m, n) in FILLED, a = matrix::<T>(m, n, 0)),
    )]
    fn normalize(
        #[ad_in({
            let (along, length) = (inner(r, r_b), Length::new(length));
            Zipped(r_b, r, move |r_b: T, r: T| length.divide(r_b - r.scale(along)))
        })]
        a: &Self,
    ) -> &Self {
        Length::new(length).divided(a)
    }
    /// Returns the sum of the squares of the absolute values: `a_b += 2 * r_b * a`.
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
    /// Returns the sum of the absolute values: `a_b += r_b * sign(a)`. At 0 see [`lp_norm`](ReductionOps::lp_norm) for
    /// `p = 1`.
    #[op(
        // For order 1, the formulas do not depend on the norm.
        tangent(a = tangent_of_order(1, a, T::Part::one(), a_t, one_sided)),
        second(a = second_of_order(1, a, (T::Part::one(), T::Part::zero()), a_t, r_b, one_sided)),
        along(a = directional_slope(1, a, (T::Part::one(), T::Part::zero()), a_t, r_b)),
        sample(type T = f64 | Z, for (m, n) in FILLED, a = matrix::<T>(m, n, 0)),
    )]
    fn norm_l1(#[ad_in(Mapped(a, |a: T| sign(a).1.scale(r_b)))] a: &Self) -> T::Part {
        a.iter().fold(T::Part::zero(), |sum, x| sum + x.modulus())
    }
    /// Returns the norm of order `p`, `(Σ |a|^p)^(1 / p)`: `a_b += r_b * (|a| / r)^(p - 1) * sign(a)` element by
    /// element. Powers neither overflow nor underflow, and if the norm itself overflows, its slope is correct.
    ///
    /// # At zeros
    /// For `p = 1` the norm has a kink if an element is 0, and for every `p` if all elements are 0. The slope is 0, and
    /// the tangent along `v` is the derivative in this direction: for `p = 1` an element that is 0 adds `|v|`, and if
    /// all elements are 0 the tangent is the norm of `v`. The second derivative is NaN unless `r_b` is 0. Then, with
    /// the tangent `r_bt` of `r_b`, it is `r_bt * sign(v)` for such an element, and `r_bt * (|v| / |v|_p)^(p - 1) *
    /// sign(v)` if all elements are 0.
    ///
    /// # Panics
    /// On evaluation, if `p` is not positive.
    #[op(
        tangent(a = tangent_of_order(p, a, r, a_t, one_sided)),
        second(a = second_of_order(p, a, (r, r_t), a_t, r_b, one_sided)),
        along(a = directional_slope(p, a, (r, r_t), a_t, r_b)),
        sample(type T = f64 | Z, for (m, n) in FILLED, a = matrix::<T>(m, n, 0), for p in [1, 2, 3, 7]),
        sample(type T = f64 | Z, a = fixed::<T, 3, 1>(0), p = 4),
    )]
    fn lp_norm(
        #[ad_in({
            let length = Length::of_order(p, a.as_slice(), r);
            Mapped(a, move |a: T| length.slope(p, a).scale(r_b))
        })]
        a: &Self,
        #[ad_passive] p: i32,
    ) -> T::Part {
        assert!(
            p > 0,
            "`a.lp_norm({p})`: the order of a norm must be positive"
        );
        norm_of_order(p, a.as_slice())
    }
    /// Returns the sum of all rows: `r[j]` is the sum of column `j`.
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
    /// Returns the sum of all columns: `r[i]` is the sum of row `i`.
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

    /// Returns the numbers of rows and columns.
    #[op(passive)]
    fn shape(#[ad_inp] a: &Self) -> (usize, usize) {
        a.shape()
    }
    /// Returns the number of rows.
    #[op(passive)]
    fn nrows(#[ad_inp] a: &Self) -> usize {
        a.nrows()
    }
    /// Returns the number of columns.
    #[op(passive)]
    fn ncols(#[ad_inp] a: &Self) -> usize {
        a.ncols()
    }
    /// Returns the number of elements.
    #[op(passive)]
    fn len(#[ad_inp] a: &Self) -> usize {
        a.len()
    }
    /// Returns whether there are no elements.
    #[op(passive)]
    fn is_empty(#[ad_inp] a: &Self) -> bool {
        a.is_empty()
    }
    /// Returns whether there are as many rows as columns.
    #[op(passive)]
    fn is_square(#[ad_inp] a: &Self) -> bool {
        a.is_square()
    }
}

/// Extremes of a real matrix. Of equal elements the first one counts, column by column. NaN is ignored unless all
/// elements are NaN. All methods panic if the matrix is empty.
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
    /// Returns the largest element.
    #[op(
        linear, marks, tangent(a = a_t[at]), save(shape: (usize, usize) = a.shape(), at: usize = first("a.max_element()", a, |x, y| x > y)),
        sample(for (m, n) in FILLED, a = matrix::<f64>(m, n, 0)),
    )]
    fn max_element(#[ad_in(single(shape, at, r_b))] a: &Self) -> T {
        a[at]
    }
    /// Returns the smallest element.
    #[op(
        linear, marks, tangent(a = a_t[at]), save(shape: (usize, usize) = a.shape(), at: usize = first("a.min_element()", a, |x, y| x < y)),
        sample(for (m, n) in FILLED, a = matrix::<f64>(m, n, 0)),
    )]
    fn min_element(#[ad_in(single(shape, at, r_b))] a: &Self) -> T {
        a[at]
    }
    /// Returns the row and the column of the largest element.
    #[op(passive)]
    fn argmax(#[ad_inp] a: &Self) -> (usize, usize) {
        let at = first("a.argmax()", a, |x, y| x > y);
        (at % a.nrows(), at / a.nrows())
    }
    /// Returns the row and the column of the smallest element.
    #[op(passive)]
    fn argmin(#[ad_inp] a: &Self) -> (usize, usize) {
        let at = first("a.argmin()", a, |x, y| x < y);
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
    /// Returns the sum of the elements on the diagonal.
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

/// Takes ratios to the largest element if powers leave the range or lose digits.
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
/// The absolute value of a number and the factor to its sign, which is 0 for 0.
pub(crate) fn sign<T: Number>(x: T) -> (T::Part, T) {
    if x == T::zero() {
        return (T::Part::zero(), x);
    }
    let (size, sign) = x.to_exp();
    match T::IS_REAL || ComplexField::is_finite(&size) {
        true => (size, sign),
        // May overflow even if the parts are finite.
        false => (size, x.scale(T::Part::of(0.25)).to_exp().1),
    }
}
/// A norm divided by a power of two, also if the norm overflows.
#[derive(Clone, Copy)]
struct Length<T: Number> {
    norm: T::Part,
    unit: T::Part,
}
impl<T: Number> Length<T> {
    fn new([norm, unit]: [T::Part; 2]) -> Self {
        Length { norm, unit }
    }
    fn parts(self) -> [T::Part; 2] {
        [self.norm, self.unit]
    }
    fn by(numbers: &[T], norm: T::Part, of: impl Fn(&[T]) -> T::Part) -> Self {
        let plain = Length::new([norm, T::Part::one()]);
        let overflows = norm > T::Part::zero() && !ComplexField::is_finite(&norm);
        if !overflows || !numbers.iter().all(ComplexField::is_finite) {
            return plain;
        }
        let unit = T::Part::of(f64::from(f32::EPSILON).powi(2));
        let scaled: Vec<T> = numbers.iter().map(|x| x.scale(unit)).collect();
        Length::new([of(&scaled), unit])
    }
    fn of(numbers: &[T], norm: T::Part) -> Self {
        Length::by(numbers, norm, scale::norm)
    }
    fn of_order(p: i32, numbers: &[T], norm: T::Part) -> Self {
        Length::by(numbers, norm, |numbers| norm_of_order(p, numbers))
    }
    fn divide(self, x: T) -> T {
        x.scale(self.unit).unscale(self.norm)
    }
    fn divided<R: Dim, C: Dim>(self, a: &OMatrix<T, R, C>) -> OMatrix<T, R, C>
    where
        DefaultAllocator: Sizes<R, C>,
    {
        map(a, |x| self.divide(x))
    }
    fn slope(self, p: i32, x: T) -> T {
        let (_, sign) = sign(x);
        match p == 1 || x == T::zero() {
            true => sign,
            false => sign.scale(power(self.share(x), p - 1)),
        }
    }
    /// `|x|` divided by the norm.
    fn share(self, x: T) -> T::Part {
        x.scale(self.unit).modulus() / self.norm
    }
}
/// The tangent of an element's adjoint at the origin of a norm, see [`tangent_at_origin`].
pub(crate) fn at_origin<T: Number>(
    one_sided: bool,
    (r_b, r_bt): (T::Part, T::Part),
    x_t: T,
    r_t: T::Part,
) -> T {
    let adjoint = (T::Part::lane(r_b), T::Part::lane(r_bt));
    let part = |x_t: T::Part| {
        let tangent = tangent_at_origin(one_sided, adjoint, T::Part::lane(x_t), T::Part::lane(r_t));
        T::Part::piece(tangent)
    };
    T::of_parts(part(x_t.real()), part(x_t.imaginary()))
}
/// Returns an unset length for an unset tangent.
pub(crate) fn directional_length<T: Number>(x_t: T) -> T::Part {
    match <T::Kind as Kind>::is_unset_tangent(&x_t) {
        true => T::Part::of(-0.0),
        false => x_t.modulus(),
    }
}
fn slope<T: Number, R: Dim, C: Dim>(
    a: &OMatrix<T, R, C>,
    norm: T::Part,
    r_b: T::Part,
) -> Mapped<'_, OMatrix<T, R, C>, impl Fn(T) -> T>
where
    DefaultAllocator: Sizes<R, C>,
{
    let length = Length::of(a.as_slice(), norm);
    let by = match norm == T::Part::zero() {
        true => norm * r_b,
        false => r_b / norm,
    };
    // The quotient may underflow or overflow.
    let lost = by == T::Part::zero() && r_b != T::Part::zero();
    let whole = scale::is_whole(by) && !lost && length.unit == T::Part::one();
    let whole = whole || norm == T::Part::zero();
    Mapped(a, move |a: T| {
        if whole {
            a.scale(by)
        } else {
            length.divide(a).scale(r_b)
        }
    })
}
/// Whether an element is at a kink of the norm `r` of order `p`.
fn is_kink<T: Number>(p: i32, r: T::Part, x: T) -> bool {
    r == T::Part::zero() || (p == 1 && x == T::zero())
}
/// The absolute value of the element's tangent for order 1, otherwise the norm's tangent.
fn length_at_kink<T: Number>(p: i32, x_t: T, r_t: T::Part) -> T::Part {
    match p {
        1 => directional_length(x_t),
        _ => r_t,
    }
}
fn tangent_of_order<T: Number, R: Dim, C: Dim>(
    p: i32,
    a: &OMatrix<T, R, C>,
    r: T::Part,
    a_t: &OMatrix<T, R, C>,
    one_sided: bool,
) -> T::Part
where
    DefaultAllocator: Sizes<R, C>,
{
    if r == T::Part::zero() {
        return match one_sided {
            true => norm_of_order(p, a_t.as_slice()),
            false => T::Part::zero(),
        };
    }
    let length = Length::of_order(p, a.as_slice(), r);
    let each = a.iter().zip(a_t.iter());
    each.fold(T::Part::zero(), |sum, (x, x_t)| {
        sum + match is_kink(p, r, *x) {
            true if one_sided => x_t.modulus(),
            true => T::Part::zero(),
            false => (length.slope(p, *x).conjugate() * *x_t).real(),
        }
    })
}
fn directional_slope<T: Number, R: Dim, C: Dim>(
    p: i32,
    a: &OMatrix<T, R, C>,
    (r, r_t): (T::Part, T::Part),
    a_t: &OMatrix<T, R, C>,
    r_b: T::Part,
) -> OMatrix<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    let (size, of_tangent) = (
        Length::of_order(p, a.as_slice(), r),
        Length::of_order(p, a_t.as_slice(), r_t),
    );
    zip(a, a_t, |x: T, x_t: T| {
        if !is_kink(p, r, x) {
            return size.slope(p, x).scale(r_b);
        }
        let length = length_at_kink(p, x_t, r_t);
        match length == T::Part::zero() {
            true => at_origin(true, (T::Part::zero(), r_b), x_t, length),
            false => of_tangent.slope(p, x_t).scale(r_b),
        }
    })
}
fn second_of_order<T: Number, R: Dim, C: Dim>(
    p: i32,
    a: &OMatrix<T, R, C>,
    (r, r_t): (T::Part, T::Part),
    a_t: &OMatrix<T, R, C>,
    r_b: T::Part,
    one_sided: bool,
) -> OMatrix<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    let length = Length::of_order(p, a.as_slice(), r);
    zip(a, a_t, |x: T, x_t: T| {
        if is_kink(p, r, x) {
            let length = length_at_kink(p, x_t, r_t);
            return at_origin(one_sided, (r_b, T::Part::zero()), x_t, length);
        }
        let (size, sign) = sign(x);
        if size == T::Part::zero() {
            // Only a square has a second derivative at the kink.
            return if p == 2 {
                length.divide(x_t).scale(r_b)
            } else {
                T::zero()
            };
        }
        let share = length.share(x);
        let size_t = (sign.conjugate() * x_t).real();
        let turn = length.divide(x_t - sign.scale(size_t));
        let over = |x: T::Part| x * length.unit / length.norm;
        let share_t = over(size_t - share * r_t);
        let grows = T::Part::of(f64::from(p - 1)) * share_t;
        match p {
            1 => (x_t - sign.scale(size_t)).unscale(size).scale(r_b),
            _ => (turn + sign.scale(grows))
                .scale(power(share, p - 2))
                .scale(r_b),
        }
    })
}
fn inner<T: Number, R: Dim, C: Dim>(a: &OMatrix<T, R, C>, b: &OMatrix<T, R, C>) -> T::Part
where
    DefaultAllocator: Sizes<R, C>,
{
    dotc(a.as_slice(), b.as_slice()).real()
}
/// The part of `x` orthogonal to the unit vector `r`, over a norm.
fn across<T: Number, R: Dim, C: Dim>(
    x: &OMatrix<T, R, C>,
    r: &OMatrix<T, R, C>,
    length: Length<T>,
) -> OMatrix<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    let along = inner(r, x);
    zip(x, r, |x: T, r: T| length.divide(x - r.scale(along)))
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
/// Returns NaN only if all elements are NaN.
#[track_caller]
fn first<T: RealNumber, R: Dim, C: Dim>(
    what: &str,
    a: &OMatrix<T, R, C>,
    better: impl Fn(T, T) -> bool,
) -> usize
where
    DefaultAllocator: Sizes<R, C>,
{
    let (m, n) = a.shape();
    assert!(
        !a.is_empty(),
        "`{what}` of a matrix with shape {m}x{n} needs at least one element: check `a.is_empty()` first"
    );
    let a = a.as_slice();
    let nan = |i: usize| a[i].partial_cmp(&a[i]).is_none();
    (1..a.len()).fold(0, |best, i| {
        let next = better(a[i], a[best]) || (nan(best) && !nan(i));
        if next { i } else { best }
    })
}
