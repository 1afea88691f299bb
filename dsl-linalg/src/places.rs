//! Elements, rows, columns and blocks as places. A write to a part of a matrix with dynamic sizes saves and records
//! only this part.
use crate::{
    Dense, Number, Sizes,
    memory::{fresh, recycle, zeros},
    shapes,
};
use entape_core::{
    expr::{Active, PartExpr},
    mode::{AnyMode, PlaceMut},
    store::{Part, PlaceIndex, Stash},
};
use nalgebra::{DefaultAllocator, Dim, Dyn, OMatrix, U1};
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
}

/// `v[i]`: elements by index, column by column.
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
/// `m[(i, j)]`: elements by row and column.
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

/// The part returned by the methods of [`Blocks`] and [`FixedBlocks`](crate::FixedBlocks), with `R` rows and `C`
/// columns.
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
        let mut block = whole.view_mut(self.start, self.shape);
        block.iter_mut().zip(part.iter()).for_each(|(x, y)| *x = *y);
        recycle(part);
    }
    const KNOWS_SHAPE: bool = true;
    fn zero(&self) -> OMatrix<T, R, C> {
        zeros(self.of.0, self.of.1)
    }
    fn add(&self, whole: &mut OMatrix<T, R, C>, part: OMatrix<T, R2, C2>) {
        shapes::same("the adjoint of a block", self.shape, part.shape());
        let mut block = whole.view_mut(self.start, self.shape);
        block
            .iter_mut()
            .zip(part.iter())
            .for_each(|(x, y)| *x += *y);
        recycle(part);
    }
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

pub(crate) type BlockPlace<'a, T, R, C, M, R2, C2> = PlaceMut<'a, Dense<T, R, C>, M, Block<R2, C2>>;
pub(crate) type BlockExpr<T, R, C, M, R2, C2> = PartExpr<Dense<T, R, C>, Block<R2, C2>, M>;

/// Rows, columns and blocks of a variable, counted from 0. Methods that end in `_mut` return a place, written by
/// `assign`, `add_assign` and similar methods. Methods that end in `_at` return an operand that does not borrow the
/// variable, for assignments to that variable.
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
pub trait Blocks<T: Number, R: Dim, C: Dim, M: AnyMode>
where
    DefaultAllocator: Sizes<R, C>,
{
    /// Returns the variable.
    #[doc(hidden)]
    fn matrix(&self) -> &Active<Dense<T, R, C>, M>;
    #[doc(hidden)]
    fn matrix_mut(&mut self) -> &mut Active<Dense<T, R, C>, M>;

    /// Returns the block of `shape.0` rows and `shape.1` columns at row `start.0` and column `start.1` for writing.
    ///
    /// # Panics
    /// If out of range.
    #[track_caller]
    fn view_mut(
        &mut self,
        start: (usize, usize),
        shape: (usize, usize),
    ) -> BlockPlace<'_, T, R, C, M, Dyn, Dyn> {
        let part = Block::new(self.matrix().get().shape(), start, shape);
        self.matrix_mut().part_mut(part)
    }
    /// Returns row `i` for writing.
    ///
    /// # Panics
    /// If out of range.
    #[track_caller]
    fn row_mut(&mut self, i: usize) -> BlockPlace<'_, T, R, C, M, U1, C>
    where
        DefaultAllocator: Sizes<U1, C>,
    {
        let of = self.matrix().get().shape();
        self.matrix_mut()
            .part_mut(Block::new(of, (i, 0), (1, of.1)))
    }
    /// Returns column `j` for writing.
    ///
    /// # Panics
    /// If out of range.
    #[track_caller]
    fn column_mut(&mut self, j: usize) -> BlockPlace<'_, T, R, C, M, R, U1>
    where
        DefaultAllocator: Sizes<R, U1>,
    {
        let of = self.matrix().get().shape();
        self.matrix_mut()
            .part_mut(Block::new(of, (0, j), (of.0, 1)))
    }
    /// Returns `n` rows from row `first` for writing.
    ///
    /// # Panics
    /// If out of range.
    #[track_caller]
    fn rows_mut(&mut self, first: usize, n: usize) -> BlockPlace<'_, T, R, C, M, Dyn, C>
    where
        DefaultAllocator: Sizes<Dyn, C>,
    {
        let of = self.matrix().get().shape();
        self.matrix_mut()
            .part_mut(Block::new(of, (first, 0), (n, of.1)))
    }
    /// Returns `n` columns from column `first` for writing.
    ///
    /// # Panics
    /// If out of range.
    #[track_caller]
    fn columns_mut(&mut self, first: usize, n: usize) -> BlockPlace<'_, T, R, C, M, R, Dyn>
    where
        DefaultAllocator: Sizes<R, Dyn>,
    {
        let of = self.matrix().get().shape();
        self.matrix_mut()
            .part_mut(Block::new(of, (0, first), (of.0, n)))
    }
    /// Returns a block, see [`view_mut`](Self::view_mut), as an operand.
    ///
    /// # Panics
    /// If out of range.
    #[track_caller]
    fn view_at(
        &self,
        start: (usize, usize),
        shape: (usize, usize),
    ) -> BlockExpr<T, R, C, M, Dyn, Dyn> {
        let part = Block::new(self.matrix().get().shape(), start, shape);
        self.matrix().part(part)
    }
    /// Returns row `i` as an operand.
    ///
    /// # Panics
    /// If out of range.
    #[track_caller]
    fn row_at(&self, i: usize) -> BlockExpr<T, R, C, M, U1, C>
    where
        DefaultAllocator: Sizes<U1, C>,
    {
        let of = self.matrix().get().shape();
        self.matrix().part(Block::new(of, (i, 0), (1, of.1)))
    }
    /// Returns column `j` as an operand.
    ///
    /// # Panics
    /// If out of range.
    #[track_caller]
    fn column_at(&self, j: usize) -> BlockExpr<T, R, C, M, R, U1>
    where
        DefaultAllocator: Sizes<R, U1>,
    {
        let of = self.matrix().get().shape();
        self.matrix().part(Block::new(of, (0, j), (of.0, 1)))
    }
}
impl<T: Number, R: Dim, C: Dim, M: AnyMode> Blocks<T, R, C, M> for Active<Dense<T, R, C>, M>
where
    DefaultAllocator: Sizes<R, C>,
{
    fn matrix(&self) -> &Self {
        self
    }
    fn matrix_mut(&mut self) -> &mut Self {
        self
    }
}
