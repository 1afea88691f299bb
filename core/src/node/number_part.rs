//! Numbers that are parts of variables, such as elements, as leaves for sweeps along directions.
use super::LeafPlace;
use crate::{
    kind::{Adjoint, Kind, TangentStorage, TapeCell, Val, same},
    store::{AllTangents, MANY, Part, add_part},
    sweep::{ReadValues, StatementCursor, Sweep},
};

pub(crate) type ReadPart = fn(&mut StatementCursor<'_, '_>, LeafPlace<'_>) -> f64;
pub(crate) type PartTangents<const N: usize> =
    fn(&mut StatementCursor<'_, '_>, &mut AllTangents<N>, LeafPlace<'_>) -> [f64; N];
pub(crate) type AddToPart<const N: usize> =
    fn(&mut StatementCursor<'_, '_>, &mut AllTangents<N>, LeafPlace<'_>, (f64, [f64; N]));
#[derive(Clone, Copy)]
pub(crate) struct PartFunctions<const N: usize> {
    pub(crate) tangents: PartTangents<N>,
    pub(crate) add: AddToPart<N>,
}
/// A number that is a part of a variable.
pub struct NumberPart {
    pub(crate) parameters: usize,
    pub(crate) value: ReadPart,
    pub(crate) one: PartFunctions<1>,
    pub(crate) many: PartFunctions<MANY>,
}
debug_by_name! { [] NumberPart }
impl NumberPart {
    pub(crate) const fn of<K: Kind, P: Part<K>>() -> Self {
        NumberPart {
            parameters: P::BYTES,
            value: value::<K, P>,
            one: functions::<K, P, 1>(),
            many: functions::<K, P, MANY>(),
        }
    }
}
const fn functions<K: Kind, P: Part<K>, const N: usize>() -> PartFunctions<N> {
    PartFunctions {
        tangents: tangents::<K, P, N>,
        add: add::<K, P, N>,
    }
}
fn value<K: Kind, P: Part<K>>(walk: &mut StatementCursor<'_, '_>, place: LeafPlace<'_>) -> f64 {
    let part: P = place.fetch(walk.stacks);
    same(part.get(walk.sweep.primal::<K>(place.id).peek()))
}
fn tangents<K: Kind, P: Part<K>, const N: usize>(
    walk: &mut StatementCursor<'_, '_>,
    all: &mut AllTangents<N>,
    place: LeafPlace<'_>,
) -> [f64; N] {
    let part: P = place.fetch(walk.stacks);
    let of = |tangent: &Val<K>| same(part.get(tangent));
    let tangents = all.get::<K>().get(place.id).get();
    tangents.map_or([-0.0; N], |tangents| tangents.each_ref().map(of))
}
fn add<K: Kind, P: Part<K>, const N: usize>(
    walk: &mut StatementCursor<'_, '_>,
    all: &mut AllTangents<N>,
    place: LeafPlace<'_>,
    (x_b, x_bt): (f64, [f64; N]),
) {
    let part: P = place.fetch(walk.stacks);
    let like = (!P::KNOWS_SHAPE).then(|| walk.sweep.primal::<K>(place.id).clone());
    let like = like.as_ref().map(TapeCell::peek);
    let add = |adjoint: &mut K::Adjoint, x_b: f64| {
        if !x_b.is_unset() {
            add_part::<K, P>(&part, adjoint, same(x_b), like);
        }
    };
    walk.sweep
        .add_to_adjoint::<K>(place.id, |adjoint| add(adjoint, x_b));
    for (adjoint, x_bt) in all.get::<K>().adjoints(place.id).iter_mut().zip(x_bt) {
        add(adjoint, x_bt);
    }
}
