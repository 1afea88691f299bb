//! The table of elementary and special functions. For points without a derivative see [the
//! conventions](crate::real#conventions).
//!
//! Formulas read the result where this saves a function call, and the argument where the result has lost digits of the
//! slope (`exp_m1` near -1, products that overflow). `tanh` reads the result: near 1 its error is small compared with
//! 1, but not with the slope.
use crate::{
    elementwise::{
        ElementEvaluation, ElementKind, Elementwise, FieldLane, Kink, Lane,
        arithmetic::{Mul, Neg, Sub},
    },
    eval::Whole,
    expr::{Active, unary},
    kind::{Arg, Incoming, Policy, Val, arg},
    rule::{ArgumentTangent, Order, Primals, R, Rule, Sink, Sinks},
    store::Stash,
};
use std::f64::consts::{FRAC_2_SQRT_PI, LN_2, LOG2_E, LOG10_E, PI};

/// Without loss of digits near 1.
#[inline(always)]
fn one_minus_square<L: FieldLane>(x: L) -> L {
    (x.one() - x) * (x.one() + x)
}
#[inline(always)]
fn slope_of_abs<L: Lane>(x: L) -> L {
    x.one().copysign(x).unless(x.equal(x.zero()))
}
#[inline(always)]
fn max_is_first<L: Lane>(x: L, y: L) -> L::Mask {
    y.less_eq(x) | y.is_nan()
}
#[inline(always)]
fn min_is_first<L: Lane>(x: L, y: L) -> L::Mask {
    x.less_eq(y) | y.is_nan()
}
/// Whether `a^b` is 1 for all `a`, and the formula of its slope is zero times infinity.
#[inline(always)]
fn is_constant_power<L: Lane>(a: L, b: L) -> L::Mask {
    let regular = overflow(a).equal(a.zero()) & !a.equal(a.zero());
    b.equal(b.zero()) & !regular
}
/// `b * a^(b - 1)`.
#[inline(always)]
fn slope_of_power<L: Lane>(a: L, b: L) -> L {
    let root = b.zero().less(b) & b.less(b.one());
    b * a.powf(b.plus(-1.0)) + overflow(a).only(root)
}
/// 0, or NaN where `x` is infinite: after an overflow, a slope of 0 would suggest a stationary point.
#[inline(always)]
#[allow(clippy::eq_op)] // an infinite number minus itself is NaN
fn overflow<L: FieldLane>(x: L) -> L {
    x - x
}
/// `x / (x² + y²)` without overflow, 0 where both are 0.
#[inline(always)]
fn over_square<L: Lane>(x: L, y: L) -> L {
    let h = x.hypot(y);
    let zero = h.equal(h.zero());
    (x / h / h).unless(zero).kinked(zero, x).kinked(zero, y)
}

crate::elementary! {
    /// Elementary functions as methods of operands: variables, expressions, places. They have the names of `f64`. Below, `a` is
    /// the operand, and `b` and `c` are arguments, which may be plain numbers: `x.powf(2.5)`. [The
    /// conventions](crate::real#conventions) list the adjoints at points without a derivative.
    ///
    /// A function applies to kinds with a [rule](crate::rule::Rule) for its operation in [`op`](mod@crate::op), and to
    /// all kinds of numbers.
    ///
    /// ```
    /// use entape_core::{expr::Active, mode::Plain, real::Elementary};
    ///
    /// let x = Active::<f64, Plain>::passive(0.5);
    /// let y = ((x.sin().powi(2) + x.cos().powi(2)).ln().abs() + x).max(0.25).eval();
    /// assert_eq!(y.value(), 0.5);
    /// ```
    pub trait Elementary {
        /// Returns the sine and the cosine, in one statement.
        ///
        /// ```
        /// use entape_core::{expr::Active, real::Elementary, tape::Tape};
        ///
        /// let mut tape = Tape::new();
        /// let x = tape.input(0.0);
        /// let y = tape.record(|| {
        ///     let (s, c) = x.sin_cos();
        ///     (s + 2.0 * c).eval()
        /// });
        /// assert_eq!(tape.gradient(&y)?.wrt(&x)?, 1.0);
        /// # Ok::<(), entape_core::tape::Error>(())
        /// ```
        #[inline]
        #[track_caller]
        fn sin_cos(self) -> (Active<Self::Kind, M>, Active<Self::Kind, M>)
        where
            Self: crate::expr::Operand<M>,
            SinCos: Rule<Self::Kind, Out = (Self::Kind, Self::Kind)>,
        {
            unary::<_, M, Self>(SinCos, self).split()
        }
    }; |r_b|

    /// The square root.
    // The added zero makes the slope at `-0.0` positive.
    Sqrt(a) as sqrt = a.sqrt() => holomorphic { a_b[r] += r_b / (r + r + overflow(r)); }
    /// The cube root.
    Cbrt(a) as cbrt = a.cbrt() => dear holomorphic { a_b[r] += r_b / ((r * r).times(3.0) + overflow(r)); }
    /// The reciprocal, `1 / a`.
    Recip(a) as recip = a.recip() => holomorphic { a_b[r] += -r_b * r * r; }
    /// The power `a^n` with a passive whole exponent.
    Powi { n: i32 } (a) as powi = a.powi(n) => holomorphic {
        a_b[a] += match n.checked_sub(1) {
            _ if n == 0 => r_b.zero(),
            Some(less) => r_b * a.powi(less).times(n.into()),
            None => r_b * (a.powi(n) / a).times(n.into()),
        };
    }
    /// The power `a^b`.
    Powf(a, b) as powf = a.powf(b) => dear {
        a_b[a, b] += {
            let constant = is_constant_power(a, b);
            r_b.times_power(slope_of_power(a, b), a).unless(constant).kinked(constant, b)
        };
        b_b[a, b, r] += {
            let zero = a.equal(a.zero()) & b.zero().less_eq(b);
            let slope = (r_b * r * a.ln()).unless(zero);
            slope.kinked(zero & b.less_eq(b.one()), a).kinked(zero & b.equal(b.zero()), b)
        };
    }
    /// The square root of `a² + b²`, without overflow.
    Hypot(a, b) as hypot = a.hypot(b) => dear kink {
        a_b[a, r] += (r_b * (a / r + overflow(r))).unless(r.equal(r.zero()));
        b_b[b, r] += (r_b * (b / r + overflow(r))).unless(r.equal(r.zero()));
    }

    /// The exponential function `e^a`.
    Exp(a) as exp = a.exp() => dear holomorphic { a_b[r] += r_b * r; }
    /// The power of two, `2^a`.
    Exp2(a) as exp2 = a.exp2() => dear holomorphic { a_b[r] += r_b * r.times(LN_2); }
    /// `exp(a) - 1`, accurate for small arguments.
    ExpM1(a) as exp_m1 = a.exp_m1() => dear { a_b[a] += r_b * a.exp(); }
    /// The natural logarithm.
    Ln(a) as ln = a.ln() => dear holomorphic { a_b[a] += r_b / (a + overflow(a)); }
    /// The logarithm to the base `b`, `ln(a) / ln(b)`.
    Log(a, b) as log = a.ln() / b.ln() => dear {
        // The product of the divisors may overflow.
        a_b[a, b] += r_b / b.ln() / (a + overflow(a));
        b_b[b, r] += -r_b * r / b.ln() / b;
    }
    /// The logarithm to the base 2.
    Log2(a) as log2 = a.log2() => dear holomorphic { a_b[a] += r_b.times(LOG2_E) / (a + overflow(a)); }
    /// The logarithm to the base 10.
    Log10(a) as log10 = a.log10() => dear holomorphic { a_b[a] += r_b.times(LOG10_E) / (a + overflow(a)); }
    /// `ln(1 + a)`, accurate for small arguments.
    Ln1p(a) as ln_1p = a.ln_1p() => dear { a_b[a] += r_b / (a.plus(1.0) + overflow(a)); }

    /// The sine.
    Sin(a) as sin = a.sin() => dear holomorphic { a_b[a] += r_b * a.cos(); }
    /// The cosine.
    Cos(a) as cos = a.cos() => dear holomorphic { a_b[a] += -r_b * a.sin(); }
    /// The tangent.
    Tan(a) as tan = a.tan() => dear { a_b[r] += r_b * (r * r).plus(1.0); }
    /// The inverse sine, between `-π/2` and `π/2`.
    Asin(a) as asin = a.asin() => dear { a_b[a] += r_b / one_minus_square(a).sqrt(); }
    /// The inverse cosine, between 0 and `π`.
    Acos(a) as acos = a.acos() => dear { a_b[a] += -r_b / one_minus_square(a).sqrt(); }
    /// The inverse tangent, between `-π/2` and `π/2`.
    Atan(a) as atan = a.atan() => dear holomorphic { a_b[a] += a.over_square_plus_one(r_b); }
    /// The angle of the vector `(b, a)`, between `-π` and `π`: `y.atan2(x)`.
    Atan2(a, b) as atan2 = a.atan2(b) => dear {
        a_b[a, b] += r_b * over_square(b, a);
        b_b[a, b] += -r_b * over_square(a, b);
    }
    /// Converts radians to degrees.
    ToDegrees(a) as to_degrees = a.to_degrees() => { a_b[] += r_b.times(180.0 / PI); }
    /// Converts degrees to radians.
    ToRadians(a) as to_radians = a.to_radians() => { a_b[] += r_b.times(PI / 180.0); }

    /// The hyperbolic sine.
    Sinh(a) as sinh = a.sinh() => dear holomorphic { a_b[a] += r_b * a.cosh(); }
    /// The hyperbolic cosine.
    Cosh(a) as cosh = a.cosh() => dear holomorphic { a_b[a] += r_b * a.sinh(); }
    /// The hyperbolic tangent.
    Tanh(a) as tanh = a.tanh() => dear { a_b[r] += r_b * one_minus_square(r); }
    /// The inverse hyperbolic sine.
    Asinh(a) as asinh = a.asinh() => dear { a_b[a] += r_b / (a.hypot(a.one()) + overflow(a)); }
    /// The inverse hyperbolic cosine.
    Acosh(a) as acosh = a.acosh() => dear { a_b[a] += r_b / (a.plus(-1.0).sqrt() * a.plus(1.0).sqrt() + overflow(a)); }
    /// The inverse hyperbolic tangent.
    Atanh(a) as atanh = a.atanh() => dear holomorphic { a_b[a] += r_b / one_minus_square(a); }

    /// `a * b + c`, rounded once.
    MulAdd(a, b, c) as mul_add = a.mul_add(b, c) => smooth {
        a_b[b] += r_b * b;
        b_b[a] += r_b * a;
        c_b[] += r_b;
    }
    /// The mean of `a` and `b`, without overflow.
    Midpoint(a, b) as midpoint = a.midpoint(b) => { a_b[] += r_b.times(0.5); b_b[] += r_b.times(0.5); }

    /// The absolute value.
    Abs(a) as abs = a.abs() => kink { a_b[a] += r_b * slope_of_abs(a); }
    /// The sign of `a`, 1 or -1. Its derivative is 0.
    Signum(a) as signum = a.signum() => {}
    /// The absolute value of `a` with the sign of `b`.
    Copysign(a, b) as copysign = a.copysign(b) => kink { a_b[a, b] += r_b * slope_of_abs(a) * b.one().copysign(b); }
    /// The larger of `a` and `b`, or the one that is not NaN.
    Max(a, b) as max = a.max(b) => choice {
        a_b[a, b] += r_b.chosen(max_is_first(a, b));
        b_b[a, b] += r_b.chosen(!max_is_first(a, b));
    }
    /// The smaller of `a` and `b`, or the one that is not NaN.
    Min(a, b) as min = a.min(b) => choice {
        a_b[a, b] += r_b.chosen(min_is_first(a, b));
        b_b[a, b] += r_b.chosen(!min_is_first(a, b));
    }
    /// `a` restricted to the range from `b` to `c`. Panics on evaluation if `b > c` or either is NaN.
    Clamp(a, b, c) as clamp = a.clamp(b, c) => choice {
        a_b[a, b, c] += r_b.chosen(!(a.less(b) | c.less(a)));
        b_b[a, b] += r_b.chosen(a.less(b));
        c_b[a, c] += r_b.chosen(c.less(a));
    }

    /// The largest whole number not above `a`. Its derivative is 0.
    Floor(a) as floor = a.floor() => {}
    /// The smallest whole number not below `a`. Its derivative is 0.
    Ceil(a) as ceil = a.ceil() => {}
    /// The nearest whole number; ties away from zero. Its derivative is 0.
    Round(a) as round = a.round() => {}
    /// The nearest whole number; ties to even. Its derivative is 0.
    RoundTiesEven(a) as round_ties_even = a.round_ties_even() => {}
    /// `a` rounded towards zero. Its derivative is 0.
    Trunc(a) as trunc = a.trunc() => {}
    /// `a - a.trunc()`. Its derivative is 1.
    Fract(a) as fract = a.fract() => { a_b[] += r_b; }
    /// The whole number `n` with `a = n * b + a.rem_euclid(b)`.
    DivEuclid(a, b) as div_euclid = a.div_euclid(b) => {}
    /// The non-negative remainder.
    RemEuclid(a, b) as rem_euclid = a.rem_euclid(b) => {
        a_b[] += r_b;
        b_b[a, b, r] += -r_b * ((a - r) / b).round();
    }

    /// The error function, `2 / √π` times the integral of `exp(-t²)` from 0 to `a`.
    Erf(a) as erf = a.erf() => dear { a_b[a] += r_b * (-a * a).exp().times(FRAC_2_SQRT_PI); }
    /// `1 - erf(a)`, accurate where it is small.
    Erfc(a) as erfc = a.erfc() => dear { a_b[a] += -r_b * (-a * a).exp().times(FRAC_2_SQRT_PI); }
    /// The logarithm of the absolute value of the gamma function. Its derivative is [`digamma`](Elementary::digamma).
    LnGamma(a) as ln_gamma = a.ln_gamma() => dear { a_b[a] += r_b * a.polygamma(0); }
    /// The digamma function, the derivative of [`ln_gamma`](Elementary::ln_gamma). Its derivative is
    /// [`polygamma`](Elementary::polygamma) of order 1.
    Digamma(a) as digamma = a.polygamma(0) => dear { a_b[a] += r_b * a.polygamma(1); }
    /// The derivative of order `n + 1` of [`ln_gamma`](Elementary::ln_gamma), see
    /// [`polygamma`](crate::real::special::polygamma).
    Polygamma { n: u32 } (a) as polygamma = a.polygamma(n) => dear { a_b[a] += r_b * a.polygamma(n + 1); }
}

impl Kink<1> for Abs {
    #[inline(always)]
    fn is_at<L: Lane>(&self, [a]: [L; 1], _: L) -> L::Mask {
        a.equal(a.zero())
    }
    #[inline(always)]
    fn tangent<L: Lane>(&self, _: [L; 1], [a_t]: [L; 1]) -> L {
        a_t.abs()
    }
    #[inline(always)]
    fn length<L: Lane>(&self, _: [L; 1], a_t: L, _: L) -> L {
        L::select(a_t.is_unset(), a_t, a_t.abs())
    }
}
impl Kink<2> for Copysign {
    #[inline(always)]
    fn is_at<L: Lane>(&self, [a, _]: [L; 2], _: L) -> L::Mask {
        a.equal(a.zero())
    }
    #[inline(always)]
    fn tangent<L: Lane>(&self, [_, b]: [L; 2], [a_t, _]: [L; 2]) -> L {
        a_t.copysign(b)
    }
    #[inline(always)]
    fn length<L: Lane>(&self, [_, b]: [L; 2], a_t: L, _: L) -> L {
        L::select(a_t.is_unset(), a_t, a_t.copysign(b).computed())
    }
}
impl Kink<2> for Hypot {
    #[inline(always)]
    fn is_at<L: Lane>(&self, _: [L; 2], r: L) -> L::Mask {
        r.equal(r.zero())
    }
    #[inline(always)]
    fn tangent<L: Lane>(&self, _: [L; 2], [a_t, b_t]: [L; 2]) -> L {
        a_t.hypot(b_t)
    }
    #[inline(always)]
    fn length<L: Lane>(&self, _: [L; 2], _: L, r_t: L) -> L {
        r_t
    }
}

/// Sine and cosine.
#[derive(Clone, Copy, Debug, Stash)]
pub struct SinCos;
impl<K: ElementKind> Rule<K> for SinCos {
    type Out = (K, K);
    type Saved = ();
    type Evaluation = Whole;
    const READS: [u8; 3] = [R, 0, 0];
    #[inline]
    fn primal<'p>(&self, a: Arg<'p, K>, (): (), (): ()) -> (Val<(K, K)>, ()) {
        let a = K::Policy::value(&a);
        ((map::<1, K>(&Sin, [a]), map::<1, K>(&Cos, [a])), ())
    }
    #[inline]
    fn adjoint(
        &self,
        p: Primals<'_, K, (), (), (K, K)>,
        (): &(),
        r_b: Incoming<'_, (K, K)>,
        mut sinks: impl Sinks<K>,
    ) {
        let (s_b, c_b) = r_b.get();
        if sinks.a().wants() {
            let (s, c) = p.r();
            let times = |x, y| map::<2, K>(&Mul, [x, y]);
            let (plus, minus) = (times(s_b, c), times(c_b, s));
            let a_b = map::<2, K>(&Sub, [&plus, &minus]);
            sinks.a().add(a_b);
        }
    }
    const ORDER: Order = Order::Second;
    #[inline]
    fn tangent(
        &self,
        p: Primals<'_, K, (), (), (K, K)>,
        (): &(),
        t: ArgumentTangent<'_, K>,
    ) -> Option<Val<(K, K)>> {
        let ((s, c), a_t) = (p.r(), t.a?);
        let times = |x| map::<2, K>(&Mul, [x, a_t]);
        Some((times(c), map::<1, K>(&Neg, [&times(s)])))
    }
    #[inline]
    fn adjoint_tangent(
        &self,
        p: Primals<'_, K, (), (), (K, K)>,
        (): &(),
        _: ArgumentTangent<'_, K>,
        r_t: Option<&Val<(K, K)>>,
        r_b: Incoming<'_, (K, K)>,
        sinks: impl Sinks<K>,
    ) {
        if r_t.is_some() {
            let tangents = Primals {
                a: None,
                b: None,
                c: None,
                r: r_t,
                rule: p.rule,
            };
            self.adjoint(tangents, &(), r_b, sinks);
        }
    }
}
#[inline]
fn map<const N: usize, K: ElementKind>(op: &impl Elementwise<N>, x: [&Val<K>; N]) -> Val<K> {
    K::Evaluation::map(op, x.map(arg::<K>))
}
