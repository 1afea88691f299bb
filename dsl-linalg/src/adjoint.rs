//! What accumulates the adjoint of a matrix, and what can be added to it without a temporary.
//!
//! ```text
//! Product  alpha * a * b, one gemm with beta = 1 straight into the adjoint; with one column in `a` an outer
//!          product: those of a large adjoint are collected, and flushed as one gemm
//! Times    a number times a matrix
//! Within   anything else that is added in place: transposed, block, diagonal, ...
//! ```
use crate::{
    Dense, Number, Sizes, View, kernels,
    kinds::zeros,
    view::{view, view_mut},
};
use entape_core::kind::{Adjoint, Contribution};
use nalgebra::{DefaultAllocator, Dim, OMatrix};

/// Adjoints with at least so many rows and columns collect outer products.
const COLLECT: usize = 16;
/// So many outer products are flushed as one gemm.
const FLUSH: usize = 32;

/// The adjoint of a matrix: a sum, of which some outer products may be still to add.
pub struct Sum<T: Number, R: Dim, C: Dim>
where
    DefaultAllocator: Sizes<T, R, C>,
{
    value: Option<OMatrix<T, R, C>>,
    pending: Option<Box<Outers<T>>>,
}
/// Pending outer products: the columns of `x` times those of `y`.
#[derive(Clone)]
struct Outers<T> {
    rows: usize,
    cols: usize,
    count: usize,
    x: Vec<T>,
    y: Vec<T>,
}

impl<T: Number, R: Dim, C: Dim> Default for Sum<T, R, C>
where
    DefaultAllocator: Sizes<T, R, C>,
{
    fn default() -> Self {
        Sum {
            value: None,
            pending: None,
        }
    }
}
impl<T: Number, R: Dim, C: Dim> Clone for Sum<T, R, C>
where
    DefaultAllocator: Sizes<T, R, C>,
{
    fn clone(&self) -> Self {
        Sum {
            value: self.value.clone(),
            pending: self.pending.clone(),
        }
    }
}
impl<T: Number, R: Dim, C: Dim> Sum<T, R, C>
where
    DefaultAllocator: Sizes<T, R, C>,
{
    /// Adds `alpha * a * b`.
    pub fn add_product(&mut self, alpha: T, a: View<'_, T>, b: View<'_, T>) {
        if a.cols == 1
            && a.rows >= COLLECT
            && b.cols >= COLLECT
            && let (Some(x), Some(y)) = (a.columns(), b.columns())
        {
            self.collect(alpha, x, y);
            return;
        }
        match &mut self.value {
            Some(sum) => kernels::gemm(alpha, a, b, T::one(), view_mut(sum)),
            None => {
                let mut sum = zeros(a.rows, b.cols);
                kernels::gemm(alpha, a, b, T::zero(), view_mut(&mut sum));
                self.value = Some(sum);
            }
        }
    }
    fn collect(&mut self, alpha: T, x: &[T], y: &[T]) {
        let (rows, cols) = (x.len(), y.len());
        let outers = self.pending.get_or_insert_with(|| {
            Box::new(Outers {
                rows,
                cols,
                count: 0,
                x: Vec::with_capacity(FLUSH * rows),
                y: Vec::with_capacity(FLUSH * cols),
            })
        });
        assert!(
            (outers.rows, outers.cols) == (rows, cols),
            "the adjoint of a matrix with shape {}x{} is {rows}x{cols}",
            outers.rows,
            outers.cols,
        );
        outers.x.extend(x.iter().map(|x| alpha * *x));
        outers.y.extend_from_slice(y);
        outers.count += 1;
        if outers.count == FLUSH {
            self.flush();
        }
    }
    /// Adds what is pending, as one product.
    fn flush(&mut self) {
        let Some(outers) = self.pending.as_deref_mut().filter(|o| o.count > 0) else {
            return;
        };
        let (x, y) = (
            View::new(&outers.x, outers.rows, outers.count),
            View::new(&outers.y, outers.cols, outers.count),
        );
        let (beta, sum) = match &mut self.value {
            Some(sum) => (T::one(), sum),
            none => (T::zero(), none.insert(zeros(x.rows, y.rows))),
        };
        kernels::gemm(T::one(), x, y.t(), beta, view_mut(sum));
        outers.x.clear();
        outers.y.clear();
        outers.count = 0;
    }
}
impl<T: Number, R: Dim, C: Dim> Adjoint<Dense<T, R, C>> for Sum<T, R, C>
where
    DefaultAllocator: Sizes<T, R, C>,
{
    fn is_unset(&self) -> bool {
        self.value.is_none() && self.pending.as_ref().is_none_or(|o| o.count == 0)
    }
    fn into_value(mut self) -> Option<OMatrix<T, R, C>> {
        self.flush();
        self.value
    }
    fn add(&mut self, value: OMatrix<T, R, C>) {
        match &mut self.value {
            Some(sum) => kernels::axpy(T::one(), value.as_slice(), sum.as_mut_slice()),
            None => self.value = Some(value),
        }
    }
    fn value_mut(&mut self, zero: impl FnOnce() -> OMatrix<T, R, C>) -> &mut OMatrix<T, R, C> {
        self.flush();
        self.value.get_or_insert_with(zero)
    }
}

impl<T: Number, R: Dim, C: Dim> Contribution<Dense<T, R, C>> for &OMatrix<T, R, C>
where
    DefaultAllocator: Sizes<T, R, C>,
{
    fn add_to(self, adjoint: &mut Sum<T, R, C>) {
        Times(T::one(), self).add_to(adjoint);
    }
    fn materialise(self) -> OMatrix<T, R, C> {
        self.clone()
    }
}

/// The product `alpha * a * b`.
#[derive(Clone, Copy, Debug)]
pub struct Product<'a, T>(pub T, pub View<'a, T>, pub View<'a, T>);
impl<T: Number, R: Dim, C: Dim> Contribution<Dense<T, R, C>> for Product<'_, T>
where
    DefaultAllocator: Sizes<T, R, C>,
{
    fn add_to(self, adjoint: &mut Sum<T, R, C>) {
        adjoint.add_product(self.0, self.1, self.2);
    }
    fn materialise(self) -> OMatrix<T, R, C> {
        let Product(alpha, a, b) = self;
        let mut r = zeros(a.rows, b.cols);
        kernels::gemm(alpha, a, b, T::zero(), view_mut(&mut r));
        r
    }
}

/// A number times a matrix.
#[derive(Clone, Copy, Debug)]
pub struct Times<'a, T, M>(pub T, pub &'a M);
impl<T: Number, R: Dim, C: Dim> Contribution<Dense<T, R, C>> for Times<'_, T, OMatrix<T, R, C>>
where
    DefaultAllocator: Sizes<T, R, C>,
{
    fn add_to(self, adjoint: &mut Sum<T, R, C>) {
        match &mut adjoint.value {
            Some(sum) => kernels::axpy(self.0, self.1.as_slice(), sum.as_mut_slice()),
            None => adjoint.value = Some(self.materialise()),
        }
    }
    fn materialise(self) -> OMatrix<T, R, C> {
        if self.0 == T::one() {
            self.1.clone()
        } else {
            self.1.map(|x| self.0 * x)
        }
    }
}

/// What a closure adds in place, to a matrix of this shape.
#[derive(Clone, Copy, Debug)]
pub struct Within<F> {
    shape: (usize, usize),
    add: F,
}
impl<F> Within<F> {
    /// Adds by `add`, to a matrix with a shape of rows and columns.
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
    DefaultAllocator: Sizes<T, R, C>,
{
    fn add_to(self, adjoint: &mut Sum<T, R, C>) {
        let (rows, cols) = self.shape;
        (self.add)(adjoint.value_mut(|| zeros(rows, cols)));
    }
    fn materialise(self) -> OMatrix<T, R, C> {
        let mut r = zeros(self.shape.0, self.shape.1);
        (self.add)(&mut r);
        r
    }
}

/// `alpha * a * b` of matrices.
pub(crate) fn product<T: Number, R: Dim, C: Dim>(
    alpha: T,
    a: View<'_, T>,
    b: View<'_, T>,
) -> OMatrix<T, R, C>
where
    DefaultAllocator: Sizes<T, R, C>,
{
    Contribution::<Dense<T, R, C>>::materialise(Product(alpha, a, b))
}
/// A matrix of any storage, transposed, as a view.
pub(crate) fn t<T: Number, R: Dim, C: Dim>(m: &OMatrix<T, R, C>) -> View<'_, T>
where
    DefaultAllocator: Sizes<T, R, C>,
{
    view(m).t()
}
