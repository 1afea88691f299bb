//! Adjoints within a batch of equal statements.
//!
//! A statement usually adds to the adjoint that the previous statement on the tape takes, as in `z = z * z + c`. If
//! these adjoints were in memory, each step of the sweep would depend on an adjoint being stored and loaded again. A
//! batch therefore takes the adjoint of its next statement in advance, and adds contributions to it in
//! registers.
use crate::{
    kind::{Adjoint, Kind, NONE},
    store::AdjointsOf,
};

/// The adjoint that the next statement of a batch takes, and its identifier; unset before the first statement.
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
    /// Returns the adjoint of `id`, for this statement, and the adjoint for the previous statement on the tape.
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
