//! Support for `#[kind(real(..))]`.
use super::Lane;
use crate::names::short;
use std::any::type_name;

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
