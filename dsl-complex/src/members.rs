use crate::{
    C32, C64, ComplexKind, dot,
    plane::{direction, inverse, quotient, real, turned},
};
use entape_core::{
    elementwise::tangent_at_origin,
    expr::{Active, Operand, Unary, unary},
    kind::{Adjoint, Kind},
    mode::AnyMode,
    op, operations,
    real::Real,
};
use num_complex::Complex;
use std::num::FpCategory;

/// The slope of the absolute value of a part, 0 at 0.
fn slope<T: Real>(x: T) -> T {
    if x == T::zero() { x } else { real::signum(x) }
}
/// Applies a function to the tangents of parts that are 0; for other parts, the slope times `r_b`.
fn parts_at_kinks<T: Real>(
    z: Complex<T>,
    z_t: Complex<T>,
    r_b: T,
    at_kink: impl Fn(T) -> T,
) -> Complex<T> {
    let part = |x: T, x_t: T| {
        if x == T::zero() {
            at_kink(x_t)
        } else {
            slope(x) * r_b
        }
    };
    Complex::new(part(z.re, z_t.re), part(z.im, z_t.im))
}
/// Returns the one-sided derivative at 0.
fn tangent_of_norm<T: Real>(z: Complex<T>, z_t: Complex<T>, r: T, one_sided: bool) -> T {
    match r == T::zero() {
        true if one_sided => real::norm(z_t),
        true => T::zero(),
        false => dot(direction(z, r), z_t),
    }
}
/// The contribution of `r_b`, the tangent of the adjoint of `r`: at 0 the gradient jumps.
fn directional_norm<T: Real>(z: Complex<T>, z_t: Complex<T>, r: T, r_b: T) -> Complex<T> {
    match r == T::zero() {
        true => each_part(z_t, |x_t| {
            at_origin(true, (T::zero(), r_b), x_t, length(z_t))
        }),
        false => direction(z, r) * r_b,
    }
}
/// The derivative of the slope, times `r_b`; at 0 one-sided, if `r_b` is 0.
fn second_of_norm<T: Real>(
    z: Complex<T>,
    z_t: Complex<T>,
    r: T,
    r_b: T,
    one_sided: bool,
) -> Complex<T> {
    if r == T::zero() {
        each_part(z_t, |x_t| {
            at_origin(one_sided, (r_b, T::zero()), x_t, length(z_t))
        })
    } else if z_t == Complex::default() || r_b == T::zero() {
        Complex::default()
    } else {
        turned(direction(z, r)) * (quotient(z_t, z).im * r_b)
    }
}
/// The absolute value, or unset.
fn length<T: Real>(z_t: Complex<T>) -> T {
    if z_t.is_unset() {
        T::unset()
    } else {
        real::norm(z_t)
    }
}
fn at_origin<T: Real>(one_sided: bool, (r_b, r_bt): (T, T), x_t: T, r_t: T) -> T {
    let adjoint = (T::lane(r_b), T::lane(r_bt));
    T::piece(tangent_at_origin(
        one_sided,
        adjoint,
        T::lane(x_t),
        T::lane(r_t),
    ))
}
fn each_part<T: Real>(z: Complex<T>, f: impl Fn(T) -> T) -> Complex<T> {
    Complex::new(f(z.re), f(z.im))
}
fn undefined<T: Real>() -> Complex<T> {
    Complex::new(T::nearest(f64::NAN), T::nearest(f64::NAN))
}
/// The gradient of the angle, `i z / |z|²`; 0 at 0.
fn slope_of_arg<T: Real>(z: Complex<T>) -> Complex<T> {
    match z == Complex::default() {
        true => Complex::default(),
        false => turned(inverse(z).conj()),
    }
}
fn change_of_arg<T: Real>(z: Complex<T>, z_t: Complex<T>) -> Complex<T> {
    let at_origin = z == Complex::default();
    if z_t.is_unset() || !at_origin && z_t == Complex::default() {
        z_t
    } else if at_origin {
        undefined()
    } else {
        -turned((quotient(z_t, z) * inverse(z)).conj())
    }
}

/// Parts, absolute values and angles of complex numbers; [`Elementary`](entape_core::real::Elementary) has functions
/// shared with reals. See [gradients](crate#the-gradient).
///
/// ```
/// use entape_complex::{ComplexOps, num_complex::c64};
/// use entape_core::tape::Tape;
///
/// let mut tape = Tape::new();
/// let z = tape.input(c64(3.0, 4.0));
/// let y = tape.record(|| (z.norm_sqr() + z.re() * z.im()).eval());
/// assert_eq!(y, 25.0 + 12.0);
/// assert_eq!(tape.gradient(&y)?.wrt(&z)?, c64(6.0 + 4.0, 8.0 + 3.0));
/// // the angle grows fastest across the direction of z, by one over its length
/// let angle = tape.record(|| z.arg().eval());
/// approx::assert_abs_diff_eq!(tape.gradient(&angle)?.wrt(&z)?, c64(-4.0, 3.0) / 25.0, epsilon = 5e-16);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[operations(ext = ComplexOps)]
impl<T: Real> ComplexKind<T> {
    /// The real part.
    #[op(linear, marks)]
    fn re(#[ad_in(Complex::from(r_b))] z: Self) -> T {
        z.re
    }
    /// The imaginary part.
    #[op(linear, marks)]
    fn im(#[ad_in(Complex::new(T::zero(), r_b))] z: Self) -> T {
        z.im
    }
    /// The complex conjugate: `z_b += conj(r_b)`.
    #[op(self_adjoint)]
    fn conj(z: Self) -> Self {
        z.conj()
    }
    /// The absolute value: `z_b += r_b * z / r`, and nothing at 0 (second derivatives:
    /// [conventions](crate#conventions)).
    #[op(
        tangent(z = tangent_of_norm(z, z_t, r, one_sided)),
        second(z = second_of_norm(z, z_t, r, r_b, one_sided)),
        along(z = directional_norm(z, z_t, r, r_b))
    )]
    fn norm(#[ad_in(direction(z, r) * r_b)] z: Self) -> T {
        real::norm(z)
    }
    /// The square of the absolute value: `z_b += 2 * r_b * z`.
    #[op(tangent(z = dot(z + z, z_t)), second(z = z_t * (r_b + r_b)))]
    fn norm_sqr(#[ad_in(z * (r_b + r_b))] z: Self) -> T {
        z.norm_sqr()
    }
    /// The sum of the absolute values of both parts. A part that is 0 has slope 0 (second derivatives:
    /// [conventions](crate#conventions)).
    #[op(
        tangent(z = {
            let part = |x: T, x_t: T| if one_sided && x == T::zero() { real::abs(x_t) } else { slope(x) * x_t };
            part(z.re, z_t.re) + part(z.im, z_t.im)
        }),
        second(z = parts_at_kinks(z, z_t, T::zero(), |x_t| at_origin(one_sided, (r_b, T::zero()), x_t, length(Complex::new(x_t, T::unset()))))),
        along(z = parts_at_kinks(z, z_t, r_b, |x_t| at_origin(true, (T::zero(), r_b), x_t, length(Complex::new(x_t, T::unset()))))),
    )]
    fn l1_norm(#[ad_in(each_part(z, slope) * r_b)] z: Self) -> T {
        real::abs(z.re) + real::abs(z.im)
    }
    /// The angle from `-π` to `π`: `z_b += r_b * i * z / |z|²`, and nothing at 0.
    #[op(
        tangent(z = dot(slope_of_arg(z), z_t)),
        second(z = change_of_arg(z, z_t) * r_b)
    )]
    fn arg(#[ad_in(slope_of_arg(z) * r_b)] z: Self) -> T {
        real::arg(z)
    }

    /// The inverse, `1 / z`: `z_b -= r_b * conj(r * r)`.
    #[op(tangent(z = -z_t * r * r), second(z = -r_b * (r * (r_t + r_t)).conj()))]
    fn inv(#[ad_in(-r_b * (r * r).conj())] z: Self) -> Self {
        inverse(z)
    }
    /// Like [`inv`](Self::inv).
    #[op(tangent(z = -z_t * r * r), second(z = -r_b * (r * (r_t + r_t)).conj()))]
    fn finv(#[ad_in(-r_b * (r * r).conj())] z: Self) -> Self {
        inverse(z)
    }
    /// The quotient `a / b`.
    #[op(
        tangent(a = quotient(a_t, b), b = -b_t * quotient(r, b)),
        second(
            a = -quotient(r_b, b.conj()) * quotient(b_t, b).conj(),
            b = -r_b * quotient(r_t - r * quotient(b_t, b), b).conj(),
        )
    )]
    fn fdiv(
        #[ad_in(quotient(r_b, b.conj()))] a: Self,
        #[ad_in(-r_b * quotient(r, b).conj())] b: Self,
    ) -> Self {
        quotient(a, b)
    }
    /// The product with a real number: `z_b += r_b * t` and `t_b += Re(conj(r_b) * z)`.
    #[op(bilinear)]
    fn scale(#[ad_in(r_b.scale(t))] z: Self, #[ad_in(dot(r_b, z))] t: T) -> Self {
        z.scale(t)
    }
    /// The quotient by a real number: `z_b += r_b / t` and `t_b -= Re(conj(r_b) * r) / t`.
    #[op(
        tangent(z = z_t.unscale(t), t = -r * (t_t / t)),
        second(z = -r_b.unscale(t) * (t_t / t), t = -dot(r_b, r_t - r * (t_t / t)) / t)
    )]
    fn unscale(#[ad_in(r_b.unscale(t))] z: Self, #[ad_in(-dot(r_b, r) / t)] t: T) -> Self {
        z.unscale(t)
    }

    /// Whether both parts are finite.
    #[op(passive)]
    fn is_finite(#[ad_inp] z: Self) -> bool {
        <Self as Kind>::is_finite(&z)
    }
    /// Whether a part is infinite and neither is NaN.
    #[op(passive)]
    fn is_infinite(#[ad_inp] z: Self) -> bool {
        let parts = [z.re, z.im].map(T::category);
        parts.contains(&FpCategory::Infinite) && !parts.contains(&FpCategory::Nan)
    }
    /// Whether a part is NaN.
    #[op(passive)]
    fn is_nan(#[ad_inp] z: Self) -> bool {
        [z.re, z.im].map(T::category).contains(&FpCategory::Nan)
    }
    /// Whether both parts are neither zero, infinite, subnormal nor NaN.
    #[op(passive)]
    fn is_normal(#[ad_inp] z: Self) -> bool {
        [z.re, z.im].map(T::category) == [FpCategory::Normal; 2]
    }
}

/// The absolute value [`norm`](ComplexOps::norm).
#[op(
    op::Abs,
    rule_only,
    tangent(z = tangent_of_norm(z, z_t, r, one_sided)),
    second(z = second_of_norm(z, z_t, r, r_b, one_sided)),
    along(z = directional_norm(z, z_t, r, r_b))
)]
fn abs<T: Real>(#[ad_in(direction(z, r) * r_b)] z: ComplexKind<T>) -> T {
    real::norm(z)
}
#[op(
    rule_only,
    tangent(z = (tangent_of_norm(z, z_t, r.0, one_sided), dot(slope_of_arg(z), z_t))),
    second(z = {
        let (norm_b, arg_b) = *r_b;
        let of_norm = second_of_norm(z, z_t, r.0, norm_b, one_sided);
        match arg_b.is_unset() {
            true => of_norm,
            false => of_norm + change_of_arg(z, z_t) * arg_b,
        }
    }),
    along(z = {
        let (norm_b, arg_b) = *r_b;
        let of_norm = directional_norm(z, z_t, r.0, norm_b);
        match arg_b.is_unset() {
            true => of_norm,
            false => of_norm + slope_of_arg(z) * arg_b,
        }
    })
)]
pub fn to_polar<T: Real>(
    #[ad_in({
        let (norm, (norm_b, arg_b)) = (r.0, *r_b);
        let of_norm = direction(z, norm) * norm_b;
        // An unused slope may have overflowed.
        match arg_b.is_unset() {
            true => of_norm,
            false => of_norm + slope_of_arg(z) * arg_b,
        }
    })]
    z: ComplexKind<T>,
) -> (T, T) {
    (real::norm(z), real::arg(z))
}
/// Polar coordinates of complex operands.
pub trait PolarCoordinates<M: AnyMode, T: Real>: Operand<M, Kind = ComplexKind<T>> + Sized {
    /// Returns the absolute value and the angle, in one statement.
    ///
    /// ```
    /// use entape_complex::{PolarCoordinates, from_polar, num_complex::Complex};
    /// use entape_core::tape::Tape;
    ///
    /// let mut tape = Tape::new();
    /// let z = tape.input(Complex::new(3.0, 4.0));
    /// let (w, radius) = tape.record(|| {
    ///     let (radius, angle) = (z * z).to_polar();
    ///     (from_polar(radius, angle / 2.0).eval(), radius)
    /// });
    /// approx::assert_abs_diff_eq!(w.value(), Complex::new(5.0, 0.0) * z.value(), epsilon = 5e-15);
    /// assert_eq!(tape.gradient(&radius)?.wrt(&z)?, Complex::new(6.0, 8.0));
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    #[track_caller]
    fn to_polar(self) -> (Active<T, M>, Active<T, M>) {
        unary::<_, M, Self>(ToPolar, self).split()
    }
}
impl<M: AnyMode, T: Real, Z: Operand<M, Kind = ComplexKind<T>>> PolarCoordinates<M, T> for Z {}

/// The complex number with these real and imaginary parts: `re_b += Re(r_b)` and `im_b += Im(r_b)`.
///
/// ```
/// use entape_complex::{Complex, ComplexOps, num_complex::c64};
/// use entape_core::tape::Tape;
///
/// let mut tape = Tape::new();
/// let (x, y) = (tape.input(3.0), tape.input(4.0));
/// let z: Complex = tape.record(|| entape_complex::new(x, y).eval());
/// assert_eq!(z, c64(3.0, 4.0));
/// let r = tape.record(|| z.norm_sqr().eval());
/// assert_eq!(tape.gradient(&r)?.wrt_all(&[x, y])?, [6.0, 8.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[op(
    tangent(re = Complex::new(re_t, T::unset()), im = Complex::new(T::unset(), im_t)),
    second(re = {}, im = {}),
    marks
)]
pub fn new<T: Real>(#[ad_in(r_b.re)] re: T, #[ad_in(r_b.im)] im: T) -> ComplexKind<T> {
    Complex::new(re, im)
}
/// The complex number `radius * exp(i * theta)`.
///
/// ```
/// use entape_complex::{ComplexOps, from_polar};
/// use entape_core::tape::Tape;
///
/// let mut tape = Tape::new();
/// let (radius, theta) = (tape.input(2.0), tape.input(0.0));
/// let y = tape.record(|| {
///     let z = from_polar(radius, theta).eval();
///     (z.re() + 3.0 * z.im()).eval() // radius * (cos(theta) + 3 sin(theta))
/// });
/// assert_eq!(tape.gradient(&y)?.wrt_all(&[radius, theta])?, [1.0, 6.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[op(
    tangent(radius = real::cis(theta) * radius_t, theta = turned(r) * theta_t),
    second(radius = dot(r_b, turned(real::cis(theta))) * theta_t, theta = dot(r_b, turned(r_t)))
)]
pub fn from_polar<T: Real>(
    #[ad_in(dot(r_b, real::cis(theta)))] radius: T,
    #[ad_in(dot(r_b, turned(r)))] theta: T,
) -> ComplexKind<T> {
    real::cis(theta) * radius
}
/// `exp(i * phase)`; see [`RealOps::cis`].
#[op(tangent(phase = turned(r) * phase_t), second(phase = dot(r_b, turned(r_t))))]
pub fn cis<T: Real>(#[ad_in(dot(r_b, turned(r)))] phase: T) -> ComplexKind<T> {
    real::cis(phase)
}
/// A real as a complex number.
#[op(rule_only, linear)]
pub fn to_complex<T: Real>(#[ad_in(r_b.re)] x: T) -> ComplexKind<T> {
    x.into()
}

fn cast<T: Real, U: Real>(z: Complex<T>) -> Complex<U> {
    Complex::new(U::nearest(z.re.double()), U::nearest(z.im.double()))
}
#[op(op::ToF32, rule_only, linear)]
fn to_f32<T: Real>(#[ad_in(cast(r_b))] z: ComplexKind<T>) -> C32 {
    cast(z)
}
#[op(op::ToF64, rule_only, linear)]
fn to_f64<T: Real>(#[ad_in(cast(r_b))] z: ComplexKind<T>) -> C64 {
    cast(z)
}

/// Conversions from reals as methods.
///
/// ```
/// use entape_complex::{Complex, ComplexOps, RealOps};
/// use entape_core::{expr::Active, mode::Plain};
///
/// let x = Active::<f64, Plain>::passive(0.5);
/// let z: Complex<Plain> = (x.cis() * x.to_complex()).eval();
/// assert_eq!(z.norm().eval(), 0.5);
/// ```
pub trait RealOps<M: AnyMode>: Operand<M, Kind: Real> + Sized {
    /// Returns the real as a complex number.
    #[inline(always)]
    fn to_complex(self) -> Unary<ToComplex, M, Self> {
        unary(ToComplex, self)
    }
    /// Returns `exp(i * self)`.
    #[inline(always)]
    fn cis(self) -> Unary<Cis, M, Self> {
        unary(Cis, self)
    }
}
impl<M: AnyMode, X: Operand<M, Kind: Real>> RealOps<M> for X {}
