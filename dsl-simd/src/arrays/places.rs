use super::{
    ArrayNumber,
    adjoint::ArrayAdjoint,
    kinds::{ArrayKind, word},
    number::unset,
};
use entape_core::store::{Part, PlaceIndex, Stash};

/// An element of an array as a part.
#[derive(Clone, Copy, Debug, Stash)]
pub struct ElementAt {
    at: u32,
    of: u32,
}
impl<T: ArrayNumber> Part<ArrayKind<T>> for ElementAt {
    type Kind = T::Kind;
    #[inline]
    fn get(&self, whole: &Vec<T>) -> T {
        whole[self.at as usize]
    }
    #[inline]
    fn put(&self, whole: &mut Vec<T>, part: T) {
        whole[self.at as usize] = part;
    }
    const KNOWS_SHAPE: bool = true;
    fn zero(&self) -> Vec<T> {
        vec![unset(); self.of as usize]
    }
    fn is_disjoint(&self, other: &Self, _: &Vec<T>) -> bool {
        self.at != other.at
    }
    fn take(&self, whole: &mut ArrayAdjoint<T>) -> T {
        whole.take_at(self.at as usize)
    }
}
impl<T: ArrayNumber> PlaceIndex<usize> for ArrayKind<T> {
    type Part = ElementAt;
    #[track_caller]
    fn encode(value: &Vec<T>, i: usize) -> usize {
        assert!(
            i < value.len(),
            "the index {i} is out of range for an array of length {}",
            value.len()
        );
        i
    }
    fn part(value: &Vec<T>, i: usize) -> ElementAt {
        ElementAt {
            at: word(i),
            of: word(value.len()),
        }
    }
}
