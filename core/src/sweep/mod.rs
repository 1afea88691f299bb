//! Walks over a recording: what a statement has at hand while one goes over it.
mod access;
mod definition;
mod lending;
mod next;
mod passage;

pub use self::access::Access;
pub use self::definition::Sweep;
pub(crate) use self::lending::Lending;
pub(crate) use self::next::Next;
pub use self::passage::{Passage, Walk};
