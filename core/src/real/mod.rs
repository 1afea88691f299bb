//! The Real DSL: `f64` and `f32` as kinds.
pub mod arithmetic;

use crate::kind::{Adjoint, AsBytes, Contribution, Kind, index};

/// A number is its own kind and its own adjoint.
macro_rules! real { ($($T:ident)*) => { $(
    impl Kind for $T {
        type Value = $T;
        type Adjoint = $T;
        type Policy = index::Linear;
        type Keep = AsBytes;
        const NAME: &'static str = stringify!($T);
        #[inline(always)]
        fn zero_like(_: &$T) -> $T { 0.0 }
        #[inline(always)]
        fn accumulate(into: &mut $T, from: $T) { *into += from }
    }
    impl Adjoint<$T> for $T {
        #[inline(always)]
        fn is_unset(&self) -> bool { *self == 0.0 }
        #[inline(always)]
        fn into_value(self) -> Option<$T> { Some(self) }
        #[inline(always)]
        fn add(&mut self, value: $T) { *self += value }
    }
    impl Contribution<$T> for $T {
        #[inline(always)]
        fn add_to(self, adjoint: &mut $T) { *adjoint += self }
        #[inline(always)]
        fn materialise(self) -> $T { self }
    }
)* } }
real! { f64 f32 }
