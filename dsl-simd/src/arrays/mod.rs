//! Arrays of numbers as entities.
mod adjoint;
mod coordinates;
mod kinds;
mod masks;
mod members;
mod piece;
mod places;
mod reductions;
mod slices;
mod strides;

pub use adjoint::Added;
pub use kinds::ArrayKind;
pub use masks::{Compare, MaskKind, MaskOps, Select};
pub use members::{ArrayMembers, GatheredArray, Gathers};
pub use piece::{Block, Element, MaskPiece, Piece};
pub use places::ElementAt;
pub use reductions::ArrayOps;
pub use slices::{Slice, Slices};
pub use strides::{Strided, Strides};

/// The operations that are arrays' own; those they share with reals are in
/// [`entape_core::op`](mod@entape_core::op).
pub mod op {
    pub use super::{
        masks::{Eq, Ge, Gt, Le, Lt, Ne, Select},
        members::{Concat, CumulativeSum, Gather, Scatter, Shift},
        reductions::{Dot, Mean, Norm, NormSquared, ReduceMax, ReduceMin, Sum},
    };
}
