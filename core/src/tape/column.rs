//! A vector that is appended to, with a stage before it.
//!
//! New elements go into a small stage that stays in the processor's first cache; a full stage is moved to
//! the end of the vector past the caches. Everything but appending works on the vector, after a
//! [`flush`](Column::flush).
#![allow(unsafe_code)] // a push without a second check, and a move past the caches
use super::{error::Error, pages, stream::PIECES};
use std::ops::{Deref, DerefMut};

pub(crate) struct Column<T> {
    all: Vec<T>,
    stage: Vec<T>,
    /// Elements that were in the vector's memory before it was truncated.
    touched: usize,
    /// Elements are plain data without padding.
    plain: bool,
    huge_pages: bool,
}
/// Below so many bytes, elements are moved through the caches, where a sweep will find them.
const CACHED: usize = 1 << 20;
/// Elements that are worth a move.
const MANY: usize = 64;
impl<T> Column<T> {
    /// `plain` tells that elements are `bytemuck::Pod`.
    pub(crate) fn new(plain: bool) -> Self {
        Column {
            all: Vec::new(),
            stage: Vec::new(),
            touched: 0,
            plain,
            huge_pages: false,
        }
    }
    pub(crate) fn use_huge_pages(&mut self, huge_pages: bool) {
        self.huge_pages = huge_pages;
    }
    /// Appends `value` and tells its place. There is room for `PIECES` of them after a [`settle`](Self::settle) and
    /// after a [`push`](Self::push). Calls nothing.
    #[inline(always)]
    pub(crate) fn push_here(&mut self, value: T) -> usize {
        let at = self.stage.len();
        assert!(at < self.stage.capacity(), "a stage with room");
        // SAFETY: `at < capacity`, so the place is allocated; it is written before the length covers it.
        unsafe {
            self.stage.as_mut_ptr().add(at).write(value);
            self.stage.set_len(at + 1);
        }
        self.all.len() + at
    }
    /// All elements, staged ones included.
    pub(crate) fn len(&self) -> usize {
        self.all.len() + self.stage.len()
    }
    /// Moves the staged elements to the vector, if they are many.
    pub(crate) fn settle(&mut self) -> Result<(), Error> {
        if self.stage.len() >= MANY {
            self.flush()?;
        }
        self.stage.reserve(PIECES);
        Ok(())
    }
    /// Makes room for `count` more elements.
    pub(crate) fn make_room_for(&mut self, count: usize) -> Result<(), Error> {
        self.flush()?;
        self.reserve(count)?;
        self.settle()
    }
    /// Appends `value`; room was made.
    pub(crate) fn push(&mut self, value: T) -> usize {
        self.stage.push(value);
        // Room was made in the vector for what is staged.
        let _ = self.settle();
        self.len() - 1
    }
    /// Moves the staged elements to the vector.
    pub(crate) fn flush(&mut self) -> Result<(), Error> {
        let n = self.stage.len();
        if n == 0 {
            return Ok(());
        }
        self.reserve(n)?;
        let at = self.all.len();
        if !self.plain || size_of_val(&self.all[..]) < CACHED {
            self.all.append(&mut self.stage);
            return Ok(());
        }
        // SAFETY: `reserve` made room for `n` elements after the first `at`, so both ranges are valid for
        // `n` elements and apart. Elements are plain data: their bytes are initialised, and to copy them
        // is to move them, which the lengths then say.
        unsafe {
            let (to, from) = (
                self.all.as_mut_ptr().add(at).cast(),
                self.stage.as_ptr().cast(),
            );
            pages::copy_past_caches(to, from, n * size_of::<T>());
            self.stage.set_len(0);
            self.all.set_len(at + n);
        }
        Ok(())
    }
    /// Room for `n` more elements in the vector, which becomes four times as large if it must grow and there is so
    /// much memory: its elements have to be copied then, while memory that nobody touches costs nothing.
    pub(crate) fn reserve(&mut self, n: usize) -> Result<(), Error> {
        let len = self.all.len();
        if self.all.capacity() - len >= n {
            return Ok(());
        }
        self.grow(n.max((3 * len).clamp(64, 1 << 30)))
            .or_else(|_| self.grow(n.max(len / 2)))?;
        self.touched = len;
        Ok(())
    }
    fn grow(&mut self, more: usize) -> Result<(), Error> {
        let bytes = more * size_of::<T>();
        let full = |_| Error::OutOfMemory { bytes };
        if !self.huge_pages {
            return self.all.try_reserve_exact(more).map_err(full);
        }
        // New memory, as a vector that grows in place keeps the small pages it has.
        let mut larger = Vec::new();
        larger
            .try_reserve_exact(self.all.len() + more)
            .map_err(full)?;
        pages::advise_huge(larger.spare_capacity_mut());
        larger.append(&mut self.all);
        self.all = larger;
        Ok(())
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
    pub(crate) fn clear(&mut self) {
        self.truncate(0);
        self.stage.clear();
    }
    /// Takes all elements from `len` on.
    pub(crate) fn take_from(&mut self, len: usize, take: impl FnMut(T)) {
        self.touched = self.touched.max(self.all.len());
        let all = self.all.drain(len.min(self.all.len())..);
        all.chain(self.stage.drain(..)).for_each(take);
    }
    /// Bytes allocated, as far as they are or were in use.
    pub(crate) fn allocated(&self) -> usize {
        let used = self.touched.max(self.all.len());
        (used + self.stage.capacity()) * size_of::<T>()
    }
}
impl<T> Deref for Column<T> {
    type Target = [T];
    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.all
    }
}
impl<T> DerefMut for Column<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.all
    }
}
