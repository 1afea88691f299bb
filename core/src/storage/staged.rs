//! A column with a small ring in the first-level cache, from which many new elements are moved at once. Other
//! operations [`flush`](Staged::flush) first. The initial ring has one element, so short columns stay small.
//!
//! Guarantee: each appended element is either in the ring or in the column, and is returned or dropped once.
#![allow(unsafe_code)] // elements move through uninitialised memory
use super::{column::Column, masked::Masked, pages::LINE, stream::PIECES};
use crate::error::Error;
use std::{
    mem::MaybeUninit,
    ops::{Deref, DerefMut},
};

/// Bytes moved at once: as many cache lines as a processor writes at a time.
const WORTH: usize = 512;
const MANY: usize = 64;
/// Elements not worth a move, and those before the next check.
pub(crate) const RING: usize = 256;
/// The elements appended before the next check, if the last statement appends eight.
const BEFORE_CHECK: usize = PIECES + 7;
const _: () = assert!(RING.is_power_of_two() && RING >= MANY + BEFORE_CHECK);

/// Invariants: `plain` is true only for `bytemuck::Pod` elements. The elements `column.len()..end` are initialised in `ring`, each at
/// its index modulo the ring's length, if they are at most that many.
pub struct Staged<T: 'static> {
    column: Column<T>,
    ring: Masked<MaybeUninit<T>>,
    end: usize,
    plain: bool,
}
debug_by_name! { [T: 'static] Staged<T> }
impl<T: 'static> Staged<T> {
    pub(crate) fn plain() -> Self
    where
        T: bytemuck::Pod,
    {
        Self::new(true)
    }
    pub(crate) fn owning() -> Self {
        Self::new(false)
    }
    fn new(plain: bool) -> Self {
        Staged {
            column: Column::new(),
            ring: Masked::new(1, MaybeUninit::uninit),
            end: 0,
            plain,
        }
    }
    pub(crate) fn use_huge_pages(&mut self, huge_pages: bool) {
        self.column.use_huge_pages(huge_pages);
    }
    pub(crate) fn widen(&mut self) -> Result<(), Error> {
        if self.ring.len() < RING {
            self.flush()?;
            self.ring = Masked::new(RING, MaybeUninit::uninit);
        }
        Ok(())
    }
    /// Appends `value` without a check: moving detects an overflow. A [wide](Self::widen) ring has space for a full
    /// stage of statements after [`drain_stage`](Self::drain_stage) and [`push`](Self::push).
    #[inline(always)]
    pub(crate) fn push_here(&mut self, value: T) -> usize {
        let at = self.end;
        self.ring.at_mut(at).write(value);
        self.end = at + 1;
        at
    }
    /// Checks for space after a statement with several elements; for others the check of a full stage suffices.
    #[inline(always)]
    pub(crate) fn has_room(&self) -> bool {
        self.end - self.column.len() + BEFORE_CHECK <= RING
    }
    pub(crate) fn len(&self) -> usize {
        self.end
    }
    /// Moves many staged elements, except for the last, incomplete cache line.
    pub(crate) fn drain_stage(&mut self) -> Result<(), Error> {
        if self.ring.len() < RING {
            return self.flush();
        }
        let many = (WORTH / size_of::<T>().max(1)).clamp(1, MANY);
        if self.end - self.column.len() < many {
            return Ok(());
        }
        self.move_up_to(self.end - self.end % (LINE / size_of::<T>().max(1)).max(1))
    }
    pub(crate) fn reserve_for(&mut self, count: usize) -> Result<(), Error> {
        self.flush()?;
        self.column.reserve(count)
    }
    pub(crate) fn push(&mut self, value: T) -> usize {
        let at = self.push_here(value);
        // Reserved for staged elements, too.
        let _ = self.drain_stage();
        at
    }
    pub(crate) fn flush(&mut self) -> Result<(), Error> {
        self.move_up_to(self.end)
    }
    fn move_up_to(&mut self, end: usize) -> Result<(), Error> {
        let from = self.column.len();
        let n = end - from;
        if n == 0 {
            return Ok(());
        }
        let ring = self.ring.all();
        assert!(
            self.end - from <= ring.len(),
            "the ring still contains these elements"
        );
        self.column.reserve(n)?;
        let first = from % ring.len();
        let head = n.min(ring.len() - first);
        let parts = [&ring[first..][..head], &ring[..n - head]];
        for part in parts {
            // SAFETY: by the invariant and the assertion they are initialised, and the column owns them after its length
            // was increased. Elements are `plain` only if `plain` created the column.
            unsafe { self.column.append(part, self.plain)? };
        }
        Ok(())
    }
    fn staged_from(&mut self, len: usize) -> impl Iterator<Item = T> {
        let from = len.max(self.column.len()).min(self.end);
        let standing = self.end - self.column.len() <= self.ring.len();
        let taken = from..if standing { self.end } else { from };
        self.end = from;
        // SAFETY: by the invariant they are initialised, and the new end records that they are taken.
        taken.map(|at| unsafe { self.ring.at(at).assume_init_read() })
    }
    pub(crate) fn resize_with(
        &mut self,
        len: usize,
        value: impl FnMut() -> T,
    ) -> Result<(), Error> {
        self.flush()?;
        self.column.resize_with(len, value)?;
        self.end = self.column.len();
        Ok(())
    }
    pub(crate) fn truncate(&mut self, len: usize) {
        self.staged_from(len).for_each(drop);
        self.column.truncate(len);
        self.end = self.end.min(len);
    }
    pub(crate) fn take_from(&mut self, len: usize, mut take: impl FnMut(T)) {
        self.staged_from(len).for_each(&mut take);
        self.end = self.end.min(len);
        self.column.take_from(len).for_each(take);
    }
    pub(crate) fn allocated(&self) -> usize {
        self.column.allocated() + self.ring.bytes()
    }
    pub(crate) fn held(&self) -> usize {
        self.column.held() + self.ring.bytes()
    }
}
impl<T: 'static> Drop for Staged<T> {
    fn drop(&mut self) {
        self.staged_from(0).for_each(drop);
    }
}
impl<T: 'static> Deref for Staged<T> {
    type Target = [T];
    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.column
    }
}
impl<T: 'static> DerefMut for Staged<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.column
    }
}
