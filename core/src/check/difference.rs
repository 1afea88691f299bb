//! Derivatives by differences, with a bound for their error.

/// Deterministic random numbers (splitmix64: Steele, Lea, Flood 2014).
pub(super) struct Random(pub(super) u64);
impl Random {
    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// A number of either sign whose absolute value is between 1/2 and 1, so that no coordinate is left out.
    pub(super) fn weight(&mut self) -> f64 {
        let bits = self.bits();
        let size = 0.5 + (bits >> 12) as f64 / (1_u64 << 53) as f64;
        if bits & 1 == 0 { size } else { -size }
    }
    pub(super) fn weights(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.weight()).collect()
    }
    /// A direction in which each coordinate of `point` moves in proportion to its size, so that small steps keep its
    /// sign, but by enough that its derivative is noticed.
    pub(super) fn direction(&mut self, point: &[f64]) -> Vec<f64> {
        let largest = point.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let size = |x: f64| scale(x).max(1e-2 * largest);
        point.iter().map(|&x| self.weight() * size(x)).collect()
    }
}
/// How far a coordinate moves.
pub(super) fn scale(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { x.abs() }
}
pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
/// The sum of the absolute values of the products, to which rounding errors of [`dot`] are relative.
pub(super) fn dot_abs(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x * y).abs()).sum()
}
pub(super) fn moved(x: &[f64], step: f64, v: &[f64]) -> Vec<f64> {
    x.iter().zip(v).map(|(x, v)| x + step * v).collect()
}

/// A derivative by differences.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slope {
    pub(super) value: f64,
    /// A bound of the error of `value`, which holds except by bad luck.
    pub(super) error: f64,
    /// The size of the terms that were subtracted.
    pub(super) size: f64,
}

/// The slopes of a function on both sides of 0, if they differ by a kink: the difference is still there with shorter steps.
pub(super) fn kink(f: impl Fn(f64) -> f64) -> Option<(f64, f64)> {
    let at = f(0.0);
    let sides = |h: f64| ((at - f(-h)) / h, (f(h) - at) / h);
    let jump = |(before, behind): (f64, f64)| (behind - before).abs();
    let (long, short) = (sides(0.5_f64.powi(13)), sides(0.5_f64.powi(20)));
    let stays = jump(short) > 0.5 * jump(long) && jump(short).is_finite();
    let seen = jump(short) > 1e-3 * short.0.abs().max(short.1.abs()).max(1e-6 * at.abs());
    (stays && seen).then_some(short)
}

/// The derivative at 0 of a function that returns its value and the size of the terms in it, which have the
/// relative precision `epsilon`.
///
/// It extrapolates central differences with steps from 1/16 downwards to step 0 (L. F. Richardson; C. J. F. Ridders
/// 1982), and takes the extrapolation that differs least from its neighbours, rounding errors included; that difference
/// is the bound. Steps at which the function is not finite are skipped.
///
/// A function may have kinks between the long steps and the point, as a simulation has where the number of its time steps
/// changes. Long steps can agree on the slope of the whole then, to many digits, and shorter ones contradict. It believes the shorter
/// ones if they agree with each other by far better than with the long ones; if they do not, they are noise.
pub(super) fn slope(epsilon: f64, mut f: impl FnMut(f64) -> (f64, f64)) -> Slope {
    const STEPS: i32 = 18;
    let mut best = Slope {
        value: f64::NAN,
        error: f64::INFINITY,
        size: 0.0,
    };
    // How far the best extrapolation is from the difference that it began with. That of a shorter step is nearer to the slope.
    let mut extrapolated = f64::INFINITY;
    let mut by_long_steps: Option<Slope> = None;
    let mut before: Vec<f64> = Vec::new();
    for k in 4..4 + STEPS {
        let h = 0.5_f64.powi(k);
        let ((up, size_up), (down, size_down)) = (f(h), f(-h));
        let first = (up - down) / (2.0 * h);
        if !first.is_finite() {
            before.clear();
            continue;
        }
        let size = size_up.max(size_down);
        let rounding = epsilon * (size + first.abs()) / h;
        let allowed = (4.0 * extrapolated + 64.0 * rounding).max(1e-5 * first.abs());
        if (first - best.value).abs() > allowed {
            by_long_steps.get_or_insert(best);
            (best.error, extrapolated) = (f64::INFINITY, f64::INFINITY);
            before.clear();
        }
        // The rounding error doubles with each step, up to the variation of the sizes: no later step can be better.
        if rounding > best.error {
            break;
        }
        let (mut row, mut factor) = (vec![first], 1.0);
        for (j, old) in before.iter().enumerate() {
            factor *= 4.0;
            let value = (factor * row[j] - old) / (factor - 1.0);
            row.push(value);
            let error = (value - row[j]).abs().max((value - old).abs()) + 2.0 * rounding;
            if error < best.error {
                best = Slope { value, error, size };
                extrapolated = (value - first).abs();
            }
        }
        before = row;
    }
    match by_long_steps {
        Some(long) if best.error > 1e-3 * (best.value - long.value).abs() => long,
        _ => best,
    }
}
