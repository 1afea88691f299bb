//! Values of storage kinds as a sweep sees them: by their address on the tape, without counting a reference.
//!
//! A node that holds a counted handle has a destructor, so the compiler keeps it in memory and moves it whenever nodes
//! nest. A pointer has none and stays in a register.
//!
//! What it asks: whoever makes a [`BorrowedPtr`] promises that the value stays in its place, unchanged, as long as it is looked at.
#![allow(unsafe_code)]
use std::{ptr::NonNull, rc::Rc};

/// A reference to a value that the tape holds.
///
/// Invariant: the value is that of an `Rc` that somebody else keeps, and nobody writes it, as long as this reference is
/// used.
#[derive(Debug)]
pub struct BorrowedPtr<V>(NonNull<V>);
impl<V> BorrowedPtr<V> {
    /// Refers to the value of `shared`.
    ///
    /// # Safety
    /// Somebody keeps `shared`, and nobody writes its value, as long as the result is used.
    #[inline(always)]
    pub(crate) unsafe fn new(shared: &Rc<V>) -> Self {
        // SAFETY: the value of an `Rc` is not at null.
        BorrowedPtr(unsafe { NonNull::new_unchecked(Rc::as_ptr(shared).cast_mut()) })
    }
    #[inline(always)]
    pub(crate) fn get(&self) -> &V {
        // SAFETY: by the invariant it is there, and not written.
        unsafe { self.0.as_ref() }
    }
    /// Makes another counted reference to the value.
    #[inline]
    pub(crate) fn share(&self) -> Rc<V> {
        let value = self.0.as_ptr().cast_const();
        // SAFETY: it comes from `Rc::as_ptr` of an `Rc` that by the invariant somebody keeps; what is made from it has the
        // count that is added.
        unsafe {
            Rc::increment_strong_count(value);
            Rc::from_raw(value)
        }
    }
}
