//! Adjoints by identifier.
//!
//! One vector and not pages that come and go with the sweep: those would save the 8 bytes a statement of
//! a real, but each access would look a page up, which was measured to slow a sweep by a fifth.
use crate::{
    error::Error,
    storage::{self, Column},
};
use std::ops::Range;

pub(crate) struct Adjoints<A> {
    all: Column<A>,
    /// Adjoints other than those of inputs may be set.
    dirty: bool,
}
impl<A: Default> Adjoints<A> {
    pub(crate) fn new() -> Self {
        Adjoints {
            all: Column::new(),
            dirty: false,
        }
    }
    pub(crate) fn use_huge_pages(&mut self, huge_pages: bool) {
        self.all.use_huge_pages(huge_pages);
    }
    /// Makes room for `len` identifiers and sets all adjoints to zero.
    pub(crate) fn start(
        &mut self,
        len: usize,
        inputs: &[Range<u32>],
        dirty: bool,
        reset: impl Fn(&mut A),
    ) -> Result<(), Error> {
        if dirty || self.dirty {
            self.all.iter_mut().for_each(reset);
        } else {
            self.reset_inputs(inputs, reset);
        }
        self.dirty = false;
        self.all.truncate(len);
        self.all.resize_with(len, A::default)
    }
    /// Forgets all adjoints; only those of inputs are set, if none is `dirty`.
    pub(crate) fn clear(&mut self, inputs: &[Range<u32>], dirty: bool, reset: impl Fn(&mut A)) {
        self.dirty |= dirty;
        if !self.dirty {
            self.reset_inputs(inputs, reset);
        }
    }
    /// What is left to be done after a whole sweep, which takes every adjoint but those of the inputs.
    fn reset_inputs(&mut self, inputs: &[Range<u32>], reset: impl Fn(&mut A)) {
        for run in inputs {
            let end = (run.end as usize).min(self.all.len());
            if let Some(run) = self.all.get_mut(run.start as usize..end) {
                run.iter_mut().for_each(&reset);
            }
        }
    }
    /// The adjoint of `id`, to be added to.
    #[inline(always)]
    pub(crate) fn at(&mut self, id: u32) -> &mut A {
        &mut self.all[id as usize]
    }
    /// Takes the adjoint of `id` and leaves zero.
    #[inline(always)]
    pub(crate) fn take(&mut self, id: u32) -> A {
        std::mem::take(&mut self.all[id as usize])
    }
    /// Fetches those that a sweep takes some statements after that of `id`.
    #[inline(always)]
    pub(crate) fn prefetch_before(&self, id: u32) {
        storage::prefetch_before(&self.all, id as usize);
    }
    pub(crate) fn get(&self, id: u32) -> Option<&A> {
        self.all.get(id as usize)
    }
    /// Makes room and touches it.
    pub(crate) fn preallocate(&mut self, len: usize) -> Result<(), Error> {
        self.all.resize_with(len, A::default)
    }
    pub(crate) fn iter(&self) -> impl Iterator<Item = &A> {
        self.all.iter()
    }
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.all[..])
    }
    pub(crate) fn allocated(&self) -> usize {
        self.all.allocated()
    }
}
