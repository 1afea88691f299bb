use super::replay::{Backward, Replay};
use crate::{
    kind::{
        Adjoint, Arg, Batch, By, Contribution, Encoding, Incoming, Kind, Passed, Policy, Shape, Val,
    },
    node::{Evaluated, Gather, OwnedValue, Produce, Stored},
    rule::{Evaluation, Primals, Rule, SameSinks, Sink, Sinks},
    sweep::{Slots, Sweep},
};
use std::{any::TypeId, marker::PhantomData};

/// Computes whole results from whole arguments, in registers if small.
#[derive(Clone, Copy, Debug)]
pub struct Whole;
impl crate::sealed::Sealed for Whole {}
impl<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind> Evaluation<O, A, B, C> for Whole {
    type Value<'n, VA: Produce<A> + 'n, VB: Produce<B> + 'n, VC: Produce<C> + 'n> =
        OwnedValue<O::Out>;
    #[inline(always)]
    fn apply<'n, VA: Produce<A> + 'n, VB: Produce<B> + 'n, VC: Produce<C> + 'n>(
        op: &'n O,
        a: VA,
        b: VB,
        c: VC,
    ) -> (OwnedValue<O::Out>, O::Saved) {
        let (a, b, c) = (a.ready(), b.ready(), c.ready());
        let (r, saved) = op.primal(a.arg(), b.arg(), c.arg());
        a.done();
        b.done();
        c.done();
        (OwnedValue(r), saved)
    }
    type Replay<SA: Stored<Kind = A>, SB: Stored<Kind = B>, SC: Stored<Kind = C>> =
        Replay<O, SA, SB, SC, Whole>;
}

const fn is_small<K: Kind>() -> bool {
    K::Policy::VARIABLES && !K::Policy::STORAGE && size_of::<Val<K>>() <= 64
}
impl<O: Rule<A::Kind, B::Kind, C::Kind>, A: Stored, B: Stored, C: Stored> Backward<O, A, B, C>
    for Whole
{
    type Pieces = Gather;
    type Late = ();
    #[inline(always)]
    fn again(op: &O, a: &A, b: &B, c: &C, _: &impl Slots) -> Option<Val<O::Out>> {
        // Each `?` would add two calls.
        match (a.value(), b.value(), c.value()) {
            (Some(a), Some(b), Some(c)) => Some(op.primal(a, b, c).0),
            _ => None,
        }
    }
    #[inline(always)]
    fn value(node: &Replay<O, A, B, C, Self>) -> Option<Arg<'_, O::Out>> {
        node.result()
    }
    #[inline(always)]
    fn pull<Co: Contribution<O::Out>>(
        node: &Replay<O, A, B, C, Self>,
        contribution: Co,
        sweep: &mut impl Sweep,
    ) {
        if const { is_small::<O::Out>() } {
            node.send(Incoming::owned(contribution.materialise()), sweep);
            return;
        }
        contribution.hand_to(
            #[inline(always)]
            |r_b| {
                node.check_shape::<Co>(&r_b);
                node.send(r_b, sweep);
            },
        );
    }
}

impl<O: Rule<A::Kind, B::Kind, C::Kind>, A: Stored, B: Stored, C: Stored>
    Replay<O, A, B, C, Whole>
{
    const SQUARES: bool = A::VARIABLE
        && B::VARIABLE
        && <A::Kind as Kind>::Encoding::PLAIN
        && O::FLOWS[0]
        && O::FLOWS[1]
        && O::READS[0] != 0
        && O::READS[1] != 0;
    /// Returns the identifier if both arguments are one variable: a second addition in memory would depend on the
    /// first.
    #[inline(always)]
    fn same(&self) -> Option<u32> {
        let alike = TypeId::of::<A::Kind>() == TypeId::of::<B::Kind>()
            && TypeId::of::<C::Kind>() == TypeId::of::<()>();
        let id = self.a.identifier().filter(|_| alike)?;
        (self.b.identifier()? == id).then_some(id)
    }
    #[inline(always)]
    fn send(&self, r_b: Incoming<'_, O::Out>, sweep: &mut impl Sweep) {
        let primals = self.primals();
        if Self::SQUARES
            && let Some(id) = self.same()
        {
            let mut sum = None;
            let sinks = SameSinks(&mut sum);
            self.op.adjoint(primals, &self.saved, r_b, sinks);
            if <A::Kind as Kind>::Batch::CHAINS {
                if let Some(sum) = sum {
                    self.a.pull(Passed(sum), sweep);
                }
                return;
            }
            if let Some(sum) = sum {
                sweep.add_to_adjoint::<A::Kind>(id, |adjoint| {
                    // Avoids the latency of an addition to zero.
                    if adjoint.is_unset() {
                        *adjoint = <A::Kind as Kind>::Adjoint::from_term(sum);
                    } else {
                        adjoint.add(sum);
                    }
                });
            }
        } else {
            let sinks = ArgSinks {
                a: &self.a,
                b: &self.b,
                c: &self.c,
                sweep,
                of: PhantomData::<O>,
            };
            self.op.adjoint(primals, &self.saved, r_b, sinks);
        }
    }
    #[inline(always)]
    fn primals(&self) -> Primals<'_, A::Kind, B::Kind, C::Kind, O::Out> {
        Primals {
            a: self.a.value(),
            b: self.b.value(),
            c: self.c.value(),
            r: self.result(),
            rule: std::any::type_name::<O>(),
        }
    }
}

struct ArgSink<'s, O, const I: usize, N, W> {
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
        // Values of value kinds have one shape.
        if <N::Kind as Kind>::Policy::STORAGE || size_of::<Shape<N::Kind>>() > 0 {
            let contribution = By::<O, I, C>::new(contribution);
            self.node.pull(contribution, self.sweep);
        } else {
            self.node.pull(contribution, self.sweep);
        }
    }
}

struct ArgSinks<'s, O, A, B, C, W> {
    a: &'s A,
    b: &'s B,
    c: &'s C,
    sweep: &'s mut W,
    of: PhantomData<O>,
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
