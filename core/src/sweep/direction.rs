//! What statements meet in sweeps along several directions.
use super::{
    access::Access,
    definition::{Loan, ReadValues, Slots, Sweep, sealed},
};
use crate::{
    kind::{Adjoint, Cell, Kind},
    store::{AllTangents, InLoose, Part, TangentsBy, Way},
};

/// Primal values and adjoints, with the tangents of both along `N` directions.
pub struct Directional<'w, 'p, 't, const N: usize> {
    access: &'w mut Access<'p, 't>,
    tangents: &'w mut AllTangents<N>,
    way: Way,
}
debug_by_name! { ['w, 'p, 't, const N: usize] Directional<'w, 'p, 't, N> }
impl<'w, 'p, 't, const N: usize> Directional<'w, 'p, 't, N> {
    #[inline(always)]
    pub(crate) fn new(
        access: &'w mut Access<'p, 't>,
        tangents: &'w mut AllTangents<N>,
        way: Way,
    ) -> Self {
        Directional {
            access,
            tangents,
            way,
        }
    }
    /// The sweep of the adjoints themselves.
    #[inline(always)]
    pub(crate) fn base(&mut self) -> &mut Access<'p, 't> {
        self.access
    }
    /// The sweep of the adjoints of direction `j`.
    #[inline(always)]
    pub(crate) fn along(&mut self, j: usize) -> Direction<'_, 'p, 't, N> {
        Direction {
            access: self.access,
            tangents: self.tangents,
            j,
        }
    }
    /// Whether tangents are those along one side of a kink.
    #[inline(always)]
    pub(crate) fn one_sided(&self) -> bool {
        self.tangents.one_sided
    }
    /// The tangents of a variable.
    #[inline(always)]
    pub(crate) fn tangents<K: Kind>(&mut self, id: u32) -> TangentsBy<K, N> {
        let all = self.tangents.get::<K>();
        all.prefetch_tangents(id, self.way);
        all.get(id).clone()
    }
}

/// The adjoints of one direction.
pub struct Direction<'w, 'p, 't, const N: usize> {
    access: &'w mut Access<'p, 't>,
    tangents: &'w mut AllTangents<N>,
    j: usize,
}
debug_by_name! { ['w, 'p, 't, const N: usize] Direction<'w, 'p, 't, N> }
impl<const N: usize> Direction<'_, '_, '_, N> {
    #[inline(always)]
    fn adjoint<K: Kind>(&mut self, id: u32) -> &mut K::Adjoint {
        let all = self.tangents.get::<K>();
        if self.j == 0 {
            all.prefetch_adjoints(id);
        }
        &mut all.adjoints(id)[self.j]
    }
}
impl<const N: usize> sealed::Slots for Direction<'_, '_, '_, N> {}
impl<const N: usize> Slots for Direction<'_, '_, '_, N> {
    fn loose(&self) -> &[u8] {
        self.access.loose()
    }
    fn slots<K: Kind>(&self) -> &[Cell<K>] {
        self.access.slots::<K>()
    }
}
impl<const N: usize> ReadValues for Direction<'_, '_, '_, N> {
    /// Formulas of tangents read whole values.
    #[inline(always)]
    fn in_place(&self) -> bool {
        false
    }
    #[inline(always)]
    fn primal<K: Kind>(&mut self, id: u32) -> &Cell<K> {
        self.access.primal::<K>(id)
    }
    #[inline(always)]
    fn read<K: Kind>(&mut self, id: u32) -> &Cell<K> {
        self.access.primal::<K>(id)
    }
    fn lend<T: Default + 'static>(&mut self) -> Loan<T> {
        self.access.lend()
    }
}
impl<const N: usize> Sweep for Direction<'_, '_, '_, N> {
    #[inline(always)]
    fn stored<K: Kind>(&mut self, id: u32) -> Option<&Cell<K>> {
        self.access.stored::<K>(id)
    }
    #[inline(always)]
    fn take_adjoint<K: Kind>(&mut self, id: u32) -> K::Adjoint {
        self.adjoint::<K>(id).take()
    }
    #[inline(always)]
    fn take_next<K: Kind>(&mut self, id: u32) -> K::Adjoint {
        self.take_adjoint::<K>(id)
    }
    fn take_part<K: Kind, P: Part<K>>(&mut self, id: u32, part: &P) -> <P::Kind as Kind>::Adjoint {
        part.take(self.adjoint::<K>(id))
    }
    #[inline(always)]
    fn add_to_adjoint<K: Kind>(&mut self, id: u32, add: impl FnOnce(&mut K::Adjoint)) {
        add(self.adjoint::<K>(id));
    }
    fn add_to_all<K: Kind>(&mut self, ids: InLoose, values: impl Iterator<Item = K::Adjoint>) {
        for (&id, value) in ids.ids(self.access.statement_loose()).iter().zip(values) {
            self.adjoint::<K>(u32::from_ne_bytes(id)).merge(value);
        }
    }
    fn take_back<T: 'static>(&mut self, lent: Loan<T>) {
        self.access.take_back(lent);
    }
}
