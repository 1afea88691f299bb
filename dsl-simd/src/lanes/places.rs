use super::{Lanes, SimdVector, members::assert_lane};
use entape_core::{
    kind::Adjoint,
    store::{Part, PlaceIndex, Stash},
};
use std::mem::replace;

/// A lane of a vector as a part.
#[derive(Clone, Copy, Debug, Stash)]
pub struct LaneAt(u8);
impl<V: SimdVector> Part<Lanes<V>> for LaneAt {
    type Kind = V::Number;
    #[inline]
    fn get(&self, whole: &V) -> V::Number {
        whole.as_slice()[usize::from(self.0)]
    }
    #[inline]
    fn put(&self, whole: &mut V, part: V::Number) {
        whole.as_mut_slice()[usize::from(self.0)] = part;
    }
    const KNOWS_SHAPE: bool = true;
    #[inline]
    fn zero(&self) -> V {
        <V as Adjoint<Lanes<V>>>::unset()
    }
    #[inline]
    fn take_value(&self, whole: &mut V) -> V::Number {
        let lane = &mut whole.as_mut_slice()[usize::from(self.0)];
        replace(lane, <V::Number as Adjoint<V::Number>>::unset())
    }
}
impl<V: SimdVector> PlaceIndex<usize> for Lanes<V> {
    type Part = LaneAt;
    #[track_caller]
    fn encode(_: &V, i: usize) -> usize {
        assert_lane::<V>(i);
        i
    }
    fn part(_: &V, i: usize) -> LaneAt {
        LaneAt(i as u8)
    }
}
