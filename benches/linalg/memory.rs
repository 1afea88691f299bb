//! Counts the bytes that are allocated, so that what a tape keeps and what a hand-written adjoint keeps are measured
//! alike. One counter that is read and written apart, as the atomic additions of the crates for this take about as
//! long as a small allocation: with several threads the count would be wrong, never the memory.
use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

static LIVE: AtomicUsize = AtomicUsize::new(0);

/// Bytes that are allocated now.
pub(crate) fn live() -> usize {
    LIVE.load(Relaxed)
}
fn count(change: impl FnOnce(usize) -> usize) {
    LIVE.store(change(LIVE.load(Relaxed)), Relaxed);
}

/// The allocator of the system, with a count.
pub(crate) struct Counting;
// SAFETY: every call goes to the allocator of the system as it is, which fulfils the contract; counting
// neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(|n| n.wrapping_add(layout.size()));
        // SAFETY: the caller's promises are those that are asked for.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(|n| n.wrapping_add(layout.size()));
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(|n| n.wrapping_sub(layout.size()));
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(|n| n.wrapping_sub(layout.size()).wrapping_add(size));
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
