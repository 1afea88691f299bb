//! What statements are recorded into, and what a walk over the tape works on.
use super::{
    stacks::Stacks,
    store::{Access, Stores},
};

/// Stores and stacks of a tape.
#[derive(Default)]
pub struct Memory {
    pub(crate) stores: Stores,
    pub(crate) stacks: Stacks,
}
impl Memory {
    /// For one statement of a walk.
    #[inline(always)]
    pub(crate) fn walk(&mut self) -> Walk<'_> {
        Walk {
            stores: self.stores.access(),
            stacks: &mut self.stacks,
        }
    }
}

/// Stores and stacks of a tape, while one statement is walked over.
pub struct Walk<'t> {
    pub(crate) stores: Access<'t>,
    pub(crate) stacks: &'t mut Stacks,
}
