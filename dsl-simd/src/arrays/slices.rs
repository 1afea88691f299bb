use super::ArrayNumber;
use super::{
    adjoint::ArrayAdjoint,
    indices::{Indices, Selected},
    kinds::{ArrayKind, add_all, word, write},
    members::Splats,
    number::unset,
    piece::ArrayBlock,
    pool,
};
use entape_core::{
    expr::{Active, Expr, OperandOf, PartExpr, PartRef},
    kind::{Arg, At, Pieces},
    mode::{AnyMode, Parted, PlaceMut},
    storage::prefetch_slice,
    store::{Part, Stash},
};
use std::{
    borrow::Borrow,
    ops::{Bound, Range, RangeBounds},
};

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
    fn is_disjoint(&self, other: &Self, _: &Vec<T>) -> bool {
        self.range().end <= other.range().start || other.range().end <= self.range().start
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
///
/// `slice_mut`, `select_mut`, `masked_mut` and `fill` are also methods of places:
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_simd::arrays::{ArrayOps, Compare, Slices};
///
/// let mut tape = Tape::new();
/// let (v, edge) = (tape.input(vec![1.0, -2.0, 4.0, -8.0]), tape.input(5.0));
/// let y = tape.record(|| {
///     let mut w = v.clone();
///     w.select_mut(&[3, 0]).fill(edge);             // 5, -2, 4, 5
///     let negative = w.simd_lt(0.0).eval();
///     w.masked_mut(negative.get()).mul_assign(3.0); // 5, -6, 4, 5
///     w.slice_mut(1..).slice_mut(1..2).fill(edge);  // 5, -6, 5, 5
///     w.norm_squared().eval()
/// });
/// let gradient = tape.gradient(&y)?;
/// assert_eq!(gradient.wrt(&v)?, [0.0, 2.0 * 3.0 * -6.0, 0.0, 0.0]);
/// assert_eq!(gradient.wrt(&edge)?, 30.0);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait Slices<T: ArrayNumber, M: AnyMode>: Parted<ArrayKind<T>, M> {
    /// Returns the number of elements.
    #[inline]
    fn len(&self) -> usize {
        self.inspect(Vec::len)
    }
    /// Returns whether the array is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Returns the elements in `range`, as an operand that borrows the array.
    ///
    /// # Panics
    /// If the range is not within the array.
    #[track_caller]
    fn slice(
        &self,
        range: impl RangeBounds<usize>,
    ) -> Expr<ArrayKind<T>, M, PartRef<'_, ArrayKind<T>, Slice, M>>
    where
        Self: Borrow<Active<ArrayKind<T>, M>>,
    {
        let v = self.borrow();
        v.part_ref(Slice::new(v.get().len(), range))
    }
    /// Returns a copy of the elements in `range` that does not borrow the array, for assignments to this array.
    ///
    /// # Panics
    /// If the range is not within the array.
    #[track_caller]
    fn slice_at(&self, range: impl RangeBounds<usize>) -> PartOf<Self, T, M, Slice> {
        self.part_at(Slice::new(self.len(), range))
    }
    /// Returns the elements in `range` for writing: `a.slice_mut(1..3).assign(e)`. The right side is evaluated first.
    ///
    /// # Panics
    /// If the range is not within the array; on assignment, if the lengths differ.
    #[track_caller]
    fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> PlaceOf<'_, Self, T, M, Slice> {
        let part = Slice::new(self.len(), range);
        self.place(part)
    }
    /// Returns the elements at the indices for writing. [`take`](super::Indexed::take) reads them.
    ///
    /// # Panics
    /// If an index is not within the array or occurs twice; on assignment, if the lengths differ.
    #[track_caller]
    fn select_mut(&mut self, at: impl Into<Indices>) -> PlaceOf<'_, Self, T, M, Selected> {
        let part = Selected::new("select_mut", self.len(), at.into());
        self.place(part)
    }
    /// Returns a copy of the elements at the indices that does not borrow the array.
    ///
    /// # Panics
    /// If an index is not within the array or occurs twice.
    #[track_caller]
    fn select_at(&self, at: impl Into<Indices>) -> PartOf<Self, T, M, Selected> {
        self.part_at(Selected::new("select_at", self.len(), at.into()))
    }
    /// Returns the elements where `mask` is true for writing, such as `v.simd_lt(0.0).eval().get()`.
    ///
    /// # Panics
    /// If the mask has another length than the array; on assignment, if the number of elements differs.
    #[track_caller]
    fn masked_mut(&mut self, mask: &[bool]) -> PlaceOf<'_, Self, T, M, Selected> {
        let (length, count) = (mask.len(), self.len());
        assert!(
            length == count,
            "`masked_mut`: a mask of length {length} cannot select elements of an array of length {count}"
        );
        let at: Indices = (0..count).filter(|&i| mask[i]).collect();
        self.select_mut(at)
    }
    /// Assigns a number to all elements, in one statement.
    #[track_caller]
    fn fill(&mut self, x: impl OperandOf<T::Kind, M>) {
        let length = self.len();
        self.slice_mut(..).assign(x.into_rhs().splat_array(length));
    }
}
impl<T: ArrayNumber, M: AnyMode, X: Parted<ArrayKind<T>, M> + ?Sized> Slices<T, M> for X {}

/// A part `P` of a variable or a place `X`, for writing.
pub(super) type PlaceOf<'a, X, T, M, P> =
    PlaceMut<'a, <X as Parted<ArrayKind<T>, M>>::Of, M, <X as Parted<ArrayKind<T>, M>>::Part<P>>;
/// A part `P` of a variable or a place `X`, as an operand.
pub(super) type PartOf<X, T, M, P> =
    PartExpr<<X as Parted<ArrayKind<T>, M>>::Of, <X as Parted<ArrayKind<T>, M>>::Part<P>, M>;
