//! Functions of real parts, and functions of num-complex made of them.
use entape_core::{elementwise::Lane, real::Real};
use num_complex::Complex;

macro_rules! functions { ($($f:ident)*) => { $(
    #[inline(always)]
    pub(crate) fn $f<T: Real>(x: T) -> T { T::piece(T::lane(x).$f()) }
)* } }
functions! { abs signum ln trunc round }

#[inline(always)]
pub(crate) fn norm<T: Real>(z: Complex<T>) -> T {
    T::piece(T::lane(z.re).hypot(T::lane(z.im)))
}
#[inline(always)]
pub(crate) fn arg<T: Real>(z: Complex<T>) -> T {
    T::piece(T::lane(z.im).atan2(T::lane(z.re)))
}
/// `exp(i angle)`
#[inline(always)]
pub(crate) fn cis<T: Real>(angle: T) -> Complex<T> {
    let angle = T::lane(angle);
    Complex::new(T::piece(angle.cos()), T::piece(angle.sin()))
}
/// `a b + c`, rounded as in num-complex.
#[inline(always)]
pub(crate) fn mul_add<T: Real>(a: Complex<T>, b: Complex<T>, c: Complex<T>) -> Complex<T> {
    let fused = |x: T, y: T, z: T| T::piece(T::lane(x).mul_add(T::lane(y), T::lane(z)));
    Complex::new(
        fused(a.re, b.re, c.re) - a.im * b.im,
        fused(a.re, b.im, fused(a.im, b.re, c.im)),
    )
}
