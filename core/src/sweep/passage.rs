//! A walk over statements.
use super::{
    access::{Access, Reals},
    lending::Lending,
    next::Next,
};
use crate::{
    kind::Kind,
    storage::Pairs,
    store::{Adjoints, AdjointsOf, AnyAdjoints, AnyValues, Memory, Stacks},
};

/// A recording and the adjoints of a sweep, while there is a walk over its statements.
pub struct Passage<'t> {
    reals: Reals<'t>,
    /// Where the adjoints of reals belong, which go back there at the end.
    home: &'t mut AdjointsOf<f64>,
    others: Pairs<'t, dyn AnyValues, dyn AnyAdjoints>,
    huge_pages: bool,
    lending: &'t mut Lending,
    stacks: &'t mut Stacks,
}
impl<'t> Passage<'t> {
    pub(crate) fn new(
        memory: &'t mut Memory,
        adjoints: &'t mut Adjoints,
        lending: &'t mut Lending,
    ) -> Self {
        let huge_pages = memory.values.huge_pages();
        let (home, other_adjoints) = adjoints.apart();
        let (real_values, others) = memory.values.apart(other_adjoints);
        let (values, owned) = real_values.slots();
        Passage {
            reals: Reals {
                values,
                owned,
                adjoints: std::mem::take(home),
            },
            home,
            others,
            huge_pages,
            lending,
            stacks: &mut memory.stacks,
        }
    }
    /// For the statements of a batch.
    #[inline(always)]
    pub(crate) fn batch<'p, K: Kind>(&'p mut self, next: &'p mut Next<K>) -> Walk<'p, 't> {
        let mut walk = self.walk();
        walk.sweep.next = Some(next);
        walk
    }
    /// For one statement.
    #[inline(always)]
    pub(crate) fn walk(&mut self) -> Walk<'_, 't> {
        Walk {
            sweep: Access {
                reals: &mut self.reals,
                others: self.others.local(),
                huge_pages: self.huge_pages,
                lending: self.lending,
                next: None,
            },
            stacks: self.stacks,
        }
    }
}
impl Drop for Passage<'_> {
    fn drop(&mut self) {
        std::mem::swap(self.home, &mut self.reals.adjoints);
    }
}

/// A recording and the adjoints of a sweep, while one statement is walked over.
pub struct Walk<'p, 't> {
    pub(crate) sweep: Access<'p, 't>,
    pub(crate) stacks: &'p mut Stacks,
}
