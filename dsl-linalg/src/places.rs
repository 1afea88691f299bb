//! Elements, rows, columns and blocks as places. A write to a part of a matrix with dynamic sizes records and saves
//! only this part.
use crate::{
    Dense, Number, Sizes,
    memory::{fresh, recycle, zeros},
    parts::{Diagonal, Filled, Selected, Selection, Transposed, Triangle},
    shapes,
};
use entape_core::{
    expr::{OperandOf, PartExpr, unary},
    mode::{AnyMode, Parted, PlaceMut},
    store::{Part, PlaceIndex, Stash},
};
use nalgebra::{DefaultAllocator, Dim, DimMin, DimMinimum, Dyn, OMatrix, U1};
use std::marker::PhantomData;

/// The part in `m[(i, j)]` and `v[i]`.
#[derive(Clone, Copy, Debug, Stash)]
pub struct Element {
    at: usize,
    rows: usize,
    cols: usize,
}
impl<T: Number, R: Dim, C: Dim> Part<Dense<T, R, C>> for Element
where
    DefaultAllocator: Sizes<R, C>,
{
    type Kind = T::Kind;
    fn get(&self, whole: &OMatrix<T, R, C>) -> T {
        whole.as_slice()[self.at]
    }
    fn put(&self, whole: &mut OMatrix<T, R, C>, part: T) {
        whole.as_mut_slice()[self.at] = part;
    }
    const KNOWS_SHAPE: bool = true;
    fn zero(&self) -> OMatrix<T, R, C> {
        zeros(self.rows, self.cols)
    }
    fn is_disjoint(&self, other: &Self, _: &OMatrix<T, R, C>) -> bool {
        self.at != other.at
    }
}

/// `v[i]`, counted column by column.
impl<T: Number, R: Dim, C: Dim> PlaceIndex<usize> for Dense<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    type Part = Element;
    fn encode(value: &OMatrix<T, R, C>, i: usize) -> usize {
        let (rows, cols) = value.shape();
        assert!(
            i < value.len(),
            "the index {i} is out of range for a matrix with shape {rows}x{cols}"
        );
        i
    }
    fn part(value: &OMatrix<T, R, C>, at: usize) -> Element {
        let (rows, cols) = value.shape();
        Element { at, rows, cols }
    }
}
impl<T: Number, R: Dim, C: Dim> PlaceIndex<(usize, usize)> for Dense<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    type Part = Element;
    fn encode(value: &OMatrix<T, R, C>, (i, j): (usize, usize)) -> usize {
        let (rows, cols) = value.shape();
        assert!(
            i < rows && j < cols,
            "the index ({i}, {j}) is out of range for a matrix with shape {rows}x{cols}"
        );
        i + j * rows
    }
    fn part(value: &OMatrix<T, R, C>, at: usize) -> Element {
        <Self as PlaceIndex<usize>>::part(value, at)
    }
}

/// The part returned by methods of [`Blocks`] and [`FixedBlocks`](crate::FixedBlocks).
#[derive(Debug, Stash)]
pub struct Block<R, C> {
    start: (usize, usize),
    shape: (usize, usize),
    of: (usize, usize),
    sizes: PhantomData<fn() -> (R, C)>,
}
impl<R, C> Clone for Block<R, C> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<R, C> Copy for Block<R, C> {}
impl<R: Dim, C: Dim> Block<R, C> {
    /// Creates the block at row and column `start` of a matrix with shape `of`.
    ///
    /// # Panics
    /// If out of range.
    #[track_caller]
    pub fn new(of: (usize, usize), start: (usize, usize), shape: (usize, usize)) -> Self {
        shapes::within("a block", of, start, shape);
        Block {
            start,
            shape,
            of,
            sizes: PhantomData,
        }
    }
}
impl<R2: Dim, C2: Dim> Block<R2, C2> {
    /// Passes each column of the block in `whole`, and the column of `part`, to `f`.
    #[inline(always)]
    fn columns<T: Number, R: Dim, C: Dim>(
        &self,
        whole: &mut OMatrix<T, R, C>,
        part: &OMatrix<T, R2, C2>,
        f: impl Fn(&mut [T], &[T]),
    ) where
        DefaultAllocator: Sizes<R, C> + Sizes<R2, C2>,
    {
        let ((i, j), rows) = (self.start, whole.nrows());
        let columns = whole.as_mut_slice().chunks_exact_mut(rows.max(1)).skip(j);
        let part = part.as_slice().chunks_exact(self.shape.0.max(1));
        for (to, part) in columns.zip(part) {
            f(&mut to[i..i + part.len()], part);
        }
    }
}
impl<T: Number, R: Dim, C: Dim, R2: Dim, C2: Dim> Part<Dense<T, R, C>> for Block<R2, C2>
where
    DefaultAllocator: Sizes<R, C> + Sizes<R2, C2>,
{
    type Kind = Dense<T, R2, C2>;
    fn get(&self, whole: &OMatrix<T, R, C>) -> OMatrix<T, R2, C2> {
        part(whole, self.start, self.shape)
    }
    fn put(&self, whole: &mut OMatrix<T, R, C>, part: OMatrix<T, R2, C2>) {
        shapes::same("block.assign(..)", self.shape, part.shape());
        self.columns(whole, &part, <[T]>::copy_from_slice);
        recycle(part);
    }
    fn add_term(
        &self,
        whole: &mut OMatrix<T, R, C>,
        subtract: bool,
        term: &OMatrix<T, R2, C2>,
    ) -> bool {
        let name = if subtract { "a - b" } else { "a + b" };
        shapes::same(name, self.shape, term.shape());
        if subtract {
            self.columns(whole, term, |to, x| {
                to.iter_mut().zip(x).for_each(|(to, x)| *to -= *x);
            });
        } else {
            self.columns(whole, term, add_each);
        }
        true
    }
    const KNOWS_SHAPE: bool = true;
    fn zero(&self) -> OMatrix<T, R, C> {
        zeros(self.of.0, self.of.1)
    }
    fn is_disjoint(&self, other: &Self, _: &OMatrix<T, R, C>) -> bool {
        let apart = |a: usize, m: usize, b: usize, n: usize| a + m <= b || b + n <= a;
        apart(self.start.0, self.shape.0, other.start.0, other.shape.0)
            || apart(self.start.1, self.shape.1, other.start.1, other.shape.1)
    }
    fn add(&self, whole: &mut OMatrix<T, R, C>, part: OMatrix<T, R2, C2>) {
        shapes::same("the adjoint of a block", self.shape, part.shape());
        self.columns(whole, &part, add_each);
        recycle(part);
    }
}

fn add_each<T: Number>(to: &mut [T], x: &[T]) {
    to.iter_mut().zip(x).for_each(|(to, x)| *to += *x);
}
pub(crate) fn part<T: Number, R: Dim, C: Dim, R2: Dim, C2: Dim>(
    m: &OMatrix<T, R, C>,
    (i, j): (usize, usize),
    (rows, cols): (usize, usize),
) -> OMatrix<T, R2, C2>
where
    DefaultAllocator: Sizes<R, C> + Sizes<R2, C2>,
{
    let mut r: OMatrix<T, R2, C2> = fresh(rows, cols);
    let to = r.as_mut_slice().chunks_exact_mut(rows.max(1));
    for (k, to) in to.enumerate() {
        let column = &m.as_slice()[(j + k) * m.nrows()..];
        to.copy_from_slice(&column[i..i + rows]);
    }
    r
}

pub(crate) type PlaceOf<'a, X, K, M, P> =
    PlaceMut<'a, <X as Parted<K, M>>::Of, M, <X as Parted<K, M>>::Part<P>>;
pub(crate) type PartOf<X, K, M, P> =
    PartExpr<<X as Parted<K, M>>::Of, <X as Parted<K, M>>::Part<P>, M>;
pub(crate) type BlockPlace<'a, X, T, R, C, M, R2, C2> =
    PlaceOf<'a, X, Dense<T, R, C>, M, Block<R2, C2>>;
pub(crate) type BlockExpr<X, T, R, C, M, R2, C2> = PartOf<X, Dense<T, R, C>, M, Block<R2, C2>>;
type SelectedPlace<'a, X, T, R, C, M, P, R2, C2> =
    PlaceOf<'a, X, Dense<T, R, C>, M, Selection<P, R2, C2>>;
type SelectedExpr<X, T, R, C, M, P, R2, C2> = PartOf<X, Dense<T, R, C>, M, Selection<P, R2, C2>>;

/// Rows, columns and blocks of a variable, counted from 0. Methods that end in `_mut` return a place for writing, by
/// `assign`, `add_assign` and similar methods. Methods that end in `_at` return an operand that does not borrow the
/// variable, so that it can be assigned. All panic if a part is out of range, or an index occurs twice.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::{dmatrix, dvector};
///
/// let mut tape = Tape::new();
/// let v = tape.input(dvector![1.0, 2.0]);
/// let y = tape.record(|| {
///     let mut m = Matrix::passive(dmatrix![1.0, 0.0; 3.0, 0.0]);
///     m.column_mut(1).assign(&v);          // [1, 1; 3, 2]
///     let row = m.row_at(1) * 2.0;
///     m.row_mut(0).add_assign(row);        // [7, 5; 3, 2]
///     m.determinant()                      // 7 * 2 - 5 * 3
/// });
/// approx::assert_abs_diff_eq!(y, -1.0, epsilon = 1e-14);
/// // (1 + 2 * 3) * v[1] - (v[0] + 2 * v[1]) * 3
/// let gradient = tape.gradient(&y)?.wrt(&v)?;
/// approx::assert_abs_diff_eq!(gradient, dvector![-3.0, 1.0], epsilon = 5e-15);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// Places have places: `m.view_mut((0, 0), (2, 2)).diagonal_mut().fill(1.0)` writes two elements.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::{dmatrix, dvector};
///
/// let mut tape = Tape::new();
/// let (a, d) = (tape.input(dmatrix![1.0, 2.0; 3.0, 4.0]), tape.input(dvector![5.0, 6.0]));
/// let y = tape.record(|| {
///     let mut m = a.clone();
///     m.diagonal_mut().assign(&d);                // [5, 2; 3, 6]
///     m.upper_triangle_mut().mul_assign(2.0);     // [10, 4; 3, 12]
///     m.select_mut(&[1, 2]).fill(&d[0]);          // [10, 5; 5, 12]
///     m.determinant().eval()
/// });
/// assert_eq!(y, 95.0);
/// let gradient = tape.gradient(&y)?;
/// assert_eq!(gradient.wrt(&a)?, dmatrix![0.0, 0.0; 0.0, 0.0]);
/// assert_eq!(gradient.wrt(&d)?, dvector![2.0 * 12.0 - 10.0, 2.0 * 10.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait Blocks<T: Number, R: Dim, C: Dim, M: AnyMode>: Parted<Dense<T, R, C>, M>
where
    DefaultAllocator: Sizes<R, C>,
{
    #[doc(hidden)]
    fn shape_of(&self) -> (usize, usize) {
        self.inspect(|m| m.shape())
    }
    /// Assigns a number to all elements, in one statement.
    #[track_caller]
    fn fill(&mut self, x: impl OperandOf<T::Kind, M>) {
        let shape = self.shape_of();
        let all = unary(Filled::of_shape(shape), x.into_rhs());
        let place = self.place(Block::<R, C>::new(shape, (0, 0), shape));
        place.assign(all);
    }
    /// Returns the diagonal as a column.
    #[track_caller]
    fn diagonal_mut(
        &mut self,
    ) -> SelectedPlace<'_, Self, T, R, C, M, Diagonal, DimMinimum<R, C>, U1>
    where
        R: DimMin<C>,
        DefaultAllocator: Sizes<DimMinimum<R, C>, U1>,
    {
        let of = self.shape_of();
        self.place(Selection::new(Diagonal, of))
    }
    /// Returns the diagonal as a column.
    #[track_caller]
    fn diagonal_at(&self) -> SelectedExpr<Self, T, R, C, M, Diagonal, DimMinimum<R, C>, U1>
    where
        R: DimMin<C>,
        DefaultAllocator: Sizes<DimMinimum<R, C>, U1>,
    {
        self.part_at(Selection::new(Diagonal, self.shape_of()))
    }
    /// Returns the upper triangle with the diagonal. Other elements of an assigned matrix are not read.
    #[track_caller]
    fn upper_triangle_mut(&mut self) -> SelectedPlace<'_, Self, T, R, C, M, Triangle, R, C> {
        let of = self.shape_of();
        self.place(Selection::new(Triangle { upper: true }, of))
    }
    /// Returns the lower triangle with the diagonal. Other elements of an assigned matrix are not read.
    #[track_caller]
    fn lower_triangle_mut(&mut self) -> SelectedPlace<'_, Self, T, R, C, M, Triangle, R, C> {
        let of = self.shape_of();
        self.place(Selection::new(Triangle { upper: false }, of))
    }
    /// Returns the upper triangle with the diagonal, and zeros below.
    #[track_caller]
    fn upper_triangle_at(&self) -> SelectedExpr<Self, T, R, C, M, Triangle, R, C> {
        self.part_at(Selection::new(Triangle { upper: true }, self.shape_of()))
    }
    /// Returns the lower triangle with the diagonal, and zeros above.
    #[track_caller]
    fn lower_triangle_at(&self) -> SelectedExpr<Self, T, R, C, M, Triangle, R, C> {
        self.part_at(Selection::new(Triangle { upper: false }, self.shape_of()))
    }
    /// Returns the transpose.
    #[track_caller]
    fn transpose_mut(&mut self) -> SelectedPlace<'_, Self, T, R, C, M, Transposed, C, R>
    where
        DefaultAllocator: Sizes<C, R>,
    {
        let of = self.shape_of();
        self.place(Selection::new(Transposed, of))
    }
    /// Returns the elements at the indices, counted column by column, as a column.
    #[track_caller]
    fn select_mut(
        &mut self,
        at: &[usize],
    ) -> SelectedPlace<'_, Self, T, R, C, M, Selected<true, true>, Dyn, U1> {
        let of = self.shape_of();
        self.place(Selection::new(Selected::new("select_mut", of, at), of))
    }
    /// Returns the elements at the indices as a column.
    #[track_caller]
    fn select_at(
        &self,
        at: &[usize],
    ) -> SelectedExpr<Self, T, R, C, M, Selected<true, true>, Dyn, U1> {
        let of = self.shape_of();
        self.part_at(Selection::new(Selected::new("select_at", of, at), of))
    }
    /// Returns the elements where `mask`, stored column by column, is true, as a column.
    ///
    /// # Panics
    /// If the mask has another number of elements.
    #[track_caller]
    fn masked_mut(
        &mut self,
        mask: &[bool],
    ) -> SelectedPlace<'_, Self, T, R, C, M, Selected<true, true>, Dyn, U1> {
        let (rows, cols) = self.shape_of();
        let (length, count) = (mask.len(), rows * cols);
        assert!(
            length == count,
            "`masked_mut`: the mask has {length} elements, but the matrix has {count}: pass a mask with the shape {rows}x{cols}"
        );
        let at: Vec<_> = (0..length).filter(|&i| mask[i]).collect();
        self.select_mut(&at)
    }
    /// Returns the rows at the indices.
    #[track_caller]
    fn select_rows_mut(
        &mut self,
        at: &[usize],
    ) -> SelectedPlace<'_, Self, T, R, C, M, Selected<true, false>, Dyn, C>
    where
        DefaultAllocator: Sizes<Dyn, C>,
    {
        let of = self.shape_of();
        self.place(Selection::new(Selected::new("select_rows_mut", of, at), of))
    }
    /// Returns the columns at the indices.
    #[track_caller]
    fn select_columns_mut(
        &mut self,
        at: &[usize],
    ) -> SelectedPlace<'_, Self, T, R, C, M, Selected<false, true>, R, Dyn>
    where
        DefaultAllocator: Sizes<R, Dyn>,
    {
        let of = self.shape_of();
        self.place(Selection::new(
            Selected::new("select_columns_mut", of, at),
            of,
        ))
    }

    /// Returns the block of `shape.0` rows and `shape.1` columns at row `start.0` and column `start.1`.
    #[track_caller]
    fn view_mut(
        &mut self,
        start: (usize, usize),
        shape: (usize, usize),
    ) -> BlockPlace<'_, Self, T, R, C, M, Dyn, Dyn> {
        let part = Block::new(self.shape_of(), start, shape);
        self.place(part)
    }
    /// Returns row `i`.
    #[track_caller]
    fn row_mut(&mut self, i: usize) -> BlockPlace<'_, Self, T, R, C, M, U1, C>
    where
        DefaultAllocator: Sizes<U1, C>,
    {
        let of = self.shape_of();
        self.place(Block::new(of, (i, 0), (1, of.1)))
    }
    /// Returns column `j`.
    #[track_caller]
    fn column_mut(&mut self, j: usize) -> BlockPlace<'_, Self, T, R, C, M, R, U1>
    where
        DefaultAllocator: Sizes<R, U1>,
    {
        let of = self.shape_of();
        self.place(Block::new(of, (0, j), (of.0, 1)))
    }
    /// Returns `n` rows from row `first`.
    #[track_caller]
    fn rows_mut(&mut self, first: usize, n: usize) -> BlockPlace<'_, Self, T, R, C, M, Dyn, C>
    where
        DefaultAllocator: Sizes<Dyn, C>,
    {
        let of = self.shape_of();
        self.place(Block::new(of, (first, 0), (n, of.1)))
    }
    /// Returns `n` columns from column `first`.
    #[track_caller]
    fn columns_mut(&mut self, first: usize, n: usize) -> BlockPlace<'_, Self, T, R, C, M, R, Dyn>
    where
        DefaultAllocator: Sizes<R, Dyn>,
    {
        let of = self.shape_of();
        self.place(Block::new(of, (0, first), (of.0, n)))
    }
    /// Returns a block, see [`view_mut`](Self::view_mut).
    #[track_caller]
    fn view_at(
        &self,
        start: (usize, usize),
        shape: (usize, usize),
    ) -> BlockExpr<Self, T, R, C, M, Dyn, Dyn> {
        let part = Block::new(self.shape_of(), start, shape);
        self.part_at(part)
    }
    /// Returns row `i`.
    #[track_caller]
    fn row_at(&self, i: usize) -> BlockExpr<Self, T, R, C, M, U1, C>
    where
        DefaultAllocator: Sizes<U1, C>,
    {
        let of = self.shape_of();
        self.part_at(Block::new(of, (i, 0), (1, of.1)))
    }
    /// Returns column `j`.
    #[track_caller]
    fn column_at(&self, j: usize) -> BlockExpr<Self, T, R, C, M, R, U1>
    where
        DefaultAllocator: Sizes<R, U1>,
    {
        let of = self.shape_of();
        self.part_at(Block::new(of, (0, j), (of.0, 1)))
    }
}
impl<T: Number, R: Dim, C: Dim, M: AnyMode, X: Parted<Dense<T, R, C>, M> + ?Sized>
    Blocks<T, R, C, M> for X
where
    DefaultAllocator: Sizes<R, C>,
{
}
