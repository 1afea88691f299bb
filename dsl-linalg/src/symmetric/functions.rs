use crate::RealNumber;
use entape_core::{
    elementwise::{Dual, Elementwise},
    rule::Order,
};
use nalgebra::ComplexField;

/// A function of real numbers with its derivative, for [symmetric matrices](crate::SymmetricOps::symmetric_function).
///
/// Elementary functions implement this trait, built-in ([`entape_core::op`](mod@entape_core::op)) or custom
/// (`#[op(elementwise)]`, `elementary!`). [`WithSlope`] takes two closures. A custom type may have parameters, and a
/// divided difference without cancellation:
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::{SpectralFunction, prelude::*};
/// use nalgebra::dmatrix;
///
/// /// `1 / (x + shift)`
/// struct Resolvent { shift: f64 }
/// impl SpectralFunction<f64> for Resolvent {
///     fn value(&self, x: f64) -> f64 {
///         1.0 / (x + self.shift)
///     }
///     fn slope(&self, x: f64) -> f64 {
///         -self.value(x) * self.value(x)
///     }
///     fn divided_difference(&self, x: f64, y: f64) -> f64 {
///         -self.value(x) * self.value(y)
///     }
/// }
/// let mut tape = Tape::new();
/// let a = tape.input(dmatrix![1.0, 0.0; 0.0, 1.0]);
/// let y = tape.record(|| a.symmetric_function(Resolvent { shift: 1.0 }).trace().eval());
/// assert_eq!(tape.gradient(&y)?.wrt(&a)?, dmatrix![-0.25, 0.0; 0.0, -0.25]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait SpectralFunction<T: RealNumber>: 'static {
    /// Returns the value of the function at `x`.
    fn value(&self, x: T) -> T;
    /// Returns the derivative at `x`.
    fn slope(&self, x: T) -> T;
    /// The highest order of derivatives: [`Order::Second`] if you implement [`curvature`](Self::curvature).
    const ORDER: Order = Order::Tangent;
    /// Returns the second derivative, if [`ORDER`](Self::ORDER) declares it.
    fn curvature(&self, x: T) -> T {
        let _ = x;
        unreachable!("a function with this `ORDER` defines `curvature`")
    }
    /// Returns `(f(x) - f(y)) / (x - y)`, and the derivative if `x = y`.
    ///
    /// If much cancels, this is the mean of the derivative by the rules of Gauss and Kronrod (Kronrod 1965) with 7 and
    /// 15 points, if these agree up to the quotient's error.
    fn divided_difference(&self, x: T, y: T) -> T {
        if x == y {
            return self.slope(x);
        }
        let (of_x, of_y) = (self.value(x), self.value(y));
        let quotient = quotient(of_x, of_y, x, y);
        let size = of_x.norm1() + of_y.norm1();
        // Up to this bound a digit is lost.
        if (of_x - of_y).norm1() * T::of(16.0) >= size {
            return quotient;
        }
        let (mean, error) = mean(x, y, |x| self.slope(x));
        let rounding = size + mean.norm1() * (x.norm1() + y.norm1());
        let lost = rounding / (x - y).norm1() * T::of(4.0 * T::EPSILON);
        if error <= lost { mean } else { quotient }
    }
}

/// The second divided difference at three points in any order: `(f[x, y] - f[y, z]) / (x - z)`, or half of the second
/// derivative if all are equal.
///
/// If much cancels, this is the integral of the second derivative over the triangle of the means of the points (Ch.
/// Hermite and A. Genocchi), by products of the rules of Gauss and Kronrod, if these agree.
pub(super) fn second_difference<T: RealNumber>(f: &impl SpectralFunction<T>, at: [T; 3]) -> T {
    let [mut x, mut y, mut z] = at;
    (x, y) = ordered(x, y);
    (y, z) = ordered(y, z);
    (x, y) = ordered(x, y);
    if x == z {
        return f.curvature(x) * T::of(0.5);
    }
    let (upper, lower) = (f.divided_difference(x, y), f.divided_difference(y, z));
    let quotient = quotient(upper, lower, x, z);
    let size = upper.norm1() + lower.norm1();
    // Up to this bound a digit is lost.
    if (upper - lower).norm1() * T::of(16.0) >= size {
        return quotient;
    }
    // The mean over v, and then over u, of u * f''(x + u * (y - x + v * (z - y))).
    let mut error = T::of(0.0);
    let (one, zero) = (T::of(1.0), T::of(0.0));
    let (integral, outer) = mean(zero, one, |u| {
        let (of_u, inner) = mean(zero, one, |v| f.curvature(x - u * ((x - y) + v * (y - z))));
        if inner > error {
            error = inner;
        }
        u * of_u
    });
    let rounding = size + integral.norm1() * (x.norm1() + z.norm1());
    let lost = rounding / (x - z).norm1() * T::of(4.0 * T::EPSILON);
    if error + outer <= lost {
        integral
    } else {
        quotient
    }
}
/// `(a - b) / (x - y)`, also if a difference is out of range.
fn quotient<T: RealNumber>(a: T, b: T, x: T, y: T) -> T {
    let (half, (up, right)) = (T::of(0.5), (a - b, x - y));
    match ComplexField::is_finite(&up) && ComplexField::is_finite(&right) {
        true => up / right,
        false => (a * half - b * half) / (x * half - y * half),
    }
}
/// The mean by Kronrod's rule, and its difference from Gauss' one.
fn mean<T: RealNumber>(x: T, y: T, mut f: impl FnMut(T) -> T) -> (T, T) {
    let half = T::of(0.5);
    // The sum may be out of range.
    let (middle, reach) = (x * half + y * half, x * half - y * half);
    let at_middle = f(middle);
    let (mut kronrod, mut gauss) = (
        at_middle * T::of(MIDDLE.kronrod),
        at_middle * T::of(MIDDLE.gauss),
    );
    for point in &POINTS {
        let away = reach * T::of(point.at);
        let both = f(middle - away) + f(middle + away);
        kronrod += both * T::of(point.kronrod);
        gauss += both * T::of(point.gauss);
    }
    (kronrod * half, ((kronrod - gauss) * half).norm1())
}
/// A point with its weights in the rules with 15 and with 7 points.
struct QuadraturePoint {
    at: f64,
    kronrod: f64,
    gauss: f64,
}
const fn point(at: f64, kronrod: f64, gauss: f64) -> QuadraturePoint {
    QuadraturePoint { at, kronrod, gauss }
}
/// From the tables of Piessens, de Doncker-Kapenga, Überhuber and Kahaner 1983.
const MIDDLE: QuadraturePoint = point(0.0, 0.209_482_141_084_727_83, 0.417_959_183_673_469_4);
const POINTS: [QuadraturePoint; 7] = [
    point(0.207_784_955_007_898_47, 0.204_432_940_075_298_9, 0.0),
    point(
        0.405_845_151_377_397_2,
        0.190_350_578_064_785_4,
        0.381_830_050_505_118_9,
    ),
    point(0.586_087_235_467_691_1, 0.169_004_726_639_267_9, 0.0),
    point(
        0.741_531_185_599_394_4,
        0.140_653_259_715_525_92,
        0.279_705_391_489_276_67,
    ),
    point(0.864_864_423_359_769_1, 0.104_790_010_322_250_18, 0.0),
    point(
        0.949_107_912_342_758_5,
        0.063_092_092_629_978_55,
        0.129_484_966_168_869_7,
    ),
    point(0.991_455_371_120_812_6, 0.022_935_322_010_529_224, 0.0),
];

impl<T: RealNumber, O: Elementwise<1>> SpectralFunction<T> for O {
    fn value(&self, x: T) -> T {
        T::piece(self.primal([T::lane(x)]))
    }
    fn slope(&self, x: T) -> T {
        if !O::FLOWS[0] {
            return T::of(0.0);
        }
        let x = [T::lane(x)];
        T::piece(self.adjoint(0, x, self.primal(x), T::lane(T::of(1.0))))
    }
    const ORDER: Order = Order::Second;
    fn curvature(&self, x: T) -> T {
        if !O::FLOWS[0] {
            return T::of(0.0);
        }
        let dual = |value: T, tangent: f64| Dual {
            value: T::lane(value),
            tangents: [T::lane(T::of(tangent))],
        };
        let x = [dual(x, 1.0)];
        let slope = self.adjoint(0, x, self.primal(x), dual(T::of(1.0), 0.0));
        T::piece(slope.tangents[0])
    }
}

/// A function and its derivative as closures. A custom type can also have a [second
/// derivative](SpectralFunction::curvature).
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::dmatrix;
///
/// let mut tape = Tape::new();
/// let a = tape.input(dmatrix![0.0, 0.0; 0.0, 0.0]);
/// let y = tape.record(|| {
///     let swish = |x: f64| x / (1.0 + (-x).exp());
///     let slope = |x: f64| {
///         let s = 1.0 / (1.0 + (-x).exp());
///         s + x * s * (1.0 - s)
///     };
///     a.symmetric_function(WithSlope(swish, slope)).at((1, 0)).eval()
/// });
/// // The derivative of the function at 0, which is the value of both eigenvalues.
/// assert_eq!(tape.gradient(&y)?.wrt(&a)?, dmatrix![0.0, 0.0; 0.5, 0.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct WithSlope<F, D>(pub F, pub D);
impl<T: RealNumber, F: Fn(T) -> T + 'static, D: Fn(T) -> T + 'static> SpectralFunction<T>
    for WithSlope<F, D>
{
    fn value(&self, x: T) -> T {
        (self.0)(x)
    }
    fn slope(&self, x: T) -> T {
        (self.1)(x)
    }
}

/// The exponential.
#[derive(Clone, Copy, Debug)]
pub struct Exp;
impl<T: RealNumber> SpectralFunction<T> for Exp {
    fn value(&self, x: T) -> T {
        ComplexField::exp(x)
    }
    fn slope(&self, x: T) -> T {
        ComplexField::exp(x)
    }
    const ORDER: Order = Order::Second;
    fn curvature(&self, x: T) -> T {
        ComplexField::exp(x)
    }
    fn divided_difference(&self, x: T, y: T) -> T {
        let (larger, smaller) = ordered(x, y);
        let gap = larger - smaller;
        match gap == T::of(0.0) {
            true => self.slope(x),
            false => ComplexField::exp(larger) * (-ComplexField::exp_m1(-gap) / gap),
        }
    }
}
/// The natural logarithm.
#[derive(Clone, Copy, Debug)]
pub struct Ln;
impl<T: RealNumber> SpectralFunction<T> for Ln {
    fn value(&self, x: T) -> T {
        ComplexField::ln(x)
    }
    fn slope(&self, x: T) -> T {
        T::of(1.0) / x
    }
    const ORDER: Order = Order::Second;
    fn curvature(&self, x: T) -> T {
        T::of(-1.0) / x / x
    }
    fn divided_difference(&self, x: T, y: T) -> T {
        match x == y {
            true => self.slope(x),
            false => ln_of_ratio(x, y) / (x - y),
        }
    }
}
/// Numbers up to `least` count as zero.
#[derive(Clone, Copy, Debug)]
pub struct Sqrt<T> {
    pub(super) least: T,
}
impl<T: RealNumber> SpectralFunction<T> for Sqrt<T> {
    fn value(&self, x: T) -> T {
        ComplexField::sqrt(above(self.least, x))
    }
    fn slope(&self, x: T) -> T {
        self.divided_difference(x, x)
    }
    const ORDER: Order = Order::Second;
    fn curvature(&self, x: T) -> T {
        let root = self.value(x);
        T::of(-0.25) / root / root / root
    }
    fn divided_difference(&self, x: T, y: T) -> T {
        T::of(1.0) / (self.value(x) + self.value(y))
    }
}
/// Numbers up to `least` count as zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct Power<T> {
    pub(super) exponent: T,
    pub(super) least: T,
}
impl<T: RealNumber> SpectralFunction<T> for Power<T> {
    fn value(&self, x: T) -> T {
        ComplexField::powf(above(self.least, x), self.exponent)
    }
    fn slope(&self, x: T) -> T {
        let (p, one) = (self.exponent, T::of(1.0));
        match p == T::of(0.0) {
            true => p,
            false => p * ComplexField::powf(above(self.least, x), p - one),
        }
    }
    const ORDER: Order = Order::Second;
    fn curvature(&self, x: T) -> T {
        let (p, one) = (self.exponent, T::of(1.0));
        match p == T::of(0.0) || p == one {
            true => T::of(0.0),
            false => p * (p - one) * ComplexField::powf(above(self.least, x), p - one - one),
        }
    }
    // With x > y, because x^p - y^p does not cancel in them:
    // x^(p - 1) * (1 - (y / x)^p) * x / (x - y) for p > 0,  -y^p * (1 - (x / y)^p) / (x - y) for p < 0
    fn divided_difference(&self, x: T, y: T) -> T {
        let (x, y) = ordered(above(self.least, x), above(self.least, y));
        let (p, zero) = (self.exponent, T::of(0.0));
        if x == y || p == zero {
            return self.slope(x);
        }
        let share = -ComplexField::exp_m1(-p.norm1() * ln_of_ratio(x, y));
        match p > zero {
            true => ComplexField::powf(x, p - T::of(1.0)) * (share * (x / (x - y))),
            false => -ComplexField::powf(y, p) * (share / (x - y)),
        }
    }
}
impl<T: RealNumber> Power<T> {
    /// The derivative with respect to the exponent, with the convention of numbers for `0^p`.
    pub(super) fn slope_of_exponent(&self, x: T) -> T {
        let (x, zero) = (above(self.least, x), T::of(0.0));
        match x == zero && self.exponent >= zero {
            true => zero,
            false => self.value(x) * ComplexField::ln(x),
        }
    }
}

impl<T: RealNumber> Power<T> {
    pub(super) fn curvature_of_exponent(&self, x: T) -> T {
        let (x, zero) = (above(self.least, x), T::of(0.0));
        match x == zero && self.exponent >= zero {
            true => zero,
            false => self.value(x) * ComplexField::ln(x) * ComplexField::ln(x),
        }
    }
}
/// `x^p * ln(x)`.
#[derive(Clone, Copy, Debug)]
pub(super) struct LogPower<T>(pub(super) Power<T>);
impl<T: RealNumber> SpectralFunction<T> for LogPower<T> {
    fn value(&self, x: T) -> T {
        self.0.slope_of_exponent(x)
    }
    fn slope(&self, x: T) -> T {
        let Power { exponent, least } = self.0;
        let x = above(least, x);
        let power = ComplexField::powf(x, exponent - T::of(1.0));
        power * (exponent * ComplexField::ln(x) + T::of(1.0))
    }
}

fn above<T: RealNumber>(least: T, x: T) -> T {
    if x <= least { T::of(0.0) } else { x }
}
fn ordered<T: RealNumber>(x: T, y: T) -> (T, T) {
    if x > y { (x, y) } else { (y, x) }
}
/// `ln(x / y)` of positive numbers, accurate for close ones.
fn ln_of_ratio<T: RealNumber>(x: T, y: T) -> T {
    let (larger, smaller) = ordered(x, y);
    let ratio = larger / smaller;
    let ln = if ratio < T::of(2.0) {
        ComplexField::ln_1p((larger - smaller) / smaller)
    } else if ComplexField::is_finite(&ratio) {
        ComplexField::ln(ratio)
    } else {
        ComplexField::ln(larger) - ComplexField::ln(smaller)
    };
    if x > y { ln } else { -ln }
}
