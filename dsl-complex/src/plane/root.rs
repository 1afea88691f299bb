use super::{
    inverse,
    logarithm::ln_norm,
    scale::{exponent, shifted, shifted_both},
};
use num_complex::{Complex, Complex64};

/// A multiple `n` of `step` with `|z| 2^-n` far from the ends of the range; 0 if `z` is 0.
fn far(z: Complex64, step: i32) -> i32 {
    let exponent = exponent(z);
    match exponent.abs() > 900 && z.is_finite() {
        true => exponent / step * step,
        false => 0,
    }
}
/// The square root with a nonnegative real part (Kahan 1987).
pub(super) fn sqrt(z: Complex64) -> Complex64 {
    if z.im == 0.0 {
        return z.sqrt();
    }
    if z.im.is_infinite() {
        return Complex::new(z.im.abs(), z.im);
    }
    let n = far(z, 2);
    let near = shifted_both(z, -n);
    let near_root = (0.5 * (near.re.abs() + near.norm())).sqrt();
    let root = shifted(near_root, n / 2);
    let other = match n > 0 {
        // Scaling the large part may take digits of a small one.
        true => z.im.abs() / (2.0 * root),
        false => shifted(0.5 * near.im.abs() / near_root, n / 2),
    };
    let (re, im) = if z.re == 0.0 {
        (root, root)
    } else if z.re > 0.0 {
        (root, other)
    } else {
        (other, root)
    };
    Complex::new(re, im.copysign(z.im))
}
/// The cube root with an angle between `-π/3` and `π/3`.
pub(super) fn cbrt(z: Complex64) -> Complex64 {
    if z.re > 0.0 && z.re.is_finite() && z.im.abs() <= 1e-9 * z.re {
        // The angle or the scaled imaginary part may be subnormal. The next term of the series is the square of their
        // quotient.
        let root = z.re.cbrt();
        return Complex::new(root, z.im / (3.0 * root * root));
    }
    let n = far(z, 3);
    shifted_both(shifted_both(z, -n).cbrt(), n / 3)
}

/// `norm e^(i angle)`; a zero stays 0 if `norm` overflows.
fn polar(norm: f64, angle: f64) -> Complex64 {
    let (sin, cos) = angle.sin_cos();
    Complex::new(norm * cos, if sin == 0.0 { sin } else { norm * sin })
}
/// `|z|^x`
fn power_of_norm(z: Complex64, x: f64) -> f64 {
    let norm = z.norm();
    if norm.is_normal() || norm == 0.0 || !z.is_finite() {
        return norm.powf(x);
    }
    let exponent = exponent(z);
    let power = shifted_both(z, -exponent).norm().powf(x);
    power * (f64::from(exponent) * x).exp2()
}
/// `z^n` by squaring.
pub(super) fn powi(z: Complex64, n: i32) -> Complex64 {
    let base = if n < 0 { inverse(z) } else { z };
    base.powu(n.unsigned_abs())
}
pub(super) fn powu(z: Complex64, n: u32) -> Complex64 {
    z.powu(n)
}
pub(super) fn powf(z: Complex64, x: f64) -> Complex64 {
    if x == 0.0 || z == Complex64::ZERO {
        return z.powf(x);
    }
    polar(power_of_norm(z, x), x * z.arg())
}
/// A power of the absolute value would amplify its error.
pub(super) fn powc(z: Complex64, w: Complex64) -> Complex64 {
    if w.im == 0.0 {
        return powf(z, w.re);
    }
    let (ln, angle) = (ln_norm(z), z.arg());
    if !ln.is_finite() {
        return z.powc(w);
    }
    let (of_norm, of_angle) = (power_of_norm(z, w.re), (-w.im * angle).exp());
    let norm = match of_norm.is_normal() && of_angle.is_normal() {
        true => of_norm * of_angle,
        false => (w.re * ln - w.im * angle).exp(),
    };
    polar(norm, w.re * angle + w.im * ln)
}
/// `base^z`
pub(super) fn expf(z: Complex64, base: f64) -> Complex64 {
    polar(base.powf(z.re), z.im * base.ln())
}
