//! Adjoints in a run of equal statements.
//!
//! Most often a statement adds to the adjoint that the statement before it on the tape takes, as in `z = z * z + c`. Through
//! memory, all of a sweep would wait for one adjoint after the other to be stored and loaded again. So a run takes the adjoint of
//! its next statement beforehand, and what is added to it is added in registers.
use super::stores::{Access, Store};
use crate::kind::{Batch, Kind, NONE};

/// The adjoint that the next statement of a run takes, and its identifier: none before the first statement.
pub(crate) struct Next<K: Kind> {
    id: u32,
    adjoint: K::Adjoint,
}
impl<K: Kind> Default for Next<K> {
    #[inline(always)]
    fn default() -> Self {
        Next {
            id: NONE,
            adjoint: K::Adjoint::default(),
        }
    }
}
impl<K: Kind> Next<K> {
    /// Puts it back where it was taken.
    #[inline(always)]
    pub(crate) fn put_back(self, store: &mut Store<K>) {
        if self.id != NONE {
            *store.adjoint(self.id) = self.adjoint;
        }
    }
}
/// A sweep adds to adjoints in no other way, and takes those of linear identifiers in no other.
impl Access<'_> {
    /// The adjoint that the next statement takes, if this is a run of statements of kind `K`.
    #[inline(always)]
    fn next<K: Kind>(&mut self) -> Option<&mut Next<K>> {
        if !K::Batch::CHAINS {
            return None;
        }
        self.next.as_mut()?.downcast_mut()
    }
    /// Takes the adjoint of a statement.
    #[inline(always)]
    pub(crate) fn take_adjoint<K: Kind>(&mut self, id: u32) -> K::Adjoint {
        let Some(next) = self.next::<K>().map(std::mem::take) else {
            return self.get::<K>().take_adjoint(id);
        };
        let store = self.get::<K>();
        let adjoint = if next.id == id {
            next.adjoint
        } else {
            next.put_back(store);
            store.take_adjoint(id)
        };
        let next = match id.checked_sub(1) {
            Some(id) => Next {
                id,
                adjoint: store.take_adjoint(id),
            },
            None => Next::default(),
        };
        self.set_next::<K>(next);
        adjoint
    }
    /// Adds to the adjoint of an argument.
    #[inline(always)]
    pub(crate) fn add_to_adjoint<K: Kind>(&mut self, id: u32, add: impl FnOnce(&mut K::Adjoint)) {
        // Taken and put back, and `add` in one place: by a choice between references to both it would stay in memory.
        let Some(mut next) = self.next::<K>().map(std::mem::take) else {
            return add(self.get::<K>().adjoint(id));
        };
        let mut other = (next.id != id).then(|| self.get::<K>().adjoint(id));
        let mut sum = match &mut other {
            Some(other) => std::mem::take(*other),
            None => std::mem::take(&mut next.adjoint),
        };
        add(&mut sum);
        match other {
            Some(other) => *other = sum,
            None => next.adjoint = sum,
        }
        self.set_next::<K>(next);
    }
    #[inline(always)]
    fn set_next<K: Kind>(&mut self, next: Next<K>) {
        if let Some(place) = self.next::<K>() {
            *place = next;
        }
    }
}
