//! Walks over a recording, and what statements can access during a walk. The types appear in bounds; neither programs nor operations
//! name them.
mod access;
mod definition;
mod direction;
mod lending;
mod next;
mod passage;
mod whole;

pub use self::access::Access;
pub use self::definition::{Loan, ReadValues, Slots, Sweep};
pub(crate) use self::definition::{NoSlots, add_to_variable};
pub use self::direction::Directional;
pub(crate) use self::lending::Lending;
pub(crate) use self::next::Next;
pub(crate) use self::passage::NumberColumns;
pub use self::passage::{Passage, Walk};
pub(crate) use self::whole::WholeValues;
