//! Values on the tape, bare or shared, and the content of variables.
use crate::storage::{BorrowedPtr, pool};
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
pub struct SharedValue<V>(pub(super) Option<Rc<V>>);
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
        self.0.as_ref().expect(TAKEN)
    }
    pub(super) fn into_rc(self) -> Rc<V> {
        self.0.expect(TAKEN)
    }
}
const TAKEN: &str = "the shared value is taken only during a write in place";
impl<V: Clone + 'static> TapeCell<V> for SharedValue<V> {
    fn new(value: V) -> Self {
        SharedValue(Some(pool::share(value)))
    }
    fn peek(&self) -> &V {
        self.rc()
    }
    fn into_inner(self) -> V {
        Rc::unwrap_or_clone(self.into_rc())
    }
    fn edit(&mut self) -> &mut V {
        Rc::make_mut(self.0.as_mut().expect(TAKEN))
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

/// The content of a variable: its value, and perhaps tangents.
pub trait VariableCell<V>: Clone + 'static {
    /// Wraps an independent value, with the tangent `zero` if required.
    fn passive(value: V, zero: impl FnOnce(&V) -> V) -> Self;
    /// See [`TapeCell::peek`].
    fn peek(&self) -> &V;
    /// See [`TapeCell::into_inner`].
    fn into_inner(self) -> V;
    /// See [`TapeCell::edit`].
    fn edit(&mut self) -> &mut V;
    /// See [`TapeCell::sole`].
    fn sole(&mut self) -> Option<&mut V>;
    /// See [`TapeCell::leave`].
    fn leave(self, extent: usize) {
        let _ = extent;
    }
    /// Returns existing tangents.
    #[inline(always)]
    fn tangents<const N: usize>(&self) -> Option<&[V; N]> {
        None
    }
    /// Returns the tangent along direction `j`, or `None` beyond the last direction or without tangents.
    #[inline(always)]
    fn tangent(&self, j: usize) -> Option<&V> {
        let _ = j;
        None
    }
    /// Returns the tangent along direction `j` for writing; missing ones become `zero`.
    ///
    /// # Panics
    /// In modes without tangents.
    fn tangent_mut(&mut self, j: usize, zero: impl Fn(&V) -> V) -> &mut V {
        let _ = (j, zero);
        unreachable!("the mode has tangents")
    }
}
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
