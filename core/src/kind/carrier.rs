//! What variables carry.
use super::{Hold, Identifier};
use std::rc::Rc;

/// What variables carry beside their values, in a [mode](crate::mode). It is implemented for modes alone: statements are recorded while
/// identifiers are trusted to run no code of their own.
pub trait Carrier: Sized + sealed::Carrier + 'static {
    /// Whether evaluations can be recorded.
    const RECORDS: bool;
    /// Identifier of value kinds.
    type ValueId: Identifier;
    /// Identifier of storage kinds.
    type OwnedId: Identifier;
    /// How a variable of a storage kind holds its value.
    type Shared<V: Clone + 'static>: Hold<V>;
    /// A handle for the tape to what a variable holds.
    fn share<V: Clone + 'static>(held: &Self::Shared<V>) -> Rc<V>;
    /// What a variable holds of the tape's handle.
    fn unshare<V: Clone + 'static>(cell: Rc<V>) -> Self::Shared<V>;
}
/// Keeps others from implementing [`Carrier`].
pub(crate) mod sealed {
    pub trait Carrier {}
}

/// Computes values and records nothing; a plain variable is as large as its value.
#[derive(Clone, Copy, Debug)]
pub struct Plain;
/// Records; value kinds are `Copy` and have linear identifiers.
#[derive(Clone, Copy, Debug)]
pub struct Taped;
/// Records; every kind has owned, reused identifiers. Vectors of primal values and adjoints are as long as
/// the number of variables that live at a time.
#[derive(Clone, Copy, Debug)]
pub struct Reuse;
