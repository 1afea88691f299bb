//! Values of storage kinds as a sweep sees them: where they stand on the tape, without a count of references.
//!
//! A node that holds a handle has a destructor, so that it lives in memory and is moved there as it nests, piece by piece and
//! together: a processor waits until such pieces have left it. This one is a pointer, and stays in registers.
#![allow(unsafe_code)]
use std::{ptr::NonNull, rc::Rc};

/// A value that the tape holds.
///
/// Invariant: it is the one of an `Rc` that somebody else keeps, and nobody writes it, as long as this one is used.
#[derive(Debug)]
pub struct Seen<V>(NonNull<V>);
impl<V> Seen<V> {
    /// Looks at a shared value.
    ///
    /// # Safety
    /// Somebody keeps `shared`, and nobody writes its value, as long as the result is used.
    #[inline(always)]
    pub(crate) unsafe fn new(shared: &Rc<V>) -> Self {
        // SAFETY: the value of an `Rc` is not at null.
        Seen(unsafe { NonNull::new_unchecked(Rc::as_ptr(shared).cast_mut()) })
    }
    #[inline(always)]
    pub(crate) fn get(&self) -> &V {
        // SAFETY: by the invariant it is there, and not written.
        unsafe { self.0.as_ref() }
    }
    /// Shares the value once more.
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
