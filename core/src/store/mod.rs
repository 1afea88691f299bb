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

pub(crate) use self::block::Loose;
pub use self::block::{Reader, Writer};
pub use self::memory::{Memory, Walk};
pub(crate) use self::next::Next;
pub use self::part::{Field, Nested, Part, PartOf, PlaceIndex};
pub use self::shared::Shared;
pub use self::stash::Stash;
#[doc(hidden)]
pub use self::stash::{largest, no_variant};
pub(crate) use self::stores::Stores;
pub use self::stores::{Access, KindStatistics, Store};
