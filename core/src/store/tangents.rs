//! Tangents of the values on a tape, and tangents of their adjoints, along several directions at once.
use super::part::Part;
use crate::{
    kind::{Adjoint, Kind, Policy, Tangents, Val},
    storage::{Member, Recent},
};
use std::any::{Any, TypeId};

/// How tangents of kind `K` along `N` directions are held.
pub(crate) type TangentsBy<K, const N: usize> =
    <<K as Kind>::Policy as Policy<Val<K>>>::Tangents<N>;

/// The tangents of the variables of one kind.
pub(crate) struct TangentsOf<K: Kind, const N: usize> {
    tangents: Vec<TangentsBy<K, N>>,
    /// Those that a walk forward has overwritten, which a sweep back takes from the end.
    overwritten: Vec<TangentsBy<K, N>>,
    /// Those of parts that it has overwritten; `None` if the whole had none.
    parts: Vec<Option<[Val<K>; N]>>,
    adjoints: Vec<[K::Adjoint; N]>,
}
impl<K: Kind, const N: usize> Default for TangentsOf<K, N> {
    fn default() -> Self {
        TangentsOf {
            tangents: Vec::new(),
            overwritten: Vec::new(),
            parts: Vec::new(),
            adjoints: Vec::new(),
        }
    }
}
impl<K: Kind, const N: usize> TangentsOf<K, N> {
    /// The tangents of `id`; `zero` makes those of a variable that depends on no direction.
    #[inline(always)]
    pub(crate) fn get(&self, id: u32, zero: impl FnOnce() -> Val<K>) -> TangentsBy<K, N> {
        match self.tangents.get(id as usize) {
            Some(tangents) => tangents.clone(),
            None => Tangents::new(None, zero),
        }
    }
    /// The place of the tangents of `id`.
    #[inline(always)]
    pub(crate) fn at(&mut self, id: u32, zero: impl FnOnce() -> Val<K>) -> &mut TangentsBy<K, N> {
        let id = id as usize;
        if id >= self.tangents.len() {
            self.grow(id, Tangents::new(None, zero));
        }
        &mut self.tangents[id]
    }
    #[inline(never)]
    fn grow(&mut self, id: usize, zero: TangentsBy<K, N>) {
        self.tangents.resize(id + 1 + id / 2, zero);
    }
    /// Sets the tangents of a variable that is written.
    pub(crate) fn overwrite(
        &mut self,
        id: u32,
        tangents: TangentsBy<K, N>,
        zero: impl FnOnce() -> Val<K>,
    ) {
        let old = std::mem::replace(self.at(id, zero), tangents);
        self.overwritten.push(old);
    }
    /// Puts the tangents back that [`overwrite`](Self::overwrite) has replaced.
    pub(crate) fn restore(&mut self, id: u32) {
        if let Some(old) = self.overwritten.pop() {
            self.tangents[id as usize] = old;
        }
    }
    /// Puts the tangents of a part back; without any, the whole had none.
    pub(crate) fn restore_part<P: Part<K>>(
        &mut self,
        id: u32,
        part: &P,
        old: Option<[Val<P::Kind>; N]>,
    ) {
        let place = &mut self.tangents[id as usize];
        match old {
            Some(old) => {
                let whole = place.make(|| unreachable!("the whole has the tangents of its part"));
                for (whole, old) in whole.iter_mut().zip(old) {
                    part.put(whole, old);
                }
            }
            None if K::Policy::STORAGE => {
                *place = Tangents::new(None, || unreachable!("none is made"))
            }
            None => {}
        }
    }
    pub(crate) fn push_part(&mut self, old: Option<[Val<K>; N]>) {
        self.parts.push(old);
    }
    pub(crate) fn pop_part(&mut self) -> Option<[Val<K>; N]> {
        self.parts.pop().flatten()
    }
    /// The adjoints of `id`, one for each direction.
    #[inline(always)]
    pub(crate) fn adjoints(&mut self, id: u32) -> &mut [K::Adjoint; N] {
        let id = id as usize;
        if id >= self.adjoints.len() {
            self.grow_adjoints(id);
        }
        &mut self.adjoints[id]
    }
    #[inline(never)]
    fn grow_adjoints(&mut self, id: usize) {
        let none = || [const { () }; N].map(|()| K::Adjoint::default());
        self.adjoints.resize_with(id + 1 + id / 2, none);
    }
    /// The adjoint of `id` along direction `j`.
    pub(crate) fn gradient(&self, id: u32, j: usize, like: impl FnOnce() -> Val<K>) -> Val<K> {
        match self.adjoints.get(id as usize) {
            Some(adjoints) => adjoints[j].clone().value_or_zero(like),
            None => K::zero_like(&like()),
        }
    }
}

/// The tangents of any kind.
pub(crate) trait AnyTangents {
    fn clear_tangents(&mut self);
    fn clear_adjoints(&mut self);
}
impl<K: Kind, const N: usize> AnyTangents for TangentsOf<K, N> {
    fn clear_tangents(&mut self) {
        self.tangents.clear();
        self.overwritten.clear();
        self.parts.clear();
    }
    fn clear_adjoints(&mut self) {
        for adjoint in self.adjoints.iter_mut().flatten() {
            adjoint.reset();
        }
    }
}
impl<K: Kind, const N: usize> Member<dyn AnyTangents> for TangentsOf<K, N> {
    type With = ();
    fn make(_: usize, (): ()) -> Self {
        TangentsOf::default()
    }
    fn widen(self: Box<Self>) -> Box<dyn AnyTangents> {
        self
    }
}

/// The tangents of the variables of all kinds. Those of `f64` have a field of their own, as they are used most.
pub(crate) struct AllTangents<const N: usize> {
    real: TangentsOf<f64, N>,
    others: Recent<dyn AnyTangents>,
}
impl<const N: usize> Default for AllTangents<N> {
    fn default() -> Self {
        AllTangents {
            real: TangentsOf::default(),
            others: Recent::new(),
        }
    }
}
impl<const N: usize> AllTangents<N> {
    /// Those of kind `K`, which are made when they are first asked for.
    #[inline(always)]
    pub(crate) fn get<K: Kind>(&mut self) -> &mut TangentsOf<K, N> {
        if TypeId::of::<K>() == TypeId::of::<f64>() {
            let real: &mut dyn Any = &mut self.real;
            return real.downcast_mut().expect("the tangents of reals");
        }
        self.others.get(())
    }
    /// Those of kind `K`, if there are some.
    pub(crate) fn find<K: Kind>(&self) -> Option<&TangentsOf<K, N>> {
        if TypeId::of::<K>() == TypeId::of::<f64>() {
            let real: &dyn Any = &self.real;
            return real.downcast_ref();
        }
        self.others.find()
    }
    /// Forgets all tangents.
    pub(crate) fn clear_tangents(&mut self) {
        self.real.clear_tangents();
        self.others.iter_mut().for_each(AnyTangents::clear_tangents);
    }
    /// Sets all adjoints to zero.
    pub(crate) fn clear_adjoints(&mut self) {
        self.real.clear_adjoints();
        self.others.iter_mut().for_each(AnyTangents::clear_adjoints);
    }
}
