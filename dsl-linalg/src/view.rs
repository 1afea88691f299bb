//! Views of matrices for kernels: a slice, a shape, two strides, and whether numbers are conjugated, which is known at
//! compile time for reals. Transposed views exchange the strides.
use crate::{
    Number,
    memory::{by_elements, filled},
};
use faer::{Conj, MatMut, MatRef};
use nalgebra::{DMatrix, Dim, Matrix, RawStorage, storage};

/// A matrix to read, with one stride of 1.
#[derive(Clone, Copy, Debug)]
pub struct View<'a, T> {
    data: &'a [T],
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub cols: usize,
    row_stride: usize,
    col_stride: usize,
    conjugated: bool,
}
/// A matrix to write, column by column.
#[derive(Debug)]
pub struct ViewMut<'a, T> {
    pub(crate) data: &'a mut [T],
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub cols: usize,
}

#[inline(always)]
pub(crate) fn view<T: Number, R: Dim, C: Dim, S>(m: &Matrix<T, R, C, S>) -> View<'_, T>
where
    S: RawStorage<T, R, C> + storage::IsContiguous,
{
    View::new(m.as_slice(), m.nrows(), m.ncols())
}
#[inline(always)]
pub(crate) fn view_mut<T: Number, R: Dim, C: Dim, S>(m: &mut Matrix<T, R, C, S>) -> ViewMut<'_, T>
where
    S: storage::RawStorageMut<T, R, C> + storage::IsContiguous,
{
    let (rows, cols) = m.shape();
    ViewMut {
        data: m.as_mut_slice(),
        rows,
        cols,
    }
}

impl<'a, T: Number> View<'a, T> {
    /// Creates a view of a matrix whose columns are consecutive in `data`.
    ///
    /// # Panics
    /// If `data` does not have `rows * cols` elements.
    #[inline(always)]
    pub fn new(data: &'a [T], rows: usize, cols: usize) -> Self {
        assert!(data.len() == rows * cols, "each place has an element");
        View {
            data,
            rows,
            cols,
            row_stride: 1,
            col_stride: rows,
            conjugated: false,
        }
    }
    /// Returns the transpose.
    #[inline(always)]
    pub fn t(self) -> Self {
        View {
            rows: self.cols,
            cols: self.rows,
            row_stride: self.col_stride,
            col_stride: self.row_stride,
            ..self
        }
    }
    /// Returns the conjugate.
    #[inline(always)]
    pub fn conjugate(self) -> Self {
        View {
            conjugated: !T::IS_REAL && !self.conjugated,
            ..self
        }
    }
    /// Returns the conjugate transpose.
    #[inline(always)]
    pub fn h(self) -> Self {
        self.t().conjugate()
    }
    fn is_conjugated(&self) -> bool {
        !T::IS_REAL && self.conjugated
    }
    /// Returns the function from stored numbers to numbers of the matrix.
    #[inline(always)]
    pub fn number(&self) -> impl Fn(T) -> T + Copy + use<T> {
        let conjugated = self.is_conjugated();
        move |x| if conjugated { x.conjugate() } else { x }
    }
    pub(crate) fn conj(&self) -> Conj {
        if self.is_conjugated() {
            Conj::Yes
        } else {
            Conj::No
        }
    }
    /// Returns the elements as [stored](Self::number), if columns are consecutive.
    pub fn columns(&self) -> Option<&'a [T]> {
        let whole = self.row_stride == 1 && self.col_stride == self.rows;
        let vector = self.cols == 1 && self.row_stride == 1;
        let row = self.rows == 1 && self.col_stride == 1;
        (whole || vector || row).then_some(self.data)
    }
    #[inline(always)]
    pub(crate) fn whole(&self) -> Option<(&'a [T], bool)> {
        if self.row_stride == 1 && self.col_stride == self.rows {
            Some((self.data, false))
        } else if self.col_stride == 1 && self.row_stride == self.cols {
            Some((self.data, true))
        } else {
            None
        }
    }
    /// Returns the element in row `i` and column `j`.
    pub fn at(&self, i: usize, j: usize) -> T {
        self.number()(self.data[i * self.row_stride + j * self.col_stride])
    }
    pub(crate) fn by_columns(&self) -> Option<(&'a [T], usize)> {
        (self.row_stride == 1).then_some((self.data, self.col_stride))
    }
    /// Returns column `j` as stored, if its elements are contiguous.
    pub fn column(&self, j: usize) -> Option<&'a [T]> {
        (self.row_stride == 1).then(|| &self.data[j * self.col_stride..][..self.rows])
    }
    /// Returns row `i` as stored, if its elements are contiguous.
    pub fn row(&self, i: usize) -> Option<&'a [T]> {
        self.t().column(i)
    }
    pub(crate) fn top(self, rows: usize) -> Self {
        View { rows, ..self }
    }
    pub(crate) fn copied(self) -> DMatrix<T> {
        match self.columns().filter(|_| !self.is_conjugated()) {
            Some(all) => filled((self.rows, self.cols), all),
            None => by_elements((self.rows, self.cols), |i, j| self.at(i, j)),
        }
    }
    /// The elements as [stored](Self::number).
    pub(crate) fn faer(self) -> MatRef<'a, T> {
        if self.row_stride == 1 {
            let stride = self.col_stride;
            MatRef::from_column_major_slice_with_stride(self.data, self.rows, self.cols, stride)
        } else {
            let stride = self.row_stride;
            MatRef::from_row_major_slice_with_stride(self.data, self.rows, self.cols, stride)
        }
    }
}
impl<'a, T: Number> ViewMut<'a, T> {
    /// Creates a view of a matrix whose columns are consecutive in `data`.
    ///
    /// # Panics
    /// If `data` does not have `rows * cols` elements.
    pub fn new(data: &'a mut [T], rows: usize, cols: usize) -> Self {
        assert!(data.len() == rows * cols, "each place has an element");
        ViewMut { data, rows, cols }
    }
    /// Returns the elements, column by column.
    pub fn elements(&mut self) -> &mut [T] {
        self.data
    }
    /// Returns column `j`.
    pub fn column(&mut self, j: usize) -> &mut [T] {
        &mut self.data[j * self.rows..][..self.rows]
    }
    pub(crate) fn faer(&mut self) -> MatMut<'_, T> {
        self.reborrow().into_faer()
    }
    pub(crate) fn into_faer(self) -> MatMut<'a, T> {
        MatMut::from_column_major_slice_mut(self.data, self.rows, self.cols)
    }
    /// Reborrows the view.
    pub fn reborrow(&mut self) -> ViewMut<'_, T> {
        ViewMut {
            data: self.data,
            rows: self.rows,
            cols: self.cols,
        }
    }
}
