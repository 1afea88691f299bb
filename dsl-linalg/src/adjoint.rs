//! Adjoints of matrices, and contributions added to them without a temporary.
//!
//! ```text
//! Product  alpha * a * b by one gemm with beta = 1, directly into the adjoint; outer products for a large
//!          adjoint are collected, and flushed as one gemm
//! Times    a number times a matrix
//! Each     a function of each element
//! Pairs    a function of the elements of two matrices at the same place
//! Within   anything else that is added in place: transposed, block, diagonal, ...
//! ```
use crate::{
    Dense, Number, Sizes, View, kernels,
    memory::{copied, fresh, is_fixed, map, recycle, zeros, zip},
    view::{view, view_mut},
};
use entape_core::kind::{Adjoint, Contribution, Incoming, is_unset, unset};
use nalgebra::{DefaultAllocator, Dim, OMatrix, SMatrix};
use std::mem::ManuallyDrop;

/// Adjoints with at least this many rows and columns collect outer products.
const COLLECT: usize = 8;
/// Outer products per gemm; see `docs/decisions/0010-matrices-and-kernels.md`.
const FLUSH: usize = 64;

/// Accumulates the adjoint of a matrix.
pub trait Total<T, M>: Default + Clone + 'static {
    /// Whether no matrix is stored yet.
    fn is_vacant(&self) -> bool;
    /// Whether nothing was added.
    fn is_unset(&self) -> bool;
    /// Resets to unset.
    fn reset(&mut self);
    /// Returns the matrix, and whether its elements are unspecified.
    fn place(&mut self, rows: usize, cols: usize) -> (bool, &mut M);
    /// Stores `alpha * a * b`, for a column and a row, to be added later, if it can.
    fn collect(&mut self, alpha: T, a: View<'_, T>, b: View<'_, T>) -> bool {
        let _ = (alpha, a, b);
        false
    }
    fn into_value(self) -> Option<M>;
    fn value_mut(&mut self, zero: impl FnOnce() -> M) -> &mut M;
}

/// The adjoint of a matrix of a fixed size. Contributions are added to zero, so `-0.0` does not count as unset.
#[derive(Clone, Debug)]
pub struct Fixed<T, const R: usize, const C: usize>(SMatrix<T, R, C>);
impl<T: Number, const R: usize, const C: usize> Default for Fixed<T, R, C> {
    #[inline(always)]
    fn default() -> Self {
        Fixed(SMatrix::repeat(unset::<T::Kind>()))
    }
}
impl<T: Number, const R: usize, const C: usize> Total<T, SMatrix<T, R, C>> for Fixed<T, R, C> {
    #[inline(always)]
    fn is_vacant(&self) -> bool {
        false
    }
    #[inline(always)]
    fn is_unset(&self) -> bool {
        self.0.as_slice().iter().all(is_unset::<T::Kind>)
    }
    #[inline(always)]
    fn reset(&mut self) {
        *self = Fixed::default();
    }
    #[inline(always)]
    fn place(&mut self, _: usize, _: usize) -> (bool, &mut SMatrix<T, R, C>) {
        (false, self.value_mut(SMatrix::zeros))
    }
    #[inline(always)]
    fn into_value(self) -> Option<SMatrix<T, R, C>> {
        Some(self.0)
    }
    #[inline(always)]
    fn value_mut(&mut self, _: impl FnOnce() -> SMatrix<T, R, C>) -> &mut SMatrix<T, R, C> {
        if let Some(first) = self.0.as_mut_slice().first_mut() {
            *first += T::zero();
        }
        &mut self.0
    }
}

/// The adjoint of a matrix with dynamic sizes, with pending outer products.
pub struct Dynamic<T: Number, R: Dim, C: Dim>
where
    DefaultAllocator: Sizes<R, C>,
{
    value: Option<OMatrix<T, R, C>>,
    again: bool,
    pending: Option<Box<Outers<T>>>,
}
entape_core::debug_by_name! { [T: Number, R: Dim, C: Dim] Dynamic<T, R, C> where [DefaultAllocator: Sizes<R, C>] }
#[derive(Clone)]
struct Outers<T> {
    rows: usize,
    cols: usize,
    count: usize,
    x: Vec<T>,
    y: Vec<T>,
}
impl<T: Number, R: Dim, C: Dim> Default for Dynamic<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    #[inline]
    fn default() -> Self {
        Dynamic {
            value: None,
            again: false,
            pending: None,
        }
    }
}
impl<T: Number, R: Dim, C: Dim> Drop for Dynamic<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    #[inline]
    fn drop(&mut self) {
        self.value.take().into_iter().for_each(recycle);
    }
}
impl<T: Number, R: Dim, C: Dim> Clone for Dynamic<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    fn clone(&self) -> Self {
        Dynamic {
            value: self.value.as_ref().map(copied),
            again: self.again,
            pending: self.pending.as_ref().filter(|o| o.count > 0).cloned(),
        }
    }
}
impl<T: Number, R: Dim, C: Dim> Dynamic<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    #[inline(always)]
    fn flush(&mut self) {
        if self.pending.as_ref().is_some_and(|o| o.count > 0) {
            self.flush_pending();
        }
    }
    #[cold]
    #[inline(never)]
    fn flush_pending(&mut self) {
        let Some(mut outers) = self.pending.take() else {
            return;
        };
        let (x, y) = (
            View::new(&outers.x, outers.rows, outers.count),
            View::new(&outers.y, outers.cols, outers.count),
        );
        let (first, sum) = self.place(x.rows, y.rows);
        assert_sum((x.rows, y.rows), sum.shape());
        let beta = if first { T::zero() } else { T::one() };
        kernels::gemm(T::one(), x, y.t(), beta, view_mut(sum));
        outers.clear();
        self.pending = Some(outers);
    }
}
impl<T> Outers<T> {
    fn clear(&mut self) {
        self.x.clear();
        self.y.clear();
        self.count = 0;
    }
}
impl<T: Number, R: Dim, C: Dim> Total<T, OMatrix<T, R, C>> for Dynamic<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    fn is_vacant(&self) -> bool {
        self.value.is_none()
    }
    fn is_unset(&self) -> bool {
        self.value.is_none() && self.pending.as_ref().is_none_or(|o| o.count == 0)
    }
    fn reset(&mut self) {
        self.value.take().into_iter().for_each(recycle);
        self.again = false;
        if let Some(outers) = &mut self.pending {
            outers.clear();
        }
    }
    #[inline(always)]
    fn place(&mut self, rows: usize, cols: usize) -> (bool, &mut OMatrix<T, R, C>) {
        let first = self.value.is_none();
        (first, self.value.get_or_insert_with(|| fresh(rows, cols)))
    }
    /// The first outer product is often the only one.
    #[inline(never)]
    fn collect(&mut self, alpha: T, a: View<'_, T>, b: View<'_, T>) -> bool {
        let again = std::mem::replace(&mut self.again, true);
        let (Some(x), Some(y), true) = (a.columns(), b.columns(), again) else {
            return false;
        };
        let (number_x, number_y) = (a.number(), b.number());
        let (rows, cols) = (x.len(), y.len());
        let other = |o: &mut Box<Outers<T>>| o.count == 0 && (o.rows, o.cols) != (rows, cols);
        self.pending.take_if(other);
        let outers = self.pending.get_or_insert_with(|| {
            Box::new(Outers {
                rows,
                cols,
                count: 0,
                x: Vec::new(),
                y: Vec::new(),
            })
        });
        assert_sum((rows, cols), (outers.rows, outers.cols));
        outers.x.extend(x.iter().map(|x| alpha * number_x(*x)));
        outers.y.extend(y.iter().map(|y| number_y(*y)));
        outers.count += 1;
        if outers.count == FLUSH {
            self.flush();
        }
        true
    }
    #[inline(always)]
    fn into_value(self) -> Option<OMatrix<T, R, C>> {
        let mut sum = ManuallyDrop::new(self);
        sum.flush();
        sum.pending = None;
        sum.value.take()
    }
    fn value_mut(&mut self, zero: impl FnOnce() -> OMatrix<T, R, C>) -> &mut OMatrix<T, R, C> {
        self.flush();
        self.value.get_or_insert_with(zero)
    }
}

#[inline(always)]
fn assert_sum(term: (usize, usize), sum: (usize, usize)) {
    if term != sum {
        other_sum(term, sum);
    }
}
#[cold]
#[inline(never)]
fn other_sum((rows, cols): (usize, usize), (m, n): (usize, usize)) -> ! {
    panic!(
        "the adjoint of a matrix of shape {m}x{n} has shape {rows}x{cols}: correct the adjoint formula"
    )
}
macro_rules! of_shape { ($self:ident: $shape:expr) => {
    #[inline(always)]
    fn fits(&$self, like: &OMatrix<T, R, C>) -> bool {
        $shape == like.shape()
    }
    #[inline(always)]
    fn given_shape(&$self) -> String {
        format!("{:?}", $shape)
    }
} }

/// The accumulator for the adjoint of a matrix.
pub struct Sum<T: Number, R: Dim, C: Dim>(<DefaultAllocator as Sizes<R, C>>::Total<T>)
where
    DefaultAllocator: Sizes<R, C>;
entape_core::debug_by_name! { [T: Number, R: Dim, C: Dim] Sum<T, R, C> where [DefaultAllocator: Sizes<R, C>] }
impl<T: Number, R: Dim, C: Dim> Clone for Sum<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    fn clone(&self) -> Self {
        Sum(self.0.clone())
    }
}
impl<T: Number, R: Dim, C: Dim> Sum<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    /// Adds `alpha * a * b`.
    #[inline(always)]
    pub fn add_product(&mut self, alpha: T, a: View<'_, T>, b: View<'_, T>) {
        let collects = a.cols == 1 && a.rows >= COLLECT && b.cols >= COLLECT;
        if collects && self.0.collect(alpha, a, b) {
            return;
        }
        let (first, sum) = self.0.place(a.rows, b.cols);
        assert_sum((a.rows, b.cols), sum.shape());
        let known = is_fixed::<R, C>();
        kernels::add_product(known, alpha, a, b, first, view_mut(sum));
    }
    #[inline(always)]
    fn add_each(&mut self, m: &OMatrix<T, R, C>, of: impl Fn(T) -> T) {
        self.add_all(m.shape(), m.as_slice().iter(), |m| of(*m));
    }
    #[inline(always)]
    fn add_all<I: ExactSizeIterator>(
        &mut self,
        (rows, cols): (usize, usize),
        items: I,
        of: impl Fn(I::Item) -> T,
    ) {
        let (first, sum) = self.0.place(rows, cols);
        assert_sum((rows, cols), sum.shape());
        assert!(sum.len() == items.len(), "each element has a number");
        let each = sum.as_mut_slice().iter_mut().zip(items);
        if first {
            each.for_each(|(sum, x)| *sum = of(x));
        } else {
            each.for_each(|(sum, x)| *sum += of(x));
        }
    }
}
impl<T: Number, R: Dim, C: Dim> Adjoint<Dense<T, R, C>> for Sum<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    #[inline(always)]
    fn unset() -> Self {
        Sum(Default::default())
    }
    #[inline(always)]
    fn reset(&mut self) {
        self.0.reset();
    }
    #[inline(always)]
    fn is_unset(&self) -> bool {
        self.0.is_unset()
    }
    #[inline(always)]
    fn into_value(self) -> Option<OMatrix<T, R, C>> {
        self.0.into_value()
    }
    #[inline(always)]
    fn add(&mut self, value: OMatrix<T, R, C>) {
        if self.0.is_vacant() {
            self.0.value_mut(|| value);
        } else {
            self.add_each(&value, |x| x);
            recycle(value);
        }
    }
    #[inline(always)]
    fn value_mut(&mut self, zero: impl FnOnce() -> OMatrix<T, R, C>) -> &mut OMatrix<T, R, C> {
        self.0.value_mut(zero)
    }
}

impl<T: Number, R: Dim, C: Dim> Contribution<Dense<T, R, C>> for &OMatrix<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    #[inline(always)]
    fn add_to(self, adjoint: &mut Sum<T, R, C>) {
        adjoint.add_each(self, |m| m);
    }
    of_shape! { self: self.shape() }
    fn materialise(self) -> OMatrix<T, R, C> {
        copied(self)
    }
    #[inline(always)]
    fn hand_to(self, inner: impl FnOnce(Incoming<'_, Dense<T, R, C>>)) {
        inner(Incoming::borrowed(self));
    }
}

/// The contribution `alpha * a * b` of two views.
#[derive(Clone, Copy, Debug)]
pub struct Product<'a, T>(pub T, pub View<'a, T>, pub View<'a, T>);
impl<T: Number, R: Dim, C: Dim> Contribution<Dense<T, R, C>> for Product<'_, T>
where
    DefaultAllocator: Sizes<R, C>,
{
    #[inline(always)]
    fn add_to(self, adjoint: &mut Sum<T, R, C>) {
        adjoint.add_product(self.0, self.1, self.2);
    }
    of_shape! { self: (self.1.rows, self.2.cols) }
    fn materialise(self) -> OMatrix<T, R, C> {
        let Product(alpha, a, b) = self;
        let mut r = fresh(a.rows, b.cols);
        let known = is_fixed::<R, C>();
        kernels::add_product(known, alpha, a, b, true, view_mut(&mut r));
        r
    }
}

/// The contribution of a number times a matrix; see [`Number`].
#[derive(Clone, Copy, Debug)]
pub struct Times<T, M>(pub T, pub M);
impl<T: Number, R: Dim, C: Dim> Contribution<Dense<T, R, C>> for Times<T, OMatrix<T, R, C>>
where
    DefaultAllocator: Sizes<R, C>,
{
    fn add_to(self, adjoint: &mut Sum<T, R, C>) {
        if adjoint.0.is_vacant() {
            adjoint.add(self.materialise());
        } else {
            adjoint.add_each(&self.1, |m| self.0 * m);
            recycle(self.1);
        }
    }
    of_shape! { self: self.1.shape() }
    fn materialise(self) -> OMatrix<T, R, C> {
        let Times(alpha, mut m) = self;
        m.as_mut_slice().iter_mut().for_each(|m| *m *= alpha);
        m
    }
}
impl<T: Number, R: Dim, C: Dim> Contribution<Dense<T, R, C>> for Times<T, &OMatrix<T, R, C>>
where
    DefaultAllocator: Sizes<R, C>,
{
    #[inline(always)]
    fn add_to(self, adjoint: &mut Sum<T, R, C>) {
        let Times(alpha, m) = self;
        adjoint.add_each(m, |m| alpha * m);
    }
    of_shape! { self: self.1.shape() }
    fn materialise(self) -> OMatrix<T, R, C> {
        map(self.1, |x| self.0 * x)
    }
}

/// The contribution of a number times the conjugated matrix.
#[derive(Clone, Copy, Debug)]
pub struct TimesConjugate<'a, T, M>(pub T, pub &'a M);
impl<T: Number, R: Dim, C: Dim> Contribution<Dense<T, R, C>>
    for TimesConjugate<'_, T, OMatrix<T, R, C>>
where
    DefaultAllocator: Sizes<R, C>,
{
    fn add_to(self, adjoint: &mut Sum<T, R, C>) {
        let TimesConjugate(alpha, m) = self;
        adjoint.add_each(m, |m| alpha * m.conjugate());
    }
    of_shape! { self: self.1.shape() }
    fn materialise(self) -> OMatrix<T, R, C> {
        map(self.1, |x| self.0 * x.conjugate())
    }
}

/// The contribution of a function of each element.
#[derive(Clone, Copy, Debug)]
pub struct Mapped<'a, A, F>(pub &'a A, pub F);
impl<T: Number, U: Number, R: Dim, C: Dim, F: Fn(U) -> T> Contribution<Dense<T, R, C>>
    for Mapped<'_, OMatrix<U, R, C>, F>
where
    DefaultAllocator: Sizes<R, C>,
{
    fn add_to(self, adjoint: &mut Sum<T, R, C>) {
        let Mapped(a, of) = self;
        adjoint.add_all(a.shape(), a.as_slice().iter(), |a| of(*a));
    }
    of_shape! { self: self.0.shape() }
    fn materialise(self) -> OMatrix<T, R, C> {
        map(self.0, self.1)
    }
}

/// The contribution of a function of corresponding elements.
#[derive(Clone, Copy, Debug)]
pub struct Zipped<'a, A, B, F>(pub &'a A, pub &'a B, pub F);
impl<T: Number, U: Number, V: Number, R: Dim, C: Dim, F: Fn(U, V) -> T> Contribution<Dense<T, R, C>>
    for Zipped<'_, OMatrix<U, R, C>, OMatrix<V, R, C>, F>
where
    DefaultAllocator: Sizes<R, C>,
{
    fn add_to(self, adjoint: &mut Sum<T, R, C>) {
        let Zipped(a, b, of) = self;
        adjoint.add_all(
            a.shape(),
            a.as_slice().iter().zip(b.as_slice()),
            |(a, b)| of(*a, *b),
        );
    }
    of_shape! { self: self.0.shape() }
    fn materialise(self) -> OMatrix<T, R, C> {
        let Zipped(a, b, of) = self;
        zip(a, b, of)
    }
}

/// A contribution that a closure adds in place, for example to a block.
#[derive(Clone, Copy, Debug)]
pub struct Within<F> {
    shape: (usize, usize),
    add: F,
}
impl<F> Within<F> {
    /// Creates a contribution to a matrix of this shape.
    pub fn new<M>(shape: (usize, usize), add: F) -> Self
    where
        F: FnOnce(&mut M),
    {
        Within { shape, add }
    }
}
impl<T: Number, R: Dim, C: Dim, F> Contribution<Dense<T, R, C>> for Within<F>
where
    F: FnOnce(&mut OMatrix<T, R, C>),
    DefaultAllocator: Sizes<R, C>,
{
    fn add_to(self, adjoint: &mut Sum<T, R, C>) {
        let (rows, cols) = self.shape;
        let sum = adjoint.value_mut(|| zeros(rows, cols));
        assert_sum(self.shape, sum.shape());
        (self.add)(sum);
    }
    of_shape! { self: self.shape }
    fn materialise(self) -> OMatrix<T, R, C> {
        let mut r = zeros(self.shape.0, self.shape.1);
        (self.add)(&mut r);
        r
    }
}

pub(crate) fn product<T: Number, R: Dim, C: Dim>(
    alpha: T,
    a: View<'_, T>,
    b: View<'_, T>,
) -> OMatrix<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    Contribution::<Dense<T, R, C>>::materialise(Product(alpha, a, b))
}
/// The conjugate transpose, as a view.
#[inline(always)]
pub(crate) fn h<T: Number, R: Dim, C: Dim>(m: &OMatrix<T, R, C>) -> View<'_, T>
where
    DefaultAllocator: Sizes<R, C>,
{
    view(m).h()
}
