//! The memory owned by values: its size, and its reuse for later values.

/// Measures and reuses the memory of values: [`NoMemory`], or a type that [`#[kind]`](macro@crate::kind) generates from the options
/// `bytes`, `recycle`, `extent` and `fetch`.
pub trait Memory<V>: 'static {
    /// Whether memory is reused.
    const RECYCLES: bool;
    /// Returns the buffers of a value to the pool, and leaves it valid but unspecified.
    #[inline(always)]
    fn recycle(value: &mut V) {
        let _ = value;
    }
    /// Returns the bytes that a value owns beside its size, for the memory limit of a tape.
    fn bytes(value: &V) -> usize;
    /// Returns the bytes of a buffer that stays in the allocation that shares the value, or 0.
    ///
    /// An allocation is pooled either with its buffer, for a value with a buffer of equal size, or without, after
    /// [`recycle`](Self::recycle). The first way is faster and suits small values. The second one lets values of all types use large
    /// buffers. An extent other than 0 selects the first way.
    #[inline(always)]
    fn extent(value: &V) -> usize {
        let _ = value;
        0
    }
    /// Prefetches the memory of a value that will be used soon.
    #[inline(always)]
    fn prefetch(value: &V) {
        let _ = value;
    }
}
/// The management of values that do not own memory.
#[derive(Clone, Copy, Debug)]
pub struct NoMemory;
impl<V> Memory<V> for NoMemory {
    const RECYCLES: bool = false;
    #[inline(always)]
    fn bytes(_: &V) -> usize {
        0
    }
}
