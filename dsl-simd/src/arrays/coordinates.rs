//! The coordinates of arrays, for the rule-test kit and the drivers of Jacobians.
use super::{ArrayNumber, kinds::ArrayKind, masks::MaskKind};
use crate::LaneNumber;
use entape_core::coordinates::Coordinates;

/// The coordinates of an array are the coordinates of its elements.
impl<T: ArrayNumber> Coordinates for ArrayKind<T> {
    const EPSILON: f64 = <T::Kind as Coordinates>::EPSILON;
    fn map(value: &Vec<T>, f: &mut dyn FnMut(f64) -> f64) -> Vec<T> {
        value.iter().map(|x| T::Kind::map(x, f)).collect()
    }
    fn coordinates(value: &Vec<T>, into: &mut Vec<f64>) {
        into.reserve(value.len());
        value.iter().for_each(|x| T::Kind::coordinates(x, into));
    }
    fn from_coordinates(like: &Vec<T>, from: &mut &[f64]) -> Vec<T> {
        like.iter().map(|x| T::Kind::from_coordinates(x, from)).collect()
    }
}
/// Masks are passive and have no coordinates.
impl<T: LaneNumber> Coordinates for MaskKind<T> {
    fn map(value: &Vec<bool>, _: &mut dyn FnMut(f64) -> f64) -> Vec<bool> {
        value.clone()
    }
}
