//! A number of twice the precision, as written by an author of a DSL.
use approx::assert_abs_diff_eq;
use entape::{
    core::{check, lane_operators},
    driver::value_and_gradient,
    expr::Active,
    kind, op,
    real::{Elementary, RealKind, Reals, number},
};

/// The exact sum of two numbers of double precision (T. J. Dekker 1971, D. E. Knuth 1969).
#[kind(real(sqrt), sample(value = DoubleDouble::from(0.7)))]
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct DoubleDouble {
    high: f64,
    low: f64,
}
fn sum(a: f64, b: f64) -> DoubleDouble {
    let high = a + b;
    let of_b = high - a;
    let low = (a - (high - of_b)) + (b - of_b);
    DoubleDouble { high, low }
}
fn product(a: f64, b: f64) -> DoubleDouble {
    let high = a * b;
    let low = a.mul_add(b, -high);
    DoubleDouble { high, low }
}
fn quotient(x: DoubleDouble, y: DoubleDouble) -> DoubleDouble {
    let first = x.high / y.high;
    let second = (x - y * first.into()).high / y.high;
    let third = (x - y * sum(first, second)).high / y.high;
    sum(first, second) + third.into()
}
lane_operators! { |x, y| impl[] DoubleDouble {
    add: { let (s, t) = (sum(x.high, y.high), sum(x.low, y.low)); let u = sum(s.high, s.low + t.high); sum(u.high, u.low + t.low) },
    sub: x + -y,
    mul: { let p = product(x.high, y.high); sum(p.high, p.low + (x.high * y.low + x.low * y.high)) },
    div: quotient(x, y),
    neg: DoubleDouble { high: -x.high, low: -x.low },
} }
impl From<f64> for DoubleDouble {
    fn from(high: f64) -> Self {
        DoubleDouble { high, low: 0.0 }
    }
}
impl From<DoubleDouble> for f64 {
    fn from(x: DoubleDouble) -> f64 {
        x.high + x.low
    }
}
impl DoubleDouble {
    fn sqrt(self) -> Self {
        let root = Self::from(self.high.sqrt());
        root + (self - root * root) / (root + root)
    }
}

fn f<K: RealKind>(x: Active<K>) -> Active<K> {
    let y = (x + number(1.0)).eval();
    (number(1.0) / (y * y) + (x.powi(4) + number(2.0)).sqrt() + (-x).abs().max(y)).eval()
}

#[test]
fn value_and_gradient_have_twice_the_precision() {
    let x = DoubleDouble::from(1.0) / 3.0.into();
    let (value, slope) = value_and_gradient(f, x).unwrap();
    let ((value_f64, slope_f64), one): ((f64, f64), _) = (
        value_and_gradient(f, 1.0 / 3.0).unwrap(),
        DoubleDouble::from(1.0),
    );
    assert_abs_diff_eq!(f64::from(value), value_f64, epsilon = 1e-15);
    assert_abs_diff_eq!(f64::from(slope), slope_f64, epsilon = 1e-15);
    // The exact value, by plain numbers: 9/16 + sqrt(1/81 + 2) + 4/3; and its slope.
    let root = (one / 81.0.into() + 2.0.into()).sqrt();
    let exact = DoubleDouble::from(9.0) / 16.0.into() + root + DoubleDouble::from(4.0) / 3.0.into();
    let third = DoubleDouble::from(4.0) / 27.0.into();
    let exact_slope = -DoubleDouble::from(27.0) / 32.0.into() + third / (root + root) + one;
    for (got, want) in [(value, exact), (slope, exact_slope)] {
        let error = f64::from(got - want).abs();
        assert!(error < 1e-30, "{got:?} instead of {want:?}: {error:e}");
    }
    let square = f64::from(root * root - (one / 81.0.into() + 2.0.into())).abs();
    assert!(square < 1e-30, "{square:e}");
}

#[test]
fn lists_reals_and_functions_mix() {
    let g = |x: &[Active<DoubleDouble>]| (2.0 * x.norm_of_squares() / x[0]).eval();
    let x = [0.1, 0.7].map(DoubleDouble::from);
    let (_, slope) = value_and_gradient(g, &x[..]).unwrap();
    let exact = x[1] * x[1] / (x[0] * x[0]);
    let error = f64::from(slope[0] - (DoubleDouble::from(2.0) - exact * 2.0.into()));
    assert!(error.abs() < 1e-28, "{error:e}");
    check::assert_rule(&op::Sqrt, (x[1],));
}
trait Squares {
    fn norm_of_squares(&self) -> Active<DoubleDouble>;
}
impl Squares for [Active<DoubleDouble>] {
    fn norm_of_squares(&self) -> Active<DoubleDouble> {
        let squares: Vec<_> = self.iter().map(|x| (x * x).eval()).collect();
        squares.sum().eval()
    }
}
