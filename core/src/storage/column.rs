//! A very long vector: fallible growth, huge pages, and appending to reserved memory.
//!
//! Guarantee: all elements are initialised.
#![allow(unsafe_code)] // elements are appended without code for growth
use super::{pages, pool, stream::PIECES};
use crate::error::Error;
use std::{
    mem::{replace, take},
    ops::{Deref, DerefMut},
};

/// The elements reserved for a window of statements.
pub(crate) const RESERVED: usize = 256;
/// The elements appended before the next check, if the last statement appends eight.
const BEFORE_CHECK: usize = PIECES + 7;
const _: () = assert!(RESERVED >= BEFORE_CHECK);

pub struct Column<T: 'static> {
    all: Vec<T>,
    touched: usize,
    huge_pages: bool,
}
debug_by_name! { [T: 'static] Column<T> }

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
    /// Appends `value` to reserved memory, and returns its index.
    #[inline(always)]
    pub(crate) fn append(&mut self, value: T) -> usize {
        let at = self.all.len();
        assert!(at < self.all.capacity(), "memory is reserved");
        // SAFETY: `at` is within the capacity, and all elements before it are initialised.
        unsafe {
            self.all.as_mut_ptr().add(at).write(value);
            self.all.set_len(at + 1);
        }
        at
    }
    /// Appends `value`, for which a caller without such a check has reserved memory in most cases.
    pub(crate) fn push(&mut self, value: T) -> usize {
        self.all.push(value);
        self.all.len() - 1
    }
    /// Checks for space after a statement with several elements; for others the check at the end of a window suffices.
    #[inline(always)]
    pub(crate) fn has_room(&self) -> bool {
        self.all.capacity() - self.all.len() >= BEFORE_CHECK
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
