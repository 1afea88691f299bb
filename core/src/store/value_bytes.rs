//! The memory of values held by reference. The count may be too high: values in several positions count again unless
//! recently seen. Before a tape is declared full, values are counted exactly.
use std::ptr;

pub(crate) struct ValueBytes {
    held: usize,
    twice: usize,
    most: usize,
    /// Recently counted addresses, which are stable on a stack.
    known: [*const (); KNOWN],
}
/// Suffices for passive matrices read in each step.
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
    #[inline(always)]
    pub(crate) fn held(&self) -> usize {
        self.held
    }
    #[inline(always)]
    pub(crate) fn are_many(&self) -> bool {
        self.held > self.most
    }
    pub(crate) fn allow(&mut self, more: usize) {
        self.most = self.held.saturating_add(more);
    }
    #[inline(always)]
    pub(crate) fn add(&mut self, bytes: usize) {
        self.held += bytes;
    }
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
    #[inline(always)]
    pub(crate) fn exchange(&mut self, more: usize, less: usize) {
        if self.twice == 0 {
            self.held = (self.held + more).wrapping_sub(less);
        } else {
            self.add(more);
            self.remove(less);
        }
    }
    #[cold]
    #[inline(never)]
    pub(crate) fn remove(&mut self, bytes: usize) {
        let again = bytes.min(self.twice);
        self.twice -= again;
        self.held = self.held.saturating_sub(bytes - again);
    }
    pub(crate) fn found(&mut self, bytes: usize) {
        self.twice += self.held.saturating_sub(bytes);
        self.held = bytes;
    }
    /// When values leave the stacks, others may get their addresses.
    pub(crate) fn forget_places(&mut self) {
        self.known = [ptr::null(); KNOWN];
    }
    pub(crate) fn clear(&mut self) {
        self.forget_places();
        (self.held, self.twice, self.most) = (0, 0, usize::MAX);
    }
}
