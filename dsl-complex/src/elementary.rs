//! Elementary functions. The holomorphic ones whose formulas give the branches of num-complex share these formulas with
//! reals ([`Holomorphic`]); the others are here.
use crate::{ComplexKind, Component, dot, members::turned};
use entape_core::{
    elementwise::{Elementwise, FieldLane, Holomorphic},
    eval::Whole,
    kind::Incoming,
    lane_operators, op, operations,
    rule::{A, Primals, R, Rule, Sink, Sinks},
};
use num_complex::Complex;

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

/// The rules of functions whose formulas are shared.
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
            mut s: impl Sinks<ComplexKind<T>>) { let r_b = r_b.get();
            if s.a().wants() {
                // A formula does not read what it does not declare to read.
                let unread = Complex::new(T::nan(), T::nan());
                let [reads, ..] = <Self as Rule<ComplexKind<T>>>::READS;
                let z = if reads & A != 0 { p.a() } else { unread };
                let r = if reads & R != 0 { p.r() } else { unread };
                // r_b * conj(f'(z))
                let z_b = Holomorphic::adjoint(self, 0, [ComplexLane(z)], ComplexLane(r), ComplexLane(r_b.conj()));
                s.a().add(z_b.0.conj());
            }
        }
    }
)* } }
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
/// `1 / z²`, without overflow of the square.
fn over_square<T: Component>(z: Complex<T>) -> Complex<T> {
    let inverse = z.inv();
    inverse * inverse
}

#[operations(ext = Powers)]
impl<T: Component> ComplexKind<T> {
    // Near i and -i, the result of `tan` has lost the digits that its slope needs, and so has that of `tanh` near 1 and
    // -1.
    #[op(op::Tan, rule_only)]
    fn tan(#[ad_in(r_b * over_square(z.cos()).conj())] z: Self) -> Self {
        z.tan()
    }
    #[op(op::Tanh, rule_only)]
    fn tanh(#[ad_in(r_b * over_square(z.cosh()).conj())] z: Self) -> Self {
        z.tanh()
    }
    // The slopes of these functions have two branches, as the functions have; the result tells which one it is.
    #[op(op::Asin, rule_only)]
    fn asin(#[ad_in(r_b / root(one_minus_square(z), r.cos()).conj())] z: Self) -> Self {
        z.asin()
    }
    #[op(op::Acos, rule_only)]
    fn acos(#[ad_in(-r_b / root(one_minus_square(z), r.sin()).conj())] z: Self) -> Self {
        z.acos()
    }
    #[op(op::Asinh, rule_only)]
    fn asinh(#[ad_in(r_b / root(one_plus_square(z), r.cosh()).conj())] z: Self) -> Self {
        z.asinh()
    }
    #[op(op::Acosh, rule_only)]
    fn acosh(#[ad_in(r_b / root(-one_minus_square(z), r.sinh()).conj())] z: Self) -> Self {
        z.acosh()
    }
    // The formulas of reals square their argument.
    #[op(op::Atan, rule_only)]
    fn atan(#[ad_in(over_one_minus_square(r_b, turned(z).conj()))] z: Self) -> Self {
        z.atan()
    }
    #[op(op::Atanh, rule_only)]
    fn atanh(#[ad_in(over_one_minus_square(r_b, z.conj()))] z: Self) -> Self {
        z.atanh()
    }

    /// The power with a real exponent.
    #[op(op::Powf, rule_only)]
    fn powf(
        #[ad_in(if x == T::zero() { T::zero().into() } else { r_b * (z.powf(x - T::one()) * x).conj() })]
        z: Self,
        #[ad_in(if z == T::zero().into() && x >= T::zero() { T::zero() } else { dot(r_b, r * z.ln()) })]
        x: T,
    ) -> Self {
        z.powf(x)
    }
    /// The power with a complex exponent.
    #[op]
    fn powc(
        #[ad_in(if w == T::zero().into() { w } else { r_b * (w * z.powc(w - T::one())).conj() })]
        z: Self,
        #[ad_in({
            let zero = Complex::from(T::zero());
            let vanishes = z == zero && (w == zero || w.re > T::zero());
            if vanishes { zero } else { r_b * (r * z.ln()).conj() }
        })]
        w: Self,
    ) -> Self {
        z.powc(w)
    }
    /// The power with a whole, passive exponent that is not negative.
    #[op]
    fn powu(
        #[ad_in(match n {
            0 => T::zero().into(),
            _ => r_b * (z.powu(n - 1) * T::nearest(n.into())).conj(),
        })]
        z: Self,
        #[ad_passive] n: u32,
    ) -> Self {
        z.powu(n)
    }
    /// `base` to the power `z`.
    #[op]
    fn expf(
        #[ad_in(r_b * (r * base.ln()).conj())] z: Self,
        #[ad_in(dot(r_b, r * z / base))] base: T,
    ) -> Self {
        z.expf(base)
    }
    /// The logarithm to a real base.
    #[op(op::Log, rule_only)]
    fn log(
        #[ad_in(quotient(r_b, z.conj()) / base.ln())] z: Self,
        #[ad_in(-dot(r_b, r) / (base * base.ln()))] base: T,
    ) -> Self {
        z.log(base)
    }
}
