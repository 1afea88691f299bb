//! How expressions of an operation are evaluated.
use super::definition::Rule;
use crate::{
    kind::{DestinationKind, Kind, Shape},
    node::{Destination, Produce, Stored},
};

/// How expressions of the operation `O` on arguments of kinds `A`, `B` and `C` are evaluated: a type of [`eval`](crate::eval).
///
/// There are no others: what a sweep rebuilds from the tape is trusted to look at the values on it no longer than it says.
pub trait Evaluation<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>: sealed::Evaluation {
    /// What an operation gives.
    type Value<'n, VA: Produce<A> + 'n, VB: Produce<B> + 'n, VC: Produce<C> + 'n>: Produce<O::Out>;
    /// Applies an operation.
    #[track_caller]
    fn apply<'n, VA: Produce<A> + 'n, VB: Produce<B> + 'n, VC: Produce<C> + 'n>(
        op: &'n O,
        a: VA,
        b: VB,
        c: VC,
    ) -> (Self::Value<'n, VA, VB, VC>, O::Saved);
    /// The operation as a sweep rebuilds it.
    type Replay<SA: Stored<Kind = A>, SB: Stored<Kind = B>, SC: Stored<Kind = C>>: Stored<
        Kind = O::Out,
    >;
}

/// Keeps others from implementing [`Evaluation`].
pub(crate) mod sealed {
    pub trait Evaluation: 'static {}
}

/// An operation whose result is put into a [destination](crate::eval::IntoDestination): a term of a sum.
pub trait DestinationRule<A: Kind, B: Kind = (), C: Kind = ()>:
    Rule<A, B, C, Out: DestinationKind, Saved = ()>
{
    /// The shape of the result.
    ///
    /// # Panics
    /// If the shapes of the arguments do not fit; the message names the operation and both.
    #[track_caller]
    fn shape(&self, a: Shape<A>, b: Shape<B>, c: Shape<C>) -> Shape<Self::Out>;
    /// Puts the result into a destination of its shape. Arguments are not evaluated yet: those that are terms of a sum are
    /// passed on, and become [`ready`](Produce::ready) otherwise. [`primal`](Rule::primal) does the same with whole values.
    fn evaluate_into(
        &self,
        a: impl Produce<A>,
        b: impl Produce<B>,
        c: impl Produce<C>,
        to: &mut Destination<'_, Self::Out>,
    );
}
