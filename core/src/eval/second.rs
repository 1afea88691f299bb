//! Tangents of stored operations, and their sweep to second order, along one direction. Every operation is taken as a whole here, whatever
//! its evaluation is.
use super::replay::{Backward, Replay};
use crate::{
    kind::{
        Adjoint, Arg, By, Contribution, Kind, Passed, Policy, Shape, Val, arg, misfit, recycle_all,
    },
    node::Stored,
    rule::{
        KnownAdjoints, Primals, Rule, SecondAdjoint, SecondSinks, Sink, Sinks, Tangent,
        known_adjoints, marked_tangents,
    },
    sweep::{Directional, add_to_variable},
};
use std::{
    any::{Any, type_name},
    array::from_ref,
    marker::PhantomData,
};

/// The tangents of an operation and of its arguments.
pub struct AlongOperation<K: Kind, A, B, C> {
    pub(super) r: Option<Val<K>>,
    a: A,
    b: B,
    c: C,
}
debug_by_name! { [K: Kind, A, B, C] AlongOperation<K, A, B, C> }

impl<K: Kind, A, B, C> AlongOperation<K, A, B, C> {
    /// Returns the tangent of the operation. The tangents of its arguments are recycled.
    #[inline(always)]
    pub(super) fn into_result<SA, SB, SC>(self) -> Option<Val<K>>
    where
        SA: Stored<Along = A>,
        SB: Stored<Along = B>,
        SC: Stored<Along = C>,
    {
        SA::done_along(self.a);
        SB::done_along(self.b);
        SC::done_along(self.c);
        self.r
    }
}

/// Whether values of the kind have different shapes.
pub(super) const fn has_shape<K: Kind>() -> bool {
    K::Policy::STORAGE || size_of::<Shape<K>>() > 0
}
/// Whether the shape of an argument may not follow from its tangent.
pub(super) const fn spreads<S: Stored>() -> bool {
    S::ACTIVE && (S::SPREADS || !has_shape::<S::Kind>())
}

/// Returns a value with the shape of an argument of kind `K`, if it follows from the shape of the result, `like`.
#[inline(always)]
fn like_result<O: Kind, K: Kind>(like: Option<&Val<O>>, shares: bool) -> Option<&Val<K>> {
    let like: &dyn Any = like.filter(|_| shares)?;
    like.downcast_ref()
}

impl<O: Rule<A::Kind, B::Kind, C::Kind>, A: Stored, B: Stored, C: Stored, E> Replay<O, A, B, C, E>
where
    E: Backward<O, A, B, C>,
{
    /// The values that formulas read, where they are known.
    #[inline(always)]
    fn known<'s>(
        &'s self,
        like: Option<&'s Val<O::Out>>,
    ) -> Primals<'s, A::Kind, B::Kind, C::Kind, O::Out> {
        let r = E::value(self);
        Primals {
            a: self.a.value(),
            b: self.b.value(),
            c: self.c.value(),
            // Where no formula reads the result, its adjoint has the shape.
            r: r.or_else(|| like.map(arg::<O::Out>)),
            rule: type_name::<O>(),
        }
    }
    /// Values of the shapes of some arguments: what an adjoint of zero adds to theirs.
    #[inline(always)]
    fn arguments_like(
        &self,
        wanted: [bool; 3],
        like: Option<&Val<O::Out>>,
    ) -> KnownAdjoints<A::Kind, B::Kind, C::Kind> {
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
        let active = [self.a.is_active(), self.b.is_active(), self.c.is_active()];
        let wanted = [0, 1, 2].map(|i| wanted[i] && active[i] && O::FLOWS[i]);
        known_adjoints(&self.op, self.known(like), &self.saved, &zero, wanted)
    }
    #[inline(always)]
    fn tangents_of_arguments<'t>(
        a: &'t A::Along,
        b: &'t B::Along,
        c: &'t C::Along,
        one_sided: bool,
    ) -> Tangent<'t, A::Kind, B::Kind, C::Kind, 1> {
        Tangent {
            a: A::tangent(a).filter(|_| O::FLOWS[0]).map(from_ref),
            b: B::tangent(b).filter(|_| O::FLOWS[1]).map(from_ref),
            c: C::tangent(c).filter(|_| O::FLOWS[2]).map(from_ref),
            one_sided,
        }
    }
    #[inline(always)]
    pub(super) fn along_operation(
        &self,
        sweep: &mut Directional<'_, '_, '_>,
        like: Option<&Val<O::Out>>,
        known: Option<Option<Val<O::Out>>>,
    ) -> AlongOperation<O::Out, A::Along, B::Along, C::Along> {
        let (like_a, like_b, like_c) = (
            like_result::<O::Out, A::Kind>(like, E::SHARES_SHAPE),
            like_result::<O::Out, B::Kind>(like, E::SHARES_SHAPE),
            like_result::<O::Out, C::Kind>(like, E::SHARES_SHAPE),
        );
        let mut made = (None, None, None);
        if const { A::SPREADS || B::SPREADS || C::SPREADS } {
            let unknown = [
                A::SPREADS && like_a.is_none(),
                B::SPREADS && like_b.is_none(),
                C::SPREADS && like_c.is_none(),
            ];
            made = self.arguments_like(unknown, like);
        }
        let a = self.a.along(sweep, like_a.or(made.0.as_ref()), None);
        let b = self.b.along(sweep, like_b.or(made.1.as_ref()), None);
        let c = self.c.along(sweep, like_c.or(made.2.as_ref()), None);
        let r = known.unwrap_or_else(
            #[inline(always)]
            || {
                let tangent = Self::tangents_of_arguments(&a, &b, &c, sweep.one_sided());
                match tangent.is_zero() {
                    true => None,
                    false => tangent_of(&self.op, &self.known(like), &self.saved, tangent),
                }
            },
        );
        AlongOperation { r, a, b, c }
    }
    pub(super) fn second_of_operation(
        &self,
        along: &AlongOperation<O::Out, A::Along, B::Along, C::Along>,
        r_b: Option<Val<O::Out>>,
        r_bt: Option<Val<O::Out>>,
        sweep: &mut Directional<'_, '_, '_>,
    ) {
        let adjoint = SecondAdjoint {
            r_b: r_b.as_ref(),
            tangents: r_bt.as_ref().map(from_ref),
        };
        let like = r_b.as_ref().or(r_bt.as_ref());
        let (a, b, c) = (&along.a, &along.b, &along.c);
        let tangent = Self::tangents_of_arguments(a, b, c, sweep.one_sided());
        let mut arguments = Arguments::<O, _, _, _> {
            a: Argument::new(&self.a),
            b: Argument::new(&self.b),
            c: Argument::new(&self.c),
            sweep,
            of: PhantomData,
        };
        arguments.add(
            (&self.op, &self.saved),
            &self.known(like),
            tangent,
            along.r.as_ref().map(from_ref),
            adjoint,
        );
        let Arguments { a, b, c, sweep, .. } = arguments;
        if const { A::ACTIVE && !A::VARIABLE } && a.is_reached() {
            self.a.pull_second(&along.a, a.adjoint, a.tangent, sweep);
        }
        if const { B::ACTIVE && !B::VARIABLE } && b.is_reached() {
            self.b.pull_second(&along.b, b.adjoint, b.tangent, sweep);
        }
        if const { C::ACTIVE && !C::VARIABLE } && c.is_reached() {
            self.c.pull_second(&along.c, c.adjoint, c.tangent, sweep);
        }
        recycle_all::<O::Out, 1>(r_b.map(|r_b| [r_b]));
        recycle_all::<O::Out, 1>(r_bt.map(|r_bt| [r_bt]));
    }
}
/// Returns the tangent of the result of an operation. Its type does not name nodes, so it is compiled once for an operation.
#[inline(never)]
fn tangent_of<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    op: &O,
    primals: &Primals<'_, A, B, C, O::Out>,
    saved: &O::Saved,
    tangent: Tangent<'_, A, B, C, 1>,
) -> Option<Val<O::Out>> {
    let [tangent] = marked_tangents(op, primals, saved, tangent)?;
    Some(tangent)
}

/// An argument of kind `K`, and what is collected of its adjoint if it is an operation.
struct Argument<'s, K: Kind> {
    wants: bool,
    /// The identifier of a variable, whose adjoint is on the tape.
    variable: Option<u32>,
    value: Option<Arg<'s, K>>,
    adjoint: Option<Val<K>>,
    tangent: Option<Val<K>>,
}
impl<'s, K: Kind> Argument<'s, K> {
    #[inline(always)]
    fn new<S: Stored<Kind = K>>(node: &'s S) -> Self {
        let wants = S::ACTIVE && node.is_active();
        let variable = match S::VARIABLE {
            true => node.identifier(),
            false => None,
        };
        Argument {
            wants,
            variable,
            value: node.value(),
            adjoint: None,
            tangent: None,
        }
    }
    fn is_reached(&self) -> bool {
        self.adjoint.is_some() || self.tangent.is_some()
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
            Derivative::First => &mut self.adjoint,
            Derivative::Second => &mut self.tangent,
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
struct Arguments<'x, 's, 'w, 'p, 't, O, A: Kind, B: Kind, C: Kind> {
    a: Argument<'s, A>,
    b: Argument<'s, B>,
    c: Argument<'s, C>,
    sweep: &'x mut Directional<'w, 'p, 't>,
    of: PhantomData<O>,
}
impl<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind> Arguments<'_, '_, '_, '_, '_, O, A, B, C> {
    /// Runs the formula of the operation. It is compiled once for an operation, too.
    #[inline(never)]
    fn add(
        &mut self,
        (op, saved): (&O, &O::Saved),
        primals: &Primals<'_, A, B, C, O::Out>,
        tangent: Tangent<'_, A, B, C, 1>,
        r_t: Option<&[Val<O::Out>; 1]>,
        adjoint: SecondAdjoint<'_, O::Out, 1>,
    ) {
        op.second(primals, saved, tangent, r_t, adjoint, self);
    }
}
/// Those of the adjoints, or of their tangents.
struct Along<'y, 'x, 's, 'w, 'p, 't, O, A: Kind, B: Kind, C: Kind> {
    all: &'y mut Arguments<'x, 's, 'w, 'p, 't, O, A, B, C>,
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
    for Arguments<'_, '_, '_, '_, '_, O, A, B, C>
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
