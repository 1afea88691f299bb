//! Arrays of complex numbers: [`ArrayKind`] of `Complex<f64>` and `Complex<f32>`. They have the operations of complex
//! numbers, element by element, and all operations that move elements, as arrays of reals do.
//!
//! ```
//! use entape_complex::{ComplexOps, num_complex::c64};
//! use entape_core::{real::Elementary, tape::Tape};
//! use entape_simd::{Array, ComplexArray, arrays::{ArrayOps, ComplexArrayOps, RealArrayOps}};
//!
//! let mut tape = Tape::new();
//! let z: ComplexArray = tape.input(vec![c64(1.0, 2.0), c64(0.0, -1.0)]);
//! let phase: Array = tape.input(vec![0.0, 0.5]);
//! let a = tape.input(0.5);
//! let y = tape.record(|| {
//!     let mut w = (phase.cis() * &z * a).eval(); // one statement, one loop
//!     w[1].assign(&z[0] * a);                    // an element is a complex number
//!     (w.dotc(&z).re() + w.conj().norm_sqr().sum()).eval()
//! });
//! assert_eq!(y.value(), 2.5 - 1.0 + 1.25 + 1.25);
//! let gradient = tape.gradient(&y)?;
//! assert_eq!(gradient.wrt(&a)?, 5.0 - 2.0 + 5.0 + 5.0);
//! # Ok::<(), entape_core::tape::Error>(())
//! ```
//!
//! # Operands
//!
//! [`ComplexArray`](crate::ComplexArray) and [`ComplexArray32`](crate::ComplexArray32) are variables; their values are
//! `Vec<Complex<f64>>` and `Vec<Complex<f32>>`. They become inputs as arrays of reals do, by `tape.input(vec)`.
//! Operations that move or select elements ([`Slices`](super::Slices), [`Strides`](super::Strides),
//! [`ArrayMembers`](super::ArrayMembers), [`Indexed`](super::Indexed), places, [`Filled`](super::Filled),
//! [`Gathers`](super::Gathers)) are common to both.
//!
//! | operation | syntax |
//! |---|---|
//! | arithmetic | `+ - * / %` and compound assignment, with complex and real arrays of the same length, and with complex and real numbers for all elements |
//! | elementary functions | the functions of [complex numbers](entape_complex): `z.exp()`, `z.sqrt()`, `z.powi(3)`, `z.powf(x)`, `z.sin()`, .. |
//! | parts, sizes, angles | [`ComplexArrayOps`]: `re`, `im`, `conj`, `norm_sqr`, `arg`, ..; the absolute value of each element is `z.abs()` |
//! | from reals | [`RealArrayOps`]: `x.to_complex()`, `x.cis()`; [`from_parts`]`(&x, &y)`, [`from_polar`]`(&radius, &theta)` |
//! | reductions | [`ArrayOps`](super::ArrayOps): `sum`, `mean`, `norm`, `norm_squared`; `dot`, without conjugation, and `dotc`, which conjugates its receiver |
//! | choices | [`MaskOps`](super::MaskOps), by masks from comparisons of real arrays: `z.abs().simd_lt(1.0).select(&z, &w)` |
//! | precision | `z.to_f32()`, `z.to_f64()` |
//!
//! `z.norm()` is the norm of the whole array, as for real arrays, and `z.norm_sqr()` is the square of the absolute
//! value of each element, as in num-complex. Plain complex numbers are operands on either side, `z * c`, `c * z`.
//!
//! Adjoints follow the convention of complex numbers: the gradient for `z = x + iy` is `df/dx + i df/dy`, element by
//! element. An element whose result has no adjoint contributes nothing, whatever its slope.
mod each;
mod members;
mod number;

pub use members::{ComplexArrayOps, RealArrayOps, from_parts, from_polar};
pub use number::ComplexPart;

use super::ArrayKind;
