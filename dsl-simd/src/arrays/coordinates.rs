use super::{ArrayNumber, kinds::ArrayKind, masks::MaskKind};
use crate::LaneNumber;
use entape_core::coordinates::Coordinates;

impl<T: ArrayNumber> Coordinates for ArrayKind<T> {
    const EPSILON: f64 = <T::Kind as Coordinates>::EPSILON;
    fn map(value: &Vec<T>, f: &mut dyn FnMut(f64) -> f64) -> Vec<T> {
        value.iter().map(|x| T::Kind::map(x, f)).collect()
    }
}
/// Masks are passive and have no coordinates.
impl<T: LaneNumber> Coordinates for MaskKind<T> {
    fn map(value: &Vec<bool>, _: &mut dyn FnMut(f64) -> f64) -> Vec<bool> {
        value.clone()
    }
}
