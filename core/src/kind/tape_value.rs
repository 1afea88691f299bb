//! Values that a tape holds, and where their memory goes.
use super::{
    definition::{Kind, TapeValue, Val},
    index::{Policy, TapeCell},
    memory::Memory,
    tangents::VariableCell,
};
use crate::storage::shared_bytes;

/// Bytes of a value in addition to the `TapeValue` of it: none of a value kind.
#[inline(always)]
pub(crate) fn bytes_of<K: Kind>(cell: &TapeValue<K>) -> usize {
    match K::Policy::STORAGE {
        true => shared_bytes::<Val<K>>(K::Memory::bytes(TapeCell::peek(cell))),
        false => 0,
    }
}
/// Gives the memory of a value that a tape drops back to its kind.
pub(crate) fn recycle<K: Kind>(mut cell: TapeValue<K>) {
    if K::Memory::RECYCLES
        && let Some(value) = TapeCell::sole(&mut cell)
    {
        let extent = extent_left::<K>(value);
        TapeCell::leave(cell, extent);
    }
}
/// Gives the memory of a value that nothing needs any more back to its kind.
#[inline(always)]
pub(crate) fn recycle_some<K: Kind>(value: Option<Val<K>>) {
    if K::Memory::RECYCLES
        && let Some(mut value) = value
    {
        K::Memory::recycle(&mut value);
    }
}
/// The bytes that a dropped value keeps in its box; the memory of one that keeps none returns to its kind.
fn extent_left<K: Kind>(value: &mut Val<K>) -> usize {
    let extent = K::Memory::extent(value);
    if extent == 0 {
        K::Memory::recycle(value);
    }
    extent
}
/// The same of a value that a tape or a variable holds.
pub(crate) fn leave<K: Kind, H: VariableCell<Val<K>>>(mut held: H) {
    if K::Memory::RECYCLES
        && let Some(value) = held.sole()
    {
        let extent = extent_left::<K>(value);
        held.leave(extent);
    }
}
/// A value as a tape holds it, in a box that was kept for reuse if there is one.
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
