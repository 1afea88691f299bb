//! The memory of values that a tape holds by reference: values of storage kinds, and values that statements share.
//!
//! The count costs a few additions for each statement and may be too high: a value that the tape holds in several
//! positions counts for each of them, unless it was counted recently. Before a tape is declared full, the values are
//! counted exactly.
use std::ptr;

/// Bytes of values, including their shared allocations.
pub(crate) struct ValueBytes {
    held: usize,
    /// The number of bytes counted twice, as found by an exact count.
    twice: usize,
    /// The limit beyond which the tape counts exactly.
    most: usize,
    /// The addresses of recently counted values on stacks; a value on a stack keeps its address.
    known: [*const (); KNOWN],
}
/// The number of remembered addresses, for passive matrices that a program reads at each step and the factorizations of
/// a step.
const KNOWN: usize = 64;
impl Default for ValueBytes {
    fn default() -> Self {
        ValueBytes {
            held: 0,
            twice: 0,
            most: usize::MAX,
            known: [ptr::null(); KNOWN],
        }
    }
}
impl ValueBytes {
    /// Returns an upper bound of the bytes.
    #[inline(always)]
    pub(crate) fn held(&self) -> usize {
        self.held
    }
    /// Returns whether there are so many bytes that the tape must count exactly.
    #[inline(always)]
    pub(crate) fn are_many(&self) -> bool {
        self.held > self.most
    }
    /// Sets the number of further bytes before the next exact count.
    pub(crate) fn allow(&mut self, more: usize) {
        self.most = self.held.saturating_add(more);
    }
    /// Counts a value held by the tape.
    #[inline(always)]
    pub(crate) fn add(&mut self, bytes: usize) {
        self.held += bytes;
    }
    /// Counts a value on a stack that may be shared.
    pub(crate) fn add_shared(&mut self, place: Option<*const ()>, bytes: usize) {
        if let Some(place) = place {
            let hash = place
                .addr()
                .wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as usize);
            let known = &mut self.known[hash >> (usize::BITS - KNOWN.ilog2())];
            if *known == place {
                return;
            }
            *known = place;
        }
        self.held += bytes;
    }
    /// Counts a value that replaces another one.
    #[inline(always)]
    pub(crate) fn exchange(&mut self, more: usize, less: usize) {
        if self.twice == 0 {
            self.held = (self.held + more).wrapping_sub(less);
        } else {
            self.add(more);
            self.remove(less);
        }
    }
    /// Subtracts a value that the tape drops.
    #[cold]
    #[inline(never)]
    pub(crate) fn remove(&mut self, bytes: usize) {
        let again = bytes.min(self.twice);
        self.twice -= again;
        self.held = self.held.saturating_sub(bytes - again);
    }
    /// Stores the result of an exact count.
    pub(crate) fn found(&mut self, bytes: usize) {
        self.twice += self.held.saturating_sub(bytes);
        self.held = bytes;
    }
    /// Forgets the remembered addresses: values were removed from the stacks, so the addresses may belong to other
    /// values.
    pub(crate) fn forget_places(&mut self) {
        self.known = [ptr::null(); KNOWN];
    }
    /// Sets the count to zero.
    pub(crate) fn clear(&mut self) {
        self.forget_places();
        (self.held, self.twice, self.most) = (0, 0, usize::MAX);
    }
}
