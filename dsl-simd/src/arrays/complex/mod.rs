//! Arrays of complex numbers: [`ArrayKind`] of `Complex<f64>` and `Complex<f32>`.
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
//! [`ComplexArray`](crate::ComplexArray) and [`ComplexArray32`](crate::ComplexArray32) are the variables. Moves and
//! selections are as for real arrays; the other operations:
//!
//! | operation | syntax |
//! |---|---|
//! | arithmetic | `+ - * / %` and compound assignment, with complex and real arrays and numbers |
//! | elementary functions | of [complex numbers](entape_complex) |
//! | parts, sizes, angles | [`ComplexArrayOps`]; the absolute value of each element is `z.abs()` |
//! | from reals | [`RealArrayOps`], [`from_parts`], [`from_polar`] |
//! | reductions | [`ArrayOps`](super::ArrayOps): `dot` does not conjugate, `dotc` conjugates its receiver |
//! | choices | [`MaskOps`](super::MaskOps), by comparisons of real arrays: `z.abs().simd_lt(1.0).select(&z, &w)` |
//! | precision | `z.to_f32()`, `z.to_f64()` |
//!
//! `z.norm()` is the norm of the whole array, and `z.norm_sqr()` squares the absolute value of each element. Plain
//! complex numbers are operands on the right, `z * c`; on the left, write `constant(c)`. The gradient for `z = x + iy`
//! is `df/dx + i df/dy`.
mod each;
mod members;
mod number;

pub use members::{ComplexArrayOps, RealArrayOps, from_parts, from_polar};

use super::ArrayKind;
