//! What variables hold: values, and beside them tangents in a forward mode.
use super::index::{SharedValue, TapeCell};
use crate::storage::{CacheLineColumns, Column, PerIdentifier};
use std::{any::Any, rc::Rc};

/// The tangents of a value of type `V` along `N` directions. A value that depends on no direction may have none.
pub trait TangentStorage<V, const N: usize>: Clone + 'static {
    /// How a tape stores them.
    #[doc(hidden)]
    type Column: PerIdentifier<Self>;
    /// These tangents; without any, `zero` makes what stands for them.
    fn new(tangents: Option<[V; N]>, zero: impl FnOnce() -> V) -> Self;
    /// The tangents, unless all are zero because the value depends on no direction.
    fn get(&self) -> Option<&[V; N]>;
    /// The tangents by value, if they own memory that nothing shares.
    #[inline(always)]
    fn into_sole(self) -> Option<[V; N]> {
        None
    }
    /// The tangent along direction `j`.
    fn single(&self, j: usize) -> Single<V>;
    /// The tangents, to be written; where there are none, `zero` makes them.
    fn make(&mut self, zero: impl Fn() -> V) -> &mut [V; N];
}
/// The tangent of a value along one direction.
#[derive(Clone, Debug)]
pub enum Single<V> {
    /// The value depends on no direction.
    None,
    /// A small tangent.
    Value(V),
    /// One of several that own memory.
    Shared(Rc<[V]>, usize),
}
impl<V> Single<V> {
    /// The tangent, unless it is zero because the value depends on no direction.
    #[inline(always)]
    pub fn get(&self) -> Option<&V> {
        match self {
            Single::None => None,
            Single::Value(tangent) => Some(tangent),
            Single::Shared(all, j) => all.get(*j),
        }
    }
}
/// Small values always have tangents, so that no code has to tell the two cases apart.
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
/// Values that own memory have tangents only where they depend on a direction.
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

/// What a variable holds.
pub trait VariableCell<V>: Clone + 'static {
    /// Holds a value that depends on no direction; `zero` is its tangent, if it must have one.
    fn passive(value: V, zero: impl FnOnce(&V) -> V) -> Self;
    /// The value.
    fn peek(&self) -> &V;
    /// Takes the value out; a shared one is copied.
    fn into_inner(self) -> V;
    /// Unique access to the value.
    fn edit(&mut self) -> &mut V;
    /// The value by itself, if nothing shares it.
    fn sole(&mut self) -> Option<&mut V>;
    /// Returns the box of a value to the pool; the value has kept this many bytes of memory.
    fn leave(self, extent: usize) {
        let _ = extent;
    }
    /// The tangents along `N` directions, if there are some.
    #[inline(always)]
    fn tangents<const N: usize>(&self) -> Option<&[V; N]> {
        None
    }
    /// Sets the tangent along direction `j`; where there are none so far, those along others become `zero`.
    ///
    /// # Panics
    /// In modes without tangents.
    fn set_tangent(&mut self, j: usize, tangent: V, zero: impl Fn(&V) -> V) {
        let _ = (j, tangent, zero);
        unreachable!("a mode without tangents")
    }
}
/// Modes without tangents hold values as a tape does.
macro_rules! as_on_tape { ($($H:ty;)*) => { $(
    impl<V: Clone + 'static> VariableCell<V> for $H {
        #[inline(always)]
        fn passive(value: V, _: impl FnOnce(&V) -> V) -> Self {
            TapeCell::new(value)
        }
        #[inline(always)]
        fn peek(&self) -> &V {
            TapeCell::peek(self)
        }
        #[inline(always)]
        fn into_inner(self) -> V {
            TapeCell::into_inner(self)
        }
        #[inline(always)]
        fn edit(&mut self) -> &mut V {
            TapeCell::edit(self)
        }
        #[inline(always)]
        fn sole(&mut self) -> Option<&mut V> {
            TapeCell::sole(self)
        }
        #[inline(always)]
        fn leave(self, extent: usize) {
            TapeCell::<V>::leave(self, extent);
        }
    }
)* } }
as_on_tape! { V; Rc<V>; SharedValue<V>; }

/// A value and its tangents: what a variable of a forward mode holds.
#[derive(Clone, Copy, Debug)]
pub struct ForwardCell<V, T> {
    pub(crate) value: V,
    pub(crate) tangents: T,
}
macro_rules! forward_cells { ($([$($bounds:tt)*] $T:ty;)*) => { $(
    impl<V: $($bounds)* + 'static, const N: usize> VariableCell<V> for ForwardCell<V, $T> {
        #[inline(always)]
        fn passive(value: V, zero: impl FnOnce(&V) -> V) -> Self {
            let tangents = TangentStorage::<V, N>::new(None, || zero(&value));
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
            // The numbers of directions are equal wherever this is called.
            let tangents: &dyn Any = TangentStorage::<V, N>::get(&self.tangents)?;
            tangents.downcast_ref()
        }
        fn set_tangent(&mut self, j: usize, tangent: V, zero: impl Fn(&V) -> V) {
            let ForwardCell { value, tangents } = self;
            TangentStorage::<V, N>::make(tangents, || zero(value))[j] = tangent;
        }
    }
)* } }
forward_cells! { [Copy] [V; N]; [Clone] Option<Rc<[V; N]>>; }
