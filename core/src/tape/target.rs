//! Targets: the left-hand sides of statements.
//!
//! | target | bytes | saved |
//! |---|---|---|
//! | [`FreshTarget`] | none: identifiers are consecutive | nothing, because the slot is new |
//! | [`OverwrittenTarget`] | identifier, old value | the slot's value, if an adjoint reads it, or a sweep its shape |
//! | [`PartTarget`] | identifier, part, old part | the part's value, if an adjoint reads the slot |
//! | [`PartTarget`] of a copied identifier | old identifier, part | nothing, because the slot is new |
//! | tuples | the bytes of the outputs | the saved values of the outputs |
//! | [`Targets`] | the bytes of the elements, and their number | the saved values of the elements |
use crate::{
    expr::Active,
    formula::Formula,
    kind::{
        Adjoint, Carrier, Contribution, Encoding, FreelyCopied, Kind, List, NONE, Ownership,
        Passed, Policy, TangentStorage, TapeCell, TapeValue, Unique, Val, VariableId, bytes_of,
        recycle,
    },
    node::NamedId,
    store::{AllTangents, AnyDirections, Part, Reader, RecordedValues, Writer},
    sweep::{Directional, ReadValues, StatementCursor, Sweep},
};
use std::{any::type_name, array::from_fn, marker::PhantomData, ops::Range, rc::Rc};

const SAVED: u32 = 1 << 31;

pub(crate) trait Target<K: Kind>: Sized + 'static {
    const FIXED: usize;
    /// Whether [`more`](Self::more) bytes precede the fixed ones.
    const DYNAMIC: bool = false;
    fn more(fixed: &[u8]) -> usize {
        let _ = fixed;
        0
    }
    const RESTORES: bool;
    /// `None` for a part or several targets.
    const OWNED: Option<bool> = None;
    fn load(lhs: &[u8], walk: &mut StatementCursor<'_, '_>) -> Self;
    fn load_forward(lhs: &[u8], walk: &mut StatementCursor<'_, '_>) -> Self;
    fn take_adjoint(&self, sweep: &mut impl Sweep) -> K::Adjoint;
    #[inline(always)]
    fn take_adjoints<const N: usize>(
        &self,
        all: &mut AllTangents<N>,
        walk: &mut StatementCursor<'_, '_>,
    ) -> [K::Adjoint; N] {
        from_fn(|j| {
            let mut sweep = Directional::new(&mut walk.sweep, AnyDirections::of(all), j);
            self.take_adjoint(&mut sweep)
        })
    }
    fn result(&self, walk: &mut StatementCursor<'_, '_>) -> TapeValue<K>;
    fn exchange(&self, lhs: &mut [u8], walk: &mut StatementCursor<'_, '_>);
    fn set_tangents<const N: usize>(
        &self,
        tangents: Option<[Val<K>; N]>,
        all: &mut AllTangents<N>,
        sweep: &mut impl Sweep,
    );
    /// Restores the former tangents. Returns tangents that the target stores separately; the inner `None` means zero.
    fn restore_tangents<const N: usize>(
        &self,
        all: &mut AllTangents<N>,
    ) -> Option<Option<[Val<K>; N]>>;
    /// Removes the statement: variables with a tag below `tag` lose the identifier, and the slot is read if it was
    /// before.
    fn undo(&self, lhs: &[u8], walk: &mut StatementCursor<'_, '_>, tag: u32);
    fn show(&self, to: &mut dyn FnMut(NamedId, bool));
    /// Passes variables whose value is part of the new one.
    fn show_rest(&self, to: &mut dyn FnMut(NamedId)) {
        let _ = to;
    }
}

impl<K, W> WholeTarget<K, W> {
    pub(crate) fn at(id: u32) -> Self {
        WholeTarget(id, PhantomData)
    }
    pub(crate) fn id(&self) -> u32 {
        self.0
    }
}
#[inline(always)]
fn id_of(lhs: &[u8]) -> u32 {
    let id: u32 = bytemuck::pod_read_unaligned(&lhs[..4]);
    id & !SAVED
}
#[inline(always)]
fn is_saved(lhs: &[u8]) -> bool {
    bytemuck::pod_read_unaligned::<u32>(&lhs[..4]) & SAVED != 0
}
#[inline(always)]
fn write_id(lhs: &mut [u8], id: u32, saved: bool) {
    let id = if saved { id | SAVED } else { id };
    lhs[..4].copy_from_slice(&id.to_ne_bytes());
}

/// The whole value of a variable. Copied identifiers are consecutive and take no bytes. The slot's value of an owned
/// identifier is saved if an adjoint reads it, or if sweeps along directions read shapes and the next value has another
/// one.
pub(crate) struct WholeTarget<K, W>(u32, PhantomData<(K, W)>);
pub(crate) type FreshTarget<K> = WholeTarget<K, FreelyCopied>;
pub(crate) type OverwrittenTarget<K> = WholeTarget<K, Unique>;
impl<K: Kind, W: Ownership> Target<K> for WholeTarget<K, W> {
    const FIXED: usize = if W::OWNED { 4 + K::Encoding::BYTES } else { 0 };
    const RESTORES: bool = W::OWNED;
    const OWNED: Option<bool> = Some(W::OWNED);
    #[inline(always)]
    fn load(lhs: &[u8], walk: &mut StatementCursor<'_, '_>) -> Self {
        let id = match W::OWNED {
            true => id_of(lhs),
            false => walk.sweep.adjoints::<K>().cursor_back(1),
        };
        WholeTarget(id, PhantomData)
    }
    fn load_forward(lhs: &[u8], walk: &mut StatementCursor<'_, '_>) -> Self {
        let id = match W::OWNED {
            true => id_of(lhs),
            false => walk.sweep.adjoints::<K>().cursor_forward(1),
        };
        WholeTarget(id, PhantomData)
    }
    #[inline(always)]
    fn take_adjoint(&self, sweep: &mut impl Sweep) -> K::Adjoint {
        match W::OWNED {
            true => sweep.take_adjoint::<K>(self.0),
            false => sweep.take_next::<K>(self.0),
        }
    }
    #[inline(always)]
    fn take_adjoints<const N: usize>(
        &self,
        all: &mut AllTangents<N>,
        _: &mut StatementCursor<'_, '_>,
    ) -> [K::Adjoint; N] {
        all.get::<K>().take(self.0)
    }
    #[inline(always)]
    fn result(&self, walk: &mut StatementCursor<'_, '_>) -> TapeValue<K> {
        walk.sweep.primal::<K>(self.0).clone()
    }
    #[inline(always)]
    fn exchange(&self, lhs: &mut [u8], walk: &mut StatementCursor<'_, '_>) {
        if !W::OWNED {
            return;
        }
        let saved = is_saved(lhs);
        let StatementCursor { sweep, stacks } = walk;
        if saved {
            let slot = sweep.slot::<K>(self.0);
            K::Encoding::exchange(slot, &mut lhs[4..], |place, cell| {
                std::mem::swap(stacks.back_at::<K>(place), cell)
            });
        }
        if K::Policy::STORAGE {
            sweep.owned::<K>(self.0).hidden = !saved;
        }
    }
    #[inline(always)]
    fn set_tangents<const N: usize>(
        &self,
        tangents: Option<[Val<K>; N]>,
        all: &mut AllTangents<N>,
        sweep: &mut impl Sweep,
    ) {
        let unset = || K::unset_tangent(sweep.primal::<K>(self.0).peek());
        let tangents = TangentStorage::new(tangents, unset);
        let all = all.get::<K>();
        if W::OWNED {
            all.overwrite(self.0, tangents);
        } else {
            *all.at(self.0) = tangents;
        }
    }
    #[inline(always)]
    fn restore_tangents<const N: usize>(
        &self,
        all: &mut AllTangents<N>,
    ) -> Option<Option<[Val<K>; N]>> {
        if !W::OWNED {
            return None;
        }
        let replaced = all.get::<K>().restore(self.0)?;
        match replaced.get() {
            None => Some(None),
            Some(_) => TangentStorage::into_sole(replaced).map(Some),
        }
    }
    fn undo(&self, lhs: &[u8], walk: &mut StatementCursor<'_, '_>, tag: u32) {
        if W::OWNED {
            walk.sweep.owned::<K>(self.0).undo(tag, is_saved(lhs));
        }
    }
    fn show(&self, to: &mut dyn FnMut(NamedId, bool)) {
        to(NamedId::of::<K>(self.0), true);
    }
}
impl<K: Kind, W: Ownership> WholeTarget<K, W> {
    /// Writes the target with an identifier, `old` if possible. `read` is whether an adjoint reads the value. The caller has
    /// reserved memory.
    pub(crate) fn create(
        memory: &mut RecordedValues,
        lhs: &mut [u8],
        old: Option<u32>,
        value: TapeValue<K>,
        read: bool,
    ) -> u32 {
        if W::OWNED {
            let id = old.or_else(|| memory.values.reuse::<K>(&value));
            OverwrittenTarget::<K>::give(memory, lhs, id, value, read)
        } else {
            memory.values.get::<K>().append(value)
        }
    }
}
impl<K: Kind> OverwrittenTarget<K> {
    pub(crate) fn give(
        memory: &mut RecordedValues,
        lhs: &mut [u8],
        id: Option<u32>,
        value: TapeValue<K>,
        read: bool,
    ) -> u32 {
        if let Some(id) = id {
            Self::write(memory, lhs, id, value, read);
            return id;
        }
        let bytes = bytes_of::<K>(&value);
        let values = memory.values.get::<K>();
        let id = values.allocate(value, read);
        values.set_bytes(id, bytes);
        memory.stacks.bytes.add(bytes);
        write_id(lhs, id, false);
        id
    }
    #[inline(always)]
    pub(crate) fn write(
        memory: &mut RecordedValues,
        lhs: &mut [u8],
        id: u32,
        value: TapeValue<K>,
        read: bool,
    ) -> u32 {
        let RecordedValues { values, stacks } = memory;
        let reshaped = values.is_reshaped::<K>(id, &value);
        let values = values.get::<K>();
        let bytes = bytes_of::<K>(&value);
        let before = values.overwrite(id, read, reshaped, bytes);
        let (saved, version) = (before.saved, before.version);
        if K::Policy::STORAGE {
            let gone = if saved { 0 } else { before.bytes };
            stacks.bytes.exchange(bytes, gone);
        }
        let old = std::mem::replace(values.primal_mut(id), value);
        write_id(lhs, id, saved);
        if saved {
            K::Encoding::encode(old, &mut lhs[4..], |cell| stacks.push_of::<K>(cell));
        } else if K::Policy::STORAGE {
            recycle::<K>(old);
        }
        version
    }
}

/// A part of a variable, written in place. If identifiers are copied, or the part [saves the whole](Part::SAVES_WHOLE),
/// the variable gets a new value instead: a [`WholeTarget`], the rest of whose adjoint belongs to the old value.
pub(crate) struct PartTarget<K, P, W = Unique> {
    /// The identifier after the write.
    id: u32,
    /// The identifier before the write, or `NONE`.
    before: u32,
    part: P,
    of: PhantomData<(K, W)>,
}
/// The data of a write to a part.
pub(crate) struct ReadyPart<V> {
    pub(crate) old: V,
    pub(crate) tag: u32,
    /// Whether the tape keeps all values.
    pub(crate) keeps: bool,
}
impl<K: Kind, P: Part<K>, W: Ownership> PartTarget<K, P, W> {
    pub(crate) const IN_PLACE: bool = W::OWNED && !P::SAVES_WHOLE;
    const WHOLE: usize = match Self::IN_PLACE {
        true => 0,
        false => <WholeTarget<K, W> as Target<K>>::FIXED,
    };
    /// The end of the identifier and the part.
    const AT: usize = 4 + P::BYTES;
    pub(crate) fn create(
        memory: &mut RecordedValues,
        lhs: &mut [u8],
        id: u32,
        part: P,
        old: Option<Val<P::Kind>>,
    ) {
        write_id(lhs, id, old.is_some());
        let (head, kept) = lhs.split_at_mut(Self::AT);
        let RecordedValues { values, stacks } = memory;
        let mut writer = Writer {
            statement: const { &Formula::Part(type_name::<K>, type_name::<P>) },
            fixed: &mut head[4..],
            mixed: false,
            variable_length: None,
            lists: &mut [],
            stacks,
            values,
        };
        part.stash(&mut writer);
        writer.finish();
        if let Some(old) = old {
            let old = TapeCell::new(old);
            memory.stacks.bytes.add(bytes_of::<P::Kind>(&old));
            <P::Kind as Kind>::Encoding::encode(old, kept, |cell| {
                memory.stacks.push_of::<P::Kind>(cell)
            });
        }
    }
    pub(crate) fn write<M: Carrier>(
        x: &mut Active<K, M>,
        part: &P,
        ready: ReadyPart<Val<P::Kind>>,
        value: Val<P::Kind>,
        memory: &mut RecordedValues,
        lhs: &mut [u8],
    ) {
        let (before, tag) = (x.variable_id(), ready.tag);
        if Self::IN_PLACE {
            let id = before.id;
            let values = memory.values.get::<K>();
            let saved = ready.keeps || values.is_read(id);
            values.mark_read(id);
            let old = saved.then_some(ready.old);
            Self::create(memory, lhs, id, part.clone(), old);
            let write = WriteInPlace::new(memory, x, id);
            part.put(write.x.get_mut(), value);
            drop(write);
            let values = memory.values.get::<K>();
            values.raise_version(id);
            x.set_variable_id(VariableId { id, tag }, values.slot(id), Some(id));
            return;
        }
        let kept = before.is_recorded().then_some(before.id);
        let mut whole = x.get().clone();
        part.put(&mut whole, value);
        let cell: TapeValue<K> = TapeCell::new(whole);
        let (new, lhs) = lhs.split_at_mut(Self::WHOLE);
        let owned = kept.filter(|_| W::OWNED);
        let id = WholeTarget::<K, W>::create(memory, new, owned, cell.clone(), true);
        Self::create(memory, lhs, 0, part.clone(), None);
        lhs[..4].copy_from_slice(&kept.unwrap_or(NONE).to_ne_bytes());
        let slot = memory.values.get::<K>().slot(id);
        let held = K::Policy::held::<M, _>(cell, K::zero_like);
        x.replace(held, VariableId { id, tag }, slot, owned);
    }
    #[inline(always)]
    fn load_by(
        load: fn(&[u8], &mut StatementCursor<'_, '_>) -> WholeTarget<K, W>,
        lhs: &[u8],
        walk: &mut StatementCursor<'_, '_>,
    ) -> Self {
        let (whole, lhs) = lhs.split_at(Self::WHOLE);
        let mut reader = Reader {
            statement: const { &Formula::Part(type_name::<K>, type_name::<P>) },
            fixed: &lhs[4..Self::AT],
            constants: &[],
            variable_length: &[],
            mixed: false,
            stacks: walk.stacks,
        };
        let part = P::fetch(&mut reader);
        reader.finish();
        let (id, before) = match Self::IN_PLACE {
            true => (id_of(lhs), id_of(lhs)),
            false => (
                load(whole, walk).id(),
                bytemuck::pod_read_unaligned(&lhs[..4]),
            ),
        };
        PartTarget {
            id,
            before,
            part,
            of: PhantomData,
        }
    }
    fn whole(&self) -> WholeTarget<K, W> {
        WholeTarget::at(self.id)
    }
}
/// Returns the tape's handle of a value written in place, also after a panic.
pub(super) struct WriteInPlace<'w, K: Kind, M: Carrier> {
    memory: &'w mut RecordedValues,
    pub(super) x: &'w mut Active<K, M>,
    id: u32,
}
impl<'w, K: Kind, M: Carrier> WriteInPlace<'w, K, M> {
    pub(super) fn new(memory: &'w mut RecordedValues, x: &'w mut Active<K, M>, id: u32) -> Self {
        memory.values.get::<K>().primal_mut(id).give_up();
        WriteInPlace { memory, x, id }
    }
}
impl<K: Kind, M: Carrier> Drop for WriteInPlace<'_, K, M> {
    fn drop(&mut self) {
        *self.memory.values.get::<K>().primal_mut(self.id) = self.x.cell();
    }
}
impl<K: Kind, P: Part<K>, W: Ownership> Target<P::Kind> for PartTarget<K, P, W> {
    const FIXED: usize = match Self::IN_PLACE {
        true => Self::AT + <P::Kind as Kind>::Encoding::BYTES,
        false => Self::WHOLE + Self::AT,
    };
    const RESTORES: bool = W::OWNED;
    fn load(lhs: &[u8], walk: &mut StatementCursor<'_, '_>) -> Self {
        Self::load_by(WholeTarget::load, lhs, walk)
    }
    fn load_forward(lhs: &[u8], walk: &mut StatementCursor<'_, '_>) -> Self {
        Self::load_by(WholeTarget::load_forward, lhs, walk)
    }
    fn take_adjoint(&self, sweep: &mut impl Sweep) -> <P::Kind as Kind>::Adjoint {
        if Self::IN_PLACE {
            return sweep.take_part::<K, P>(self.id, &self.part);
        }
        let mut rest = self.whole().take_adjoint(sweep);
        let part = self.part.take(&mut rest);
        if self.before != NONE
            && let Some(rest) = rest.into_value()
        {
            let add = |before: &mut _| Contribution::<K>::add_to(Passed(rest), before);
            sweep.add_to_adjoint::<K>(self.before, add);
        }
        part
    }
    fn result(&self, walk: &mut StatementCursor<'_, '_>) -> TapeValue<P::Kind> {
        TapeCell::new(self.part.get(walk.sweep.primal::<K>(self.id).peek()))
    }
    fn exchange(&self, lhs: &mut [u8], walk: &mut StatementCursor<'_, '_>) {
        if !Self::IN_PLACE {
            self.whole().exchange(&mut lhs[..Self::WHOLE], walk);
        } else if is_saved(lhs) {
            let StatementCursor { sweep, stacks } = walk;
            let whole = sweep.slot::<K>(self.id).edit();
            let mut cell = TapeCell::new(self.part.get(whole));
            let kept = &mut lhs[Self::AT..];
            <P::Kind as Kind>::Encoding::exchange(&mut cell, kept, |place, cell| {
                std::mem::swap(stacks.at(place), cell)
            });
            self.part.put(whole, cell.into_inner());
        }
    }
    fn set_tangents<const N: usize>(
        &self,
        tangents: Option<[Val<P::Kind>; N]>,
        all: &mut AllTangents<N>,
        sweep: &mut impl Sweep,
    ) {
        let whole = sweep.primal::<K>(self.id);
        let none = || <P::Kind as Kind>::unset_tangent(&self.part.get(whole.peek()));
        let depends = tangents.is_some();
        let put = |each: &mut [Val<K>; N]| {
            let mut tangents = tangents.into_iter().flatten();
            for whole in each {
                self.part.put(whole, tangents.next().unwrap_or_else(none));
            }
        };
        let unset = || K::unset_tangent(whole.peek());
        if !Self::IN_PLACE {
            let before = match self.before {
                NONE => None,
                before => all.get::<K>().at(before).get().cloned(),
            };
            let mut each = before.or_else(|| depends.then(|| from_fn(|_| unset())));
            if let Some(each) = &mut each {
                put(each);
            }
            return self.whole().set_tangents(each, all, sweep);
        }
        let place = all.get::<K>().at(self.id);
        let old = place
            .get()
            .map(|whole| whole.each_ref().map(|whole| self.part.get(whole)));
        if old.is_some() || depends {
            put(place.make(unset));
        }
        all.get::<P::Kind>().push_part(old);
    }
    fn restore_tangents<const N: usize>(
        &self,
        all: &mut AllTangents<N>,
    ) -> Option<Option<[Val<P::Kind>; N]>> {
        if !Self::IN_PLACE {
            self.whole().restore_tangents(all);
            return None;
        }
        let old = all.get::<P::Kind>().pop_part();
        let place = all.get::<K>().at(self.id);
        match old {
            Some(old) => {
                let whole = place.make(|| unreachable!("the whole has tangents if its part does"));
                for (whole, old) in whole.iter_mut().zip(old) {
                    self.part.put(whole, old);
                }
            }
            None if K::Policy::STORAGE => {
                *place = TangentStorage::new(None, || unreachable!("no zero is needed"))
            }
            None => {}
        }
        None
    }
    fn undo(&self, lhs: &[u8], walk: &mut StatementCursor<'_, '_>, tag: u32) {
        match Self::IN_PLACE {
            true => walk.sweep.owned::<K>(self.id).undo_part(tag),
            false => self.whole().undo(&lhs[..Self::WHOLE], walk, tag),
        }
    }
    fn show(&self, to: &mut dyn FnMut(NamedId, bool)) {
        to(NamedId::of::<K>(self.id), self.id != self.before);
    }
    fn show_rest(&self, to: &mut dyn FnMut(NamedId)) {
        if self.id != self.before && self.before != NONE {
            to(NamedId::of::<K>(self.before));
        }
    }
}

pub(crate) struct Targets<K, T>(Vec<T>, PhantomData<K>);
impl<K: Kind, T: Target<K>> Targets<K, T> {
    pub(crate) fn bytes(count: usize) -> usize {
        count * T::FIXED + <Self as Target<List<K>>>::FIXED
    }
    pub(crate) fn write_count(lhs: &mut [u8], count: usize) {
        let at = lhs.len() - <Self as Target<List<K>>>::FIXED;
        let count = u32::try_from(count).expect("a list has fewer than 2^32 identifiers");
        lhs[at..].copy_from_slice(&count.to_ne_bytes());
    }
    fn count(lhs: &[u8]) -> usize {
        let at = lhs.len() - <Self as Target<List<K>>>::FIXED;
        bytemuck::pod_read_unaligned::<u32>(&lhs[at..]) as usize
    }
    fn element(i: usize) -> Range<usize> {
        i * T::FIXED..(i + 1) * T::FIXED
    }
}
impl<K: Kind, T: Target<K>> Target<List<K>> for Targets<K, T> {
    const FIXED: usize = 4;
    const DYNAMIC: bool = true;
    fn more(fixed: &[u8]) -> usize {
        Self::count(fixed) * T::FIXED
    }
    const RESTORES: bool = T::RESTORES;
    fn load(lhs: &[u8], walk: &mut StatementCursor<'_, '_>) -> Self {
        let each = (0..Self::count(lhs)).rev();
        let mut targets: Vec<_> = each
            .map(|i| T::load(&lhs[Self::element(i)], walk))
            .collect();
        targets.reverse();
        Targets(targets, PhantomData)
    }
    fn load_forward(lhs: &[u8], walk: &mut StatementCursor<'_, '_>) -> Self {
        let each = 0..Self::count(lhs);
        let each = each.map(|i| T::load_forward(&lhs[Self::element(i)], walk));
        Targets(each.collect(), PhantomData)
    }
    fn take_adjoint(&self, sweep: &mut impl Sweep) -> Vec<K::Adjoint> {
        let each = self.0.iter().rev();
        let mut adjoints: Vec<_> = each.map(|t| t.take_adjoint(sweep)).collect();
        adjoints.reverse();
        adjoints
    }
    fn result(&self, walk: &mut StatementCursor<'_, '_>) -> Rc<Vec<TapeValue<K>>> {
        let each = self.0.iter().map(|t| t.result(walk));
        Rc::new(each.collect())
    }
    fn exchange(&self, lhs: &mut [u8], walk: &mut StatementCursor<'_, '_>) {
        if T::RESTORES {
            for (i, target) in self.0.iter().enumerate() {
                target.exchange(&mut lhs[Self::element(i)], walk);
            }
        }
    }
    fn set_tangents<const N: usize>(
        &self,
        tangents: Option<[Vec<TapeValue<K>>; N]>,
        all: &mut AllTangents<N>,
        sweep: &mut impl Sweep,
    ) {
        for (i, target) in self.0.iter().enumerate() {
            let of = |list: &Vec<TapeValue<K>>| list[i].peek().clone();
            let tangents = tangents.as_ref().map(|t| t.each_ref().map(of));
            target.set_tangents(tangents, all, sweep);
        }
    }
    fn restore_tangents<const N: usize>(
        &self,
        all: &mut AllTangents<N>,
    ) -> Option<Option<[Vec<TapeValue<K>>; N]>> {
        for target in self.0.iter().rev() {
            target.restore_tangents(all);
        }
        None
    }
    fn undo(&self, lhs: &[u8], walk: &mut StatementCursor<'_, '_>, tag: u32) {
        for (i, target) in self.0.iter().enumerate() {
            target.undo(&lhs[Self::element(i)], walk, tag);
        }
    }
    fn show(&self, to: &mut dyn FnMut(NamedId, bool)) {
        self.0.iter().for_each(|t| t.show(to));
    }
    fn show_rest(&self, to: &mut dyn FnMut(NamedId)) {
        self.0.iter().for_each(|t| t.show_rest(to));
    }
}

macro_rules! several { ($($($K:ident $T:ident $i:tt)*: $($R:ident $j:tt)*;)*) => { $(
    #[allow(non_snake_case)]
    impl<$($K: Kind, $T: Target<$K>),*> Target<($($K,)*)> for ($($T,)*) {
        const FIXED: usize = 0 $(+ $T::FIXED)*;
        const RESTORES: bool = false $(|| $T::RESTORES)*;
        fn load(lhs: &[u8], walk: &mut StatementCursor<'_, '_>) -> Self {
            // The last identifier comes first on the way back.
            let mut at = lhs.len();
            $(let $R = { let end = at; at -= $R::FIXED; $R::load(&lhs[at..end], walk) };)*
            ($($T,)*)
        }
        fn load_forward(lhs: &[u8], walk: &mut StatementCursor<'_, '_>) -> Self {
            let mut at = 0;
            ($({ let start = at; at += $T::FIXED; $T::load_forward(&lhs[start..at], walk) },)*)
        }
        fn take_adjoint(&self, sweep: &mut impl Sweep) -> ($($K::Adjoint,)*) {
            // A sweep takes linear adjoints in descending order.
            $(let $R = self.$j.take_adjoint(sweep);)*
            ($($T,)*)
        }
        fn result(&self, walk: &mut StatementCursor<'_, '_>) -> ($(Val<$K>,)*) { ($(self.$i.result(walk).into_inner(),)*) }
        fn exchange(&self, lhs: &mut [u8], walk: &mut StatementCursor<'_, '_>) {
            let mut at = 0;
            $({ let start = at; at += $T::FIXED; self.$i.exchange(&mut lhs[start..at], walk); })*
            let _ = at;
        }
        fn set_tangents<const N: usize>(
            &self,
            tangents: Option<[Val<($($K,)*)>; N]>,
            all: &mut AllTangents<N>,
            sweep: &mut impl Sweep,
        ) {
            $({
                let tangents = tangents.as_ref().map(|t| t.each_ref().map(|t| t.$i.clone()));
                self.$i.set_tangents(tangents, all, sweep);
            })*
        }
        fn restore_tangents<const N: usize>(
            &self,
            all: &mut AllTangents<N>,
        ) -> Option<Option<[Val<($($K,)*)>; N]>> {
            $(self.$j.restore_tangents(all);)*
            None
        }
        fn undo(&self, lhs: &[u8], walk: &mut StatementCursor<'_, '_>, tag: u32) {
            let mut at = 0;
            $({ let start = at; at += $T::FIXED; self.$i.undo(&lhs[start..at], walk, tag); })*
            let _ = at;
        }
        fn show(&self, to: &mut dyn FnMut(NamedId, bool)) { $(self.$i.show(to);)* }
        fn show_rest(&self, to: &mut dyn FnMut(NamedId)) { $(self.$i.show_rest(to);)* }
    }
)* } }
several! {
    A S 0 B T 1: T 1 S 0;
    A S 0 B T 1 C U 2: U 2 T 1 S 0;
    A S 0 B T 1 C U 2 D V 3: V 3 U 2 T 1 S 0;
    A S 0 B T 1 C U 2 D V 3 E W 4: W 4 V 3 U 2 T 1 S 0;
    A S 0 B T 1 C U 2 D V 3 E W 4 F X 5: X 5 W 4 V 3 U 2 T 1 S 0;
    A S 0 B T 1 C U 2 D V 3 E W 4 F X 5 G Y 6: Y 6 X 5 W 4 V 3 U 2 T 1 S 0;
    A S 0 B T 1 C U 2 D V 3 E W 4 F X 5 G Y 6 H Z 7: Z 7 Y 6 X 5 W 4 V 3 U 2 T 1 S 0;
}
