//! What nodes know of a sweep.
use crate::{
    kind::{Contribution, Kind, Policy, TapeCell, TapeValue, misfit},
    store::{ListSpan, Part},
};

/// What many nodes read of a sweep at the same time.
pub trait Slots: sealed::SealedSlots {
    /// The variable-length part of the statement, if it has lists.
    fn variable_length(&self) -> &[u8];
    /// The values in all slots of a kind.
    fn slots<K: Kind>(&self) -> &[TapeValue<K>];
}
/// Memory that is taken from the pool of a sweep, and returned to it.
pub type Scratch<T> = Box<T>;
/// Nothing, for what was read before.
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

/// What a sweep offers nodes that are rebuilt: primal values, which they read, and memory.
///
/// It is implemented in this crate alone: nodes trust that nothing writes a slot while they refer to the value in it.
pub trait ReadValues: Slots {
    /// Whether nodes read pieces of lists where they stand. Otherwise they are asked for whole values only.
    fn in_place(&self) -> bool;
    /// The value in the slot of `id`.
    fn primal<K: Kind>(&mut self, id: u32) -> &TapeValue<K>;
    /// The value of a variable that a statement reads. It prefetches values that the statements before it may read.
    fn read<K: Kind>(&mut self, id: u32) -> &TapeValue<K>;
    /// Memory for what a statement reads or collects, with unspecified contents.
    fn take_scratch<T: Default + 'static>(&mut self) -> Scratch<T>;
}
/// What a sweep offers a statement: primal values, and adjoints, which it takes and adds to.
///
/// Targets and nodes know a sweep by this trait alone, and a recording does not know it at all. So the same recording
/// can be swept with other adjoints, such as one for each of several directions.
pub trait Sweep: ReadValues {
    /// The value of a variable of a storage kind, unless a statement after this one wrote the slot and did not save the value.
    fn stored<K: Kind>(&mut self, id: u32) -> Option<&TapeValue<K>>;
    /// Takes the adjoint of `id` and leaves zero.
    fn take_adjoint<K: Kind>(&mut self, id: u32) -> K::Adjoint;
    /// Takes the adjoint of a linear identifier; statements take these in descending order.
    fn take_next<K: Kind>(&mut self, id: u32) -> K::Adjoint;
    /// Takes the adjoint of a part of `id`.
    fn take_part<K: Kind, P: Part<K>>(&mut self, id: u32, part: &P) -> <P::Kind as Kind>::Adjoint;
    /// Adds to the adjoint of `id`.
    fn add_to_adjoint<K: Kind>(&mut self, id: u32, add: impl FnOnce(&mut K::Adjoint));
    /// Adds a value to the adjoint of each of these variables, except for passive ones; none of `values` is missing.
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

/// Keeps others from implementing [`Slots`], [`ReadValues`] and [`Sweep`].
pub(super) mod sealed {
    pub trait SealedSlots {}
}
