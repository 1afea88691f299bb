//! The memory that values own: how much it is, and how it is used again for later values.

/// How the memory of values of type `V` is counted and used again: [`NoMemory`], or a type that
/// [`#[kind]`](macro@crate::kind) makes of the options `bytes`, `recycle`, `extent` and `fetch`.
pub trait Memory<V>: 'static {
    /// Whether values leave their memory to later ones.
    const RECYCLES: bool;
    /// Returns the buffers of a value that nothing needs any more, and leaves it valid but unspecified.
    #[inline(always)]
    fn recycle(value: &mut V) {
        let _ = value;
    }
    /// Bytes that a value owns beside its own. They count for the memory limit of a tape.
    fn bytes(value: &V) -> usize;
    /// Bytes of the buffer of a value that is kept for reuse together with the box in which a tape shares the value; 0 if the two are
    /// kept apart, by [`recycle`](Self::recycle).
    #[inline(always)]
    fn extent(value: &V) -> usize {
        let _ = value;
        0
    }
    /// Prefetches the memory of a value that is read or written soon: a hint.
    #[inline(always)]
    fn prefetch(value: &V) {
        let _ = value;
    }
}
/// Values own no memory.
#[derive(Clone, Copy, Debug)]
pub struct NoMemory;
impl<V> Memory<V> for NoMemory {
    const RECYCLES: bool = false;
    #[inline(always)]
    fn bytes(_: &V) -> usize {
        0
    }
}
