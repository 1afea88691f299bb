//! Tangents of rules without a sweep.
use super::{
    Rule,
    adjoints::{Three, ThreeAdjoints, Unread, with_primals},
    argument_tangents::{ArgumentTangents, SecondAdjoint},
    definition::marked_tangents,
};
use crate::kind::{Kind, Val};
use std::slice::from_ref;

fn there<A: Kind, B: Kind, C: Kind>(tangent: ArgumentTangents<'_, A, B, C, 1>) -> [bool; 3] {
    [
        tangent.a.is_some(),
        tangent.b.is_some(),
        tangent.c.is_some(),
    ]
}

/// Returns the tangent of the result. A formula that reads primals which [`Rule::READS`] does not declare panics.
pub fn tangent_alone<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    op: &O,
    values: (&Val<A>, &Val<B>, &Val<C>),
    tangent: ArgumentTangents<'_, A, B, C, 1>,
) -> Option<Val<O::Out>> {
    let (mut r_t, active) = (None, there(tangent));
    with_primals(op, values, active, Unread::Shape, &mut |primals, saved| {
        if let Some([tangent]) = marked_tangents(op, &primals, saved, tangent) {
            r_t = Some(tangent);
        }
    });
    r_t
}
/// Returns the adjoints of active arguments and their tangents. `(r_b, r_bt)` is the result's adjoint with its tangent.
#[allow(clippy::type_complexity)]
pub fn second_alone<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    op: &O,
    values: (&Val<A>, &Val<B>, &Val<C>),
    tangent: ArgumentTangents<'_, A, B, C, 1>,
    (r_b, r_bt): (Option<&Val<O::Out>>, Option<&Val<O::Out>>),
    active: [bool; 3],
) -> [ThreeAdjoints<A, B, C>; 2] {
    let r_t = match there(tangent) {
        [false, false, false] => None,
        _ => tangent_alone(op, values, tangent),
    };
    let mut sinks = Three::<A, B, C, 2>::new(active);
    with_primals(op, values, active, Unread::Shape, &mut |primals, saved| {
        let single = |value| -> &[Val<O::Out>; 1] {
            from_ref(value).try_into().expect("the slice has one value")
        };
        let adjoint = SecondAdjoint {
            r_b,
            tangents: r_bt.map(single),
        };
        op.second::<1>(
            &primals,
            saved,
            tangent,
            r_t.as_ref().map(single),
            adjoint,
            &mut sinks,
        );
    });
    sinks.sums
}
