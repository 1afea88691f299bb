//! The rules of elementary functions. Formulas that hold over the whole plane are shared with reals ([`Holomorphic`]).
//! The values are in [`plane`].
use crate::{
    ComplexKind, dot,
    dual::FieldDual,
    plane::{self, quotient, real, sech_squared, turned},
};
use entape_core::{
    elementwise::{Elementwise, FieldLane, Holomorphic},
    eval::Whole,
    kind::{Incoming, Kind},
    lane_operators, op, operations,
    real::Real,
    rule::{A, ArgumentTangents, Order, Primals, R, Rule, SecondAdjoint, SecondSinks, Sink, Sinks},
};
use num_complex::Complex;
use std::{
    array::from_fn,
    f64::consts::{LN_2, LN_10},
};

#[derive(Clone, Copy)]
struct ComplexLane<T>(Complex<T>);

// Only adjoints divide.
lane_operators! { |a, b| impl[T: Real] ComplexLane<T> {
    add: ComplexLane(a.0 + b.0),
    sub: ComplexLane(a.0 - b.0),
    mul: ComplexLane(a.0 * b.0),
    div: ComplexLane(quotient(a.0, b.0)),
    neg: ComplexLane(-a.0),
} }
macro_rules! functions { ($($f:ident)*) => { $(
    #[inline(always)]
    fn $f(self) -> Self { ComplexLane(plane::$f(self.0)) }
)* } }
impl<T: Real> FieldLane for ComplexLane<T> {
    #[inline(always)]
    fn splat(self, x: f64) -> Self {
        ComplexLane(T::nearest(x).into())
    }
    #[inline(always)]
    fn plus(self, x: f64) -> Self {
        ComplexLane(self.0 + T::nearest(x))
    }
    #[inline(always)]
    fn times(self, x: f64) -> Self {
        ComplexLane(self.0 * T::nearest(x))
    }
    #[inline(always)]
    fn powi(self, n: i32) -> Self {
        ComplexLane(plane::powi(self.0, n))
    }
    #[inline(always)]
    fn over_square_plus_one(self, r_b: Self) -> Self {
        let square = self * self;
        match ComplexKind::is_finite(&square.0) {
            true => r_b / square.plus(1.0),
            false => r_b / self / self,
        }
    }
    #[inline(always)]
    fn recip(self) -> Self {
        ComplexLane(plane::inverse(self.0))
    }
    #[inline(always)]
    fn log2(self) -> Self {
        ComplexLane(plane::ln(self.0) / T::nearest(LN_2))
    }
    #[inline(always)]
    fn log10(self) -> Self {
        ComplexLane(plane::ln(self.0) / T::nearest(LN_10))
    }
    functions! { sqrt cbrt exp exp2 ln sin cos atan sinh cosh atanh }
}

/// The number that a formula reads: the argument or the result. The other one is NaN.
struct Read<T> {
    z: Complex<T>,
    r: Complex<T>,
}
impl<T: Real> Read<T> {
    #[inline(always)]
    fn of<O: Rule<ComplexKind<T>>>(
        p: &Primals<'_, ComplexKind<T>, (), (), ComplexKind<T>>,
    ) -> Self {
        let unread = Complex::new(T::nearest(f64::NAN), T::nearest(f64::NAN));
        let [reads, ..] = O::READS;
        Read {
            z: if reads & A != 0 { p.a() } else { unread },
            r: if reads & R != 0 { p.r() } else { unread },
        }
    }
}

macro_rules! shared { ($($Op:ident)*) => { $(
    impl<T: Real> Rule<ComplexKind<T>> for op::$Op {
        type Out = ComplexKind<T>;
        type Saved = ();
        type Evaluation = Whole;
        const READS: [u8; 3] = <Self as Elementwise<1>>::READS;
        #[inline(always)]
        fn primal(&self, z: Complex<T>, (): (), (): ()) -> (Complex<T>, ()) {
            (Holomorphic::primal(self, [ComplexLane(z)]).0, ())
        }
        #[inline(always)]
        fn adjoint(
            &self,
            p: Primals<'_, ComplexKind<T>, (), (), ComplexKind<T>>,
            (): &(),
            r_b: Incoming<'_, ComplexKind<T>>,
            mut s: impl Sinks<ComplexKind<T>>,
        ) {
            if s.a().wants() {
                let Read { z, r } = Read::of::<Self>(&p);
                let r_b = ComplexLane(r_b.get().conj());
                let z_b = Holomorphic::adjoint(self, 0, [ComplexLane(z)], ComplexLane(r), r_b);
                s.a().add(z_b.0.conj());
            }
        }
        const ORDER: Order = Order::Second;
        #[inline(always)]
        fn tangents<const N: usize>(
            &self,
            p: &Primals<'_, ComplexKind<T>, (), (), ComplexKind<T>>,
            (): &(),
            t: ArgumentTangents<'_, ComplexKind<T>, (), (), N>,
        ) -> Option<[Complex<T>; N]> {
            let Read { z, r } = Read::of::<Self>(p);
            let one = ComplexLane(T::one().into());
            let slope = Holomorphic::adjoint(self, 0, [ComplexLane(z)], ComplexLane(r), one);
            Some(t.a?.map(|z_t| unless_zero(z_t, || z_t * slope.0)))
        }
        #[inline(always)]
        fn second<const N: usize>(
            &self,
            p: &Primals<'_, ComplexKind<T>, (), (), ComplexKind<T>>,
            (): &(),
            t: ArgumentTangents<'_, ComplexKind<T>, (), (), N>,
            r_t: Option<&[Complex<T>; N]>,
            adjoint: SecondAdjoint<'_, ComplexKind<T>, N>,
            sinks: &mut impl SecondSinks<ComplexKind<T>, (), (), N>,
        ) {
            sinks.add_a(|| {
                let Read { z, r } = Read::of::<Self>(p);
                let conj = |z: &Complex<T>| z.conj();
                let r_b = dual(
                    adjoint.r_b.map(conj).unwrap_or_default(),
                    adjoint.tangents.map(|t| t.each_ref().map(conj)).as_ref(),
                );
                let z_b = Holomorphic::adjoint(self, 0, [dual(z, t.a)], dual(r, r_t), r_b);
                (z_b.value.0.conj(), z_b.tangents.map(|z_bt| z_bt.0.conj()))
            });
        }
    }
)* } }
#[inline(always)]
fn dual<T: Real, const N: usize>(
    value: Complex<T>,
    tangents: Option<&[Complex<T>; N]>,
) -> FieldDual<ComplexLane<T>, N> {
    let zero = Complex::default();
    FieldDual {
        value: ComplexLane(value),
        tangents: from_fn(|j| ComplexLane(tangents.map_or(zero, |t| t[j]))),
    }
}
/// A zero tangent adds nothing, even if the derivative is infinite.
#[inline(always)]
fn unless_zero<T: Real>(z_t: Complex<T>, tangent: impl FnOnce() -> Complex<T>) -> Complex<T> {
    if z_t == Complex::default() {
        z_t
    } else {
        tangent()
    }
}
shared! { Sqrt Cbrt Recip Powi Exp Exp2 Ln Log2 Log10 Sin Cos Sinh Cosh }

/// `1 - z` and `1 + z`, with the sign of a zero beside a cut.
fn one_minus_plus<T: Real>(z: Complex<T>) -> (Complex<T>, Complex<T>) {
    let one = T::one();
    (
        Complex::new(one - z.re, -z.im),
        Complex::new(one + z.re, z.im),
    )
}
/// `z - 1` and `z + 1`, with the sign of a zero beside a cut.
fn less_more<T: Real>(z: Complex<T>) -> (Complex<T>, Complex<T>) {
    let (minus, plus) = one_minus_plus(z);
    (Complex::new(-minus.re, z.im), plus)
}
/// `a / (b c)`, without overflow of the product.
fn over_both<T: Real>(a: Complex<T>, (b, c): (Complex<T>, Complex<T>)) -> Complex<T> {
    quotient(quotient(a, b), c)
}
/// `a / (√b √c)`: two roots keep the digits near 1 and -1 and the side of a cut.
fn over_roots<T: Real>(a: Complex<T>, (b, c): (Complex<T>, Complex<T>)) -> Complex<T> {
    over_both(a, (plane::sqrt(b), plane::sqrt(c)))
}
/// `z z_t / (b c)`, without overflow, if `b` and `c` differ from `z` by 1.
fn times_over<T: Real>(
    z: Complex<T>,
    z_t: Complex<T>,
    (b, c): (Complex<T>, Complex<T>),
) -> Complex<T> {
    quotient(z_t, b) * quotient(z, c)
}
/// `a` times the slope of `asin`, which at `i z` is the slope of `asinh`.
fn slope_of_asin<T: Real>(a: Complex<T>, z: Complex<T>) -> Complex<T> {
    over_roots(a, one_minus_plus(z))
}
fn change_of_asin<T: Real>(z: Complex<T>, z_t: Complex<T>) -> Complex<T> {
    unless_zero(z_t, || {
        slope_of_asin(times_over(z, z_t, one_minus_plus(z)), z)
    })
}
/// `a` times the slope of `acosh`.
fn slope_of_acosh<T: Real>(a: Complex<T>, z: Complex<T>) -> Complex<T> {
    over_roots(a, less_more(z))
}
fn change_of_acosh<T: Real>(z: Complex<T>, z_t: Complex<T>) -> Complex<T> {
    unless_zero(z_t, || -slope_of_acosh(times_over(z, z_t, less_more(z)), z))
}
/// `a` times the slope of `atanh`, which at `i z` is the slope of `atan`.
fn slope_of_atanh<T: Real>(a: Complex<T>, z: Complex<T>) -> Complex<T> {
    over_both(a, one_minus_plus(z))
}
fn change_of_atanh<T: Real>(z: Complex<T>, z_t: Complex<T>) -> Complex<T> {
    unless_zero(z_t, || {
        slope_of_atanh(twice(times_over(z, z_t, one_minus_plus(z))), z)
    })
}
fn twice<T: Real>(z: Complex<T>) -> Complex<T> {
    z + z
}

/// Multiplies `a` by a power, which may be infinite or NaN if `a` is 0.
fn times<T: Real>(a: Complex<T>, power: impl FnOnce() -> Complex<T>) -> Complex<T> {
    unless_zero(a, || a * power())
}
/// Whether `z` to the power `w` is constant for all exponents around `w`.
fn vanishes<T: Real>(z: Complex<T>, w: Complex<T>) -> bool {
    let zero = Complex::default();
    z == zero && (w == zero || w.re > T::zero())
}
/// The derivative of `z^w` with respect to both.
fn mixed<T: Real>(z: Complex<T>, w: Complex<T>) -> Complex<T> {
    if z == Complex::default() && w.re > T::one() {
        return z;
    }
    plane::powc(z, w - T::one()) * (w * plane::ln(z) + T::one())
}
fn slope_of_power<T: Real>(z: Complex<T>, n: u32, order: u32) -> Complex<T> {
    let factor: f64 = (0..order).map(|i| f64::from(n) - f64::from(i)).product();
    match n.checked_sub(order) {
        Some(rest) => plane::powu(z, rest) * T::nearest(factor),
        None => Complex::default(),
    }
}

/// Powers with complex and with unsigned whole exponents; [`Elementary`](entape_core::real::Elementary) has real ones.
///
/// ```
/// use entape_complex::{ComplexOps, Powers, num_complex::c64};
/// use entape_core::tape::Tape;
///
/// let mut tape = Tape::new();
/// let z = tape.input(c64(1.0, 2.0));
/// let y = tape.record(|| z.powu(2).re().eval()); // x² - y²
/// assert_eq!(y, -3.0);
/// assert_eq!(tape.gradient(&y)?.wrt(&z)?, c64(2.0, -4.0));
/// // i to the power i is real
/// let i = tape.input(c64(0.0, 1.0));
/// let w = tape.record(|| i.powc(i).eval());
/// let want = (-std::f64::consts::FRAC_PI_2).exp();
/// approx::assert_abs_diff_eq!(w.value(), c64(want, 0.0), epsilon = 5e-16);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[operations(ext = Powers)]
impl<T: Real> ComplexKind<T> {
    #[op(
        op::ExpM1,
        rule_only,
        tangent(z = z_t * plane::exp(z)),
        second(z = r_b * (z_t * plane::exp(z)).conj())
    )]
    fn exp_m1(#[ad_in(r_b * plane::exp(z).conj())] z: Self) -> Self {
        plane::exp_m1(z)
    }
    #[op(
        op::Ln1p,
        rule_only,
        tangent(z = unless_zero(z_t, || quotient(z_t, z + T::one()))),
        second(z = {
            let more = z.conj() + T::one();
            -quotient(r_b, more) * unless_zero(z_t, || quotient(z_t.conj(), more))
        })
    )]
    fn ln_1p(#[ad_in(quotient(r_b, z.conj() + T::one()))] z: Self) -> Self {
        plane::ln_1p(z)
    }
    // The result of `tan` lacks the digits of its slope near i and -i, of `tanh` near 1 and -1.
    #[op(
        op::Tan,
        rule_only,
        tangent(z = unless_zero(z_t, || z_t * sech_squared(turned(z)))),
        second(z = r_b * (twice(z_t) * sech_squared(turned(z)) * plane::tan(z)).conj())
    )]
    fn tan(#[ad_in(r_b * sech_squared(turned(z)).conj())] z: Self) -> Self {
        plane::tan(z)
    }
    #[op(
        op::Tanh,
        rule_only,
        tangent(z = unless_zero(z_t, || z_t * sech_squared(z))),
        second(z = -r_b * (twice(z_t) * sech_squared(z) * plane::tanh(z)).conj())
    )]
    fn tanh(#[ad_in(r_b * sech_squared(z).conj())] z: Self) -> Self {
        plane::tanh(z)
    }
    // The slopes do not take their branch from the result, which is rounded.
    #[op(
        op::Asin,
        rule_only,
        tangent(z = unless_zero(z_t, || slope_of_asin(z_t, z))),
        second(z = r_b * change_of_asin(z, z_t).conj())
    )]
    fn asin(#[ad_in(slope_of_asin(r_b.conj(), z).conj())] z: Self) -> Self {
        plane::asin(z)
    }
    #[op(
        op::Acos,
        rule_only,
        tangent(z = unless_zero(z_t, || -slope_of_asin(z_t, z))),
        second(z = -r_b * change_of_asin(z, z_t).conj())
    )]
    fn acos(#[ad_in(-slope_of_asin(r_b.conj(), z).conj())] z: Self) -> Self {
        plane::acos(z)
    }
    #[op(
        op::Asinh,
        rule_only,
        tangent(z = unless_zero(z_t, || slope_of_asin(z_t, turned(z)))),
        second(z = r_b * change_of_asin(turned(z), turned(z_t)).conj())
    )]
    fn asinh(#[ad_in(slope_of_asin(r_b.conj(), turned(z)).conj())] z: Self) -> Self {
        plane::asinh(z)
    }
    #[op(
        op::Acosh,
        rule_only,
        tangent(z = unless_zero(z_t, || slope_of_acosh(z_t, z))),
        second(z = r_b * change_of_acosh(z, z_t).conj())
    )]
    fn acosh(#[ad_in(slope_of_acosh(r_b.conj(), z).conj())] z: Self) -> Self {
        plane::acosh(z)
    }
    #[op(
        op::Atan,
        rule_only,
        tangent(z = unless_zero(z_t, || slope_of_atanh(z_t, turned(z)))),
        second(z = r_b * change_of_atanh(turned(z), turned(z_t)).conj())
    )]
    fn atan(#[ad_in(slope_of_atanh(r_b.conj(), turned(z)).conj())] z: Self) -> Self {
        plane::atan(z)
    }
    #[op(
        op::Atanh,
        rule_only,
        tangent(z = unless_zero(z_t, || slope_of_atanh(z_t, z))),
        second(z = r_b * change_of_atanh(z, z_t).conj())
    )]
    fn atanh(#[ad_in(slope_of_atanh(r_b.conj(), z).conj())] z: Self) -> Self {
        plane::atanh(z)
    }

    #[op(
        op::Powf,
        rule_only,
        tangent(
            z = unless_zero(z_t, || z_t * times(x.into(), || plane::powf(z, x - T::one()))),
            x = if vanishes(z, x.into()) { Complex::default() } else { unless_zero(x_t.into(), || r * plane::ln(z) * x_t) },
        ),
        second(
            z = {
                let of_z = times((x * (x - T::one())).into(), || plane::powf(z, x - T::one() - T::one()));
                // A zero adjoint adds nothing, even if the second derivative is infinite.
                unless_zero(r_b, || r_b * (unless_zero(z_t, || z_t * of_z) + unless_zero(x_t.into(), || mixed(z, x.into()) * x_t)).conj())
            },
            x = {
                let of_x = if vanishes(z, x.into()) { Complex::default() } else { r * plane::ln(z) * plane::ln(z) * x_t };
                dot(r_b, of_x + unless_zero(z_t, || mixed(z, x.into()) * z_t))
            },
        ),
    )]
    fn powf(
        #[ad_in(if x == T::zero() { T::zero().into() } else { r_b * (plane::powf(z, x - T::one()) * x).conj() })]
        z: Self,
        #[ad_in(if vanishes(z, x.into()) { T::zero() } else { dot(r_b, r * plane::ln(z)) })] x: T,
    ) -> Self {
        plane::powf(z, x)
    }
    /// The power `z^w`: `z_b += r_b * conj(w * z^(w - 1))` and `w_b += r_b * conj(r * ln(z))`, with
    /// [conventions](crate#conventions) for zeros.
    #[op(
        tangent(
            z = unless_zero(z_t, || z_t * times(w, || plane::powc(z, w - T::one()))),
            w = if vanishes(z, w) { Complex::default() } else { unless_zero(w_t, || r * plane::ln(z) * w_t) },
        ),
        second(
            z = {
                let of_z = times(w * (w - T::one()), || plane::powc(z, w - T::one() - T::one()));
                unless_zero(r_b, || r_b * (unless_zero(z_t, || z_t * of_z) + unless_zero(w_t, || mixed(z, w) * w_t)).conj())
            },
            w = {
                let of_w = if vanishes(z, w) { Complex::default() } else { r * plane::ln(z) * plane::ln(z) * w_t };
                r_b * (of_w + unless_zero(z_t, || mixed(z, w) * z_t)).conj()
            },
        ),
    )]
    fn powc(
        #[ad_in(if w == T::zero().into() { w } else { r_b * (w * plane::powc(z, w - T::one())).conj() })]
        z: Self,
        #[ad_in(if vanishes(z, w) { Complex::default() } else { r_b * (r * plane::ln(z)).conj() })]
        w: Self,
    ) -> Self {
        plane::powc(z, w)
    }
    /// The power `z^n` with a passive exponent: `z_b += r_b * conj(n * z^(n - 1))`.
    #[op(
        tangent(z = z_t * slope_of_power(z, n, 1)),
        second(z = r_b * (z_t * slope_of_power(z, n, 2)).conj()),
    )]
    fn powu(
        #[ad_in(match n {
            0 => Complex::default(),
            _ => r_b * slope_of_power(z, n, 1).conj(),
        })]
        z: Self,
        #[ad_passive] n: u32,
    ) -> Self {
        plane::powu(z, n)
    }
    /// The power `base^z` of a real base: `z_b += r_b * conj(r * ln(base))` and `base_b += Re(conj(r_b) * r * z) / base`.
    #[op(
        tangent(z = r * real::ln(base) * z_t, base = unless_zero(base_t.into(), || r * z / base * base_t)),
        second(
            z = r_b * (r_t * real::ln(base) + r / base * base_t).conj(),
            base = dot(r_b, (r_t * z + r * (z_t - z / base * base_t)) / base),
        ),
    )]
    fn expf(
        #[ad_in(r_b * (r * real::ln(base)).conj())] z: Self,
        #[ad_in(dot(r_b, r * z / base))] base: T,
    ) -> Self {
        plane::expf(z, base)
    }
    #[op(
        op::Log,
        rule_only,
        tangent(
            z = unless_zero(z_t, || quotient(z_t, z) / real::ln(base)),
            base = unless_zero(base_t.into(), || -r * (base_t / real::ln(base) / base)),
        ),
        second(
            z = {
                let change = unless_zero(z_t, || quotient(z_t, z)) + base_t / real::ln(base) / base;
                -quotient(r_b, z.conj()) / real::ln(base) * change.conj()
            },
            base = {
                let change = base_t / real::ln(base) / base;
                -dot(r_b, r_t - r * (change * real::ln(base) + change)) / real::ln(base) / base
            },
        ),
    )]
    fn log(
        #[ad_in(quotient(r_b, z.conj()) / real::ln(base))] z: Self,
        #[ad_in(-dot(r_b, r) / real::ln(base) / base)] base: T,
    ) -> Self {
        plane::ln(z) / real::ln(base)
    }
}
