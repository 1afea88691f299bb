//! Large memory: fallible allocation, huge pages, copies and prefetches.
//!
//! Guarantee: a copy stays within the given memory, and a prefetched address is never read.
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

/// Copies past the caches, which neither read nor keep the lines of `to`, for memory that is not read soon.
/// The thread's own reads see the data.
///
/// # Safety
/// `from` is valid for reads and `to` for writes of `n` bytes, the two are apart, and the bytes of `from` are initialised.
pub(crate) unsafe fn copy_past_caches(to: *mut u8, from: *const u8, n: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if to.addr().is_multiple_of(8) && n.is_multiple_of(8) {
        use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si64, _mm_stream_si128};
        // Words up to a cache line, whole lines, remaining words.
        let head = to.align_offset(LINE).min(n);
        let lines = (n - head) / LINE * LINE;
        // SAFETY: `i + 8 <= n`, and `i + LINE <= n`, so every access is within the ranges guaranteed by the caller;
        // `to + i` is aligned to 8, and to 16 where vectors are stored. SSE2 is part of x86_64.
        unsafe {
            let word = |i: usize| {
                _mm_stream_si64(to.add(i).cast(), from.add(i).cast::<i64>().read_unaligned());
            };
            let vector = |i: usize| _mm_loadu_si128(from.add(i).cast());
            let stream = |i: usize, v: __m128i| _mm_stream_si128(to.add(i).cast(), v);
            (0..head).step_by(8).for_each(word);
            for i in (head..head + lines).step_by(LINE) {
                let line = [vector(i), vector(i + 16), vector(i + 32), vector(i + 48)];
                stream(i, line[0]);
                stream(i + 16, line[1]);
                stream(i + 32, line[2]);
                stream(i + 48, line[3]);
            }
            (head + lines..n).step_by(8).for_each(word);
        }
        return;
    }
    // SAFETY: guaranteed by the caller.
    unsafe { std::ptr::copy_nonoverlapping(from, to, n) };
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
#[inline(always)]
pub(crate) fn prefetch_before<T>(all: &[T], at: usize) {
    prefetch(all.as_ptr().wrapping_add(at).wrapping_byte_sub(1024));
}
/// Prefetches a slice, where processors cannot predict the access, as at the beginning of a row.
#[inline(always)]
pub fn prefetch_slice<T>(slice: &[T]) {
    let line = (LINE / size_of::<T>().max(1)).max(1);
    slice.iter().step_by(line).for_each(|x| prefetch(x));
}
