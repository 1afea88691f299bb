//! The view of statements on sweeps along several directions.
use super::{
    access::StatementValues,
    definition::{ReadValues, Scratch, Slots, Sweep},
};
use crate::{
    kind::{Adjoint, Kind, NONE, Single, TapeValue, Val},
    store::{AnyDirections, ListSpan, Part},
};

/// Values and adjoints, with their tangents along one of several directions.
pub struct Directional<'w, 'p, 't> {
    access: &'w mut StatementValues<'p, 't>,
    tangents: AnyDirections<'w>,
    j: usize,
}
debug_by_name! { ['w, 'p, 't] Directional<'w, 'p, 't> }
impl<'w, 'p, 't> Directional<'w, 'p, 't> {
    #[inline(always)]
    pub(crate) fn new(
        access: &'w mut StatementValues<'p, 't>,
        tangents: AnyDirections<'w>,
        j: usize,
    ) -> Self {
        Directional {
            access,
            tangents,
            j,
        }
    }
    #[inline(always)]
    pub(crate) fn base(&mut self) -> &mut StatementValues<'p, 't> {
        self.access
    }
    #[inline(always)]
    pub(crate) fn is_first(&self) -> bool {
        self.j == 0
    }
    #[inline(always)]
    pub(crate) fn one_sided(&self) -> bool {
        self.tangents.one_sided()
    }
    #[inline(always)]
    pub(crate) fn tangent<K: Kind>(&mut self, id: u32) -> Single<Val<K>> {
        let tangent = self.tangents.tangent::<K>(id, self.j);
        match tangent.get().is_some_and(K::is_unset_tangent) {
            true => Single::None,
            false => tangent,
        }
    }
    #[inline(always)]
    pub(crate) fn depends<K: Kind>(&mut self, id: u32) -> bool {
        self.tangents.depends::<K>(id)
    }
    #[inline(always)]
    fn adjoint<K: Kind>(&mut self, id: u32) -> &mut K::Adjoint {
        self.tangents.adjoint::<K>(id, self.j)
    }
}
impl crate::sealed::Sealed for Directional<'_, '_, '_> {}
impl Slots for Directional<'_, '_, '_> {
    fn variable_length(&self) -> &[u8] {
        self.access.variable_length()
    }
    fn slots<K: Kind>(&self) -> &[TapeValue<K>] {
        self.access.slots::<K>()
    }
}
impl ReadValues for Directional<'_, '_, '_> {
    #[inline(always)]
    fn in_place(&self) -> bool {
        false
    }
    #[inline(always)]
    fn primal<K: Kind>(&mut self, id: u32) -> &TapeValue<K> {
        self.access.primal::<K>(id)
    }
    fn take_scratch<T: Default + 'static>(&mut self) -> Scratch<T> {
        self.access.take_scratch()
    }
}
impl Sweep for Directional<'_, '_, '_> {
    #[inline(always)]
    fn stored<K: Kind>(&mut self, id: u32) -> Option<&TapeValue<K>> {
        self.access.stored::<K>(id)
    }
    #[inline(always)]
    fn take_adjoint<K: Kind>(&mut self, id: u32) -> K::Adjoint {
        self.adjoint::<K>(id).take()
    }
    #[inline(always)]
    fn take_next<K: Kind>(&mut self, id: u32) -> K::Adjoint {
        self.take_adjoint::<K>(id)
    }
    fn take_part<K: Kind, P: Part<K>>(&mut self, id: u32, part: &P) -> <P::Kind as Kind>::Adjoint {
        part.take(self.adjoint::<K>(id))
    }
    #[inline(always)]
    fn add_to_adjoint<K: Kind>(&mut self, id: u32, add: impl FnOnce(&mut K::Adjoint)) {
        add(self.adjoint::<K>(id));
    }
    fn add_to_all<K: Kind>(&mut self, ids: ListSpan, values: impl Iterator<Item = K::Adjoint>) {
        for (&id, value) in ids
            .ids(self.access.statement_variable_length())
            .iter()
            .zip(values)
        {
            match u32::from_ne_bytes(id) {
                NONE => {}
                id => self.adjoint::<K>(id).merge(value),
            }
        }
    }
    fn return_scratch<T: 'static>(&mut self, scratch: Scratch<T>) {
        self.access.return_scratch(scratch);
    }
}
