//! Operations as data, evaluated as a whole along one direction.
use super::replay::{Backward, Replay};
use crate::{
    kind::{
        Adjoint, Arg, By, Contribution, Kind, Need, Policy, Shape, TapeCell, TapeValue, Val, arg,
        misfit, new_cell, recycle, recycle_some,
    },
    node::{Description, DirectionalNode, NodeInArena, NodeReader, Stored},
    rule::{
        ArgumentTangents, Collector, KnownAdjoints, Primals, Rule, Saved, SecondAdjoint,
        known_adjoints, marked_tangents,
    },
    storage::ObjectArena,
    store::Reader,
    sweep::{Directional, StatementValues, WholeValues, add_to_variable},
};
use std::{
    any::{Any, TypeId, type_name},
    array::from_ref,
    cell::OnceCell,
    marker::PhantomData,
};

pub(super) const fn has_shape<K: Kind>() -> bool {
    K::Policy::STORAGE || size_of::<Shape<K>>() > 0
}
const fn spreads<S: Stored>() -> bool {
    S::ACTIVE && (S::DESCRIPTION.spreads || !has_shape::<S::Kind>())
}
struct OperationReader<O, A: Kind, B: Kind, C: Kind> {
    a: &'static Description<A>,
    b: &'static Description<B>,
    c: &'static Description<C>,
    needs: &'static [[Need; 4]; 3],
    shares_shape: bool,
    of: PhantomData<fn() -> O>,
}
impl<O: Rule<A::Kind, B::Kind, C::Kind>, A: Stored, B: Stored, C: Stored, E> Replay<O, A, B, C, E>
where
    E: Backward<O, A, B, C>,
{
    pub(super) const DESCRIBED: &'static Description<O::Out> = &Description {
        node_reader: &OperationReader::<O, A::Kind, B::Kind, C::Kind> {
            a: A::DESCRIPTION,
            b: B::DESCRIPTION,
            c: C::DESCRIPTION,
            needs: &Self::NEEDS,
            shares_shape: E::SHARES_SHAPE,
            of: PhantomData,
        },
        spreads: has_shape::<O::Out>()
            && (O::FLOWS[0] && spreads::<A>()
                || O::FLOWS[1] && spreads::<B>()
                || O::FLOWS[2] && spreads::<C>()),
        takes_scratch: A::DESCRIPTION.takes_scratch
            || B::DESCRIPTION.takes_scratch
            || C::DESCRIPTION.takes_scratch,
    };
}
impl<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind> NodeReader<O::Out>
    for OperationReader<O, A, B, C>
{
    fn read<'s>(
        &'static self,
        need: Need,
        reader: &mut Reader<'_>,
        sweep: &mut WholeValues<'_, '_, '_>,
        known: Option<TapeValue<O::Out>>,
        arena: &'s ObjectArena,
    ) -> NodeInArena<'s, O::Out> {
        let [a, b, c, r] = self.needs[need as usize];
        let op = O::fetch(reader);
        let (a, b, c) = (
            self.a.node_reader.read(a, reader, sweep, None, arena),
            self.b.node_reader.read(b, reader, sweep, None, arena),
            self.c.node_reader.read(c, reader, sweep, None, arena),
        );
        let again = r.value() && !matches!(need, Need::InSlot);
        let saved = O::Saved::read(again, reader);
        let known = known.filter(|_| r.value() && !again);
        let operation = DirectionalOperation {
            op,
            saved,
            a,
            b,
            c,
            r: known.map_or_else(OnceCell::new, OnceCell::from),
            again,
            tangent: None,
            adjoint: None,
            data: self,
        };
        arena.alloc(operation, |node| node as _)
    }
}

struct DirectionalOperation<'s, O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind> {
    op: O,
    saved: O::Saved,
    a: NodeInArena<'s, A>,
    b: NodeInArena<'s, B>,
    c: NodeInArena<'s, C>,
    r: OnceCell<TapeValue<O::Out>>,
    again: bool,
    tangent: Option<Val<O::Out>>,
    adjoint: Option<Val<O::Out>>,
    data: &'static OperationReader<O, A, B, C>,
}
fn is_nothing<K: Kind>() -> bool {
    TypeId::of::<K>() == TypeId::of::<()>()
}
#[inline(always)]
fn value_of<'s, K: Kind>(node: &'s (dyn DirectionalNode<K> + 's)) -> Option<Arg<'s, K>> {
    let nothing: &'static dyn Any = &();
    match nothing.downcast_ref::<Val<K>>() {
        Some(nothing) => Some(arg::<K>(nothing)),
        None => node.value(),
    }
}
#[inline(always)]
fn tangent_of<'s, K: Kind>(
    node: &'s (dyn DirectionalNode<K> + 's),
    flows: bool,
) -> Option<&'s [Val<K>; 1]> {
    match flows && !is_nothing::<K>() {
        true => node.tangent().map(from_ref),
        false => None,
    }
}
#[inline(always)]
fn is_active<K: Kind>(node: &dyn DirectionalNode<K>) -> bool {
    !is_nothing::<K>() && node.is_active()
}
#[inline(always)]
fn push_argument_forward<K: Kind>(
    node: &mut dyn DirectionalNode<K>,
    sweep: &mut Directional<'_, '_, '_>,
    like: Option<&Val<K>>,
) {
    if !is_nothing::<K>() {
        node.push_forward(sweep, like, None);
    }
}
/// Returns a value with an argument's shape.
fn shape_of<'l, K: Kind>(
    result: Option<&'l dyn Any>,
    made: &'l Option<Val<K>>,
) -> Option<&'l Val<K>> {
    let result = result.and_then(<dyn Any>::downcast_ref);
    result.or(made.as_ref())
}
impl<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind> DirectionalOperation<'_, O, A, B, C> {
    fn result(&self) -> Option<&TapeValue<O::Out>> {
        if self.again && self.r.get().is_none() {
            let _ = self.r.set(self.computed()?);
        }
        self.r.get()
    }
    fn computed(&self) -> Option<TapeValue<O::Out>> {
        let r = if O::Saved::RESULT {
            self.saved.result()
        } else {
            match (value_of(&*self.a), value_of(&*self.b), value_of(&*self.c)) {
                (Some(a), Some(b), Some(c)) => Some(self.op.primal(a, b, c).0),
                _ => None,
            }
        };
        r.map(new_cell::<O::Out>)
    }
    fn known<'k>(&'k self, like: Option<&'k Val<O::Out>>) -> Primals<'k, A, B, C, O::Out> {
        let r = match self.result() {
            Some(r) => Some(r.peek()),
            None => like,
        };
        Primals {
            a: value_of(&*self.a),
            b: value_of(&*self.b),
            c: value_of(&*self.c),
            r: r.map(arg::<O::Out>),
            rule: type_name::<O>(),
        }
    }
    /// Returns contributions of an adjoint of zero, as shapes for tangents without one.
    #[inline(never)]
    fn arguments_like(&self, like: Option<&Val<O::Out>>) -> KnownAdjoints<A, B, C> {
        let zero = match like {
            Some(like) => Some(O::Out::zero_like(like)),
            None => <O::Out as Kind>::Adjoint::unset().into_value(),
        };
        let Some(zero) = zero else {
            return (None, None, None);
        };
        let wanted = [
            O::FLOWS[0] && self.data.a.spreads && is_active(&*self.a),
            O::FLOWS[1] && self.data.b.spreads && is_active(&*self.b),
            O::FLOWS[2] && self.data.c.spreads && is_active(&*self.c),
        ];
        known_adjoints(&self.op, self.known(like), &self.saved, &zero, wanted)
    }
    fn tangents_of_arguments(&self, one_sided: bool) -> ArgumentTangents<'_, A, B, C, 1> {
        ArgumentTangents {
            a: tangent_of(&*self.a, O::FLOWS[0]),
            b: tangent_of(&*self.b, O::FLOWS[1]),
            c: tangent_of(&*self.c, O::FLOWS[2]),
            one_sided,
        }
    }
    fn compute_tangent(&self, like: Option<&Val<O::Out>>, one_sided: bool) -> Option<Val<O::Out>> {
        let tangent = self.tangents_of_arguments(one_sided);
        if tangent.is_zero() {
            return None;
        }
        let mut zero = None;
        if !self.again && self.r.get().is_none() && like.is_none() {
            zero = <O::Out as Kind>::Adjoint::unset().into_value();
        }
        let known = self.known(like.or(zero.as_ref()));
        let [tangent] = marked_tangents(&self.op, &known, &self.saved, tangent)?;
        Some(tangent)
    }
    fn second(
        &self,
        r_bt: Option<&Val<O::Out>>,
        sweep: &mut Directional<'_, '_, '_>,
    ) -> (Sums<A>, Sums<B>, Sums<C>) {
        let r_b = self.adjoint.as_ref();
        let tangent = self.tangents_of_arguments(sweep.one_sided());
        if !sweep.is_first() && r_bt.is_none() && tangent.is_zero() {
            return Default::default();
        }
        let mut sinks = ArgumentSinks::<O, _, _, _> {
            a: Argument::new(&*self.a),
            b: Argument::new(&*self.b),
            c: Argument::new(&*self.c),
            sweep,
            of: PhantomData,
        };
        let adjoint = SecondAdjoint {
            r_b,
            tangents: r_bt.map(from_ref),
        };
        let (known, r_t) = (
            self.known(r_b.or(r_bt)),
            self.tangent.as_ref().map(from_ref),
        );
        let (op, saved) = (&self.op, &self.saved);
        op.second(&known, saved, tangent, r_t, adjoint, &mut sinks);
        (sinks.a.sums, sinks.b.sums, sinks.c.sums)
    }
}
impl<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind> DirectionalNode<O::Out>
    for DirectionalOperation<'_, O, A, B, C>
{
    fn value(&self) -> Option<Arg<'_, O::Out>> {
        self.result().map(|r| arg::<O::Out>(r.peek()))
    }
    fn cell(&self) -> Option<TapeValue<O::Out>> {
        self.result().cloned()
    }
    fn is_active(&self) -> bool {
        O::FLOWS[0] && is_active(&*self.a)
            || O::FLOWS[1] && is_active(&*self.b)
            || O::FLOWS[2] && is_active(&*self.c)
    }
    fn depends(&self, sweep: &mut Directional<'_, '_, '_>) -> bool {
        O::FLOWS[0] && self.a.depends(sweep)
            || O::FLOWS[1] && self.b.depends(sweep)
            || O::FLOWS[2] && self.c.depends(sweep)
    }
    fn push_forward(
        &mut self,
        sweep: &mut Directional<'_, '_, '_>,
        like: Option<&Val<O::Out>>,
        known: Option<Option<Val<O::Out>>>,
    ) {
        let data = self.data;
        let result = match like {
            Some(like) if data.shares_shape => Some(like as &dyn Any),
            _ => None,
        };
        let mut made = (None, None, None);
        if data.a.lacks_shape(result) || data.b.lacks_shape(result) || data.c.lacks_shape(result) {
            made = self.arguments_like(like);
        }
        push_argument_forward(&mut *self.a, sweep, shape_of::<A>(result, &made.0));
        push_argument_forward(&mut *self.b, sweep, shape_of::<B>(result, &made.1));
        push_argument_forward(&mut *self.c, sweep, shape_of::<C>(result, &made.2));
        let tangent = match known {
            Some(known) => known,
            None => self.compute_tangent(like, sweep.one_sided()),
        };
        recycle_some::<O::Out>(std::mem::replace(&mut self.tangent, tangent));
    }
    fn tangent(&self) -> Option<&Val<O::Out>> {
        self.tangent.as_ref()
    }
    fn take_tangent(&mut self) -> Option<Val<O::Out>> {
        self.tangent.take()
    }
    fn pull(
        &mut self,
        r_b: Option<Val<O::Out>>,
        r_bt: Option<Val<O::Out>>,
        sweep: &mut Directional<'_, '_, '_>,
    ) {
        if r_b.is_some() {
            self.adjoint = r_b;
        }
        if self.adjoint.is_none() && r_bt.is_none() {
            return;
        }
        let (a, b, c) = self.second(r_bt.as_ref(), sweep);
        a.pull_into(&mut *self.a, sweep);
        b.pull_into(&mut *self.b, sweep);
        c.pull_into(&mut *self.c, sweep);
        recycle_some::<O::Out>(r_bt);
    }
    fn give_back(&mut self, sweep: &mut StatementValues<'_, '_>) {
        self.a.give_back(sweep);
        self.b.give_back(sweep);
        self.c.give_back(sweep);
    }
}
impl<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind> Drop for DirectionalOperation<'_, O, A, B, C> {
    fn drop(&mut self) {
        recycle_some::<O::Out>(self.tangent.take());
        recycle_some::<O::Out>(self.adjoint.take());
        if let Some(r) = self.r.take() {
            recycle::<O::Out>(r);
        }
    }
}

struct Sums<K: Kind>([Option<Val<K>>; 2]);
impl<K: Kind> Default for Sums<K> {
    fn default() -> Self {
        Sums([None, None])
    }
}
impl<K: Kind> Sums<K> {
    fn pull_into(self, node: &mut dyn DirectionalNode<K>, sweep: &mut Directional<'_, '_, '_>) {
        let Sums([adjoint, tangent]) = self;
        if adjoint.is_some() || tangent.is_some() || !sweep.is_first() && is_active(node) {
            node.pull(adjoint, tangent, sweep);
        }
    }
}
struct Argument<'s, K: Kind> {
    wants: bool,
    variable: Option<u32>,
    value: Option<Arg<'s, K>>,
    sums: Sums<K>,
}
impl<'s, K: Kind> Argument<'s, K> {
    fn new(node: &'s dyn DirectionalNode<K>) -> Self {
        let wants = is_active(node);
        Argument {
            wants,
            variable: if wants { node.identifier() } else { None },
            value: if wants { node.value() } else { None },
            sums: Sums::default(),
        }
    }
    fn add<C: Contribution<K>>(
        &mut self,
        contribution: C,
        order: usize,
        sweep: &mut Directional<'_, '_, '_>,
    ) {
        let is_adjoint = order == 0;
        if is_adjoint && !sweep.is_first() {
            return;
        }
        if let Some(id) = self.variable {
            match is_adjoint {
                true => add_to_variable::<K, C>(id, contribution, sweep.base()),
                false => add_to_variable::<K, C>(id, contribution, sweep),
            }
            return;
        }
        if K::Policy::STORAGE
            && let Some(like) = self.like(order)
            && !contribution.fits(like)
        {
            misfit::<K, C>(&contribution, like);
        }
        self.add_value(contribution.materialise(), order);
    }
    fn like(&self, order: usize) -> Option<&Val<K>> {
        let value = self.value.as_ref().map(K::Policy::value);
        self.sums.0[order].as_ref().or(value)
    }
    fn add_value(&mut self, value: Val<K>, order: usize) {
        match &mut self.sums.0[order] {
            Some(sum) => K::accumulate(sum, value),
            sum => *sum = Some(value),
        }
    }
}

struct ArgumentSinks<'x, 's, 'w, 'p, 't, O, A: Kind, B: Kind, C: Kind> {
    a: Argument<'s, A>,
    b: Argument<'s, B>,
    c: Argument<'s, C>,
    sweep: &'x mut Directional<'w, 'p, 't>,
    of: PhantomData<O>,
}
impl<O, A: Kind, B: Kind, C: Kind> Collector for ArgumentSinks<'_, '_, '_, '_, '_, O, A, B, C> {
    type A = A;
    type B = B;
    type C = C;
    #[inline(always)]
    fn wants(&self, i: usize) -> bool {
        [self.a.wants, self.b.wants, self.c.wants][i]
    }
    #[inline(always)]
    fn takes_adjoints(&self) -> bool {
        self.sweep.is_first()
    }
    #[inline(always)]
    fn add_to_a(&mut self, order: usize, x_b: impl Contribution<A>) {
        self.a.add(By::<O, 0, _>::new(x_b), order, self.sweep);
    }
    #[inline(always)]
    fn add_to_b(&mut self, order: usize, x_b: impl Contribution<B>) {
        self.b.add(By::<O, 1, _>::new(x_b), order, self.sweep);
    }
    #[inline(always)]
    fn add_to_c(&mut self, order: usize, x_b: impl Contribution<C>) {
        self.c.add(By::<O, 2, _>::new(x_b), order, self.sweep);
    }
}
