//! The functions of reductions of lists of numbers, for sweeps along directions: see [`ReductionFunctions`].
use super::{
    Primals, Rule, Saved, SecondAdjoint, SecondSinks, Sink, Sinks, Tangent, known_adjoints,
    marked_tangents,
    planes::{number, primals, seen, seen_along},
};
use crate::{
    kind::{Adjoint, By, Contribution, Kind, Passed, Val, arg},
    store::{Arguments, Beside, Place, Planes, ReductionAlong, ReductionFunctions},
};
use std::{any::Any, marker::PhantomData};

impl ReductionFunctions {
    /// Those of the operation `O`, whose result is a number and whose arguments are lists of numbers.
    pub(crate) const fn of<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>() -> Self {
        ReductionFunctions {
            value: value::<O, A, B, C>,
            length: length::<O, A, B, C>,
            one: along::<O, A, B, C, 1>(),
            many: along::<O, A, B, C, 8>(),
        }
    }
}
const fn along<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind, const N: usize>() -> ReductionAlong<N> {
    ReductionAlong {
        tangents: tangents::<O, A, B, C, N>,
        second: second::<O, A, B, C, N>,
    }
}
/// The operation and what it saved.
fn load<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    beside: &mut Beside<'_>,
    place: Place,
    saved: u16,
) -> (O, O::Saved) {
    let op = beside.fetch(place.parameters);
    let mut reader = beside.reader::<O>(saved, O::Saved::BYTES[0]);
    (op, O::Saved::read(false, &mut reader))
}
/// The arguments of a reduction as its formulas read them, and sinks of their adjoints.
#[allow(clippy::type_complexity)]
fn parts<'l, O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind, const N: usize>(
    [a, b, c]: &'l mut Arguments<N>,
    r: &'l f64,
    one_sided: bool,
    place: Place,
) -> (
    Primals<'l, A, B, C, O::Out>,
    Tangent<'l, A, B, C, N>,
    InLists<'l, O, N>,
) {
    let values = (
        seen::<A, _>(&a.values),
        seen::<B, _>(&b.values),
        seen::<C, _>(&c.values),
    );
    let tangent = Tangent {
        a: seen_along::<A, _, N>(&a.tangents).filter(|_| place.is_active(0)),
        b: seen_along::<B, _, N>(&b.tangents).filter(|_| place.is_active(1)),
        c: seen_along::<C, _, N>(&c.tangents).filter(|_| place.is_active(2)),
        one_sided,
    };
    let sinks = InLists {
        place,
        adjoints: [&mut a.adjoint, &mut b.adjoint, &mut c.adjoint],
        along: [&mut a.along, &mut b.along, &mut c.along],
        of: PhantomData,
    };
    (
        primals::<O, A, B, C>(values, seen::<O::Out, _>(r)),
        tangent,
        sinks,
    )
}

fn value<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    [a, b, c]: [&Vec<f64>; 3],
    beside: &mut Beside<'_>,
    place: Place,
) -> f64 {
    let op: O = beside.fetch(place.parameters);
    let (r, _) = op.primal(
        arg::<A>(seen::<A, _>(a)),
        arg::<B>(seen::<B, _>(b)),
        arg::<C>(seen::<C, _>(c)),
    );
    number::<O::Out>(&r)
}
/// The length of the argument's adjoint, where no value tells it.
fn length<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    beside: &mut Beside<'_>,
    place: Place,
    saved: u16,
) -> usize {
    let (op, saved) = load::<O, A, B, C>(beside, place, saved);
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
fn tangents<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind, const N: usize>(
    planes: &mut Planes<N>,
    arguments: &mut Arguments<N>,
    beside: &mut Beside<'_>,
    place: Place,
    saved: u16,
) {
    let (op, saved) = load::<O, A, B, C>(beside, place, saved);
    let r = usize::from(place.result);
    let (primals, tangent, _) =
        parts::<O, A, B, C, N>(arguments, &planes.values[r], beside.one_sided, place);
    let made = marked_tangents(&op, &primals, &saved, tangent);
    planes.tangents[r] = match &made {
        Some(made) => made.each_ref().map(number::<O::Out>),
        None => [-0.0; N],
    };
}
fn second<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind, const N: usize>(
    planes: &mut Planes<N>,
    arguments: &mut Arguments<N>,
    beside: &mut Beside<'_>,
    place: Place,
    saved: u16,
) {
    let (op, saved) = load::<O, A, B, C>(beside, place, saved);
    let r = usize::from(place.result);
    let (r_b, r_bt) = (planes.adjoints[r], planes.along[r]);
    let none = r_bt.iter().all(Adjoint::is_unset);
    let (primals, tangent, mut sinks) =
        parts::<O, A, B, C, N>(arguments, &planes.values[r], beside.one_sided, place);
    let adjoint = SecondAdjoint {
        r_b: Some(seen::<O::Out, _>(&r_b)).filter(|_| !r_b.is_unset()),
        tangents: seen_along::<O::Out, _, N>(&r_bt).filter(|_| !none),
    };
    let r_t = seen_along::<O::Out, _, N>(&planes.tangents[r]);
    op.second(&primals, &saved, tangent, r_t, adjoint, &mut sinks);
}

/// The adjoints of the arguments of a reduction, and their tangents.
struct InLists<'l, O, const N: usize> {
    place: Place,
    adjoints: [&'l mut Vec<f64>; 3],
    along: [&'l mut [Vec<f64>; N]; 3],
    of: PhantomData<O>,
}
impl<O, const N: usize> InLists<'_, O, N> {
    fn add<K: Kind, C: Contribution<K>>(&mut self, i: usize, j: Option<usize>, contribution: C) {
        let list = match j {
            None => &mut *self.adjoints[i],
            Some(j) => &mut self.along[i][j],
        };
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
    fn add_all<const I: usize, K: Kind>(&mut self, x_b: impl FnOnce() -> (Val<K>, [Val<K>; N])) {
        if self.place.is_active(I) {
            let (adjoint, tangents) = x_b();
            self.add::<K, _>(I, None, By::<O, I, _>::new(Passed(adjoint)));
            for (j, tangent) in tangents.into_iter().enumerate() {
                self.add::<K, _>(I, Some(j), By::<O, I, _>::new(Passed(tangent)));
            }
        }
    }
}
/// Those of the adjoint itself, or of its tangents along one direction.
struct Direction<'y, 'l, O, const N: usize>(&'y mut InLists<'l, O, N>, Option<usize>);
struct To<'y, 'l, O, const I: usize, const N: usize>(&'y mut InLists<'l, O, N>, Option<usize>);
impl<K: Kind, O, const I: usize, const N: usize> Sink<K> for To<'_, '_, O, I, N> {
    fn wants(&self) -> bool {
        self.0.place.is_active(I)
    }
    fn add<C: Contribution<K>>(&mut self, contribution: C) {
        if self.0.place.is_active(I) {
            self.0
                .add::<K, _>(I, self.1, By::<O, I, _>::new(contribution));
        }
    }
}
impl<O, A: Kind, B: Kind, C: Kind, const N: usize> Sinks<A, B, C> for Direction<'_, '_, O, N> {
    fn a(&mut self) -> impl Sink<A> {
        To::<O, 0, N>(self.0, self.1)
    }
    fn b(&mut self) -> impl Sink<B> {
        To::<O, 1, N>(self.0, self.1)
    }
    fn c(&mut self) -> impl Sink<C> {
        To::<O, 2, N>(self.0, self.1)
    }
    fn both(&mut self) -> Option<impl Sink<A>> {
        None::<To<'_, '_, O, 0, N>>
    }
}
impl<O, A: Kind, B: Kind, C: Kind, const N: usize> SecondSinks<A, B, C, N> for InLists<'_, O, N> {
    fn adjoint(&mut self) -> impl Sinks<A, B, C> {
        Direction(self, None)
    }
    fn along(&mut self, j: usize) -> impl Sinks<A, B, C> {
        Direction(self, Some(j))
    }
    fn add_a(&mut self, x_b: impl FnOnce() -> (Val<A>, [Val<A>; N])) {
        self.add_all::<0, A>(x_b);
    }
    fn add_b(&mut self, x_b: impl FnOnce() -> (Val<B>, [Val<B>; N])) {
        self.add_all::<1, B>(x_b);
    }
    fn add_c(&mut self, x_b: impl FnOnce() -> (Val<C>, [Val<C>; N])) {
        self.add_all::<2, C>(x_b);
    }
}
