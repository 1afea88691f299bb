//! A lane type of four numbers with only the required methods.
use entape_core::elementwise::Lane;
use std::{
    array::from_fn,
    ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub},
};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Pack(pub(crate) [f64; 4]);
#[derive(Clone, Copy)]
pub(crate) struct Mask([bool; 4]);

macro_rules! lanewise { ($($Op:ident $method:ident $T:ident;)*) => { $(
    impl $Op for $T {
        type Output = $T;
        fn $method(self, y: $T) -> $T { $T(from_fn(|i| self.0[i].$method(y.0[i]))) }
    }
)* } }
lanewise! { Add add Pack; Sub sub Pack; Mul mul Pack; Div div Pack; BitAnd bitand Mask; BitOr bitor Mask; }
impl Neg for Pack {
    type Output = Pack;
    fn neg(self) -> Pack {
        Pack(self.0.map(|x| -x))
    }
}
impl Not for Mask {
    type Output = Mask;
    fn not(self) -> Mask {
        Mask(self.0.map(|x| !x))
    }
}
impl Lane for Pack {
    type Mask = Mask;
    fn splat(self, x: f64) -> Self {
        Pack([x; 4])
    }
    fn each(self, f: impl Fn(f64) -> f64) -> Self {
        Pack(self.0.map(f))
    }
    fn each2(self, y: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Pack(from_fn(|i| f(self.0[i], y.0[i])))
    }
    fn less(self, y: Self) -> Mask {
        Mask(from_fn(|i| self.0[i] < y.0[i]))
    }
    fn less_eq(self, y: Self) -> Mask {
        Mask(from_fn(|i| self.0[i] <= y.0[i]))
    }
    fn equal(self, y: Self) -> Mask {
        Mask(from_fn(|i| self.0[i] == y.0[i]))
    }
    fn select(mask: Mask, yes: Self, no: Self) -> Self {
        Pack(from_fn(|i| if mask.0[i] { yes.0[i] } else { no.0[i] }))
    }
}
