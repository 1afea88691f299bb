use crate::{
    C32, C64, ComplexKind, dot,
    plane::{inverse, quotient, real, real_quotient},
};
use entape_core::{op, operations, real::Real};
use num_complex::Complex;

/// The quotient with its parts truncated.
fn whole_quotient<T: Real>(a: Complex<T>, b: Complex<T>) -> Complex<T> {
    let quotient = quotient(a, b);
    Complex::new(real::trunc(quotient.re), real::trunc(quotient.im))
}
fn round<T: Real>(z: Complex<T>) -> Complex<T> {
    Complex::new(real::round(z.re), real::round(z.im))
}

#[operations]
impl<T: Real> ComplexKind<T> {
    #[op(Add, tangent(a = a_t, b = b_t), second(a = {}, b = {}))]
    fn add(#[ad_in(r_b)] a: Self, #[ad_in(r_b)] b: Self) -> Self {
        a + b
    }
    #[op(Sub, tangent(a = a_t, b = -b_t), second(a = {}, b = {}))]
    fn sub(#[ad_in(r_b)] a: Self, #[ad_in(-r_b)] b: Self) -> Self {
        a - b
    }
    // Shortens a chain of squares: twice `a` is known before `r_b`.
    #[op(Mul, bilinear, same(r_b * (a + a).conj()))]
    fn mul(#[ad_in(r_b * b.conj())] a: Self, #[ad_in(r_b * a.conj())] b: Self) -> Self {
        a * b
    }
    #[op(
        Div,
        tangent(a = quotient(a_t, b), b = -b_t * quotient(r, b)),
        second(
            a = -quotient(r_b, b.conj()) * quotient(b_t, b).conj(),
            b = -r_b * quotient(r_t - r * quotient(b_t, b), b).conj(),
        )
    )]
    fn div(
        #[ad_in(quotient(r_b, b.conj()))] a: Self,
        #[ad_in(-r_b * quotient(r, b).conj())] b: Self,
    ) -> Self {
        quotient(a, b)
    }
    /// `a` minus `b` times the quotient with truncated parts.
    #[op(Rem, tangent(a = a_t, b = -b_t * whole_quotient(a, b)), second(a = {}, b = {}))]
    fn rem(#[ad_in(r_b)] a: Self, #[ad_in(-r_b * whole_quotient(a, b).conj())] b: Self) -> Self {
        a - b * whole_quotient(a, b)
    }
    #[op(Neg, self_adjoint)]
    fn neg(a: Self) -> Self {
        -a
    }
    #[op(
        op::MulAdd,
        rule_only,
        tangent(a = a_t * b, b = a * b_t, c = c_t),
        second(a = r_b * b_t.conj(), b = r_b * a_t.conj(), c = {})
    )]
    fn mul_add(
        #[ad_in(r_b * b.conj())] a: Self,
        #[ad_in(r_b * a.conj())] b: Self,
        #[ad_in(r_b)] c: Self,
    ) -> Self {
        real::mul_add(a, b, c)
    }

    #[op(Add, tangent(a = a_t, b = Complex::from(b_t)), second(a = {}, b = {}))]
    fn add_real(#[ad_in(r_b)] a: Self, #[ad_in(r_b.re)] b: T) -> Self {
        a + b
    }
    #[op(Sub, tangent(a = a_t, b = Complex::from(-b_t)), second(a = {}, b = {}))]
    fn sub_real(#[ad_in(r_b)] a: Self, #[ad_in(-r_b.re)] b: T) -> Self {
        a - b
    }
    #[op(Mul, bilinear)]
    fn mul_real(#[ad_in(r_b * b)] a: Self, #[ad_in(dot(r_b, a))] b: T) -> Self {
        a * b
    }
    #[op(
        Div,
        tangent(a = a_t / b, b = -r * (b_t / b)),
        second(a = -r_b / b * (b_t / b), b = -dot(r_b, r_t - r * (b_t / b)) / b)
    )]
    fn div_real(#[ad_in(r_b / b)] a: Self, #[ad_in(-dot(r_b, r) / b)] b: T) -> Self {
        a / b
    }
    #[op(Rem, tangent(a = a_t, b = -round((a - r) / b) * b_t), second(a = {}, b = {}))]
    fn rem_real(#[ad_in(r_b)] a: Self, #[ad_in(-dot(r_b, round((a - r) / b)))] b: T) -> Self {
        a % b
    }
}

// A rule for a foreign operation must name its first kind.
macro_rules! real_first { ($($T:ident $C:ident)*) => { $(
    #[op(Add, tangent(a = Complex::from(a_t), b = b_t), second(a = {}, b = {}))]
    fn add(#[ad_in(r_b.re)] a: $T, #[ad_in(r_b)] b: $C) -> $C {
        a + b
    }
    #[op(Sub, tangent(a = Complex::from(a_t), b = -b_t), second(a = {}, b = {}))]
    fn sub(#[ad_in(r_b.re)] a: $T, #[ad_in(-r_b)] b: $C) -> $C {
        a - b
    }
    #[op(Mul, bilinear)]
    fn mul(#[ad_in(dot(r_b, b))] a: $T, #[ad_in(r_b * a)] b: $C) -> $C {
        a * b
    }
    #[op(
        Div,
        tangent(a = inverse(b) * a_t, b = -b_t * quotient(r, b)),
        second(
            a = -dot(r_b, quotient(b_t, b) * inverse(b)),
            b = -r_b * quotient(r_t - r * quotient(b_t, b), b).conj(),
        )
    )]
    fn div(#[ad_in(dot(r_b, inverse(b)))] a: $T, #[ad_in(-r_b * quotient(r, b).conj())] b: $C) -> $C {
        real_quotient(a, b)
    }
    #[op(
        Rem,
        tangent(a = Complex::from(a_t), b = -b_t * whole_quotient(a.into(), b)),
        second(a = {}, b = {})
    )]
    fn rem(#[ad_in(r_b.re)] a: $T, #[ad_in(-r_b * whole_quotient(a.into(), b).conj())] b: $C) -> $C {
        Complex::from(a) - b * whole_quotient(a.into(), b)
    }
)* } }
real_first! { f64 C64 f32 C32 }
