//! Elementary functions of elements of lists, for sweeps along directions: see [`Elements`].
use super::{Dual, ElementKind, Elementwise};
use crate::{
    kind::Adjoint,
    store::{Beside, ElementFunctions, Elements, ElementsAlong, Place, slot, slot_mut, start_of},
};
use std::array::from_fn;

impl ElementFunctions {
    /// Those of the function `O`.
    #[must_use]
    pub const fn of<O: Elementwise<I>, const I: usize>() -> Self {
        ElementFunctions {
            value: value::<O, I>,
            one: along::<O, I, 1>(),
            many: along::<O, I, 8>(),
        }
    }
}
const fn along<O: Elementwise<I>, const I: usize, const N: usize>() -> ElementsAlong<N> {
    ElementsAlong {
        tangents: tangents::<O, I, N>,
        second: second::<O, I, N>,
    }
}

fn value<O: Elementwise<I>, const I: usize>(
    values: &mut [f64],
    [room, length]: [usize; 2],
    beside: &mut Beside<'_>,
    place: Place,
) {
    let op: O = beside.fetch(place.parameters);
    let (before, r) = values.split_at_mut(usize::from(place.result) * room);
    let x: [&[f64]; I] = from_fn(|i| &before[usize::from(place.arguments[i]) * room..][..length]);
    for (k, r) in r[..length].iter_mut().enumerate() {
        *r = op.primal(from_fn(|i| x[i][k]));
    }
}
fn tangents<O: Elementwise<I>, const I: usize, const N: usize>(
    elements: &mut Elements<N>,
    beside: &mut Beside<'_>,
    place: Place,
) {
    let op: O = beside.fetch(place.parameters);
    let length = elements.length;
    let arguments: [u8; I] = from_fn(|i| place.arguments[i]);
    let x = arguments.map(|i| slot::<_, N>(&elements.values, i, length));
    let r = slot::<_, N>(&elements.values, place.result, length);
    let (before, r_t) = elements.tangents.split_at_mut(start_of::<N>(place.result));
    let x_t = arguments.map(|i| slot::<_, N>(before, i, length));
    for (k, r_t) in r_t[..length].iter_mut().enumerate() {
        let x_t = from_fn(|i| place.is_active(i).then(|| x_t[i][k]));
        let x = from_fn(|i| Some(x[i][k]));
        *r_t = <f64 as ElementKind>::push(&op, x, Some(r[k]), x_t, beside.one_sided);
    }
}
fn second<O: Elementwise<I>, const I: usize, const N: usize>(
    elements: &mut Elements<N>,
    beside: &mut Beside<'_>,
    place: Place,
) {
    let op: O = beside.fetch(place.parameters);
    let (length, at) = (elements.length, start_of::<N>(place.result));
    let arguments: [u8; I] = from_fn(|i| place.arguments[i]);
    let x = arguments.map(|i| slot::<_, N>(&elements.values, i, length));
    let r = slot::<_, N>(&elements.values, place.result, length);
    let x_t = arguments.map(|i| slot::<_, N>(&elements.tangents, i, length));
    let r_t = slot::<_, N>(&elements.tangents, place.result, length);
    let (adjoints, r_b) = elements.adjoints.split_at_mut(at);
    let (along, r_bt) = elements.along.split_at_mut(at);
    let (r_b, r_bt) = (&r_b[..length], &r_bt[..length]);
    for i in (0..I).filter(|&i| O::FLOWS[i] && place.is_active(i)) {
        let x_b = slot_mut::<_, N>(adjoints, arguments[i], length);
        let x_bt = slot_mut::<_, N>(along, arguments[i], length);
        for k in 0..length {
            // Nothing flows on if nothing flows in, whatever the derivative is.
            if r_b[k].is_unset() && r_bt[k].iter().all(Adjoint::is_unset) {
                (x_b[k], x_bt[k]) = (-0.0, [-0.0; N]);
                continue;
            }
            let x = from_fn(|i| {
                Some(Dual {
                    value: x[i][k],
                    tangents: if place.is_active(i) {
                        x_t[i][k]
                    } else {
                        [-0.0; N]
                    },
                })
            });
            let r = Dual {
                value: r[k],
                tangents: r_t[k],
            };
            let r_b = Dual {
                value: r_b[k],
                tangents: r_bt[k],
            };
            let made = <f64 as ElementKind>::pull_second(&op, i, x, Some(r), r_b, beside.one_sided);
            // What a formula makes is computed, unless it is of an argument that a choice does not take.
            let computed = if O::CHOOSES { -0.0 } else { 0.0 };
            x_b[k] = made.value + computed;
            x_bt[k] = made.tangents.map(|tangent| tangent + computed);
        }
    }
}
