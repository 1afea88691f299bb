//! Identifier policies: how variables of a kind are numbered, and who owns the numbers.
use super::{
    carrier::Forward,
    definition::Bare,
    identifier::Identifier,
    tangents::{ForwardCell, TangentStorage, VariableCell},
};
use crate::{
    kind::Carrier,
    storage::{BorrowedPtr, pool},
};
use std::{ops::Deref, rc::Rc};

/// Keeps others from implementing the traits: while statements are recorded and swept, the values that variables and
/// the tape hold are trusted to run no code of their own.
pub(super) mod sealed {
    pub trait SealedPolicy {}
    impl SealedPolicy for super::Linear {}
    impl SealedPolicy for super::Owned {}
    impl SealedPolicy for crate::kind::Several {}
    impl SealedPolicy for crate::kind::Many {}

    pub trait SealedTapeCell<V> {}
    impl<V: Clone + 'static> SealedTapeCell<V> for V {}
    impl<V: Clone + 'static> SealedTapeCell<V> for std::rc::Rc<V> {}
    impl<V: Clone + 'static> SealedTapeCell<V> for super::SharedValue<V> {}
}

/// Holds a value of type `V`, bare or shared. It is implemented in this crate alone.
pub trait TapeCell<V>: Clone + sealed::SealedTapeCell<V> + 'static {
    /// Holds `value`.
    fn new(value: V) -> Self;
    /// The value held.
    fn peek(&self) -> &V;
    /// Takes the value out; a shared one is copied.
    fn into_inner(self) -> V;
    /// Unique access to the value. It takes constant time, unless something else shares the value, which is then copied
    /// first.
    fn edit(&mut self) -> &mut V;
    /// Gives up a shared value, until another one is put in its place.
    fn give_up(&mut self) {}
    /// The value by itself, if nothing shares it.
    fn sole(&mut self) -> Option<&mut V>;
    /// How a sweep sees the value: a bare one by itself, a shared one by its address.
    type Borrowed;
    /// Looks at the value held.
    ///
    /// # Safety
    /// Somebody keeps a shared value alive, and nobody writes it, as long as the result is used.
    #[allow(unsafe_code)]
    unsafe fn borrow_raw(&self) -> Self::Borrowed;
    /// The value that is referred to.
    fn borrowed(borrowed: &Self::Borrowed) -> &V;
    /// Holds the value that is referred to, too.
    fn to_shared(borrowed: &Self::Borrowed) -> Self;
    /// Returns the box of a value to the pool; the value has kept this many bytes of memory.
    fn leave(self, extent: usize) {
        let _ = extent;
    }
    /// A box from the pool whose value has kept this many bytes of memory; its contents are unspecified. `fetch`
    /// prefetches the memory of the values that are taken next.
    fn waiting(extent: usize, fetch: impl Fn(&V)) -> Option<Self> {
        let _ = (extent, fetch);
        None
    }
    /// Prefetches the box of a shared value that is read soon.
    #[inline(always)]
    fn prefetch_box(&self) {}
    /// The address of a shared value.
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
        // SAFETY: what the caller vouches for.
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

/// A value of a storage kind as the tape holds it: shared, with `Deref` to the value. While the variable that shares the value
/// is written in place, the tape gives it up, so that the write finds the value unshared.
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
            .expect("a shared value is given up only during a write in place")
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
                .expect("a shared value is given up only during a write in place"),
        )
    }
    fn edit(&mut self) -> &mut V {
        Rc::make_mut(
            self.0
                .as_mut()
                .expect("a shared value is given up only during a write in place"),
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
        // SAFETY: what the caller vouches for.
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

/// The identifier policy of a kind with values of type `V`. Together with the [mode](crate::mode) it decides what a
/// variable is: that of a value kind ([`Linear`]) or of a storage kind ([`Owned`]). A third policy is for results that
/// are taken apart at once.
///
/// It is implemented in this crate alone: how statements are recorded relies on what policies and identifiers do.
#[diagnostic::on_unimplemented(
    message = "values of type `{V}` can't have the policy `{Self}`",
    note = "values of a value kind (`Linear`) are `Copy`; those of a storage kind (`Owned`) are `Clone`"
)]
pub trait Policy<V: Clone + 'static>: sealed::SealedPolicy + 'static {
    /// The identifier of a variable in mode `M`.
    type Id<M: Carrier>: Identifier;
    /// What a variable holds in mode `M`: its value, and in a forward mode tangents.
    type VariableCell<M: Carrier>: VariableCell<V>;
    /// How the tape holds a value.
    type TapeCell: TapeCell<V>;
    /// How a rule receives a value.
    type Arg<'a>: Copy;
    /// The tangents of a value along `N` directions.
    type Tangents<const N: usize>: TangentStorage<V, N>;
    /// Hands a value to a rule.
    fn arg(value: &V) -> Self::Arg<'_>;
    /// The value that a rule received.
    fn value<'v>(arg: &'v Self::Arg<'_>) -> &'v V;
    /// What the tape holds of a variable's value.
    fn cell<M: Carrier>(held: &Self::VariableCell<M>) -> Self::TapeCell;
    /// What a variable holds of the tape's value; in a forward mode it has no tangents, or `zero`.
    fn held<M: Carrier>(cell: Self::TapeCell, zero: impl FnOnce(&V) -> V) -> Self::VariableCell<M>;
    /// What a variable of a forward mode holds.
    fn with_tangents<const N: usize>(
        value: V,
        tangents: Self::Tangents<N>,
    ) -> Self::VariableCell<Forward<N>>;
    /// The tangents in what a variable of a forward mode holds.
    fn tangents_mut<const N: usize>(
        held: &mut Self::VariableCell<Forward<N>>,
    ) -> (&mut V, &mut Self::Tangents<N>);
    /// The value and the tangents in what a variable of a forward mode holds.
    fn with_tangents_ref<const N: usize>(
        held: &Self::VariableCell<Forward<N>>,
    ) -> (&V, Option<&[V; N]>);
    /// Whether variables own what they hold and are operands by reference only.
    const STORAGE: bool;
    /// Whether kinds of this policy have variables; if not, a result is taken apart at once.
    const VARIABLES: bool = true;
}

/// The policy of value kinds: their values are small and `Copy`, and each statement makes a new identifier.
#[derive(Clone, Copy, Debug)]
pub struct Linear;
/// The policy of storage kinds: a variable owns its identifier, keeps it while its value is written in place, and
/// returns it to the manager when it is dropped.
#[derive(Clone, Copy, Debug)]
pub struct Owned;

/// Policies of kinds that have variables, so that an expression of such a kind can be evaluated into one.
#[doc(hidden)]
pub trait HasVariables {}
impl HasVariables for Linear {}
impl HasVariables for Owned {}

/// Kinds whose variables are operands by value, too.
#[diagnostic::on_unimplemented(
    message = "a variable of a storage kind (an array, a matrix) can't stand in an expression by value: write `&` before it",
    label = "a variable of a storage kind, which is an operand by reference: `&x`"
)]
pub trait ByValue {}
impl ByValue for Linear {}

/// Kinds whose values a function with `in_place` takes by value.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a function with `in_place` takes values of a storage kind by reference: write `&` before the type of this argument",
    label = "of a storage kind: `&` belongs before it"
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
