//! Elementary functions without branches, tables and calls, so that loops over them are vectorised. They are within one
//! unit in the last place of the standard library.

/// `ln 2` in two parts; the product of the first one with a whole number below `2^20` is exact.
const LN_2: [f64; 2] = [0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10];
/// `1.5 * 2^52`: adding it rounds a small number to a whole one, in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// `2^52`.
const WHOLE: f64 = 4_503_599_627_370_496.0;
/// The bits of the fraction.
const FRACTION: u64 = (1 << 52) - 1;

/// `2^k` for a whole `k` between -1022 and 1023, passed as the low bits of a number.
#[inline(always)]
fn power_of_two(k: u64) -> f64 {
    f64::from_bits(k.wrapping_add(1023) << 52)
}
/// `a * b + c`, rounded once if `FUSED`.
#[inline(always)]
fn mul_add<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}
/// The reduction `x = k ln(2) + r` with `|r| <= ln(2) / 2`: `k` as low bits, and `e^r - 1` by its series, added in
/// pairs to shorten the dependency chain.
#[inline(always)]
fn reduced_exp<const FUSED: bool>(x: f64) -> (u64, f64) {
    let rounded = mul_add::<FUSED>(x, std::f64::consts::LOG2_E, ROUND);
    let k = rounded - ROUND;
    let r = mul_add::<FUSED>(-k, LN_2[1], mul_add::<FUSED>(-k, LN_2[0], x));
    let r2 = r * r;
    let r4 = r2 * r2;
    // (1 / n + r / (n + 1)) / (n - 1)!
    let pair =
        |n: f64, below: f64| mul_add::<FUSED>(r, 1.0 / (below * n * (n + 1.0)), 1.0 / (below * n));
    let low = mul_add::<FUSED>(r2, pair(4.0, 6.0), pair(2.0, 1.0));
    let middle = mul_add::<FUSED>(r2, pair(8.0, 5_040.0), pair(6.0, 120.0));
    let high = mul_add::<FUSED>(r2, pair(12.0, 39_916_800.0), pair(10.0, 362_880.0));
    // 1 / 2! + r / 3! + .. + r^11 / 13!
    let q = mul_add::<FUSED>(r4, mul_add::<FUSED>(r4, high, middle), low);
    (rounded.to_bits(), mul_add::<FUSED>(r2, q, r))
}
/// `e^x = 2^k e^r`.
#[inline(always)]
pub(crate) fn exp<const FUSED: bool>(x: f64) -> f64 {
    // At these bounds the result is zero or infinite.
    let inside = if x < -746.0 { -746.0 } else { x };
    let inside = if inside > 710.0 { 710.0 } else { inside };
    let (k, above_one) = reduced_exp::<FUSED>(inside);
    // In two steps, because `k` or the result may be out of the range of exponents.
    let half = k >> 1;
    let first = power_of_two(half);
    mul_add::<FUSED>(above_one, first, first) * power_of_two(k.wrapping_sub(half))
}
#[inline(always)]
pub(crate) fn has_normal_exp(x: f64) -> bool {
    x.abs() <= 708.0
}
/// [`exp`] for results that are normal and not near the largest number.
#[inline(always)]
pub(crate) fn normal_exp<const FUSED: bool>(x: f64) -> f64 {
    let (k, above_one) = reduced_exp::<FUSED>(x);
    let power = power_of_two(k);
    mul_add::<FUSED>(above_one, power, power)
}
/// `ln(2^k m) = k ln(2) + ln(m)` for a normal number: with `f = m - 1` and `s = f / (2 + f)`, `ln(m)` is `2 s` plus a
/// series in `s^2`. `less` is subtracted from `k`.
#[inline(always)]
fn reduced_ln(x: f64, less: f64) -> f64 {
    // The exponent is counted from the square root of one half.
    let shifted = x
        .to_bits()
        .wrapping_sub(std::f64::consts::FRAC_1_SQRT_2.to_bits());
    let exponent = f64::from_bits((shifted >> 52) & 0xfff | WHOLE.to_bits()) - WHOLE;
    // A number below one has borrowed from the bits above.
    let exponent = if exponent > 2048.0 {
        exponent - 4096.0
    } else {
        exponent
    };
    let k = exponent - less;
    let m = f64::from_bits(
        (shifted & FRACTION).wrapping_add(std::f64::consts::FRAC_1_SQRT_2.to_bits()),
    );
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    // 2 / 3 z + 2 / 5 z^2 + ..
    let mut series = 2.0 / 23.0;
    for n in [21.0, 19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0] {
        series = series * z + 2.0 / n;
    }
    let half_square = 0.5 * f * f;
    let r = z * series;
    let low = s * (half_square + r) + k * LN_2[1];
    k * LN_2[0] - ((half_square - low) - f)
}
#[inline(always)]
pub(crate) fn ln(x: f64) -> f64 {
    let subnormal = x < f64::MIN_POSITIVE;
    let normal = if subnormal { x * (4.0 * WHOLE) } else { x };
    let finite = reduced_ln(normal, if subnormal { 54.0 } else { 0.0 });
    let positive = if x == f64::INFINITY { x } else { finite };
    let defined = if x > 0.0 { positive } else { f64::NEG_INFINITY };
    if x >= 0.0 { defined } else { f64::NAN }
}
#[inline(always)]
pub(crate) fn has_normal_ln(x: f64) -> bool {
    (f64::MIN_POSITIVE..=f64::MAX).contains(&x)
}
/// [`ln`] for a normal, positive number.
#[inline(always)]
pub(crate) fn normal_ln(x: f64) -> f64 {
    reduced_ln(x, 0.0)
}

#[cfg(test)]
mod tests {
    use super::{exp, has_normal_exp, has_normal_ln, ln, normal_exp, normal_ln};

    fn units(a: f64, b: f64) -> u64 {
        if a.is_nan() && b.is_nan() {
            return 0;
        }
        let order = |x: f64| {
            let bits = x.to_bits() as i64;
            if bits < 0 { i64::MIN - bits } else { bits }
        };
        order(a).abs_diff(order(b))
    }
    fn numbers() -> impl Iterator<Item = f64> {
        let special = [
            0.0,
            f64::MIN_POSITIVE,
            5e-324,
            f64::MAX,
            f64::INFINITY,
            f64::NAN,
        ];
        let mut bits = 1_u64;
        // A slow emulator (`.ci/processors`).
        let few = std::env::var_os("ENTAPE_FEW_CASES").is_some();
        let any = (0..if few { 100_000 } else { 1_000_000 }).map(move |_| {
            bits = bits
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            f64::from_bits(bits)
        });
        let near = (-4000..4000).map(|i| 1.0 + f64::from(i) * 1e-4);
        let wide = (-80_000..80_000).map(|i| f64::from(i) * 0.009_37);
        let ends = (0..2000).map(|i| 709.0 + f64::from(i) * 5e-4);
        let all = special
            .into_iter()
            .chain(any)
            .chain(near)
            .chain(wide)
            .chain(ends);
        all.flat_map(|x| [x, -x])
    }
    #[test]
    fn formulas_are_within_one_unit_of_the_standard_library() {
        for x in numbers() {
            for y in [exp::<false>(x), exp::<true>(x)] {
                assert!(units(y, x.exp()) <= 1, "exp({x}) = {y}");
            }
            assert!(units(ln(x), x.ln()) <= 1, "ln({x}) = {}", ln(x));
            if has_normal_exp(x) {
                for y in [normal_exp::<false>(x), normal_exp::<true>(x)] {
                    assert!(units(y, x.exp()) <= 1, "exp({x}) = {y}");
                }
            }
            if has_normal_ln(x) {
                assert_eq!(normal_ln(x), ln(x), "ln({x})");
            }
        }
    }
}
