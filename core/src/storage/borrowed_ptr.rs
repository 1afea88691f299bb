//! Values of storage kinds in a sweep, by address. The destructor of a counted handle would keep nodes in memory.
#![allow(unsafe_code)]
use std::{ptr::NonNull, rc::Rc};

/// A reference to a value held by the tape.
///
/// Invariant: the value belongs to an `Rc` that another owner keeps alive, and it is not written, while this reference
/// is used.
#[derive(Debug)]
pub struct BorrowedPtr<V>(NonNull<V>);
impl<V> BorrowedPtr<V> {
    /// # Safety
    /// Another owner keeps `shared` alive, and its value is not written, while the result is used.
    #[inline(always)]
    pub(crate) unsafe fn new(shared: &Rc<V>) -> Self {
        // SAFETY: the address of the value of an `Rc` is not null.
        BorrowedPtr(unsafe { NonNull::new_unchecked(Rc::as_ptr(shared).cast_mut()) })
    }
    #[inline(always)]
    pub(crate) fn get(&self) -> &V {
        // SAFETY: by the invariant the value is alive and not written.
        unsafe { self.0.as_ref() }
    }
    #[inline]
    pub(crate) fn share(&self) -> Rc<V> {
        let value = self.0.as_ptr().cast_const();
        // SAFETY: the pointer comes from `Rc::as_ptr` of an `Rc` that by the invariant is kept alive; the new `Rc` owns
        // the count that is added.
        unsafe {
            Rc::increment_strong_count(value);
            Rc::from_raw(value)
        }
    }
}
