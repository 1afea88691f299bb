//! Functions of plain complex numbers, accurate to a few units in the last place over the whole plane.
//!
//! ```text
//! scale         powers of two, quotients, directions
//! exponential   exp, sinh, sin, tanh ..
//! logarithm     ln, ln_1p
//! root          sqrt, cbrt, powers
//! inverse       asin, acos, atanh ..
//! real          functions of parts; absolute values, angles, directions
//! ```
//!
//! Where num-complex is as accurate, values are bitwise equal. Single precision is rounded from double precision.
//!
//! Sources: W. Kahan, *Branch Cuts for Complex Elementary Functions, or Much Ado About Nothing's Sign Bit*, 1987; T. E.
//! Hull, T. F. Fairgrieve and P. T. P. Tang, *Implementing the Complex Arcsine and Arccosine Functions Using Exception
//! Handling*, 1997; D. M. Priest, *Efficient Scaling for Complex Division*, 2004.
mod exponential;
mod inverse;
mod logarithm;
pub(crate) mod real;
mod root;
mod scale;

pub(crate) use scale::{direction, inverse, quotient, real_quotient};

use entape_core::real::Real;
use num_complex::{Complex, Complex64};

#[inline(always)]
fn double<T: Real>(z: Complex<T>) -> Complex64 {
    Complex::new(z.re.double(), z.im.double())
}
#[inline(always)]
fn nearest<T: Real>(z: Complex64) -> Complex<T> {
    Complex::new(T::nearest(z.re), T::nearest(z.im))
}
/// `i z`
#[inline(always)]
pub(crate) fn turned<T: Real>(z: Complex<T>) -> Complex<T> {
    Complex::new(-z.im, z.re)
}
/// `-i z`
#[inline(always)]
pub(crate) fn turned_back<T: Real>(z: Complex<T>) -> Complex<T> {
    Complex::new(z.im, -z.re)
}

macro_rules! functions { ($($module:ident: $($f:ident($($x:ident: $X:ident),*))*;)*) => { $( $(
    #[inline(always)]
    pub(crate) fn $f<T: Real>(z: Complex<T>, $($x: functions!(@type $X)),*) -> Complex<T> {
        nearest($module::$f(double(z), $(functions!(@double $X $x)),*))
    }
)* )* };
(@type Real) => { T };
(@type Complex) => { Complex<T> };
(@type i32) => { i32 };
(@type u32) => { u32 };
(@double Real $x:ident) => { $x.double() };
(@double Complex $x:ident) => { double($x) };
(@double i32 $x:ident) => { $x };
(@double u32 $x:ident) => { $x };
}
functions! {
    exponential: exp() exp2() exp_m1() sin() cos() tan() sinh() cosh() tanh() sech_squared();
    logarithm: ln() ln_1p();
    root: sqrt() cbrt() powi(n: i32) powu(n: u32) powf(x: Real) powc(w: Complex) expf(base: Real);
    inverse: asin() acos() atan() asinh() acosh() atanh();
}
