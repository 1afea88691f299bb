//! Elementary functions. The holomorphic ones whose formulas give the branches of num-complex share these formulas with
//! reals ([`Holomorphic`]); the others are here.
use crate::{ComplexKind, Component, dot, dual::FieldDual, members::turned};
use entape_core::{
    elementwise::{Elementwise, FieldLane, Holomorphic},
    eval::Whole,
    kind::Incoming,
    lane_operators, op, operations,
    rule::{A, Order, Primals, R, Rule, SecondAdjoint, SecondSinks, Sink, Sinks, Tangent},
};
use num_complex::Complex;
use std::array::from_fn;

/// A complex number as the shared formulas take it.
#[derive(Clone, Copy)]
struct ComplexLane<T>(Complex<T>);

// Only adjoints divide.
lane_operators! { |a, b| impl[T: Component] ComplexLane<T> {
    add: ComplexLane(a.0 + b.0),
    sub: ComplexLane(a.0 - b.0),
    mul: ComplexLane(a.0 * b.0),
    div: ComplexLane(quotient(a.0, b.0)),
    neg: ComplexLane(-a.0),
} }
macro_rules! functions { ($($f:ident)*) => { $(
    #[inline(always)]
    fn $f(self) -> Self { ComplexLane(self.0.$f()) }
)* } }
impl<T: Component> FieldLane for ComplexLane<T> {
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
        ComplexLane(self.0.powi(n))
    }
    #[inline(always)]
    fn recip(self) -> Self {
        ComplexLane(self.0.inv())
    }
    functions! { sqrt cbrt exp exp2 ln log2 log10 sin cos atan sinh cosh atanh }
}

/// What a formula reads: the argument or the result. The other one is NaN.
struct Read<T> {
    z: Complex<T>,
    r: Complex<T>,
}
impl<T: Component> Read<T> {
    #[inline(always)]
    fn of<O: Rule<ComplexKind<T>>>(
        p: &Primals<'_, ComplexKind<T>, (), (), ComplexKind<T>>,
    ) -> Self {
        let unread = Complex::new(T::nan(), T::nan());
        let [reads, ..] = O::READS;
        Read {
            z: if reads & A != 0 { p.a() } else { unread },
            r: if reads & R != 0 { p.r() } else { unread },
        }
    }
}

/// The rules of functions whose formulas are shared. The formula of the adjoint is `r_b * f'(z)`.
macro_rules! shared { ($($Op:ident)*) => { $(
    impl<T: Component> Rule<ComplexKind<T>> for op::$Op {
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
                // r_b * conj(f'(z))
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
            t: Tangent<'_, ComplexKind<T>, (), (), N>,
        ) -> Option<[Complex<T>; N]> {
            let Read { z, r } = Read::of::<Self>(p);
            let one = ComplexLane(T::one().into());
            let slope = Holomorphic::adjoint(self, 0, [ComplexLane(z)], ComplexLane(r), one);
            Some(t.a?.map(|z_t| along(z_t, || z_t * slope.0)))
        }
        #[inline(always)]
        fn second<const N: usize>(
            &self,
            p: &Primals<'_, ComplexKind<T>, (), (), ComplexKind<T>>,
            (): &(),
            t: Tangent<'_, ComplexKind<T>, (), (), N>,
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
/// A number and its tangents, as the shared formulas take them.
#[inline(always)]
fn dual<T: Component, const N: usize>(
    value: Complex<T>,
    tangents: Option<&[Complex<T>; N]>,
) -> FieldDual<ComplexLane<T>, N> {
    let zero = Complex::default();
    FieldDual {
        value: ComplexLane(value),
        tangents: from_fn(|j| ComplexLane(tangents.map_or(zero, |t| t[j]))),
    }
}
/// The tangent of a result from that of an argument, `z_t`: what does not move adds nothing, also where the derivative is
/// infinite.
#[inline(always)]
fn along<T: Component>(z_t: Complex<T>, tangent: impl FnOnce() -> Complex<T>) -> Complex<T> {
    if z_t == Complex::default() {
        z_t
    } else {
        tangent()
    }
}
shared! { Sqrt Cbrt Recip Powi Exp Exp2 Ln Log2 Log10 Sin Cos Sinh Cosh }

/// `a / b`, without over- and underflow of the square of `b` (R. L. Smith, *Algorithm 116: Complex division*,
/// Communications of the ACM 5, 1962). It is NaN in both parts where `b` is zero.
fn quotient<T: Component>(a: Complex<T>, b: Complex<T>) -> Complex<T> {
    if b.re.abs() >= b.im.abs() {
        let ratio = b.im / b.re;
        let length = b.re + b.im * ratio;
        Complex::new(a.re + a.im * ratio, a.im - a.re * ratio) / length
    } else {
        let ratio = b.re / b.im;
        let length = b.re * ratio + b.im;
        Complex::new(a.re * ratio + a.im, a.im * ratio - a.re) / length
    }
}

/// The square root of `square` that is next to `near`: the one that belongs to the branch of a result.
fn root<T: Component>(square: Complex<T>, near: Complex<T>) -> Complex<T> {
    let root = square.sqrt();
    if dot(root, near) < T::zero() {
        -root
    } else {
        root
    }
}
/// `1 - z²`, without loss of digits near 1 and -1.
fn one_minus_square<T: Component>(z: Complex<T>) -> Complex<T> {
    (-z + T::one()) * (z + T::one())
}
/// `1 + z²`, without loss of digits near i and -i.
fn one_plus_square<T: Component>(z: Complex<T>) -> Complex<T> {
    one_minus_square(turned(z))
}
/// `a / (1 - z²)`, without loss of digits near 1 and -1 and without overflow of the square.
fn over_one_minus_square<T: Component>(a: Complex<T>, z: Complex<T>) -> Complex<T> {
    quotient(quotient(a, -z + T::one()), z + T::one())
}
/// `a / root³`, by which the slope `1 / root` of an inverse function changes.
fn slope_of_inverse<T: Component>(root: Complex<T>, a: Complex<T>) -> Complex<T> {
    a / root / root / root
}
/// `2 z`
fn twice<T: Component>(z: Complex<T>) -> Complex<T> {
    z + z
}
/// `2 a conj(b / (1 - z²)²)`, by which the adjoints of `atan` and `atanh` change.
fn change_of_slope<T: Component>(a: Complex<T>, b: Complex<T>, z: Complex<T>) -> Complex<T> {
    let once = over_one_minus_square(a, z.conj()) * b.conj();
    twice(over_one_minus_square(once, z.conj()))
}
/// `1 / z²`, without overflow of the square.
fn over_square<T: Component>(z: Complex<T>) -> Complex<T> {
    let inverse = z.inv();
    inverse * inverse
}

/// `a` times a power that need not be finite where `a` is 0.
fn times<T: Component>(a: Complex<T>, power: impl FnOnce() -> Complex<T>) -> Complex<T> {
    along(a, || a * power())
}
/// Whether `z` to the power `w` is the same for all exponents around `w`.
fn vanishes<T: Component>(z: Complex<T>, w: Complex<T>) -> bool {
    let zero = Complex::default();
    z == zero && (w == zero || w.re > T::zero())
}
/// The derivative of `z` to the power `w` with respect to both.
fn mixed<T: Component>(z: Complex<T>, w: Complex<T>) -> Complex<T> {
    if z == Complex::default() && w.re > T::one() {
        return z;
    }
    z.powc(w - T::one()) * (w * z.ln() + T::one())
}
/// The derivative of `z` to the power `n` of this order.
fn slope_of_power<T: Component>(z: Complex<T>, n: u32, order: u32) -> Complex<T> {
    let factor: f64 = (0..order).map(|i| f64::from(n) - f64::from(i)).product();
    match n.checked_sub(order) {
        Some(rest) => z.powu(rest) * T::nearest(factor),
        None => Complex::default(),
    }
}

/// Powers with complex exponents, and those with exponents that are not negative. Powers with real exponents are `z.powf(x)` and
/// `z.powi(n)`, by [`Elementary`](entape_core::real::Elementary).
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
impl<T: Component> ComplexKind<T> {
    // Near i and -i, the result of `tan` has lost the digits that its slope needs, and so has that of `tanh` near 1 and
    // -1.
    #[op(
        op::Tan,
        rule_only,
        tangent(z = along(z_t, || z_t * over_square(z.cos()))),
        second(z = r_b * (twice(z_t) * over_square(z.cos()) * z.tan()).conj())
    )]
    fn tan(#[ad_in(r_b * over_square(z.cos()).conj())] z: Self) -> Self {
        z.tan()
    }
    #[op(
        op::Tanh,
        rule_only,
        tangent(z = along(z_t, || z_t * over_square(z.cosh()))),
        second(z = -r_b * (twice(z_t) * over_square(z.cosh()) * z.tanh()).conj())
    )]
    fn tanh(#[ad_in(r_b * over_square(z.cosh()).conj())] z: Self) -> Self {
        z.tanh()
    }
    // The slopes of these functions have two branches, as the functions have; the result tells which one it is.
    #[op(
        op::Asin,
        rule_only,
        tangent(z = along(z_t, || z_t / root(one_minus_square(z), r.cos()))),
        second(z = r_b * slope_of_inverse(root(one_minus_square(z), r.cos()), z * z_t).conj())
    )]
    fn asin(#[ad_in(r_b / root(one_minus_square(z), r.cos()).conj())] z: Self) -> Self {
        z.asin()
    }
    #[op(
        op::Acos,
        rule_only,
        tangent(z = along(z_t, || -z_t / root(one_minus_square(z), r.sin()))),
        second(z = -r_b * slope_of_inverse(root(one_minus_square(z), r.sin()), z * z_t).conj())
    )]
    fn acos(#[ad_in(-r_b / root(one_minus_square(z), r.sin()).conj())] z: Self) -> Self {
        z.acos()
    }
    #[op(
        op::Asinh,
        rule_only,
        tangent(z = along(z_t, || z_t / root(one_plus_square(z), r.cosh()))),
        second(z = -r_b * slope_of_inverse(root(one_plus_square(z), r.cosh()), z * z_t).conj())
    )]
    fn asinh(#[ad_in(r_b / root(one_plus_square(z), r.cosh()).conj())] z: Self) -> Self {
        z.asinh()
    }
    #[op(
        op::Acosh,
        rule_only,
        tangent(z = along(z_t, || z_t / root(-one_minus_square(z), r.sinh()))),
        second(z = -r_b * slope_of_inverse(root(-one_minus_square(z), r.sinh()), z * z_t).conj())
    )]
    fn acosh(#[ad_in(r_b / root(-one_minus_square(z), r.sinh()).conj())] z: Self) -> Self {
        z.acosh()
    }
    // The formulas of reals square their argument.
    #[op(
        op::Atan,
        rule_only,
        tangent(z = along(z_t, || over_one_minus_square(z_t, turned(z)))),
        second(z = change_of_slope(-r_b, z * z_t, turned(z)))
    )]
    fn atan(#[ad_in(over_one_minus_square(r_b, turned(z).conj()))] z: Self) -> Self {
        z.atan()
    }
    #[op(
        op::Atanh,
        rule_only,
        tangent(z = along(z_t, || over_one_minus_square(z_t, z))),
        second(z = change_of_slope(r_b, z * z_t, z))
    )]
    fn atanh(#[ad_in(over_one_minus_square(r_b, z.conj()))] z: Self) -> Self {
        z.atanh()
    }

    /// The power with a real exponent.
    #[op(
        op::Powf,
        rule_only,
        tangent(
            z = along(z_t, || z_t * times(x.into(), || z.powf(x - T::one()))),
            x = if vanishes(z, x.into()) { Complex::default() } else { r * z.ln() * x_t },
        ),
        second(
            z = {
                let of_z = times((x * (x - T::one())).into(), || z.powf(x - T::one() - T::one()));
                r_b * (along(z_t, || z_t * of_z) + along(x_t.into(), || mixed(z, x.into()) * x_t)).conj()
            },
            x = {
                let of_x = if vanishes(z, x.into()) { Complex::default() } else { r * z.ln() * z.ln() * x_t };
                dot(r_b, of_x + along(z_t, || mixed(z, x.into()) * z_t))
            },
        ),
    )]
    fn powf(
        #[ad_in(if x == T::zero() { T::zero().into() } else { r_b * (z.powf(x - T::one()) * x).conj() })]
        z: Self,
        #[ad_in(if vanishes(z, x.into()) { T::zero() } else { dot(r_b, r * z.ln()) })] x: T,
    ) -> Self {
        z.powf(x)
    }
    /// The power `z^w` with a complex exponent, `exp(w * ln(z))`: `z_b += r_b * conj(w * z^(w - 1))` and `w_b += r_b * conj(r * ln(z))`. For
    /// zeros see the [crate](crate#conventions).
    #[op(
        tangent(
            z = along(z_t, || z_t * times(w, || z.powc(w - T::one()))),
            w = if vanishes(z, w) { Complex::default() } else { r * z.ln() * w_t },
        ),
        second(
            z = {
                let of_z = times(w * (w - T::one()), || z.powc(w - T::one() - T::one()));
                r_b * (along(z_t, || z_t * of_z) + along(w_t, || mixed(z, w) * w_t)).conj()
            },
            w = {
                let of_w = if vanishes(z, w) { Complex::default() } else { r * z.ln() * z.ln() * w_t };
                r_b * (of_w + along(z_t, || mixed(z, w) * z_t)).conj()
            },
        ),
    )]
    fn powc(
        #[ad_in(if w == T::zero().into() { w } else { r_b * (w * z.powc(w - T::one())).conj() })]
        z: Self,
        #[ad_in(if vanishes(z, w) { Complex::default() } else { r_b * (r * z.ln()).conj() })]
        w: Self,
    ) -> Self {
        z.powc(w)
    }
    /// The power `z^n` with a passive whole exponent that is not negative: `z_b += r_b * conj(n * z^(n - 1))`.
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
        z.powu(n)
    }
    /// The power `base^z` of a real base: `z_b += r_b * conj(r * ln(base))` and `base_b += Re(conj(r_b) * r * z) / base`.
    #[op(
        tangent(z = r * base.ln() * z_t, base = r * z / base * base_t),
        second(
            z = r_b * (r_t * base.ln() + r / base * base_t).conj(),
            base = dot(r_b, (r_t * z + r * (z_t - z / base * base_t)) / base),
        ),
    )]
    fn expf(
        #[ad_in(r_b * (r * base.ln()).conj())] z: Self,
        #[ad_in(dot(r_b, r * z / base))] base: T,
    ) -> Self {
        z.expf(base)
    }
    /// The logarithm to a real base.
    #[op(
        op::Log,
        rule_only,
        tangent(
            z = along(z_t, || quotient(z_t, z) / base.ln()),
            base = -r * (base_t / (base * base.ln())),
        ),
        second(
            z = {
                let change = along(z_t, || quotient(z_t, z)) + base_t / (base * base.ln());
                -quotient(r_b, z.conj()) / base.ln() * change.conj()
            },
            base = {
                let divisor = base * base.ln();
                -dot(r_b, r_t - r * (base_t * (base.ln() + T::one()) / divisor)) / divisor
            },
        ),
    )]
    fn log(
        #[ad_in(quotient(r_b, z.conj()) / base.ln())] z: Self,
        #[ad_in(-dot(r_b, r) / (base * base.ln()))] base: T,
    ) -> Self {
        z.log(base)
    }
}
