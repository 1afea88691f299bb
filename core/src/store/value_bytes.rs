//! How much memory the values have that a tape holds by reference: those of storage kinds, and what statements share.
//!
//! The count is kept with a few additions for each statement and may be too high, as a value that several places of the tape hold
//! counts for each, but for those that were met lately. Before a tape is called full, it looks how much there is.
use std::ptr;

/// Bytes of values, their boxes included.
pub(crate) struct ValueBytes {
    held: usize,
    /// So many of the bytes that were counted before were counted twice, as a look found.
    twice: usize,
    /// The tape looks at its limit when there are more.
    most: usize,
    /// Where values on stacks are that were counted lately; what is on a stack stays where it is.
    known: [*const (); KNOWN],
}
/// So many are known: passive matrices that a program reads at each step, the factorizations of a step.
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
    /// Not less than there are.
    #[inline(always)]
    pub(crate) fn held(&self) -> usize {
        self.held
    }
    /// Whether there are so many that the tape looks at its limit.
    #[inline(always)]
    pub(crate) fn are_many(&self) -> bool {
        self.held > self.most
    }
    /// So many more until then.
    pub(crate) fn allow(&mut self, more: usize) {
        self.most = self.held.saturating_add(more);
    }
    /// A value that the tape holds once more.
    #[inline(always)]
    pub(crate) fn add(&mut self, bytes: usize) {
        self.held += bytes;
    }
    /// The same of one on a stack that others may have, too.
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
    /// A value that the tape holds once more, and another one that it holds once less.
    #[inline(always)]
    pub(crate) fn exchange(&mut self, more: usize, less: usize) {
        if self.twice == 0 {
            self.held = (self.held + more).wrapping_sub(less);
        } else {
            self.add(more);
            self.remove(less);
        }
    }
    /// A value that the tape holds once less.
    #[cold]
    #[inline(never)]
    pub(crate) fn remove(&mut self, bytes: usize) {
        let again = bytes.min(self.twice);
        self.twice -= again;
        self.held = self.held.saturating_sub(bytes - again);
    }
    /// So many there are.
    pub(crate) fn found(&mut self, bytes: usize) {
        self.twice += self.held.saturating_sub(bytes);
        self.held = bytes;
    }
    /// ValueBytes were taken off the stacks: what was known may be elsewhere.
    pub(crate) fn forget_places(&mut self) {
        self.known = [ptr::null(); KNOWN];
    }
    /// There are none.
    pub(crate) fn clear(&mut self) {
        self.forget_places();
        (self.held, self.twice, self.most) = (0, 0, usize::MAX);
    }
}
