//! Evaluation into a destination: terms accumulate in the result, and a product takes one kernel call.
use crate::{
    Dense, Number, Sizes, View, kernels,
    memory::{extent, fresh, is_fixed},
    view::view_mut,
};
use entape_core::{
    kind::{DestinationKind, Kind, List, Policy},
    node::{Destination, Evaluated, Produce},
};
use nalgebra::{DefaultAllocator, Dim, OMatrix};

/// The factor of a term. A complex 1 would turn infinities into NaN.
#[derive(Clone, Copy, Debug)]
pub enum Coefficient<T> {
    /// The term is added.
    One,
    /// The term is subtracted.
    MinusOne,
    /// The term is multiplied by a number.
    Times(T),
}
impl<T: Number> Coefficient<T> {
    /// Returns the factor as a number.
    #[inline(always)]
    pub fn number(self) -> T {
        match self {
            Coefficient::One => T::one(),
            Coefficient::MinusOne => -T::one(),
            Coefficient::Times(s) => s,
        }
    }
}

#[inline(always)]
fn put_each<T: Number, I>(
    to: &mut [T],
    first: bool,
    factor: Coefficient<T>,
    items: impl ExactSizeIterator<Item = I>,
    of: impl Fn(I) -> T,
) {
    assert!(to.len() == items.len(), "the shapes of a sum are equal");
    let each = to.iter_mut().zip(items);
    match (first, factor) {
        (true, Coefficient::One) => each.for_each(|(to, x)| *to = of(x)),
        (true, Coefficient::MinusOne) => each.for_each(|(to, x)| *to = -of(x)),
        (true, Coefficient::Times(s)) => each.for_each(|(to, x)| *to = s * of(x)),
        (false, Coefficient::One) => each.for_each(|(to, x)| *to += of(x)),
        (false, Coefficient::MinusOne) => each.for_each(|(to, x)| *to -= of(x)),
        (false, Coefficient::Times(s)) => each.for_each(|(to, x)| *to += s * of(x)),
    }
}

impl<T: Number, R: Dim, C: Dim> DestinationKind for Dense<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    type Shape = (usize, usize);
    type Factor = Coefficient<T>;
    const ONE: Coefficient<T> = Coefficient::One;
    #[inline(always)]
    fn times(a: Coefficient<T>, b: Coefficient<T>) -> Coefficient<T> {
        use Coefficient::{MinusOne, One, Times};
        match (a, b) {
            (One, factor) | (factor, One) => factor,
            (MinusOne, MinusOne) => One,
            (MinusOne, Times(s)) | (Times(s), MinusOne) => Times(-s),
            (Times(s), Times(t)) => Times(s * t),
        }
    }
    #[inline(always)]
    fn shape(value: &OMatrix<T, R, C>) -> (usize, usize) {
        value.shape()
    }
    #[inline(always)]
    fn fresh((rows, cols): (usize, usize)) -> OMatrix<T, R, C> {
        fresh(rows, cols)
    }
    #[inline(always)]
    fn extent_of((rows, cols): (usize, usize)) -> usize {
        extent::<T>(rows * cols)
    }
    #[inline]
    fn put(
        to: &mut OMatrix<T, R, C>,
        first: bool,
        factor: Coefficient<T>,
        term: &OMatrix<T, R, C>,
    ) {
        put_each(
            to.as_mut_slice(),
            first,
            factor,
            term.as_slice().iter(),
            |x| *x,
        );
    }
}

pub(crate) trait PutTerms<T: Number, R: Dim, C: Dim>
where
    DefaultAllocator: Sizes<R, C>,
{
    fn sub(&mut self, term: impl Produce<Dense<T, R, C>>);
    fn product<R1: Dim, C1: Dim, R2: Dim, C2: Dim>(
        &mut self,
        a: impl Produce<Dense<T, R1, C1>>,
        b: impl Produce<Dense<T, R2, C2>>,
        of: impl for<'x> FnOnce(
            &'x OMatrix<T, R1, C1>,
            &'x OMatrix<T, R2, C2>,
        ) -> (View<'x, T>, View<'x, T>),
    ) where
        DefaultAllocator: Sizes<R1, C1> + Sizes<R2, C2>;
    /// Adds the block at a row and a column of `a`.
    fn block<R1: Dim, C1: Dim>(&mut self, a: impl Produce<Dense<T, R1, C1>>, at: (usize, usize))
    where
        DefaultAllocator: Sizes<R1, C1>;
    fn fill(&mut self, elements: impl Produce<List<T::Kind>>);
    fn map(&mut self, a: impl Produce<Dense<T, R, C>>, of: impl Fn(T) -> T);
    fn zip(
        &mut self,
        a: impl Produce<Dense<T, R, C>>,
        b: impl Produce<Dense<T, R, C>>,
        of: impl Fn(T, T) -> T,
    );
}
impl<T: Number, R: Dim, C: Dim> PutTerms<T, R, C> for Destination<'_, Dense<T, R, C>>
where
    DefaultAllocator: Sizes<R, C>,
{
    #[inline(always)]
    fn sub(&mut self, term: impl Produce<Dense<T, R, C>>) {
        self.times(Coefficient::MinusOne).add(term);
    }
    #[inline(always)]
    fn product<R1: Dim, C1: Dim, R2: Dim, C2: Dim>(
        &mut self,
        a: impl Produce<Dense<T, R1, C1>>,
        b: impl Produce<Dense<T, R2, C2>>,
        of: impl for<'x> FnOnce(
            &'x OMatrix<T, R1, C1>,
            &'x OMatrix<T, R2, C2>,
        ) -> (View<'x, T>, View<'x, T>),
    ) where
        DefaultAllocator: Sizes<R1, C1> + Sizes<R2, C2>,
    {
        let (a, b) = (a.ready(), b.ready());
        {
            let (a, b) = (a.arg(), b.arg());
            let (a, b) = of(value::<Dense<T, R1, C1>>(&a), value::<Dense<T, R2, C2>>(&b));
            self.put_by(
                #[inline(always)]
                |to, first, factor| {
                    let known = is_fixed::<R, C>();
                    kernels::add_product(known, factor.number(), a, b, first, view_mut(to));
                },
            );
        }
        a.done();
        b.done();
    }
    #[inline(always)]
    fn block<R1: Dim, C1: Dim>(&mut self, a: impl Produce<Dense<T, R1, C1>>, (i, j): (usize, usize))
    where
        DefaultAllocator: Sizes<R1, C1>,
    {
        let a = a.ready();
        self.put_by(|to, first, factor| {
            let (a, rows) = (a.arg(), to.nrows());
            let a = value::<Dense<T, R1, C1>>(&a);
            let (deep, from) = (a.nrows(), &a.as_slice()[(i + j * a.nrows()).min(a.len())..]);
            let to = to.as_mut_slice();
            if rows == deep || to.is_empty() {
                put_each(to, first, factor, from[..to.len()].iter(), |x| *x);
            } else if rows == 1 {
                let row = from.iter().step_by(deep).take(to.len());
                put_each(to, first, factor, row, |x| *x);
            } else {
                for (to, from) in to.chunks_exact_mut(rows).zip(from.chunks(deep)) {
                    put_each(to, first, factor, from[..rows].iter(), |x| *x);
                }
            }
        });
        a.done();
    }
    #[inline(always)]
    fn fill(&mut self, elements: impl Produce<List<T::Kind>>) {
        let elements = elements.ready();
        self.put_by(
            #[inline(always)]
            |to, first, factor| {
                let items = elements.arg().iter();
                put_each(to.as_mut_slice(), first, factor, items, |x| *x);
            },
        );
        elements.done();
    }
    #[inline(always)]
    fn map(&mut self, a: impl Produce<Dense<T, R, C>>, of: impl Fn(T) -> T) {
        let a = a.ready();
        {
            let a = a.arg();
            let items = value::<Dense<T, R, C>>(&a).as_slice().iter();
            self.put_by(
                #[inline(always)]
                |to, first, factor| {
                    put_each(to.as_mut_slice(), first, factor, items, |a| of(*a));
                },
            );
        }
        a.done();
    }
    #[inline(always)]
    fn zip(
        &mut self,
        a: impl Produce<Dense<T, R, C>>,
        b: impl Produce<Dense<T, R, C>>,
        of: impl Fn(T, T) -> T,
    ) {
        let (a, b) = (a.ready(), b.ready());
        {
            let (a, b) = (a.arg(), b.arg());
            let a = value::<Dense<T, R, C>>(&a).as_slice();
            let items = a.iter().zip(value::<Dense<T, R, C>>(&b).as_slice());
            self.put_by(
                #[inline(always)]
                |to, first, factor| {
                    put_each(to.as_mut_slice(), first, factor, items, |(a, b)| of(*a, *b));
                },
            );
        }
        a.done();
        b.done();
    }
}
#[inline(always)]
fn value<'v, K: Kind>(arg: &'v entape_core::kind::Arg<'_, K>) -> &'v K::Value {
    K::Policy::value(arg)
}
