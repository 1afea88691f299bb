//! Exponential and hyperbolic functions, and by `i z` trigonometric ones.
use super::{inverse, turned, turned_back};
use num_complex::{Complex, Complex64};
use std::f64::consts::{LN_2, TAU};

/// `e^x` is near the largest number above this `x`.
const LARGE: f64 = 700.0;
/// `e^(-2x)` vanishes beside 1 above this `x`.
const FLAT: f64 = 20.0;

/// `k e^x z`, for a large `x` whose exponential may overflow.
fn grown(x: f64, z: Complex64, k: f64) -> Complex64 {
    // Half the exponent is exact, unlike a third.
    match x <= 2.0 * LARGE {
        true => z * (0.5 * x).exp() * (k * (0.5 * x).exp()),
        false => z * LARGE.exp() * LARGE.exp() * LARGE.exp(),
    }
}

pub(super) fn exp(z: Complex64) -> Complex64 {
    match z.re > LARGE && z.im.is_finite() {
        true => grown(z.re, Complex::cis(z.im), 1.0),
        false => z.exp(),
    }
}
/// `2^z`
pub(super) fn exp2(z: Complex64) -> Complex64 {
    /// `ln 2` minus its nearest `f64`.
    const REST: f64 = 2.319_046_813_846_299_6e-17;
    if z.im != 0.0 && z.im.abs() < 1e-100 {
        // Multiplied first, a subnormal part would lose digits.
        let (power, half) = (z.re.exp2(), (0.5 * z.re).exp2());
        let im = match power.is_finite() {
            true => z.im * power,
            false => z.im * half * half,
        };
        return Complex::new(power, im * LN_2);
    }
    let direction = match z.im.abs() >= 1.0 && z.im.is_finite() {
        true => {
            let (quarters, angle) = angle_of_power(z.im);
            let (sin, cos) = angle.sin_cos();
            match quarters {
                0 => Complex::new(cos, sin),
                1 => Complex::new(-sin, cos),
                2 => Complex::new(-cos, -sin),
                _ => Complex::new(sin, -cos),
            }
        }
        false => {
            let angle = z.im * LN_2;
            let rest = z.im.mul_add(LN_2, -angle) + z.im * REST;
            Complex::cis(angle) * Complex::cis(rest)
        }
    };
    if z.re.is_nan() || z.re <= 1000.0 {
        return direction * z.re.exp2();
    }
    // The difference is exact, and only overflowing results make products overflow.
    let rest = (z.re.min(2200.0) - 1536.0).exp2();
    direction * 512_f64.exp2() * 511_f64.exp2() * rest * 513_f64.exp2()
}
/// The angle `y ln(2)` as quarter turns and a remainder, in whole numbers: the 53 bits of `y` times `ln(2) / 2π`,
/// without bits of whole turns (Payne and Hanek 1983).
fn angle_of_power(y: f64) -> (u8, f64) {
    let bits = y.abs().to_bits();
    let exponent = (bits >> 52) as i32 - 1075;
    let digits = u128::from((bits & ((1 << 52) - 1)) | (1 << 52));
    // 192 bits after whole turns.
    let [high, middle, low] = [0, 64, 128].map(|at| u128::from(turn_bits(exponent + at)));
    let low = digits * low;
    let middle = digits * middle + (low >> 64);
    let high = (digits * high + (middle >> 64)) as u64;
    let turns = (u128::from(high) << 64) | u128::from(middle as u64);
    let quarters = turns.wrapping_add(1 << 125) >> 126;
    let rest = turns.wrapping_sub(quarters << 126) as i128;
    let rest = rest as f64 * 0.5_f64.powi(128) * TAU;
    match y < 0.0 {
        true => (quarters.wrapping_neg() as u8 & 3, -rest),
        false => (quarters as u8 & 3, rest),
    }
}
/// The 64 bits of `ln(2) / 2π` from bit `at` after the point; bits before the point are 0.
fn turn_bits(at: i32) -> u64 {
    let word = |i: i32| usize::try_from(i).ok().and_then(|i| TURN.get(i)).copied();
    let (i, shift) = (at.div_euclid(64), at.rem_euclid(64));
    let [first, second] = [i, i + 1].map(|i| u128::from(word(i).unwrap_or(0)));
    ((((first << 64) | second) << shift) >> 64) as u64
}
/// `ln(2) / 2π`
const TURN: [u64; 19] = [
    0x1c3d_c98f_7e96_9bbb,
    0x2d82_160b_957f_bcf7,
    0x6384_efb3_4752_570d,
    0x875c_804e_baa7_e3f2,
    0x9dba_19bf_26d2_2f92,
    0x057d_72db_f62f_b884,
    0x40e5_36cc_0835_bad4,
    0x8c3f_ea6b_a432_f1cd,
    0x544d_633b_59f0_36cf,
    0x1243_456f_7646_8a7d,
    0x5a09_00ab_d7a3_e708,
    0xeffc_572f_1c7c_17fb,
    0x7f82_ec18_8aa3_23d9,
    0xdcc2_7116_9d40_8a0a,
    0xbab4_3090_d715_49ee,
    0xdd67_cd17_8b41_8a3a,
    0x2c69_58e8_94f9_8a46,
    0x3a97_ff6a_fab0_351e,
    0x73fb_6c6d_bf1e_2d0e,
];
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
/// `1 / cosh²(z)`, the slope of `tanh` where its value lacks digits.
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
