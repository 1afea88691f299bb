//! Kinds, the types of entities, declared by [`#[kind]`](macro@crate::kind).
//!
//! A *kind* is a type-level name: real, complex number, SIMD vector, array, matrix. By the orphan rules, a DSL crate
//! cannot implement [`Kind`] for a foreign type of values. A crate's own type can be its own kind, as `f64` is here.
//!
//! ```text
//! Kind ─ Value    the entity's memory, exactly that of the plain program
//!      ├ Adjoint  what accumulates its adjoint during a sweep
//!      ├ Policy   value kind (Copy, linear identifiers) or storage kind (owned, reused identifiers)
//!      ├ Layout   what a value is made of: one piece, or a run of numbers
//!      ├ Encoding how the tape stores a value inside a statement: in the bytes or on a stack
//!      ├ Memory   what values own, and how it comes back for later ones
//!      └ Batch    how a sweep takes equal statements
//! ```
mod additive;
pub mod adjoint;
mod batch;
pub(crate) mod carrier;
mod definition;
mod encoding;
mod heap;
pub mod identifier;
pub mod index;
mod layout;
mod list;
mod memory;
mod numbers;
mod one_piece;
mod pieces;
mod same;
mod sum;
pub mod tangents;
mod tape_cell;
mod tape_value;
mod tuple;

pub use self::additive::Additive;
#[doc(hidden)]
pub use self::additive::{Adding, ByNothing, ByNumbers, ByOperator};
#[doc(hidden)]
pub use self::adjoint::Origin;
#[doc(hidden)]
pub use self::adjoint::assert_like;
pub use self::adjoint::{Adjoint, Contribution, Incoming, Passed, PassedNumber, is_unset, unset};
pub(crate) use self::adjoint::{By, assert_shape, misfit, misfit_from, misfit_text};
pub use self::batch::{Batch, Chained, OneByOne};
pub use self::carrier::Carrier;
pub use self::definition::{Arg, Kind, TapeValue, Val, VariableCellOf, arg};
pub(crate) use self::definition::{BorrowedBy, assert_bare};
pub use self::encoding::{Encoding, Inline, Spilled};
pub use self::heap::Heap;
pub(crate) use self::identifier::NONE;
pub use self::identifier::{FreelyCopied, Identifier, Ownership, Slot, Unique, VariableId};
#[doc(hidden)]
pub use self::index::HasVariables;
pub use self::index::{Bare, Policy};
pub(crate) use self::layout::shape_of;
pub use self::layout::{At, BLOCK, Layout, Piece, PieceBlock, PieceView, Shape, blocks};
pub use self::list::{Item, Items, List, ListBlock, ListElements, ListMemory, Many, PassedItems};
pub(crate) use self::list::{assert_lengths, empty_list};
pub use self::memory::{Memory, NoMemory, Recycle};
pub use self::numbers::Numbers;
#[doc(hidden)]
pub use self::numbers::{coarsest, epsilon_of};
pub use self::one_piece::{BlockSums, DestinationKind, OnePiece, Shaped};
pub use self::pieces::{AllNeeded, Need, Needed, Pieces};
pub(crate) use self::pieces::{ComputedPieces, loaded};
pub(crate) use self::same::{numbered, numbers_of, same, same_bits};
pub use self::sum::{Inner, KnownZero, SumOf};
#[doc(hidden)]
pub use self::sum::{default_zero, is_unset_number};
pub use self::tangents::{Recycled, Single, TangentStorage};
pub use self::tape_cell::{SharedValue, TapeCell, VariableCell};
pub(crate) use self::tape_value::{bytes_of, leave, new_cell, recycle, recycle_some};
pub use self::tuple::Several;
pub use crate::machine::PieceLoop;
