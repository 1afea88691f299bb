use super::scale::{exponent, shifted_both};
use num_complex::{Complex, Complex64};
use std::f64::consts::LN_2;

/// `a + b` and its rounding error (D. E. Knuth, *The Art of Computer Programming* 2, 4.2.2).
fn sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_of_sum = sum - a;
    (sum, (a - (sum - b_of_sum)) + (b - b_of_sum))
}
/// `x² + y² + z`, as if computed in twice the precision.
fn sum_of_squares(x: f64, y: f64, z: f64) -> f64 {
    let (x2, y2) = (x * x, y * y);
    let (some, rest) = sum(x2, z);
    let (all, last) = sum(some, y2);
    all + (rest + last + x.mul_add(x, -x2) + y.mul_add(y, -y2))
}
pub(super) fn ln_norm(z: Complex64) -> f64 {
    let norm = z.norm();
    if (0.5..2.0).contains(&norm) {
        let (larger, smaller) = (z.re.abs().max(z.im.abs()), z.re.abs().min(z.im.abs()));
        return 0.5 * sum_of_squares(larger, smaller, -1.0).ln_1p();
    }
    if norm.is_normal() || norm == 0.0 || !z.is_finite() {
        return norm.ln();
    }
    let exponent = exponent(z);
    shifted_both(z, -exponent).norm().ln() + f64::from(exponent) * LN_2
}
pub(super) fn ln(z: Complex64) -> Complex64 {
    Complex::new(ln_norm(z), z.arg())
}
pub(super) fn ln_1p(z: Complex64) -> Complex64 {
    let one_more = z + 1.0;
    let angle = one_more.arg();
    if z.re.abs().max(z.im.abs()) < 4.0 {
        // |1 + z|² - 1
        let more = match z.re.abs() > z.im.abs() {
            true => sum_of_squares(z.re, z.im, 2.0 * z.re),
            false => sum_of_squares(z.im, z.re, 2.0 * z.re),
        };
        if more > -0.5 {
            return Complex::new(0.5 * more.ln_1p(), angle);
        }
    }
    Complex::new(ln_norm(one_more), angle)
}
