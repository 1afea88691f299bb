//! Walks over a recording, and the data that statements access.
mod access;
mod context;
mod definition;
mod direction;
mod next;
mod scratch;

pub use self::access::StatementValues;
pub(crate) use self::access::{WholeValues, add_to_variable};
pub(crate) use self::context::NumberColumns;
pub use self::context::{StatementCursor, SweepContext};
pub(crate) use self::definition::NoSlots;
pub use self::definition::{ReadValues, Scratch, Slots, Sweep};
pub use self::direction::Directional;
pub(crate) use self::next::Next;
pub(crate) use self::scratch::ScratchPool;
