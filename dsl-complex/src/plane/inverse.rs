use super::{inverse, logarithm::ln_norm, root::sqrt, turned, turned_back};
use num_complex::{Complex, Complex64};
use std::f64::consts::{FRAC_PI_2, LN_2};

/// `z²` vanishes beside 1 below this size, and 1 beside `z²` above its inverse.
const SMALL: f64 = 1e-9;
const LARGE: f64 = 1e9;

/// `√(1 - z)` and `√(1 + z)`. Unlike `√(1 - z²)`, products keep digits near 1 and -1, and the sign of a zero beside a
/// cut.
fn roots(z: Complex64) -> (Complex64, Complex64) {
    let minus = Complex::new(1.0 - z.re, -z.im);
    let plus = Complex::new(1.0 + z.re, z.im);
    (sqrt(minus), sqrt(plus))
}
fn larger_part(z: Complex64) -> f64 {
    z.re.abs().max(z.im.abs())
}
/// Kahan 1987.
pub(super) fn asin(z: Complex64) -> Complex64 {
    let larger = larger_part(z);
    if larger < SMALL {
        z
    } else if larger > LARGE {
        let im = LN_2 + ln_norm(z);
        Complex::new(z.re.atan2(z.im.abs()), im.copysign(z.im))
    } else {
        let (minus, plus) = roots(z);
        Complex::new(
            z.re.atan2(minus.re * plus.re - minus.im * plus.im),
            (minus.re * plus.im - minus.im * plus.re).asinh(),
        )
    }
}
/// Kahan 1987.
pub(super) fn acos(z: Complex64) -> Complex64 {
    let larger = larger_part(z);
    if larger < SMALL {
        Complex::new(FRAC_PI_2 - z.re, -z.im)
    } else if larger > LARGE {
        let im = LN_2 + ln_norm(z);
        Complex::new(z.im.abs().atan2(z.re), -im.copysign(z.im))
    } else {
        let (minus, plus) = roots(z);
        Complex::new(
            2.0 * minus.re.atan2(plus.re),
            (plus.re * minus.im - plus.im * minus.re).asinh(),
        )
    }
}
pub(super) fn acosh(z: Complex64) -> Complex64 {
    let acos = acos(z);
    Complex::new(acos.im.abs(), acos.re.copysign(z.im))
}
pub(super) fn asinh(z: Complex64) -> Complex64 {
    turned_back(asin(turned(z)))
}
/// Kahan 1987.
pub(super) fn atanh(z: Complex64) -> Complex64 {
    let larger = larger_part(z);
    if larger < SMALL {
        return z;
    }
    if larger > 1e150 {
        return Complex::new(inverse(z).re, FRAC_PI_2.copysign(z.im));
    }
    let (x, y) = (z.re.abs(), z.im);
    let re = if x == 1.0 && y.abs() < SMALL {
        // The square of y may underflow.
        0.5 * (LN_2 - y.abs().ln())
    } else {
        0.25 * (4.0 * x / ((1.0 - x) * (1.0 - x) + y * y)).ln_1p()
    };
    let im = 0.5 * (2.0 * y).atan2((1.0 - x) * (1.0 + x) - y * y);
    Complex::new(re.copysign(z.re), im)
}
pub(super) fn atan(z: Complex64) -> Complex64 {
    turned_back(atanh(turned(z)))
}
