//! Arrays of numbers as entities.
mod chunk;
mod kinds;
mod masks;
mod slices;

pub use chunk::{Bits, Chunk, LANES};
pub use kinds::{ArrayKind, Element};
pub use masks::{Compare, MaskKind, MaskOps, Select};
pub use slices::{Slice, Slices};
