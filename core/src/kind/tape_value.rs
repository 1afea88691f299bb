//! Values held by a tape, and the reuse of their memory.
use super::{
    definition::{Kind, TapeValue, Val},
    index::Policy,
    memory::Memory,
    tape_cell::{TapeCell, VariableCell},
};
use crate::storage::shared_bytes;

#[inline(always)]
pub(crate) fn bytes_of<K: Kind>(cell: &TapeValue<K>) -> usize {
    match K::Policy::STORAGE {
        true => shared_bytes::<Val<K>>(K::Memory::bytes(TapeCell::peek(cell))),
        false => 0,
    }
}
pub(crate) fn recycle<K: Kind>(mut cell: TapeValue<K>) {
    if K::Memory::RECYCLES
        && let Some(value) = TapeCell::sole(&mut cell)
    {
        let extent = extent_left::<K>(value);
        TapeCell::leave(cell, extent);
    }
}
#[inline(always)]
pub(crate) fn recycle_some<K: Kind>(value: Option<Val<K>>) {
    if K::Memory::RECYCLES
        && let Some(mut value) = value
    {
        K::Memory::recycle(&mut value);
    }
}
/// Returns the bytes that a value keeps in its allocation, or recycles its memory and returns 0.
fn extent_left<K: Kind>(value: &mut Val<K>) -> usize {
    let extent = K::Memory::extent(value);
    if extent == 0 {
        K::Memory::recycle(value);
    }
    extent
}
pub(crate) fn leave<K: Kind, H: VariableCell<Val<K>>>(mut held: H) {
    if K::Memory::RECYCLES
        && let Some(value) = held.sole()
    {
        let extent = extent_left::<K>(value);
        held.leave(extent);
    }
}
#[inline]
pub(crate) fn new_cell<K: Kind>(value: Val<K>) -> TapeValue<K> {
    let extent = K::Memory::extent(&value);
    if extent > 0
        && let Some(mut cell) =
            <TapeValue<K> as TapeCell<Val<K>>>::waiting(extent, K::Memory::prefetch)
        && let Some(place) = TapeCell::sole(&mut cell)
    {
        K::Memory::recycle(&mut std::mem::replace(place, value));
        return cell;
    }
    TapeCell::new(value)
}
