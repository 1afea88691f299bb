//! What a tape keeps for each kind: primal values, adjoints, identifiers.
use super::adjoints::Adjoints;
use crate::{
    error::Error,
    kind::{
        Adjoint, Cell, Hold, Keep, Kind, Memory as _, Policy, Slot, Val, VariableId, bytes_of,
        recycle,
    },
    storage::{ByType, Key, Nobody, Staged, prefetch_before},
};
use std::{
    any::{Any, TypeId},
    collections::HashSet,
    ops::Range,
    ptr::NonNull,
};

/// Marks a passive argument among stored identifiers.
pub(crate) const NONE: u32 = u32::MAX;

/// What is known of an owned identifier.
#[derive(Clone, Copy, Default)]
struct Owned {
    /// Some adjoint reads the value that stands in the slot.
    read: bool,
    /// The identifier of an input.
    input: bool,
    /// The first tag whose variables may use the identifier: older ones were undone.
    since: u32,
    /// How often the slot was written, modulo 2^32: copies of the identifier with another version are stale.
    /// It never goes back, nor when writes are undone.
    version: u32,
    /// Bytes of the value of a storage kind that was written last.
    bytes: usize,
}

/// Primal values, adjoints and identifiers of one kind.
///
/// Linear identifiers are positions in `primal`; owned ones come back to `free` when their variable is
/// dropped. A tape uses a kind in one of the two ways.
pub struct Store<K: Kind> {
    primal: Staged<Cell<K>>,
    adjoint: Adjoints<K::Adjoint>,
    owned: Vec<Owned>,
    free: Vec<u32>,
    /// Bytes of the values in all slots of a storage kind, as they were written last: as much as adjoints may have.
    slots: usize,
    inputs: Vec<Range<u32>>,
    /// Tags before resets to a position, and the identifiers that are still valid under them.
    older: Vec<(u32, u32)>,
    /// In a walk over the tape: the linear identifiers below belong to statements not yet (or already) met.
    cursor: u32,
    number: u32,
    /// Memory for the adjoints of a list.
    scratch: Vec<K::Adjoint>,
}
impl<K: Kind> Store<K> {
    /// Whether a sweep fetches adjoints and primal values ahead of its cursor. For numbers of 8 bytes that costs as much as it
    /// gains; those of 16 bytes waited for a sixth of the sweep.
    const FETCHES: bool = K::Keep::PLAIN && size_of::<Cell<K>>() > 8;

    fn new(number: u32) -> Self {
        if let Some(zero) = K::Adjoint::default().into_value() {
            let mut sum = K::Adjoint::default();
            sum.add(zero);
            assert!(
                sum.is_unset(),
                "the `Default` of the values of kind {} is added to all adjoints and is not zero: let it be zero, or declare \
                 `#[kind(adjoint = Option<..>, zero = |like| ..)]`",
                K::NAME
            );
        }
        // SAFETY: cells that are kept as plain bytes are `Pod`: `Keep` has no other implementations.
        #[allow(unsafe_code)]
        let primal = unsafe { Staged::new(K::Keep::PLAIN) };
        Store {
            primal,
            adjoint: Adjoints::new(),
            owned: Vec::new(),
            free: Vec::new(),
            slots: 0,
            inputs: Vec::new(),
            older: Vec::new(),
            cursor: 0,
            number,
            scratch: Vec::new(),
        }
    }
    /// What a variable with an owned identifier must know: the kind's number on this tape, by which it finds
    /// the store when it is dropped, and the version of its value.
    #[inline(always)]
    pub(crate) fn slot(&self, id: u32) -> Slot {
        self.slot_with(self.owned.get(id as usize).map_or(0, |o| o.version))
    }
    #[inline(always)]
    pub(crate) fn primal(&self, id: u32) -> &Cell<K> {
        &self.primal[id as usize]
    }
    /// The value of a variable that a statement of a sweep reads; fetches those that statements before it may read.
    #[inline(always)]
    pub(crate) fn read(&self, id: u32) -> &Cell<K> {
        if Self::FETCHES {
            prefetch_before(&self.primal, id as usize);
        }
        self.primal(id)
    }
    #[inline(always)]
    pub(crate) fn primal_mut(&mut self, id: u32) -> &mut Cell<K> {
        &mut self.primal[id as usize]
    }
    /// The adjoint of an identifier.
    #[inline(always)]
    pub(crate) fn adjoint(&mut self, id: u32) -> &mut K::Adjoint {
        self.adjoint.at(id)
    }
    #[inline(always)]
    pub(crate) fn take_adjoint(&mut self, id: u32) -> K::Adjoint {
        self.adjoint.take(id)
    }

    /// Memory for the adjoints of a list; empty.
    pub(crate) fn scratch(&mut self) -> &mut Vec<K::Adjoint> {
        &mut self.scratch
    }

    // ------------------------------------------------------------------------------ linear identifiers
    /// Appends the value of a new identifier. There are enough of them until the next
    /// [`drain_stage`](AnyStore::drain_stage).
    #[inline(always)]
    pub(crate) fn append_here(&mut self, value: Cell<K>) -> u32 {
        self.primal.push_here(value) as u32
    }
    /// Makes room for another identifier.
    pub(crate) fn make_room(&mut self) -> Result<(), Error> {
        self.check_count(1)?;
        self.primal.drain_stage()
    }
    /// Makes room for `count` more identifiers.
    pub(crate) fn make_room_for(&mut self, count: usize) -> Result<(), Error> {
        self.check_count(count)?;
        self.primal.make_room_for(count)
    }
    fn check_count(&self, more: usize) -> Result<(), Error> {
        // The top bit of owned identifiers is taken.
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
    /// Makes room for identifiers, and touches it.
    pub(crate) fn preallocate(&mut self, identifiers: usize) -> Result<(), Error>
    where
        Cell<K>: Default,
    {
        self.primal.resize_with(identifiers, Default::default)?;
        self.primal.truncate(0);
        self.adjoint.preallocate(identifiers)?;
        Ok(())
    }
    /// Appends the value of a new identifier; room was made.
    pub(crate) fn append(&mut self, value: Cell<K>) -> u32 {
        self.primal.push(value) as u32
    }
    #[inline(always)]
    pub(crate) fn cursor_back(&mut self, n: u32) -> u32 {
        self.cursor -= n;
        if Self::FETCHES {
            self.adjoint.prefetch_before(self.cursor);
        }
        self.cursor
    }
    pub(crate) fn cursor_forward(&mut self, n: u32) -> u32 {
        self.cursor += n;
        self.cursor - n
    }

    // ------------------------------------------------------------------------------- owned identifiers
    /// An identifier of its own for a value; room was made.
    pub(crate) fn allocate(&mut self, value: Cell<K>, read: bool) -> u32 {
        let id = self.append(value);
        // Owned slots are written and read at any time, so they don't wait in the stage. Room was made.
        let _ = self.primal.flush();
        self.owned.resize(self.primal.len(), Owned::default());
        self.owned[id as usize].read = read;
        id
    }
    /// An identifier that was returned, unless `is_read` holds for it.
    pub(crate) fn reuse_unless(&mut self, is_read: impl FnOnce(u32) -> bool) -> Option<u32> {
        self.free.pop_if(|id| !is_read(*id))
    }
    /// An identifier that was returned.
    #[inline(always)]
    pub(crate) fn reuse(&mut self) -> Option<u32> {
        self.free.pop()
    }
    /// Returns the identifier of a variable that was dropped.
    #[inline(always)]
    fn give_back(&mut self, meta: VariableId, now: u32) {
        let input = self.owned.get(meta.id as usize).is_none_or(|o| o.input);
        if !input && (meta.tag == now || self.is_valid(meta, now)) {
            self.free.push(meta.id);
        }
    }
    /// Notes that an adjoint reads the value in the slot of `id`.
    #[inline(always)]
    pub(crate) fn mark_read(&mut self, id: u32) {
        if let Some(owned) = self.owned.get_mut(id as usize) {
            owned.read = true;
        }
    }
    /// Notes that a part of the slot is written: copies of the identifier are stale.
    pub(crate) fn raise_version(&mut self, id: u32) {
        let version = &mut self.owned[id as usize].version;
        *version = version.wrapping_add(1);
    }
    /// Notes that the slot is written, likewise. `read` and `bytes` are what holds of the new value.
    #[inline(always)]
    pub(crate) fn overwrite(&mut self, id: u32, read: bool, bytes: usize) -> Overwritten {
        let owned = &mut self.owned[id as usize];
        owned.version = owned.version.wrapping_add(1);
        let mut before = 0;
        if K::Policy::STORAGE {
            before = std::mem::replace(&mut owned.bytes, bytes);
            self.slots = (self.slots + bytes).wrapping_sub(before);
        }
        Overwritten {
            saved: std::mem::replace(&mut owned.read, read),
            version: owned.version,
            bytes: before,
        }
    }
    /// What the variable must know whose value is the one with this version.
    #[inline(always)]
    pub(crate) fn slot_with(&self, version: u32) -> Slot {
        Slot {
            kind: self.number,
            version,
        }
    }
    /// Notes that the value in a new slot has so many bytes.
    pub(crate) fn set_bytes(&mut self, id: u32, bytes: usize) {
        self.owned[id as usize].bytes = bytes;
        self.slots += bytes;
    }
    /// Says whether an adjoint reads the value in the slot.
    pub(crate) fn set_read(&mut self, id: u32, read: bool) {
        self.owned[id as usize].read = read;
    }
    pub(crate) fn is_read(&self, id: u32) -> bool {
        self.owned[id as usize].read
    }
    pub(crate) fn undone(&mut self, id: u32, tag: u32) {
        let since = &mut self.owned[id as usize].since;
        *since = tag.max(*since);
    }

    // ------------------------------------------------------------------------------------------- inputs
    /// Registers an input; its identifier is never used again.
    pub(crate) fn input(&mut self, value: Cell<K>, owned: bool) -> u32 {
        let id = if owned {
            self.allocate(value, false)
        } else {
            self.append(value)
        };
        if let Some(owned) = self.owned.get_mut(id as usize) {
            // The input's own value is kept: its gradient may need the shape.
            (owned.read, owned.input) = (true, true);
        }
        match self.inputs.last_mut() {
            Some(run) if run.end == id => run.end += 1,
            _ => self.inputs.push(id..id + 1),
        }
        id
    }
    pub(crate) fn is_input(&self, id: u32) -> bool {
        // Runs are in order, as inputs always get new identifiers.
        let after = self.inputs.partition_point(|run| run.end <= id);
        self.inputs.get(after).is_some_and(|run| run.contains(&id))
    }
    /// Whether a variable is of the recording with tag `now`, or of an older one and not undone since.
    pub(crate) fn is_valid(&self, meta: VariableId, now: u32) -> bool {
        let undone = || {
            let owned = self.owned.get(meta.id as usize);
            owned.is_some_and(|owned| owned.since > meta.tag)
        };
        // Tags only grow.
        let older = |tag| self.older.binary_search_by_key(&tag, |&(tag, _)| tag);
        meta.tag == now || older(meta.tag).is_ok_and(|at| meta.id < self.older[at].1 && !undone())
    }
    /// The first tag that is still valid for some identifiers, and the lowest that is not.
    pub(crate) fn oldest(&self) -> (u32, u32) {
        self.older.first().copied().unwrap_or_default()
    }
    /// The gradient at `id`.
    pub(crate) fn gradient(&self, id: u32) -> Val<K> {
        let like = || self.primal(id).peek().clone();
        match self.adjoint.get(id) {
            Some(adjoint) => adjoint.clone().value_or_zero(like),
            None => K::zero_like(&like()),
        }
    }
    /// Whether linear identifier `id` lies below the cursor.
    pub(crate) fn is_below_cursor(&self, id: u32) -> bool {
        self.owned.is_empty() && id < self.cursor
    }
}

/// What is known of the value that stood in a slot that was written.
pub(crate) struct Overwritten {
    /// An adjoint reads it, so it is kept.
    pub(crate) saved: bool,
    /// The version of the slot now.
    pub(crate) version: u32,
    /// Its bytes, of a storage kind.
    pub(crate) bytes: usize,
}

/// What statistics tell of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindStatistics {
    /// The kind's name.
    pub kind: &'static str,
    /// Identifiers in use or free.
    pub identifiers: usize,
    /// Bytes of the vector of primal values.
    pub primal_bytes: usize,
    /// Bytes of what the variables of a storage kind have as values, each with its box, and once however many share it; in no other
    /// count.
    pub value_bytes: usize,
    /// Bytes of the vector of adjoints, and of what the adjoints that a sweep left own.
    pub adjoint_bytes: usize,
}

/// A store of any kind.
pub(crate) trait AnyStore {
    fn free(&mut self, meta: VariableId, now: u32);
    fn cursor_to_end(&mut self);
    fn cursor_to_start(&mut self);
    fn start_sweep(&mut self, dirty: bool) -> Result<(), Error>;
    fn flush(&mut self) -> Result<(), Error>;
    /// Moves what waits in the stage, if it is much; there are identifiers for `more` values then.
    fn drain_stage(&mut self, more: usize) -> Result<(), Error>;
    fn use_huge_pages(&mut self, huge_pages: bool);
    /// Forgets everything; `dirty` as for a sweep.
    fn clear(&mut self, dirty: bool);
    fn len(&self) -> usize;
    /// Forgets the identifiers from `len` on, and all that has one of the tags that are `gone`; `before` is the
    /// tag up to now.
    /// Tells how many bytes of values are gone.
    fn reset_to(&mut self, len: usize, before: u32, gone: &[u32]) -> usize;
    /// Counts values that were not `seen` before.
    fn statistics(&self, seen: &mut HashSet<*const ()>) -> KindStatistics;
    /// Bytes of the values in slots that were not `seen` before.
    fn value_bytes(&self, seen: &mut HashSet<*const ()>) -> usize;
    fn allocated(&self) -> usize;
    /// Bytes that a sweep may add, if all variables have adjoints at a time.
    fn missing_bytes(&self) -> usize;
}
impl<K: Kind> AnyStore for Store<K> {
    fn free(&mut self, meta: VariableId, now: u32) {
        self.give_back(meta, now);
    }
    fn cursor_to_end(&mut self) {
        // There are fewer than 2^32.
        self.cursor = self.primal.len() as u32;
    }
    fn cursor_to_start(&mut self) {
        self.cursor = 0;
    }
    fn start_sweep(&mut self, dirty: bool) -> Result<(), Error> {
        let dirty = dirty || !self.owned.is_empty();
        let len = self.primal.len();
        self.adjoint
            .start(len, &self.inputs, dirty, K::Adjoint::reset)
    }
    fn flush(&mut self) -> Result<(), Error> {
        self.primal.flush()
    }
    fn drain_stage(&mut self, more: usize) -> Result<(), Error> {
        self.check_count(more)?;
        self.primal.drain_stage()
    }
    fn use_huge_pages(&mut self, huge_pages: bool) {
        self.primal.use_huge_pages(huge_pages);
        self.adjoint.use_huge_pages(huge_pages);
    }
    fn clear(&mut self, dirty: bool) {
        let dirty = dirty || !self.owned.is_empty();
        self.adjoint.clear(&self.inputs, dirty, K::Adjoint::reset);
        if K::Policy::STORAGE {
            self.primal.take_from(0, recycle::<K>);
        }
        self.primal.truncate(0);
        self.owned.clear();
        self.slots = 0;
        self.free.clear();
        self.inputs.clear();
        self.older.clear();
    }
    fn len(&self) -> usize {
        self.primal.len()
    }
    fn reset_to(&mut self, len: usize, before: u32, gone: &[u32]) -> usize {
        if K::Policy::STORAGE {
            self.primal.take_from(len, recycle::<K>);
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
        let mut new = |cell: &&Cell<K>| {
            let place = Hold::<Val<K>>::place(*cell);
            place.is_some_and(|place| seen.insert(place))
        };
        let cells = self.primal.iter().filter(|cell| new(cell));
        cells.map(bytes_of::<K>).sum()
    }
    fn statistics(&self, seen: &mut HashSet<*const ()>) -> KindStatistics {
        let mut adjoints = 0;
        if K::Policy::STORAGE {
            let each = self.primal.iter().zip(self.adjoint.iter());
            let set = each.filter(|(_, adjoint)| !adjoint.is_unset());
            adjoints = set.map(|(cell, _)| K::Memory::bytes(cell.peek())).sum();
        }
        KindStatistics {
            kind: K::NAME,
            identifiers: self.primal.len(),
            primal_bytes: self.primal.len() * size_of::<Cell<K>>(),
            value_bytes: self.value_bytes(seen),
            adjoint_bytes: self.adjoint.bytes() + adjoints,
        }
    }
    fn allocated(&self) -> usize {
        let slots = size_of_val(&self.owned[..]) + size_of_val(&self.free[..]);
        self.primal.allocated() + self.adjoint.allocated() + slots
    }
    fn missing_bytes(&self) -> usize {
        let adjoints = self.primal.len() * size_of::<K::Adjoint>();
        adjoints.saturating_sub(self.adjoint.allocated()) + self.slots
    }
}

/// The stores of a tape, by kind. Reals have a field of their own, as they are hot, and the one of the others that was used
/// last is cached.
///
/// Invariant: `hot` points to the store of the kind whose id `hot_key` refers to, unless that is nobody's, and so does `warm`.
pub(crate) struct Stores {
    huge_pages: bool,
    real: Store<f64>,
    hot: NonNull<()>,
    /// Where the id of the hot store's kind stands.
    hot_key: &'static TypeId,
    /// The store that was hot before, likewise: statements of matrices and vectors take turns.
    warm: NonNull<()>,
    warm_key: &'static TypeId,
    others: ByType<dyn AnyStore>,
    /// What statements that are evaluated by pieces gather adjoints in, the one used last at the end.
    lent: Vec<Box<dyn Any>>,
}
/// The stores while one statement is walked over. It knows in registers which one is hot, so that the compiler sees that no
/// question but the first can have another answer.
///
/// Invariant: `hot` points to the store of `all` whose kind is that of `key`, `warm` to that of `warm_key`.
pub struct Access<'t> {
    all: &'t mut Stores,
    key: &'static TypeId,
    hot: NonNull<()>,
    warm_key: &'static TypeId,
    warm: NonNull<()>,
    /// In a run of equal statements: the [`Next`](super::next::Next) adjoint of their kind.
    pub(super) next: Option<&'t mut dyn Any>,
}
impl Access<'_> {
    /// The store of kind `K`, made at first use.
    #[inline(always)]
    pub(crate) fn get<K: Kind>(&mut self) -> &mut Store<K> {
        if TypeId::of::<K>() == TypeId::of::<f64>() {
            return self.all.get::<K>();
        }
        if !std::ptr::eq(self.key, Key::<K>::PLACE) {
            let before = (self.key, self.hot);
            self.hot = if std::ptr::eq(self.warm_key, Key::<K>::PLACE) {
                self.warm
            } else {
                self.all.warm_up::<K>(Key::<K>::PLACE)
            };
            (self.warm_key, self.warm) = before;
        }
        self.key = Key::<K>::PLACE;
        // SAFETY: by the invariant, it points to the store of the kind whose id stands at `PLACE`, which is `Store<K>`; it is
        // borrowed from `all` as long as the result lives, and stores stay where they are.
        #[allow(unsafe_code)]
        unsafe {
            self.hot.cast::<Store<K>>().as_mut()
        }
    }
    /// As [`Stores::lend`].
    pub(crate) fn lend<T: Default + 'static>(&mut self) -> Box<T> {
        self.all.lend()
    }
    /// As [`Stores::take_back`].
    pub(crate) fn take_back<T: 'static>(&mut self, lent: Box<T>) {
        self.all.take_back(lent);
    }
}

/// The most of them that wait.
const LENT: usize = 32;
impl Default for Stores {
    fn default() -> Self {
        Stores {
            huge_pages: false,
            real: Store::new(0),
            hot: NonNull::dangling(),
            hot_key: Key::<Nobody>::PLACE,
            warm: NonNull::dangling(),
            warm_key: Key::<Nobody>::PLACE,
            others: ByType::new(),
            lent: Vec::new(),
        }
    }
}
impl Stores {
    /// Memory for the adjoints of a block, with whatever it was given back with.
    pub(crate) fn lend<T: Default + 'static>(&mut self) -> Box<T> {
        let found = self.lent.iter().rposition(|waiting| waiting.is::<T>());
        let waiting = found.and_then(|at| self.lent.remove(at).downcast().ok());
        waiting.unwrap_or_default()
    }
    /// Takes it back.
    pub(crate) fn take_back<T: 'static>(&mut self, lent: Box<T>) {
        if self.lent.len() == LENT {
            self.lent.remove(0);
        }
        self.lent.push(lent);
    }
    /// The store of kind `K`, made at first use.
    #[inline(always)]
    pub(crate) fn get<K: Kind>(&mut self) -> &mut Store<K> {
        if TypeId::of::<K>() == TypeId::of::<f64>() {
            let real: &mut dyn Any = &mut self.real;
            return real.downcast_mut().expect("the store of reals");
        }
        let store = if std::ptr::eq(self.hot_key, Key::<K>::PLACE) {
            self.hot
        } else if std::ptr::eq(self.warm_key, Key::<K>::PLACE) {
            self.warm
        } else {
            self.warm_up::<K>(Key::<K>::PLACE)
        };
        // SAFETY: by the invariant, it points to the store of the kind whose id stands at `PLACE`, which is `Store<K>` and borrowed
        // as `self` is. (A safe downcast would ask the store for its type by a call that is not inlined, several times for
        // each statement.)
        #[allow(unsafe_code)]
        unsafe {
            store.cast::<Store<K>>().as_mut()
        }
    }
    /// Makes the store of kind `K` the hot one.
    #[inline(never)]
    fn warm_up<K: Kind>(&mut self, key: &'static TypeId) -> NonNull<()> {
        let huge_pages = self.huge_pages;
        let make = |others: usize| {
            let mut store = Store::<K>::new(others as u32 + 1);
            store.use_huge_pages(huge_pages);
            store
        };
        let store = self.others.pointer::<Store<K>>(make, |store| store).cast();
        (self.warm_key, self.warm) = (self.hot_key, self.hot);
        (self.hot_key, self.hot) = (key, store);
        store
    }
    /// For a statement of a walk.
    #[inline(always)]
    pub(crate) fn access<'t>(&'t mut self, next: Option<&'t mut dyn Any>) -> Access<'t> {
        Access {
            key: self.hot_key,
            hot: self.hot,
            warm_key: self.warm_key,
            warm: self.warm,
            next,
            all: self,
        }
    }
    /// The store of kind `K`, if the tape has met it.
    pub(crate) fn find<K: Kind>(&self) -> Option<&Store<K>> {
        let of = TypeId::of::<K>();
        if of == TypeId::of::<f64>() {
            let real: &dyn Any = &self.real;
            return real.downcast_ref();
        }
        self.others.find()
    }
    /// Whether a copy of an identifier of kind `K` means the value that stands in its slot.
    #[inline(always)]
    pub(crate) fn is_current<K: Kind>(&self, id: u32, version: u32) -> bool {
        self.find::<K>()
            .is_some_and(|store| store.slot(id).version == version)
    }
    pub(crate) fn all(&self) -> impl Iterator<Item = &dyn AnyStore> {
        let real: &dyn AnyStore = &self.real;
        std::iter::once(real).chain(self.others.iter())
    }
    pub(crate) fn all_mut(&mut self) -> impl Iterator<Item = &mut dyn AnyStore> {
        let real: &mut dyn AnyStore = &mut self.real;
        let others = self.others.iter_mut().map(|store| store as _);
        std::iter::once(real).chain(others)
    }
    pub(crate) fn use_huge_pages(&mut self, huge_pages: bool) {
        self.huge_pages = huge_pages;
        self.all_mut().for_each(|s| s.use_huge_pages(huge_pages));
    }
    /// Returns an owned identifier of the kind with this number.
    #[inline]
    pub(crate) fn free(&mut self, number: u32, meta: VariableId, now: u32) {
        match number as usize {
            0 => self.real.give_back(meta, now),
            n => self.others.at(n - 1).free(meta, now),
        }
    }
}
