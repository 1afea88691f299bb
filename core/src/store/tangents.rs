//! Tangents of values and of adjoints.
use super::{
    adjoints::{AdjointStore, gradient},
    elements::Lists,
    planes::Planes,
};
use crate::{
    error::Error,
    kind::{Adjoint, Kind, Policy, Single, TangentStorage, Val},
    storage::{CacheLineColumns, PerIdentifier, TypeMapCache, TypeMapEntry},
};
use std::{
    any::{Any, TypeId},
    array::from_fn,
    ops::Range,
};

#[doc(hidden)]
pub const MANY: usize = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Forward,
    Back,
}
impl Way {
    #[inline(always)]
    fn ahead(self) -> isize {
        const AHEAD: isize = 2048;
        if self == Way::Forward { AHEAD } else { -AHEAD }
    }
}

pub(crate) type TangentsBy<K, const N: usize> =
    <<K as Kind>::Policy as Policy<Val<K>>>::Tangents<N>;

pub(crate) struct TangentsOf<K: Kind, const N: usize> {
    tangents: <TangentsBy<K, N> as TangentStorage<Val<K>, N>>::Column,
    overwritten: Vec<TangentsBy<K, N>>,
    /// Tangents of overwritten parts; `None` if the whole had none.
    parts: Vec<Option<[Val<K>; N]>>,
    adjoints: CacheLineColumns<K::Adjoint, N>,
    /// Inputs of the last sweep, whose adjoints are still stored.
    left: Vec<Range<u32>>,
}
impl<K: Kind, const N: usize> Default for TangentsOf<K, N> {
    fn default() -> Self {
        TangentsOf {
            tangents: Default::default(),
            overwritten: Vec::new(),
            parts: Vec::new(),
            adjoints: CacheLineColumns::default(),
            left: Vec::new(),
        }
    }
}
impl<K: Kind, const N: usize> TangentsOf<K, N> {
    /// Resizes, and zeroes the tangents of inputs. Owned identifiers, which may belong to variables before an input,
    /// are all reset.
    pub(crate) fn start(
        &mut self,
        len: usize,
        inputs: &[Range<u32>],
        zero: impl Fn(u32) -> Val<K>,
    ) -> Result<(), Error> {
        self.overwritten.clear();
        self.parts.clear();
        if K::Policy::STORAGE {
            let none = TangentStorage::new(None, || unreachable!("no zero is needed"));
            self.tangents.resize(0, none)?;
        }
        if len > 0 {
            // Only storage kinds have zeros of several shapes, represented by `None`.
            self.tangents
                .resize(len, TangentStorage::new(None, || zero(0)))?;
        }
        for id in inputs.iter().cloned().flatten() {
            *self.tangents.at(id) = TangentStorage::new(None, || zero(id));
        }
        Ok(())
    }
    pub(crate) fn start_adjoints(
        &mut self,
        len: usize,
        inputs: &[Range<u32>],
        dirty: bool,
    ) -> Result<(), Error> {
        if dirty {
            self.adjoints.all().iter_mut().for_each(Adjoint::reset);
        }
        for id in self.left.drain(..).flatten() {
            self.adjoints.at(id).iter_mut().for_each(Adjoint::reset);
        }
        self.adjoints
            .resize(len, from_fn(|_| K::Adjoint::unset()))?;
        self.left.extend_from_slice(inputs);
        Ok(())
    }
    #[inline(always)]
    pub(crate) fn prefetch_tangents(&self, id: u32, way: Way) {
        if N > 1 || way == Way::Back {
            self.tangents.prefetch(id, way.ahead());
        }
    }
    #[inline(always)]
    pub(crate) fn prefetch_adjoints(&self, id: u32) {
        self.adjoints.prefetch(id, Way::Back.ahead());
    }
    #[inline(always)]
    pub(crate) fn get(&self, id: u32) -> &TangentsBy<K, N> {
        self.tangents.get(id)
    }
    #[inline(always)]
    pub(crate) fn at(&mut self, id: u32) -> &mut TangentsBy<K, N> {
        self.tangents.at(id)
    }
    pub(crate) fn overwrite(&mut self, id: u32, tangents: TangentsBy<K, N>) {
        let old = std::mem::replace(self.at(id), tangents);
        self.overwritten.push(old);
    }
    pub(crate) fn restore(&mut self, id: u32) -> Option<TangentsBy<K, N>> {
        let old = self.overwritten.pop()?;
        Some(std::mem::replace(self.tangents.at(id), old))
    }
    pub(crate) fn push_part(&mut self, old: Option<[Val<K>; N]>) {
        self.parts.push(old);
    }
    pub(crate) fn pop_part(&mut self) -> Option<[Val<K>; N]> {
        self.parts.pop().flatten()
    }
    #[inline(always)]
    pub(crate) fn depends(&self, id: u32) -> bool {
        let tangents = self.get(id).get();
        tangents.is_some_and(|all| K::Policy::STORAGE || !all.iter().all(K::is_unset_tangent))
    }
    #[inline(always)]
    pub(crate) fn adjoints(&mut self, id: u32) -> &mut [K::Adjoint; N] {
        self.adjoints.at(id)
    }
    #[inline(always)]
    pub(crate) fn merge(&mut self, id: u32, sums: &[K::Adjoint; N])
    where
        K::Adjoint: Copy,
    {
        self.prefetch_adjoints(id);
        let (adjoints, sums) = (self.adjoints(id), *sums);
        let mut merged = *adjoints;
        for (adjoint, sum) in merged.iter_mut().zip(sums) {
            adjoint.merge(sum);
        }
        *adjoints = merged;
    }
    #[inline(always)]
    pub(crate) fn take(&mut self, id: u32) -> [K::Adjoint; N] {
        self.prefetch_adjoints(id);
        self.adjoints(id).each_mut().map(Adjoint::take)
    }
    pub(crate) fn gradient(&self, id: u32, j: usize, like: impl FnOnce() -> Val<K>) -> Val<K> {
        match self.adjoints.find(id) {
            Some(adjoints) if !adjoints[j].is_unset() => gradient::<K>(&adjoints[j], like),
            _ => K::zero_like(&like()),
        }
    }
}

pub(crate) trait AnyTangents {
    fn take_from(&mut self, adjoints: &mut AdjointStore, j: usize);
    fn held(&self) -> usize;
}
impl<K: Kind, const N: usize> AnyTangents for TangentsOf<K, N> {
    fn take_from(&mut self, adjoints: &mut AdjointStore, j: usize) {
        let adjoints = adjoints.get::<K>();
        for id in self.left.iter().cloned().flatten() {
            self.adjoints.at(id)[j] = adjoints.take(id);
        }
    }
    fn held(&self) -> usize {
        let stacks = self.overwritten.capacity() * size_of::<TangentsBy<K, N>>()
            + self.parts.capacity() * size_of::<Option<[Val<K>; N]>>();
        self.tangents.held() + stacks + self.adjoints.held()
    }
}
impl<K: Kind, const N: usize> TypeMapEntry<dyn AnyTangents> for TangentsOf<K, N> {
    type With = ();
    fn create(_: usize, (): ()) -> Self {
        TangentsOf::default()
    }
    fn erase(self: Box<Self>) -> Box<dyn AnyTangents> {
        self
    }
}

pub(crate) struct AllTangents<const N: usize> {
    pub(crate) dirty: bool,
    pub(crate) one_sided: bool,
    real: TangentsOf<f64, N>,
    others: TypeMapCache<dyn AnyTangents>,
    planes: Option<Box<Planes<N>>>,
    lists: Option<Box<Lists<N>>>,
}
impl<const N: usize> Default for AllTangents<N> {
    fn default() -> Self {
        AllTangents {
            dirty: false,
            one_sided: false,
            real: TangentsOf::default(),
            others: TypeMapCache::new(),
            planes: None,
            lists: None,
        }
    }
}
impl<const N: usize> AllTangents<N> {
    pub(crate) fn held(&self) -> usize {
        let others: usize = self.others.iter().map(|t| t.held()).sum();
        let planes = self.planes.as_ref().map_or(0, |_| size_of::<Planes<N>>());
        let lists = self.lists.as_ref().map_or(0, |lists| lists.held());
        size_of::<Self>() + self.real.held() + others + planes + lists
    }
    pub(crate) fn take_from(&mut self, adjoints: &mut AdjointStore, j: usize) {
        self.real.take_from(adjoints, j);
        for others in self.others.iter_mut() {
            others.take_from(adjoints, j);
        }
    }
    #[inline(always)]
    pub(crate) fn planes(&mut self) -> (&mut Planes<N>, &mut TangentsOf<f64, N>) {
        if self.planes.is_none() {
            self.make_planes();
        }
        match &mut self.planes {
            Some(planes) => (planes, &mut self.real),
            None => unreachable!("`make_planes` was called"),
        }
    }
    pub(crate) fn take_scratch(&mut self) -> (Box<Planes<N>>, Box<Lists<N>>) {
        let (planes, lists) = (self.planes.take(), self.lists.take());
        (planes.unwrap_or_default(), lists.unwrap_or_default())
    }
    pub(crate) fn return_scratch(&mut self, planes: Box<Planes<N>>, lists: Box<Lists<N>>) {
        (self.planes, self.lists) = (Some(planes), Some(lists));
    }
    #[inline(always)]
    pub(crate) fn of_numbers(&mut self) -> &mut TangentsOf<f64, N> {
        &mut self.real
    }
    #[cold]
    #[inline(never)]
    fn make_planes(&mut self) {
        self.planes = Some(Box::default());
    }
    #[inline(always)]
    pub(crate) fn get<K: Kind>(&mut self) -> &mut TangentsOf<K, N> {
        if TypeId::of::<K>() == TypeId::of::<f64>() {
            let real: &mut dyn Any = &mut self.real;
            return real.downcast_mut().expect("the kind is `f64`");
        }
        self.others.get(())
    }
    pub(crate) fn find<K: Kind>(&self) -> Option<&TangentsOf<K, N>> {
        if TypeId::of::<K>() == TypeId::of::<f64>() {
            let real: &dyn Any = &self.real;
            return real.downcast_ref();
        }
        self.others.find()
    }
}

pub(crate) enum AnyDirections<'w> {
    One(&'w mut AllTangents<1>),
    Many(&'w mut AllTangents<MANY>),
}
impl<'w> AnyDirections<'w> {
    pub(crate) fn of<const N: usize>(all: &'w mut AllTangents<N>) -> Self {
        let all: &'w mut dyn Any = all;
        match all.is::<AllTangents<1>>() {
            true => all.downcast_mut().map(AnyDirections::One),
            false => all.downcast_mut().map(AnyDirections::Many),
        }
        .unwrap_or_else(|| unreachable!("a sweep has 1 or 8 directions"))
    }
    pub(crate) fn reborrow(&mut self) -> AnyDirections<'_> {
        match self {
            AnyDirections::One(all) => AnyDirections::One(all),
            AnyDirections::Many(all) => AnyDirections::Many(all),
        }
    }
    pub(crate) fn count(&self) -> usize {
        match self {
            AnyDirections::One(_) => 1,
            AnyDirections::Many(_) => MANY,
        }
    }
    pub(crate) fn one_sided(&self) -> bool {
        match self {
            AnyDirections::One(all) => all.one_sided,
            AnyDirections::Many(all) => all.one_sided,
        }
    }
    pub(crate) fn tangent<K: Kind>(&mut self, id: u32, j: usize) -> Single<Val<K>> {
        match self {
            AnyDirections::One(all) => all.get::<K>().get(id).single(j),
            AnyDirections::Many(all) => all.get::<K>().get(id).single(j),
        }
    }
    pub(crate) fn depends<K: Kind>(&mut self, id: u32) -> bool {
        match self {
            AnyDirections::One(all) => all.get::<K>().depends(id),
            AnyDirections::Many(all) => all.get::<K>().depends(id),
        }
    }
    #[inline(always)]
    pub(crate) fn adjoint<K: Kind>(&mut self, id: u32, j: usize) -> &mut K::Adjoint {
        match self {
            AnyDirections::One(all) => {
                let all = all.get::<K>();
                all.prefetch_adjoints(id);
                &mut all.adjoints(id)[0]
            }
            AnyDirections::Many(all) => {
                let all = all.get::<K>();
                if j == 0 {
                    all.prefetch_adjoints(id);
                }
                &mut all.adjoints(id)[j]
            }
        }
    }
}
