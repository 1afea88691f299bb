//! Operations whose results are evaluated into a destination.
use super::{
    node::{AtHand, Made, Produce},
    pieces::{Direct, at_hand, shape_of},
};
use crate::{
    kind::{
        Arg, ByValue, Cell, Destination, DestinationKind, Form, Hold, Kind, Policy, Shape, Val,
        arg, recycle,
    },
    rule::Rule,
};
use std::marker::PhantomData;

/// The result of an operation whose kind is evaluated into a destination: it was made, or waits for one.
pub struct Pending<'n, O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind, VA, VB, VC> {
    op: &'n O,
    /// Which of both is there is known by type: [`Rule::INTO`].
    made: Option<Made<O::Out>>,
    args: Option<(VA, VB, VC)>,
    shape: Option<Shape<O::Out>>,
    _of: PhantomData<(A, B, C)>,
}
impl<'n, O, A, B, C, VA, VB, VC> Pending<'n, O, A, B, C, VA, VB, VC>
where
    O: Rule<A, B, C>,
    A: Kind,
    B: Kind,
    C: Kind,
    VA: Produce<A>,
    VB: Produce<B>,
    VC: Produce<C>,
{
    /// Applies an operation, or checks the shapes of what it will be applied to.
    #[track_caller]
    #[inline(always)]
    pub(crate) fn new(op: &'n O, a: VA, b: VB, c: VC) -> (Self, O::Saved) {
        let (made, args, shape, saved);
        if O::INTO {
            let (s, all) = op.begin(a.shape(), b.shape(), c.shape());
            (made, args, shape, saved) = (None, Some((a, b, c)), Some(s), all);
        } else {
            let (r, all) = ByValue::apply(op, a, b, c);
            (made, args, shape, saved) = (Some(r), None, None, all);
        }
        let pending = Pending {
            op,
            made,
            args,
            shape,
            _of: PhantomData,
        };
        (pending, saved)
    }
}
impl<O, A, B, C, VA, VB, VC> Produce<O::Out> for Pending<'_, O, A, B, C, VA, VB, VC>
where
    O: Rule<A, B, C, Out: DestinationKind>,
    A: Kind,
    B: Kind,
    C: Kind,
    VA: Produce<A>,
    VB: Produce<B>,
    VC: Produce<C>,
{
    type Ready = Computed<O::Out>;
    #[inline(always)]
    fn ready(self) -> Computed<O::Out> {
        if !O::INTO {
            return Computed(Err(at_hand(self.made)));
        }
        let (op, (a, b, c)) = (self.op, at_hand(self.args));
        Computed(Ok(Destination::make_cell(
            at_hand(self.shape),
            #[inline(always)]
            |to| op.evaluate_into(a, b, c, to),
        )))
    }
    #[inline(always)]
    fn value(self) -> Val<O::Out> {
        if !O::INTO {
            return at_hand(self.made).own();
        }
        let (op, (a, b, c)) = (self.op, at_hand(self.args));
        Destination::make(
            at_hand(self.shape),
            #[inline(always)]
            |to| op.evaluate_into(a, b, c, to),
        )
    }
    #[inline(always)]
    fn shape(&self) -> Shape<O::Out> {
        match &self.made {
            Some(made) if !O::INTO => shape_of::<O::Out>(&made.arg()),
            _ => at_hand(self.shape),
        }
    }
    #[inline(always)]
    fn add_to(self, to: &mut Destination<'_, O::Out>) {
        if O::INTO {
            let (a, b, c) = at_hand(self.args);
            self.op.evaluate_into(a, b, c, to);
        } else {
            at_hand(self.made).add_to(to);
        }
    }
    type Pieces<'p>
        = Direct<'p, O::Out>
    where
        Self: 'p;
    /// # Panics
    /// If the operation waits for a destination: nothing that is folded from pieces has such arguments.
    fn pieces(&self) -> Direct<'_, O::Out> {
        Direct::new(Some(at_hand(self.made.as_ref()).arg()))
    }
}

/// A value that was computed, as a tape holds it or, by an operation that makes a new one, as it is.
pub struct Computed<K: Kind>(Result<Cell<K>, Made<K>>);
impl<K: Kind> AtHand<K> for Computed<K> {
    #[inline(always)]
    fn arg(&self) -> Arg<'_, K> {
        match &self.0 {
            Ok(cell) => arg::<K>(cell.peek()),
            Err(made) => made.arg(),
        }
    }
    #[inline(always)]
    fn own(self) -> Val<K> {
        match self.0 {
            Ok(cell) => cell.unhold(),
            Err(made) => made.own(),
        }
    }
    #[inline(always)]
    fn cell(self) -> Cell<K> {
        match self.0 {
            Ok(cell) => cell,
            Err(made) => made.cell(),
        }
    }
    #[inline(always)]
    fn done(self) {
        match self.0 {
            Ok(cell) => recycle::<K>(cell),
            Err(made) => made.done(),
        }
    }
}

/// An argument as a rule receives it.
pub(crate) struct Received<'p, K: Kind>(pub(crate) Arg<'p, K>);
impl<K: Kind> AtHand<K> for Received<'_, K> {
    #[inline(always)]
    fn arg(&self) -> Arg<'_, K> {
        arg::<K>(K::Policy::value(&self.0))
    }
    #[inline(always)]
    fn own(self) -> Val<K> {
        K::Policy::value(&self.0).clone()
    }
}
/// The value of an operation that is evaluated into a destination, of whole arguments: the primal of its rule.
#[inline(always)]
#[track_caller]
pub fn whole<O, A: Kind, B: Kind, C: Kind>(
    op: &O,
    a: Arg<'_, A>,
    b: Arg<'_, B>,
    c: Arg<'_, C>,
) -> (Val<O::Out>, O::Saved)
where
    O: Rule<A, B, C, Out: DestinationKind>,
{
    let (a, b, c) = (Received::<A>(a), Received::<B>(b), Received::<C>(c));
    let (shape, saved) = op.begin(a.shape(), b.shape(), c.shape());
    let fill = |to: &mut Destination<'_, O::Out>| op.evaluate_into(a, b, c, to);
    (Destination::make(shape, fill), saved)
}
