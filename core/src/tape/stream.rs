//! A sequence that grows in chunks and never copies what it holds.
//!
//! ```text
//! full:  [ chunk | chunk | chunk ]      each with the number of elements in use
//! tail:  [ ######........ ]  len        the chunk that is being filled
//! spare: [ chunk ]                      kept from an earlier recording
//! ```
//! A block that is reserved is contiguous: one that does not fit into the tail opens the next chunk,
//! which is enlarged if need be.

/// A position in a stream: chunk and offset.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Mark {
    pub(crate) chunk: usize,
    pub(crate) at: usize,
}

pub(crate) struct Stream<T> {
    full: Vec<(Box<[T]>, usize)>,
    tail: Box<[T]>,
    len: usize,
    spare: Vec<Box<[T]>>,
    chunk: usize,
}
impl<T: Copy + Default> Stream<T> {
    /// A stream with chunks of `chunk` elements.
    pub(crate) fn new(chunk: usize) -> Self {
        Stream {
            full: Vec::new(),
            tail: Box::default(),
            len: 0,
            spare: Vec::new(),
            chunk: chunk.max(1),
        }
    }
    /// Appends a contiguous block of `n` elements to be written.
    #[inline(always)]
    pub(crate) fn reserve(&mut self, n: usize) -> &mut [T] {
        let start = self.len;
        let end = start + n;
        if end <= self.tail.len() {
            self.len = end;
            &mut self.tail[start..end]
        } else {
            self.reserve_in_next(n)
        }
    }
    #[inline(always)]
    pub(crate) fn push(&mut self, x: T) {
        self.reserve(1)[0] = x;
    }
    #[cold]
    #[inline(never)]
    fn reserve_in_next(&mut self, n: usize) -> &mut [T] {
        let next = match self.spare.iter().position(|c| c.len() >= n) {
            Some(i) => self.spare.swap_remove(i),
            // Zeroed pages come from the system untouched, so an unused rest costs no memory.
            None => vec![T::default(); self.chunk.max(n)].into_boxed_slice(),
        };
        let last = std::mem::replace(&mut self.tail, next);
        if !last.is_empty() {
            self.full.push((last, self.len));
        }
        self.len = n;
        &mut self.tail[..n]
    }
    /// The end of the stream.
    pub(crate) fn end(&self) -> Mark {
        Mark {
            chunk: self.full.len(),
            at: self.len,
        }
    }
    /// Forgets what stands after `mark`; the memory is kept for the next recording.
    pub(crate) fn truncate(&mut self, mark: Mark) {
        while self.full.len() > mark.chunk {
            let (chunk, used) = self.full.pop().expect("a full chunk");
            self.spare.push(std::mem::replace(&mut self.tail, chunk));
            self.len = used;
        }
        self.len = mark.at;
    }
    /// Elements in use, and elements allocated.
    pub(crate) fn sizes(&self) -> (usize, usize) {
        let full = self.full.iter().map(|(c, used)| (*used, c.len()));
        let spare = self.spare.iter().map(|c| (0, c.len()));
        full.chain(spare)
            .fold((self.len, self.tail.len()), |s, c| (s.0 + c.0, s.1 + c.1))
    }
    /// The next `n` elements, if the tail has room for them. They count after [`advance`](Self::advance).
    #[inline(always)]
    pub(crate) fn room(&mut self, n: usize) -> Option<&mut [T]> {
        self.tail.get_mut(self.len..self.len + n)
    }
    /// Appends the `n` elements that were written into the room.
    #[inline(always)]
    pub(crate) fn advance(&mut self, n: usize) {
        self.len += n;
    }
    /// The chunks from the last to the first, as far as they are in use.
    pub(crate) fn chunks_back(&mut self) -> impl Iterator<Item = &mut [T]> {
        let full = self.full.iter_mut().map(|(chunk, used)| &mut chunk[..*used]);
        full.chain(std::iter::once(&mut self.tail[..self.len])).rev()
    }
    /// The part of chunk `i` that is in use.
    fn used(&mut self, i: usize) -> &mut [T] {
        match self.full.get_mut(i) {
            Some((chunk, used)) => &mut chunk[..*used],
            None => &mut self.tail[..self.len],
        }
    }
    /// The block of `n` elements that ends at `mark`, which moves to its start.
    #[inline(always)]
    pub(crate) fn back(&mut self, mark: &mut Mark, n: usize) -> &mut [T] {
        if n > 0 {
            while mark.at == 0 {
                mark.chunk -= 1;
                mark.at = self.used(mark.chunk).len();
            }
        }
        assert!(n <= mark.at, "a statement crosses its chunk");
        mark.at -= n;
        let at = mark.at;
        &mut self.used(mark.chunk)[at..at + n]
    }
    /// The block of `n` elements that starts at `mark`, which moves to its end.
    pub(crate) fn forth(&mut self, mark: &mut Mark, n: usize) -> &mut [T] {
        if n > 0 {
            while mark.at == self.used(mark.chunk).len() {
                *mark = Mark {
                    chunk: mark.chunk + 1,
                    at: 0,
                };
            }
        }
        let at = mark.at;
        mark.at += n;
        &mut self.used(mark.chunk)[at..at + n]
    }
}
