//! The SIMD DSL of entape: lanes and arrays as entities, one identifier and one statement for all of their numbers.
//!
//! ```text
//! lanes    the vectors of wide (f64x2, f64x4, f64x8, f32x4, f32x8, f32x16) as value kinds
//! arrays   Vec<f64> and Vec<f32> of any length as a storage kind, elementwise expressions fused into one loop
//! ```
//!
//! A vector of numbers is a variable like a real; the code of the plain program stays SIMD, and a statement stores
//! one identifier where reals would store one for each number.
//!
//! ```
//! use entape_core::{expr::{Active, constant}, real::Elementary, tape::Tape};
//! use entape_simd::{Compare, LanesOps, Realx4, wide::f64x4};
//!
//! let mut tape = Tape::new();
//! let v = tape.input(f64x4::new([1.0, 2.0, 3.0, 4.0]));
//! let a = tape.input(0.5); // reals stand for all lanes
//! let y = tape.record(|| {
//!     let mut w: Realx4 = ((a * v).exp() + constant(f64x4::splat(1.0)).max(v)).eval(); // one statement
//!     w[2].assign(a * &v[0]);                              // a lane is a place
//!     let small = w.simd_lt(3.0);                          // a mask, plain
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
//! The rest of this page is about lanes; [`arrays`] have a page of their own.
//!
//! # Operands
//!
//! Names are those of `wide` and of `f64`.
//!
//! | what | how |
//! |---|---|
//! | inputs, constants, passive variables | `tape.input(v)`, [`constant(v)`](entape_core::expr::constant), `Realx4::passive(v)` for a plain `v: f64x4` |
//! | arithmetic | `+ - * / %` and compound assignment with lanes; with reals and plain numbers, which stand for all lanes |
//! | elementary functions | those of [`Elementary`](entape_core::real::Elementary), all of them, any argument a real: `v.powf(x)`, `v.clamp(0.0, 1.0)` |
//! | comparisons | [`Compare`]: `v.simd_lt(w)` is a [`Mask`] |
//! | choices | [`Mask::select`] |
//! | reductions | [`LanesOps`]: `reduce_add`, `reduce_mul`, `reduce_max`, `reduce_min`, `dot` |
//! | single lanes | `v.lane(i)` of any operand; `&v[i]`, `v.at(i)`, `v[i].assign(e)` of variables |
//! | from reals and back | [`x.splat::<f64x4>()`](SplatOps::splat), [`x.gather::<f64x4>()`](GatherOps::gather), [`v.scatter()`](LanesOps::scatter) |
//! | lists | `sum` and `product` of slices and iterators, lane by lane |
//!
//! A plain vector is an operand to the right of lanes: `w * v`, `w += v`. Elsewhere it enters an expression as `constant(v)`, or
//! `lit(v)` where the kind is known: the language lets no crate but that of a foreign type implement operators for it. A slice of numbers becomes vectors by the `From`
//! of `wide`, which fills the last one with zeros:
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
//! Elementary functions have the values of the functions of numbers, bit by bit, but for these, which are the
//! vector's own and at most 2 units in the last place away:
//!
//! | function | |
//! |---|---|
//! | `exp`, `ln`, and 4 units of `log`, a quotient of two | of `f64` by the instructions that the machine has (AVX2); elsewhere, and of `f32`, by those of `wide` |
//! | `cbrt`, `asin`, `acos` | |
//! | `atan`, `atan2` | of `f64` |
//! | `max`, `min` | of zeros with different signs either one |
//! | `mul_add` | rounded once only where the target has such an instruction; twice elsewhere, as in `wide` |
//!
//! The others are computed number by number: those of `wide` differ by more. `exp2` loses 1900 units,
//! `sin` and `cos` 15000 near multiples of π/2, `recip` of `f32` 5000, `exp_m1`, `ln_1p`, `sinh`, `tan` and `tanh` 3 to
//! 7, `powf` 43; `log2` and `log10` are within 2, but not exact for powers of 2 and 10.
//!
//! Adjoints where a function has no derivative are those of [reals](entape_core::real#conventions), lane by lane.
//!
//! # For authors of operations
//! Programs need the traits and variables that are named above. The rest is for operations of one's own: [`Lanes`] and
//! [`ArrayKind`] are the kinds, [`SimdVector`], [`LaneNumber`] and [`ArrayNumber`](arrays::ArrayNumber) the bounds of
//! generic rules, and [`op`](mod@op) and [`arrays::op`] name the operations of this crate.
#![warn(missing_debug_implementations)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

pub mod arrays;
mod formulas;
pub mod lanes;
#[doc(hidden)] // for tests
pub mod machine;

pub use lanes::{
    Compare, F32x4, F32x8, F32x16, F64x2, F64x4, F64x8, Fill, GatherOps, LaneNumber, Lanes,
    LanesOps, Mask, SimdVector, SplatOps,
};
pub use wide;

/// The operations that are lanes' own, by name; those they share with reals are in
/// [`entape_core::op`](mod@entape_core::op). Programs call them as methods of [`LanesOps`], [`SplatOps`], [`GatherOps`] and [`Mask`].
///
/// ```
/// use entape_check as check;
/// use entape_simd::{op, wide::f64x2};
///
/// check::assert_rule(&op::ReduceMul, (f64x2::new([2.0, 3.0]),)); // the rule, against finite differences
/// ```
pub mod op {
    pub use crate::lanes::{
        Blend, Dot, Gather, Lane, ReduceAdd, ReduceMax, ReduceMin, ReduceMul, Scatter, Splat,
    };
}

use arrays::ArrayKind;
use entape_core::{expr::Active, mode::Taped};

/// An array of `f64` in mode `M`, by default one that is recorded. Its value is a `Vec<f64>`; it owns its memory, so operands are references
/// to it, `&u + &v`. The module [`arrays`] says what can be done with it.
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
/// An [`Array`] of `f32` in mode `M`, by default one that is recorded.
pub type Array32<M = Taped> = Active<ArrayKind<f32>, M>;

/// An array of `Complex<f64>` in mode `M`, by default one that is recorded. The module [`arrays::complex`] says what can be done
/// with it, and has an example.
#[cfg(feature = "complex")]
pub type ComplexArray<M = Taped> = Active<ArrayKind<entape_complex::num_complex::Complex<f64>>, M>;
/// A [`ComplexArray`] of `Complex<f32>` in mode `M`, by default one that is recorded.
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

/// The listings of the crate's README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
