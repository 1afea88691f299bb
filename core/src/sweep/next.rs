//! Adjoints within a batch of equal statements.
//!
//! Most often a statement adds to the adjoint that the statement before it on the tape takes, as in `z = z * z + c`. If
//! these adjoints went through memory, the whole sweep would wait for one after the other to be stored and loaded
//! again. So a batch takes the adjoint of its next statement beforehand, and contributions to it are added in
//! registers.
use crate::{
    kind::{Adjoint, Kind, NONE},
    store::AdjointsOf,
};

/// The adjoint that the next statement of a batch takes, and its identifier; none before the first statement.
pub(crate) struct Next<K: Kind> {
    pub(super) id: u32,
    pub(super) adjoint: K::Adjoint,
}
impl<K: Kind> Default for Next<K> {
    #[inline(always)]
    fn default() -> Self {
        Next {
            id: NONE,
            adjoint: K::Adjoint::unset(),
        }
    }
}
impl<K: Kind> Next<K> {
    /// Puts the adjoint back where it was taken from.
    #[inline(always)]
    pub(crate) fn put_back(self, adjoints: &mut AdjointsOf<K>) {
        if self.id != NONE {
            *adjoints.at(self.id) = self.adjoint;
        }
    }
    /// The adjoint of `id`, which a statement takes, and the one that the statement before it on the tape will take.
    #[inline(always)]
    pub(super) fn advance(self, adjoints: &mut AdjointsOf<K>, id: u32) -> (K::Adjoint, Self) {
        let adjoint = if self.id == id {
            self.adjoint
        } else {
            self.put_back(adjoints);
            adjoints.take(id)
        };
        let next = match id.checked_sub(1) {
            Some(id) => Next {
                id,
                adjoint: adjoints.take(id),
            },
            None => Next::default(),
        };
        (adjoint, next)
    }
}
