use super::{double, nearest, real::abs};
use entape_core::real::Real;
use num_complex::{Complex, Complex64};

/// `2^n`, for `n` between -1022 and 1023.
fn power_of_two(n: i32) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}
/// `x 2^n`, for `n` between -2044 and 2046, exact, or rounded once if `x` is near 1.
pub(super) fn shifted(x: f64, n: i32) -> f64 {
    let half = n / 2;
    x * power_of_two(half) * power_of_two(n - half)
}
pub(super) fn shifted_both(z: Complex64, n: i32) -> Complex64 {
    Complex::new(shifted(z.re, n), shifted(z.im, n))
}
/// The exponent of the larger part; -1023 if it is subnormal or 0. So scaled, squares do not overflow, and the larger
/// one is normal.
pub(super) fn exponent(z: Complex64) -> i32 {
    let larger = z.re.abs().max(z.im.abs());
    (larger.to_bits() >> 52) as i32 - 1023
}

/// No product has overflowed, and underflowed products are negligible.
#[inline(always)]
fn is_exact<T: Real>(sum: T) -> bool {
    let low = T::nearest(T::SMALLEST / T::EPSILON);
    sum >= low && sum <= T::nearest(T::LARGEST * T::EPSILON)
}
/// `a / b`: the value of num-complex unless a product over- or underflows; NaN if `b` is 0, and 0 if only `b` is
/// infinite.
#[inline(always)]
pub(crate) fn quotient<T: Real>(a: Complex<T>, b: Complex<T>) -> Complex<T> {
    let square = b.norm_sqr();
    let re = a.re * b.re + a.im * b.im;
    let im = a.im * b.re - a.re * b.im;
    if is_exact(square) && is_exact(abs(re) + abs(im)) {
        Complex::new(re / square, im / square)
    } else {
        nearest(scaled_quotient(double(a), double(b)))
    }
}
/// `x / z`, see [`quotient`].
#[inline(always)]
pub(crate) fn real_quotient<T: Real>(x: T, z: Complex<T>) -> Complex<T> {
    let square = z.norm_sqr();
    let (re, im) = (x * z.re, x * z.im);
    if is_exact(square) && is_exact(abs(re) + abs(im)) {
        Complex::new(re / square, T::zero() - im / square)
    } else {
        nearest(scaled_quotient(x.double().into(), double(z)))
    }
}
/// `1 / z`, see [`quotient`].
#[inline(always)]
pub(crate) fn inverse<T: Real>(z: Complex<T>) -> Complex<T> {
    let square = z.norm_sqr();
    if is_exact(square) {
        Complex::new(z.re / square, -z.im / square)
    } else {
        nearest(scaled_quotient(1.0.into(), double(z)))
    }
}
/// The quotient of numbers whose larger parts are scaled to about 1.
#[cold]
#[inline(never)]
fn scaled_quotient(a: Complex64, b: Complex64) -> Complex64 {
    let is_infinite = b.re.is_infinite() || b.im.is_infinite();
    if is_infinite && a.is_finite() && !b.is_nan() {
        let b = infinite_direction(b);
        return Complex::new(
            0.0 * (a.re * b.re + a.im * b.im),
            0.0 * (a.im * b.re - a.re * b.im),
        );
    }
    let (of_a, of_b) = (exponent(a), exponent(b));
    let quotient = shifted_both(a, -of_a) / shifted_both(b, -of_b);
    shifted_both(quotient, of_a - of_b)
}

/// `z / |z|`, and 0 at 0; `norm` may have overflowed.
#[inline(always)]
pub(crate) fn direction<T: Real>(z: Complex<T>, norm: T) -> Complex<T> {
    let low = T::nearest(T::SMALLEST / T::EPSILON);
    if norm >= low && norm <= T::nearest(T::LARGEST) {
        z / norm
    } else {
        nearest(scaled_direction(double(z)))
    }
}
#[cold]
#[inline(never)]
fn scaled_direction(z: Complex64) -> Complex64 {
    let z = if z.re.is_infinite() || z.im.is_infinite() {
        infinite_direction(z)
    } else {
        shifted_both(z, -exponent(z))
    };
    if z.re == 0.0 && z.im == 0.0 {
        return Complex64::ZERO;
    }
    z / z.norm()
}
/// The direction that matches the angle of a number with an infinite part.
fn infinite_direction(z: Complex64) -> Complex64 {
    let part = |x: f64| match x.is_nan() {
        true => x,
        false => f64::from(x.is_infinite()).copysign(x),
    };
    Complex::new(part(z.re), part(z.im))
}
