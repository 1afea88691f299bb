use super::{ArrayNumber, kinds::ArrayKind, masks::MaskKind};
use crate::LaneNumber;
use entape_core::coordinates::Coordinates;
use std::any::{Any, TypeId};

impl<T: ArrayNumber> Coordinates for ArrayKind<T> {
    const EPSILON: f64 = <T::Kind as Coordinates>::EPSILON;
    fn map(value: &Vec<T>, f: &mut dyn FnMut(f64) -> f64) -> Vec<T> {
        value.iter().map(|x| T::Kind::map(x, f)).collect()
    }
    fn coordinates(value: &Vec<T>, into: &mut Vec<f64>) {
        let any: &dyn Any = value;
        match any.downcast_ref::<Vec<f64>>() {
            Some(numbers) => into.extend_from_slice(numbers),
            None => value.iter().for_each(|x| T::Kind::coordinates(x, into)),
        }
    }
    fn from_coordinates(like: &Vec<T>, from: &mut &[f64]) -> Vec<T> {
        if TypeId::of::<T>() == TypeId::of::<f64>() {
            let (first, rest) = from.split_at(like.len());
            *from = rest;
            let mut numbers = Some(first.to_vec());
            let any: &mut dyn Any = &mut numbers;
            let numbers = any.downcast_mut::<Option<Vec<T>>>().and_then(Option::take);
            return numbers.unwrap_or_else(|| unreachable!("elements of this type"));
        }
        let each = like.iter();
        each.map(|x| T::Kind::from_coordinates(x, from)).collect()
    }
}
impl<T: LaneNumber> Coordinates for MaskKind<T> {
    fn map(value: &Vec<bool>, _: &mut dyn FnMut(f64) -> f64) -> Vec<bool> {
        value.clone()
    }
}
