//! Large memory: fallible allocation, huge pages and prefetches.
//!
//! Guarantee: a prefetched address is never read.
#![allow(unsafe_code)] // instructions and system calls that std does not offer
use crate::error::Error;

pub(crate) const LINE: usize = 64;

/// Untouched slices take no physical memory.
pub(crate) fn zeroed(size: usize) -> Result<Box<[u8]>, Error> {
    bytemuck::allocation::try_zeroed_slice_box(size)
        .map_err(|()| Error::OutOfMemory { bytes: size })
}

/// Requests huge pages, for fewer page faults and TLB misses; ignores failures.
pub(crate) fn advise_huge<T>(memory: &mut [T]) {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        const PAGE: usize = 4096;
        let bytes = size_of_val(memory);
        let start = memory.as_mut_ptr().cast::<u8>();
        let skip = start.align_offset(PAGE);
        if let Some(len) = bytes
            .checked_sub(skip)
            .map(|len| len / PAGE * PAGE)
            .filter(|len| *len > 0)
        {
            // SAFETY: the range `skip..skip + len` is within `memory`, which is borrowed uniquely, and
            // `MADV_HUGEPAGE` keeps contents and mapping.
            unsafe { libc::madvise(start.add(skip).cast(), len, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    let _ = memory;
}

#[inline(always)]
pub(crate) fn prefetch<T>(address: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch is a hint, valid for every address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = address;
}
/// Prefetches a slice, where processors cannot predict the access, as at the beginning of a row.
#[inline(always)]
pub fn prefetch_slice<T>(slice: &[T]) {
    let line = (LINE / size_of::<T>().max(1)).max(1);
    slice.iter().step_by(line).for_each(|x| prefetch(x));
}
