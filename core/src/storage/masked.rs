//! A table whose indices are taken modulo its length, without a check.
#![allow(unsafe_code)] // elements are accessed without a bounds check
use std::ptr::{NonNull, slice_from_raw_parts_mut};

/// Invariant: `start` came from a `Box<[T]>` of `mask + 1` elements and is owned, and `mask + 1` is a power of two.
pub(crate) struct Masked<T> {
    start: NonNull<T>,
    mask: usize,
}
impl<T> Masked<T> {
    pub(crate) fn new(len: usize, make: impl FnMut() -> T) -> Self {
        assert!(len.is_power_of_two(), "{len} is not a power of two");
        let all: Box<[T]> = std::iter::repeat_with(make).take(len).collect();
        let (start, mask) = (NonNull::from(Box::leak(all)).cast(), len - 1);
        Masked { start, mask }
    }
    pub(crate) fn len(&self) -> usize {
        self.mask + 1
    }
    #[inline(always)]
    pub(crate) fn at(&self, index: usize) -> &T {
        // SAFETY: by the invariant there are `mask + 1` elements, `index & mask` is less, and they are borrowed as long as
        // `self`.
        unsafe { self.start.add(index & self.mask).as_ref() }
    }
    #[inline(always)]
    pub(crate) fn at_mut(&mut self, index: usize) -> &mut T {
        // SAFETY: as above, and `self` is borrowed uniquely.
        unsafe { self.start.add(index & self.mask).as_mut() }
    }
    pub(crate) fn all(&self) -> &[T] {
        // SAFETY: by the invariant these are the elements, which are borrowed as long as `self`.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len()) }
    }
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self.all())
    }
}
impl<T> Drop for Masked<T> {
    fn drop(&mut self) {
        let all = slice_from_raw_parts_mut(self.start.as_ptr(), self.len());
        // SAFETY: by the invariant it came from such a box, and it is freed here only.
        drop(unsafe { Box::from_raw(all) });
    }
}
