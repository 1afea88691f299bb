//! In a batch, a statement such as `z = z * z + c` adds to the adjoint that the previous one takes, in registers.
use crate::{
    kind::{Adjoint, Kind, NONE},
    store::AdjointsOf,
};

/// The adjoint that the next statement takes; unset before the first one.
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
    #[inline(always)]
    pub(crate) fn put_back(self, adjoints: &mut AdjointsOf<K>) {
        if self.id != NONE {
            *adjoints.at(self.id) = self.adjoint;
        }
    }
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
