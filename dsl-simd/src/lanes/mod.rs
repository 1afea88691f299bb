//! Lanes: the vectors of `wide` as value kinds, with one identifier for all lanes. The [crate] documents their use.
//!
//! ```text
//! kinds       F64x2 .. F32x16: the kind `Lanes<V>` for each vector `V`; sums and products, drivers
//! vector      what the kinds ask of a vector of numbers
//! registers   the table of wide's types: what each of them does
//! arithmetic  by instructions of the vectors, or by loops
//! exponential exp and ln by the instructions that the machine has
//! functions   elementary functions: the vector's own, or number by number where those are less exact
//! mask        comparisons, masks, select
//! members     splat, gather, scatter, lanes, reductions
//! places      v[i]
//! wide_methods shuffles, transposition, and methods of wide that combine others
//! ```
mod arithmetic;
#[cfg(feature = "complex")]
pub mod complex;
mod exponential;
mod functions;
mod kinds;
mod mask;
mod members;
mod places;
mod registers;
mod vector;
mod wide_methods;

#[doc(hidden)]
pub use arithmetic::{Arithmetic, Bits, Flags, Loops, Own};
#[doc(hidden)]
pub use functions::Pack;
pub use kinds::{F32x4, F32x8, F32x16, F64x2, F64x4, F64x8, Fill, Lanes};
pub use mask::{Blend, Compare, Mask};
pub use members::{
    Dot, Gather, GatherOps, Gathered, Lane, LanesOps, ReduceAdd, ReduceMax, ReduceMin, ReduceMul,
    Scatter, Splat, SplatOps,
};
pub use places::LaneAt;

pub(crate) use vector::flow;
pub use vector::{LaneNumber, SimdVector};
pub(crate) use wide_methods::position;
pub use wide_methods::{
    AsinAcos, GatherAt, IndexLanes, Shuffled, TransposeOps, Transposed, WideOps,
};
