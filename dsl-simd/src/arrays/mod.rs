//! Arrays of numbers as entities.
mod kinds;
mod masks;
mod piece;
mod slices;

pub use kinds::ArrayKind;
pub use masks::{Compare, MaskKind, MaskOps, Select};
pub use piece::{Block, Element, MaskPiece, Piece};
pub use slices::{Slice, Slices};
