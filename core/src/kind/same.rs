use super::definition::{Kind, Val};
use std::any::Any;

/// Returns a value as the equal type `Y`, because pieces are `f64` and shapes are lengths.
#[inline(always)]
pub(crate) fn same<X: 'static, Y: 'static>(x: X) -> Y {
    let mut x = Some(x);
    let x: &mut dyn Any = &mut x;
    x.downcast_mut::<Option<Y>>()
        .and_then(Option::take)
        .unwrap_or_else(|| unreachable!("the types are equal"))
}

pub(crate) fn numbers_of<K: Kind>(value: &Val<K>) -> Vec<f64> {
    let (mut value, mut numbers) = (value.clone(), Vec::new());
    K::each_number(&mut value, &mut |x| numbers.push(*x));
    numbers
}
/// Returns a value of equal shape with consecutive numbers after `last`.
pub(crate) fn numbered<K: Kind>(value: &Val<K>, last: &mut f64) -> Val<K> {
    let mut value = value.clone();
    K::each_number(&mut value, &mut |x| {
        *last += 1.0;
        *x = *last;
    });
    value
}
/// Returns whether two values are bitwise equal, with all NaNs equal.
pub(crate) fn same_bits<K: Kind>(a: &Val<K>, b: &Val<K>) -> bool {
    let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
    let (a, b) = (numbers_of::<K>(a), numbers_of::<K>(b));
    a.len() == b.len() && a.iter().zip(&b).all(same)
}
