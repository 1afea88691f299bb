//! What variables carry beside their values.
use super::{Hold, Identifier};
use std::rc::Rc;

/// What variables carry beside their values in a [mode](crate::mode). Modes alone implement it: while a statement is
/// recorded, identifiers are trusted to run no code of their own.
pub trait Carrier: Sized + sealed::Carrier + 'static {
    /// Whether evaluations can be recorded.
    const RECORDS: bool;
    /// The identifier of a variable of a value kind.
    type ValueId: Identifier;
    /// The identifier of a variable of a storage kind.
    type OwnedId: Identifier;
    /// How a variable of a storage kind holds its value.
    type Shared<V: Clone + 'static>: Hold<V>;
    /// The tape's handle of the value that a variable holds.
    fn share<V: Clone + 'static>(held: &Self::Shared<V>) -> Rc<V>;
    /// What a variable holds, from the tape's handle.
    fn unshare<V: Clone + 'static>(cell: Rc<V>) -> Self::Shared<V>;
}
/// Keeps others from implementing [`Carrier`].
pub(crate) mod sealed {
    pub trait Carrier {}
}

/// The mode that computes values and records nothing. A variable is as large as its value.
#[derive(Clone, Copy, Debug)]
pub struct Plain;
/// The mode that records. Variables of value kinds are `Copy` and have linear identifiers.
#[derive(Clone, Copy, Debug)]
pub struct Taped;
/// The mode that records with owned, reused identifiers for every kind. The vectors of primal values and adjoints are
/// as long as the number of variables that live at a time.
#[derive(Clone, Copy, Debug)]
pub struct Reuse;
