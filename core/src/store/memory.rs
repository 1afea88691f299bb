//! What statements are recorded into, and what a walk over the tape works on.
use super::{
    next::Next,
    stacks::Stacks,
    stores::{Access, Stores},
};
use crate::kind::Kind;

/// Stores and stacks of a tape.
#[derive(Default)]
pub struct Memory {
    pub(crate) stores: Stores,
    pub(crate) stacks: Stacks,
}
impl Memory {
    /// For the statements of a run.
    #[inline(always)]
    pub(crate) fn run<'t, K: Kind>(&'t mut self, next: &'t mut Next<K>) -> Walk<'t> {
        Walk {
            stores: self.stores.access(Some(next)),
            stacks: &mut self.stacks,
        }
    }
    /// For one statement of a walk.
    #[inline(always)]
    pub(crate) fn walk(&mut self) -> Walk<'_> {
        Walk {
            stores: self.stores.access(None),
            stacks: &mut self.stacks,
        }
    }
}

/// Stores and stacks of a tape, while one statement is walked over.
pub struct Walk<'t> {
    pub(crate) stores: Access<'t>,
    pub(crate) stacks: &'t mut Stacks,
}
