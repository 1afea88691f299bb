//! Arrays of complex numbers: [`ArrayKind`] of `Complex<f64>` and `Complex<f32>`, with what complex numbers have,
//! element by element, and everything that moves elements, as arrays of reals.
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
//! `Vec<Complex<f64>>` and `Vec<Complex<f32>>`. They enter a tape as arrays of reals do, `tape.input(vec)`. What moves
//! elements or names them ([`Slices`](super::Slices), [`Strides`](super::Strides), [`ArrayMembers`](super::ArrayMembers),
//! [`Indexed`](super::Indexed), places, [`Filled`](super::Filled), [`Gathers`](super::Gathers)) is the same for both.
//!
//! | what | how |
//! |---|---|
//! | arithmetic | `+ - * / %` and compound assignment, with complex and real arrays of the same length, and with complex and real numbers, which stand for all elements |
//! | elementary functions | those of [complex numbers](entape_complex): `z.exp()`, `z.sqrt()`, `z.powi(3)`, `z.powf(x)`, `z.sin()`, .. |
//! | parts, sizes, angles | [`ComplexArrayOps`]: `re`, `im`, `conj`, `norm_sqr`, `arg`, ..; the absolute value of each element is `z.abs()` |
//! | from reals | [`RealArrayOps`]: `x.to_complex()`, `x.cis()`; [`from_parts`]`(&x, &y)`, [`from_polar`]`(&radius, &theta)` |
//! | reductions | [`ArrayOps`](super::ArrayOps): `sum`, `mean`, `norm`, `norm_squared`; `dot`, which conjugates nothing, and `dotc`, which conjugates the array that it is called on |
//! | choices | [`MaskOps`](super::MaskOps), by masks that comparisons of real arrays make: `z.abs().simd_lt(1.0).select(&z, &w)` |
//! | precision | `z.to_f32()`, `z.to_f64()` |
//!
//! `z.norm()` is that of the whole array, as for real arrays, and `z.norm_sqr()` the square of the absolute value of
//! each element, as num-complex calls it. Plain complex numbers stand to the right, `z * c`; to the left they enter as
//! `constant(c)`.
//!
//! Adjoints are those of complex numbers: the gradient for `z = x + iy` is `df/dx + i df/dy`, element by element. An
//! element passes nothing on if nothing flowed into its result, whatever the slope is there.
mod each;
mod members;
mod number;

pub use members::{ComplexArrayOps, RealArrayOps, from_parts, from_polar};
pub use number::ComplexPart;

use super::ArrayKind;
