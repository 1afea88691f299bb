//! What shared values take on the heap.

/// What the allocator takes for a piece of memory beside its bytes: a header, and what it is rounded up by.
pub(crate) const OVERHEAD: usize = 16;
/// Bytes of a value that is shared by a counted reference: its own, those that it owns, and what the box takes.
#[inline(always)]
pub(crate) const fn shared_bytes<V>(owned: usize) -> usize {
    let owned = if owned > 0 { owned + OVERHEAD } else { 0 };
    2 * size_of::<usize>() + size_of::<V>() + OVERHEAD + owned
}
