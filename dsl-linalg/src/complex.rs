//! Operations on complex matrices beyond the generic rules. The adjoint of a real argument is the real part of the
//! complex formula.
#[cfg(test)]
use crate::samples::*;
use crate::{
    Dense, Number, Product, RealNumber, Sizes, Times, View,
    kernels::{Kernels, dotc, gemm},
    memory::{Pooled, by_elements, fresh, map, scratch, zip},
    reductions::{at_origin, directional_length, sign},
    shapes,
    view::{view, view_mut},
};
use entape_complex::{C32, C64, ComplexKind, num_complex::Complex};
use entape_core::{
    elementwise::Lane,
    expr::{Active, Beside, Const as Constants, Constant, Expr, Rhs, lit},
    kind::{Carrier, Kind},
    mode::Taped,
    op, operations,
    rule::Rule,
};
use nalgebra::{Const, DefaultAllocator, Dim, Dyn, OMatrix, U1};
use num_traits::Zero;

mod elements;
mod solves;

impl<T: RealNumber> Number for Complex<T> {
    type Kind = ComplexKind<T>;
    type Part = T;
    const KERNELS: &'static Kernels<Self> = T::COMPLEX_KERNELS;
    fn of(x: f64) -> Self {
        Complex::from(<T as Number>::of(x))
    }
    fn of_parts(re: T, im: T) -> Self {
        Complex::new(re, im)
    }
}

impl<R: Dim, C: Dim> Constant<Dense<Complex<f64>, R, C>> for PlainMatrix<f64, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    type Node = Constants<Dense<Complex<f64>, R, C>>;
    #[inline(always)]
    fn into_node(self) -> Constants<Dense<Complex<f64>, R, C>> {
        Constants::of(self)
    }
}

/// A complex matrix variable with dynamic sizes.
///
/// ```
/// use entape_complex::ComplexOps;
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::{Complex, dmatrix, dvector};
///
/// // The power that currents `i` feed into a network with admittances `y + g`, where `g` is real.
/// let mut tape = Tape::new();
/// let y = tape.input(dmatrix![Complex::new(0.0, 2.0), Complex::new(0.0, -1.0); Complex::new(0.0, -1.0), Complex::new(0.0, 3.0)]);
/// let g = tape.input(dmatrix![2.0, -1.0; -1.0, 4.0]);
/// let i = tape.input(dvector![Complex::new(1.0, 0.0), Complex::new(0.5, 0.5)]);
/// let power = tape.record(|| {
///     let network: ComplexMatrix = (&y + &g).eval();
///     let u = network.lu().solve(&i)?.eval();
///     Ok::<_, Singular>(i.dotc(&u).re().eval())
/// })?;
/// let gradient = tape.gradient(&power)?;
/// // With more conductance at a node the power decreases by |u|².
/// assert!(gradient.wrt(&g)?[(0, 0)] < 0.0);
/// assert_eq!(gradient.wrt(&y)?.map(|z| z.re), gradient.wrt(&g)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type ComplexMatrix<M = Taped, T = f64> = Active<Dense<Complex<T>, Dyn, Dyn>, M>;
/// A complex vector variable with a dynamic size.
pub type ComplexVector<M = Taped, T = f64> = Active<Dense<Complex<T>, Dyn, U1>, M>;
/// A complex row vector variable with a dynamic size.
pub type ComplexRowVector<M = Taped, T = f64> = Active<Dense<Complex<T>, U1, Dyn>, M>;
/// A complex matrix variable with `R` rows and `C` columns.
pub type FixedComplexMatrix<const R: usize, const C: usize, M = Taped, T = f64> =
    Active<Dense<Complex<T>, Const<R>, Const<C>>, M>;
/// A complex vector variable of size `N`.
pub type FixedComplexVector<const N: usize, M = Taped, T = f64> = FixedComplexMatrix<N, 1, M, T>;

type PlainMatrix<T, R, C> = OMatrix<Complex<T>, R, C>;

/// The absolute value, of num-complex.
fn norm<T: RealNumber>(z: Complex<T>) -> T {
    T::piece(Lane::hypot(T::lane(z.re), T::lane(z.im)))
}
fn re_of<T: RealNumber, R: Dim, C: Dim>(z: &PlainMatrix<T, R, C>) -> OMatrix<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    map(z, |z| z.re)
}
fn inner<T: RealNumber, R: Dim, C: Dim>(a: &PlainMatrix<T, R, C>, b: &PlainMatrix<T, R, C>) -> T
where
    DefaultAllocator: Sizes<R, C>,
{
    dotc(a.as_slice(), b.as_slice()).re
}

/// The parts of a complex matrix. [`abs`](entape_core::real::Elementary::abs) returns the absolute values.
///
/// ```
/// use entape_complex::num_complex::c64;
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::dvector;
///
/// let mut tape = Tape::new();
/// let z = tape.input(dvector![c64(1.0, 2.0), c64(0.0, 3.0)]);
/// let y = tape.record(|| z.re().component_mul(z.im()).sum().eval());
/// assert_eq!(y, 2.0);
/// // df/dx + i df/dy
/// assert_eq!(tape.gradient(&y)?.wrt(&z)?, dvector![c64(2.0, 1.0), c64(3.0, 0.0)]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[operations(ext = PartOps)]
impl<T: RealNumber, R: Dim, C: Dim> Dense<Complex<T>, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    /// Returns the real parts.
    #[op(
    linear,
        sample(for (m, n) in SHAPES, z = matrix::<Z>(m, n, 0)),
        sample(z = fixed::<Z, 3, 3>(0)),
    )]
    fn re(#[ad_in(map(r_b, Complex::from))] z: &Self) -> &Dense<T, R, C> {
        re_of(z)
    }
    /// Returns the imaginary parts.
    #[op(
    linear, sample(for (m, n) in SHAPES, z = matrix::<Z>(m, n, 0)))]
    fn im(#[ad_in(map(r_b, |y| Complex::new(T::ZERO, y)))] z: &Self) -> &Dense<T, R, C> {
        map(z, |z| z.im)
    }
}
/// Conversion of real matrices to complex ones.
///
/// ```
/// use entape_complex::num_complex::c64;
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::dvector;
///
/// let mut tape = Tape::new();
/// let x = tape.input(dvector![1.0, 2.0]);
/// let y = tape.record(|| (x.to_complex() * c64(3.0, 4.0)).eval().norm_squared().eval());
/// assert_eq!(y, 125.0);
/// assert_eq!(tape.gradient(&y)?.wrt(&x)?, dvector![50.0, 100.0]); // 2 |c|² x
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[operations(ext = ToComplexOps)]
impl<T: RealNumber, R: Dim, C: Dim> Dense<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    /// Returns a complex matrix with imaginary parts 0.
    #[op(
    linear, sample(for (m, n) in SHAPES, x = matrix::<f64>(m, n, 1)))]
    fn to_complex(#[ad_in(re_of(r_b))] x: &Self) -> &Dense<Complex<T>, R, C> {
        map(x, Complex::from)
    }
}
/// Returns the complex matrix `x + iy`: `x_b += Re(r_b)` and `y_b += Im(r_b)`.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::{dvector, Complex};
///
/// let mut tape = Tape::new();
/// let (x, y) = (tape.input(dvector![1.0, 2.0]), tape.input(dvector![0.0, 3.0]));
/// let r = tape.record(|| {
///     let z = from_parts(&x, &y).eval();
///     (z.norm_squared() + z.im().sum()).eval()
/// });
/// let gradient = tape.gradient(&r)?;
/// assert_eq!(gradient.wrt(&x)?, dvector![2.0, 4.0]);
/// assert_eq!(gradient.wrt(&y)?, dvector![1.0, 7.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// # Panics
/// On evaluation, if the shapes differ.
#[op(
    linear,
    tangent(re = map(re_t, Complex::from), im = map(im_t, |y| Complex::new(T::ZERO, y))),
    sample(for (m, n) in SHAPES, re = matrix::<f64>(m, n, 1), im = matrix::<f64>(m, n, 2)))]
pub fn from_parts<T: RealNumber, R: Dim, C: Dim>(
    #[ad_in(re_of(r_b))] re: &Dense<T, R, C>,
    #[ad_in(map(r_b, |z| z.im))] im: &Dense<T, R, C>,
) -> &Dense<Complex<T>, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    shapes::same("from_parts(re, im)", re.shape(), im.shape());
    zip(re, im, Complex::new)
}
/// The absolute value of every element, with the [conventions](crate#conventions) of `norm_l1` at 0.
#[op(
    op::Abs,
    // With the sign u of an element, the tangent is Re(u' * z_t), and u_t = (z_t - u * Re(u' * z_t)) / |z|.
    tangent(z = zip(z, z_t, |z, z_t| match z.is_zero() {
        true if one_sided => norm(z_t),
        true => T::ZERO,
        false => (sign(z).1.conj() * z_t).re,
    })),
    second(z = by_elements(z.shape(), |i, j| {
        let (z, z_t, r_b) = (z[(i, j)], z_t[(i, j)], r_b[(i, j)]);
        if z.is_zero() {
            return at_origin(one_sided, (r_b, T::ZERO), z_t, directional_length(z_t));
        }
        let (_, u) = sign(z);
        // May overflow even if the parts are finite.
        let quarter = T::of(0.25);
        (z_t - u * (u.conj() * z_t).re) * quarter / norm(z * quarter) * r_b
    })),
    along(z = by_elements(z.shape(), |i, j| {
        let (z, z_t, r_b) = (z[(i, j)], z_t[(i, j)], r_b[(i, j)]);
        match z.is_zero() && z_t.is_zero() {
            true => at_origin(true, (T::ZERO, r_b), z_t, directional_length(z_t)),
            false => sign(if z.is_zero() { z_t } else { z }).1 * r_b,
        }
    })),
    sample(for (m, n) in SHAPES, z = shifted::<Z>(m, n, 1)),
)]
fn abs<T: RealNumber, R: Dim, C: Dim>(
    #[ad_in(zip(z, r_b, |z, r_b| sign(z).1 * r_b))] z: &Dense<Complex<T>, R, C>,
) -> &Dense<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    map(z, norm)
}

#[op(
    Add, linear, tangent(a = a_t, b = map(b_t, Complex::from)),
    sample(for (m, n) in SHAPES, a = matrix::<Z>(m, n, 0), b = matrix::<f64>(m, n, 1)),
    sample(a = fixed::<Z, 3, 3>(0), b = fixed::<f64, 3, 3>(1)),
)]
fn add_real<T: RealNumber, R: Dim, C: Dim>(
    #[ad_in(r_b)] a: &Dense<Complex<T>, R, C>,
    #[ad_in(re_of(r_b))] b: &Dense<T, R, C>,
) -> &Dense<Complex<T>, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    shapes::same("a + b", a.shape(), b.shape());
    zip(a, b, |a, b| a + b)
}
#[op(
    Add, linear, tangent(a = map(a_t, Complex::from), b = b_t), moves,
    sample(for (m, n) in SHAPES, a = matrix::<f64>(m, n, 0), b = matrix::<Z>(m, n, 1)),
)]
fn real_add<T: RealNumber, R: Dim, C: Dim>(
    #[ad_in(re_of(r_b))] a: &Dense<T, R, C>,
    #[ad_in(r_b)] b: &Dense<Complex<T>, R, C>,
) -> &Dense<Complex<T>, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    shapes::same("a + b", a.shape(), b.shape());
    zip(b, a, |b, a| b + a)
}
#[op(
    Sub, linear, tangent(a = a_t, b = map(b_t, |x| Complex::from(-x))),
    sample(for (m, n) in SHAPES, a = matrix::<Z>(m, n, 0), b = matrix::<f64>(m, n, 1)),
)]
fn sub_real<T: RealNumber, R: Dim, C: Dim>(
    #[ad_in(r_b)] a: &Dense<Complex<T>, R, C>,
    #[ad_in(map(r_b, |z| -z.re))] b: &Dense<T, R, C>,
) -> &Dense<Complex<T>, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    shapes::same("a - b", a.shape(), b.shape());
    zip(a, b, |a, b| a - b)
}
#[op(
    Sub, linear, tangent(a = map(a_t, Complex::from), b = Times(-Complex::<T>::from(T::ONE), b_t)), moves,
    sample(for (m, n) in SHAPES, a = matrix::<f64>(m, n, 0), b = matrix::<Z>(m, n, 1)),
    sample(a = fixed::<f64, 3, 3>(1), b = fixed::<Z, 3, 3>(0)),
)]
fn real_sub<T: RealNumber, R: Dim, C: Dim>(
    #[ad_in(re_of(r_b))] a: &Dense<T, R, C>,
    #[ad_in(Times(-Complex::<T>::from(T::ONE), r_b))] b: &Dense<Complex<T>, R, C>,
) -> &Dense<Complex<T>, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    shapes::same("a - b", a.shape(), b.shape());
    zip(b, a, |b, a| Complex::from(a) - b)
}

impl<T: Number, R: Dim, C: Dim> Beside<Complex<f64>> for Dense<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    type Kind = C64;
}

// Products and quotients with real numbers, and of real matrices with complex numbers.

#[diagnostic::do_not_recommend]
impl<T: RealNumber, E: Number<Part = T>, R: Dim, C: Dim, M: Carrier, O, Third: Kind>
    Rhs<Dense<E, R, C>, M, O, Third> for Complex<T>
where
    O: Rule<Dense<E, R, C>, ComplexKind<T>, Third>,
    DefaultAllocator: Sizes<R, C>,
{
    type Kind = ComplexKind<T>;
    type Node = Constants<ComplexKind<T>>;
    type Operation = O;
    #[inline(always)]
    fn into_rhs(self) -> Expr<ComplexKind<T>, M, Self::Node> {
        lit(self)
    }
}
#[diagnostic::do_not_recommend]
impl<T: RealNumber, E: Number<Part = T>, R: Dim, C: Dim, M: Carrier, O, Third: Kind>
    Rhs<Dense<E, R, C>, M, O, Third> for &Complex<T>
where
    O: Rule<Dense<E, R, C>, ComplexKind<T>, Third>,
    DefaultAllocator: Sizes<R, C>,
{
    type Kind = ComplexKind<T>;
    type Node = Constants<ComplexKind<T>>;
    type Operation = O;
    #[inline(always)]
    fn into_rhs(self) -> Expr<ComplexKind<T>, M, Self::Node> {
        lit(*self)
    }
}
#[op(
    Mul, bilinear,
    sample(for (m, n) in SHAPES, a = matrix::<Z>(m, n, 0), s = 1.7),
    sample(a = fixed::<Z, 3, 3>(0), s = 1.7),
)]
fn scale<T: RealNumber, R: Dim, C: Dim>(
    #[ad_in(Times(Complex::from(s), r_b))] a: &Dense<Complex<T>, R, C>,
    #[ad_in(inner(a, r_b))] s: T,
) -> &Dense<Complex<T>, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    map(a, |a| a * s)
}
#[op(
    Div,
    tangent(a = map(a_t, |x| x / s), s = map(r, |r| -r * (s_t / s))),
    second(a = Times(Complex::from(-s_t / s / s), r_b), s = (inner(r, r_b) * (s_t / s) - inner(r_t, r_b)) / s),
    sample(for (m, n) in SHAPES, a = matrix::<Z>(m, n, 0), s = 1.7),
)]
fn unscale<T: RealNumber, R: Dim, C: Dim>(
    #[ad_in(Times(Complex::from(T::ONE / s), r_b))] a: &Dense<Complex<T>, R, C>,
    #[ad_in(-inner(r, r_b) / s)] s: T,
) -> &Dense<Complex<T>, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    map(a, |a| a / s)
}
#[op(
    Mul, bilinear,
    sample(for (m, n) in SHAPES, a = matrix::<f64>(m, n, 1), s = scalar::<Z>()),
)]
fn scale_real<T: RealNumber, R: Dim, C: Dim>(
    #[ad_in(map(r_b, |r_b| (r_b * s.conj()).re))] a: &Dense<T, R, C>,
    #[ad_in(summed(a, r_b))] s: ComplexKind<T>,
) -> &Dense<Complex<T>, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    map(a, |a| s * a)
}
#[op(
    Div,
    tangent(a = map(a_t, |x| Complex::from(x) / s), s = map(r, |r| -r * s_t / s)),
    second(
        a = map(r_b, |r_b| -(r_b * (s_t / s / s).conj()).re),
        s = (dotc(r.as_slice(), r_b.as_slice()) * (s_t / s).conj() - dotc(r_t.as_slice(), r_b.as_slice())) / s.conj(),
    ),
    sample(for (m, n) in SHAPES, a = matrix::<f64>(m, n, 1), s = scalar::<Z>()),
)]
fn unscale_real<T: RealNumber, R: Dim, C: Dim>(
    #[ad_in(map(r_b, |r_b| (r_b / s.conj()).re))] a: &Dense<T, R, C>,
    #[ad_in(-dotc(r.as_slice(), r_b.as_slice()) / s.conj())] s: ComplexKind<T>,
) -> &Dense<Complex<T>, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    map(a, |a| Complex::from(a) / s)
}
fn summed<T: RealNumber, R: Dim, C: Dim>(
    x: &OMatrix<T, R, C>,
    z: &PlainMatrix<T, R, C>,
) -> Complex<T>
where
    DefaultAllocator: Sizes<R, C>,
{
    let each = x.iter().zip(z.iter());
    each.fold(Complex::from(T::ZERO), |sum, (x, z)| sum + z * *x)
}
macro_rules! number_first { ($($module:ident $T:ident $K:ident;)*) => { $(
    mod $module {
        use super::*;
        #[op(
            Mul, bilinear,
            sample(for (m, n) in shapes::<$T>(), s = real::<$T>(), a = matrix::<Complex<$T>>(m, n, 0)),
        )]
        fn times<R: Dim, C: Dim>(
            #[ad_in(inner(a, r_b))] s: $T,
            #[ad_in(Times(Complex::from(s), r_b))] a: &Dense<Complex<$T>, R, C>,
        ) -> &Dense<Complex<$T>, R, C>
        where
            DefaultAllocator: Sizes<R, C>,
        {
            map(a, |a| a * s)
        }
        #[op(
            Mul, bilinear,
            sample(for (m, n) in shapes::<$T>(), s = scalar::<Complex<$T>>(), a = matrix::<$T>(m, n, 1)),
        )]
        fn times_real<R: Dim, C: Dim>(
            #[ad_in(summed(a, r_b))] s: $K,
            #[ad_in(map(r_b, |r_b| (r_b * s.conj()).re))] a: &Dense<$T, R, C>,
        ) -> &Dense<Complex<$T>, R, C>
        where
            DefaultAllocator: Sizes<R, C>,
        {
            map(a, |a| s * a)
        }
    }
)* } }
number_first! { double f64 C64; single f32 C32; }

// These take half the work of complex products.

/// A real matrix of twice as many rows, with real and imaginary parts in turn.
fn flat<T: RealNumber, R: Dim, C: Dim>(z: &PlainMatrix<T, R, C>) -> View<'_, T>
where
    DefaultAllocator: Sizes<R, C>,
{
    View::new(bytemuck::cast_slice(z.as_slice()), 2 * z.nrows(), z.ncols())
}
/// The real parts, then the columns of the imaginary parts.
fn beside<T: RealNumber, R: Dim, C: Dim>(z: &PlainMatrix<T, R, C>) -> Pooled<T, Dyn, Dyn>
where
    DefaultAllocator: Sizes<R, C>,
{
    let all = z.iter().map(|z| z.re).chain(z.iter().map(|z| z.im));
    let mut parts = scratch(z.nrows(), 2 * z.ncols());
    parts.iter_mut().zip(all).for_each(|(x, part)| *x = part);
    parts
}
fn joined<T: RealNumber, R: Dim, C: Dim>(parts: &OMatrix<T, Dyn, Dyn>) -> PlainMatrix<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    let (re, im) = parts.as_slice().split_at(parts.len() / 2);
    let all = re.iter().zip(im).map(|(re, im)| Complex::new(*re, *im));
    let mut z: PlainMatrix<T, R, C> = fresh(parts.nrows(), parts.ncols() / 2);
    z.iter_mut().zip(all).for_each(|(z, parts)| *z = parts);
    z
}
fn product_real<T: RealNumber, R: Dim, K: Dim, C: Dim>(
    z: &PlainMatrix<T, R, K>,
    x: View<'_, T>,
) -> PlainMatrix<T, R, C>
where
    DefaultAllocator: Sizes<R, K> + Sizes<R, C>,
{
    let mut r: PlainMatrix<T, R, C> = fresh(z.nrows(), x.cols);
    let parts = bytemuck::cast_slice_mut(r.as_mut_slice());
    let parts = crate::ViewMut::new(parts, 2 * z.nrows(), x.cols);
    gemm(T::ONE, flat(z), x, T::ZERO, parts);
    r
}
fn real_product<T: RealNumber, R: Dim, K: Dim, C: Dim>(
    x: View<'_, T>,
    z: &PlainMatrix<T, K, C>,
) -> PlainMatrix<T, R, C>
where
    DefaultAllocator: Sizes<K, C> + Sizes<R, C>,
{
    let mut parts = scratch::<T>(x.rows, 2 * z.ncols());
    gemm(T::ONE, x, view(&*beside(z)), T::ZERO, view_mut(&mut *parts));
    joined(&parts)
}
#[op(
    Mul, bilinear,
    sample(for (m, n) in SHAPES, for k in COLUMNS, a = matrix::<Z>(m, n, 0), b = matrix::<f64>(n, k, 1)),
    sample(for (m, n) in SHAPES, a = matrix::<Z>(m, n, 0), b = vector::<f64>(n, 2)),
    sample(a = fixed::<Z, 3, 3>(0), b = fixed::<f64, 3, 3>(1)),
)]
fn mul_real<T: RealNumber, R: Dim, K: Dim, C: Dim>(
    #[ad_in(product_real::<T, R, C, K>(r_b, view(b).t()))] a: &Dense<Complex<T>, R, K>,
    #[ad_in(Product(T::ONE, flat(a).t(), flat(r_b)))] b: &Dense<T, K, C>,
) -> &Dense<Complex<T>, R, C>
where
    DefaultAllocator: Sizes<R, K> + Sizes<K, C> + Sizes<R, C>,
{
    shapes::inner("a * b", a.shape(), b.shape(), (a.ncols(), b.nrows()));
    product_real(a, view(b))
}
#[op(
    Mul, bilinear,
    sample(for (m, n) in SHAPES, for k in COLUMNS, a = matrix::<f64>(k, m, 1), b = matrix::<Z>(m, n, 0)),
    sample(for (m, n) in SHAPES, a = matrix::<f64>(m, n, 1), b = vector::<Z>(n, 2)),
    sample(a = fixed::<f64, 3, 3>(1), b = fixed::<Z, 3, 3>(0)),
    sample(a = fixed::<f64, 3, 3>(1), b = fixed::<Z, 3, 1>(2)),
    sample(a = matrix::<f32>(2, 3, 2), b = matrix::<Z32>(3, 2, 0)),
)]
fn real_mul<T: RealNumber, R: Dim, K: Dim, C: Dim>(
    #[ad_in({ a_b.add(Product(T::ONE, view(&*beside(r_b)), view(&*beside(b)).t())); })] a: &Dense<
        T,
        R,
        K,
    >,
    #[ad_in(real_product::<T, K, R, C>(view(a).t(), r_b))] b: &Dense<Complex<T>, K, C>,
) -> &Dense<Complex<T>, R, C>
where
    DefaultAllocator: Sizes<R, K> + Sizes<K, C> + Sizes<R, C>,
{
    shapes::inner("a * b", a.shape(), b.shape(), (a.ncols(), b.nrows()));
    real_product(view(a), b)
}
