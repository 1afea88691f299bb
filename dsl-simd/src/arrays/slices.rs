//! Slices: contiguous ranges of an array, to be read and to be written.
use super::{
    kinds::{ArrayKind, add_all, word},
    piece::{Block, Element},
};
use entape_core::{
    expr::{Active, Expr, PartExpr, PartRef, PlaceMut},
    kind::{Arg, At, Part, Stash},
    mode::AnyMode,
    tape::{Reader, Writer},
};
use std::ops::{Bound, Range, RangeBounds};

/// A contiguous range of an array.
#[derive(Clone, Copy, Debug)]
pub struct Slice {
    start: u32,
    length: u32,
    of: u32,
}
impl Slice {
    #[track_caller]
    pub(super) fn new(of: usize, range: impl RangeBounds<usize>) -> Self {
        let start = match range.start_bound() {
            Bound::Included(&start) => start,
            Bound::Excluded(&start) => start + 1,
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&end) => end + 1,
            Bound::Excluded(&end) => end,
            Bound::Unbounded => of,
        };
        assert!(
            start <= end && end <= of,
            "`slice`: {start}..{end} is no range of an array of length {of}"
        );
        Slice {
            start: word(start),
            length: word(end - start),
            of: word(of),
        }
    }
    #[inline(always)]
    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..self.start as usize + self.length as usize
    }
}
impl Stash for Slice {
    const BYTES: usize = <[u32; 3]>::BYTES;
    #[inline]
    fn stash(self, writer: &mut Writer<'_>) {
        [self.start, self.length, self.of].stash(writer);
    }
    #[inline]
    fn fetch(reader: &mut Reader<'_>) -> Self {
        let [start, length, of] = Stash::fetch(reader);
        Slice { start, length, of }
    }
}
impl<T: Element> Part<ArrayKind<T>> for Slice {
    type Kind = ArrayKind<T>;
    #[track_caller]
    fn get(&self, whole: &Vec<T>) -> Vec<T> {
        whole[self.range()].to_vec()
    }
    #[track_caller]
    fn put(&self, whole: &mut Vec<T>, part: Vec<T>) {
        assert_eq!(
            part.len(),
            self.length as usize,
            "an array of length {} is assigned to a slice of length {}",
            part.len(),
            self.length
        );
        whole[self.range()].copy_from_slice(&part);
    }
    fn zero(&self) -> Vec<T> {
        vec![T::default(); self.of as usize]
    }
    fn add(&self, whole: &mut Vec<T>, part: Vec<T>) {
        add_all(&mut whole[self.range()], &part);
    }
    const PIECES: bool = true;
    #[inline(always)]
    fn shape(&self) -> usize {
        self.length as usize
    }
    #[inline(always)]
    fn view<'v>(&self, whole: Arg<'v, ArrayKind<T>>) -> &'v [T] {
        &whole[self.range()]
    }
    #[inline(always)]
    fn add_block(&self, whole: &mut Vec<T>, at: At, block: &Block<T>) {
        block.add_to(&mut whole[self.range()], at);
    }
}

/// Slices of variables.
pub trait Slices<T: Element, M: AnyMode> {
    /// The elements in `range`, as an operand that borrows the array.
    ///
    /// # Panics
    /// If the range is not within the array.
    fn slice(
        &self,
        range: impl RangeBounds<usize>,
    ) -> Expr<ArrayKind<T>, M, PartRef<'_, ArrayKind<T>, Slice, M>>;
    /// The elements in `range`, as an operand that does not borrow the array: a copy, for the right side of an
    /// assignment to the same array.
    ///
    /// # Panics
    /// If the range is not within the array.
    fn slice_at(&self, range: impl RangeBounds<usize>) -> PartExpr<ArrayKind<T>, Slice, M>;
    /// The elements in `range`, to be written: `a.slice_mut(1..3).assign(e)`, `.add_assign(e)`. The right side is
    /// evaluated first.
    ///
    /// # Panics
    /// If the range is not within the array; when it is assigned to, if the lengths differ.
    fn slice_mut(&mut self, range: impl RangeBounds<usize>)
    -> PlaceMut<'_, ArrayKind<T>, M, Slice>;
}
impl<T: Element, M: AnyMode> Slices<T, M> for Active<ArrayKind<T>, M> {
    #[track_caller]
    fn slice(
        &self,
        range: impl RangeBounds<usize>,
    ) -> Expr<ArrayKind<T>, M, PartRef<'_, ArrayKind<T>, Slice, M>> {
        self.part_ref(Slice::new(self.get().len(), range))
    }
    #[track_caller]
    fn slice_at(&self, range: impl RangeBounds<usize>) -> PartExpr<ArrayKind<T>, Slice, M> {
        self.part(Slice::new(self.get().len(), range))
    }
    #[track_caller]
    fn slice_mut(
        &mut self,
        range: impl RangeBounds<usize>,
    ) -> PlaceMut<'_, ArrayKind<T>, M, Slice> {
        let part = Slice::new(self.get().len(), range);
        self.part_mut(part)
    }
}
