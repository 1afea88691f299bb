//! The memory of matrices with dynamic sizes, which returns to a [`pool`] after its use.
use crate::{Number, Sizes};
use entape_core::{
    kind::{Heap, Kind},
    storage::{pool, prefetch_slice},
};
use nalgebra::{
    Const, DefaultAllocator, Dim, DimName, Dyn, Matrix, OMatrix, VecStorage, allocator::Allocator,
};
use std::{
    mem::replace,
    ops::{Deref, DerefMut},
};

/// Up to this size in bytes, memory is pooled with the allocation in which a tape shares it. Larger memory is pooled
/// alone, for adjoints and temporaries, too: fresh pages cost more than the shared allocation.
const SMALL: usize = 4096;
#[inline(always)]
pub(crate) fn extent<T>(numbers: usize) -> usize {
    let bytes = size_of::<T>() * numbers;
    if bytes <= SMALL { bytes } else { 0 }
}

/// Prefetches the first bytes; a processor continues only after a few cache misses in each page.
#[inline(always)]
pub(crate) fn ahead<T>(numbers: &[T]) {
    const FIRST: usize = 4096;
    let some = numbers.len().min(FIRST / size_of::<T>().max(1));
    prefetch_slice(&numbers[..some]);
    // The numbers may begin anywhere in a cache line.
    prefetch_slice(numbers.get(some.wrapping_sub(1)..some).unwrap_or_default());
}

/// Reuse of the memory of matrices of this shape.
pub trait MatrixMemory<R: Dim, C: Dim>: Allocator<R, C> {
    /// The fixed sizes.
    const FIXED: Option<(usize, usize)> = None;
    /// Returns a matrix with unspecified numbers, for code that writes all of them.
    fn fresh<T: Number>(rows: R, cols: C) -> Matrix<T, R, C, Self::Buffer<T>>;
    /// Returns the memory of a matrix to the pool and leaves the matrix without elements.
    fn recycle<T: Number>(m: &mut Matrix<T, R, C, Self::Buffer<T>>);
}
impl<const R: usize, const C: usize> MatrixMemory<Const<R>, Const<C>> for DefaultAllocator {
    const FIXED: Option<(usize, usize)> = Some((R, C));
    #[inline(always)]
    fn fresh<T: Number>(rows: Const<R>, cols: Const<C>) -> OMatrix<T, Const<R>, Const<C>> {
        OMatrix::zeros_generic(rows, cols)
    }
    #[inline(always)]
    fn recycle<T: Number>(_: &mut OMatrix<T, Const<R>, Const<C>>) {}
}
impl<C: Dim> MatrixMemory<Dyn, C> for DefaultAllocator {
    fn fresh<T: Number>(rows: Dyn, cols: C) -> OMatrix<T, Dyn, C> {
        let numbers = pool::take(rows.value() * cols.value());
        Matrix::from_data(VecStorage::new(rows, cols, numbers))
    }
    fn recycle<T: Number>(m: &mut OMatrix<T, Dyn, C>) {
        let empty = VecStorage::new(Dyn(0), m.shape_generic().1, Vec::new());
        pool::give(replace(&mut m.data, empty).into());
    }
}
impl<const R: usize> MatrixMemory<Const<R>, Dyn> for DefaultAllocator
where
    Const<R>: DimName,
{
    fn fresh<T: Number>(rows: Const<R>, cols: Dyn) -> OMatrix<T, Const<R>, Dyn> {
        let numbers = pool::take(rows.value() * cols.value());
        Matrix::from_data(VecStorage::new(rows, cols, numbers))
    }
    fn recycle<T: Number>(m: &mut OMatrix<T, Const<R>, Dyn>) {
        let empty = VecStorage::new(m.shape_generic().0, Dyn(0), Vec::new());
        pool::give(replace(&mut m.data, empty).into());
    }
}

#[inline(always)]
pub(crate) fn is_fixed<R: Dim, C: Dim>() -> bool {
    R::try_to_usize().is_some() && C::try_to_usize().is_some()
}

pub(crate) fn recycle<T: Number, R: Dim, C: Dim>(mut m: OMatrix<T, R, C>)
where
    DefaultAllocator: Sizes<R, C>,
{
    <DefaultAllocator as MatrixMemory<R, C>>::recycle(&mut m);
}
pub(crate) fn fresh<T: Number, R: Dim, C: Dim>(rows: usize, cols: usize) -> OMatrix<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    <DefaultAllocator as MatrixMemory<R, C>>::fresh(R::from_usize(rows), C::from_usize(cols))
}
pub(crate) fn zeros<T: Number, R: Dim, C: Dim>(rows: usize, cols: usize) -> OMatrix<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    let mut m = fresh(rows, cols);
    m.fill(T::zero());
    m
}
/// The tangent of a passive matrix.
pub(crate) fn unset<T: Number, R: Dim, C: Dim>(rows: usize, cols: usize) -> OMatrix<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    let mut m = fresh(rows, cols);
    m.fill(<T::Kind as Kind>::unset_tangent(&T::zero()));
    m
}
pub(crate) fn identity<T: Number, N: Dim>(n: usize, by: T) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    let mut m = zeros(n, n);
    m.fill_diagonal(by);
    m
}
pub(crate) fn filled<T: Number, R: Dim, C: Dim>(
    (rows, cols): (usize, usize),
    elements: &[T],
) -> OMatrix<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    let mut m = fresh(rows, cols);
    m.as_mut_slice().copy_from_slice(elements);
    m
}
pub(crate) fn copied<T: Number, R: Dim, C: Dim>(m: &OMatrix<T, R, C>) -> OMatrix<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    filled(m.shape(), m.as_slice())
}
pub(crate) fn by_elements<T: Number, R: Dim, C: Dim>(
    (rows, cols): (usize, usize),
    of: impl Fn(usize, usize) -> T,
) -> OMatrix<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    let mut m: OMatrix<T, R, C> = fresh(rows, cols);
    let columns = m.as_mut_slice().chunks_exact_mut(rows.max(1));
    for (j, column) in columns.enumerate() {
        let each = column.iter_mut().enumerate();
        each.for_each(|(i, x)| *x = of(i, j));
    }
    m
}
#[inline]
pub(crate) fn map<T: Number, U: Number, R: Dim, C: Dim>(
    a: &OMatrix<T, R, C>,
    of: impl Fn(T) -> U,
) -> OMatrix<U, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    let mut r: OMatrix<U, R, C> = fresh(a.nrows(), a.ncols());
    let each = r.as_mut_slice().iter_mut().zip(a.as_slice());
    each.for_each(|(r, a)| *r = of(*a));
    r
}
#[inline]
pub(crate) fn zip<T: Number, U: Number, V: Number, R: Dim, C: Dim>(
    a: &OMatrix<T, R, C>,
    b: &OMatrix<U, R, C>,
    of: impl Fn(T, U) -> V,
) -> OMatrix<V, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    let mut r: OMatrix<V, R, C> = fresh(a.nrows(), a.ncols());
    let both = a.as_slice().iter().zip(b.as_slice());
    let each = r.as_mut_slice().iter_mut().zip(both);
    each.for_each(|(r, (a, b))| *r = of(*a, *b));
    r
}

/// A temporary or factor, which returns its memory to the pool.
#[derive(Debug)]
pub struct Pooled<T: Number, R: Dim, C: Dim>(Option<OMatrix<T, R, C>>)
where
    DefaultAllocator: Sizes<R, C>;
impl<T: Number, R: Dim, C: Dim> Default for Pooled<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    fn default() -> Self {
        Pooled(None)
    }
}
impl<T: Number, R: Dim, C: Dim> From<OMatrix<T, R, C>> for Pooled<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    fn from(m: OMatrix<T, R, C>) -> Self {
        Pooled(Some(m))
    }
}
impl<T: Number, R: Dim, C: Dim> Drop for Pooled<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    fn drop(&mut self) {
        self.0.take().into_iter().for_each(recycle);
    }
}
impl<T: Number, R: Dim, C: Dim> Deref for Pooled<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    type Target = OMatrix<T, R, C>;
    fn deref(&self) -> &OMatrix<T, R, C> {
        self.0.as_ref().expect("the matrix until it is dropped")
    }
}
impl<T: Number, R: Dim, C: Dim> DerefMut for Pooled<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    fn deref_mut(&mut self) -> &mut OMatrix<T, R, C> {
        self.0.as_mut().expect("the matrix until it is dropped")
    }
}
impl<T: Number, R: Dim, C: Dim> Heap for Pooled<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    fn heap_bytes(&self) -> usize {
        self.0.as_ref().map_or(0, |m| size_of_val(m.as_slice()))
    }
}
#[cfg(feature = "complex")]
pub(crate) fn scratch<T: Number>(rows: usize, cols: usize) -> Pooled<T, Dyn, Dyn> {
    Pooled(Some(fresh(rows, cols)))
}
