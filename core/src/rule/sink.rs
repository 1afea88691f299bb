//! Sinks, to which a rule passes the adjoints of its arguments.
use crate::kind::{Contribution, Kind, Val};
use std::any::Any;

/// Receives an argument's adjoint: `x_b += ...`.
pub trait Sink<K: Kind> {
    /// Whether the argument receives an adjoint; if not, skip its formula.
    fn wants(&self) -> bool;
    /// Adds `contribution` if it is wanted.
    fn add<C: Contribution<K>>(&mut self, contribution: C);
}

/// The sinks of arguments, borrowed one at a time.
pub trait Sinks<A: Kind, B: Kind = (), C: Kind = ()> {
    /// Returns the sink of the first argument.
    fn a(&mut self) -> impl Sink<A>;
    /// Returns the sink of the second argument.
    fn b(&mut self) -> impl Sink<B>;
    /// Returns the sink of the third argument.
    fn c(&mut self) -> impl Sink<C>;
    /// Returns one sink if the first two arguments are one variable, to which a rule may add both contributions in one
    /// formula.
    fn both(&mut self) -> Option<impl Sink<A>>;
}

pub(super) struct NoSink;
impl<K: Kind> Sink<K> for NoSink {
    fn wants(&self) -> bool {
        false
    }
    fn add<C: Contribution<K>>(&mut self, _: C) {}
}
#[inline(always)]
pub(super) fn accumulate<K: Kind>(sum: &mut Option<Val<K>>, contribution: impl Contribution<K>) {
    match sum {
        Some(sum) => K::accumulate(sum, contribution.materialise()),
        None => *sum = Some(contribution.materialise()),
    }
}

pub(crate) struct SameSinks<'s, K: Kind>(pub(crate) &'s mut Option<Val<K>>);
struct Summed<'s, K: Kind>(Option<&'s mut Option<Val<K>>>);
impl<K: Kind> Sink<K> for Summed<'_, K> {
    #[inline(always)]
    fn wants(&self) -> bool {
        self.0.is_some()
    }
    #[inline(always)]
    fn add<C: Contribution<K>>(&mut self, contribution: C) {
        if let Some(sum) = &mut self.0 {
            accumulate(sum, contribution);
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
