//! The heap memory of shared values.

/// The allocator's header and rounding.
pub(crate) const OVERHEAD: usize = 16;
#[inline(always)]
pub(crate) const fn shared_bytes<V>(owned: usize) -> usize {
    let owned = if owned > 0 { owned + OVERHEAD } else { 0 };
    2 * size_of::<usize>() + size_of::<V>() + OVERHEAD + owned
}
pub(crate) fn shared_bytes_of<V: ?Sized>(value: &V) -> usize {
    2 * size_of::<usize>() + size_of_val(value) + OVERHEAD
}
