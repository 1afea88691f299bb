//! The interface of a sweep to nodes.
use crate::{
    kind::{Contribution, Kind, Policy, TapeCell, TapeValue, misfit},
    store::{ListSpan, Part},
};

/// Parts of a sweep that several nodes read at the same time.
pub trait Slots: sealed::SealedSlots {
    /// Returns the variable-length part of the statement, if it contains lists.
    fn variable_length(&self) -> &[u8];
    /// Returns the values in all slots of a kind.
    fn slots<K: Kind>(&self) -> &[TapeValue<K>];
}
/// Memory from the pool of a sweep.
pub type Scratch<T> = Box<T>;
/// No slots, for operands that were read before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoSlots;
impl sealed::SealedSlots for NoSlots {}
impl Slots for NoSlots {
    fn variable_length(&self) -> &[u8] {
        &[]
    }
    fn slots<K: Kind>(&self) -> &[TapeValue<K>] {
        &[]
    }
}

/// The part of a sweep for nodes that are rebuilt: primal values, which they read, and memory.
///
/// Implemented only in this crate: nodes rely on slots not being written while they hold references to the values.
pub trait ReadValues: Slots {
    /// Whether nodes read pieces of lists in place. Otherwise they read only whole values.
    fn in_place(&self) -> bool;
    /// Returns the value in the slot of `id`.
    fn primal<K: Kind>(&mut self, id: u32) -> &TapeValue<K>;
    /// Returns the value of a variable that a statement reads, and prefetches values that earlier statements may read.
    fn read<K: Kind>(&mut self, id: u32) -> &TapeValue<K>;
    /// Takes memory for operands that a statement reads or collects, with unspecified contents.
    fn take_scratch<T: Default + 'static>(&mut self) -> Scratch<T>;
}
/// The part of a sweep for statements: primal values, and adjoints, which statements take and add to.
///
/// Targets and nodes access a sweep only by this trait, and recordings do not access it at all. The same recording can
/// therefore be swept with other adjoints, such as one for each of several directions.
pub trait Sweep: ReadValues {
    /// Returns the value of a variable of a storage kind, unless a later statement wrote the slot and did not save the value.
    fn stored<K: Kind>(&mut self, id: u32) -> Option<&TapeValue<K>>;
    /// Takes the adjoint of `id` and leaves zero.
    fn take_adjoint<K: Kind>(&mut self, id: u32) -> K::Adjoint;
    /// Takes the adjoint of a linear identifier; statements take these adjoints in descending order.
    fn take_next<K: Kind>(&mut self, id: u32) -> K::Adjoint;
    /// Takes the adjoint of a part of `id`.
    fn take_part<K: Kind, P: Part<K>>(&mut self, id: u32, part: &P) -> <P::Kind as Kind>::Adjoint;
    /// Adds to the adjoint of `id`.
    fn add_to_adjoint<K: Kind>(&mut self, id: u32, add: impl FnOnce(&mut K::Adjoint));
    /// Adds a value to the adjoint of each of these variables, except for passive ones; `values` has one value for each.
    fn add_to_all<K: Kind>(&mut self, ids: ListSpan, values: impl Iterator<Item = K::Adjoint>);
    /// Returns memory that was [taken](ReadValues::take_scratch).
    fn return_scratch<T: 'static>(&mut self, scratch: Scratch<T>);
}

/// Adds a contribution to the adjoint of a variable.
#[inline(always)]
pub(crate) fn add_to_variable<K: Kind, C: Contribution<K>>(
    id: u32,
    contribution: C,
    sweep: &mut impl Sweep,
) {
    if K::Policy::STORAGE
        && let Some(value) = sweep.stored::<K>(id)
        && !contribution.fits(value.peek())
    {
        misfit::<K, C>(&contribution, value.peek());
    }
    sweep.add_to_adjoint::<K>(
        id,
        #[inline(always)]
        |adjoint| contribution.add_to(adjoint),
    );
}

/// Seals [`Slots`], [`ReadValues`] and [`Sweep`].
pub(super) mod sealed {
    pub trait SealedSlots {}
}
