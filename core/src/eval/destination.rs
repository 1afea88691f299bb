//! A sum of matrices is computed in the memory of its result: `c - a * b` is one copy of `c` and one call of a kernel.
//!
//! ```text
//! y - 2.0 * (x - a * z)      to = y;  to -= 2.0 * x;  to += 2.0 * a * z
//! ```
use super::{replay::Replay, whole::Whole};
use crate::{
    kind::{Arg, Kind, Shape, TapeCell, TapeValue, Val, arg, recycle},
    node::{BorrowedArg, Destination, Direct, Evaluated, Produce, Stored, evaluated},
    rule::{DestinationRule, Evaluation, Rule},
};
use std::marker::PhantomData;

/// Passes unevaluated arguments to the operation, and one destination to all terms of a sum. Requires a
/// [`DestinationRule`] and a [`DestinationKind`](crate::kind::DestinationKind).
#[derive(Clone, Copy, Debug)]
pub struct IntoDestination;
impl crate::sealed::Sealed for IntoDestination {}
impl<O: DestinationRule<A, B, C>, A: Kind, B: Kind, C: Kind> Evaluation<O, A, B, C>
    for IntoDestination
{
    const FUSED: bool = true;
    type Value<'n, VA: Produce<A> + 'n, VB: Produce<B> + 'n, VC: Produce<C> + 'n> =
        Pending<'n, O, A, B, C, VA, VB, VC>;
    #[inline(always)]
    fn apply<'n, VA: Produce<A> + 'n, VB: Produce<B> + 'n, VC: Produce<C> + 'n>(
        op: &'n O,
        a: VA,
        b: VB,
        c: VC,
    ) -> (Self::Value<'n, VA, VB, VC>, O::Saved) {
        let (shape, saved) = op.begin(a.shape(), b.shape(), c.shape());
        let pending = Pending {
            op,
            args: (a, b, c),
            shape,
            _of: PhantomData,
        };
        (pending, saved)
    }
    type Replay<SA: Stored<Kind = A>, SB: Stored<Kind = B>, SC: Stored<Kind = C>> =
        Replay<O, SA, SB, SC, Whole>;
}

pub struct Pending<'n, O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind, VA, VB, VC> {
    op: &'n O,
    args: (VA, VB, VC),
    shape: Shape<O::Out>,
    _of: PhantomData<(A, B, C)>,
}
debug_by_name! { ['n, O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind, VA, VB, VC] Pending<'n, O, A, B, C, VA, VB, VC> }
impl<O, A, B, C, VA, VB, VC> Produce<O::Out> for Pending<'_, O, A, B, C, VA, VB, VC>
where
    O: DestinationRule<A, B, C>,
    A: Kind,
    B: Kind,
    C: Kind,
    VA: Produce<A>,
    VB: Produce<B>,
    VC: Produce<C>,
{
    type Ready = OwnedTapeValue<O::Out>;
    #[inline(always)]
    fn ready(self) -> OwnedTapeValue<O::Out> {
        let (op, (a, b, c)) = (self.op, self.args);
        OwnedTapeValue(Destination::make_cell(
            self.shape,
            #[inline(always)]
            |to| op.evaluate_into(a, b, c, to),
        ))
    }
    #[inline(always)]
    fn value(self) -> Val<O::Out> {
        let (op, (a, b, c)) = (self.op, self.args);
        Destination::make(
            self.shape,
            #[inline(always)]
            |to| op.evaluate_into(a, b, c, to),
        )
    }
    #[inline(always)]
    fn shape(&self) -> Shape<O::Out> {
        self.shape
    }
    #[inline(always)]
    fn add_to(self, to: &mut Destination<'_, O::Out>) {
        let (a, b, c) = self.args;
        self.op.evaluate_into(a, b, c, to);
    }
    type Pieces<'p>
        = Direct<'p, O::Out>
    where
        Self: 'p;
    /// Operations by pieces do not have such arguments.
    fn pieces(&self) -> Direct<'_, O::Out> {
        unreachable!("operations that are evaluated by pieces do not have such arguments")
    }
}

pub struct OwnedTapeValue<K: Kind>(TapeValue<K>);
debug_by_name! { [K: Kind] OwnedTapeValue<K> }
impl<K: Kind> Evaluated<K> for OwnedTapeValue<K> {
    #[inline(always)]
    fn arg(&self) -> Arg<'_, K> {
        arg::<K>(self.0.peek())
    }
    #[inline(always)]
    fn own(self) -> Val<K> {
        self.0.into_inner()
    }
    #[inline(always)]
    fn cell(self) -> TapeValue<K> {
        self.0
    }
    #[inline(always)]
    fn done(self) {
        recycle::<K>(self.0);
    }
}

/// Returns the value for whole arguments, and the saved data.
#[inline(always)]
#[track_caller]
pub fn whole<O, A: Kind, B: Kind, C: Kind>(
    op: &O,
    a: Arg<'_, A>,
    b: Arg<'_, B>,
    c: Arg<'_, C>,
) -> (Val<O::Out>, O::Saved)
where
    O: DestinationRule<A, B, C>,
{
    let (a, b, c) = (
        BorrowedArg::<A>(a),
        BorrowedArg::<B>(b),
        BorrowedArg::<C>(c),
    );
    let (shape, saved) = op.begin(a.shape(), b.shape(), c.shape());
    let value = Destination::make(shape, |to| op.evaluate_into(a, b, c, to));
    (value, saved)
}
evaluated! { [K: Kind] OwnedTapeValue<K>, K; }
