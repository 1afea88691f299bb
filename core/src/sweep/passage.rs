//! A walk over statements.
use super::{access::Access, lending::Lending, next::Next};
use crate::{
    kind::Kind,
    store::{Adjoints, Columns, Memory, Stacks},
};

/// A recording and the adjoints of a sweep, while there is a walk over its statements.
pub struct Passage<'t> {
    columns: Columns<'t>,
    lending: &'t mut Lending,
    stacks: &'t mut Stacks,
}
impl<'t> Passage<'t> {
    pub(crate) fn new(
        memory: &'t mut Memory,
        adjoints: &'t mut Adjoints,
        lending: &'t mut Lending,
    ) -> Self {
        Passage {
            columns: memory.values.beside(adjoints),
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
        let (values, adjoints) = &mut self.columns.reals;
        Walk {
            sweep: Access {
                reals: (values, adjoints),
                others: self.columns.others.local(),
                huge_pages: self.columns.huge_pages,
                lending: self.lending,
                next: None,
            },
            stacks: self.stacks,
        }
    }
}

/// A recording and the adjoints of a sweep, while one statement is walked over.
pub struct Walk<'p, 't> {
    pub(crate) sweep: Access<'p, 't>,
    pub(crate) stacks: &'p mut Stacks,
}
