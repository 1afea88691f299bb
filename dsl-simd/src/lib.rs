//! The SIMD DSL of entape: lanes and arrays as entities, with one identifier for all numbers.
//!
//! ```text
//! lanes    the vectors of wide (f64x2, f64x4, f64x8, f32x4, f32x8, f32x16) as value kinds
//! arrays   Vec<f64> and Vec<f32> of any length as a storage kind, elementwise expressions fused into one loop
//! ```
//!
//! A vector is a variable like a real, and the plain program stays SIMD.
//!
//! ```
//! use entape_core::{expr::{Active, constant}, real::Elementary, tape::Tape};
//! use entape_simd::{Compare, LanesOps, Realx4, wide::f64x4};
//!
//! let mut tape = Tape::new();
//! let v = tape.input(f64x4::new([1.0, 2.0, 3.0, 4.0]));
//! let a = tape.input(0.5); // reals are broadcast to all lanes
//! let y = tape.record(|| {
//!     let mut w: Realx4 = ((a * v).exp() + constant(f64x4::splat(1.0)).max(v)).eval(); // one statement
//!     w[2].assign(a * &v[0]);                              // a lane is a place
//!     let small = w.simd_lt(3.0);                          // a plain mask
//!     (small.select(w * w, 2.0 * w).reduce_add()).eval()
//! });
//! let gradient = tape.gradient(&y)?;
//! // lane 0 is small: w = exp(a v) + 1; lane 2 is a v[0]
//! let (w, slope) = (0.5_f64.exp() + 1.0, 0.5 * 0.5_f64.exp());
//! let lane0: f64 = gradient.wrt(&v)?.to_array()[0];
//! approx::assert_abs_diff_eq!(lane0, 2.0 * w * slope + 2.0 * 0.5 * 0.5, epsilon = 1e-14);
//! # Ok::<(), entape_core::tape::Error>(())
//! ```
//!
//! [`arrays`] documents arrays, and this page lanes.
//!
//! # Operands
//!
//! | operation | syntax |
//! |---|---|
//! | inputs, constants, passive variables | `tape.input(v)`, [`constant(v)`](entape_core::expr::constant), `Realx4::passive(v)` for a plain `v: f64x4` |
//! | arithmetic | `+ - * / %` and compound assignment, with lanes, reals and plain numbers |
//! | elementary functions | [`Elementary`](entape_core::real::Elementary), and any argument may be a real: `v.powf(x)` |
//! | comparisons | [`Compare`]: `v.simd_lt(w)` is a [`Mask`] |
//! | choices | [`Mask::select`] |
//! | reductions | [`LanesOps`] |
//! | single lanes | `v.lane(i)` of any operand; `&v[i]`, `v.at(i)`, `v[i].assign(e)` of variables |
//! | from reals and back | [`x.splat::<f64x4>()`](SplatOps::splat), [`x.gather::<f64x4>()`](GatherOps::gather), [`v.scatter()`](LanesOps::scatter) |
//! | lists | `sum` and `product` of slices and iterators, lane by lane |
//!
//! A plain vector is an operand on the right: `w * v`, `w += v`. Elsewhere write `constant(v)`, or `lit(v)` if the kind
//! is known. The `From` of `wide` makes vectors from a slice and fills the last one with zeros:
//!
//! ```
//! # use entape_core::tape::Tape;
//! use entape_simd::{Realx4, wide::f64x4};
//!
//! let numbers = [1.0, 2.0, 3.0, 4.0, 5.0];
//! let mut tape: Tape = Tape::new();
//! let v: Vec<Realx4> = tape.inputs(numbers.chunks(4).map(f64x4::from));
//! assert_eq!(v[1].value(), f64x4::new([5.0, 0.0, 0.0, 0.0]));
//! ```
//!
//! # Values
//!
//! Elementary functions are bitwise equal to the functions of numbers, except for these with errors of at most 2 units
//! in the last place:
//!
//! | function | |
//! |---|---|
//! | `exp`, `ln`, and 4 units for `log`, a quotient of two logarithms | for `f64` by the instructions of the machine (AVX2); on other machines, and for `f32`, by `wide` |
//! | `cbrt`, `asin`, `acos` | |
//! | `atan`, `atan2` | for `f64` |
//! | `max`, `min` | for zeros with different signs, either one |
//! | `mul_add` | rounded once if the target has the instruction; otherwise twice |
//!
//! Other functions are computed number by number, because `wide` differs by more: `exp2` by 1900 units, `sin` and `cos`
//! by 15000 near multiples of π/2, `recip` of `f32` by 5000, `exp_m1`, `ln_1p`, `sinh`, `tan` and `tanh` by 3 to 7, and
//! `powf` by 43.
//!
//! Adjoints at points without a derivative follow the conventions of [reals](entape_core::real#conventions).
//!
//! # For authors of operations
//! [`Lanes`] and [`ArrayKind`] are the kinds, [`SimdVector`], [`LaneNumber`] and [`ArrayNumber`](arrays::ArrayNumber)
//! the bounds of generic rules. [`op`](mod@op) and [`arrays::op`] have the operations by name.
#![warn(missing_debug_implementations)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

pub mod arrays;
mod formulas;
pub mod lanes;
#[doc(hidden)] // for tests
pub mod machine;

#[doc(hidden)]
pub use arrays::array as __array;
#[doc(hidden)]
pub use entape_core as __core;
pub use lanes::{
    Compare, F32x4, F32x8, F32x16, F64x2, F64x4, F64x8, Fill, GatherAt, GatherOps, LaneNumber,
    Lanes, LanesOps, Mask, SimdVector, SplatOps, TransposeOps, WideOps,
};
pub use wide;

/// The operations by name; programs call methods of [`LanesOps`], [`SplatOps`], [`GatherOps`] and [`Mask`].
///
/// ```
/// use entape_check as check;
/// use entape_simd::{op, wide::f64x2};
///
/// check::assert_rule(&op::ReduceMul, (f64x2::new([2.0, 3.0]),)); // the rule, against finite differences
/// ```
pub mod op {
    pub use crate::lanes::{
        AsinAcos, Blend, Dot, Gather, Lane, ReduceAdd, ReduceMax, ReduceMin, ReduceMul, Scatter,
        Shuffled, Splat, Transposed,
    };
}

use arrays::ArrayKind;
use entape_core::{expr::Active, mode::Taped};

/// An array variable of `f64`, an operand by reference: `&u + &v`. See [`arrays`].
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_simd::{Array, arrays::ArrayOps};
///
/// let mut tape = Tape::new();
/// let v: Array = tape.input(vec![1.0, 2.0, 3.0]);
/// let y = tape.record(|| (&v * &v * 2.0).sum().eval());
/// assert_eq!((y.value(), tape.gradient(&y)?.wrt(&v)?), (28.0, vec![4.0, 8.0, 12.0]));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub type Array<M = Taped> = Active<ArrayKind<f64>, M>;
/// An [`Array`] of `f32`.
pub type Array32<M = Taped> = Active<ArrayKind<f32>, M>;

/// An array variable of `Complex<f64>`. See [`arrays::complex`].
#[cfg(feature = "complex")]
pub type ComplexArray<M = Taped> = Active<ArrayKind<entape_complex::num_complex::Complex<f64>>, M>;
/// A [`ComplexArray`] of `Complex<f32>`.
#[cfg(feature = "complex")]
pub type ComplexArray32<M = Taped> =
    Active<ArrayKind<entape_complex::num_complex::Complex<f32>>, M>;

macro_rules! complex_variables { ($($Name:ident $Kind:ident $about:literal)*) => { $(
    #[doc = concat!($about, " in mode `M`, by default one that is recorded. The module [`lanes::complex`] says what can be done with it.")]
    #[cfg(feature = "complex")]
    pub type $Name<M = Taped> = Active<lanes::complex::$Kind, M>;
)* } }
complex_variables! {
    Complexx2 C64x2 "A `Complex<f64x2>`"
    Complexx4 C64x4 "A `Complex<f64x4>`"
    Complexx8 C64x8 "A `Complex<f64x8>`"
    Complex32x4 C32x4 "A `Complex<f32x4>`"
    Complex32x8 C32x8 "A `Complex<f32x8>`"
    Complex32x16 C32x16 "A `Complex<f32x16>`"
}

macro_rules! variables { ($($Name:ident $Kind:ident $about:literal)*) => { $(
    #[doc = concat!($about, " in mode `M`, by default one that is recorded. The [crate](self) says what can be done with it.")]
    pub type $Name<M = Taped> = Active<$Kind, M>;
)* } }
variables! {
    Realx2 F64x2 "An `f64x2`"
    Realx4 F64x4 "An `f64x4`"
    Realx8 F64x8 "An `f64x8`"
    Real32x4 F32x4 "An `f32x4`"
    Real32x8 F32x8 "An `f32x8`"
    Real32x16 F32x16 "An `f32x16`"
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
