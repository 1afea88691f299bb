//! Arrays as entities: one identifier for any number of elements, and one loop for a statement.
//!
//! ```
//! use entape_core::{expr::constant, real::Elementary, tape::Tape};
//! use entape_simd::{Array, arrays::{ArrayOps, Compare, MaskOps, Slices}};
//!
//! let mut tape = Tape::new();
//! let u: Array = tape.input(vec![1.0, -2.0, 3.0, 4.0]);
//! let a = tape.input(0.5); // reals are broadcast to all elements
//! let y = tape.record(|| {
//!     let mut w = (a * &u + constant(vec![1.0, 2.0, 3.0, 4.0])).eval(); // one statement, one loop
//!     let upwind = u.slice(1..3).simd_ge(0.0).select(u.slice(1..3) - u.slice(..2), u.slice(2..) - u.slice(1..3));
//!     w.slice_mut(1..3).assign(upwind);                                 // only this part is written and saved
//!     w[0].assign(&u[3] * a);                                           // an element is a place
//!     w.norm_squared().eval()
//! });
//! assert_eq!(y.value(), 4.0 + 25.0 + 25.0 + 36.0);
//! // w = (u3 a, u2 - u1, u2 - u1, a u3 + 4)
//! let gradient = tape.gradient(&y)?;
//! assert_eq!(gradient.wrt(&u)?, [0.0, -20.0, 20.0, 2.0 + 6.0]);
//! assert_eq!(gradient.wrt(&a)?, 4.0 * 4.0 + 12.0 * 4.0);
//! # Ok::<(), entape_core::tape::Error>(())
//! ```
//!
//! # Operands
//!
//! [`Array`](crate::Array) and [`Array32`](crate::Array32) are variables with `Vec<f64>` and `Vec<f32>` as values. They
//! own their memory, so they are operands by reference, `&v`. A clone is a statement of a few bytes, with shared memory
//! until one of both is written.
//!
//! | operation | syntax |
//! |---|---|
//! | inputs, constants, passive variables | `tape.input(vec)`, [`constant(vec)`](entape_core::expr::constant), `Array::passive(vec)`, [`Array::filled(n, x)`](Filled::filled) |
//! | arithmetic | `+ - * / %` and compound assignment, with arrays, reals and plain numbers |
//! | elementary functions | [`Elementary`](entape_core::real::Elementary), and any argument may be a real: `v.mul_add(a, w)` |
//! | comparisons, choices | [`Compare`] and [`MaskOps`]: `v.simd_lt(w).select(x, 0.0)` |
//! | reductions | [`ArrayOps`] |
//! | slices | [`Slices`]: `v.slice(a..b)` for reading, `v.slice_mut(a..b).assign(e)`, `.add_assign(e)` for writing |
//! | strided slices | [`Strides`]: `v.slice_step(a..b, 2)`, `v.slice_step_mut(a..b, 2)`; `v.slice_step(.., -1)` backwards |
//! | the old elements on the right side | `v.slice_at(a..b)`, `v.slice_step_at(a..b, 2)`, `v.at(i)`: copies that don't borrow `v`; `v.update(\|v\| ..)` |
//! | selected elements | `v.select_mut(&[4, 0])` and `v.masked_mut(&mask)` for writing; `place.fill(x)` for one number |
//! | single elements | `&v[i]` for reading, `v[i].assign(e)`, `v[i] += e` for writing |
//! | moving elements | [`ArrayMembers`] |
//! | elements by indices | [`Indexed`]: `v.take(&[2, 0, 2])`, and back `v.add_up(&[2, 0, 2], n)` |
//! | from reals and back | [`x.gather_array()`](Gathers::gather_array), [`v.scatter()`](ArrayMembers::scatter); one real in all elements: [`x.splat_array(n)`](Splats::splat_array) |
//! | vectors of `entape-linalg`, with the feature `linalg` | `v.to_vector()`, and `x.to_array()` back |
//! | precision | `v.to_f32()` and `v.to_f64()` ([`Cast`](entape_core::real::Cast)); an `f64` beside an `Array32` is cast first, `a.to_f32() * &v` |
//! | custom operations on numbers | [`MapArrays`]: `v.map(Op)`, `v.zip_map(w, Op)` |
//! | complex arrays, with the feature `complex` | `arrays::complex` |
//! | Fourier transforms, with the feature `fft` | `arrays::fft` |
//! | inputs of drivers | [`WholeArray(vec)`](WholeArray), and lists of vectors |
//!
//! If the right side reads slices of the written array, it is evaluated first:
//!
//! ```
//! use entape_core::tape::Tape;
//! use entape_simd::arrays::{ArrayOps, Slices};
//!
//! let mut tape = Tape::new();
//! let v = tape.input(vec![1.0, 2.0, 3.0]);
//! let y = tape.record(|| {
//!     let mut u = v.clone();
//!     let old = u.slice_at(..2);
//!     u.slice_mut(1..).assign(10.0 * old); // 1, 10, 20
//!     u.sum().eval()
//! });
//! assert_eq!((y.value(), tape.gradient(&y)?.wrt(&v)?), (31.0, vec![11.0, 10.0, 0.0]));
//! # Ok::<(), entape_core::tape::Error>(())
//! ```
//!
//! A custom elementary function also applies to arrays:
//!
//! ```
//! use entape_core::{op, elementwise::Lane, tape::Tape};
//! use entape_simd::arrays::ArrayOps;
//!
//! /// `ln(1 + e^x)`
//! #[op(elementwise)]
//! fn softplus<L: Lane>(#[ad_in(r_b / (x.one() + (-x).exp()))] x: L) -> L {
//!     x.exp().ln_1p()
//! }
//!
//! let mut tape = Tape::new();
//! let v = tape.input(vec![0.0, 0.0]);
//! let y = tape.record(|| softplus(2.0 * &v).sum().eval());
//! assert_eq!(tape.gradient(&y)?.wrt(&v)?, [1.0, 1.0]);
//! # Ok::<(), entape_core::tape::Error>(())
//! ```
//!
//! # Points without a derivative
//!
//! Elementary functions are bitwise equal to the functions of numbers, except `exp` and `ln`, with an error of at most
//! one unit in the last place. Adjoints follow the conventions of [reals](entape_core::real#conventions). An element
//! whose result has no adjoint contributes nothing, whatever its slope, so a choice that avoids a singularity has a
//! finite gradient. If an adjoint is computed as 0 at an infinite slope, the contribution is NaN, as for a real.
//!
//! | operation | of no elements | at points without a derivative |
//! |---|---|---|
//! | `sum`, `dot`, `norm_squared`, `mean` | 0 | |
//! | `norm` | 0 | if all elements are 0, the adjoint is 0 |
//! | `reduce_max`, `reduce_min` | a panic | the first of equal elements has the adjoint |
//!
//! # Panics
//! Different lengths and slices out of range panic on evaluation, with the operation and the lengths.
//!
//! # For authors of operations
//! [`ArrayKind`] is the kind and [`ArrayNumber`] the bound of generic rules. A formula adds [`Added`] to the
//! [`Elements`] of an adjoint. [`op`](mod@op) has the operations by name.
mod adjoint;
mod build;
mod choices;
#[cfg(feature = "complex")]
pub mod complex;
mod coordinates;
mod dot;
mod each;
mod each_tangents;
#[cfg(feature = "fft")]
pub mod fft;
mod indices;
mod kinds;
mod lane;
#[cfg(feature = "linalg")]
mod linalg;
mod masks;
mod members;
mod number;
mod piece;
mod places;
mod pool;
mod predicates;
mod reductions;
mod slices;
mod strides;
mod whole;

pub use adjoint::{Added, ArrayAdjoint, Elements};
#[doc(hidden)]
pub use build::array;
pub use choices::{MaskOps, MaskSelect};
#[cfg(feature = "complex")]
pub use complex::{ComplexArrayOps, RealArrayOps, from_parts, from_polar};
pub use dot::Pairing;
#[cfg(feature = "complex")]
pub(crate) use each::flow;
pub use each::{ByElement, Each, EachOfTwo, MapArrays, OnElements};
pub use entape_core::storage::pool::release_memory;
#[cfg(feature = "fft")]
pub use fft::{FftOps, RealFftOps};
pub use indices::{Indexed, Indices, Selected};
pub use kinds::{ArrayKind, Extent};
#[cfg(feature = "linalg")]
pub use linalg::{ArrayToVector, VectorToArray};
pub use masks::{MaskKind, Maskable, Predicate, Where};
pub use members::{ArrayMembers, GatheredArray, Gathers, Splats};
pub use number::{ArrayNumber, ElementOf};
pub use piece::ArrayBlock;
pub use places::ElementAt;
pub use pool::Filled;
pub use predicates::Compare;
pub use reductions::{ArrayOps, ArrayReduction};
pub use slices::{Slice, Slices};
pub use strides::{Strided, Strides};
pub use whole::WholeArray;

/// The operations by name; programs call methods of the traits of [`arrays`](super).
///
/// ```
/// use entape_check as check;
/// use entape_simd::arrays::op;
///
/// check::assert_rule(&op::CumulativeSum, (vec![2.0, 3.0, 5.0],)); // the rule, against finite differences
/// ```
pub mod op {
    #[cfg(feature = "fft")]
    pub use super::fft::{Fft, Ifft, Irfft, Rfft};
    #[cfg(feature = "linalg")]
    pub use super::linalg::{ToArray, ToVector};
    pub use super::{
        choices::MaskSelect,
        dot::{Dot, Dotc},
        each::Each,
        indices::{AddUp, Take, TakeLanes},
        masks::Where,
        members::{Concat, CumulativeSum, Gather, Reverse, Rotate, Scatter, Shift, Splat},
        predicates::{And, Eq, Ge, Gt, Le, Lt, Ne, Not, Or, Xor},
        reductions::{Fold, Mean, Norm, NormSquared, ReduceMax, ReduceMin, Sum},
    };
}
