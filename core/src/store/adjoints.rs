//! The adjoints of a sweep, one vector for each kind.
use crate::{
    error::Error,
    kind::{Adjoint, Kind, Val},
    storage::{Column, TypeMap, TypeMapEntry},
};
use std::{
    any::{Any, TypeId},
    ops::Range,
};

/// The adjoints of one kind, and the position of a walk.
pub struct AdjointsOf<K: Kind> {
    all: Column<K::Adjoint>,
    dirty: bool,
    /// Linear identifiers below this one precede the position of a walk.
    cursor: u32,
}
debug_by_name! { [K: Kind] AdjointsOf<K> }
impl<K: Kind> AdjointsOf<K> {
    pub(crate) fn start(
        &mut self,
        len: usize,
        inputs: &[Range<u32>],
        dirty: bool,
    ) -> Result<(), Error> {
        if dirty || self.dirty {
            self.all.iter_mut().for_each(Adjoint::reset);
        } else {
            self.reset_inputs(inputs);
        }
        self.dirty = false;
        self.all.truncate(len);
        self.all.resize_with(len, K::Adjoint::unset)
    }
    pub(crate) fn clear(&mut self, inputs: &[Range<u32>], dirty: bool) {
        self.dirty |= dirty;
        if !self.dirty {
            self.reset_inputs(inputs);
        }
    }
    fn reset_inputs(&mut self, inputs: &[Range<u32>]) {
        for run in inputs {
            let end = (run.end as usize).min(self.all.len());
            if let Some(run) = self.all.get_mut(run.start as usize..end) {
                run.iter_mut().for_each(Adjoint::reset);
            }
        }
    }
    #[inline(always)]
    pub(crate) fn at(&mut self, id: u32) -> &mut K::Adjoint {
        &mut self.all[id as usize]
    }
    #[inline(always)]
    pub(crate) fn all(&mut self) -> &mut [K::Adjoint] {
        &mut self.all
    }
    #[inline(always)]
    pub(crate) fn take(&mut self, id: u32) -> K::Adjoint {
        self.all[id as usize].take()
    }
    pub(crate) fn set(&self, id: u32) -> Option<&K::Adjoint> {
        let adjoint = self.all.get(id as usize);
        adjoint.filter(|adjoint| !adjoint.is_unset())
    }
    pub(crate) fn gradient(&self, id: u32, like: impl FnOnce() -> Val<K>) -> Val<K> {
        match self.set(id) {
            Some(adjoint) => gradient::<K>(adjoint, like),
            None => K::zero_like(&like()),
        }
    }
    pub(crate) fn set_cursor(&mut self, cursor: u32) {
        self.cursor = cursor;
    }
    pub(crate) fn cursor(&self) -> u32 {
        self.cursor
    }
    #[inline(always)]
    pub(crate) fn cursor_back(&mut self, n: u32) -> u32 {
        self.cursor -= n;
        self.cursor
    }
    pub(crate) fn cursor_forward(&mut self, n: u32) -> u32 {
        self.cursor += n;
        self.cursor - n
    }
    pub(crate) fn preallocate(&mut self, len: usize) -> Result<(), Error> {
        self.all.resize_with(len, K::Adjoint::unset)
    }
    pub(crate) fn iter(&self) -> impl Iterator<Item = &K::Adjoint> {
        self.all.iter()
    }
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.all[..])
    }
    pub(crate) fn allocated(&self) -> usize {
        self.all.allocated()
    }
    pub(crate) fn held(&self) -> usize {
        self.all.held()
    }
}

pub(super) fn gradient<K: Kind>(adjoint: &K::Adjoint, like: impl FnOnce() -> Val<K>) -> Val<K> {
    let gradient = adjoint.clone().into_gradient();
    gradient.unwrap_or_else(|| K::zero_like(&like()))
}

impl<K: Kind> Default for AdjointsOf<K> {
    fn default() -> Self {
        AdjointsOf {
            all: Column::new(),
            dirty: false,
            cursor: 0,
        }
    }
}

pub(crate) trait AnyAdjoints {
    fn cursor_to_start(&mut self);
    fn allocated(&self) -> usize;
    fn held(&self) -> usize;
}
impl<K: Kind> AnyAdjoints for AdjointsOf<K> {
    fn cursor_to_start(&mut self) {
        self.cursor = 0;
    }
    fn allocated(&self) -> usize {
        self.allocated()
    }
    fn held(&self) -> usize {
        size_of::<Self>() + self.held()
    }
}
impl<K: Kind> TypeMapEntry<dyn AnyAdjoints> for AdjointsOf<K> {
    type With = bool;
    fn create(_: usize, huge_pages: bool) -> Self {
        let mut adjoints = AdjointsOf::default();
        adjoints.all.use_huge_pages(huge_pages);
        adjoints
    }
    fn erase(self: Box<Self>) -> Box<dyn AnyAdjoints> {
        self
    }
}

pub(crate) struct AdjointStore {
    huge_pages: bool,
    real: AdjointsOf<f64>,
    others: TypeMap<dyn AnyAdjoints>,
}
impl AdjointStore {
    pub(crate) fn new(huge_pages: bool) -> Self {
        AdjointStore {
            huge_pages,
            real: AdjointsOf::create(0, huge_pages),
            others: TypeMap::new(),
        }
    }
    pub(crate) fn get<K: Kind>(&mut self) -> &mut AdjointsOf<K> {
        if TypeId::of::<K>() == TypeId::of::<f64>() {
            let real: &mut dyn Any = &mut self.real;
            return real.downcast_mut().expect("the kind is `f64`");
        }
        self.others.get(self.huge_pages)
    }
    pub(crate) fn find<K: Kind>(&self) -> Option<&AdjointsOf<K>> {
        if TypeId::of::<K>() == TypeId::of::<f64>() {
            let real: &dyn Any = &self.real;
            return real.downcast_ref();
        }
        self.others.find()
    }
    pub(crate) fn apart(&mut self) -> (&mut AdjointsOf<f64>, &mut TypeMap<dyn AnyAdjoints>) {
        (&mut self.real, &mut self.others)
    }
    pub(crate) fn cursors_to_start(&mut self) {
        self.real.cursor_to_start();
        self.others.iter_mut().for_each(|a| a.cursor_to_start());
    }
    pub(crate) fn held(&self) -> usize {
        self.real.held() + self.others.iter().map(|a| a.held()).sum::<usize>()
    }
    pub(crate) fn allocated(&self) -> usize {
        let others = self.others.iter().map(|a| a.allocated());
        self.real.allocated() + others.sum::<usize>()
    }
}
