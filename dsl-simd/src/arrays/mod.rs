//! Arrays of numbers as entities: one identifier for any number of elements, one statement for an expression of
//! arrays, which is one loop.
//!
//! ```
//! use entape_core::{expr::constant, real::Elementary, tape::Tape};
//! use entape_simd::{Array, arrays::{ArrayOps, Compare, MaskOps, Slices}};
//!
//! let mut tape = Tape::new();
//! let u: Array = tape.input(vec![1.0, -2.0, 3.0, 4.0]);
//! let a = tape.input(0.5); // reals stand for all elements
//! let y = tape.record(|| {
//!     let mut w = (a * &u + constant(vec![1.0, 2.0, 3.0, 4.0])).eval(); // one statement, one loop
//!     let upwind = u.slice(1..3).simd_ge(0.0).select(u.slice(1..3) - u.slice(..2), u.slice(2..) - u.slice(1..3));
//!     w.slice_mut(1..3).assign(upwind);                                 // just this part is written and saved
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
//! [`Array`](crate::Array) and [`Array32`](crate::Array32) are variables, of [`ArrayKind`]; their values are `Vec<f64>` and
//! `Vec<f32>`. Arrays own their memory, so they are operands by reference, `&v`. A clone is another variable with the
//! same elements, a statement of a few bytes; both share them until one of them is written.
//!
//! | what | how |
//! |---|---|
//! | inputs, constants, passive variables | `tape.input(vec)`, [`constant(vec)`](entape_core::expr::constant), `Array::passive(vec)`, [`Array::filled(n, x)`](Filled::filled) |
//! | arithmetic | `+ - * / %` and compound assignment, with arrays of the same length, reals and plain numbers, which stand for all elements |
//! | elementary functions | those of [`Elementary`](entape_core::real::Elementary), all of them, any argument a real: `v.exp()`, `v.max(w)`, `v.mul_add(a, w)` |
//! | comparisons, choices | [`Compare`] and [`MaskOps`]: `v.simd_lt(w).select(x, 0.0)` within an expression; `and`, `or`, `not`, `any` of masks |
//! | reductions, in one loop with the expression that is reduced | [`ArrayOps`]: `sum`, `mean`, `dot`, `norm`, `norm_squared`, `reduce_max`, `reduce_min` |
//! | slices | [`Slices`]: `v.slice(a..b)` to be read, `v.slice_mut(a..b).assign(e)`, `.add_assign(e)` to be written |
//! | strided slices | [`Strides`]: `v.slice_step(a..b, 2)`, `v.slice_step_mut(a..b, 2)`; `v.slice_step(.., -1)` backwards |
//! | the old elements on the right side | `v.slice_at(a..b)`, `v.slice_step_at(a..b, 2)`, `v.at(i)`: copies that don't borrow `v`; `v.update(\|v\| ..)` |
//! | single elements | `&v[i]` to be read, `v[i].assign(e)`, `v[i] += e` to be written |
//! | moving elements | [`ArrayMembers`]: `shift`, `rotate`, `reverse`, `concat`, `cumulative_sum` |
//! | elements by indices | [`Indexed`]: `v.take(&[2, 0, 2])`, and back `v.add_up(&[2, 0, 2], n)` |
//! | from reals and back | [`x.gather_array()`](Gathers::gather_array), [`v.scatter()`](ArrayMembers::scatter); one real in all elements: [`x.splat_array(n)`](Splats::splat_array) |
//! | vectors of `entape-linalg`, with the feature `linalg` | `v.to_vector()`, and `x.to_array()` back; complex ones, too |
//! | precision | `v.to_f32()` and `v.to_f64()` ([`Cast`](entape_core::real::Cast)); an `f64` beside an `Array32` is cast first, `a.to_f32() * &v` |
//! | operations on numbers, one's own too | [`MapArrays`]: `v.map(Op)`, `v.zip_map(w, Op)` |
//! | complex arrays, with the feature `complex` | `arrays::complex` |
//! | Fourier transforms, with the feature `fft` | `arrays::fft`: `fft`, `ifft`, `rfft`, `irfft` |
//! | inputs of [drivers](entape_core::driver) | [`WholeArray(vec)`](WholeArray), and lists of vectors |
//!
//! An array is written in place. Where the right side has slices of the array that is written, it is evaluated first:
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
//! An elementary function of one's own is one of arrays, too:
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
//! # Where there is no derivative
//!
//! Elementary functions have the values of the functions of numbers, bit by bit, but for `exp` and `ln`, which are computed
//! in vectors and at most one unit in the last place away; and the adjoints of
//! [reals](entape_core::real#conventions), element by element. An element passes nothing on if nothing flowed into its result, whatever
//! the slope is there: so a choice that avoids a singularity has a finite gradient. An adjoint that is computed as 0 is NaN at an
//! infinite slope, as that of a real.
//!
//! | operation | of no elements | where it has no derivative |
//! |---|---|---|
//! | `sum`, `dot`, `norm_squared`, `mean` | 0 | |
//! | `norm` | 0 | where all are 0: the adjoint is 0 |
//! | `reduce_max`, `reduce_min` | a panic | the first of those that are equal has the adjoint |
//!
//! # Panics
//! Operations on arrays of different lengths, slices out of range and assignments to slices of another length panic on
//! evaluation; the message names operation and lengths.
//!
//! # For authors of operations
//! Programs need the traits that the table names. [`ArrayKind`] is the kind, [`ArrayNumber`] the bound of generic rules, [`Added`] what a
//! formula adds to the [`Elements`] of an adjoint in place, and [`op`](mod@op) has the operations by name. The other traits appear in bounds.
mod adjoint;
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
pub use choices::{MaskOps, MaskSelect};
#[cfg(feature = "complex")]
pub use complex::{ComplexArrayOps, ComplexPart, RealArrayOps, from_parts, from_polar};
pub use dot::Pairing;
#[cfg(feature = "complex")]
pub(crate) use each::flow;
pub use each::{ByElement, Each, EachOfTwo, MapArrays, NumberKind, OnElements};
pub use entape_core::storage::pool::release_memory;
#[cfg(feature = "fft")]
pub use fft::{FftNumber, FftOps, RealFftOps};
pub use indices::{Indexed, Indices};
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

/// The operations that are arrays' own, by name; those they share with reals are in
/// [`entape_core::op`](mod@entape_core::op). Programs call them as methods of the traits of [`arrays`](super).
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
        indices::{AddUp, Take},
        masks::Where,
        members::{Concat, CumulativeSum, Gather, Reverse, Rotate, Scatter, Shift, Splat},
        predicates::{And, Eq, Ge, Gt, Le, Lt, Ne, Not, Or, Xor},
        reductions::{Fold, Mean, Norm, NormSquared, ReduceMax, ReduceMin, Sum},
    };
}
