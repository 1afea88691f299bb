//! Sinks, to which a rule passes the adjoints of its arguments.
use crate::{
    kind::{Contribution, Kind, Val},
    node::Stored,
    sweep::Sweep,
};
use std::any::Any;

/// Takes what an adjoint formula adds to the adjoint of an argument: `x_b += ...`.
pub trait Sink<K: Kind> {
    /// Whether an adjoint flows into this argument. If not, its formula need not be computed.
    fn wants(&self) -> bool;
    /// Adds `contribution`; nothing happens if no adjoint is wanted.
    fn add<C: Contribution<K>>(&mut self, contribution: C);
}

/// The sinks of the arguments of one operation, one borrowed at a time.
pub trait Sinks<A: Kind, B: Kind = (), C: Kind = ()> {
    /// The sink of the first argument.
    fn a(&mut self) -> impl Sink<A>;
    /// The sink of the second argument.
    fn b(&mut self) -> impl Sink<B>;
    /// The sink of the third argument.
    fn c(&mut self) -> impl Sink<C>;
    /// The sink of both of the first two arguments, if these are one variable as in `x * x`. A rule may add the sum of
    /// both contributions to it, which takes fewer operations than two formulas, and then leaves the sinks of the
    /// single arguments alone.
    fn both(&mut self) -> Option<impl Sink<A>>;
}

/// The sink of an argument that is a node of a stored statement.
pub(crate) struct ArgSink<'s, N, W> {
    node: &'s N,
    sweep: &'s mut W,
}
impl<N: Stored, W: Sweep> Sink<N::Kind> for ArgSink<'_, N, W> {
    #[inline(always)]
    fn wants(&self) -> bool {
        N::ACTIVE && self.node.is_active()
    }
    #[inline(always)]
    fn add<C: Contribution<N::Kind>>(&mut self, contribution: C) {
        if self.wants() {
            self.node.pull(contribution, self.sweep);
        }
    }
}

/// The sinks of an operation whose arguments are nodes.
pub(crate) struct ArgSinks<'s, A, B, C, W> {
    pub(crate) a: &'s A,
    pub(crate) b: &'s B,
    pub(crate) c: &'s C,
    pub(crate) sweep: &'s mut W,
}
impl<A: Stored, B: Stored, C: Stored, W: Sweep> Sinks<A::Kind, B::Kind, C::Kind>
    for ArgSinks<'_, A, B, C, W>
{
    #[inline(always)]
    fn a(&mut self) -> impl Sink<A::Kind> {
        ArgSink {
            node: self.a,
            sweep: self.sweep,
        }
    }
    #[inline(always)]
    fn b(&mut self) -> impl Sink<B::Kind> {
        ArgSink {
            node: self.b,
            sweep: self.sweep,
        }
    }
    #[inline(always)]
    fn c(&mut self) -> impl Sink<C::Kind> {
        ArgSink {
            node: self.c,
            sweep: self.sweep,
        }
    }
    #[inline(always)]
    fn both(&mut self) -> Option<impl Sink<A::Kind>> {
        None::<ArgSink<'_, A, W>>
    }
}

/// The sinks of an operation whose two arguments are the same variable: the contributions to both are added up.
pub(crate) struct SameSinks<'s, K: Kind>(pub(crate) &'s mut Option<Val<K>>);
/// Adds to a sum, if one is wanted.
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
