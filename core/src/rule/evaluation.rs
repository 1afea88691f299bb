//! How expressions of an operation are evaluated.
use super::definition::Rule;
use crate::{
    kind::{DestinationKind, Kind, Shape},
    node::{Destination, Produce, Stored},
};

/// How expressions of the operation `O` on arguments of kinds `A`, `B` and `C` are evaluated. Implemented by the types
/// of [`eval`](crate::eval).
///
/// The trait is sealed: a node that a sweep rebuilds from the tape is trusted to drop its references to values on the
/// tape in time.
pub trait Evaluation<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>:
    sealed::SealedEvaluation
{
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
    /// The operation in the form in which a sweep rebuilds it.
    type Replay<SA: Stored<Kind = A>, SB: Stored<Kind = B>, SC: Stored<Kind = C>>: Stored<
        Kind = O::Out,
    >;
}

/// Seals [`Evaluation`].
pub(crate) mod sealed {
    pub trait SealedEvaluation: 'static {
        /// Whether an operation is evaluated together with arguments of the same evaluation, which changes rounding.
        const FUSED: bool = false;
    }
}

/// An operation whose result is put into a [destination](crate::eval::IntoDestination), as a term of a sum.
pub trait DestinationRule<A: Kind, B: Kind = (), C: Kind = ()>:
    Rule<A, B, C, Out: DestinationKind, Saved = ()>
{
    /// Returns the shape of the result.
    ///
    /// # Panics
    /// If the shapes of the arguments do not match; the message names the operation and both shapes.
    #[track_caller]
    fn shape(&self, a: Shape<A>, b: Shape<B>, c: Shape<C>) -> Shape<Self::Out>;
    /// Puts the result into a destination of its shape. The arguments are not evaluated yet: terms of a sum are passed
    /// on, and other arguments are evaluated by [`ready`](Produce::ready). [`primal`](Rule::primal) returns the same
    /// result for whole values.
    fn evaluate_into(
        &self,
        a: impl Produce<A>,
        b: impl Produce<B>,
        c: impl Produce<C>,
        to: &mut Destination<'_, Self::Out>,
    );
}
