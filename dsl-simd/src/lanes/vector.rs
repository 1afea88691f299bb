//! What the kinds ask of a vector of numbers.
use super::{Lanes, arithmetic::Flag, registers::Register};
use bytemuck::Pod;
use entape_core::{
    check::Coordinates,
    elementwise,
    expr::Constant,
    kind::{Adjoint, AsBytes, Contribution, Kind, One, index},
    real::{NumberKind, Real},
};
use std::{fmt, iter, ops};

/// The numbers in lanes: `f64` and `f32`.
pub trait Number:
    Real
    + NumberKind
    + Coordinates
    + Kind<Value = Self, Adjoint = Self, Policy = index::Linear, Layout = One, Keep = AsBytes>
    + Contribution<Self>
    + elementwise::Lane<Mask = bool>
    + ops::AddAssign
    + Pod
    + PartialOrd
    + Default
    + fmt::Debug
    + fmt::Display
{
    /// Double precision.
    const DOUBLE: bool;
    /// The smallest positive number that is normal.
    const SMALLEST: f64;
    /// The largest number.
    const LARGEST: f64;
    /// The nearest number.
    fn nearest(x: f64) -> Self;
    /// In double precision.
    fn double(self) -> f64;
}
impl Number for f64 {
    const DOUBLE: bool = true;
    const SMALLEST: f64 = f64::MIN_POSITIVE;
    const LARGEST: f64 = f64::MAX;
    #[inline(always)]
    fn nearest(x: f64) -> f64 {
        x
    }
    #[inline(always)]
    fn double(self) -> f64 {
        self
    }
}
impl Number for f32 {
    const DOUBLE: bool = false;
    const SMALLEST: f64 = f32::MIN_POSITIVE as f64;
    const LARGEST: f64 = f32::MAX as f64;
    #[inline(always)]
    fn nearest(x: f64) -> f32 {
        x as f32
    }
    #[inline(always)]
    fn double(self) -> f64 {
        self.into()
    }
}

/// A vector of numbers in SIMD registers: `f64x2`, `f64x4`, `f64x8`, `f32x4`, `f32x8` and `f32x16` of `wide`.
pub trait Vector:
    Register
    + Pod
    + Default
    + PartialEq
    + ops::Add<Output = Self>
    + ops::Sub<Output = Self>
    + ops::Mul<Output = Self>
    + ops::Div<Output = Self>
    + ops::Neg<Output = Self>
    + ops::AddAssign
    + iter::Sum
    + iter::Product
    + fmt::Debug
    + fmt::Display
    + Constant<Lanes<Self>>
    + Contribution<Lanes<Self>>
    + Adjoint<Lanes<Self>>
{
    /// The number in a lane.
    type Number: Number;
    /// A truth value for each lane.
    type Flags: Copy + Default + fmt::Debug + AsRef<[Flag]> + AsMut<[Flag]> + 'static;
    /// The number of lanes.
    const LANES: usize;
    /// One in every lane.
    const ONE: Self;
    /// The name of the kind, for messages and statistics.
    const NAME: &'static str;
    /// `x` in every lane.
    fn splat(x: Self::Number) -> Self;
    /// `f(i)` in lane `i`.
    fn from_fn(f: impl FnMut(usize) -> Self::Number) -> Self;
    /// The numbers.
    fn as_slice(&self) -> &[Self::Number];
    /// The numbers, to be written.
    fn as_mut_slice(&mut self) -> &mut [Self::Number];
    /// The sum of all lanes, in the order that `wide` has.
    fn reduce_add(self) -> Self::Number;
    /// The product of all lanes, in the order that `wide` has.
    fn reduce_mul(self) -> Self::Number;
}
