#[cfg(test)]
use crate::samples::*;
use crate::{
    Dense, Mapped, Number, RealNumber, Sizes, Times, Within, Zipped,
    destination::{Coefficient, PutTerms as _},
    kernels::dotc,
    memory::{map, zip},
    shapes,
};
#[cfg(feature = "complex")]
use entape_complex::{
    C32, C64, ComplexKind,
    num_complex::{Complex, Complex32, Complex64},
};
use entape_core::{op, operations};
use nalgebra::{ComplexField, DefaultAllocator, Dim, OMatrix};

#[op(
    Add, linear, tangent(a = a_t, b = b_t), moves, into(to = shapes::same("a + b", a, b)),
    sample(type T = f64 | f32 | Z | Z32, for (m, n) in shapes::<T>(), a = matrix::<T>(m, n, 0), b = shifted::<T>(m, n, 1)),
    sample(type T = f64 | Z, a = fixed::<T, 3, 2>(0), b = fixed::<T, 3, 2>(1)),
)]
fn add<T: Number, R: Dim, C: Dim>(
    #[ad_in(r_b)] a: &Dense<T, R, C>,
    #[ad_in(r_b)] b: &Dense<T, R, C>,
) -> &Dense<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    to.add(a);
    to.add(b);
}
#[op(
    Sub, linear, tangent(a = a_t, b = Times(-T::one(), b_t)), moves, into(to = shapes::same("a - b", a, b)),
    sample(type T = f64 | Z, for (m, n) in SHAPES, a = matrix::<T>(m, n, 0), b = shifted::<T>(m, n, 1)),
    sample(type T = f64 | Z, a = fixed::<T, 3, 2>(0), b = fixed::<T, 3, 2>(1)),
)]
fn sub<T: Number, R: Dim, C: Dim>(
    #[ad_in(r_b)] a: &Dense<T, R, C>,
    #[ad_in(Times(-T::one(), r_b))] b: &Dense<T, R, C>,
) -> &Dense<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    to.add(a);
    to.sub(b);
}
#[op(
    Neg, linear, moves, into(to = a),
    sample(type T = f64 | Z, for (m, n) in SHAPES, a = matrix::<T>(m, n, 0)),
    sample(type T = f64 | Z, a = fixed::<T, 3, 2>(0)),
)]
fn neg<T: Number, R: Dim, C: Dim>(
    #[ad_in(Times(-T::one(), r_b))] a: &Dense<T, R, C>,
) -> &Dense<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    to.sub(a);
}
macro_rules! with_numbers { ($($module:ident, $(<$B:ident: $Bound:ident>)?, $T:ty, $Kind:ty, $($E:ident)|*;)*) => { $(
    mod $module {
        use super::*;
        #[op(
            Mul, bilinear, into(to = a),
            sample(type E = $($E)|*, for (m, n) in shapes::<E>(), a = matrix::<E>(m, n, 0), s = scalar::<E>()),
        )]
        fn scale<$($B: $Bound,)? R: Dim, C: Dim>(
            #[ad_in(Times(s.conjugate(), r_b))] a: &Dense<$T, R, C>,
            #[ad_in(dotc(a.as_slice(), r_b.as_slice()))] s: $Kind,
        ) -> &Dense<$T, R, C>
        where
            DefaultAllocator: Sizes<R, C>,
        {
            to.times(Coefficient::Times(s.ready().own())).add(a);
        }
        #[op(
            Div,
            tangent(a = map(a_t, |x| x / s), s = map(r, |r| -(r * s_t) / s)),
            second(
                a = Times(-(s_t / s / s).conjugate(), r_b),
                s = (dotc(r.as_slice(), r_b.as_slice()) * (s_t / s).conjugate() - dotc(r_t.as_slice(), r_b.as_slice())) / s.conjugate(),
            ),
            into(to = a),
            sample(type E = $($E)|*, for (m, n) in shapes::<E>(), a = matrix::<E>(m, n, 0), s = scalar::<E>()),
            sample(type E = $($E)|*, a = fixed::<E, 3, 2>(0), s = scalar::<E>()),
        )]
        fn div<$($B: $Bound,)? R: Dim, C: Dim>(
            #[ad_in(Times(<$T>::of(1.0) / s.conjugate(), r_b))] a: &Dense<$T, R, C>,
            #[ad_in(-dotc(r.as_slice(), r_b.as_slice()) / s.conjugate())] s: $Kind,
        ) -> &Dense<$T, R, C>
        where
            DefaultAllocator: Sizes<R, C>,
        {
            let s = s.ready().own();
            to.map(a, |a| a / s);
        }
    }
)* } }
with_numbers! { real, <T: RealNumber>, T, T, f64 | f32; }
#[cfg(feature = "complex")]
with_numbers! { complex, <T: RealNumber>, Complex<T>, ComplexKind<T>, Complex64 | Complex32; }

/// Rules of foreign operations must name their first argument, so each number type has one.
macro_rules! number_first { ($($name:ident, $T:ident, $Kind:ident;)*) => { $(
    #[op(
        Mul, bilinear, moves, into(to = a),
        sample(for (m, n) in shapes::<$T>(), s = scalar::<$T>(), a = matrix::<$T>(m, n, 0)),
        sample(s = scalar::<$T>(), a = fixed::<$T, 3, 2>(0)),
    )]
    fn $name<R: Dim, C: Dim>(
        #[ad_in(dotc(a.as_slice(), r_b.as_slice()))] s: $Kind,
        #[ad_in(Times(s.conjugate(), r_b))] a: &Dense<$T, R, C>,
    ) -> &Dense<$T, R, C>
    where
        DefaultAllocator: Sizes<R, C>,
    {
        to.times(Coefficient::Times(s.ready().own())).add(a);
    }
)* } }
number_first! { f64_times, f64, f64; f32_times, f32, f32; }
#[cfg(feature = "complex")]
number_first! { c64_times, Complex64, C64; c32_times, Complex32, C32; }

/// Sums and products of every element with a number. [`PairOps`](crate::PairOps) has operations on two matrices.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::dmatrix;
///
/// let mut tape = Tape::new();
/// let (a, s) = (tape.input(dmatrix![1.0, 2.0; 3.0, 4.0]), tape.input(2.0));
/// let y = tape.record(|| a.scale(s).add_scalar(s).sum().eval()); // s * sum(a) + 4 * s
/// assert_eq!(y, 28.0);
/// let gradient = tape.gradient(&y)?;
/// assert_eq!(gradient.wrt(&a)?, dmatrix![2.0, 2.0; 2.0, 2.0]);
/// assert_eq!(gradient.wrt(&s)?, 14.0);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[operations(ext = ComponentOps)]
impl<T: Number, R: Dim, C: Dim> Dense<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    /// Returns the elementwise product; see [`PairOps::component_mul`](crate::PairOps::component_mul).
    #[op(
        rule_only, bilinear, into(to = shapes::same("a.component_mul(b)", a, b)),
        sample(type T = f64 | Z, for (m, n) in SHAPES, a = matrix::<T>(m, n, 0), b = shifted::<T>(m, n, 1)),
    )]
    fn component_mul(
        #[ad_in(Zipped(r_b, b, |r_b: T, b: T| r_b * b.conjugate()))] a: &Self,
        #[ad_in(Zipped(r_b, a, |r_b: T, a: T| r_b * a.conjugate()))] b: &Self,
    ) -> &Self {
        to.zip(a, b, |a, b| a * b);
    }
    /// Returns the elementwise quotient; see [`PairOps::component_div`](crate::PairOps::component_div).
    #[op(
        rule_only, into(to = shapes::same("a.component_div(b)", a, b)),
        tangent(a = zip(a_t, b, |x, b| x / b), b = zip(&zip(r, b, |r, b| r / b), b_t, |q: T, b_t: T| -q * b_t)),
        second(
            a = zip(&zip(b_t, b, |b_t, b| -(b_t / b / b).conjugate()), r_b, |q: T, r_b: T| r_b * q),
            // The derivative of r / b is (r_t - r * b_t / b) / b.
            b = {
                let share = zip(r, &zip(b_t, b, |b_t: T, b: T| b_t / b), |r: T, q: T| r * q);
                let slope = zip(&zip(r_t, &share, |x: T, y: T| x - y), b, |x, b| x / b);
                zip(r_b, &slope, |r_b: T, slope: T| -r_b * slope.conjugate())
            },
        ),
        sample(type T = f64 | Z, for (m, n) in SHAPES, a = matrix::<T>(m, n, 0), b = shifted::<T>(m, n, 1)),
        sample(type T = f64 | Z, a = fixed::<T, 3, 2>(0), b = fixed::<T, 3, 2>(1)),
    )]
    fn component_div(
        #[ad_in(Zipped(r_b, b, |r_b: T, b: T| r_b / b.conjugate()))] a: &Self,
        #[ad_in(Within::new(b.shape(), |x: &mut OMatrix<T, R, C>| {
            let read = r.as_slice().iter().zip(b.as_slice()).zip(r_b.as_slice());
            let each = x.as_mut_slice().iter_mut().zip(read);
            each.for_each(|(x, ((r, b), r_b))| *x -= *r_b * (*r / *b).conjugate());
        }))]
        b: &Self,
    ) -> &Self {
        to.zip(a, b, |a, b| a / b);
    }
    /// Adds `s` to every element, to the shape of the result: `a_b += r_b` and `s_b += Σ r_b`.
    #[op(
        linear,
        tangent(a = a_t, s = map(r, |_| s_t)),
        sample(type T = f64 | Z, for (m, n) in SHAPES, a = matrix::<T>(m, n, 0), s = scalar::<T>()),
    )]
    fn add_scalar(#[ad_in(r_b)] a: &Self, #[ad_in(r_b.sum())] s: T::Kind) -> &Self {
        map(a, |a| a + s)
    }
    /// Returns the product with a real number, also for a complex matrix: `a_b += s * r_b` and
    /// `s_b += Re(Σ conj(a) .* r_b)`.
    #[op(bilinear, sample(type T = f64 | Z, for (m, n) in SHAPES, a = matrix::<T>(m, n, 0), s = real::<T>()))]
    fn scale(
        #[ad_in(Mapped(r_b, |r_b: T| r_b.scale(s)))] a: &Self,
        #[ad_in(dotc(a.as_slice(), r_b.as_slice()).real())] s: T::Part,
    ) -> &Self {
        map(a, |a| a.scale(s))
    }
    /// Returns the quotient by a real number, also for a complex matrix: `a_b += r_b / s` and
    /// `s_b -= Re(Σ conj(r) .* r_b) / s`.
    #[op(
        tangent(a = map(a_t, |x| x.unscale(s)), s = map(r, |r| r.scale(-s_t / s))),
        second(
            a = Mapped(r_b, |r_b: T| r_b.scale(-s_t / s / s)),
            s = (dotc(r.as_slice(), r_b.as_slice()).real() * (s_t / s) - dotc(r_t.as_slice(), r_b.as_slice()).real()) / s,
        ),
        sample(type T = f64 | Z, for (m, n) in SHAPES, a = matrix::<T>(m, n, 0), s = real::<T>()),
    )]
    fn unscale(
        #[ad_in(Mapped(r_b, |r_b: T| r_b.unscale(s)))] a: &Self,
        #[ad_in(-dotc(r.as_slice(), r_b.as_slice()).real() / s)] s: T::Part,
    ) -> &Self {
        map(a, |a| a.unscale(s))
    }
}
