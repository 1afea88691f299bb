//! Whole values, for formulas that read no pieces.
use super::{
    access::Access,
    definition::{Loan, ReadValues, Slots, sealed},
};
use crate::kind::{Cell, Kind};

/// The values of a sweep, for nodes whose values are read as a whole.
pub(crate) struct WholeValues<'w, 'p, 't>(pub(crate) &'w mut Access<'p, 't>);
impl sealed::SealedSlots for WholeValues<'_, '_, '_> {}
impl Slots for WholeValues<'_, '_, '_> {
    fn loose(&self) -> &[u8] {
        self.0.loose()
    }
    fn slots<K: Kind>(&self) -> &[Cell<K>] {
        self.0.slots::<K>()
    }
}
impl ReadValues for WholeValues<'_, '_, '_> {
    fn in_place(&self) -> bool {
        false
    }
    #[inline(always)]
    fn primal<K: Kind>(&mut self, id: u32) -> &Cell<K> {
        self.0.primal::<K>(id)
    }
    #[inline(always)]
    fn read<K: Kind>(&mut self, id: u32) -> &Cell<K> {
        self.0.primal::<K>(id)
    }
    fn lend<T: Default + 'static>(&mut self) -> Loan<T> {
        self.0.lend()
    }
}
