use super::ArrayNumber;
use super::{
    adjoint::ArrayAdjoint,
    kinds::{ArrayKind, add_all, word, write},
    number::unset,
    piece::ArrayBlock,
    pool,
};
use entape_core::{
    expr::{Active, Expr, PartExpr, PartRef},
    kind::{Arg, At, Pieces},
    mode::{AnyMode, PlaceMut},
    storage::prefetch_slice,
    store::{Part, Stash},
};
use std::ops::{Bound, Range, RangeBounds};

/// The bytes of a slice that are prefetched before it is read.
const SOON: usize = 512;
/// The part returned by the methods of [`Slices`]: a contiguous range.
#[derive(Clone, Copy, Debug, Stash)]
pub struct Slice {
    start: u32,
    length: u32,
    of: u32,
}
impl Slice {
    #[track_caller]
    #[inline]
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
            "`slice`: {start}..{end} is out of range for an array of length {of}"
        );
        Slice {
            start: word(start),
            length: word(end - start),
            of: word(of),
        }
    }
    #[track_caller]
    #[inline]
    fn assert_fits(self, length: usize) {
        assert!(
            length == self.length as usize,
            "an array of length {length} cannot be assigned to a slice of length {}",
            self.length
        );
    }
    #[inline(always)]
    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..self.start as usize + self.length as usize
    }
}
impl<T: ArrayNumber> Part<ArrayKind<T>> for Slice {
    type Kind = ArrayKind<T>;
    #[track_caller]
    fn get(&self, whole: &Vec<T>) -> Vec<T> {
        let mut part = pool::take(self.length as usize);
        part.copy_from_slice(&whole[self.range()]);
        part
    }
    #[track_caller]
    fn put(&self, whole: &mut Vec<T>, part: Vec<T>) {
        self.assert_fits(part.len());
        whole[self.range()].copy_from_slice(&part);
        pool::give(part);
    }
    const KNOWS_SHAPE: bool = true;
    fn zero(&self) -> Vec<T> {
        vec![unset(); self.of as usize]
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
    /// Prefetches the beginning; the processor prefetches the rest.
    #[inline(always)]
    fn read_soon(&self, whole: &Vec<T>) {
        let range = self.range();
        let some = range.start..range.end.min(range.start + SOON / size_of::<T>());
        prefetch_slice(&whole[some]);
    }
    #[track_caller]
    #[inline(always)]
    fn put_pieces(&self, whole: &mut Vec<T>, length: usize, pieces: &impl Pieces<ArrayKind<T>>) {
        self.assert_fits(length);
        write(&mut whole[self.range()], pieces);
    }
    #[inline(always)]
    fn open(&self, whole: &mut ArrayAdjoint<T>) {
        whole.open(self.of as usize);
    }
    #[inline(always)]
    fn add_block(&self, whole: &mut ArrayAdjoint<T>, at: At, block: &mut ArrayBlock<T>) {
        let start = self.start as usize + at.start;
        block.add_to(whole.range(start..start + at.length));
    }
    fn take(&self, whole: &mut ArrayAdjoint<T>) -> ArrayAdjoint<T> {
        whole.take_range(self.range())
    }
}

/// Contiguous ranges of an array variable. A write records and saves only the range.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_simd::arrays::{ArrayOps, Slices};
///
/// let mut tape = Tape::new();
/// let v = tape.input(vec![1.0, 2.0, 4.0]);
/// let y = tape.record(|| {
///     let differences = (v.slice(1..) - v.slice(..2)).eval(); // 1, 2
///     let mut w = v.clone();
///     w.slice_mut(1..).add_assign(3.0 * &differences);        // 1, 5, 10
///     w.sum().eval()
/// });
/// assert_eq!(y, 16.0);
/// assert_eq!(tape.gradient(&y)?.wrt(&v)?, [1.0 - 3.0, 1.0 + 3.0 - 3.0, 1.0 + 3.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait Slices<T: ArrayNumber, M: AnyMode> {
    /// Returns the number of elements.
    fn len(&self) -> usize;
    /// Returns whether there are no elements.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Returns the elements in `range`, as an operand that borrows the array.
    ///
    /// # Panics
    /// If the range is not within the array.
    fn slice(
        &self,
        range: impl RangeBounds<usize>,
    ) -> Expr<ArrayKind<T>, M, PartRef<'_, ArrayKind<T>, Slice, M>>;
    /// Returns a copy of the elements in `range` that does not borrow the array, for assignments to this array.
    ///
    /// # Panics
    /// If the range is not within the array.
    fn slice_at(&self, range: impl RangeBounds<usize>) -> PartExpr<ArrayKind<T>, Slice, M>;
    /// Returns the elements in `range` for writing: `a.slice_mut(1..3).assign(e)`. The right side is evaluated first.
    ///
    /// # Panics
    /// If the range is not within the array; on assignment, if the lengths differ.
    fn slice_mut(&mut self, range: impl RangeBounds<usize>)
    -> PlaceMut<'_, ArrayKind<T>, M, Slice>;
}
impl<T: ArrayNumber, M: AnyMode> Slices<T, M> for Active<ArrayKind<T>, M> {
    #[inline]
    fn len(&self) -> usize {
        self.get().len()
    }
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
