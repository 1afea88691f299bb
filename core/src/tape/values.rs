//! How much memory the values have that a tape holds by reference: those of storage kinds, and what statements share.
//!
//! The count is kept with a few additions for each statement and may be too high, as a value that several places of the tape hold
//! counts for each. [`Inner::look`](super::Inner::look) finds how much there is, before a tape is called full.
use std::collections::HashSet;

/// Bytes of values, their boxes included.
pub(crate) struct Values {
    held: usize,
    /// So many of the bytes that were counted before were counted twice, as a look found.
    twice: usize,
    /// The tape looks at its limit when there are more.
    most: usize,
    /// Values on stacks that were counted; what is on a stack stays where it is.
    known: HashSet<*const ()>,
}
impl Default for Values {
    fn default() -> Self {
        Values {
            held: 0,
            twice: 0,
            most: usize::MAX,
            known: HashSet::new(),
        }
    }
}
impl Values {
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
        if bytes > 0 && place.is_none_or(|place| self.known.insert(place)) {
            self.held += bytes;
        }
    }
    /// A value that the tape holds once less.
    #[inline(always)]
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
    /// Values were taken off the stacks: what was known may be elsewhere.
    pub(crate) fn forget_places(&mut self) {
        self.known.clear();
    }
    /// There are none.
    pub(crate) fn clear(&mut self) {
        self.known.clear();
        (self.held, self.twice, self.most) = (0, 0, usize::MAX);
    }
}
