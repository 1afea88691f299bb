//! See [`ReductionFunctions`].
use super::{
    ArgumentTangents, Collector, Primals, Rule, Saved, SecondAdjoint, known_adjoints,
    marked_tangents,
    planes::{number, primals, seen, tangents_as},
};
use crate::{
    kind::{Adjoint, By, Contribution, Kind, Val, arg},
    store::{OperationContext, PlaneSlots, ReductionBack, ReductionFunctions, ReductionInputs},
};
use std::{any::Any, array::from_ref, marker::PhantomData};

impl ReductionFunctions {
    pub(crate) const fn of<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>() -> Self {
        ReductionFunctions {
            value: value::<O, A, B, C>,
            length: length::<O, A, B, C>,
            tangent: tangent::<O, A, B, C>,
            second: second::<O, A, B, C>,
        }
    }
}
fn load<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    context: &mut OperationContext<'_>,
    place: PlaneSlots,
    saved: u16,
) -> (O, O::Saved) {
    let op = context.fetch(place.parameters);
    let mut reader = context.reader::<O>(saved, O::Saved::BYTES[0]);
    (op, O::Saved::read(false, &mut reader))
}
#[allow(clippy::type_complexity)]
fn parts<'l, O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    of: &'l ReductionInputs<'_>,
    one_sided: bool,
) -> (
    Primals<'l, A, B, C, O::Out>,
    ArgumentTangents<'l, A, B, C, 1>,
) {
    let [a, b, c] = of.values;
    let values = (seen::<A, _>(a), seen::<B, _>(b), seen::<C, _>(c));
    let [a, b, c] = of.tangents.map(from_ref);
    let is_there = |i: usize| of.place.is_active(i) && !of.tangents[i].is_empty();
    let tangent = ArgumentTangents {
        a: tangents_as::<A, _, 1>(a).filter(|_| is_there(0)),
        b: tangents_as::<B, _, 1>(b).filter(|_| is_there(1)),
        c: tangents_as::<C, _, 1>(c).filter(|_| is_there(2)),
        one_sided,
    };
    let r = seen::<O::Out, _>(&of.value);
    (primals::<O, A, B, C>(values, r), tangent)
}

fn value<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    [a, b, c]: [&Vec<f64>; 3],
    context: &mut OperationContext<'_>,
    place: PlaneSlots,
) -> f64 {
    let op: O = context.fetch(place.parameters);
    let (r, _) = op.primal(
        arg::<A>(seen::<A, _>(a)),
        arg::<B>(seen::<B, _>(b)),
        arg::<C>(seen::<C, _>(c)),
    );
    number::<O::Out>(&r)
}
/// Returns an unknown length, from an adjoint.
fn length<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    context: &mut OperationContext<'_>,
    place: PlaneSlots,
    saved: u16,
) -> usize {
    let (op, saved) = load::<O, A, B, C>(context, place, saved);
    let none = Vec::<f64>::new();
    let values = (
        seen::<A, _>(&none),
        seen::<B, _>(&none),
        seen::<C, _>(&none),
    );
    let zero = seen::<O::Out, _>(&0.0);
    let primals = primals::<O, A, B, C>(values, zero);
    let wanted = [0, 1, 2].map(|i| place.is_active(i));
    let (a, b, c) = known_adjoints(&op, primals, &saved, zero, wanted);
    fn of<K: Kind>(adjoint: Option<Val<K>>) -> Option<usize> {
        let list: &dyn Any = &adjoint?;
        list.downcast_ref().map(Vec::<f64>::len)
    }
    let length = of::<A>(a).or_else(|| of::<B>(b)).or_else(|| of::<C>(c));
    length.unwrap_or_default()
}
fn tangent<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    of: &ReductionInputs<'_>,
    context: &mut OperationContext<'_>,
) -> f64 {
    let (op, saved) = load::<O, A, B, C>(context, of.place, of.saved);
    let (primals, tangent) = parts::<O, A, B, C>(of, context.one_sided);
    let made = marked_tangents(&op, &primals, &saved, tangent);
    made.map_or(-0.0, |[made]| number::<O::Out>(&made))
}
fn second<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    of: &ReductionInputs<'_>,
    to: ReductionBack<'_>,
    context: &mut OperationContext<'_>,
) {
    let (op, saved) = load::<O, A, B, C>(context, of.place, of.saved);
    let (primals, tangent) = parts::<O, A, B, C>(of, context.one_sided);
    let directional = from_ref(&to.directional);
    let adjoint = SecondAdjoint {
        r_b: Some(seen::<O::Out, _>(&to.adjoint)).filter(|_| !to.adjoint.is_unset()),
        tangents: tangents_as::<O::Out, _, 1>(directional).filter(|_| !to.directional.is_unset()),
    };
    let r_t = tangents_as::<O::Out, _, 1>(from_ref(&to.tangent));
    let mut sinks = InLists::<O, A, B, C> {
        place: of.place,
        sums: [to.adjoints, to.directional_adjoints],
        of: PhantomData,
    };
    op.second(&primals, &saved, tangent, r_t, adjoint, &mut sinks);
}

struct InLists<'l, O, A, B, C> {
    place: PlaneSlots,
    sums: [[&'l mut Vec<f64>; 3]; 2],
    of: PhantomData<(O, A, B, C)>,
}
impl<O, A, B, C> InLists<'_, O, A, B, C> {
    fn add<K: Kind>(&mut self, i: usize, order: usize, contribution: impl Contribution<K>) {
        let list = &mut *self.sums[order][i];
        let (is_unset, list): (_, &mut dyn Any) = (list.is_empty(), list);
        if let Some(adjoint) = list.downcast_mut::<K::Adjoint>() {
            contribution.add_to(adjoint);
        } else if let Some(sum) = list.downcast_mut::<Val<K>>() {
            let made = contribution.materialise();
            if is_unset {
                *sum = made;
            } else {
                K::accumulate(sum, made);
            }
        }
    }
}
impl<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind> Collector for InLists<'_, O, A, B, C> {
    type A = A;
    type B = B;
    type C = C;
    fn wants(&self, i: usize) -> bool {
        self.place.is_active(i)
    }
    fn add_to_a(&mut self, order: usize, x_b: impl Contribution<A>) {
        self.add(0, order, By::<O, 0, _>::new(x_b));
    }
    fn add_to_b(&mut self, order: usize, x_b: impl Contribution<B>) {
        self.add(1, order, By::<O, 1, _>::new(x_b));
    }
    fn add_to_c(&mut self, order: usize, x_b: impl Contribution<C>) {
        self.add(2, order, By::<O, 2, _>::new(x_b));
    }
}
