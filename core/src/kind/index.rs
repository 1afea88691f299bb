//! Identifier policies: how variables of a kind are numbered, and who owns the numbers.
use super::identifier::Identifier;
use crate::{
    kind::Carrier,
    storage::{Seen, pool},
};
use std::{ops::Deref, rc::Rc};

/// Keeps others from implementing the traits: statements are recorded, and swept, while what variables and the tape hold is
/// trusted to run no code of its own.
pub(super) mod sealed {
    pub trait Policy {}
    impl Policy for super::Linear {}
    impl Policy for super::Owned {}
    impl Policy for crate::kind::Several {}
    impl Policy for crate::kind::Many {}

    pub trait Hold<V> {}
    impl<V: Clone + 'static> Hold<V> for V {}
    impl<V: Clone + 'static> Hold<V> for std::rc::Rc<V> {}
    impl<V: Clone + 'static> Hold<V> for super::Handle<V> {}
}

/// Holds a value of type `V`, bare or shared. It is implemented here alone.
pub trait Hold<V>: Clone + sealed::Hold<V> + 'static {
    /// Holds `value`.
    fn hold(value: V) -> Self;
    /// The value held.
    fn peek(&self) -> &V;
    /// The value held, taken out (copied where it is shared).
    fn unhold(self) -> V;
    /// Unique access: O(1), but for a value that something else shares, which is copied first.
    fn edit(&mut self) -> &mut V;
    /// Gives a shared value up, until another one is put in.
    fn give_up(&mut self) {}
    /// The value held, if nothing shares it.
    fn sole(&mut self) -> Option<&mut V>;
    /// What a sweep sees of the value held: a bare one itself, a shared one where it stands.
    type Seen;
    /// Looks at the value held.
    ///
    /// # Safety
    /// Somebody keeps a shared value, and nobody writes it, as long as the result is used.
    #[allow(unsafe_code)]
    unsafe fn see(&self) -> Self::Seen;
    /// The value that is seen.
    fn seen(seen: &Self::Seen) -> &V;
    /// Holds the value that is seen, too.
    fn hold_seen(seen: &Self::Seen) -> Self;
    /// Leaves the box of a value to later ones; the value has memory of so many bytes.
    fn leave(self, extent: usize) {
        let _ = extent;
    }
    /// A box that waits, with a value that has memory of so many bytes, any one; `fetch` fetches the memory of those that come
    /// next.
    fn waiting(extent: usize, fetch: impl Fn(&V)) -> Option<Self> {
        let _ = (extent, fetch);
        None
    }
    /// Fetches the box of a shared value into the caches, as it is read soon.
    #[inline(always)]
    fn prefetch_box(&self) {}
    /// Where a shared value is.
    fn place(&self) -> Option<*const ()> {
        None
    }
}
impl<V: Clone + 'static> Hold<V> for V {
    #[inline(always)]
    fn hold(value: V) -> V {
        value
    }
    #[inline(always)]
    fn peek(&self) -> &V {
        self
    }
    #[inline(always)]
    fn unhold(self) -> V {
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
    type Seen = V;
    #[allow(unsafe_code)]
    #[inline(always)]
    unsafe fn see(&self) -> V {
        self.clone()
    }
    #[inline(always)]
    fn seen(seen: &V) -> &V {
        seen
    }
    #[inline(always)]
    fn hold_seen(seen: &V) -> V {
        seen.clone()
    }
}
impl<V: Clone + 'static> Hold<V> for Rc<V> {
    fn hold(value: V) -> Self {
        pool::share(value)
    }
    fn peek(&self) -> &V {
        self.deref()
    }
    fn unhold(self) -> V {
        Rc::unwrap_or_clone(self)
    }
    fn edit(&mut self) -> &mut V {
        Rc::make_mut(self)
    }
    fn sole(&mut self) -> Option<&mut V> {
        Rc::get_mut(self)
    }
    type Seen = Seen<V>;
    #[allow(unsafe_code)]
    #[inline(always)]
    unsafe fn see(&self) -> Seen<V> {
        // SAFETY: what the caller vouches for.
        unsafe { Seen::new(self) }
    }
    #[inline(always)]
    fn seen(seen: &Seen<V>) -> &V {
        seen.get()
    }
    fn hold_seen(seen: &Seen<V>) -> Self {
        seen.share()
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

/// The tape's handle of a value of a storage kind, which derefs to it. It is given up while the variable that shares the value
/// is written in place, so that the write finds the value unshared.
#[derive(Debug)]
pub struct Handle<V>(Option<Rc<V>>);
impl<V> Clone for Handle<V> {
    fn clone(&self) -> Self {
        Handle(self.0.clone())
    }
}
impl<V: Clone + 'static> From<V> for Handle<V> {
    fn from(value: V) -> Self {
        Handle::hold(value)
    }
}
impl<V> Deref for Handle<V> {
    type Target = V;
    fn deref(&self) -> &V {
        self.rc()
    }
}
impl<V> Handle<V> {
    fn rc(&self) -> &Rc<V> {
        self.0
            .as_ref()
            .expect("a handle is given up only during a write in place")
    }
}
impl<V: Clone + 'static> Hold<V> for Handle<V> {
    fn hold(value: V) -> Self {
        Handle(Some(pool::share(value)))
    }
    fn peek(&self) -> &V {
        self.rc()
    }
    fn unhold(self) -> V {
        Rc::unwrap_or_clone(
            self.0
                .expect("a handle is given up only during a write in place"),
        )
    }
    fn edit(&mut self) -> &mut V {
        Rc::make_mut(
            self.0
                .as_mut()
                .expect("a handle is given up only during a write in place"),
        )
    }
    fn give_up(&mut self) {
        self.0 = None;
    }
    fn sole(&mut self) -> Option<&mut V> {
        self.0.as_mut().and_then(Rc::get_mut)
    }
    type Seen = Seen<V>;
    #[allow(unsafe_code)]
    #[inline(always)]
    unsafe fn see(&self) -> Seen<V> {
        // SAFETY: what the caller vouches for.
        unsafe { Seen::new(self.rc()) }
    }
    #[inline(always)]
    fn seen(seen: &Seen<V>) -> &V {
        seen.get()
    }
    fn hold_seen(seen: &Seen<V>) -> Self {
        Handle(Some(seen.share()))
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
        Some(Handle(Some(shared)))
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

/// The identifier policy of a kind; decides together with the [mode](crate::mode) what a variable is: [`Linear`] or [`Owned`],
/// or that of results which are taken apart at once.
///
/// It is implemented here alone: how statements are recorded relies on what policies and identifiers do.
pub trait Policy: sealed::Policy + 'static {
    /// The identifier of a variable in mode `M`.
    type Id<M: Carrier>: Identifier;
    /// How a variable holds its value in mode `M`.
    type Held<V: Clone + 'static, M: Carrier>: Hold<V>;
    /// How the tape holds a value.
    type Cell<V: Clone + 'static>: Hold<V>;
    /// How a rule receives a value.
    type Arg<'a, V: Clone + 'static>: Clone;
    /// Hands a value to a rule.
    fn arg<V: Clone + 'static>(value: &V) -> Self::Arg<'_, V>;
    /// The value that a rule received.
    fn value<'v, V: Clone + 'static>(arg: &'v Self::Arg<'_, V>) -> &'v V;
    /// What the tape holds of a variable's value.
    fn cell<V: Clone + 'static, M: Carrier>(held: &Self::Held<V, M>) -> Self::Cell<V>;
    /// What a variable holds of the tape's value.
    fn held<V: Clone + 'static, M: Carrier>(cell: Self::Cell<V>) -> Self::Held<V, M>;
    /// Whether variables own what they hold and are operands by reference only.
    const STORAGE: bool;
    /// Whether there are variables of such a kind; if not, a result is taken apart at once.
    const VARIABLES: bool = true;
}

/// Value kinds: `Copy`, small, a fresh identifier for each statement.
#[derive(Clone, Copy, Debug)]
pub struct Linear;
/// Storage kinds: an owned identifier that is kept while the value is written in place and returns to
/// its manager on drop.
#[derive(Clone, Copy, Debug)]
pub struct Owned;

/// Kinds whose variables are operands by value, too.
pub trait ByValue: Policy {}
impl ByValue for Linear {}

impl Policy for Linear {
    type Id<M: Carrier> = M::ValueId;
    type Held<V: Clone + 'static, M: Carrier> = V;
    type Cell<V: Clone + 'static> = V;
    type Arg<'a, V: Clone + 'static> = V;
    const STORAGE: bool = false;
    #[inline(always)]
    fn arg<V: Clone + 'static>(value: &V) -> V {
        value.clone()
    }
    #[inline(always)]
    fn value<V: Clone + 'static>(arg: &V) -> &V {
        arg
    }
    #[inline(always)]
    fn cell<V: Clone + 'static, M: Carrier>(held: &V) -> V {
        held.clone()
    }
    #[inline(always)]
    fn held<V: Clone + 'static, M: Carrier>(cell: V) -> V {
        cell
    }
}
impl Policy for Owned {
    type Id<M: Carrier> = M::OwnedId;
    type Held<V: Clone + 'static, M: Carrier> = M::Shared<V>;
    type Cell<V: Clone + 'static> = Handle<V>;
    type Arg<'a, V: Clone + 'static> = &'a V;
    const STORAGE: bool = true;
    #[inline(always)]
    fn arg<V: Clone + 'static>(value: &V) -> &V {
        value
    }
    #[inline(always)]
    fn value<'v, V: Clone + 'static>(arg: &'v &V) -> &'v V {
        arg
    }
    fn cell<V: Clone + 'static, M: Carrier>(held: &M::Shared<V>) -> Handle<V> {
        Handle(Some(M::share(held)))
    }
    fn held<V: Clone + 'static, M: Carrier>(cell: Handle<V>) -> M::Shared<V> {
        M::unshare(cell.rc().clone())
    }
}
