//! Tangents, and the content of variables of modes that do not record.
use super::{memory::Recycle, tape_cell::VariableCell};
use crate::storage::{CacheLineColumns, Column, PerIdentifier};
use std::{any::Any, marker::PhantomData, rc::Rc};

/// The tangents of a value along `N` directions, which an independent value may lack.
pub trait TangentStorage<V, const N: usize>: Clone + 'static {
    #[doc(hidden)]
    type Column: PerIdentifier<Self>;
    /// Wraps tangents; `zero` replaces missing ones if needed.
    fn new(tangents: Option<[V; N]>, zero: impl FnOnce() -> V) -> Self;
    /// Returns the tangents, or `None` if the value does not depend on the directions.
    fn get(&self) -> Option<&[V; N]>;
    /// Returns tangents that own unshared memory.
    #[inline(always)]
    fn into_sole(self) -> Option<[V; N]> {
        None
    }
    /// Returns the tangent along direction `j`.
    fn single(&self, j: usize) -> Single<V>;
    /// Returns the tangents for writing; missing ones become `zero`.
    fn make(&mut self, zero: impl Fn() -> V) -> &mut [V; N];
}
/// The tangent of a value along one direction.
#[derive(Clone, Debug)]
pub enum Single<V> {
    /// The value does not depend on the direction.
    None,
    /// A small tangent.
    Value(V),
    /// One of several tangents that own memory.
    Shared(Rc<[V]>, usize),
}
impl<V> Single<V> {
    /// Returns the tangent, or `None` if the value does not depend on the direction.
    #[inline(always)]
    pub fn get(&self) -> Option<&V> {
        match self {
            Single::None => None,
            Single::Value(tangent) => Some(tangent),
            Single::Shared(all, j) => all.get(*j),
        }
    }
}
/// Small values always have tangents.
impl<V: Copy + 'static, const N: usize> TangentStorage<V, N> for [V; N] {
    type Column = CacheLineColumns<V, N>;
    #[inline(always)]
    fn new(tangents: Option<[V; N]>, zero: impl FnOnce() -> V) -> Self {
        match tangents {
            Some(tangents) => tangents,
            None => [zero(); N],
        }
    }
    #[inline(always)]
    fn get(&self) -> Option<&[V; N]> {
        Some(self)
    }
    #[inline(always)]
    fn single(&self, j: usize) -> Single<V> {
        Single::Value(self[j])
    }
    #[inline(always)]
    fn make(&mut self, _: impl Fn() -> V) -> &mut [V; N] {
        self
    }
}
impl<V: Clone + 'static, const N: usize> TangentStorage<V, N> for Option<Rc<[V; N]>> {
    type Column = Column<Self>;
    fn new(tangents: Option<[V; N]>, _: impl FnOnce() -> V) -> Self {
        tangents.map(Rc::new)
    }
    fn get(&self) -> Option<&[V; N]> {
        self.as_deref()
    }
    fn into_sole(self) -> Option<[V; N]> {
        self.and_then(Rc::into_inner)
    }
    fn single(&self, j: usize) -> Single<V> {
        match self {
            Some(all) => Single::Shared(all.clone(), j),
            None => Single::None,
        }
    }
    fn make(&mut self, zero: impl Fn() -> V) -> &mut [V; N] {
        let tangents = self.get_or_insert_with(|| Rc::new(std::array::from_fn(|_| zero())));
        Rc::make_mut(tangents)
    }
}

/// The content of a variable of a storage kind in the mode [`Plain`](crate::mode::Plain). It recycles the memory of its
/// value when dropped.
pub struct Recycled<V, R: Recycle<V>>(Option<V>, PhantomData<fn() -> R>);
debug_by_name! { [V, R: Recycle<V>] Recycled<V, R> }
const UNTIL_MOVED: &str = "the value until it is moved out";
impl<V, R: Recycle<V>> Recycled<V, R> {
    #[inline(always)]
    pub(crate) fn new(value: V) -> Self {
        Recycled(Some(value), PhantomData)
    }
}
impl<V: Clone, R: Recycle<V>> Clone for Recycled<V, R> {
    fn clone(&self) -> Self {
        Recycled(self.0.clone(), PhantomData)
    }
}
impl<V, R: Recycle<V>> Drop for Recycled<V, R> {
    #[inline]
    fn drop(&mut self) {
        if let Some(value) = &mut self.0 {
            R::recycle(value);
        }
    }
}
impl<V: Clone + 'static, R: Recycle<V>> VariableCell<V> for Recycled<V, R> {
    #[inline(always)]
    fn passive(value: V, _: impl FnOnce(&V) -> V) -> Self {
        Recycled::new(value)
    }
    #[inline(always)]
    fn peek(&self) -> &V {
        self.0.as_ref().expect(UNTIL_MOVED)
    }
    #[inline(always)]
    fn into_inner(mut self) -> V {
        self.0.take().expect(UNTIL_MOVED)
    }
    #[inline(always)]
    fn edit(&mut self) -> &mut V {
        self.0.as_mut().expect(UNTIL_MOVED)
    }
    #[inline(always)]
    fn sole(&mut self) -> Option<&mut V> {
        self.0.as_mut()
    }
}

/// The content of a variable of a forward mode.
#[derive(Clone, Copy, Debug)]
pub struct ForwardCell<V, T, const N: usize> {
    pub(crate) value: V,
    pub(crate) tangents: T,
}
impl<V: Clone + 'static, T: TangentStorage<V, N>, const N: usize> VariableCell<V>
    for ForwardCell<V, T, N>
{
    #[inline(always)]
    fn passive(value: V, zero: impl FnOnce(&V) -> V) -> Self {
        let tangents = T::new(None, || zero(&value));
        ForwardCell { value, tangents }
    }
    #[inline(always)]
    fn peek(&self) -> &V {
        &self.value
    }
    #[inline(always)]
    fn into_inner(self) -> V {
        self.value
    }
    #[inline(always)]
    fn edit(&mut self) -> &mut V {
        &mut self.value
    }
    #[inline(always)]
    fn sole(&mut self) -> Option<&mut V> {
        Some(&mut self.value)
    }
    #[inline(always)]
    fn tangents<const D: usize>(&self) -> Option<&[V; D]> {
        // `N` is equal at every call.
        let tangents: &dyn Any = T::get(&self.tangents)?;
        tangents.downcast_ref()
    }
    #[inline(always)]
    fn tangent(&self, j: usize) -> Option<&V> {
        let tangents = T::get(&self.tangents)?;
        tangents.as_slice().get(j)
    }
    #[inline(always)]
    fn tangent_mut(&mut self, j: usize, zero: impl Fn(&V) -> V) -> &mut V {
        let ForwardCell { value, tangents } = self;
        &mut T::make(tangents, || zero(value))[j]
    }
}
