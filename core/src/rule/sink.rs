//! Sinks, to which a rule passes the adjoints of its arguments.
use crate::{
    kind::{By, Contribution, Kind, Policy, Shape, Val},
    node::Stored,
    sweep::Sweep,
};
use std::{any::Any, marker::PhantomData};

/// Receives the contribution of an adjoint formula to the adjoint of an argument: `x_b += ...`.
pub trait Sink<K: Kind> {
    /// Whether this argument receives an adjoint. If not, its formula need not be computed.
    fn wants(&self) -> bool;
    /// Adds `contribution`; has no effect if the adjoint is not wanted.
    fn add<C: Contribution<K>>(&mut self, contribution: C);
}

/// The sinks of the arguments of one operation, borrowed one at a time.
pub trait Sinks<A: Kind, B: Kind = (), C: Kind = ()> {
    /// Returns the sink of the first argument.
    fn a(&mut self) -> impl Sink<A>;
    /// Returns the sink of the second argument.
    fn b(&mut self) -> impl Sink<B>;
    /// Returns the sink of the third argument.
    fn c(&mut self) -> impl Sink<C>;
    /// Returns the sink of both of the first two arguments, if both are one variable as in `x * x`. A rule may add the
    /// sum of both contributions to this sink, which takes fewer operations than two formulas. It then does not use the
    /// sinks of the single arguments.
    fn both(&mut self) -> Option<impl Sink<A>>;
}

/// The sink of an argument that is a node of a stored statement.
pub(crate) struct ArgSink<'s, O, const I: usize, N, W> {
    node: &'s N,
    sweep: &'s mut W,
    of: PhantomData<O>,
}
impl<'s, O, const I: usize, N, W> ArgSink<'s, O, I, N, W> {
    #[inline(always)]
    fn new(node: &'s N, sweep: &'s mut W) -> Self {
        let of = PhantomData;
        ArgSink { node, sweep, of }
    }
}
impl<O, const I: usize, N: Stored, W: Sweep> Sink<N::Kind> for ArgSink<'_, O, I, N, W> {
    #[inline(always)]
    fn wants(&self) -> bool {
        N::ACTIVE && self.node.is_active()
    }
    #[inline(always)]
    fn add<C: Contribution<N::Kind>>(&mut self, contribution: C) {
        if !self.wants() || contribution.adds_nothing() {
            return;
        }
        // All values of a value kind have the same shape.
        if <N::Kind as Kind>::Policy::STORAGE || size_of::<Shape<N::Kind>>() > 0 {
            let contribution = By::<O, I, C>::new(contribution);
            self.node.pull(contribution, self.sweep);
        } else {
            self.node.pull(contribution, self.sweep);
        }
    }
}

/// The sinks of an operation whose arguments are nodes.
pub(crate) struct ArgSinks<'s, O, A, B, C, W> {
    pub(crate) a: &'s A,
    pub(crate) b: &'s B,
    pub(crate) c: &'s C,
    pub(crate) sweep: &'s mut W,
    pub(crate) of: PhantomData<O>,
}
impl<O, A: Stored, B: Stored, C: Stored, W: Sweep> Sinks<A::Kind, B::Kind, C::Kind>
    for ArgSinks<'_, O, A, B, C, W>
{
    #[inline(always)]
    fn a(&mut self) -> impl Sink<A::Kind> {
        ArgSink::<O, 0, _, _>::new(self.a, self.sweep)
    }
    #[inline(always)]
    fn b(&mut self) -> impl Sink<B::Kind> {
        ArgSink::<O, 1, _, _>::new(self.b, self.sweep)
    }
    #[inline(always)]
    fn c(&mut self) -> impl Sink<C::Kind> {
        ArgSink::<O, 2, _, _>::new(self.c, self.sweep)
    }
    #[inline(always)]
    fn both(&mut self) -> Option<impl Sink<A::Kind>> {
        None::<ArgSink<'_, O, 0, A, W>>
    }
}

/// The sinks of an operation whose two arguments are the same variable: the contributions are added up.
pub(crate) struct SameSinks<'s, K: Kind>(pub(crate) &'s mut Option<Val<K>>);
/// Adds to a sum, if the adjoint is wanted.
pub(super) struct Summed<'s, K: Kind>(pub(super) Option<&'s mut Option<Val<K>>>);
impl<K: Kind> Sink<K> for Summed<'_, K> {
    #[inline(always)]
    fn wants(&self) -> bool {
        self.0.is_some()
    }
    #[inline(always)]
    fn add<C: Contribution<K>>(&mut self, contribution: C) {
        match &mut self.0 {
            Some(Some(sum)) => K::accumulate(sum, contribution.materialise()),
            Some(first) => **first = Some(contribution.materialise()),
            None => {}
        }
    }
}
impl<A: Kind, B: Kind, C: Kind> Sinks<A, B, C> for SameSinks<'_, A> {
    #[inline(always)]
    fn a(&mut self) -> impl Sink<A> {
        Summed(Some(&mut *self.0))
    }
    #[inline(always)]
    fn b(&mut self) -> impl Sink<B> {
        let sum: &mut dyn Any = self.0;
        Summed(sum.downcast_mut())
    }
    #[inline(always)]
    fn c(&mut self) -> impl Sink<C> {
        Summed(None)
    }
    #[inline(always)]
    fn both(&mut self) -> Option<impl Sink<A>> {
        Some(Summed(Some(&mut *self.0)))
    }
}
