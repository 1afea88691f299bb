//! The interface of a sweep to nodes.
use crate::{
    kind::{Kind, TapeValue},
    sealed::Sealed,
    store::{ListSpan, Part},
};

/// Data that several nodes read at once.
pub trait Slots: Sealed {
    /// Returns the variable-length part of a statement with lists.
    fn variable_length(&self) -> &[u8];
    /// Returns the values in slots of a kind.
    fn slots<K: Kind>(&self) -> &[TapeValue<K>];
}
/// Memory from the pool of a sweep.
pub type Scratch<T> = Box<T>;
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoSlots;
impl Sealed for NoSlots {}
impl Slots for NoSlots {
    fn variable_length(&self) -> &[u8] {
        &[]
    }
    fn slots<K: Kind>(&self) -> &[TapeValue<K>] {
        &[]
    }
}

/// Primal values and memory for nodes. Sealed: slots must not change while nodes refer to values.
pub trait ReadValues: Slots {
    /// Whether nodes read pieces of lists in place.
    fn in_place(&self) -> bool;
    /// Returns the value in the slot of `id`.
    fn primal<K: Kind>(&mut self, id: u32) -> &TapeValue<K>;
    /// Takes memory with unspecified contents.
    fn take_scratch<T: Default + 'static>(&mut self) -> Scratch<T>;
}
/// Primal values and adjoints for statements.
pub trait Sweep: ReadValues {
    /// Returns a value of a storage kind, unless it was overwritten and not saved.
    fn stored<K: Kind>(&mut self, id: u32) -> Option<&TapeValue<K>>;
    /// Takes the adjoint of `id` and leaves zero.
    fn take_adjoint<K: Kind>(&mut self, id: u32) -> K::Adjoint;
    /// Takes the adjoint of a linear identifier, in descending order.
    fn take_next<K: Kind>(&mut self, id: u32) -> K::Adjoint;
    /// Takes the adjoint of a part of `id`.
    fn take_part<K: Kind, P: Part<K>>(&mut self, id: u32, part: &P) -> <P::Kind as Kind>::Adjoint;
    /// Adds to the adjoint of `id`.
    fn add_to_adjoint<K: Kind>(&mut self, id: u32, add: impl FnOnce(&mut K::Adjoint));
    /// Adds to these variables, except for passive ones.
    fn add_to_all<K: Kind>(&mut self, ids: ListSpan, values: impl Iterator<Item = K::Adjoint>);
    /// Returns memory to the [pool](ReadValues::take_scratch).
    fn return_scratch<T: 'static>(&mut self, scratch: Scratch<T>);
}
