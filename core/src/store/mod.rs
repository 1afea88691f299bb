//! What a tape holds beside the stream of its statements: the values of variables, what statements keep on stacks, and the adjoints of a
//! sweep; and how a statement is written and read.
mod adjoints;
mod block;
mod memory;
mod next;
mod part;
mod shared;
mod stacks;
mod stash;
mod stores;
mod values;

pub(crate) use block::Loose;
pub use block::{Reader, Writer};
pub use memory::{Memory, Walk};
pub(crate) use next::Next;
pub use part::{Field, Nested, Part, PartOf, PlaceIndex};
pub use shared::Shared;
pub use stash::Stash;
pub(crate) use stores::Stores;
pub use stores::{Access, KindStatistics, Store};
