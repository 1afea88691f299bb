//! Counts the allocated bytes. The counter is loaded and stored separately, because an atomic addition takes about as
//! long as a small allocation. With several threads only the count would be wrong.
use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

static LIVE: AtomicUsize = AtomicUsize::new(0);

pub(crate) fn live() -> usize {
    LIVE.load(Relaxed)
}
fn count(change: impl FnOnce(usize) -> usize) {
    LIVE.store(change(LIVE.load(Relaxed)), Relaxed);
}

pub(crate) struct Counting;
// SAFETY: every call is forwarded unchanged to the system allocator, which fulfils the contract; counting neither
// allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(|n| n.wrapping_add(layout.size()));
        // SAFETY: the caller promises the conditions of the called function.
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
