//! Identifier policies: the numbering of variables, and the ownership of numbers.
use super::{
    carrier::Forward,
    definition::Bare,
    identifier::Identifier,
    tangents::{ForwardCell, TangentStorage, VariableCell},
};
use crate::{
    kind::Carrier,
    sealed::Sealed,
    storage::{BorrowedPtr, pool},
};
use std::{ops::Deref, rc::Rc};

/// A value of type `V`, bare or shared.
pub trait TapeCell<V>: Clone + 'static {
    /// Wraps `value`.
    fn new(value: V) -> Self;
    /// Returns a reference to the value.
    fn peek(&self) -> &V;
    /// Returns the value; a shared one is copied.
    fn into_inner(self) -> V;
    /// Returns unique access to the value; a shared one is copied first.
    fn edit(&mut self) -> &mut V;
    /// Releases a shared value until another one replaces it.
    fn give_up(&mut self) {}
    /// Returns the value if it is not shared.
    fn sole(&mut self) -> Option<&mut V>;
    /// The value itself if bare, its address if shared.
    type Borrowed;
    /// Borrows the value.
    ///
    /// # Safety
    /// Another owner keeps a shared value alive and unchanged while the result is used.
    #[allow(unsafe_code)]
    unsafe fn borrow_raw(&self) -> Self::Borrowed;
    /// Returns the borrowed value.
    fn borrowed(borrowed: &Self::Borrowed) -> &V;
    /// Returns another owner of the borrowed value.
    fn to_shared(borrowed: &Self::Borrowed) -> Self;
    /// Returns the allocation of a shared value, which owns `extent` bytes, to the pool.
    fn leave(self, extent: usize) {
        let _ = extent;
    }
    /// Takes a pooled allocation whose value owns `extent` bytes, with unspecified contents. `fetch` prefetches the next ones.
    fn waiting(extent: usize, fetch: impl Fn(&V)) -> Option<Self> {
        let _ = (extent, fetch);
        None
    }
    /// Prefetches the allocation of a shared value.
    #[inline(always)]
    fn prefetch_box(&self) {}
    /// Returns the address of a shared value.
    fn place(&self) -> Option<*const ()> {
        None
    }
}
impl<V: Clone + 'static> TapeCell<V> for V {
    #[inline(always)]
    fn new(value: V) -> V {
        value
    }
    #[inline(always)]
    fn peek(&self) -> &V {
        self
    }
    #[inline(always)]
    fn into_inner(self) -> V {
        self
    }
    #[inline(always)]
    fn edit(&mut self) -> &mut V {
        self
    }
    #[inline(always)]
    fn sole(&mut self) -> Option<&mut V> {
        Some(self)
    }
    type Borrowed = V;
    #[allow(unsafe_code)]
    #[inline(always)]
    unsafe fn borrow_raw(&self) -> V {
        self.clone()
    }
    #[inline(always)]
    fn borrowed(borrowed: &V) -> &V {
        borrowed
    }
    #[inline(always)]
    fn to_shared(borrowed: &V) -> V {
        borrowed.clone()
    }
}
impl<V: Clone + 'static> TapeCell<V> for Rc<V> {
    fn new(value: V) -> Self {
        pool::share(value)
    }
    fn peek(&self) -> &V {
        self.deref()
    }
    fn into_inner(self) -> V {
        Rc::unwrap_or_clone(self)
    }
    fn edit(&mut self) -> &mut V {
        Rc::make_mut(self)
    }
    fn sole(&mut self) -> Option<&mut V> {
        Rc::get_mut(self)
    }
    type Borrowed = BorrowedPtr<V>;
    #[allow(unsafe_code)]
    #[inline(always)]
    unsafe fn borrow_raw(&self) -> BorrowedPtr<V> {
        // SAFETY: guaranteed by the caller.
        unsafe { BorrowedPtr::new(self) }
    }
    #[inline(always)]
    fn borrowed(borrowed: &BorrowedPtr<V>) -> &V {
        borrowed.get()
    }
    fn to_shared(borrowed: &BorrowedPtr<V>) -> Self {
        borrowed.share()
    }
    fn leave(self, extent: usize) {
        pool::give_box(self, extent);
    }
    #[inline]
    fn waiting(extent: usize, fetch: impl Fn(&V)) -> Option<Self> {
        pool::take_box(extent, fetch)
    }
    #[inline(always)]
    fn prefetch_box(&self) {
        pool::prefetch_box(self);
    }
    fn place(&self) -> Option<*const ()> {
        Some(Rc::as_ptr(self).cast())
    }
}

/// A value of a storage kind on the tape, shared. The tape releases it while the variable is written in place, so that the write
/// finds it unshared.
#[derive(Debug)]
pub struct SharedValue<V>(Option<Rc<V>>);
impl<V> Clone for SharedValue<V> {
    fn clone(&self) -> Self {
        SharedValue(self.0.clone())
    }
}
impl<V: Clone + 'static> From<V> for SharedValue<V> {
    fn from(value: V) -> Self {
        SharedValue::new(value)
    }
}
impl<V> Deref for SharedValue<V> {
    type Target = V;
    fn deref(&self) -> &V {
        self.rc()
    }
}
impl<V> SharedValue<V> {
    fn rc(&self) -> &Rc<V> {
        self.0
            .as_ref()
            .expect("the shared value is taken only during a write in place")
    }
}
impl<V: Clone + 'static> TapeCell<V> for SharedValue<V> {
    fn new(value: V) -> Self {
        SharedValue(Some(pool::share(value)))
    }
    fn peek(&self) -> &V {
        self.rc()
    }
    fn into_inner(self) -> V {
        Rc::unwrap_or_clone(
            self.0
                .expect("the shared value is taken only during a write in place"),
        )
    }
    fn edit(&mut self) -> &mut V {
        Rc::make_mut(
            self.0
                .as_mut()
                .expect("the shared value is taken only during a write in place"),
        )
    }
    fn give_up(&mut self) {
        self.0 = None;
    }
    fn sole(&mut self) -> Option<&mut V> {
        self.0.as_mut().and_then(Rc::get_mut)
    }
    type Borrowed = BorrowedPtr<V>;
    #[allow(unsafe_code)]
    #[inline(always)]
    unsafe fn borrow_raw(&self) -> BorrowedPtr<V> {
        // SAFETY: guaranteed by the caller.
        unsafe { BorrowedPtr::new(self.rc()) }
    }
    #[inline(always)]
    fn borrowed(borrowed: &BorrowedPtr<V>) -> &V {
        borrowed.get()
    }
    fn to_shared(borrowed: &BorrowedPtr<V>) -> Self {
        SharedValue(Some(borrowed.share()))
    }
    #[inline]
    fn leave(self, extent: usize) {
        if let Some(shared) = self.0 {
            pool::give_box(shared, extent);
        }
    }
    #[inline]
    fn waiting(extent: usize, fetch: impl Fn(&V)) -> Option<Self> {
        let shared = pool::take_box(extent, fetch)?;
        Some(SharedValue(Some(shared)))
    }
    #[inline(always)]
    fn prefetch_box(&self) {
        if let Some(shared) = &self.0 {
            pool::prefetch_box(shared);
        }
    }
    fn place(&self) -> Option<*const ()> {
        self.0.as_ref().map(|shared| Rc::as_ptr(shared).cast())
    }
}

/// The identifier policy of a kind: [`Linear`] for value kinds, [`Owned`] for storage kinds, or a policy without variables. Sealed,
/// because recording relies on the behaviour of identifiers, and values on the tape must not run user code.
#[diagnostic::on_unimplemented(
    message = "values of type `{V}` cannot have the policy `{Self}`",
    note = "declare a value kind (`Linear`) for values that are `Copy`, and a storage kind (`Owned`) for values that are only `Clone`"
)]
pub trait Policy<V: Clone + 'static>: Sealed + 'static {
    /// The identifier of a variable in mode `M`.
    type Id<M: Carrier>: Identifier;
    /// A value, and its tangents in a forward mode.
    type VariableCell<M: Carrier>: VariableCell<V>;
    /// A value on the tape.
    type TapeCell: TapeCell<V>;
    /// A value as received by a rule.
    type Arg<'a>: Copy;
    /// The tangents along `N` directions.
    type Tangents<const N: usize>: TangentStorage<V, N>;
    /// Converts a value to the form that a rule receives.
    fn arg(value: &V) -> Self::Arg<'_>;
    /// Returns the value that a rule received.
    fn value<'v>(arg: &'v Self::Arg<'_>) -> &'v V;
    /// Returns the content of a variable as a value on the tape.
    fn cell<M: Carrier>(held: &Self::VariableCell<M>) -> Self::TapeCell;
    /// Returns a value as the content of a variable, with `zero` or no tangents.
    fn held<M: Carrier>(cell: Self::TapeCell, zero: impl FnOnce(&V) -> V) -> Self::VariableCell<M>;
    /// Creates the content of a forward variable.
    fn with_tangents<const N: usize>(
        value: V,
        tangents: Self::Tangents<N>,
    ) -> Self::VariableCell<Forward<N>>;
    /// Returns value and tangents of a forward variable, the latter for writing.
    fn tangents_mut<const N: usize>(
        held: &mut Self::VariableCell<Forward<N>>,
    ) -> (&mut V, &mut Self::Tangents<N>);
    /// Returns value and tangents of a forward variable.
    fn with_tangents_ref<const N: usize>(
        held: &Self::VariableCell<Forward<N>>,
    ) -> (&V, Option<&[V; N]>);
    /// Whether variables are operands by reference only.
    const STORAGE: bool;
    /// Whether variables exist; otherwise results are split immediately.
    const VARIABLES: bool = true;
}

/// The policy of value kinds: each statement creates a new identifier.
#[derive(Clone, Copy, Debug)]
pub struct Linear;
impl Sealed for Linear {}
/// The policy of storage kinds: a variable keeps its identifier when written in place, until it is dropped.
#[derive(Clone, Copy, Debug)]
pub struct Owned;
impl Sealed for Owned {}

#[doc(hidden)]
pub trait HasVariables {}
impl HasVariables for Linear {}
impl HasVariables for Owned {}

/// Kinds with operands by value.
#[diagnostic::on_unimplemented(
    message = "a variable of a storage kind (an array, a matrix) cannot be used in an expression by value: write `&` before it",
    label = "a variable of a storage kind: write `&x`"
)]
pub trait ByValue {}
impl ByValue for Linear {}

/// Kinds that functions with `in_place` take by value.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a function with `in_place` takes values of a storage kind by reference: write `&` before the type of this argument",
    label = "of a storage kind: write `&` before it"
)]
pub trait PassedByValue {}
impl PassedByValue for Linear {}

impl<V: Bare + 'static> Policy<V> for Linear {
    type Id<M: Carrier> = M::ValueId;
    type VariableCell<M: Carrier> = M::Bare<V>;
    type TapeCell = V;
    type Arg<'a> = V;
    type Tangents<const N: usize> = [V; N];
    const STORAGE: bool = false;
    #[inline(always)]
    fn arg(value: &V) -> V {
        *value
    }
    #[inline(always)]
    fn value(arg: &V) -> &V {
        arg
    }
    #[inline(always)]
    fn cell<M: Carrier>(held: &M::Bare<V>) -> V {
        *VariableCell::peek(held)
    }
    #[inline(always)]
    fn held<M: Carrier>(cell: V, zero: impl FnOnce(&V) -> V) -> M::Bare<V> {
        VariableCell::passive(cell, zero)
    }
    #[inline(always)]
    fn with_tangents<const N: usize>(value: V, tangents: [V; N]) -> ForwardCell<V, [V; N]> {
        ForwardCell { value, tangents }
    }
    #[inline(always)]
    fn tangents_mut<const N: usize>(held: &mut ForwardCell<V, [V; N]>) -> (&mut V, &mut [V; N]) {
        (&mut held.value, &mut held.tangents)
    }
    #[inline(always)]
    fn with_tangents_ref<const N: usize>(held: &ForwardCell<V, [V; N]>) -> (&V, Option<&[V; N]>) {
        (&held.value, TangentStorage::get(&held.tangents))
    }
}
impl<V: Clone + 'static> Policy<V> for Owned {
    type Id<M: Carrier> = M::OwnedId;
    type VariableCell<M: Carrier> = M::Shared<V>;
    type TapeCell = SharedValue<V>;
    type Arg<'a> = &'a V;
    type Tangents<const N: usize> = Option<Rc<[V; N]>>;
    const STORAGE: bool = true;
    #[inline(always)]
    fn arg(value: &V) -> &V {
        value
    }
    #[inline(always)]
    fn value<'v>(arg: &'v &V) -> &'v V {
        arg
    }
    fn cell<M: Carrier>(held: &M::Shared<V>) -> SharedValue<V> {
        SharedValue(Some(M::share(held)))
    }
    fn held<M: Carrier>(cell: SharedValue<V>, _: impl FnOnce(&V) -> V) -> M::Shared<V> {
        M::unshare(cell.rc().clone())
    }
    fn with_tangents<const N: usize>(
        value: V,
        tangents: Option<Rc<[V; N]>>,
    ) -> ForwardCell<V, Option<Rc<[V; N]>>> {
        ForwardCell { value, tangents }
    }
    fn tangents_mut<const N: usize>(
        held: &mut ForwardCell<V, Option<Rc<[V; N]>>>,
    ) -> (&mut V, &mut Option<Rc<[V; N]>>) {
        (&mut held.value, &mut held.tangents)
    }
    #[inline(always)]
    fn with_tangents_ref<const N: usize>(
        held: &ForwardCell<V, Option<Rc<[V; N]>>>,
    ) -> (&V, Option<&[V; N]>) {
        (&held.value, TangentStorage::get(&held.tangents))
    }
}
