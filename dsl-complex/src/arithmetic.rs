//! Arithmetic, among complex numbers and with reals.
use crate::{C32, C64, ComplexKind, Component, dot};
use entape_core::{op, operations};
use num_complex::Complex;
use num_traits::{Float, MulAdd};

/// The complex number next to `z`, towards zero, whose parts are whole numbers.
fn trunc<T: Float>(z: Complex<T>) -> Complex<T> {
    Complex::new(z.re.trunc(), z.im.trunc())
}
/// The whole numbers next to the parts of `z`.
fn round<T: Float>(z: Complex<T>) -> Complex<T> {
    Complex::new(z.re.round(), z.im.round())
}

#[operations]
impl<T: Component> ComplexKind<T> {
    #[op(Add)]
    fn add(#[ad_in(r_b)] a: Self, #[ad_in(r_b)] b: Self) -> Self {
        a + b
    }
    #[op(Sub)]
    fn sub(#[ad_in(r_b)] a: Self, #[ad_in(-r_b)] b: Self) -> Self {
        a - b
    }
    // In a chain of squares less has to wait: twice `a` is known before `r_b` is.
    #[op(Mul, same(r_b * (a + a).conj()))]
    fn mul(#[ad_in(r_b * b.conj())] a: Self, #[ad_in(r_b * a.conj())] b: Self) -> Self {
        a * b
    }
    #[op(Div)]
    fn div(#[ad_in(r_b / b.conj())] a: Self, #[ad_in(-r_b * (r / b).conj())] b: Self) -> Self {
        a / b
    }
    /// The remainder: `a` minus `b` times the quotient, whose parts are truncated.
    #[op(Rem)]
    fn rem(#[ad_in(r_b)] a: Self, #[ad_in(-r_b * trunc(a / b).conj())] b: Self) -> Self {
        a % b
    }
    #[op(Neg)]
    fn neg(#[ad_in(-r_b)] a: Self) -> Self {
        -a
    }
    #[op(op::MulAdd, rule_only)]
    fn mul_add(
        #[ad_in(r_b * b.conj())] a: Self,
        #[ad_in(r_b * a.conj())] b: Self,
        #[ad_in(r_b)] c: Self,
    ) -> Self {
        MulAdd::mul_add(a, b, c)
    }

    #[op(Add)]
    fn add_real(#[ad_in(r_b)] a: Self, #[ad_in(r_b.re)] b: T) -> Self {
        a + b
    }
    #[op(Sub)]
    fn sub_real(#[ad_in(r_b)] a: Self, #[ad_in(-r_b.re)] b: T) -> Self {
        a - b
    }
    #[op(Mul)]
    fn mul_real(#[ad_in(r_b * b)] a: Self, #[ad_in(dot(r_b, a))] b: T) -> Self {
        a * b
    }
    #[op(Div)]
    fn div_real(#[ad_in(r_b / b)] a: Self, #[ad_in(-dot(r_b, r) / b)] b: T) -> Self {
        a / b
    }
    #[op(Rem)]
    fn rem_real(#[ad_in(r_b)] a: Self, #[ad_in(-dot(r_b, round((a - r) / b)))] b: T) -> Self {
        a % b
    }
}

// These are not generic: rules of a foreign operation need a first argument whose kind belongs to this crate or to
// core.
macro_rules! real_first { ($($T:ident $C:ident)*) => { $(
    #[op(Add)]
    fn add(#[ad_in(r_b.re)] a: $T, #[ad_in(r_b)] b: $C) -> $C {
        a + b
    }
    #[op(Sub)]
    fn sub(#[ad_in(r_b.re)] a: $T, #[ad_in(-r_b)] b: $C) -> $C {
        a - b
    }
    #[op(Mul)]
    fn mul(#[ad_in(dot(r_b, b))] a: $T, #[ad_in(r_b * a)] b: $C) -> $C {
        a * b
    }
    #[op(Div)]
    fn div(#[ad_in(dot(r_b, b.inv()))] a: $T, #[ad_in(-r_b * (r / b).conj())] b: $C) -> $C {
        a / b
    }
    #[op(Rem)]
    fn rem(#[ad_in(r_b.re)] a: $T, #[ad_in(-r_b * trunc(a / b).conj())] b: $C) -> $C {
        a % b
    }
)* } }
real_first! { f64 C64 f32 C32 }
