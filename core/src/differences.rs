//! Derivatives by finite differences, with a bound of their error.
use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// Runs `f`. The error is the message of a panic.
pub fn caught<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|panic| panic_message(&*panic))
}
/// Returns the message of a panic.
pub fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or(panic.downcast_ref::<&str>().copied());
    text.unwrap_or("unknown message").to_owned()
}

/// The faults found in a statement.
#[derive(Debug, Default)]
pub struct Findings {
    /// Whether rules are compared with differences.
    pub compares: bool,
    /// The first fault of a rule.
    pub fault: Option<String>,
    /// Whether a value may differ by rounding.
    pub rounds: bool,
}

/// Deterministic random numbers (splitmix64: Steele, Lea, Flood 2014).
#[derive(Debug)]
pub struct Random(pub u64);
impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// Between 1/2 and 1 in size.
    pub fn weight(&mut self) -> f64 {
        let bits = self.bits();
        let size = 0.5 + (bits >> 12) as f64 / (1_u64 << 53) as f64;
        if bits & 1 == 0 { size } else { -size }
    }
    pub fn weights(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.weight()).collect()
    }
    /// Each coordinate of `point` moves in proportion to its size.
    pub fn direction(&mut self, point: &[f64]) -> Vec<f64> {
        let largest = point.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let size = |x: f64| scale(x).max(1e-2 * largest);
        point.iter().map(|&x| self.weight() * size(x)).collect()
    }
}
pub fn scale(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { x.abs() }
}
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
/// The sum of the absolute products, to which rounding errors of [`dot`] are relative.
pub fn dot_abs(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x * y).abs()).sum()
}
pub fn moved(x: &[f64], step: f64, v: &[f64]) -> Vec<f64> {
    x.iter().zip(v).map(|(x, v)| x + step * v).collect()
}

#[derive(Clone, Copy, Debug)]
pub struct Slope {
    pub value: f64,
    /// An error bound, which holds with high probability.
    pub error: f64,
    /// The part of `error` that is rounding.
    pub noise: f64,
    pub size: f64,
    /// The largest slope between the point and a long step on either side, minus rounding.
    pub nearby: f64,
    pub change: Change,
}
impl Slope {
    pub fn over(self, unit: f64) -> Slope {
        let size = unit.abs();
        Slope {
            value: self.value / unit,
            error: self.error / size,
            noise: self.noise / size,
            size: self.size / size,
            nearby: self.nearby / size,
            change: self.change,
        }
    }
    /// Smaller derivatives cannot be detected.
    pub fn resolution(&self) -> f64 {
        match self.change {
            Change::ByPieces => self.nearby.max(4.0 * self.noise),
            _ => 4.0 * self.noise,
        }
    }
}
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// Equal bits at all steps.
    None,
    /// Only with long steps: piecewise constant, possibly by rounding.
    ByPieces,
    Steady,
}

/// The slopes on both sides of 0 if they differ, also with shorter steps, by more than the rounding of results with the
/// relative precision `epsilon`.
pub fn kink(epsilon: f64, f: impl Fn(f64) -> f64) -> Option<(f64, f64)> {
    let at = f(0.0);
    let mut before: Option<f64> = None;
    let mut same = 0;
    for k in [8, 11, 14, 17, 20] {
        let h = 0.5_f64.powi(k);
        let (down, up) = (f(-h), f(h));
        let sides = ((at - down) / h, (up - at) / h);
        let jump = sides.1 - sides.0;
        let rounding = 64.0 * epsilon * at.abs().max(up.abs()).max(down.abs()) / h;
        let seen = jump.abs() > rounding.max(1e-5 * sides.0.abs().max(sides.1.abs()));
        if !(jump.is_finite() && seen) {
            return None;
        }
        let stays = before.is_some_and(|before| (jump - before).abs() < 0.1 * jump.abs());
        same = if stays { same + 1 } else { 0 };
        before = Some(jump);
        if same == 3 {
            return Some(sides);
        }
    }
    None
}

/// The limit of a sequence whose differences decrease like powers of the step (A. C. Aitken 1926). Even powers do not
/// extrapolate the derivative of `x|x|` at 0.
fn limit([x, y, z]: [f64; 3]) -> Option<f64> {
    let ratio = (z - y) / (y - x);
    (0.1..0.9)
        .contains(&ratio)
        .then(|| z + (z - y) * ratio / (1.0 - ratio))
}

/// Returns the derivative at 0 of a function that returns its value and the size of its terms, which have the relative
/// precision `epsilon`.
///
/// Extrapolates central differences with steps from 1/16 downwards to 0 (L. F. Richardson; C. J. F. Ridders 1982). The
/// best extrapolation differs least from its neighbours, including rounding; this is the bound. Skips steps at which
/// the function is not finite.
///
/// Long steps may cross kinks, for example of the number of time steps, and agree on a slope that shorter steps
/// contradict. These are trusted if they agree with each other much better than with the long ones.
pub fn slope(epsilon: f64, mut f: impl FnMut(f64) -> (f64, f64)) -> Slope {
    const STEPS: i32 = 18;
    let mut best = Slope {
        value: f64::NAN,
        error: f64::INFINITY,
        noise: f64::INFINITY,
        size: 0.0,
        nearby: 0.0,
        change: Change::None,
    };
    // The distance of the best extrapolation from its first difference.
    let mut extrapolated = f64::INFINITY;
    let mut by_long_steps: Option<Slope> = None;
    let mut before: Vec<f64> = Vec::new();
    let (at, _) = f(0.0);
    let (mut nearby, mut change) = (0.0_f64, Change::None);
    let (mut last, mut by_trend) = ([f64::NAN; 3], None::<f64>);
    for k in 4..4 + STEPS {
        let h = 0.5_f64.powi(k);
        let ((up, size_up), (down, size_down)) = (f(h), f(-h));
        let first = (up - down) / (2.0 * h);
        if !first.is_finite() {
            before.clear();
            (last, by_trend) = ([f64::NAN; 3], None);
            continue;
        }
        let size = size_up.max(size_down);
        let rounding = epsilon * (size + first.abs()) / h;
        nearby = nearby.max((up - at).abs().max((down - at).abs()) / h - 64.0 * rounding);
        change = match (change, up == at && down == at) {
            (Change::None, true) => Change::None,
            (_, true) => Change::ByPieces,
            (_, false) => Change::Steady,
        };
        let allowed = (4.0 * extrapolated + 64.0 * rounding).max(1e-5 * first.abs());
        if (first - best.value).abs() > allowed {
            by_long_steps.get_or_insert(best);
            (best.error, extrapolated) = (f64::INFINITY, f64::INFINITY);
            before.clear();
        }
        // The rounding error doubles with each step, up to the variation of the sizes.
        if rounding > best.error {
            break;
        }
        let mut take = |value: f64, differs: f64, by: f64| {
            let noise = 2.0 * rounding;
            if by * (differs + noise) < best.error {
                let error = differs + noise;
                best = Slope {
                    value,
                    error,
                    noise,
                    size,
                    ..best
                };
                extrapolated = (value - first).abs();
            }
        };
        let (mut row, mut factor) = (vec![first], 1.0);
        for (j, old) in before.iter().enumerate() {
            factor *= 4.0;
            let value = (factor * row[j] - old) / (factor - 1.0);
            row.push(value);
            take(value, (value - row[j]).abs().max((value - old).abs()), 1.0);
        }
        before = row;
        last = [last[1], last[2], first];
        let trend = limit(last);
        if let (Some(value), Some(old)) = (trend, by_trend) {
            // Limits may agree by chance.
            take(value, (value - old).abs(), 16.0);
        }
        by_trend = trend;
    }
    let best = match by_long_steps {
        Some(long) if best.error > 1e-3 * (best.value - long.value).abs() => long,
        _ => best,
    };
    Slope {
        nearby,
        change,
        ..best
    }
}
