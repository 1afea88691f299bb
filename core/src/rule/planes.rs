//! Functions of rules for [`Planes`].
use super::{
    A as READS_A, ArgumentTangents, B as READS_B, C as READS_C, Collector, Primals, R, Rule, Saved,
    SecondAdjoint, dependence, marked_tangents, verified,
};
use crate::{
    differences::Findings,
    formula::Formula,
    kind::{Adjoint, Contribution, Kind, Val, arg},
    repeat::array_of,
    store::{
        ByActive, DirectionalFunctions, ElementFunctions, Functions, MANY, Operation,
        OperationContext, Plane, PlaneFunctions, PlaneSlots, Planes, Reader, Stash,
    },
};
use std::{
    any::{Any, type_name},
    marker::PhantomData,
};

#[inline(always)]
pub(super) fn seen<K: Kind, T: 'static>(x: &T) -> &Val<K> {
    let (value, nothing): (&dyn Any, &dyn Any) = (x, &());
    value
        .downcast_ref()
        .or_else(|| nothing.downcast_ref())
        .unwrap_or_else(|| unreachable!("the operation has numbers or lists of numbers"))
}
#[inline(always)]
pub(super) fn tangents_as<K: Kind, T: 'static, const N: usize>(x: &[T; N]) -> Option<&[Val<K>; N]> {
    let x: &dyn Any = x;
    x.downcast_ref()
}
/// Like `x.filter(|_| wanted)`, with less code to compile.
#[inline(always)]
fn only<T: Copy>(wanted: bool, x: Option<T>) -> Option<T> {
    if wanted { x } else { None }
}
#[inline(always)]
pub(super) fn number<K: Kind>(x: &Val<K>) -> f64 {
    let x: &dyn Any = x;
    x.downcast_ref().copied().unwrap_or_default()
}

const fn of_flowing<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(bits: [u8; 3]) -> u8 {
    let (mut all, mut i) = (0, 0);
    while i < 3 {
        if O::FLOWS[i] {
            all |= bits[i];
        }
        i += 1;
    }
    all
}
impl<F> Operation<F> {
    pub(crate) const fn with<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
        functions: &'static F,
    ) -> Self {
        let (reads, interacts) = (
            of_flowing::<O, A, B, C>(O::READS),
            of_flowing::<O, A, B, C>(O::INTERACTS),
        );
        Operation {
            reads: O::READS,
            flows: O::FLOWS,
            bends: [
                interacts & READS_A != 0,
                interacts & READS_B != 0,
                interacts & READS_C != 0,
            ],
            bends_with_result: reads & R != 0 || O::READS_TANGENT,
            bytes: O::BYTES,
            saved: O::Saved::BYTES[0],
            has_partials: O::FUNCTIONS.is_some() && !O::READS_TANGENT,
            dependence: dependence::<O, A, B, C>(),
            functions,
        }
    }
}
impl Operation {
    pub(crate) const fn of<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>() -> Self {
        Operation::with::<O, A, B, C>(match O::FUNCTIONS {
            Some(functions) => functions,
            None => const { &Functions::of::<O, A, B, C>() },
        })
    }
}
impl Functions {
    /// Returns the functions of an operation.
    #[must_use]
    pub const fn of<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>() -> Self {
        Functions {
            value: value::<O, A, B, C>,
            again: again::<O, A, B, C>,
            directional: const { &DirectionalFunctions::of::<O, A, B, C>() },
            elements: None,
        }
    }
    /// Adds functions of list elements.
    #[must_use]
    pub const fn and_elements(self, elements: &'static ElementFunctions) -> Self {
        Functions {
            elements: Some(elements),
            ..self
        }
    }
}
impl DirectionalFunctions {
    const fn of<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>() -> Self {
        DirectionalFunctions {
            one: plane_functions::<O, A, B, C, 1>(),
            many: plane_functions::<O, A, B, C, MANY>(),
        }
    }
}
const fn occurs<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(active: u8) -> bool {
    (active & 1 == 0 || O::FLOWS[0] && A::NUMBERS)
        && (active & 2 == 0 || O::FLOWS[1] && B::NUMBERS)
        && (active & 4 == 0 || O::FLOWS[2] && C::NUMBERS)
}
const fn plane_functions<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind, const N: usize>()
-> ByActive<PlaneFunctions<N>> {
    [
        None,
        const { plane_functions_of::<O, A, B, C, N, 1>() },
        const { plane_functions_of::<O, A, B, C, N, 2>() },
        const { plane_functions_of::<O, A, B, C, N, 3>() },
        const { plane_functions_of::<O, A, B, C, N, 4>() },
        const { plane_functions_of::<O, A, B, C, N, 5>() },
        const { plane_functions_of::<O, A, B, C, N, 6>() },
        const { plane_functions_of::<O, A, B, C, N, 7>() },
    ]
}
const fn plane_functions_of<
    O: Rule<A, B, C>,
    A: Kind,
    B: Kind,
    C: Kind,
    const N: usize,
    const ACTIVE: u8,
>() -> Option<PlaneFunctions<N>> {
    if !occurs::<O, A, B, C>(ACTIVE) {
        return None;
    }
    Some(PlaneFunctions {
        tangents: tangents::<O, A, B, C, N, ACTIVE>,
        second: second::<O, A, B, C, N, ACTIVE>,
    })
}

#[inline(always)]
fn load<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    context: &mut OperationContext<'_>,
    place: PlaneSlots,
) -> (O, O::Saved) {
    (
        context.fetch(place.parameters),
        O::Saved::read(false, &mut context.reader::<O>(0, 0)),
    )
}
impl OperationContext<'_> {
    #[inline(always)]
    pub(super) fn reader<O>(&mut self, at: u16, bytes: usize) -> Reader<'_> {
        Reader {
            statement: const { &Formula::Variable(type_name::<O>) },
            fixed: match bytes {
                0 => &[],
                bytes => &self.fixed[usize::from(at)..][..bytes],
            },
            constants: &[],
            variable_length: &[],
            mixed: false,
            stacks: self.stacks,
        }
    }
    #[inline(always)]
    pub(crate) fn fetch<O: Stash>(&mut self, parameters: u16) -> O {
        O::fetch(&mut self.reader::<O>(parameters, O::BYTES))
    }
}
#[inline(always)]
pub(super) fn primals<'p, O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    (a, b, c): (&'p Val<A>, &'p Val<B>, &'p Val<C>),
    r: &'p Val<O::Out>,
) -> Primals<'p, A, B, C, O::Out> {
    let reads = const { of_flowing::<O, A, B, C>(O::READS) };
    Primals {
        a: (reads & READS_A != 0).then(|| arg::<A>(a)),
        b: (reads & READS_B != 0).then(|| arg::<B>(b)),
        c: (reads & READS_C != 0).then(|| arg::<C>(c)),
        r: (reads & R != 0).then(|| arg::<O::Out>(r)),
        rule: type_name::<O>(),
    }
}
#[inline(always)]
fn in_slots<'p, O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    values: &'p Plane<f64>,
    place: PlaneSlots,
) -> Primals<'p, A, B, C, O::Out> {
    let [a, b, c] = array_of(|i| &values[usize::from(place.arguments[i])]);
    let r = &values[usize::from(place.result)];
    primals::<O, A, B, C>(
        (seen::<A, _>(a), seen::<B, _>(b), seen::<C, _>(c)),
        seen::<O::Out, _>(r),
    )
}
#[inline(always)]
fn tangent<'t, A: Kind, B: Kind, C: Kind, const N: usize, const ACTIVE: u8>(
    tangents: &'t Plane<[f64; N]>,
    one_sided: bool,
    place: PlaneSlots,
) -> ArgumentTangents<'t, A, B, C, N> {
    let [a, b, c] = array_of(|i| &tangents[usize::from(place.arguments[i])]);
    let active = |i: usize| ACTIVE & 1 << i != 0;
    ArgumentTangents {
        a: only(active(0), tangents_as::<A, _, N>(a)),
        b: only(active(1), tangents_as::<B, _, N>(b)),
        c: only(active(2), tangents_as::<C, _, N>(c)),
        one_sided,
    }
}

fn value<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    values: &mut Plane<f64>,
    context: &mut OperationContext<'_>,
    place: PlaneSlots,
) {
    let (op, _) = load::<O, A, B, C>(context, place);
    let [a, b, c] = array_of(|i| values[usize::from(place.arguments[i])]);
    let (r, _) = op.primal(
        arg::<A>(seen::<A, _>(&a)),
        arg::<B>(seen::<B, _>(&b)),
        arg::<C>(seen::<C, _>(&c)),
    );
    values[usize::from(place.result)] = number::<O::Out>(&r);
}
fn again<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    values: &mut Plane<f64>,
    context: &mut OperationContext<'_>,
    place: PlaneSlots,
    active: [bool; 3],
    found: &mut Findings,
) {
    let (op, _) = load::<O, A, B, C>(context, place);
    let [a, b, c] = array_of(|i| values[usize::from(place.arguments[i])]);
    let of = (seen::<A, _>(&a), seen::<B, _>(&b), seen::<C, _>(&c));
    let wanted = array_of(|i| O::FLOWS[i] && active[i]);
    values[usize::from(place.result)] = number::<O::Out>(&verified(&op, of, wanted, found));
}
fn tangents<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind, const N: usize, const ACTIVE: u8>(
    planes: &mut Planes<N>,
    context: &mut OperationContext<'_>,
    place: PlaneSlots,
) {
    let (op, saved) = load::<O, A, B, C>(context, place);
    let primals = in_slots::<O, A, B, C>(&planes.values, place);
    let tangent = tangent::<A, B, C, N, ACTIVE>(&planes.tangents, context.one_sided, place);
    let made = marked_tangents(&op, &primals, &saved, tangent);
    planes.tangents[usize::from(place.result)] = match &made {
        Some(made) => array_of(|j| number::<O::Out>(&made[j])),
        None => [-0.0; N],
    };
}
fn second<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind, const N: usize, const ACTIVE: u8>(
    planes: &mut Planes<N>,
    context: &mut OperationContext<'_>,
    place: PlaneSlots,
) {
    let r = usize::from(place.result);
    let (r_b, r_bt) = (planes.adjoints[r], planes.directional[r]);
    let none = r_bt.iter().all(Adjoint::is_unset);
    let Planes {
        values,
        tangents,
        adjoints,
        directional,
        ..
    } = planes;
    let mut sinks = InPlanes::<A, B, C, N, ACTIVE>::new(adjoints, directional, place);
    if r_b.is_unset() && none {
        return;
    }
    let (op, saved) = load::<O, A, B, C>(context, place);
    let adjoint = SecondAdjoint {
        r_b: (!r_b.is_unset()).then(|| seen::<O::Out, _>(&r_b)),
        tangents: only(!none, tangents_as::<O::Out, _, N>(&r_bt)),
    };
    let primals = in_slots::<O, A, B, C>(values, place);
    let tangent = tangent::<A, B, C, N, ACTIVE>(tangents, context.one_sided, place);
    let r_t = tangents_as::<O::Out, _, N>(&tangents[r]);
    op.second(&primals, &saved, tangent, r_t, adjoint, &mut sinks);
}

struct InPlanes<'p, A, B, C, const N: usize, const ACTIVE: u8> {
    adjoints: &'p mut Plane<f64>,
    directional: &'p mut Plane<[f64; N]>,
    place: PlaneSlots,
    of: PhantomData<(A, B, C)>,
}
impl<'p, A, B, C, const N: usize, const ACTIVE: u8> InPlanes<'p, A, B, C, N, ACTIVE> {
    #[inline(always)]
    fn new(
        adjoints: &'p mut Plane<f64>,
        directional: &'p mut Plane<[f64; N]>,
        place: PlaneSlots,
    ) -> Self {
        for (i, slot) in place.arguments.into_iter().enumerate() {
            if ACTIVE & 1 << i != 0 {
                adjoints[usize::from(slot)] = f64::unset();
                directional[usize::from(slot)] = [f64::unset(); N];
            }
        }
        InPlanes {
            adjoints,
            directional,
            place,
            of: PhantomData,
        }
    }
    #[inline(always)]
    fn add<K: Kind>(&mut self, i: usize, order: usize, x_b: impl Contribution<K>) {
        let slot = usize::from(self.place.arguments[i]);
        let sum = match order {
            0 => &mut self.adjoints[slot],
            j => &mut self.directional[slot][j - 1],
        };
        sum.add(number::<K>(&x_b.materialise()));
    }
}
impl<A: Kind, B: Kind, C: Kind, const N: usize, const ACTIVE: u8> Collector
    for InPlanes<'_, A, B, C, N, ACTIVE>
{
    type A = A;
    type B = B;
    type C = C;
    #[inline(always)]
    fn wants(&self, i: usize) -> bool {
        ACTIVE & 1 << i != 0
    }
    #[inline(always)]
    fn add_to_a(&mut self, order: usize, x_b: impl Contribution<A>) {
        self.add(0, order, x_b);
    }
    #[inline(always)]
    fn add_to_b(&mut self, order: usize, x_b: impl Contribution<B>) {
        self.add(1, order, x_b);
    }
    #[inline(always)]
    fn add_to_c(&mut self, order: usize, x_b: impl Contribution<C>) {
        self.add(2, order, x_b);
    }
}
