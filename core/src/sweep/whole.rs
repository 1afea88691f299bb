use super::{
    access::StatementValues,
    definition::{ReadValues, Scratch, Slots},
};
use crate::kind::{Kind, TapeValue};

pub(crate) struct WholeValues<'w, 'p, 't>(pub(crate) &'w mut StatementValues<'p, 't>);
impl crate::sealed::Sealed for WholeValues<'_, '_, '_> {}
impl Slots for WholeValues<'_, '_, '_> {
    fn variable_length(&self) -> &[u8] {
        self.0.variable_length()
    }
    fn slots<K: Kind>(&self) -> &[TapeValue<K>] {
        self.0.slots::<K>()
    }
}
impl ReadValues for WholeValues<'_, '_, '_> {
    fn in_place(&self) -> bool {
        false
    }
    #[inline(always)]
    fn primal<K: Kind>(&mut self, id: u32) -> &TapeValue<K> {
        self.0.primal::<K>(id)
    }
    fn take_scratch<T: Default + 'static>(&mut self) -> Scratch<T> {
        self.0.take_scratch()
    }
}
