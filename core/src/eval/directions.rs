//! Operations of right-hand sides as data: tangents, and the sweep to second order, along one direction. Every operation is taken as a whole here,
//! whatever its evaluation is.
use super::replay::{Backward, Replay};
use crate::{
    kind::{
        Adjoint, Arg, By, Cell, Contribution, Hold, Kind, Need, Passed, Policy, Shape, Val, arg,
        hold, misfit, recycle, recycle_all,
    },
    node::{Description, ReadBack, ReadNode, Stored},
    rule::{
        KnownAdjoints, Primals, Rule, Saved, SecondAdjoint, SecondSinks, Sink, Sinks, Tangent,
        known_adjoints, marked_tangents,
    },
    store::Reader,
    sweep::{Access, Directional, WholeValues, add_to_variable},
};
use std::{
    any::{Any, type_name},
    array::from_ref,
    marker::PhantomData,
};

/// Whether values of the kind have different shapes.
pub(super) const fn has_shape<K: Kind>() -> bool {
    K::Policy::STORAGE || size_of::<Shape<K>>() > 0
}
/// Whether the shape of an argument may not follow from its tangent.
const fn spreads<S: Stored>() -> bool {
    S::ACTIVE && (S::DESCRIPTION.spreads || !has_shape::<S::Kind>())
}
/// The nodes that an operation is applied to.
struct Arguments<A, B, C> {
    a: A,
    b: B,
    c: C,
}
/// Reads the operation `O`.
struct ReadOperation<O, A: Kind, B: Kind, C: Kind> {
    arguments: Arguments<&'static Description<A>, &'static Description<B>, &'static Description<C>>,
    /// For each need of the result, what is needed of the arguments and of the result.
    needs: &'static [[Need; 4]; 3],
    /// Whether arguments of the result's kind have its shape.
    shares_shape: bool,
    of: PhantomData<fn() -> O>,
}
impl<O: Rule<A::Kind, B::Kind, C::Kind>, A: Stored, B: Stored, C: Stored, E> Replay<O, A, B, C, E>
where
    E: Backward<O, A, B, C>,
{
    /// The operation as data.
    pub(super) const DESCRIBED: &'static Description<O::Out> = &Description {
        read: &ReadOperation::<O, A::Kind, B::Kind, C::Kind> {
            arguments: Arguments {
                a: A::DESCRIPTION,
                b: B::DESCRIPTION,
                c: C::DESCRIPTION,
            },
            needs: &Self::NEEDS,
            shares_shape: E::SHARES_SHAPE,
            of: PhantomData,
        },
        spreads: has_shape::<O::Out>()
            && (O::FLOWS[0] && spreads::<A>()
                || O::FLOWS[1] && spreads::<B>()
                || O::FLOWS[2] && spreads::<C>()),
    };
}
impl<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind> ReadNode<O::Out> for ReadOperation<O, A, B, C> {
    fn read(
        &self,
        need: Need,
        reader: &mut Reader<'_>,
        sweep: &mut WholeValues<'_, '_, '_>,
        known: Option<Cell<O::Out>>,
    ) -> Box<dyn ReadBack<O::Out>> {
        let needs = self.needs[need as usize];
        let op = O::fetch(reader);
        let Arguments { a, b, c } = &self.arguments;
        let arguments = Arguments {
            a: a.read.read(needs[0], reader, sweep, None),
            b: b.read.read(needs[1], reader, sweep, None),
            c: c.read.read(needs[2], reader, sweep, None),
        };
        let (known_there, read) = (matches!(need, Need::Known), needs[3].value());
        let saved = O::Saved::read(read && !known_there, reader);
        let r = match (read, known_there) {
            (false, _) => None,
            (true, true) => known,
            (true, false) if O::Saved::RESULT => saved.result().map(hold::<O::Out>),
            (true, false) => {
                let Arguments { a, b, c } = &arguments;
                match (a.value(), b.value(), c.value()) {
                    (Some(a), Some(b), Some(c)) => Some(hold::<O::Out>(op.primal(a, b, c).0)),
                    _ => None,
                }
            }
        };
        Box::new(OperationAlong {
            op,
            saved,
            arguments,
            r,
            tangent: None,
            spreads: [a.spreads, b.spreads, c.spreads],
            shares_shape: self.shares_shape,
        })
    }
}

/// Returns a value with the shape of an argument of kind `K`, if it follows from the shape of the result, `like`.
#[inline(always)]
fn like_result<O: Kind, K: Kind>(like: Option<&Val<O>>, shares: bool) -> Option<&Val<K>> {
    let like: &dyn Any = like.filter(|_| shares)?;
    like.downcast_ref()
}

/// An operation that was read, with its tangent.
struct OperationAlong<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind> {
    op: O,
    saved: O::Saved,
    arguments: Arguments<Box<dyn ReadBack<A>>, Box<dyn ReadBack<B>>, Box<dyn ReadBack<C>>>,
    /// The result, if it is read.
    r: Option<Cell<O::Out>>,
    tangent: Option<Val<O::Out>>,
    spreads: [bool; 3],
    shares_shape: bool,
}
impl<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind> OperationAlong<O, A, B, C> {
    /// The values that formulas read, where they are known.
    fn known<'s>(&'s self, like: Option<&'s Val<O::Out>>) -> Primals<'s, A, B, C, O::Out> {
        let Arguments { a, b, c } = &self.arguments;
        let r = self.r.as_ref().map(Hold::peek);
        Primals {
            a: a.value(),
            b: b.value(),
            c: c.value(),
            // Where no formula reads the result, its adjoint has the shape.
            r: r.or(like).map(arg::<O::Out>),
            rule: type_name::<O>(),
        }
    }
    /// For each argument, whether an adjoint flows into it.
    fn active(&self) -> [bool; 3] {
        let Arguments { a, b, c } = &self.arguments;
        [a.is_active(), b.is_active(), c.is_active()]
    }
    /// Values of the shapes of some arguments: what an adjoint of zero adds to theirs.
    fn arguments_like(
        &self,
        wanted: [bool; 3],
        like: Option<&Val<O::Out>>,
    ) -> KnownAdjoints<A, B, C> {
        if wanted == [false; 3] {
            return (None, None, None);
        }
        let zero = match like {
            Some(like) => Some(O::Out::zero_like(like)),
            None => <O::Out as Kind>::Adjoint::unset().into_value(),
        };
        let Some(zero) = zero else {
            return (None, None, None);
        };
        let active = self.active();
        let wanted = [0, 1, 2].map(|i| wanted[i] && active[i] && O::FLOWS[i]);
        known_adjoints(&self.op, self.known(like), &self.saved, &zero, wanted)
    }
    fn tangents_of_arguments(&self, one_sided: bool) -> Tangent<'_, A, B, C, 1> {
        let Arguments { a, b, c } = &self.arguments;
        Tangent {
            a: a.tangent().filter(|_| O::FLOWS[0]).map(from_ref),
            b: b.tangent().filter(|_| O::FLOWS[1]).map(from_ref),
            c: c.tangent().filter(|_| O::FLOWS[2]).map(from_ref),
            one_sided,
        }
    }
    /// Adds to the adjoints of variables, and returns what flows into operations.
    fn second(
        &self,
        (r_b, r_bt): (Option<&Val<O::Out>>, Option<&Val<O::Out>>),
        sweep: &mut Directional<'_, '_, '_>,
    ) -> (Sums<A>, Sums<B>, Sums<C>) {
        let Arguments { a, b, c } = &self.arguments;
        let tangent = self.tangents_of_arguments(sweep.one_sided());
        let mut sinks = ArgumentSinks::<O, _, _, _> {
            a: Argument::new(&**a),
            b: Argument::new(&**b),
            c: Argument::new(&**c),
            sweep,
            of: PhantomData,
        };
        self.op.second(
            &self.known(r_b.or(r_bt)),
            &self.saved,
            tangent,
            self.tangent.as_ref().map(from_ref),
            SecondAdjoint {
                r_b,
                tangents: r_bt.map(from_ref),
            },
            &mut sinks,
        );
        (sinks.a.sums, sinks.b.sums, sinks.c.sums)
    }
}
impl<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind> ReadBack<O::Out> for OperationAlong<O, A, B, C> {
    fn value(&self) -> Option<Arg<'_, O::Out>> {
        self.r.as_ref().map(|r| arg::<O::Out>(r.peek()))
    }
    fn cell(&self) -> Option<Cell<O::Out>> {
        self.r.clone()
    }
    fn is_active(&self) -> bool {
        let active = self.active();
        (0..3).any(|i| O::FLOWS[i] && active[i])
    }
    fn along(
        &mut self,
        sweep: &mut Directional<'_, '_, '_>,
        like: Option<&Val<O::Out>>,
        known: Option<Option<Val<O::Out>>>,
    ) {
        let (like_a, like_b, like_c) = (
            like_result::<O::Out, A>(like, self.shares_shape),
            like_result::<O::Out, B>(like, self.shares_shape),
            like_result::<O::Out, C>(like, self.shares_shape),
        );
        let unknown = [
            self.spreads[0] && like_a.is_none(),
            self.spreads[1] && like_b.is_none(),
            self.spreads[2] && like_c.is_none(),
        ];
        let made = self.arguments_like(unknown, like);
        let Arguments { a, b, c } = &mut self.arguments;
        a.along(sweep, like_a.or(made.0.as_ref()), None);
        b.along(sweep, like_b.or(made.1.as_ref()), None);
        c.along(sweep, like_c.or(made.2.as_ref()), None);
        let tangent = known.unwrap_or_else(|| {
            let tangent = self.tangents_of_arguments(sweep.one_sided());
            if tangent.is_zero() {
                return None;
            }
            let [tangent] = marked_tangents(&self.op, &self.known(like), &self.saved, tangent)?;
            Some(tangent)
        });
        recycle_all::<O::Out, 1>(self.tangent.take().map(|tangent| [tangent]));
        self.tangent = tangent;
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
        let (a, b, c) = self.second((r_b.as_ref(), r_bt.as_ref()), sweep);
        let arguments = &mut self.arguments;
        a.pull_into(&mut *arguments.a, sweep);
        b.pull_into(&mut *arguments.b, sweep);
        c.pull_into(&mut *arguments.c, sweep);
        recycle_all::<O::Out, 1>(r_b.map(|r_b| [r_b]));
        recycle_all::<O::Out, 1>(r_bt.map(|r_bt| [r_bt]));
    }
    fn done(self: Box<Self>, sweep: &mut Access<'_, '_>) {
        let Arguments { a, b, c } = self.arguments;
        a.done(sweep);
        b.done(sweep);
        c.done(sweep);
        recycle_all::<O::Out, 1>(self.tangent.map(|tangent| [tangent]));
        if let Some(r) = self.r {
            recycle::<O::Out>(r);
        }
    }
}

/// What flows into an argument of kind `K` if it is an operation.
struct Sums<K: Kind> {
    adjoint: Option<Val<K>>,
    tangent: Option<Val<K>>,
}
impl<K: Kind> Sums<K> {
    fn pull_into(self, node: &mut dyn ReadBack<K>, sweep: &mut Directional<'_, '_, '_>) {
        if self.adjoint.is_some() || self.tangent.is_some() {
            node.pull(self.adjoint, self.tangent, sweep);
        }
    }
}
/// An argument of kind `K`, and what is collected of its adjoint.
struct Argument<'s, K: Kind> {
    wants: bool,
    /// The identifier of a variable, whose adjoint is on the tape.
    variable: Option<u32>,
    value: Option<Arg<'s, K>>,
    sums: Sums<K>,
}
impl<'s, K: Kind> Argument<'s, K> {
    fn new(node: &'s dyn ReadBack<K>) -> Self {
        Argument {
            wants: node.is_active(),
            variable: node.identifier(),
            value: node.value(),
            sums: Sums {
                adjoint: None,
                tangent: None,
            },
        }
    }
    /// Adds to the adjoint, or to its tangent. The adjoint of a variable is on the tape; it is added along the first direction.
    fn add<C: Contribution<K>>(
        &mut self,
        contribution: C,
        order: Derivative,
        sweep: &mut Directional<'_, '_, '_>,
    ) {
        if !self.wants {
            return;
        }
        if let Some(id) = self.variable {
            return match order {
                Derivative::First if !sweep.is_first() => {}
                Derivative::First => add_to_variable::<K, C>(id, contribution, sweep.base()),
                Derivative::Second => add_to_variable::<K, C>(id, contribution, sweep),
            };
        }
        let sum = match order {
            Derivative::First => &mut self.sums.adjoint,
            Derivative::Second => &mut self.sums.tangent,
        };
        let like = sum.as_ref().or(self.value.as_ref().map(K::Policy::value));
        if let Some(like) = like.filter(|_| K::Policy::STORAGE)
            && !contribution.fits(like)
        {
            misfit::<K, C>(&contribution, like);
        }
        match sum {
            Some(sum) => K::accumulate(sum, contribution.materialise()),
            None => *sum = Some(contribution.materialise()),
        }
    }
    /// Adds to both at once.
    fn add_all<O, const I: usize>(
        &mut self,
        x_b: impl FnOnce() -> (Val<K>, [Val<K>; 1]),
        sweep: &mut Directional<'_, '_, '_>,
    ) {
        if self.wants {
            let (adjoint, [tangent]) = x_b();
            let (adjoint, tangent) = (Passed(adjoint), Passed(tangent));
            self.add(By::<O, I, _>::new(adjoint), Derivative::First, sweep);
            self.add(By::<O, I, _>::new(tangent), Derivative::Second, sweep);
        }
    }
}
/// Which derivative is added: to an adjoint, or to its tangent.
#[derive(Clone, Copy)]
enum Derivative {
    First,
    Second,
}

/// The sinks of all arguments.
struct ArgumentSinks<'x, 's, 'w, 'p, 't, O, A: Kind, B: Kind, C: Kind> {
    a: Argument<'s, A>,
    b: Argument<'s, B>,
    c: Argument<'s, C>,
    sweep: &'x mut Directional<'w, 'p, 't>,
    of: PhantomData<O>,
}
/// Those of the adjoints, or of their tangents.
struct Along<'y, 'x, 's, 'w, 'p, 't, O, A: Kind, B: Kind, C: Kind> {
    all: &'y mut ArgumentSinks<'x, 's, 'w, 'p, 't, O, A, B, C>,
    order: Derivative,
}
struct To<'y, 's, 'w, 'p, 't, O, const I: usize, K: Kind> {
    argument: &'y mut Argument<'s, K>,
    order: Derivative,
    sweep: &'y mut Directional<'w, 'p, 't>,
    of: PhantomData<O>,
}
impl<O, const I: usize, K: Kind> Sink<K> for To<'_, '_, '_, '_, '_, O, I, K> {
    #[inline(always)]
    fn wants(&self) -> bool {
        self.argument.wants
    }
    #[inline(always)]
    fn add<C: Contribution<K>>(&mut self, contribution: C) {
        let contribution = By::<O, I, C>::new(contribution);
        self.argument.add(contribution, self.order, self.sweep);
    }
}
impl<O, A: Kind, B: Kind, C: Kind> Sinks<A, B, C> for Along<'_, '_, '_, '_, '_, '_, O, A, B, C> {
    #[inline(always)]
    fn a(&mut self) -> impl Sink<A> {
        To::<O, 0, _> {
            argument: &mut self.all.a,
            order: self.order,
            sweep: self.all.sweep,
            of: PhantomData,
        }
    }
    #[inline(always)]
    fn b(&mut self) -> impl Sink<B> {
        To::<O, 1, _> {
            argument: &mut self.all.b,
            order: self.order,
            sweep: self.all.sweep,
            of: PhantomData,
        }
    }
    #[inline(always)]
    fn c(&mut self) -> impl Sink<C> {
        To::<O, 2, _> {
            argument: &mut self.all.c,
            order: self.order,
            sweep: self.all.sweep,
            of: PhantomData,
        }
    }
    #[inline(always)]
    fn both(&mut self) -> Option<impl Sink<A>> {
        None::<To<'_, '_, '_, '_, '_, O, 0, A>>
    }
}
impl<O, A: Kind, B: Kind, C: Kind> SecondSinks<A, B, C, 1>
    for ArgumentSinks<'_, '_, '_, '_, '_, O, A, B, C>
{
    #[inline(always)]
    fn adjoint(&mut self) -> impl Sinks<A, B, C> {
        Along {
            all: self,
            order: Derivative::First,
        }
    }
    #[inline(always)]
    fn along(&mut self, _: usize) -> impl Sinks<A, B, C> {
        Along {
            all: self,
            order: Derivative::Second,
        }
    }
    #[inline(always)]
    fn add_a(&mut self, x_b: impl FnOnce() -> (Val<A>, [Val<A>; 1])) {
        self.a.add_all::<O, 0>(x_b, self.sweep);
    }
    #[inline(always)]
    fn add_b(&mut self, x_b: impl FnOnce() -> (Val<B>, [Val<B>; 1])) {
        self.b.add_all::<O, 1>(x_b, self.sweep);
    }
    #[inline(always)]
    fn add_c(&mut self, x_b: impl FnOnce() -> (Val<C>, [Val<C>; 1])) {
        self.c.add_all::<O, 2>(x_b, self.sweep);
    }
}
