/// Measures and reuses memory: [`NoMemory`], or a type that [`#[kind]`](macro@crate::kind) generates from the options `bytes`,
/// `recycle`, `extent` and `fetch`.
pub trait Memory<V>: 'static {
    /// Whether memory is reused.
    const RECYCLES: bool;
    /// Returns buffers to the pool, and leaves the value valid but unspecified.
    #[inline(always)]
    fn recycle(value: &mut V) {
        let _ = value;
    }
    /// Returns the bytes that a value owns, for the memory limit of a tape.
    fn bytes(value: &V) -> usize;
    /// Returns the bytes of a buffer that stays in the shared allocation, or 0.
    ///
    /// A pooled allocation keeps its buffer for a value of equal extent, which suits small values. With an extent of 0,
    /// [`recycle`](Self::recycle) makes the buffer available to values of all types.
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
/// Recycles the memory of values of type `V`, as each kind does for its values.
pub trait Recycle<V>: 'static {
    /// See [`Memory::recycle`].
    fn recycle(value: &mut V);
}
