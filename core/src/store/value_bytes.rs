//! How much memory the values take that a tape holds by reference: those of storage kinds, and those that statements
//! share.
//!
//! The count costs a few additions for each statement and may be too high: a value that the tape holds in several
//! positions counts for each of them, unless it was counted lately. Before a tape is called full, the values are
//! counted exactly.
use std::ptr;

/// Bytes of values, including their boxes.
pub(crate) struct ValueBytes {
    held: usize,
    /// How many of the bytes that were counted before were counted twice, as an exact count found.
    twice: usize,
    /// If there are more bytes, the tape counts exactly.
    most: usize,
    /// The addresses of values on stacks that were counted lately; a value on a stack stays where it is.
    known: [*const (); KNOWN],
}
/// How many addresses are remembered, for passive matrices that a program reads at each step and the factorizations of
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
    /// An upper bound of the bytes.
    #[inline(always)]
    pub(crate) fn held(&self) -> usize {
        self.held
    }
    /// Whether there are so many bytes that the tape has to count exactly.
    #[inline(always)]
    pub(crate) fn are_many(&self) -> bool {
        self.held > self.most
    }
    /// How many more bytes there may be until then.
    pub(crate) fn allow(&mut self, more: usize) {
        self.most = self.held.saturating_add(more);
    }
    /// Counts a value that the tape holds.
    #[inline(always)]
    pub(crate) fn add(&mut self, bytes: usize) {
        self.held += bytes;
    }
    /// Counts a value on a stack that others may hold, too.
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
    /// Counts a value that the tape holds, and another one that it gives up.
    #[inline(always)]
    pub(crate) fn exchange(&mut self, more: usize, less: usize) {
        if self.twice == 0 {
            self.held = (self.held + more).wrapping_sub(less);
        } else {
            self.add(more);
            self.remove(less);
        }
    }
    /// Counts a value that the tape gives up.
    #[cold]
    #[inline(never)]
    pub(crate) fn remove(&mut self, bytes: usize) {
        let again = bytes.min(self.twice);
        self.twice -= again;
        self.held = self.held.saturating_sub(bytes - again);
    }
    /// Takes over an exact count.
    pub(crate) fn found(&mut self, bytes: usize) {
        self.twice += self.held.saturating_sub(bytes);
        self.held = bytes;
    }
    /// Values were taken off the stacks, so the remembered addresses may be those of others.
    pub(crate) fn forget_places(&mut self) {
        self.known = [ptr::null(); KNOWN];
    }
    /// Sets the count to zero.
    pub(crate) fn clear(&mut self) {
        self.forget_places();
        (self.held, self.twice, self.most) = (0, 0, usize::MAX);
    }
}
