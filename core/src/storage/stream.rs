//! A stream of bytes, appended and read in pieces.
//!
//! ```text
//! arenas  [ full ] [ full ] [ pieces | window     | room .. | slack ]
//!                           start    front    limit
//! ```
//! Pieces are written into a window of 1 KiB. At its end the caller checks memory, and the next window begins. Arenas never
//! move, and a piece is in one arena.
//!
//! Guarantee: returned pieces are initialised, are within one arena, and do not overlap.
#![allow(unsafe_code)] // pieces are returned from raw memory, after one check for space
use super::{pages, pool};
use crate::error::Error;
use std::{
    mem::take,
    ptr::{NonNull, slice_from_raw_parts_mut},
    slice::from_raw_parts_mut,
};

const WINDOW: usize = 1024;
/// Bytes after each arena for pieces written before a check.
pub(crate) const SLACK: usize = 512;
/// The most pieces of eight bytes in a window.
pub(super) const PIECES: usize = WINDOW / 8 + 1;
const SEAM: usize = 8192;
const FIRST: usize = 256;
/// From the first size on, arenas double the total size, up to the second.
const ARENA: (usize, usize) = (1 << 16, 1 << 26);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct StreamPosition {
    arena: usize,
    at: usize,
}

pub(crate) struct Span {
    pub(crate) arena: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Invariant: `start` came from a `Box<[u8]>` of `size + SLACK` bytes and is owned. All references to the bytes are derived
/// from it, so that the stream's pointers stay valid.
struct Arena {
    start: NonNull<u8>,
    /// A small piece may exceed it.
    size: usize,
    /// The bytes in use, valid once another arena follows.
    used: usize,
}
impl Arena {
    fn new(size: usize, huge_pages: bool) -> Result<Self, Error> {
        let bytes = size.saturating_add(SLACK);
        let memory = match pool::kept(bytes..=bytes) {
            Some(kept) => kept.into_boxed_slice(),
            None => {
                let mut fresh = pages::zeroed(bytes)?;
                if huge_pages {
                    pages::advise_huge(&mut fresh);
                }
                fresh
            }
        };
        Ok(Arena::of(memory))
    }
    fn of(memory: Box<[u8]>) -> Self {
        Arena {
            size: memory.len() - SLACK,
            start: NonNull::from(Box::leak(memory)).cast(),
            used: 0,
        }
    }
    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: by the invariant `start` is owned, and this many initialised bytes follow it, which are borrowed as long as
        // `self`. Pieces borrow the stream, so none is in use.
        unsafe { from_raw_parts_mut(self.start.as_ptr(), self.size + SLACK) }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        let memory = slice_from_raw_parts_mut(self.start.as_ptr(), self.size + SLACK);
        // SAFETY: by the invariant it came from such a box, and it is not used again.
        pool::keep(unsafe { Box::from_raw(memory) }.into_vec());
    }
}

/// Invariant: `start <= front <= limit` point into the arena in use, or into `idle` if there is none or its slack has begun. At least
/// `SLACK` bytes follow `limit` there.
pub(crate) struct Stream {
    start: NonNull<u8>,
    front: NonNull<u8>,
    limit: NonNull<u8>,
    /// The bytes in the arena before `start`.
    base: usize,
    /// The arena in use; later ones are reused.
    last: usize,
    arenas: Vec<Arena>,
    /// Without space for pieces that count.
    idle: Arena,
    /// Ordered, few bytes or one piece apart.
    boundaries: Vec<StreamPosition>,
    size: Option<usize>,
    huge_pages: bool,
}
impl Stream {
    pub(crate) fn new(size: Option<usize>, huge_pages: bool) -> Self {
        let idle = Arena::of(vec![0; SLACK].into_boxed_slice());
        Stream {
            start: idle.start,
            front: idle.start,
            limit: idle.start,
            base: 0,
            last: 0,
            arenas: Vec::new(),
            idle,
            boundaries: Vec::new(),
            size,
            huge_pages,
        }
    }
    /// Begins a window of at most `window` bytes at `at` in the arena in use.
    fn go_to(&mut self, at: usize, window: usize) {
        self.base = at;
        let arena = self.arenas.get(self.last);
        let room = arena.and_then(|arena| Some((arena.start, arena.size.checked_sub(at)?)));
        // SAFETY: the arena has `at + room + SLACK` bytes.
        let (start, limit) = unsafe {
            match room {
                Some((start, room)) => (start.add(at), start.add(at + room.min(window))),
                None => (self.idle.start, self.idle.start),
            }
        };
        (self.start, self.front, self.limit) = (start, start, limit);
    }
    fn has_capacity(&self, n: usize) -> bool {
        self.limit.addr().get() - self.front.addr().get() >= n
    }
    /// Returns the next `n` bytes, at most `SLACK`, to be written before [`take`](Self::take).
    #[inline(always)]
    pub(crate) fn next(&mut self, n: usize) -> &mut [u8] {
        assert!(n <= SLACK, "a piece has at most `SLACK` bytes");
        // SAFETY: by the invariant `SLACK` bytes follow `front`, which are initialised and owned. The piece borrows `self`.
        unsafe { from_raw_parts_mut(self.front.as_ptr(), n) }
    }
    /// Counts `n` written bytes, at most `SLACK`. After false, the caller must [reserve](Self::reserve) memory.
    #[inline(always)]
    pub(crate) fn take(&mut self, n: usize) -> bool {
        assert!(n <= SLACK, "a piece has at most `SLACK` bytes");
        // SAFETY: as in `next`, the end of the piece is within the allocation or its end.
        let end = unsafe { self.front.add(n) };
        if end > self.limit {
            self.end_window(n);
            return false;
        }
        self.front = end;
        true
    }
    #[cold]
    #[inline(never)]
    fn end_window(&mut self, n: usize) {
        assert!(self.start != self.idle.start, "`reserve` is called first");
        self.mark_seam();
        self.go_to(self.end().at + n, WINDOW);
    }
    fn fits(&self, n: usize) -> bool {
        let arena = self.arenas.get(self.last);
        arena.is_some_and(|arena| self.end().at + n <= arena.size)
    }
    /// Reserves memory for small pieces.
    pub(crate) fn reserve(&mut self) -> Result<(), Error> {
        if !self.fits(1) {
            self.next_arena(1)?;
        }
        if !self.has_capacity(1) {
            self.go_to(self.end().at, WINDOW);
        }
        Ok(())
    }
    pub(crate) fn append(&mut self, n: usize) -> Result<&mut [u8], Error> {
        if !self.fits(n) {
            self.next_arena(n)?;
        }
        let at = self.end().at;
        if self.has_capacity(n) {
            // SAFETY: this is at most `limit`.
            self.front = unsafe { self.front.add(n) };
        } else {
            self.mark_seam();
            self.go_to(at + n, 0);
            self.mark_seam();
        }
        Ok(&mut self.arenas[self.last].bytes()[at..at + n])
    }
    fn mark_seam(&mut self) {
        let end = self.end();
        let is_near = |last: &StreamPosition| last.arena == end.arena && end.at < last.at + SEAM;
        if !self.boundaries.last().is_some_and(is_near) {
            self.boundaries.push(end);
        }
    }
    fn next_arena(&mut self, n: usize) -> Result<(), Error> {
        let used = self.end().at;
        let next = if used > 0 { self.last + 1 } else { self.last };
        if self.arenas.get(next).is_none_or(|a| a.size < n) {
            let size = self.size.unwrap_or_else(|| {
                let all: usize = self.arenas[..next].iter().map(|a| a.size).sum();
                match all < ARENA.0 {
                    true => (3 * all).clamp(FIRST, ARENA.0),
                    false => all.min(ARENA.1),
                }
            });
            let arena = Arena::new(size.max(n), self.huge_pages)?;
            self.arenas.insert(next, arena);
        }
        if next > self.last {
            self.arenas[self.last].used = used;
        }
        self.last = next;
        self.go_to(0, 0);
        Ok(())
    }
    pub(crate) fn end(&self) -> StreamPosition {
        StreamPosition {
            arena: self.last,
            at: self.base + (self.front.addr().get() - self.start.addr().get()),
        }
    }
    pub(crate) fn truncate(&mut self, to: StreamPosition) {
        self.last = to.arena;
        self.go_to(to.at, 0);
        let kept = self.boundaries.partition_point(|boundary| *boundary <= to);
        self.boundaries.truncate(kept);
    }
    pub(crate) fn runs(&self, from: StreamPosition) -> impl Iterator<Item = Span> {
        self.runs_between(from, self.end())
    }
    fn runs_between(&self, from: StreamPosition, to: StreamPosition) -> impl Iterator<Item = Span> {
        let StreamPosition { arena: last, at } = to;
        let used = self.arenas.iter().enumerate().take(last + 1);
        used.skip(from.arena).map(move |(i, arena)| Span {
            arena: i,
            start: if i == from.arena { from.at } else { 0 },
            end: if i == last { at } else { arena.used },
        })
    }
    pub(crate) fn between(
        &mut self,
        from: StreamPosition,
        to: StreamPosition,
    ) -> impl DoubleEndedIterator<Item = &mut [u8]> {
        let StreamPosition { arena: last, at } = to;
        let used = self.arenas.iter_mut().enumerate().take(last + 1);
        used.skip(from.arena).map(move |(i, arena)| {
            let end = if i == last { at } else { arena.used };
            let start = if i == from.arena { from.at } else { 0 };
            &mut arena.bytes()[start..end]
        })
    }
    /// Returns the pieces between boundaries, each within one arena.
    pub(crate) fn segments_after(
        &mut self,
        from: StreamPosition,
    ) -> impl Iterator<Item = &mut [u8]> {
        let StreamPosition { arena: last, at } = self.end();
        let boundaries = self.boundaries.iter();
        let mut boundaries = boundaries.filter(move |b| **b > from).peekable();
        let used = self.arenas.iter_mut().enumerate().take(last + 1);
        let mut arenas = used.skip(from.arena);
        let (mut start, mut rest): (_, &mut [u8]) = (from, &mut []);
        std::iter::from_fn(move || {
            while rest.is_empty() {
                let (i, arena) = arenas.next()?;
                if i > start.arena {
                    start = StreamPosition { arena: i, at: 0 };
                }
                let end = if i == last { at } else { arena.used };
                rest = &mut arena.bytes()[start.at..end];
            }
            let boundary = boundaries.next_if(|b| b.arena == start.arena);
            let size = boundary.map_or(rest.len(), |b| b.at - start.at);
            let (segment, after) = take(&mut rest).split_at_mut(size);
            rest = after;
            start.at += size;
            Some(segment)
        })
    }
    pub(crate) fn word(&self, arena: usize, at: usize) -> u32 {
        let arena = &self.arenas[arena];
        assert!(at + size_of::<u32>() <= arena.size + SLACK, "a word");
        // SAFETY: by the invariant of the arena these bytes are initialised and owned, and no piece is in use.
        unsafe { arena.start.add(at).cast().read_unaligned() }
    }
    pub(crate) fn allocated(&self) -> usize {
        let full: usize = self.arenas.iter().take(self.last).map(|a| a.size).sum();
        full + self.end().at
    }
    pub(crate) fn held(&self) -> usize {
        let arenas = self.arenas.iter().chain([&self.idle]);
        let lists = self.arenas.capacity() * size_of::<Arena>()
            + self.boundaries.capacity() * size_of::<StreamPosition>();
        arenas.map(|arena| arena.size + SLACK).sum::<usize>() + lists
    }
    /// Touches memory, to avoid page faults later.
    pub(crate) fn preallocate(&mut self, bytes: usize) -> Result<(), Error> {
        if bytes > 0 {
            let mut arena = Arena::new(bytes.saturating_add(WINDOW), self.huge_pages)?;
            arena.bytes().fill(0xa5);
            self.arenas.push(arena);
        }
        Ok(())
    }
}
