//! Targets: the left-hand sides of statements.
//!
//! | target | bytes | saved |
//! |---|---|---|
//! | [`FreshTarget`] | none: identifiers are consecutive | nothing, because the slot is new |
//! | [`OverwrittenTarget`] | identifier, old value | the slot's value, if an adjoint reads it, or a sweep its shape |
//! | [`PartTarget`] | identifier, part, old part | the part's value, if an adjoint reads the slot |
//! | tuples | the bytes of the outputs | the saved values of the outputs |
//! | [`Targets`] | the bytes of the elements, and their number | the saved values of the elements |
use crate::{
    formula::Formula,
    kind::{
        Encoding, FreelyCopied, Kind, List, Ownership, Policy, TangentStorage, TapeCell, TapeValue,
        Unique, Val, bytes_of, recycle,
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
    /// Whether a whole variable owns its identifier; `None` for a part or several targets.
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
    /// Restores the former tangents. Returns the tangents of the target if it stores them separately; the inner `None` means
    /// zero.
    fn restore_tangents<const N: usize>(
        &self,
        all: &mut AllTangents<N>,
    ) -> Option<Option<[Val<K>; N]>>;
    /// Notes that the statement is removed: variables with a tag below `tag` lose the identifier, and the slot is read if it
    /// was read before.
    fn undo(&self, lhs: &[u8], walk: &mut StatementCursor<'_, '_>, tag: u32);
    fn show(&self, to: &mut dyn FnMut(NamedId, bool));
}

pub(crate) trait NewTarget<K: Kind>: Target<K> {
    /// Writes the target with an identifier, `old` if possible. `read` is whether an adjoint reads the value. The caller has
    /// reserved memory.
    fn create(
        memory: &mut RecordedValues,
        lhs: &mut [u8],
        old: Option<u32>,
        value: TapeValue<K>,
        read: bool,
    ) -> u32;
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

/// The whole value of a variable. Copied identifiers are consecutive and take no bytes. An owned identifier is the variable's
/// current one or a new one, and the value in its slot is saved if an adjoint reads it. On a tape with sweeps along directions,
/// which read shapes, a value is also saved if the next one in its slot has another shape.
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
impl<K: Kind, W: Ownership> NewTarget<K> for WholeTarget<K, W> {
    fn create(
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

pub(crate) struct PartTarget<K, P>(u32, P, PhantomData<K>);
impl<K: Kind, P: Part<K>> PartTarget<K, P> {
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
}
impl<K: Kind, P: Part<K>> Target<P::Kind> for PartTarget<K, P> {
    const FIXED: usize = Self::AT + <P::Kind as Kind>::Encoding::BYTES;
    const RESTORES: bool = true;
    fn load(lhs: &[u8], walk: &mut StatementCursor<'_, '_>) -> Self {
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
        PartTarget(id_of(lhs), part, PhantomData)
    }
    fn load_forward(lhs: &[u8], walk: &mut StatementCursor<'_, '_>) -> Self {
        Self::load(lhs, walk)
    }
    fn take_adjoint(&self, sweep: &mut impl Sweep) -> <P::Kind as Kind>::Adjoint {
        sweep.take_part::<K, P>(self.0, &self.1)
    }
    fn result(&self, walk: &mut StatementCursor<'_, '_>) -> TapeValue<P::Kind> {
        TapeCell::new(self.1.get(walk.sweep.primal::<K>(self.0).peek()))
    }
    fn exchange(&self, lhs: &mut [u8], walk: &mut StatementCursor<'_, '_>) {
        if is_saved(lhs) {
            let StatementCursor { sweep, stacks } = walk;
            let whole = sweep.slot::<K>(self.0).edit();
            let mut cell = TapeCell::new(self.1.get(whole));
            let kept = &mut lhs[Self::AT..];
            <P::Kind as Kind>::Encoding::exchange(&mut cell, kept, |place, cell| {
                std::mem::swap(stacks.at(place), cell)
            });
            self.1.put(whole, cell.into_inner());
        }
    }
    fn set_tangents<const N: usize>(
        &self,
        tangents: Option<[Val<P::Kind>; N]>,
        all: &mut AllTangents<N>,
        sweep: &mut impl Sweep,
    ) {
        let whole = sweep.primal::<K>(self.0);
        let place = all.get::<K>().at(self.0);
        let old = place
            .get()
            .map(|whole| whole.each_ref().map(|whole| self.1.get(whole)));
        if old.is_some() || tangents.is_some() {
            let none = || <P::Kind as Kind>::unset_tangent(&self.1.get(whole.peek()));
            let each = place.make(|| K::unset_tangent(whole.peek()));
            for (j, whole) in each.iter_mut().enumerate() {
                let tangent = tangents.as_ref().map(|t| t[j].clone());
                self.1.put(whole, tangent.unwrap_or_else(none));
            }
        }
        all.get::<P::Kind>().push_part(old);
    }
    fn restore_tangents<const N: usize>(
        &self,
        all: &mut AllTangents<N>,
    ) -> Option<Option<[Val<P::Kind>; N]>> {
        let old = all.get::<P::Kind>().pop_part();
        all.get::<K>().restore_part(self.0, &self.1, old);
        None
    }
    fn undo(&self, _: &[u8], walk: &mut StatementCursor<'_, '_>, tag: u32) {
        walk.sweep.owned::<K>(self.0).undo_part(tag);
    }
    fn show(&self, to: &mut dyn FnMut(NamedId, bool)) {
        to(NamedId::of::<K>(self.0), false);
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
        // The last identifier was assigned last.
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
        // Sweeps take linear adjoints in descending order.
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
}

macro_rules! several { ($($($K:ident $T:ident $i:tt)*: $($R:ident $j:tt)*;)*) => { $(
    #[allow(non_snake_case)]
    impl<$($K: Kind, $T: Target<$K>),*> Target<($($K,)*)> for ($($T,)*) {
        const FIXED: usize = 0 $(+ $T::FIXED)*;
        const RESTORES: bool = false $(|| $T::RESTORES)*;
        fn load(lhs: &[u8], walk: &mut StatementCursor<'_, '_>) -> Self {
            // The last identifier was assigned last, so it comes first on the way back.
            let mut at = lhs.len();
            $(let $R = { let end = at; at -= $R::FIXED; $R::load(&lhs[at..end], walk) };)*
            ($($T,)*)
        }
        fn load_forward(lhs: &[u8], walk: &mut StatementCursor<'_, '_>) -> Self {
            let mut at = 0;
            ($({ let start = at; at += $T::FIXED; $T::load_forward(&lhs[start..at], walk) },)*)
        }
        fn take_adjoint(&self, sweep: &mut impl Sweep) -> ($($K::Adjoint,)*) {
            // The last identifier first, because a sweep takes linear adjoints in descending order.
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
