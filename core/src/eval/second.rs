//! Tangents of stored operations, and their sweep to second order. Every operation is taken as a whole here, whatever
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
    marker::PhantomData,
};

/// The tangents of an operation and of its arguments.
pub struct AlongOperation<K: Kind, A, B, C, const N: usize> {
    pub(super) r: Option<[Val<K>; N]>,
    a: A,
    b: B,
    c: C,
}
debug_by_name! { [K: Kind, A, B, C, const N: usize] AlongOperation<K, A, B, C, N> }

impl<K: Kind, A, B, C, const N: usize> AlongOperation<K, A, B, C, N> {
    /// The tangents of the operation. The memory of those of its arguments goes back to their kinds.
    #[inline(always)]
    pub(super) fn into_result<SA, SB, SC>(self) -> Option<[Val<K>; N]>
    where
        SA: Stored<Along<N> = A>,
        SB: Stored<Along<N> = B>,
        SC: Stored<Along<N> = C>,
    {
        SA::done_along::<N>(self.a);
        SB::done_along::<N>(self.b);
        SC::done_along::<N>(self.c);
        self.r
    }
}

/// Whether values of the kind have different shapes.
pub(super) const fn has_shape<K: Kind>() -> bool {
    K::Policy::STORAGE || size_of::<Shape<K>>() > 0
}
/// Whether the tangent of an argument need not tell its shape.
pub(super) const fn spreads<S: Stored>() -> bool {
    S::ACTIVE && (S::SPREADS || !has_shape::<S::Kind>())
}

/// A value whose shape an argument of kind `K` has, if the result with the shape of `like` tells it.
#[inline(always)]
fn like_result<O: Kind, K: Kind>(like: Option<&Val<O>>, shares: bool) -> Option<&Val<K>> {
    let like: &dyn Any = like.filter(|_| shares)?;
    like.downcast_ref()
}

impl<O: Rule<A::Kind, B::Kind, C::Kind>, A: Stored, B: Stored, C: Stored, E> Replay<O, A, B, C, E>
where
    E: Backward<O, A, B, C>,
{
    /// What the formulas read, as far as it is there.
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
            // Where no formula reads it, it tells the shape.
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
    fn tangent<'t, const N: usize>(
        a: &'t A::Along<N>,
        b: &'t B::Along<N>,
        c: &'t C::Along<N>,
        one_sided: bool,
    ) -> Tangent<'t, A::Kind, B::Kind, C::Kind, N> {
        Tangent {
            a: A::tangents(a).filter(|_| O::FLOWS[0]),
            b: B::tangents(b).filter(|_| O::FLOWS[1]),
            c: C::tangents(c).filter(|_| O::FLOWS[2]),
            one_sided,
        }
    }
    #[inline(always)]
    pub(super) fn along_operation<const N: usize>(
        &self,
        sweep: &mut Directional<'_, '_, '_, N>,
        like: Option<&Val<O::Out>>,
        known: Option<Option<[Val<O::Out>; N]>>,
    ) -> AlongOperation<O::Out, A::Along<N>, B::Along<N>, C::Along<N>, N> {
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
        let a = self.a.along(sweep, like_a.or(made.0.as_ref()));
        let b = self.b.along(sweep, like_b.or(made.1.as_ref()));
        let c = self.c.along(sweep, like_c.or(made.2.as_ref()));
        let r = known.unwrap_or_else(
            #[inline(always)]
            || {
                let tangent = Self::tangent(&a, &b, &c, sweep.one_sided());
                match tangent.is_zero() {
                    true => None,
                    false => tangents_of(&self.op, &self.known(like), &self.saved, tangent),
                }
            },
        );
        AlongOperation { r, a, b, c }
    }
    pub(super) fn second_of_operation<const N: usize>(
        &self,
        along: &AlongOperation<O::Out, A::Along<N>, B::Along<N>, C::Along<N>, N>,
        r_b: Option<Val<O::Out>>,
        tangents: Option<[Val<O::Out>; N]>,
        sweep: &mut Directional<'_, '_, '_, N>,
    ) {
        let adjoint = SecondAdjoint {
            r_b: r_b.as_ref(),
            tangents: tangents.as_ref(),
        };
        let like = r_b.as_ref().or(tangents.as_ref().and_then(|t| t.first()));
        let tangent = Self::tangent(&along.a, &along.b, &along.c, sweep.one_sided());
        let mut arguments = Arguments::<O, _, _, _, N> {
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
            along.r.as_ref(),
            adjoint,
        );
        let Arguments { a, b, c, sweep, .. } = arguments;
        if const { A::ACTIVE && !A::VARIABLE }
            && let Some((adjoint, tangents)) = a.finish()
        {
            self.a.pull_second(&along.a, adjoint, tangents, sweep);
        }
        if const { B::ACTIVE && !B::VARIABLE }
            && let Some((adjoint, tangents)) = b.finish()
        {
            self.b.pull_second(&along.b, adjoint, tangents, sweep);
        }
        if const { C::ACTIVE && !C::VARIABLE }
            && let Some((adjoint, tangents)) = c.finish()
        {
            self.c.pull_second(&along.c, adjoint, tangents, sweep);
        }
        recycle_all::<O::Out, 1>(r_b.map(|r_b| [r_b]));
        recycle_all::<O::Out, N>(tangents);
    }
}
/// The tangents of the result of an operation. Nodes have no part in its type, so that it is compiled once for an operation.
#[inline(never)]
fn tangents_of<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind, const N: usize>(
    op: &O,
    primals: &Primals<'_, A, B, C, O::Out>,
    saved: &O::Saved,
    tangent: Tangent<'_, A, B, C, N>,
) -> Option<[Val<O::Out>; N]> {
    marked_tangents(op, primals, saved, tangent)
}

/// An argument of kind `K`, and what is collected of its adjoint if it is an operation.
struct Argument<'s, K: Kind, const N: usize> {
    wants: bool,
    /// The identifier of a variable, whose adjoint is on the tape.
    variable: Option<u32>,
    value: Option<Arg<'s, K>>,
    adjoint: Option<Val<K>>,
    tangents: [Option<Val<K>>; N],
}
/// An adjoint and its tangents.
type Collected<K, const N: usize> = (Option<Val<K>>, Option<[Val<K>; N]>);
impl<'s, K: Kind, const N: usize> Argument<'s, K, N> {
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
            tangents: [const { None }; N],
        }
    }
    /// Adds to the adjoint, or to its tangent along direction `j`. That of a variable is on the tape.
    fn add<C: Contribution<K>>(
        &mut self,
        contribution: C,
        j: Option<usize>,
        sweep: &mut Directional<'_, '_, '_, N>,
    ) {
        if !self.wants {
            return;
        }
        if let Some(id) = self.variable {
            return match j {
                None => add_to_variable::<K, C>(id, contribution, sweep.base()),
                Some(j) => add_to_variable::<K, C>(id, contribution, &mut sweep.along(j)),
            };
        }
        let sum = match j {
            None => &mut self.adjoint,
            Some(j) => &mut self.tangents[j],
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
        x_b: impl FnOnce() -> (Val<K>, [Val<K>; N]),
        sweep: &mut Directional<'_, '_, '_, N>,
    ) {
        if self.wants {
            let (adjoint, tangents) = x_b();
            self.add(By::<O, I, _>::new(Passed(adjoint)), None, sweep);
            for (j, tangent) in tangents.into_iter().enumerate() {
                self.add(By::<O, I, _>::new(Passed(tangent)), Some(j), sweep);
            }
        }
    }
    /// What was collected, if anything was.
    #[inline(never)]
    fn finish(mut self) -> Option<Collected<K, N>> {
        let some = self.tangents.iter().flatten().next();
        let Some(some) = some else {
            return self.adjoint.map(|adjoint| (Some(adjoint), None));
        };
        let zero = match self.tangents.iter().all(Option::is_some) {
            true => None,
            false => Some(K::zero_like(some)),
        };
        let tangents = std::array::from_fn(|j| {
            let tangent = self.tangents[j].take().or_else(|| zero.clone());
            tangent.unwrap_or_else(|| unreachable!("one is missing"))
        });
        Some((self.adjoint, Some(tangents)))
    }
}

/// The sinks of all arguments.
struct Arguments<'x, 's, 'w, 'p, 't, O, A: Kind, B: Kind, C: Kind, const N: usize> {
    a: Argument<'s, A, N>,
    b: Argument<'s, B, N>,
    c: Argument<'s, C, N>,
    sweep: &'x mut Directional<'w, 'p, 't, N>,
    of: PhantomData<O>,
}
impl<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind, const N: usize>
    Arguments<'_, '_, '_, '_, '_, O, A, B, C, N>
{
    /// Runs the formula of the operation. It is compiled once for an operation, likewise.
    #[inline(never)]
    fn add(
        &mut self,
        (op, saved): (&O, &O::Saved),
        primals: &Primals<'_, A, B, C, O::Out>,
        tangent: Tangent<'_, A, B, C, N>,
        r_t: Option<&[Val<O::Out>; N]>,
        adjoint: SecondAdjoint<'_, O::Out, N>,
    ) {
        op.second(primals, saved, tangent, r_t, adjoint, self);
    }
}
/// Those of the adjoints, or of their tangents along one direction.
struct Along<'y, 'x, 's, 'w, 'p, 't, O, A: Kind, B: Kind, C: Kind, const N: usize> {
    all: &'y mut Arguments<'x, 's, 'w, 'p, 't, O, A, B, C, N>,
    j: Option<usize>,
}
struct To<'y, 's, 'w, 'p, 't, O, const I: usize, K: Kind, const N: usize> {
    argument: &'y mut Argument<'s, K, N>,
    j: Option<usize>,
    sweep: &'y mut Directional<'w, 'p, 't, N>,
    of: PhantomData<O>,
}
impl<O, const I: usize, K: Kind, const N: usize> Sink<K> for To<'_, '_, '_, '_, '_, O, I, K, N> {
    #[inline(always)]
    fn wants(&self) -> bool {
        self.argument.wants
    }
    #[inline(always)]
    fn add<C: Contribution<K>>(&mut self, contribution: C) {
        let contribution = By::<O, I, C>::new(contribution);
        self.argument.add(contribution, self.j, self.sweep);
    }
}
impl<O, A: Kind, B: Kind, C: Kind, const N: usize> Sinks<A, B, C>
    for Along<'_, '_, '_, '_, '_, '_, O, A, B, C, N>
{
    #[inline(always)]
    fn a(&mut self) -> impl Sink<A> {
        To::<O, 0, _, _> {
            argument: &mut self.all.a,
            j: self.j,
            sweep: self.all.sweep,
            of: PhantomData,
        }
    }
    #[inline(always)]
    fn b(&mut self) -> impl Sink<B> {
        To::<O, 1, _, _> {
            argument: &mut self.all.b,
            j: self.j,
            sweep: self.all.sweep,
            of: PhantomData,
        }
    }
    #[inline(always)]
    fn c(&mut self) -> impl Sink<C> {
        To::<O, 2, _, _> {
            argument: &mut self.all.c,
            j: self.j,
            sweep: self.all.sweep,
            of: PhantomData,
        }
    }
    #[inline(always)]
    fn both(&mut self) -> Option<impl Sink<A>> {
        None::<To<'_, '_, '_, '_, '_, O, 0, A, N>>
    }
}
impl<O, A: Kind, B: Kind, C: Kind, const N: usize> SecondSinks<A, B, C, N>
    for Arguments<'_, '_, '_, '_, '_, O, A, B, C, N>
{
    #[inline(always)]
    fn adjoint(&mut self) -> impl Sinks<A, B, C> {
        Along { all: self, j: None }
    }
    #[inline(always)]
    fn along(&mut self, j: usize) -> impl Sinks<A, B, C> {
        Along {
            all: self,
            j: Some(j),
        }
    }
    #[inline(always)]
    fn add_a(&mut self, x_b: impl FnOnce() -> (Val<A>, [Val<A>; N])) {
        self.a.add_all::<O, 0>(x_b, self.sweep);
    }
    #[inline(always)]
    fn add_b(&mut self, x_b: impl FnOnce() -> (Val<B>, [Val<B>; N])) {
        self.b.add_all::<O, 1>(x_b, self.sweep);
    }
    #[inline(always)]
    fn add_c(&mut self, x_b: impl FnOnce() -> (Val<C>, [Val<C>; N])) {
        self.c.add_all::<O, 2>(x_b, self.sweep);
    }
}
