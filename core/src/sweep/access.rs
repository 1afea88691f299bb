use super::{
    definition::{ReadValues, Scratch, Slots, Sweep},
    next::Next,
    scratch::ScratchPool,
};
use crate::{
    kind::{Adjoint, Batch, Contribution, Kind, NONE, Policy, TapeCell, TapeValue, misfit},
    storage::{PairedTypeMaps, StatementTypeMaps, same_slice},
    store::{AdjointsOf, AnyAdjoints, AnyValues, ListSpan, OwnedSlot, Part, Values},
};
use std::any::{Any, TypeId};

pub(super) struct RealColumns<'t> {
    pub(super) values: &'t mut [TapeValue<f64>],
    pub(super) owned: &'t mut [OwnedSlot],
    pub(super) adjoints: AdjointsOf<f64>,
    pub(super) scratch: &'t mut ScratchPool,
}
pub(super) type AllColumns<'t> =
    PairedTypeMaps<'t, dyn AnyValues, dyn AnyAdjoints, bool, RealColumns<'t>>;

/// Values and adjoints for one statement or a batch.
pub struct StatementValues<'p, 't> {
    columns: StatementTypeMaps<'p, 't, dyn AnyValues, dyn AnyAdjoints, bool, RealColumns<'t>>,
    next: Option<&'p mut dyn Any>,
    variable_length: &'p [u8],
}
debug_by_name! { ['p, 't] StatementValues<'p, 't> }
impl<'p, 't> StatementValues<'p, 't> {
    #[inline(always)]
    pub(super) fn new(columns: &'p mut AllColumns<'t>, next: Option<&'p mut dyn Any>) -> Self {
        let columns = columns.local();
        StatementValues {
            columns,
            next,
            variable_length: &[],
        }
    }
    #[inline(always)]
    pub(super) fn reals(&mut self) -> &mut RealColumns<'t> {
        self.columns.extra()
    }
    #[inline(always)]
    pub(crate) fn set_variable_length(&mut self, variable_length: &'p [u8]) {
        self.variable_length = variable_length;
    }
    #[inline(always)]
    pub(super) fn statement_variable_length(&self) -> &'p [u8] {
        self.variable_length
    }
    #[inline(always)]
    pub(crate) fn slot<K: Kind>(&mut self, id: u32) -> &mut TapeValue<K> {
        if TypeId::of::<K>() == TypeId::of::<f64>() {
            let cell: &mut dyn Any = &mut self.columns.extra().values[id as usize];
            return cell.downcast_mut().expect("a real");
        }
        let (values, _) = self.columns.get::<Values<K>>();
        values.primal_mut(id)
    }
    pub(crate) fn owned<K: Kind>(&mut self, id: u32) -> &mut OwnedSlot {
        if TypeId::of::<K>() == TypeId::of::<f64>() {
            return &mut self.columns.extra().owned[id as usize];
        }
        let (values, _) = self.columns.get::<Values<K>>();
        &mut values.slots().1[id as usize]
    }
    #[inline(always)]
    pub(crate) fn adjoints<K: Kind>(&mut self) -> &mut AdjointsOf<K> {
        if TypeId::of::<K>() == TypeId::of::<f64>() {
            let adjoints: &mut dyn Any = &mut self.columns.extra().adjoints;
            return adjoints.downcast_mut().expect("the kind is `f64`");
        }
        self.columns.get::<Values<K>>().1
    }
    #[inline(always)]
    fn next<K: Kind>(&mut self) -> Option<&mut Next<K>> {
        if !K::Batch::CHAINS {
            return None;
        }
        self.next.as_mut()?.downcast_mut()
    }
    #[inline(always)]
    fn set_next<K: Kind>(&mut self, next: Next<K>) {
        if let Some(place) = self.next::<K>() {
            *place = next;
        }
    }
}
impl crate::sealed::Sealed for StatementValues<'_, '_> {}
impl Slots for StatementValues<'_, '_> {
    #[inline(always)]
    fn variable_length(&self) -> &[u8] {
        self.variable_length
    }
    #[inline(always)]
    fn slots<K: Kind>(&self) -> &[TapeValue<K>] {
        if TypeId::of::<K>() == TypeId::of::<f64>() {
            let reals: &[TapeValue<f64>] = self.columns.extra_ref().values;
            return same_slice(reals).expect("reals");
        }
        let values = self.columns.find::<Values<K>>();
        values.map_or(&[], Values::all)
    }
}
impl ReadValues for StatementValues<'_, '_> {
    #[inline(always)]
    fn in_place(&self) -> bool {
        true
    }
    #[inline(always)]
    fn primal<K: Kind>(&mut self, id: u32) -> &TapeValue<K> {
        self.slot::<K>(id)
    }
    #[inline]
    fn take_scratch<T: Default + 'static>(&mut self) -> Scratch<T> {
        self.columns.extra().scratch.take_scratch()
    }
}
impl Sweep for StatementValues<'_, '_> {
    #[inline(always)]
    fn stored<K: Kind>(&mut self, id: u32) -> Option<&TapeValue<K>> {
        let (values, _) = self.columns.get::<Values<K>>();
        values.stored(id)
    }
    #[inline(always)]
    fn take_adjoint<K: Kind>(&mut self, id: u32) -> K::Adjoint {
        self.adjoints::<K>().take(id)
    }
    #[inline(always)]
    fn take_next<K: Kind>(&mut self, id: u32) -> K::Adjoint {
        let Some(next) = self.next::<K>().map(std::mem::take) else {
            return self.adjoints::<K>().take(id);
        };
        let adjoints = self.adjoints::<K>();
        let (adjoint, next) = next.advance(adjoints, id);
        self.set_next::<K>(next);
        adjoint
    }
    fn take_part<K: Kind, P: Part<K>>(&mut self, id: u32, part: &P) -> <P::Kind as Kind>::Adjoint {
        part.take(self.adjoints::<K>().at(id))
    }
    #[inline(always)]
    fn add_to_adjoint<K: Kind>(&mut self, id: u32, add: impl FnOnce(&mut K::Adjoint)) {
        // A choice between two references would force the adjoint into memory.
        let Some(mut next) = self.next::<K>().map(std::mem::take) else {
            return add(self.adjoints::<K>().at(id));
        };
        let mut other = (next.id != id).then(|| self.adjoints::<K>().at(id));
        let mut sum = match &mut other {
            Some(other) => other.take(),
            None => next.adjoint.take(),
        };
        add(&mut sum);
        match other {
            Some(other) => *other = sum,
            None => next.adjoint = sum,
        }
        self.set_next::<K>(next);
    }
    #[inline(always)]
    fn add_to_all<K: Kind>(&mut self, ids: ListSpan, values: impl Iterator<Item = K::Adjoint>) {
        let ids = ids.ids(self.variable_length);
        let adjoints = self.adjoints::<K>().all();
        for (&id, value) in ids.iter().zip(values) {
            let id = u32::from_ne_bytes(id);
            match adjoints.get_mut(id as usize) {
                Some(adjoint) => adjoint.merge(value),
                None => assert!(id == NONE, "each identifier has an adjoint"),
            }
        }
    }
    #[inline]
    fn return_scratch<T: 'static>(&mut self, scratch: Scratch<T>) {
        self.columns.extra().scratch.return_scratch(scratch);
    }
}

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
