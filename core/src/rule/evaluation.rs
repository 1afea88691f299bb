use super::definition::Rule;
use crate::{
    kind::{DestinationKind, Kind, Shape},
    node::{Destination, Produce, Stored},
    sealed::Sealed,
};

/// How expressions of the operation `O` are evaluated. Sealed, because nodes must drop references to values on the tape
/// in time.
pub trait Evaluation<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>: Sealed + 'static {
    /// Whether an operation is evaluated together with such arguments, which changes rounding.
    const FUSED: bool = false;
    /// The result of an operation on nodes.
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

/// An operation whose result is put into a [destination](crate::eval::IntoDestination).
pub trait DestinationRule<A: Kind, B: Kind = (), C: Kind = ()>:
    Rule<A, B, C, Out: DestinationKind>
{
    /// Returns the shape of the result and the saved data.
    ///
    /// # Panics
    /// If the shapes do not match.
    #[track_caller]
    fn begin(&self, a: Shape<A>, b: Shape<B>, c: Shape<C>) -> (Shape<Self::Out>, Self::Saved);
    /// Puts the result into a destination: terms of a sum are passed on, other arguments are [`ready`](Produce::ready). The result equals
    /// [`primal`](Rule::primal).
    fn evaluate_into(
        &self,
        a: impl Produce<A>,
        b: impl Produce<B>,
        c: impl Produce<C>,
        to: &mut Destination<'_, Self::Out>,
    );
}
