//! How much heap memory shared values take.

/// What the allocator takes for an allocation beside its bytes: a header, and what the size is rounded up by.
pub(crate) const OVERHEAD: usize = 16;
/// Bytes of a value that is shared by a counted reference: its own, those that it owns on the heap, and the overhead of
/// the box.
#[inline(always)]
pub(crate) const fn shared_bytes<V>(owned: usize) -> usize {
    let owned = if owned > 0 { owned + OVERHEAD } else { 0 };
    2 * size_of::<usize>() + size_of::<V>() + OVERHEAD + owned
}
/// Those of a value of any size, of what it owns nothing.
pub(crate) fn shared_bytes_of<V: ?Sized>(value: &V) -> usize {
    2 * size_of::<usize>() + size_of_val(value) + OVERHEAD
}
