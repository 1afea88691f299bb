//! The complex DSL of entape: `num_complex` numbers as entities with one identifier for both parts.
//!
//! ```text
//! kinds        C64, C32; parts as places, drivers, sums and products
//! arithmetic   + - * / %, among complex numbers and with reals
//! elementary   exp, sqrt, sin, powf, powc ..  formulas shared with reals where they are holomorphic
//! plane        their values, accurate over the whole plane
//! members      re, im, conj, norm, arg, to_polar ..; new, from_polar, cis from reals
//! wirtinger    df/dz and df/dz*
//! ```
//!
//! Names are taken from num-complex. Sums, products, parts, sizes and angles are bitwise equal, and so are quotients
//! unless a product over- or underflows. [Elementary functions](#values) are accurate where num-complex loses digits.
//!
//! ```
//! use entape_complex::{Complex, ComplexOps, RealOps, num_complex};
//! use entape_core::{expr::Active, real::Elementary, tape::Tape};
//!
//! let mut tape = Tape::new();
//! let z = tape.input(num_complex::Complex::new(1.0, 2.0));
//! let a = tape.input(0.5);
//! let y = tape.record(|| {
//!     let mut w: Complex = (z * z * a + a.cis()).eval(); // one statement
//!     w += 2.0;
//!     (w.exp() / z).norm_sqr().eval()
//! });
//! let gradient = tape.gradient(&y)?;
//! let (z_b, a_b) = (gradient.wrt(&z)?, gradient.wrt(&a)?);
//! # let check = |(z, a): (Complex, Active<f64>)| ((z * z * a + a.cis() + 2.0).exp() / z).norm_sqr();
//! # entape_check::assert_expression(check, (z.value(), 0.5));
//! # let again = entape_drivers::gradient(check, (z.value(), 0.5))?;
//! # assert!((again.0 - z_b).norm() < 1e-12 * z_b.norm() && (again.1 - a_b).abs() < 1e-12 * a_b.abs());
//! # Ok::<(), entape_core::tape::Error>(())
//! ```
//!
//! # The gradient
//!
//! The gradient of a real output `f` with respect to `z = x + iy` is `df/dx + i df/dy`, the direction in which `f`
//! grows most: `z - t * gradient` descends. With the adjoint `r_b` of the result, a function adds to the adjoint of its
//! argument
//!
//! ```text
//! z_b += r_b * conj(dr/dz) + conj(r_b) * dr/dz*       in general, with Wirtinger derivatives
//! z_b += r_b * conj(r'(z))                            for a holomorphic function
//! ```
//!
//! | tool | gradient of `f` with respect to `z` | of `Re z` | of `Im z` |
//! |---|---|---|---|
//! | entape | `df/dx + i df/dy` | `1` | `i` |
//! | PyTorch, ChainRules (Zygote), CoDiPack | `df/dx + i df/dy` | `1` | `i` |
//! | JAX, `jax.grad` | the conjugate, `df/dx - i df/dy` | `1` | `-i` |
//!
//! [`wirtinger()`] and [`Wirtinger::of_gradient`] compute the Wirtinger derivatives, `df/dz = (df/dx - i df/dy) / 2`
//! and `df/dz* = (df/dx + i df/dy) / 2`. A seed `s` of a complex output `w` gives the gradient of `Re(conj(s) * w)`:
//! `1` of `Re w`, and `i` of `Im w`. [Coordinates](entape_core::coordinates::Coordinates), and rows and columns of a
//! Jacobian, are `[re, im]`.
//!
//! Gradient descent: the root of a polynomial with the smallest argument.
//!
//! ```
//! use entape_complex::{Complex, ComplexOps, num_complex::c64};
//! use entape_core::real::Elementary;
//! use entape_drivers::gradient;
//!
//! let mut z = c64(1.0, 0.5);
//! for _ in 0..200 {
//!     z -= 0.05 * gradient(|z: Complex| (z.powi(3) - 1.0).norm_sqr(), z)?;
//! }
//! approx::assert_abs_diff_eq!(z, c64(1.0, 0.0), epsilon = 5e-13);
//! # Ok::<(), entape_core::tape::Error>(())
//! ```
//!
//! # Conventions
//!
//! On a branch cut the sign of the zero selects the side, as in C (ISO C, annex G), of which value and adjoint are the
//! limits: `0.0` above or to the right, `-0.0` below or to the left.
//!
//! | function | cut | zero |
//! |---|---|---|
//! | `sqrt`, `cbrt`, `ln`, `log2`, `log10`, `log`, `powf`, `powc` | `(-∞, 0)` | the imaginary part |
//! | `ln_1p` | `(-∞, -1)` | the imaginary part |
//! | `asin`, `acos`, `atanh` | `(-∞, -1)`, `(1, ∞)` | the imaginary part |
//! | `acosh` | `(-∞, 1)` | the imaginary part |
//! | `asinh`, `atan` | `(-i∞, -i)`, `(i, i∞)` | the real part |
//!
//! At points without a derivative, adjoints are as follows. An unbounded derivative lacks a direction, so both parts
//! are NaN.
//!
//! | operation | where | adjoint of an argument |
//! |---|---|---|
//! | `norm(z)`, `abs(z)`, `arg(z)`, `to_polar(z)` | `z = 0` | 0, see below |
//! | `l1_norm(z)` | a part is 0 | 0 in this part, see below |
//! | `sqrt`, `cbrt`, `ln`, `log2`, `log10`, `log`, `inv`, `finv`, `x / z` | `z = 0` | NaN |
//! | `ln_1p` | `z = -1` | NaN |
//! | `powi(z, 0)`, `powu(z, 0)`, `powf(z, 0)`, `powc(z, 0)` | every `z`, 0 too | 0 for `z` |
//! | `powi(z, n)`, `n < 0` | `z = 0` | NaN |
//! | `powf(z, x)` | `z = 0` | for `z`: 0 if `x > 1`, `r_b` if `x = 1`, NaN if `0 < x < 1`; for `x`: 0 if `x >= 0` |
//! | `powf(z, x)` | `z = 0`, `x < 0` | NaN for both |
//! | `powc(z, w)` | `z = 0` | for `z`: 0 if `w = 0` or `Re w > 1`, `r_b` if `w = 1`, otherwise NaN; for `w`: 0 if `w = 0` or `Re w > 0`, otherwise NaN |
//! | `asin`, `acos`, `atanh`, `acosh` | `z = 1`, `z = -1` | NaN |
//! | `asinh`, `atan` | `z = i`, `z = -i` | NaN |
//! | `%` | at jumps | the adjoint for the quotient that the result uses |
//!
//! At 0, the tangent of the absolute value along `v` is `|v|`. A sweep to second order uses the one-sided derivative of
//! the gradient: `r_bt v / |v|` for the tangent `r_bt` of an adjoint `r_b = 0`, and NaN for other adjoints. It is exact
//! for smooth functions of even powers of the absolute value, such as `0.5 * n * n` and `n.cos()` with `let n =
//! z.norm().eval()`. `l1_norm` follows these rules for each part. The second derivative of the angle at 0 is NaN.
//!
//! # Values
//!
//! In both precisions, each part of an elementary function is accurate to 4 units in the last place over the whole
//! plane. Gradients are accurate to 8 units of their absolute value and second derivatives to 16, unless the value or
//! the gradient overflows. For these functions errors are relative to the absolute value of the result:
//!
//! | function | units |
//! |---|---|
//! | `exp_m1`, quotients, `powi`, `powu`, `powf` | 4, times the exponent of a power |
//! | `powc(z, w)` | 4 and `\|w ln z\|`: the error of the logarithm |
//! | `expf(z, base)` | 4 and `\|z ln base\|` |
//!
//! For an infinite argument the result is the limit if it exists: `1 / z` is 0. The tests compare with mpmath
//! (`tests/data/plane.py`).
//!
//! # Plain complex values in expressions
//!
//! Plain reals are operands on either side, plain complex values on the right and as arguments: `z * c`, `z += c`, `z
//! == c`, `z.powc(c)`. On the left, and as receivers, write [`constant(c)`](entape_core::expr::constant). Inputs are
//! `tape.input(c)`, in single precision `tape.input_as::<C32>(c)`, and passive variables `Complex::passive(c)`.
//!
//! ```
//! use entape_complex::{Complex, Powers, num_complex::Complex64};
//! use entape_core::{expr::constant, mode::Plain, real::Elementary};
//!
//! let i = constant(Complex64::i());
//! let z = Complex::<Plain>::passive(Complex64::new(0.0, 1.0));
//! let w = (i * z * 2.0).exp() - z.powc(Complex64::new(2.0, 0.0));
//! let want = Complex64::from((-2.0_f64).exp() + 1.0);
//! approx::assert_abs_diff_eq!(w.eval().value(), want, epsilon = 5e-16);
//! ```
//!
//! `to_f32` and `to_f64` ([`Cast`](entape_core::real::Cast)) convert precisions.
#![warn(missing_debug_implementations)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod arithmetic;
mod dual;
mod elementary;
#[cfg(feature = "fft")]
pub mod fft;
mod kinds;
mod members;
mod plane;
mod wirtinger;

pub use elementary::Powers;
pub use kinds::{C32, C64, ComplexKind, ComplexParts};
pub use members::{ComplexOps, PolarCoordinates, RealOps, cis, from_polar, new};
pub use num_complex;
pub use wirtinger::{Wirtinger, wirtinger};

/// The operations by name that [`entape_core::op`](mod@entape_core::op) lacks. [`ComplexOps`], [`RealOps`] and
/// [`Powers`] document them.
///
/// ```
/// use entape_complex::{num_complex::c64, op};
/// use entape_check as check;
///
/// check::assert_rule(&op::Arg, (c64(1.0, -2.0),)); // the rule, against finite differences
/// ```
pub mod op {
    pub use crate::elementary::{Expf, Powc, Powu};
    pub use crate::members::{
        Arg, Cis, Conj, Fdiv, Finv, FromPolar, Im, Inv, L1Norm, New, Norm, NormSqr, Re, Scale,
        ToComplex, ToPolar, Unscale,
    };
}

use entape_core::{expr::Active, mode::Taped, real::Real};

/// A complex variable of double precision, recorded by default.
///
/// ```
/// use entape_complex::{Complex, ComplexOps, num_complex::c64};
/// use entape_core::{real::Elementary, tape::Tape};
///
/// let mut tape = Tape::new();
/// let z: Complex = tape.input(c64(1.0, 1.0));
/// let y = tape.record(|| (z.powi(2) * 3.0).im().eval()); // 6 x y
/// assert_eq!(tape.gradient(&y)?.wrt(&z)?, c64(6.0, 6.0));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub type Complex<M = Taped> = Active<C64, M>;
/// A [`Complex`] of single precision.
pub type Complex32<M = Taped> = Active<C32, M>;

/// `Re(conj(a) * b)`.
#[inline(always)]
fn dot<T: Real>(a: num_complex::Complex<T>, b: num_complex::Complex<T>) -> T {
    a.re * b.re + a.im * b.im
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
