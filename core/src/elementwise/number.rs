//! Support for `#[kind(real(..))]`.
use super::Lane;
use crate::names::short;
use std::{
    any::type_name,
    ops::{Add, Div, Mul, Neg, Sub},
};

#[doc(hidden)]
pub trait NumberValue:
    Copy
    + PartialOrd
    + From<f64>
    + Into<f64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + 'static
{
}
impl<V> NumberValue for V where
    V: Copy
        + PartialOrd
        + From<f64>
        + Into<f64>
        + Add<Output = V>
        + Sub<Output = V>
        + Mul<Output = V>
        + Div<Output = V>
        + Neg<Output = V>
        + 'static
{
}

#[doc(hidden)]
#[cold]
#[track_caller]
pub fn no_function<L>(function: &str) -> ! {
    panic!("the number `{}` lacks {function}", short(type_name::<L>()))
}

#[doc(hidden)]
pub fn power<L: Lane>(x: L, n: i32) -> L {
    let (mut result, mut square, mut rest) = (x.one(), x, n.unsigned_abs());
    while rest > 0 {
        if rest % 2 == 1 {
            result = result * square;
        }
        rest /= 2;
        if rest > 0 {
            square = square * square;
        }
    }
    if n < 0 { x.one() / result } else { result }
}
