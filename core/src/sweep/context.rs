//! A walk over statements.
use super::{
    access::{AllColumns, RealColumns, StatementValues},
    next::Next,
    scratch::ScratchPool,
};
use crate::{
    kind::Kind,
    storage::PairedTypeMaps,
    store::{AdjointStore, AdjointsOf, RecordedValues, Stacks},
};

/// A recording and the adjoints of a sweep during a walk.
pub struct SweepContext<'t> {
    columns: AllColumns<'t>,
    home: &'t mut AdjointsOf<f64>,
    stacks: &'t mut Stacks,
}
debug_by_name! { ['t] SweepContext<'t> }
impl<'t> SweepContext<'t> {
    pub(crate) fn new(
        memory: &'t mut RecordedValues,
        adjoints: &'t mut AdjointStore,
        scratch: &'t mut ScratchPool,
    ) -> Self {
        let huge_pages = memory.values.huge_pages();
        let (home, adjoints) = adjoints.apart();
        let (reals, values) = memory.values.apart();
        let (slots, owned) = reals.slots();
        let reals = RealColumns {
            values: slots,
            owned,
            adjoints: std::mem::take(home),
            scratch,
        };
        SweepContext {
            columns: PairedTypeMaps::new(values, adjoints, huge_pages, reals),
            home,
            stacks: &mut memory.stacks,
        }
    }
    #[inline(always)]
    pub(crate) fn batch<'p, K: Kind>(
        &'p mut self,
        next: &'p mut Next<K>,
    ) -> StatementCursor<'p, 't> {
        StatementCursor {
            sweep: StatementValues::new(&mut self.columns, Some(next)),
            stacks: self.stacks,
        }
    }
    #[inline(always)]
    pub(crate) fn walk(&mut self) -> StatementCursor<'_, 't> {
        StatementCursor {
            sweep: StatementValues::new(&mut self.columns, None),
            stacks: self.stacks,
        }
    }
}
pub(crate) struct NumberColumns<'p> {
    pub(crate) values: &'p [f64],
    pub(crate) adjoints: &'p mut AdjointsOf<f64>,
    pub(crate) stacks: &'p mut Stacks,
}
impl RealColumns<'_> {
    #[inline(always)]
    fn numbers<'p>(&'p mut self, stacks: &'p mut Stacks) -> NumberColumns<'p> {
        NumberColumns {
            values: self.values,
            adjoints: &mut self.adjoints,
            stacks,
        }
    }
}
impl SweepContext<'_> {
    #[inline(always)]
    pub(crate) fn numbers(&mut self) -> NumberColumns<'_> {
        self.columns.extra().numbers(self.stacks)
    }
}
impl StatementCursor<'_, '_> {
    #[inline(always)]
    pub(crate) fn numbers(&mut self) -> NumberColumns<'_> {
        self.sweep.reals().numbers(self.stacks)
    }
}
impl Drop for SweepContext<'_> {
    fn drop(&mut self) {
        std::mem::swap(self.home, &mut self.columns.extra().adjoints);
    }
}

/// A [`SweepContext`] while one statement is processed.
pub struct StatementCursor<'p, 't> {
    pub(crate) sweep: StatementValues<'p, 't>,
    pub(crate) stacks: &'p mut Stacks,
}
debug_by_name! { ['p, 't] StatementCursor<'p, 't> }
