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

/// Adjoints with at least so many rows and columns collect outer products. Measured per outer product, one by one and
/// collected: 28 and 11 ns at 8x8, 99 and 31 at 20x20, 7.7 and 1.4 us at 200x200; below, a single one that has no
/// other to wait for costs more than the others gain.
const COLLECT: usize = 8;
/// So many outer products are flushed as one gemm; with 64 the gain is below a twentieth.
const FLUSH: usize = 32;

/// The adjoint of a matrix: a sum, of which some outer products may be still to add.
pub struct Sum<T: Number, R: Dim, C: Dim>
where
    DefaultAllocator: Sizes<R, C>,
{
    value: Option<OMatrix<T, R, C>>,
    /// Whether the value counts. If not, it is memory for the next sweep.
    set: bool,
    /// Whether the memory came into being here. A value that was moved in has left room where it comes from, so its
    /// memory is given back.
    own: bool,
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
    DefaultAllocator: Sizes<R, C>,
{
    fn default() -> Self {
        Sum {
            value: None,
            set: false,
            own: false,
            pending: None,
        }
    }
}
impl<T: Number, R: Dim, C: Dim> Clone for Sum<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    fn clone(&self) -> Self {
        Sum {
            value: self.value.as_ref().filter(|_| self.set).cloned(),
            set: self.set,
            own: self.own,
            pending: self.pending.as_ref().filter(|o| o.count > 0).cloned(),
        }
    }
}
impl<T: Number, R: Dim, C: Dim> Sum<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    /// Adds `alpha * a * b`.
    pub fn add_product(&mut self, alpha: T, a: View<'_, T>, b: View<'_, T>) {
        if a.cols == 1
            && a.rows >= COLLECT
            && b.cols >= COLLECT
            && let (Some(x), Some(y)) = (a.columns(), b.columns())
        {
            self.collect((x, a.number()), (y, b.number()), alpha);
            return;
        }
        let (beta, sum) = self.place(a.rows, b.cols);
        kernels::gemm(alpha, a, b, beta, view_mut(sum));
    }
    /// Adds a function of each element of `m`.
    #[inline(always)]
    fn add_each(&mut self, m: &OMatrix<T, R, C>, f: impl Fn(T) -> T) {
        let (beta, sum) = self.place(m.nrows(), m.ncols());
        assert!(sum.len() == m.len(), "the shapes of a sum");
        let each = sum.as_mut_slice().iter_mut().zip(m.as_slice());
        if beta != T::zero() {
            each.for_each(|(sum, m)| *sum += f(*m));
        } else {
            each.for_each(|(sum, m)| *sum = f(*m));
        }
    }
    /// Where to add, and what to multiply with what stands there: 0 if nothing was added before.
    fn place(&mut self, rows: usize, cols: usize) -> (T, &mut OMatrix<T, R, C>) {
        if std::mem::replace(&mut self.set, true) {
            return (
                T::one(),
                self.value.get_or_insert_with(|| zeros(rows, cols)),
            );
        }
        self.own = true;
        let sum = match self.value.take() {
            Some(memory) if memory.shape() == (rows, cols) => memory,
            _ => zeros(rows, cols),
        };
        (T::zero(), self.value.insert(sum))
    }
    /// Keeps `alpha * x * y'`, for columns and what makes numbers of their elements.
    fn collect(
        &mut self,
        (x, number_x): (&[T], impl Fn(T) -> T),
        (y, number_y): (&[T], impl Fn(T) -> T),
        alpha: T,
    ) {
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
        assert!(
            (outers.rows, outers.cols) == (rows, cols),
            "the adjoint of a matrix with shape {}x{} is {rows}x{cols}",
            outers.rows,
            outers.cols,
        );
        outers.x.extend(x.iter().map(|x| alpha * number_x(*x)));
        outers.y.extend(y.iter().map(|y| number_y(*y)));
        outers.count += 1;
        if outers.count == FLUSH {
            self.flush();
        }
    }
    /// Adds what is pending, as one product.
    fn flush(&mut self) {
        let Some(mut outers) = self.pending.take_if(|o| o.count > 0) else {
            return;
        };
        let (x, y) = (
            View::new(&outers.x, outers.rows, outers.count),
            View::new(&outers.y, outers.cols, outers.count),
        );
        let (beta, sum) = self.place(x.rows, y.rows);
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
impl<T: Number, R: Dim, C: Dim> Adjoint<Dense<T, R, C>> for Sum<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    fn reset(&mut self) {
        self.set = false;
        self.value.take_if(|_| !self.own);
        if let Some(outers) = &mut self.pending {
            outers.clear();
        }
    }
    fn is_unset(&self) -> bool {
        !self.set && self.pending.as_ref().is_none_or(|o| o.count == 0)
    }
    fn into_value(mut self) -> Option<OMatrix<T, R, C>> {
        self.flush();
        self.value.filter(|_| self.set)
    }
    fn add(&mut self, value: OMatrix<T, R, C>) {
        match &mut self.value {
            Some(sum) if self.set => kernels::axpy(T::one(), value.as_slice(), sum.as_mut_slice()),
            _ => (self.value, self.set, self.own) = (Some(value), true, false),
        }
    }
    fn value_mut(&mut self, zero: impl FnOnce() -> OMatrix<T, R, C>) -> &mut OMatrix<T, R, C> {
        self.flush();
        if !std::mem::replace(&mut self.set, true) {
            (self.value, self.own) = (None, true);
        }
        self.value.get_or_insert_with(zero)
    }
}

impl<T: Number, R: Dim, C: Dim> Contribution<Dense<T, R, C>> for &OMatrix<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    fn add_to(self, adjoint: &mut Sum<T, R, C>) {
        adjoint.add_each(self, |m| m);
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
    DefaultAllocator: Sizes<R, C>,
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
    DefaultAllocator: Sizes<R, C>,
{
    fn add_to(self, adjoint: &mut Sum<T, R, C>) {
        let Times(alpha, m) = self;
        adjoint.add_each(m, |m| alpha * m);
    }
    fn materialise(self) -> OMatrix<T, R, C> {
        if self.0 == T::one() {
            self.1.clone()
        } else {
            self.1.map(|x| self.0 * x)
        }
    }
}

/// A number times the conjugated matrix.
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
    fn materialise(self) -> OMatrix<T, R, C> {
        self.1.map(|x| self.0 * x.conjugate())
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
    DefaultAllocator: Sizes<R, C>,
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
    DefaultAllocator: Sizes<R, C>,
{
    Contribution::<Dense<T, R, C>>::materialise(Product(alpha, a, b))
}
/// A matrix of any storage, conjugated and transposed, as a view: of reals the transposed matrix.
pub(crate) fn h<T: Number, R: Dim, C: Dim>(m: &OMatrix<T, R, C>) -> View<'_, T>
where
    DefaultAllocator: Sizes<R, C>,
{
    view(m).h()
}
