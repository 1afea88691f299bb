//! What a walk over the tape works on.
use super::{stacks::Stacks, store::Stores};

/// Stores and stacks of a tape.
#[derive(Default)]
pub struct Memory {
    pub(crate) stores: Stores,
    pub(crate) stacks: Stacks,
}
