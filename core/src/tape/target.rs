//! Targets: the left-hand sides of stored statements.
//!
//! | target | bytes | what is saved |
//! |---|---|---|
//! | [`Fresh`] | none: the identifier below the last | nothing, the slot is new |
//! | [`Kept`] | identifier, old value | the slot's value, if an adjoint reads it |
//! | [`PartTarget`] | identifier, part, old part | the part's value, if an adjoint reads the slot |
use super::{
    block::{Reader, Writer},
    memory::Memory,
};
use crate::kind::{Adjoint, Cell, Hold, Keep, Kind, Part, Val};
use std::{any::type_name, marker::PhantomData};

/// Marks an identifier whose old value was saved.
const SAVED: u32 = 1 << 31;

/// The left-hand side of a stored statement of kind `K`.
pub trait Target<K: Kind>: Sized + 'static {
    /// Bytes in the statement.
    const FIXED: usize;
    /// Whether a sweep puts old values back.
    const RESTORES: bool;
    /// Reads the target, going backwards over the tape.
    fn load(lhs: &[u8], memory: &mut Memory) -> Self;
    /// Reads the target, going forwards.
    fn load_forth(lhs: &[u8], memory: &mut Memory) -> Self;
    /// Takes the adjoint and resets it.
    fn take_adjoint(&self, memory: &mut Memory) -> K::Adjoint;
    /// The value that the statement gave.
    fn result(&self, memory: &mut Memory) -> Cell<K>;
    /// Exchanges the saved value with the one in the slot.
    fn exchange(&self, lhs: &mut [u8], memory: &mut Memory);
    /// Notes that the statement is forgotten: variables with a tag below `tag` may not use the identifier, and
    /// an adjoint before reads the slot, if one did.
    fn undo(&self, lhs: &[u8], memory: &mut Memory, tag: u32);
    /// Shows kind and identifier.
    fn show(&self, to: &mut dyn FnMut(&'static str, u32));
}

/// A target that a new value gets: a fresh identifier, or the one the variable has.
pub trait NewTarget<K: Kind>: Target<K> {
    /// Gives `value` an identifier, which is that of `old` if it may keep it, and writes the target.
    /// `read` tells whether an adjoint reads the value. Room was made.
    fn create(
        memory: &mut Memory,
        lhs: &mut [u8],
        old: Option<u32>,
        value: &Cell<K>,
        read: bool,
    ) -> u32;
}

/// A new linear identifier: the one after the last.
pub struct Fresh<K>(u32, PhantomData<K>);
impl<K: Kind> Target<K> for Fresh<K> {
    const FIXED: usize = 0;
    const RESTORES: bool = false;
    #[inline(always)]
    fn load(_: &[u8], memory: &mut Memory) -> Self {
        Fresh(memory.stores.get::<K>().cursor_back(1), PhantomData)
    }
    fn load_forth(_: &[u8], memory: &mut Memory) -> Self {
        Fresh(memory.stores.get::<K>().cursor_forth(1), PhantomData)
    }
    #[inline(always)]
    fn take_adjoint(&self, memory: &mut Memory) -> K::Adjoint {
        memory.stores.get::<K>().take_adjoint(self.0)
    }
    #[inline(always)]
    fn result(&self, memory: &mut Memory) -> Cell<K> {
        memory.stores.get::<K>().primal(self.0).clone()
    }
    #[inline(always)]
    fn exchange(&self, _: &mut [u8], _: &mut Memory) {}
    fn undo(&self, _: &[u8], _: &mut Memory, _: u32) {}
    fn show(&self, to: &mut dyn FnMut(&'static str, u32)) {
        to(K::NAME, self.0);
    }
}
impl<K: Kind> NewTarget<K> for Fresh<K> {
    fn create(memory: &mut Memory, _: &mut [u8], _: Option<u32>, value: &Cell<K>, _: bool) -> u32 {
        memory.stores.get::<K>().append(value.clone())
    }
}

fn id_of(lhs: &[u8]) -> u32 {
    let id: u32 = bytemuck::pod_read_unaligned(&lhs[..4]);
    id & !SAVED
}
fn is_saved(lhs: &[u8]) -> bool {
    bytemuck::pod_read_unaligned::<u32>(&lhs[..4]) & SAVED != 0
}
fn write_id(lhs: &mut [u8], id: u32, saved: bool) {
    let id = if saved { id | SAVED } else { id };
    lhs[..4].copy_from_slice(&id.to_ne_bytes());
}

/// An owned identifier whose whole value is written.
pub struct Kept<K>(u32, PhantomData<K>);
impl<K: Kind> Target<K> for Kept<K> {
    const FIXED: usize = 4 + K::Keep::BYTES;
    const RESTORES: bool = true;
    fn load(lhs: &[u8], _: &mut Memory) -> Self {
        Kept(id_of(lhs), PhantomData)
    }
    fn load_forth(lhs: &[u8], memory: &mut Memory) -> Self {
        Self::load(lhs, memory)
    }
    fn take_adjoint(&self, memory: &mut Memory) -> K::Adjoint {
        memory.stores.get::<K>().take_adjoint(self.0)
    }
    fn result(&self, memory: &mut Memory) -> Cell<K> {
        memory.stores.get::<K>().primal(self.0).clone()
    }
    fn exchange(&self, lhs: &mut [u8], memory: &mut Memory) {
        if is_saved(lhs) {
            let Memory { stores, stacks } = memory;
            let slot = stores.get::<K>().primal_mut(self.0);
            K::Keep::exchange(slot, &mut lhs[4..], |place, cell| {
                std::mem::swap(stacks.at(place), cell)
            });
        }
    }
    fn undo(&self, lhs: &[u8], memory: &mut Memory, tag: u32) {
        let store = memory.stores.get::<K>();
        store.undone(self.0, tag);
        store.replace_read(self.0, is_saved(lhs));
    }
    fn show(&self, to: &mut dyn FnMut(&'static str, u32)) {
        to(K::NAME, self.0);
    }
}
impl<K: Kind> NewTarget<K> for Kept<K> {
    fn create(
        memory: &mut Memory,
        lhs: &mut [u8],
        old: Option<u32>,
        value: &Cell<K>,
        read: bool,
    ) -> u32 {
        let Memory { stores, stacks } = memory;
        let store = stores.get::<K>();
        let id = old.unwrap_or_else(|| store.allocate(value.clone()));
        let saved = store.replace_read(id, read);
        let old = std::mem::replace(store.primal_mut(id), value.clone());
        write_id(lhs, id, saved);
        if saved {
            K::Keep::encode(&old, &mut lhs[4..], |cell| stacks.push(cell));
        }
        id
    }
}

/// A part of an owned value.
pub(crate) struct PartTarget<K, P>(u32, P, PhantomData<K>);
impl<K: Kind, P: Part<K>> PartTarget<K, P> {
    const AT: usize = 4 + P::BYTES;
    /// Writes the target; `old` is the part's value before the write.
    pub(crate) fn create(memory: &mut Memory, lhs: &mut [u8], id: u32, part: P, old: Val<P::Kind>) {
        let saved = memory.stores.get::<K>().is_read(id);
        write_id(lhs, id, saved);
        let (head, kept) = lhs.split_at_mut(Self::AT);
        let Memory { stores, stacks } = memory;
        let mut writer = Writer {
            statement: type_name::<P>,
            fixed: &mut head[4..],
            loose: None,
            stacks,
            stores,
        };
        part.stash(&mut writer);
        writer.finish();
        if saved {
            <P::Kind as Kind>::Keep::encode(&Hold::hold(old), kept, |cell| {
                memory.stacks.push(cell)
            });
        }
    }
}
impl<K: Kind, P: Part<K>> Target<P::Kind> for PartTarget<K, P> {
    const FIXED: usize = Self::AT + <P::Kind as Kind>::Keep::BYTES;
    const RESTORES: bool = true;
    fn load(lhs: &[u8], memory: &mut Memory) -> Self {
        let mut reader = Reader {
            statement: type_name::<P>,
            fixed: &lhs[4..Self::AT],
            constants: &[],
            loose: &[],
            mixed: false,
            stacks: &mut memory.stacks,
        };
        let part = P::fetch(&mut reader);
        reader.finish();
        PartTarget(id_of(lhs), part, PhantomData)
    }
    fn load_forth(lhs: &[u8], memory: &mut Memory) -> Self {
        Self::load(lhs, memory)
    }
    fn take_adjoint(&self, memory: &mut Memory) -> <P::Kind as Kind>::Adjoint {
        let whole = memory.stores.get::<K>().adjoint(self.0);
        let mut adjoint = <P::Kind as Kind>::Adjoint::default();
        if !whole.is_unset() {
            let whole = whole.value_mut(|| self.1.zero());
            let part = self.1.get(whole);
            let zero = P::Kind::zero_like(&part);
            self.1.put(whole, zero.clone());
            let sum = adjoint.value_mut(|| zero);
            *sum = part;
        }
        adjoint
    }
    fn result(&self, memory: &mut Memory) -> Cell<P::Kind> {
        Hold::hold(self.1.get(memory.stores.get::<K>().primal(self.0).peek()))
    }
    fn exchange(&self, lhs: &mut [u8], memory: &mut Memory) {
        if is_saved(lhs) {
            let Memory { stores, stacks } = memory;
            let whole = stores.get::<K>().primal_mut(self.0).edit();
            let mut cell = Hold::hold(self.1.get(whole));
            let kept = &mut lhs[Self::AT..];
            <P::Kind as Kind>::Keep::exchange(&mut cell, kept, |place, cell| {
                std::mem::swap(stacks.at(place), cell)
            });
            self.1.put(whole, cell.unhold());
        }
    }
    fn undo(&self, _: &[u8], memory: &mut Memory, tag: u32) {
        memory.stores.get::<K>().undone(self.0, tag);
    }
    fn show(&self, to: &mut dyn FnMut(&'static str, u32)) {
        to(K::NAME, self.0);
    }
}

/// The targets of several outputs.
macro_rules! several { ($($($K:ident $T:ident $i:tt)*;)*) => { $(
    impl<$($K: Kind, $T: Target<$K>),*> Target<($($K,)*)> for ($($T,)*) {
        const FIXED: usize = 0 $(+ $T::FIXED)*;
        const RESTORES: bool = false $(|| $T::RESTORES)*;
        fn load(lhs: &[u8], memory: &mut Memory) -> Self {
            // The last identifier was given last, so it is the first on the way back.
            several!(@back lhs memory; $($T $i)*)
        }
        fn load_forth(lhs: &[u8], memory: &mut Memory) -> Self {
            let mut at = 0;
            ($({ let start = at; at += $T::FIXED; $T::load_forth(&lhs[start..at], memory) },)*)
        }
        fn take_adjoint(&self, memory: &mut Memory) -> ($($K::Adjoint,)*) { ($(self.$i.take_adjoint(memory),)*) }
        fn result(&self, memory: &mut Memory) -> ($(Val<$K>,)*) { ($(self.$i.result(memory).unhold(),)*) }
        fn exchange(&self, lhs: &mut [u8], memory: &mut Memory) {
            let mut at = 0;
            $({ let start = at; at += $T::FIXED; self.$i.exchange(&mut lhs[start..at], memory); })*
            let _ = at;
        }
        fn undo(&self, lhs: &[u8], memory: &mut Memory, tag: u32) {
            let mut at = 0;
            $({ let start = at; at += $T::FIXED; self.$i.undo(&lhs[start..at], memory, tag); })*
            let _ = at;
        }
        fn show(&self, to: &mut dyn FnMut(&'static str, u32)) { $(self.$i.show(to);)* }
    }
)* };
(@back $lhs:ident $memory:ident; $A:ident $a:tt $B:ident $b:tt) => { {
    let (first, second) = $lhs.split_at($A::FIXED);
    let b = $B::load(second, $memory);
    ($A::load(first, $memory), b)
} };
(@back $lhs:ident $memory:ident; $A:ident $a:tt $B:ident $b:tt $C:ident $c:tt) => { {
    let (first, rest) = $lhs.split_at($A::FIXED);
    let (second, third) = rest.split_at($B::FIXED);
    let c = $C::load(third, $memory);
    let b = $B::load(second, $memory);
    ($A::load(first, $memory), b, c)
} };
}
several! { A S 0 B T 1; A S 0 B T 1 C U 2; }
