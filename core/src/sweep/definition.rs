//! What nodes know of a sweep.
use crate::{
    kind::{Cell, Kind},
    store::Part,
};

/// What a sweep offers a statement: primal values, which it reads, and adjoints, which it takes and adds to.
///
/// Targets and nodes know a sweep by this trait alone, and a recording does not know it at all. So the same recording
/// can be swept with other adjoints, such as one for each of several directions.
///
/// It is implemented in this crate alone: nodes trust that nothing writes a slot while they refer to the value in it.
pub trait Sweep: sealed::Sweep {
    /// The value in the slot of `id`.
    fn primal<K: Kind>(&mut self, id: u32) -> &Cell<K>;
    /// The value of a variable that a statement reads. It prefetches values that the statements before it may read.
    fn read<K: Kind>(&mut self, id: u32) -> &Cell<K>;
    /// Takes the adjoint of `id` and leaves zero.
    fn take_adjoint<K: Kind>(&mut self, id: u32) -> K::Adjoint;
    /// Takes the adjoint of a linear identifier; statements take these in descending order.
    fn take_next<K: Kind>(&mut self, id: u32) -> K::Adjoint;
    /// Takes the adjoint of a part of `id`.
    fn take_part<K: Kind, P: Part<K>>(&mut self, id: u32, part: &P) -> <P::Kind as Kind>::Adjoint;
    /// Adds to the adjoint of `id`.
    fn add_to_adjoint<K: Kind>(&mut self, id: u32, add: impl FnOnce(&mut K::Adjoint));
    /// The values of variables, appended in this order.
    fn read_all<K: Kind>(&mut self, ids: &[u32], into: &mut Vec<Cell<K>>);
    /// Adds a value to the adjoint of each of these variables; none of `values` is missing.
    fn add_to_all<K: Kind>(&mut self, ids: &[u32], values: impl Iterator<Item = K::Adjoint>);
    /// Memory for what a statement reads or collects, with unspecified contents.
    fn lend<T: Default + 'static>(&mut self) -> Box<T>;
    /// Takes this memory back.
    fn take_back<T: 'static>(&mut self, lent: Box<T>);
}

/// Keeps others from implementing [`Sweep`].
pub(super) mod sealed {
    pub trait Sweep {}
}
