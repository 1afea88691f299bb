//! A very long vector: fallible growth, huge pages, appending past the caches.
//!
//! Guarantee: all elements are initialised. Elements passed as bytes are moved, and not dropped elsewhere.
#![allow(unsafe_code)] // elements are moved as bytes
use super::{pages, pool};
use crate::error::Error;
use std::{
    mem::{MaybeUninit, replace, take},
    ops::{Deref, DerefMut},
};

pub struct Column<T: 'static> {
    all: Vec<T>,
    touched: usize,
    huge_pages: bool,
}
debug_by_name! { [T: 'static] Column<T> }
const CACHED: usize = 1 << 20;

impl<T: 'static> Column<T> {
    pub(crate) fn new() -> Self {
        Column {
            all: Vec::new(),
            touched: 0,
            huge_pages: false,
        }
    }
    pub(crate) fn use_huge_pages(&mut self, huge_pages: bool) {
        self.huge_pages = huge_pages;
    }
    /// Appends elements, past the caches if they are `plain` and the vector is large.
    ///
    /// # Safety
    /// `from` is initialised, and its elements are not used any more; `plain` elements are `bytemuck::Pod`.
    pub(crate) unsafe fn append(
        &mut self,
        from: &[MaybeUninit<T>],
        plain: bool,
    ) -> Result<(), Error> {
        self.reserve(from.len())?;
        let (at, n) = (self.all.len(), from.len());
        let past_caches = plain && size_of_val(&self.all[..]) >= CACHED;
        // SAFETY: `reserve` allocated memory for `n` elements after the first `at`, which is not referenced elsewhere, so
        // both ranges are valid for `n` elements and do not overlap. The elements of `from` are initialised, and because
        // the caller does not use them any more, they belong to the vector, as its new length states. Plain elements have
        // no padding, so all bytes are initialised.
        unsafe {
            let to = self.all.as_mut_ptr().add(at);
            let from = from.as_ptr().cast::<T>();
            if past_caches {
                pages::copy_past_caches(to.cast(), from.cast(), n * size_of::<T>());
            } else {
                to.copy_from_nonoverlapping(from, n);
            }
            self.all.set_len(at + n);
        }
        Ok(())
    }
    /// Grows to four times the size if possible: untouched memory costs nothing.
    pub(crate) fn reserve(&mut self, n: usize) -> Result<(), Error> {
        let len = self.all.len();
        if self.all.capacity() - len >= n {
            return Ok(());
        }
        let least = (pages::LINE / size_of::<T>().max(1)).max(1);
        self.grow(n.max((3 * len).clamp(least, 1 << 30)))
            .or_else(|_| self.grow(n.max(len / 2)))?;
        self.touched = len;
        Ok(())
    }
    fn grow(&mut self, more: usize) -> Result<(), Error> {
        let wanted = self.all.len().saturating_add(more);
        if let Some(kept) = pool::kept(wanted..=wanted.saturating_mul(2)) {
            self.move_to(kept);
            return Ok(());
        }
        let bytes = more.saturating_mul(size_of::<T>());
        let full = |_| Error::OutOfMemory { bytes };
        if !self.huge_pages {
            return self.all.try_reserve_exact(more).map_err(full);
        }
        // Growing in place would keep small pages.
        let mut larger = Vec::new();
        larger.try_reserve_exact(wanted).map_err(full)?;
        pages::advise_huge(larger.spare_capacity_mut());
        self.move_to(larger);
        Ok(())
    }
    fn move_to(&mut self, mut larger: Vec<T>) {
        larger.append(&mut self.all);
        pool::keep(replace(&mut self.all, larger));
    }
    pub(crate) fn resize_with(
        &mut self,
        len: usize,
        value: impl FnMut() -> T,
    ) -> Result<(), Error> {
        self.reserve(len.saturating_sub(self.all.len()))?;
        self.all.resize_with(len, value);
        Ok(())
    }
    pub(crate) fn push(&mut self, value: T) {
        self.all.push(value);
    }
    pub(crate) fn truncate(&mut self, len: usize) {
        self.touched = self.touched.max(self.all.len());
        self.all.truncate(len);
    }
    pub(crate) fn take_from(&mut self, len: usize) -> impl Iterator<Item = T> {
        self.touched = self.touched.max(self.all.len());
        self.all.drain(len.min(self.all.len())..)
    }
    pub(crate) fn allocated(&self) -> usize {
        self.touched.max(self.all.len()) * size_of::<T>()
    }
    pub(crate) fn held(&self) -> usize {
        self.all.capacity() * size_of::<T>()
    }
}
impl<T: 'static> Default for Column<T> {
    fn default() -> Self {
        Column::new()
    }
}
impl<T: 'static> Drop for Column<T> {
    fn drop(&mut self) {
        self.all.clear();
        pool::keep(take(&mut self.all));
    }
}
impl<T: 'static> Deref for Column<T> {
    type Target = [T];
    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.all
    }
}
impl<T: 'static> DerefMut for Column<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.all
    }
}
