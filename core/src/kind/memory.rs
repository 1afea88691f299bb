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
    /// The size in bytes of the value's buffer if it is to be kept together with the box around the value, or 0.
    ///
    /// A tape shares a value of a storage kind in a box. When nothing needs the value any more, there are two ways to keep its memory for later
    /// values: box and buffer as they are, for a value whose buffer has the same size; or the buffer by itself, which
    /// [`recycle`](Self::recycle) gives to a pool, and the box without one. The former is faster and suits small values; the latter lets values of all
    /// sorts use the memory of large ones. The option `extent` of [`#[kind]`](macro@crate::kind) decides: a size other than 0 means the
    /// former.
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
