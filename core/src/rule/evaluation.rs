//! How expressions of an operation are evaluated.
use super::definition::Rule;
use crate::{
    kind::{DestinationKind, Kind, Shape},
    node::{Destination, Produce, Stored},
};

/// How expressions of the operation `O` on arguments of kinds `A`, `B` and `C` are evaluated. The types of
/// [`eval`](crate::eval) implement it.
///
/// There are no others: a node that a sweep rebuilds from the tape is trusted to refer to the values on it no longer
/// than it says.
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

/// Keeps others from implementing [`Evaluation`].
pub(crate) mod sealed {
    pub trait SealedEvaluation: 'static {
        /// Whether an operation is evaluated together with arguments that are evaluated like it, and rounds otherwise then.
        const FUSED: bool = false;
    }
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
    /// Puts the result into a destination of its shape. The arguments are not evaluated yet: an argument that is a term
    /// of a sum is passed on, and others are evaluated by [`ready`](Produce::ready). [`primal`](Rule::primal) does the
    /// same with whole values.
    fn evaluate_into(
        &self,
        a: impl Produce<A>,
        b: impl Produce<B>,
        c: impl Produce<C>,
        to: &mut Destination<'_, Self::Out>,
    );
}
