//! Memory that values own: how much it is, and how it comes back for later values.
use super::{Cell, Hold, Kind, Policy, Val};
use crate::storage::shared_bytes;

/// The memory that the values of kind `K` own: [`NoMemory`], or what [`#[kind]`](macro@crate::kind) makes of the options `bytes`, `recycle`,
/// `extent` and `fetch`.
pub trait Memory<K: Kind>: 'static {
    /// Whether values leave their memory to later ones.
    const RECYCLES: bool;
    /// Returns the buffers of a value that nothing needs any more, and leaves it valid but unspecified.
    #[inline(always)]
    fn recycle(value: &mut Val<K>) {
        let _ = value;
    }
    /// Bytes that a value owns beside its own. They count for the memory limit of a tape.
    fn bytes(value: &Val<K>) -> usize;
    /// Bytes of the buffer of a value that is kept for reuse together with the box in which a tape shares the value; 0 if the two are
    /// kept apart, by [`recycle`](Self::recycle).
    #[inline(always)]
    fn extent(value: &Val<K>) -> usize {
        let _ = value;
        0
    }
    /// Prefetches the memory of a value that is read or written soon: a hint.
    #[inline(always)]
    fn prefetch(value: &Val<K>) {
        let _ = value;
    }
}
/// Values own no memory.
#[derive(Clone, Copy, Debug)]
pub struct NoMemory;
impl<K: Kind> Memory<K> for NoMemory {
    const RECYCLES: bool = false;
    #[inline(always)]
    fn bytes(_: &Val<K>) -> usize {
        0
    }
}

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
