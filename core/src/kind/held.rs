//! Values that a tape holds, and where their memory goes.
use super::{
    definition::{Cell, Kind, Val},
    index::{Hold, Policy},
    memory::Memory,
};
use crate::storage::shared_bytes;

/// Bytes of a value beside the handle of it that a tape holds: none of a value kind.
#[inline(always)]
pub(crate) fn bytes_of<K: Kind>(cell: &Cell<K>) -> usize {
    match K::Policy::STORAGE {
        true => shared_bytes::<Val<K>>(K::Memory::bytes(cell.peek())),
        false => 0,
    }
}
/// Gives the memory of a value that a tape drops back to its kind.
pub(crate) fn recycle<K: Kind>(cell: Cell<K>) {
    leave::<K, _>(cell);
}
/// The same of a value that a tape or a variable holds.
pub(crate) fn leave<K: Kind, H: Hold<Val<K>>>(mut held: H) {
    if K::Memory::RECYCLES
        && let Some(value) = held.sole()
    {
        let extent = K::Memory::extent(value);
        if extent == 0 {
            K::Memory::recycle(value);
        }
        held.leave(extent);
    }
}
/// A value as a tape holds it, in a box that was kept for reuse if there is one.
#[inline]
pub(crate) fn hold<K: Kind>(value: Val<K>) -> Cell<K> {
    let extent = K::Memory::extent(&value);
    if extent > 0
        && let Some(mut cell) = <Cell<K> as Hold<Val<K>>>::waiting(extent, K::Memory::prefetch)
        && let Some(place) = cell.sole()
    {
        K::Memory::recycle(&mut std::mem::replace(place, value));
        return cell;
    }
    Hold::hold(value)
}
