//! A stream of bytes, appended and read in pieces.
//!
//! ```text
//! stage   [ bytes not yet moved | room   | slack ]   1 KiB, stays in the processor's first cache
//!                               front    limit
//! arenas  [ full ] [ full ] [ moved | room | stage's bytes go here ... ]
//!                                   base
//! ```
//! A full stage moves its whole cache lines to the arena past the caches, a few at a time while the program continues;
//! direct writes would read every line first. Arenas never move, and a piece is in one arena. A short stream has a
//! narrow stage, and writes pieces to arenas.
//!
//! Guarantee: returned pieces are initialised, are within the stage or one arena, and do not overlap.
#![allow(unsafe_code)] // pieces are returned from raw memory, after one check for space
use super::{
    pages::{self, LINE},
    pool,
};
use crate::error::Error;
use std::{
    mem::take,
    ptr::{NonNull, slice_from_raw_parts_mut},
};

/// With 8 KiB recording takes a tenth longer.
const STAGE: usize = 1024;
/// A narrow stage holds the last line of the arena.
const NARROW: usize = LINE;
/// Bytes after the stage and each arena for pieces written before a check.
pub(crate) const SLACK: usize = 512;
/// The most pieces of eight bytes before the stage is moved.
pub(super) const PIECES: usize = STAGE / 8 + 1;
const SEAM: usize = 8192;
const FIRST: usize = 256;
/// From the first size on, arenas double the total size, up to the second.
const ARENA: (usize, usize) = (1 << 16, 1 << 26);
const CACHED: usize = 1 << 19;

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

struct Arena {
    memory: Box<[u8]>,
    skip: usize,
    /// The bytes in use, valid once another arena follows.
    used: usize,
}
impl Arena {
    fn new(size: usize, huge_pages: bool) -> Result<Self, Error> {
        let bytes = size.saturating_add(SLACK + LINE);
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
        let skip = memory.as_ptr().align_offset(LINE).min(LINE);
        Ok(Arena {
            memory,
            skip,
            used: 0,
        })
    }
    /// A small piece may exceed them.
    fn size(&self) -> usize {
        self.memory.len() - LINE - SLACK
    }
    fn bytes(&mut self) -> &mut [u8] {
        let end = self.skip + self.size() + SLACK;
        &mut self.memory[self.skip..end]
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        pool::keep(take(&mut self.memory).into_vec());
    }
}

/// Invariant: `start` came from a `Box<[u8]>` of `stage + SLACK` bytes and is owned; `start <= front <= limit` point into its first
/// `stage` bytes or to their end. If there is an arena, the stage's bytes up to `limit` fit after `base` in the last one, and unless
/// it is full, another small piece does, too.
pub(crate) struct Stream {
    start: NonNull<u8>,
    front: NonNull<u8>,
    limit: NonNull<u8>,
    stage: usize,
    synced: bool,
    /// Whole lines in the arena before the staged bytes.
    base: usize,
    /// The arena in use; later ones are reused.
    last: usize,
    arenas: Vec<Arena>,
    /// Ordered, few bytes or one piece apart.
    boundaries: Vec<StreamPosition>,
    size: Option<usize>,
    huge_pages: bool,
}
impl Drop for Stream {
    fn drop(&mut self) {
        self.free_stage();
    }
}
fn stage_of(stage: usize) -> NonNull<u8> {
    NonNull::from(Box::leak(vec![0_u8; stage + SLACK].into_boxed_slice())).cast()
}
impl Stream {
    pub(crate) fn new(size: Option<usize>, huge_pages: bool) -> Self {
        let start = stage_of(NARROW);
        Stream {
            start,
            front: start,
            limit: start,
            stage: NARROW,
            synced: true,
            base: 0,
            last: 0,
            arenas: Vec::new(),
            boundaries: Vec::new(),
            size,
            huge_pages,
        }
    }
    /// The stage must not be used again.
    fn free_stage(&mut self) {
        let stage = slice_from_raw_parts_mut(self.start.as_ptr(), self.stage + SLACK);
        // SAFETY: by the invariant it came from such a box, and the caller does not use it again.
        drop(unsafe { Box::from_raw(stage) });
    }
    pub(crate) fn widen(&mut self) {
        if self.stage < STAGE {
            self.sync();
            let staged = self.staged();
            self.free_stage();
            (self.start, self.stage) = (stage_of(STAGE), STAGE);
            self.set(staged, staged);
        }
    }
    fn parts(&mut self) -> Option<(&mut [u8], &mut Arena)> {
        let arena = self.arenas.get_mut(self.last)?;
        // SAFETY: `start` is owned, has this many bytes, which are initialised and do not overlap with the arenas, and is
        // borrowed as long as `self`.
        let stage =
            unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.stage + SLACK) };
        Some((stage, arena))
    }
    fn staged(&self) -> usize {
        self.front.addr().get() - self.start.addr().get()
    }
    fn set(&mut self, staged: usize, limit: usize) {
        assert!(
            staged <= limit && limit <= self.stage,
            "the data fits the stage"
        );
        // SAFETY: both stay within the allocation, and in order.
        unsafe {
            self.front = self.start.add(staged);
            self.limit = self.start.add(limit);
        }
    }
    fn has_capacity(&self, n: usize) -> bool {
        self.limit.addr().get() - self.front.addr().get() >= n
    }
    /// Returns the next `n` bytes, at most `SLACK`, to be written before [`take`](Self::take).
    #[inline(always)]
    pub(crate) fn next(&mut self, n: usize) -> &mut [u8] {
        assert!(n <= SLACK, "a piece has at most `SLACK` bytes");
        // SAFETY: `front` is at most `stage` bytes after the start of the allocation and `n <= SLACK`, so the piece is
        // within the allocation, which is initialised and owned. The piece borrows `self`.
        unsafe { std::slice::from_raw_parts_mut(self.front.as_ptr(), n) }
    }
    /// Counts `n` written bytes, at most `SLACK`. After false, the caller must [reserve](Self::reserve) memory.
    #[inline(always)]
    pub(crate) fn take(&mut self, n: usize) -> bool {
        assert!(n <= SLACK, "a piece has at most `SLACK` bytes");
        // SAFETY: as in `next`, the end of the piece is within the allocation or its end.
        let end = unsafe { self.front.add(n) };
        if end > self.limit {
            self.drain_stage(n);
            return false;
        }
        self.front = end;
        true
    }
    fn append_staged(&mut self, n: usize) -> Option<&mut [u8]> {
        let at = self.staged();
        if !self.has_capacity(n) {
            return None;
        }
        let limit = self.limit.addr().get() - self.start.addr().get();
        self.set(at + n, limit);
        let (stage, _) = self.parts()?;
        Some(&mut stage[at..at + n])
    }
    fn refill(&mut self, n: usize) -> bool {
        self.drain_stage(0);
        self.has_capacity(n)
    }
    #[cold]
    #[inline(never)]
    fn drain_stage(&mut self, fresh: usize) {
        let (staged, base) = (self.staged() + fresh, self.base);
        let synced = self.synced;
        self.mark_seam();
        let most = self.stage;
        let (stage, arena) = self.parts().expect("`reserve` is called first");
        let past = arena.size() >= CACHED;
        let size = arena.size();
        let arena = arena.bytes();
        let moved = staged / LINE * LINE;
        if synced {
            let known = staged - fresh;
            stage[..known].copy_from_slice(&arena[base..base + known]);
            arena[base + known..base + staged].copy_from_slice(&stage[known..staged]);
        } else if past {
            let (from, to) = (&stage[..moved], &mut arena[base..base + moved]);
            // SAFETY: two slices of initialised bytes of equal length, which do not overlap because one is borrowed
            // uniquely.
            unsafe { pages::copy_past_caches(to.as_mut_ptr(), from.as_ptr(), moved) };
        } else {
            arena[base..base + moved].copy_from_slice(&stage[..moved]);
            // The next lines may have left the caches.
            if let Some(next) = arena.get(base + moved..base + moved + STAGE) {
                pages::prefetch_slice(next);
            }
        }
        stage.copy_within(moved..staged, 0);
        self.synced = false;
        self.base += moved;
        let (left, room) = (staged - moved, size.saturating_sub(base + moved));
        self.set(left, room.min(most).max(left));
    }
    pub(crate) fn reserve(&mut self, n: usize) -> Result<bool, Error> {
        if n > self.stage - LINE {
            return Ok(false);
        }
        if self.arenas.is_empty() {
            self.next_arena(n)?;
        }
        if !self.has_capacity(n) && !self.refill(n) {
            self.next_arena(n)?;
            self.refill(n);
        }
        Ok(true)
    }
    pub(crate) fn append(&mut self, n: usize) -> Result<&mut [u8], Error> {
        if self.reserve(n)? {
            return Ok(self.append_staged(n).expect("`reserve` made enough space"));
        }
        self.sync();
        let fits = |a: &Arena, at: usize| at + n <= a.size();
        let at = self.end().at;
        if !self.arenas.get(self.last).is_some_and(|a| fits(a, at)) {
            self.next_arena(n)?;
        }
        let at = self.end().at;
        self.mark_seam();
        self.go_to(at + n);
        self.mark_seam();
        Ok(&mut self.arenas[self.last].bytes()[at..at + n])
    }
    fn mark_seam(&mut self) {
        let end = self.end();
        let is_near = |last: &StreamPosition| last.arena == end.arena && end.at < last.at + SEAM;
        if !self.boundaries.last().is_some_and(is_near) {
            self.boundaries.push(end);
        }
    }
    fn go_to(&mut self, at: usize) {
        self.base = at / LINE * LINE;
        self.set(at - self.base, at - self.base);
        self.synced = true;
    }
    fn next_arena(&mut self, n: usize) -> Result<(), Error> {
        self.sync();
        let used = self.end().at;
        let next = if used > 0 { self.last + 1 } else { self.last };
        if self.arenas.get(next).is_none_or(|a| a.size() < n) {
            let size = self.size.unwrap_or_else(|| {
                let all: usize = self.arenas[..next].iter().map(Arena::size).sum();
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
        self.go_to(0);
        Ok(())
    }
    pub(crate) fn sync(&mut self) {
        if self.synced {
            return;
        }
        let (staged, base) = (self.staged(), self.base);
        if let Some((stage, arena)) = self.parts() {
            arena.bytes()[base..base + staged].copy_from_slice(&stage[..staged]);
        }
        self.go_to(base + staged);
    }
    pub(crate) fn end(&self) -> StreamPosition {
        StreamPosition {
            arena: self.last,
            at: self.base + self.staged(),
        }
    }
    pub(crate) fn truncate(&mut self, to: StreamPosition) {
        self.sync();
        self.last = to.arena;
        self.go_to(to.at);
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
        self.sync();
        let StreamPosition { arena: last, at } = to;
        let used = self.arenas.iter_mut().enumerate().take(last + 1);
        used.skip(from.arena).map(move |(i, arena)| {
            let end = if i == last { at } else { arena.used };
            let start = if i == from.arena { from.at } else { 0 };
            &mut arena.bytes()[start..end]
        })
    }
    pub(crate) fn each_segment_after(
        &mut self,
        from: StreamPosition,
        mut visit: impl FnMut(&mut [u8]),
    ) {
        self.sync();
        let StreamPosition { arena: last, at } = self.end();
        let mut boundaries = self
            .boundaries
            .iter()
            .filter(|boundary| **boundary > from)
            .peekable();
        let used = self.arenas.iter_mut().enumerate().take(last + 1);
        for (i, arena) in used.skip(from.arena) {
            let end = if i == last { at } else { arena.used };
            let mut start = if i == from.arena { from.at } else { 0 };
            let mut rest = &mut arena.bytes()[start..end];
            while let Some(boundary) = boundaries.next_if(|boundary| boundary.arena == i) {
                let (segment, after) = rest.split_at_mut(boundary.at - start);
                (rest, start) = (after, boundary.at);
                visit(segment);
            }
            visit(rest);
        }
    }
    pub(crate) fn word(&self, arena: usize, at: usize) -> u32 {
        let staged = if self.synced || arena != self.last {
            usize::MAX
        } else {
            self.base
        };
        let arena = &self.arenas[arena];
        // SAFETY: `start` is owned, has this many bytes, which are initialised, and is borrowed as long as `self`.
        let stage = unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.stage) };
        let byte = |i: usize| match (at + i).checked_sub(staged) {
            Some(at) => stage[at],
            None => arena.memory[arena.skip + at + i],
        };
        u32::from_ne_bytes(std::array::from_fn(byte))
    }
    pub(crate) fn allocated(&self) -> usize {
        let full: usize = self.arenas.iter().take(self.last).map(Arena::size).sum();
        full + self.base + self.stage
    }
    pub(crate) fn held(&self) -> usize {
        let arenas: usize = self.arenas.iter().map(|arena| arena.memory.len()).sum();
        let lists = self.arenas.capacity() * size_of::<Arena>()
            + self.boundaries.capacity() * size_of::<StreamPosition>();
        arenas + lists + self.stage + SLACK
    }
    /// Touches memory, to avoid page faults later.
    pub(crate) fn preallocate(&mut self, bytes: usize) -> Result<(), Error> {
        if bytes > 0 {
            let mut arena = Arena::new(bytes.saturating_add(STAGE), self.huge_pages)?;
            arena.memory.fill(0xa5);
            self.arenas.push(arena);
        }
        Ok(())
    }
}
