//! The memory owned by values: its size, and its reuse for later values.

/// Measures and reuses the memory of values of type `V`: [`NoMemory`], or a type that [`#[kind]`](macro@crate::kind)
/// generates from the options `bytes`, `recycle`, `extent` and `fetch`.
pub trait Memory<V>: 'static {
    /// Whether later values reuse the memory of values.
    const RECYCLES: bool;
    /// Returns the buffers of a value that is not needed any more to the pool, and leaves it valid but unspecified.
    #[inline(always)]
    fn recycle(value: &mut V) {
        let _ = value;
    }
    /// Returns the bytes that a value owns in addition to its size. They count for the memory limit of a tape.
    fn bytes(value: &V) -> usize;
    /// Returns the size in bytes of the value's buffer if it stays in the allocation that shares the value, or 0.
    ///
    /// A tape shares a value of a storage kind in a reference-counted allocation. When the value is not needed any more, its
    /// memory can be kept for later values in two ways. Either the allocation is pooled with its buffer, for a value with a
    /// buffer of equal size. Or [`recycle`](Self::recycle) returns the buffer to a pool, and the allocation is pooled without a
    /// buffer. The first way is faster and suits small values; with the second one, values of all types can use the memory of
    /// large ones. The option `extent` of [`#[kind]`](macro@crate::kind) decides: a size other than 0 selects the first way.
    #[inline(always)]
    fn extent(value: &V) -> usize {
        let _ = value;
        0
    }
    /// Prefetches the memory of a value that will be read or written soon: a hint.
    #[inline(always)]
    fn prefetch(value: &V) {
        let _ = value;
    }
}
/// For values that do not own memory.
#[derive(Clone, Copy, Debug)]
pub struct NoMemory;
impl<V> Memory<V> for NoMemory {
    const RECYCLES: bool = false;
    #[inline(always)]
    fn bytes(_: &V) -> usize {
        0
    }
}
