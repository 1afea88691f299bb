//! Primal values by kind.
use super::{
    adjoints::{AdjointStore, AdjointsOf, AnyAdjoints},
    stacks::Stacks,
    tangents::{AllTangents, MANY},
    values::Values,
};
use crate::{
    error::Error,
    kind::{Kind, Policy, TapeValue, VariableId},
    storage::{PairedEntry, TypeMapCache},
};
use std::{
    any::{Any, TypeId},
    collections::HashSet,
};

/// Statistics of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct KindStatistics {
    /// The name of the kind.
    pub kind: &'static str,
    /// Identifiers in use or free.
    pub identifiers: usize,
    /// Bytes of the vector of primal values.
    pub primal_bytes: usize,
    /// Bytes of a storage kind's values, including shared allocations; shared values count once.
    pub value_bytes: usize,
    /// Bytes of adjoints, including memory that they own after a sweep.
    pub adjoint_bytes: usize,
}

pub(crate) trait AnyValues {
    fn free(&mut self, id: VariableId, now: u32);
    /// Reserves memory for the values of a window of statements.
    fn reserve_many(&mut self) -> Result<(), Error>;
    fn use_huge_pages(&mut self, huge_pages: bool);
    fn clear(&mut self);
    fn len(&self) -> usize;
    /// Truncates to `len` identifiers, invalidates variables with a tag in `gone`, and returns the bytes of removed
    /// values. The current tag is `before`.
    fn reset_to(&mut self, len: usize, before: u32, gone: &[u32]) -> usize;
    fn value_bytes(&self, seen: &mut HashSet<*const ()>) -> usize;
    fn allocated(&self) -> usize;
    fn held(&self) -> usize;
    fn with_adjoints(&self) -> usize;
    fn primal_bytes(&self) -> usize;
    fn statistics(&self, adjoints: &AdjointStore, seen: &mut HashSet<*const ()>) -> KindStatistics;

    /// Unsets all adjoints, which only inputs have unless some are `dirty`.
    fn start_sweep(&mut self, adjoints: &mut AdjointStore, dirty: bool) -> Result<(), Error>;
    fn start_tangents(&self, tangents: &mut AllTangents<1>) -> Result<(), Error>;
    fn start_many_tangents(&self, tangents: &mut AllTangents<MANY>) -> Result<(), Error>;
    fn start_adjoints(&self, tangents: &mut AllTangents<1>) -> Result<(), Error>;
    fn start_many_adjoints(&self, tangents: &mut AllTangents<MANY>) -> Result<(), Error>;
    fn clear_adjoints(&self, adjoints: &mut AdjointStore, dirty: bool);
    fn cursor_to_end(&self, adjoints: &mut AdjointStore);
}
impl<K: Kind> PairedEntry<dyn AnyValues, dyn AnyAdjoints> for Values<K> {
    type Partner = AdjointsOf<K>;
}

pub(crate) struct AllValues {
    huge_pages: bool,
    /// Slots keep the shapes of variables during a walk, for tangents of zero.
    keeps_shapes: bool,
    real: Values<f64>,
    others: TypeMapCache<dyn AnyValues>,
}
impl Default for AllValues {
    fn default() -> Self {
        AllValues {
            huge_pages: false,
            keeps_shapes: false,
            real: Values::new(0),
            others: TypeMapCache::new(),
        }
    }
}
impl AllValues {
    #[inline(always)]
    pub(crate) fn get<K: Kind>(&mut self) -> &mut Values<K> {
        if TypeId::of::<K>() == TypeId::of::<f64>() {
            let real: &mut dyn Any = &mut self.real;
            return real.downcast_mut().expect("the kind is `f64`");
        }
        self.others.get(self.huge_pages)
    }
    pub(crate) fn find<K: Kind>(&self) -> Option<&Values<K>> {
        if TypeId::of::<K>() == TypeId::of::<f64>() {
            let real: &dyn Any = &self.real;
            return real.downcast_ref();
        }
        self.others.find()
    }
    #[inline(always)]
    pub(crate) fn is_current<K: Kind>(&self, id: u32, version: u32) -> bool {
        self.find::<K>()
            .is_some_and(|values| values.slot(id).version == version)
    }
    pub(crate) fn all(&self) -> impl Iterator<Item = &dyn AnyValues> {
        let real: &dyn AnyValues = &self.real;
        std::iter::once(real).chain(self.others.iter())
    }
    pub(crate) fn all_mut(&mut self) -> impl Iterator<Item = &mut dyn AnyValues> {
        let real: &mut dyn AnyValues = &mut self.real;
        let others = self.others.iter_mut().map(|values| values as _);
        std::iter::once(real).chain(others)
    }
    pub(crate) fn use_huge_pages(&mut self, huge_pages: bool) {
        self.huge_pages = huge_pages;
        self.all_mut().for_each(|v| v.use_huge_pages(huge_pages));
    }
    #[inline]
    pub(crate) fn free(&mut self, number: u32, id: VariableId, now: u32) {
        match number as usize {
            0 => self.real.free(id, now),
            n => self.others.at(n - 1).free(id, now),
        }
    }
    pub(crate) fn apart(&mut self) -> (&mut Values<f64>, &mut TypeMapCache<dyn AnyValues>) {
        (&mut self.real, &mut self.others)
    }
    pub(crate) fn keep_shapes(&mut self, keeps_shapes: bool) {
        self.keeps_shapes = keeps_shapes;
    }
    /// Returns whether writing `new` saves the old value for its shape.
    #[inline(always)]
    pub(crate) fn is_reshaped<K: Kind>(&mut self, id: u32, new: &TapeValue<K>) -> bool {
        K::Policy::STORAGE && self.keeps_shapes && !self.get::<K>().has_shape_of(id, new)
    }
    /// Takes a free identifier for `new`, preferably with a value of this shape if shapes are kept.
    #[inline(always)]
    pub(crate) fn reuse<K: Kind>(&mut self, new: &TapeValue<K>) -> Option<u32> {
        let keeps_shapes = self.keeps_shapes;
        let values = self.get::<K>();
        if K::Policy::STORAGE && keeps_shapes {
            values.prefer_shape_of(new);
        }
        values.reuse()
    }
    pub(crate) fn huge_pages(&self) -> bool {
        self.huge_pages
    }
}

/// The values of a recording, by identifier and on stacks.
#[derive(Default)]
pub struct RecordedValues {
    pub(crate) values: AllValues,
    pub(crate) stacks: Stacks,
}
debug_by_name! { [] RecordedValues }
