//! What nodes know of a sweep.
use crate::{
    kind::{Cell, Kind},
    store::Part,
};

/// What a statement meets in a sweep: primal values, which it reads, and adjoints, which it takes and adds to.
///
/// Targets and nodes know a sweep by this trait alone, and a recording does not know it at all. So the same recording can be swept
/// with other adjoints, such as one for each of several directions.
///
/// It is implemented here alone: nodes trust that nothing writes a slot while they see the value in it.
pub trait Sweep: sealed::Sweep {
    /// The value in the slot of `id`.
    fn primal<K: Kind>(&mut self, id: u32) -> &Cell<K>;
    /// The same of a variable that a statement reads. It fetches values that the statements before it may read.
    fn read<K: Kind>(&mut self, id: u32) -> &Cell<K>;
    /// Takes the adjoint of `id`, which is zero then.
    fn take_adjoint<K: Kind>(&mut self, id: u32) -> K::Adjoint;
    /// The same of a linear identifier, of which statements take one after the other, the last one first.
    fn take_next<K: Kind>(&mut self, id: u32) -> K::Adjoint;
    /// Takes the adjoint of a part of `id`.
    fn take_part<K: Kind, P: Part<K>>(&mut self, id: u32, part: &P) -> <P::Kind as Kind>::Adjoint;
    /// Adds to the adjoint of `id`.
    fn add_to_adjoint<K: Kind>(&mut self, id: u32, add: impl FnOnce(&mut K::Adjoint));
    /// An empty list for adjoints, whose memory is used again.
    fn scratch<K: Kind>(&mut self) -> &mut Vec<K::Adjoint>;
    /// Memory for the adjoints of a block, with whatever it was given back with.
    fn lend<T: Default + 'static>(&mut self) -> Box<T>;
    /// Takes it back.
    fn take_back<T: 'static>(&mut self, lent: Box<T>);
}

/// Keeps others from implementing [`Sweep`].
pub(super) mod sealed {
    pub trait Sweep {}
}
