//! The heap memory of shared values.

/// The allocator's overhead for an allocation: a header, and the rounding of the size.
pub(crate) const OVERHEAD: usize = 16;
/// Returns the bytes of a value in a reference-counted allocation: its size, the bytes that it owns on the heap, and
/// the overhead of the allocation.
#[inline(always)]
pub(crate) const fn shared_bytes<V>(owned: usize) -> usize {
    let owned = if owned > 0 { owned + OVERHEAD } else { 0 };
    2 * size_of::<usize>() + size_of::<V>() + OVERHEAD + owned
}
/// Returns these bytes for a value of any size that owns no other memory.
pub(crate) fn shared_bytes_of<V: ?Sized>(value: &V) -> usize {
    2 * size_of::<usize>() + size_of_val(value) + OVERHEAD
}
