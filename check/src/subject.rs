//! The interface of a rule to its tests, small because compiled for each rule.
use super::{
    Check, Failure,
    forms::{Cases, Enter, Recorded, Same},
    rule::{Form, list_of},
};
use entape_core::coordinates::{self, Coordinates, Output};
use entape_core::{
    expr::Apply,
    kind::{Encoding, Kind, TapeValue, Val, arg},
    names::name_of,
    rule::{self, ArgumentTangents, Order, Rule, ThreeAdjoints},
    tape::Tape,
};
use std::{
    any::{Any, TypeId},
    marker::PhantomData,
};

/// A rule at a point, with values as coordinates.
pub(super) trait Subject {
    fn name(&self) -> String;
    fn kinds(&self) -> [String; 3];
    fn there(&self) -> [bool; 3];
    /// Whether each argument has an adjoint.
    fn flows(&self) -> [bool; 3];
    /// The lowest precision of a coordinate.
    fn epsilon(&self) -> f64;
    fn lists(&self) -> [Vec<f64>; 3];
    /// Called first: seeds have the shape of the result.
    fn primal(&mut self) -> Vec<f64>;
    fn primal_at(&self, lists: &[Vec<f64>; 3]) -> Vec<f64>;
    fn laws(&self, check: &Check) -> Result<(), Failure>;
    fn direct(&self, seed: &[f64], active: [bool; 3]) -> [Vec<f64>; 3];
    fn direct_at(&self, lists: &[Vec<f64>; 3], seed: &[f64]) -> [Vec<f64>; 3];
    fn order(&self) -> Order;
    /// The tangent of the result, for `directed` arguments; empty if it is zero.
    fn tangent(&self, directions: &[Vec<f64>; 3], directed: [bool; 3]) -> Vec<f64>;
    /// Adjoints of the active arguments with tangents, for an adjoint of the result with its tangent.
    fn second(
        &self,
        directions: &[Vec<f64>; 3],
        directed: [bool; 3],
        seeds: [Option<&[f64]>; 2],
        active: [bool; 3],
    ) -> [[Vec<f64>; 3]; 2];
    /// For one variable as two arguments: the special formula, if any, and the sum of both adjoints.
    fn both(&self, seed: &[f64]) -> Option<[Vec<f64>; 2]>;
    fn record(&self, form: Form, part: [bool; 3]) -> Recorded;
}

pub(super) struct Typed<'o, O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind, EA, EB, EC> {
    op: &'o O,
    values: (Val<A>, Val<B>, Val<C>),
    result: Option<Val<O::Out>>,
    _cases: PhantomData<(EA, EB, EC)>,
}
impl<'o, O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind, EA, EB, EC>
    Typed<'o, O, A, B, C, EA, EB, EC>
{
    pub(super) fn new(op: &'o O, values: (Val<A>, Val<B>, Val<C>)) -> Self {
        Typed {
            op,
            values,
            result: None,
            _cases: PhantomData,
        }
    }
}
type Tangents<A, B, C> = (
    Option<[Val<A>; 1]>,
    Option<[Val<B>; 1]>,
    Option<[Val<C>; 1]>,
);
fn lent<A: Kind, B: Kind, C: Kind>(
    tangents: &Tangents<A, B, C>,
    one_sided: bool,
) -> ArgumentTangents<'_, A, B, C, 1> {
    ArgumentTangents {
        a: tangents.0.as_ref(),
        b: tangents.1.as_ref(),
        c: tangents.2.as_ref(),
        one_sided,
    }
}

impl<O, A, B, C, EA, EB, EC> Typed<'_, O, A, B, C, EA, EB, EC>
where
    A: Coordinates,
    B: Coordinates,
    C: Coordinates,
    O: Rule<A, B, C, Out: Coordinates> + Clone,
{
    fn values_at(&self, lists: &[Vec<f64>; 3]) -> (Val<A>, Val<B>, Val<C>) {
        let (a, b, c) = &self.values;
        (
            A::from_coordinates(a, &mut &lists[0][..]),
            B::from_coordinates(b, &mut &lists[1][..]),
            C::from_coordinates(c, &mut &lists[2][..]),
        )
    }
    fn tangents_of(&self, directions: &[Vec<f64>; 3], directed: [bool; 3]) -> Tangents<A, B, C> {
        let (a, b, c) = self.values_at(directions);
        let is = |i: usize| directed[i] && O::FLOWS[i];
        (
            is(0).then_some([a]),
            is(1).then_some([b]),
            is(2).then_some([c]),
        )
    }
    fn adjoint_lists(&self, (a_b, b_b, c_b): ThreeAdjoints<A, B, C>) -> [Vec<f64>; 3] {
        let (a, b, c) = &self.values;
        [
            list_of::<A>(a_b, a),
            list_of::<B>(b_b, b),
            list_of::<C>(c_b, c),
        ]
    }
    fn seed(&self, seed: &[f64]) -> Val<O::Out> {
        let result = self.result.as_ref().expect("the primal was computed");
        O::Out::from_coordinates(result, &mut &seed[..])
    }
    fn recorded<XA: Enter<A>, XB: Enter<B>, XC: Enter<C>>(
        &self,
        part: [bool; 3],
        record: impl for<'v> Fn(XA::Node<'v>, XB::Node<'v>, XC::Node<'v>) -> Vec<Box<dyn Output>>,
    ) -> Recorded {
        let mut tape = Tape::new();
        let a = XA::variables(&self.values.0, part[0], &mut tape);
        let b = XB::variables(&self.values.1, part[1], &mut tape);
        let c = XC::variables(&self.values.2, part[2], &mut tape);
        let record = || record(XA::node(&a), XB::node(&b), XC::node(&c));
        let outputs = tape.record(|| [record(), record()]);
        Recorded {
            tape,
            outputs,
            arguments: [Box::new(a), Box::new(b), Box::new(c)],
        }
    }
}
impl<O, A, B, C, EA, EB, EC> Subject for Typed<'_, O, A, B, C, EA, EB, EC>
where
    A: Coordinates,
    B: Coordinates,
    C: Coordinates,
    O: Rule<A, B, C, Out: Coordinates> + Clone,
    EA: Cases<A>,
    EB: Cases<B>,
    EC: Cases<C>,
{
    fn name(&self) -> String {
        name_of::<O>()
    }
    fn kinds(&self) -> [String; 3] {
        [name_of::<A>(), name_of::<B>(), name_of::<C>()]
    }
    fn there(&self) -> [bool; 3] {
        [EA::IS, EB::IS, EC::IS]
    }
    fn flows(&self) -> [bool; 3] {
        O::FLOWS
    }
    fn epsilon(&self) -> f64 {
        A::EPSILON
            .max(B::EPSILON)
            .max(C::EPSILON)
            .max(O::Out::EPSILON)
    }
    fn lists(&self) -> [Vec<f64>; 3] {
        let (a, b, c) = &self.values;
        [
            coordinates::of::<A>(a),
            coordinates::of::<B>(b),
            coordinates::of::<C>(c),
        ]
    }
    fn primal(&mut self) -> Vec<f64> {
        let (a, b, c) = &self.values;
        let (r, _) = self.op.primal(arg::<A>(a), arg::<B>(b), arg::<C>(c));
        let list = coordinates::of::<O::Out>(&r);
        self.result = Some(r);
        list
    }
    fn primal_at(&self, lists: &[Vec<f64>; 3]) -> Vec<f64> {
        let (a, b, c) = self.values_at(lists);
        let (r, _) = self.op.primal(arg::<A>(&a), arg::<B>(&b), arg::<C>(&c));
        coordinates::of::<O::Out>(&r)
    }
    fn laws(&self, check: &Check) -> Result<(), Failure> {
        let (a, b, c) = &self.values;
        check.laws_if_there::<A>(a)?;
        check.laws_if_there::<B>(b)?;
        check.laws_if_there::<C>(c)?;
        match &self.result {
            Some(result) => check.laws_if_there::<O::Out>(result),
            None => Ok(()),
        }
    }
    fn direct(&self, seed: &[f64], active: [bool; 3]) -> [Vec<f64>; 3] {
        let (a, b, c) = &self.values;
        self.adjoint_lists(rule::adjoints::<O, A, B, C>(
            self.op,
            (a, b, c),
            &self.seed(seed),
            active,
        ))
    }
    fn direct_at(&self, lists: &[Vec<f64>; 3], seed: &[f64]) -> [Vec<f64>; 3] {
        let (a, b, c) = &self.values_at(lists);
        self.adjoint_lists(rule::adjoints::<O, A, B, C>(
            self.op,
            (a, b, c),
            &self.seed(seed),
            self.there(),
        ))
    }
    fn order(&self) -> Order {
        O::ORDER
    }
    fn tangent(&self, directions: &[Vec<f64>; 3], directed: [bool; 3]) -> Vec<f64> {
        let (a, b, c) = &self.values;
        let tangents = self.tangents_of(directions, directed);
        match rule::tangent_alone::<O, A, B, C>(self.op, (a, b, c), lent(&tangents, false)) {
            Some(r_t) => coordinates::of::<O::Out>(&r_t),
            None => Vec::new(),
        }
    }
    fn second(
        &self,
        directions: &[Vec<f64>; 3],
        directed: [bool; 3],
        seeds: [Option<&[f64]>; 2],
        active: [bool; 3],
    ) -> [[Vec<f64>; 3]; 2] {
        let (a, b, c) = &self.values;
        let tangents = self.tangents_of(directions, directed);
        // Iterators would be compiled for each rule.
        let seed = |seed: Option<&[f64]>| seed.map(|seed| self.seed(seed));
        let (r_b, r_bt) = (seed(seeds[0]), seed(seeds[1]));
        let seeds = (r_b.as_ref(), r_bt.as_ref());
        let values = (a, b, c);
        let [x_b, x_bt] =
            rule::second_alone::<O, A, B, C>(self.op, values, lent(&tangents, true), seeds, active);
        [self.adjoint_lists(x_b), self.adjoint_lists(x_bt)]
    }
    fn both(&self, seed: &[f64]) -> Option<[Vec<f64>; 2]> {
        // The formula is used only for plain values.
        if TypeId::of::<A>() != TypeId::of::<B>() || !<A::Encoding as Encoding<TapeValue<A>>>::PLAIN
        {
            return None;
        }
        let (a, _, c) = &self.values;
        let b = (a as &dyn Any).downcast_ref()?;
        let (values, seed) = ((a, b, c), self.seed(seed));
        let got = rule::adjoint_of_both::<O, A, B, C>(self.op, values, &seed)?;
        let active = self.there();
        let (a_b, b_b, _) = rule::adjoints::<O, A, B, C>(self.op, values, &seed, active);
        let mut sum = list_of::<A>(a_b, a);
        for (sum, b_b) in sum.iter_mut().zip(list_of::<B>(b_b, b)) {
            *sum += b_b;
        }
        Some([list_of::<A>(got, a), sum])
    }
    fn record(&self, form: Form, part: [bool; 3]) -> Recorded {
        match form {
            Form::Alone => self
                .recorded::<EA::Variable, EB::Variable, EC::Variable>(part, |a, b, c| {
                    O::Out::record(Apply::ternary(self.op.clone(), a, b, c))
                }),
            Form::Inside => self.recorded::<EA::Inner, EB::Inner, EC::Inner>(part, |a, b, c| {
                let node = Apply::ternary(self.op.clone(), a, b, c);
                O::Out::record(Apply::unary(Same, node))
            }),
        }
    }
}
