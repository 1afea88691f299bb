//! Views of matrices, as kernels take them: a slice, a shape, two strides, and whether each number is conjugated. A
//! transposed view is one with its strides exchanged, so no kernel has flags; real views are never conjugated, which
//! the compiler knows.
use crate::{
    Number,
    memory::{by_elements, filled},
};
use faer::{Conj, MatMut, MatRef};
use nalgebra::{DMatrix, Dim, Matrix, RawStorage, storage};

/// A matrix to read, as [kernels](crate::kernels) take it. One of the two strides is 1.
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
/// A matrix to write, column after column, as [kernels](crate::kernels) take it.
#[derive(Debug)]
pub struct ViewMut<'a, T> {
    pub(crate) data: &'a mut [T],
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub cols: usize,
}

/// A matrix of nalgebra as a view.
#[inline(always)]
pub(crate) fn view<T: Number, R: Dim, C: Dim, S>(m: &Matrix<T, R, C, S>) -> View<'_, T>
where
    S: RawStorage<T, R, C> + storage::IsContiguous,
{
    View::new(m.as_slice(), m.nrows(), m.ncols())
}
/// A matrix of nalgebra to write.
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
    /// A matrix whose columns follow each other in `data`.
    ///
    /// # Panics
    /// If the number of elements is another one.
    #[inline(always)]
    pub fn new(data: &'a [T], rows: usize, cols: usize) -> Self {
        assert!(data.len() == rows * cols, "one element for each place");
        View {
            data,
            rows,
            cols,
            row_stride: 1,
            col_stride: rows,
            conjugated: false,
        }
    }
    /// The transposed matrix.
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
    /// The conjugated matrix.
    #[inline(always)]
    pub fn conjugate(self) -> Self {
        View {
            conjugated: !T::IS_REAL && !self.conjugated,
            ..self
        }
    }
    /// The conjugated and transposed matrix.
    #[inline(always)]
    pub fn h(self) -> Self {
        self.t().conjugate()
    }
    fn is_conjugated(&self) -> bool {
        !T::IS_REAL && self.conjugated
    }
    /// What makes numbers of the matrix from those that are stored: nothing, or the conjugation.
    #[inline(always)]
    pub fn number(&self) -> impl Fn(T) -> T + Copy + use<T> {
        let conjugated = self.is_conjugated();
        move |x| if conjugated { x.conjugate() } else { x }
    }
    /// Whether faer has to conjugate.
    pub(crate) fn conj(&self) -> Conj {
        if self.is_conjugated() {
            Conj::Yes
        } else {
            Conj::No
        }
    }
    /// The elements as they are stored, see [`number`](Self::number), if columns follow each other.
    pub fn columns(&self) -> Option<&'a [T]> {
        let whole = self.row_stride == 1 && self.col_stride == self.rows;
        let vector = self.cols == 1 && self.row_stride == 1;
        let row = self.rows == 1 && self.col_stride == 1;
        (whole || vector || row).then_some(self.data)
    }
    /// All elements, and whether they stand row by row, if nothing lies between them.
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
    /// The element in row `i` and column `j`.
    pub fn at(&self, i: usize, j: usize) -> T {
        self.number()(self.data[i * self.row_stride + j * self.col_stride])
    }
    /// The elements as they are stored and how far columns are apart, if the elements of a column follow each other.
    pub(crate) fn by_columns(&self) -> Option<(&'a [T], usize)> {
        (self.row_stride == 1).then_some((self.data, self.col_stride))
    }
    /// Column `j` as it is stored, if its elements follow each other.
    pub fn column(&self, j: usize) -> Option<&'a [T]> {
        (self.row_stride == 1).then(|| &self.data[j * self.col_stride..][..self.rows])
    }
    /// Row `i` as it is stored, if its elements follow each other.
    pub fn row(&self, i: usize) -> Option<&'a [T]> {
        self.t().column(i)
    }
    /// The first rows.
    pub(crate) fn top(self, rows: usize) -> Self {
        View { rows, ..self }
    }
    /// A copy.
    pub(crate) fn copied(self) -> DMatrix<T> {
        match self.columns().filter(|_| !self.is_conjugated()) {
            Some(all) => filled((self.rows, self.cols), all),
            None => by_elements((self.rows, self.cols), |i, j| self.at(i, j)),
        }
    }
    /// The elements as they are stored, see [`conj`](Self::conj).
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
    /// A matrix whose columns follow each other in `data`.
    ///
    /// # Panics
    /// If the number of elements is another one.
    pub fn new(data: &'a mut [T], rows: usize, cols: usize) -> Self {
        assert!(data.len() == rows * cols, "one element for each place");
        ViewMut { data, rows, cols }
    }
    /// The elements, column after column.
    pub fn elements(&mut self) -> &mut [T] {
        self.data
    }
    /// Column `j`.
    pub fn column(&mut self, j: usize) -> &mut [T] {
        &mut self.data[j * self.rows..][..self.rows]
    }
    pub(crate) fn faer(&mut self) -> MatMut<'_, T> {
        self.reborrow().into_faer()
    }
    pub(crate) fn into_faer(self) -> MatMut<'a, T> {
        MatMut::from_column_major_slice_mut(self.data, self.rows, self.cols)
    }
    /// The same view, for a shorter time.
    pub fn reborrow(&mut self) -> ViewMut<'_, T> {
        ViewMut {
            data: self.data,
            rows: self.rows,
            cols: self.cols,
        }
    }
}
