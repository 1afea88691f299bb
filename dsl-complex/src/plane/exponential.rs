//! Exponential and hyperbolic functions, and those of angles, which are hyperbolic functions of `i z`.
use super::{inverse, turned, turned_back};
use num_complex::{Complex, Complex64};
use std::f64::consts::LN_2;

/// Where `e^x` is near the largest number.
const LARGE: f64 = 700.0;
/// Where `e^(-2x)` vanishes beside 1.
const FLAT: f64 = 20.0;

/// `k e^x z`, for a large `x` whose exponential may overflow where the product does not.
fn grown(x: f64, z: Complex64, k: f64) -> Complex64 {
    // The exponential of half the exponent is rounded twice, that of a third would have an error of its own.
    match x <= 2.0 * LARGE {
        true => z * (0.5 * x).exp() * (k * (0.5 * x).exp()),
        false => z * LARGE.exp() * LARGE.exp() * LARGE.exp(),
    }
}

/// `e^z`
pub(super) fn exp(z: Complex64) -> Complex64 {
    match z.re > LARGE && z.im.is_finite() {
        true => grown(z.re, Complex::cis(z.im), 1.0),
        false => z.exp(),
    }
}
/// `2^z`
pub(super) fn exp2(z: Complex64) -> Complex64 {
    /// What the nearest number leaves of the logarithm of 2.
    const REST: f64 = 2.319_046_813_846_299_6e-17;
    if z.im != 0.0 && z.im.abs() < 1e-100 {
        // Multiplied first, a subnormal part would lose digits that the power brings back.
        let (power, half) = (z.re.exp2(), (0.5 * z.re).exp2());
        let im = match power.is_finite() {
            true => z.im * power,
            false => z.im * half * half,
        };
        return Complex::new(power, im * LN_2);
    }
    let angle = z.im * LN_2;
    let rest = z.im.mul_add(LN_2, -angle) + z.im * REST;
    let direction = Complex::cis(angle) * Complex::cis(rest);
    if z.re.is_nan() || z.re <= 1000.0 {
        return direction * z.re.exp2();
    }
    // The difference is exact, and a product overflows only where the result does.
    let rest = (z.re.min(2200.0) - 1536.0).exp2();
    direction * 512_f64.exp2() * 511_f64.exp2() * rest * 513_f64.exp2()
}
/// `e^z - 1`
pub(super) fn exp_m1(z: Complex64) -> Complex64 {
    if z.re > 1.0 {
        return exp(z) - 1.0;
    }
    let (sin, cos) = z.im.sin_cos();
    // 1 - cos
    let missing = 2.0 * (0.5 * z.im).sin().powi(2);
    Complex::new(z.re.exp_m1() * cos - missing, z.re.exp() * sin)
}
pub(super) fn sinh(z: Complex64) -> Complex64 {
    let ((sin, cos), x) = (z.im.sin_cos(), z.re.abs());
    match x > LARGE {
        true => grown(x, Complex::new(cos * z.re.signum(), sin), 0.5),
        false => Complex::new(z.re.sinh() * cos, z.re.cosh() * sin),
    }
}
pub(super) fn cosh(z: Complex64) -> Complex64 {
    let ((sin, cos), x) = (z.im.sin_cos(), z.re.abs());
    match x > LARGE {
        true => grown(x, Complex::new(cos, sin * z.re.signum()), 0.5),
        false => Complex::new(z.re.cosh() * cos, z.re.sinh() * sin),
    }
}
/// The hyperbolic tangent (Kahan 1987).
pub(super) fn tanh(z: Complex64) -> Complex64 {
    if z.re.abs() > FLAT {
        let (sin, cos) = z.im.sin_cos();
        let rest = (-2.0 * z.re.abs()).exp();
        return Complex::new(1.0_f64.copysign(z.re), 4.0 * sin * cos * rest);
    }
    let (sinh, tan) = (z.re.sinh(), z.im.tan());
    let secant = 1.0 + tan * tan;
    let divisor = 1.0 + secant * sinh * sinh;
    Complex::new(
        secant * (1.0 + sinh * sinh).sqrt() * sinh / divisor,
        tan / divisor,
    )
}
/// `1 / cosh²(z)`, the slope of the hyperbolic tangent, which has lost its digits where that is flat.
pub(super) fn sech_squared(z: Complex64) -> Complex64 {
    let root = match z.re.abs() > FLAT {
        true => Complex::cis(-z.im * z.re.signum()) * (2.0 * (-z.re.abs()).exp()),
        false => inverse(cosh(z)),
    };
    root * root
}
pub(super) fn sin(z: Complex64) -> Complex64 {
    turned_back(sinh(turned(z)))
}
pub(super) fn cos(z: Complex64) -> Complex64 {
    cosh(turned(z))
}
pub(super) fn tan(z: Complex64) -> Complex64 {
    turned_back(tanh(turned(z)))
}
