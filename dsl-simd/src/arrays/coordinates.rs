//! What the rule-test kit and the drivers of Jacobians walk along.
use super::{kinds::ArrayKind, masks::MaskKind, piece::Element};
use entape_core::check::Coordinates;

/// The elements.
impl<T: Element> Coordinates for ArrayKind<T> {
    const EPSILON: f64 = T::EPSILON;
    fn coordinates(value: &Vec<T>, into: &mut Vec<f64>) {
        into.extend(value.iter().map(|x| x.double()));
    }
    fn from_coordinates(like: &Vec<T>, from: &mut &[f64]) -> Vec<T> {
        like.iter().map(|x| T::from_coordinates(x, from)).collect()
    }
}
/// None: masks are passive.
impl<T: Element> Coordinates for MaskKind<T> {
    fn coordinates(_: &Vec<bool>, _: &mut Vec<f64>) {}
    fn from_coordinates(like: &Vec<bool>, _: &mut &[f64]) -> Vec<bool> {
        like.clone()
    }
}
