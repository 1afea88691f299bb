//! Values of one kind.
use super::{
    adjoints::{AdjointStore, AdjointsOf},
    by_kind::{AnyValues, KindStatistics},
    tangents::{AllTangents, MANY},
};
use crate::{
    error::Error,
    kind::{
        Adjoint, Kind, Layout, Memory as _, NONE, Policy, Shape, Slot, TapeCell, TapeValue, Val,
        VariableId, bytes_of, recycle,
    },
    storage::{Column, RESERVED, TypeMapEntry},
};
use std::{collections::HashSet, ops::Range};

#[derive(Clone, Copy, Default)]
pub(crate) struct OwnedSlot {
    read: bool,
    input: bool,
    /// The slot holds a later value, because the present one was not saved.
    pub(crate) hidden: bool,
    /// The slot holds an undone value, because the earlier one was not saved.
    undone: bool,
    /// Variables with earlier tags were undone.
    since: u32,
    /// The number of writes modulo 2^32, also undone ones.
    version: u32,
    bytes: usize,
}

impl OwnedSlot {
    /// Invalidates variables with a tag below `tag`. The previous value was `saved` if an adjoint reads it.
    pub(crate) fn undo(&mut self, tag: u32, saved: bool) {
        self.undo_part(tag);
        self.read = saved;
        self.undone = !saved;
    }
    pub(crate) fn undo_part(&mut self, tag: u32) {
        self.since = tag.max(self.since);
    }
}

/// Primal values and identifiers of one kind. Linear identifiers are indices of `primal`; owned ones return to `free`.
pub struct Values<K: Kind> {
    primal: Column<TapeValue<K>>,
    owned: Vec<OwnedSlot>,
    free: Vec<u32>,
    /// Bytes last written by a storage kind, an estimate for adjoints.
    slots: usize,
    inputs: Vec<Range<u32>>,
    /// Earlier tags, with the number of identifiers that remain valid.
    older: Vec<(u32, u32)>,
    number: u32,
    adjoint_bytes: usize,
}
debug_by_name! { [K: Kind] Values<K> }
impl<K: Kind> Values<K> {
    pub(super) fn new(number: u32) -> Self {
        Values {
            primal: Column::new(),
            owned: Vec::new(),
            free: Vec::new(),
            slots: 0,
            inputs: Vec::new(),
            older: Vec::new(),
            number,
            adjoint_bytes: 0,
        }
    }
    #[inline(always)]
    pub(crate) fn slot(&self, id: u32) -> Slot {
        self.slot_with(self.owned.get(id as usize).map_or(0, |o| o.version))
    }
    #[inline(always)]
    pub(crate) fn primal(&self, id: u32) -> &TapeValue<K> {
        &self.primal[id as usize]
    }
    #[inline(always)]
    pub(crate) fn all(&self) -> &[TapeValue<K>] {
        &self.primal
    }
    #[inline(always)]
    pub(crate) fn primal_mut(&mut self, id: u32) -> &mut TapeValue<K> {
        &mut self.primal[id as usize]
    }
    #[inline(always)]
    pub(crate) fn slots(&mut self) -> (&mut [TapeValue<K>], &mut [OwnedSlot]) {
        (&mut self.primal, &mut self.owned)
    }

    // ------------------------------------------------------------------------------ linear identifiers
    #[inline(always)]
    pub(crate) fn has_room(&self) -> bool {
        self.primal.has_room()
    }
    #[inline(always)]
    pub(crate) fn append_reserved(&mut self, value: TapeValue<K>) -> u32 {
        self.primal.append(value) as u32
    }
    pub(crate) fn append(&mut self, value: TapeValue<K>) -> u32 {
        self.primal.push(value) as u32
    }
    pub(crate) fn reserve(&mut self, count: usize) -> Result<(), Error> {
        self.check_count(count)?;
        self.primal.reserve(count)
    }
    fn check_count(&self, more: usize) -> Result<(), Error> {
        // The top bit of owned identifiers has another use.
        let most = if self.owned.is_empty() {
            NONE
        } else {
            NONE >> 1
        };
        if self.primal.len() + more > most as usize {
            return Err(Error::IdentifiersExhausted { kind: K::NAME });
        }
        Ok(())
    }
    pub(crate) fn preallocate(
        &mut self,
        identifiers: usize,
        adjoints: &mut AdjointsOf<K>,
    ) -> Result<(), Error>
    where
        TapeValue<K>: Default,
    {
        self.primal.resize_with(identifiers, Default::default)?;
        self.primal.truncate(0);
        let touched = adjoints.preallocate(identifiers);
        self.adjoint_bytes = adjoints.allocated();
        touched
    }
    // ------------------------------------------------------------------------------- owned identifiers
    pub(crate) fn allocate(&mut self, value: TapeValue<K>, read: bool) -> u32 {
        let id = self.append(value);
        self.owned.resize(self.primal.len(), OwnedSlot::default());
        self.owned[id as usize].read = read;
        id
    }
    pub(crate) fn reuse_unless(&mut self, is_read: impl FnOnce(u32) -> bool) -> Option<u32> {
        self.free.pop_if(|id| !is_read(*id))
    }
    pub(super) fn has_shape_of(&self, id: u32, new: &TapeValue<K>) -> bool {
        let shape = |cell: &TapeValue<K>| K::Layout::shape(cell.peek());
        // Other storage kinds may have zeros that differ.
        size_of::<Shape<K>>() > 0 && shape(self.primal(id)) == shape(new)
    }
    /// Prefers a recently freed identifier with the shape of `new`.
    pub(super) fn prefer_shape_of(&mut self, new: &TapeValue<K>) {
        const FEW: usize = 8;
        let Some(last) = self.free.len().checked_sub(1) else {
            return;
        };
        let mut few = (last.saturating_sub(FEW - 1)..=last).rev();
        if let Some(at) = few.find(|&at| self.has_shape_of(self.free[at], new)) {
            self.free.swap(at, last);
        }
    }
    #[inline(always)]
    pub(super) fn reuse(&mut self) -> Option<u32> {
        self.free.pop()
    }
    #[inline(always)]
    fn give_back(&mut self, variable: VariableId, now: u32) {
        let input = self.owned.get(variable.id as usize).is_none_or(|o| o.input);
        if !input && (variable.tag == now || self.is_valid(variable, now)) {
            self.free.push(variable.id);
        }
    }
    #[inline(always)]
    pub(crate) fn mark_read(&mut self, id: u32) {
        if let Some(owned) = self.owned.get_mut(id as usize) {
            owned.read = true;
        }
    }
    pub(crate) fn raise_version(&mut self, id: u32) {
        let version = &mut self.owned[id as usize].version;
        *version = version.wrapping_add(1);
    }
    /// Records a write. `read` and `bytes` belong to the new value; the old one is saved if an adjoint reads it or if
    /// `reshaped`.
    #[inline(always)]
    pub(crate) fn overwrite(
        &mut self,
        id: u32,
        read: bool,
        reshaped: bool,
        bytes: usize,
    ) -> Overwritten {
        let owned = &mut self.owned[id as usize];
        owned.version = owned.version.wrapping_add(1);
        owned.undone = false;
        let mut before = 0;
        if K::Policy::STORAGE {
            before = std::mem::replace(&mut owned.bytes, bytes);
            self.slots = (self.slots + bytes).wrapping_sub(before);
        }
        Overwritten {
            saved: std::mem::replace(&mut owned.read, read) || reshaped,
            version: owned.version,
            bytes: before,
        }
    }
    #[inline(always)]
    pub(crate) fn slot_with(&self, version: u32) -> Slot {
        Slot {
            kind: self.number,
            version,
        }
    }
    pub(crate) fn set_bytes(&mut self, id: u32, bytes: usize) {
        self.owned[id as usize].bytes = bytes;
        self.slots += bytes;
    }
    pub(crate) fn stored(&self, id: u32) -> Option<&TapeValue<K>> {
        let hidden = self.owned.get(id as usize).is_none_or(|o| o.hidden);
        (!hidden).then(|| self.primal(id))
    }
    pub(crate) fn is_read(&self, id: u32) -> bool {
        self.owned[id as usize].read
    }

    // ------------------------------------------------------------------------------------------- inputs
    /// Registers inputs, and returns the first identifier.
    pub(crate) fn linear_inputs(&mut self, values: impl Iterator<Item = TapeValue<K>>) -> u32 {
        let first = self.len() as u32;
        values.for_each(|value| _ = self.append(value));
        self.note_inputs(first..self.len() as u32);
        first
    }
    pub(crate) fn linear_input(&mut self, value: TapeValue<K>) -> u32 {
        let id = self.append_reserved(value);
        self.note_inputs(id..id + 1);
        id
    }
    pub(crate) fn owned_input(&mut self, value: TapeValue<K>) -> u32 {
        let id = self.allocate(value, false);
        let owned = &mut self.owned[id as usize];
        // Saved, because the gradient may need its shape.
        (owned.read, owned.input) = (true, true);
        self.note_inputs(id..id + 1);
        id
    }
    fn note_inputs(&mut self, new: Range<u32>) {
        match self.inputs.last_mut() {
            Some(run) if run.end == new.start => run.end = new.end,
            _ => self.inputs.push(new),
        }
    }
    pub(crate) fn is_input(&self, id: u32) -> bool {
        // Identifiers of inputs are new, so runs are in order.
        let after = self.inputs.partition_point(|run| run.end <= id);
        self.inputs.get(after).is_some_and(|run| run.contains(&id))
    }
    /// Whether a variable belongs to the recording with tag `now` or an older one, and was not undone.
    pub(crate) fn is_valid(&self, variable: VariableId, now: u32) -> bool {
        let undone = || {
            let owned = self.owned.get(variable.id as usize);
            owned.is_some_and(|owned| owned.since > variable.tag)
        };
        // Tags only grow.
        let older = |tag| self.older.binary_search_by_key(&tag, |&(tag, _)| tag);
        variable.tag == now
            || older(variable.tag).is_ok_and(|at| variable.id < self.older[at].1 && !undone())
    }
    pub(crate) fn is_owned(&self) -> bool {
        !self.owned.is_empty()
    }
    pub(crate) fn len(&self) -> usize {
        self.primal.len()
    }
}

pub(crate) struct Overwritten {
    pub(crate) saved: bool,
    pub(crate) version: u32,
    pub(crate) bytes: usize,
}

impl<K: Kind> TypeMapEntry<dyn AnyValues> for Values<K> {
    type With = bool;
    fn create(number: usize, huge_pages: bool) -> Self {
        let mut values = Values::new(number as u32 + 1);
        values.use_huge_pages(huge_pages);
        values
    }
    fn erase(self: Box<Self>) -> Box<dyn AnyValues> {
        self
    }
}
impl<K: Kind> AnyValues for Values<K> {
    fn free(&mut self, variable: VariableId, now: u32) {
        self.give_back(variable, now);
    }
    fn reserve_many(&mut self) -> Result<(), Error> {
        match K::Policy::STORAGE {
            // The fast path appends no values with owned identifiers.
            true => self.check_count(RESERVED),
            false => self.reserve(RESERVED),
        }
    }
    fn use_huge_pages(&mut self, huge_pages: bool) {
        self.primal.use_huge_pages(huge_pages);
    }
    fn clear(&mut self) {
        if K::Policy::STORAGE {
            self.primal.take_from(0).for_each(recycle::<K>);
        }
        self.primal.truncate(0);
        self.owned.clear();
        self.slots = 0;
        self.free.clear();
        self.inputs.clear();
        self.older.clear();
    }
    fn len(&self) -> usize {
        self.len()
    }
    fn reset_to(&mut self, len: usize, before: u32, gone: &[u32]) -> usize {
        if K::Policy::STORAGE {
            self.primal.take_from(len).for_each(recycle::<K>);
        }
        self.primal.truncate(len);
        let cut = self.owned.get(len..).unwrap_or_default();
        let freed = cut.iter().map(|owned| owned.bytes).sum();
        self.slots -= freed;
        self.owned.truncate(len);
        let limit = len as u32;
        self.free.retain(|&id| id < limit);
        self.inputs.retain(|run| run.start < limit);
        if let Some(last) = self.inputs.last_mut() {
            last.end = last.end.min(limit);
        }
        self.older.iter_mut().for_each(|(_, l)| *l = limit.min(*l));
        self.older.push((before, limit));
        self.older.retain(|(tag, _)| !gone.contains(tag));
        freed
    }
    fn value_bytes(&self, seen: &mut HashSet<*const ()>) -> usize {
        if !K::Policy::STORAGE {
            return 0;
        }
        let mut new = |cell: &&TapeValue<K>| {
            let place = TapeCell::<Val<K>>::place(*cell);
            place.is_some_and(|place| seen.insert(place))
        };
        let cells = self.primal.iter().filter(|cell| new(cell));
        cells.map(bytes_of::<K>).sum()
    }
    fn allocated(&self) -> usize {
        let slots = size_of_val(&self.owned[..]) + size_of_val(&self.free[..]);
        self.primal.allocated() + slots
    }
    fn held(&self) -> usize {
        let slots = self.owned.capacity() * size_of::<OwnedSlot>();
        let lists = self.free.capacity() * size_of::<u32>()
            + self.inputs.capacity() * size_of::<Range<u32>>();
        let older = self.older.capacity() * size_of::<(u32, u32)>();
        self.primal.held() + slots + lists + older
    }
    fn start_sweep(&mut self, adjoints: &mut AdjointStore, dirty: bool) -> Result<(), Error> {
        let dirty = dirty || self.is_owned();
        if K::Policy::STORAGE {
            for owned in &mut self.owned {
                owned.hidden = owned.undone;
            }
        }
        let column = adjoints.get::<K>();
        let started = column.start(self.len(), &self.inputs, dirty);
        self.adjoint_bytes = column.allocated();
        started
    }
    fn start_tangents(&self, tangents: &mut AllTangents<1>) -> Result<(), Error> {
        let unset = |id| K::unset_tangent(self.primal(id).peek());
        tangents.get::<K>().start(self.len(), &self.inputs, unset)
    }
    fn start_many_tangents(&self, tangents: &mut AllTangents<MANY>) -> Result<(), Error> {
        let unset = |id| K::unset_tangent(self.primal(id).peek());
        tangents.get::<K>().start(self.len(), &self.inputs, unset)
    }
    fn start_adjoints(&self, tangents: &mut AllTangents<1>) -> Result<(), Error> {
        let dirty = tangents.dirty || self.is_owned();
        let tangents = tangents.get::<K>();
        tangents.start_adjoints(self.len(), &self.inputs, dirty)
    }
    fn start_many_adjoints(&self, tangents: &mut AllTangents<MANY>) -> Result<(), Error> {
        let dirty = tangents.dirty || self.is_owned();
        let tangents = tangents.get::<K>();
        tangents.start_adjoints(self.len(), &self.inputs, dirty)
    }
    fn clear_adjoints(&self, adjoints: &mut AdjointStore, dirty: bool) {
        let dirty = dirty || self.is_owned();
        adjoints.get::<K>().clear(&self.inputs, dirty);
    }
    fn cursor_to_end(&self, adjoints: &mut AdjointStore) {
        // There are fewer than 2^32.
        adjoints.get::<K>().set_cursor(self.len() as u32);
    }
    fn primal_bytes(&self) -> usize {
        self.len() * size_of::<TapeValue<K>>()
    }
    fn statistics(&self, adjoints: &AdjointStore, seen: &mut HashSet<*const ()>) -> KindStatistics {
        let column = adjoints.find::<K>();
        let mut owned = 0;
        if K::Policy::STORAGE
            && let Some(column) = column
        {
            let each = self.primal.iter().zip(column.iter());
            let set = each.filter(|(_, adjoint)| !adjoint.is_unset());
            owned = set.map(|(cell, _)| K::Memory::bytes(cell.peek())).sum();
        }
        KindStatistics {
            kind: K::NAME,
            identifiers: self.len(),
            primal_bytes: self.primal_bytes(),
            value_bytes: self.value_bytes(seen),
            adjoint_bytes: column.map_or(0, AdjointsOf::bytes) + owned,
        }
    }
    fn with_adjoints(&self) -> usize {
        let adjoints = self.primal.len() * size_of::<K::Adjoint>();
        self.allocated() + adjoints.max(self.adjoint_bytes) + self.slots
    }
}
