use super::{Lanes, arithmetic::Flag, registers::Register};
use crate::arrays::ArrayNumber;
use bytemuck::Pod;
use entape_core::{
    elementwise::{Elementwise, Lane},
    expr::{Const, Constant, ValueOf},
    kind::{Adjoint, Contribution},
    real::Real,
    store::Stash,
};
use std::{fmt, iter, ops};

/// The numbers in lanes and arrays, `f64` and `f32`: a [`Real`] that is a [lane](Lane) and an element of arrays.
pub trait LaneNumber: Real + Lane<Mask = bool> + ArrayNumber<Kind = Self, Part = Self> {}
impl LaneNumber for f64 {}
impl LaneNumber for f32 {}
/// The adjoint of an argument in one lane, unset if the result's is, because a choice computes both sides.
#[inline(always)]
pub(crate) fn flow<O: Elementwise<N>, L: Lane, const N: usize>(r_b: L, x_b: L) -> L {
    let computed = if O::CHOOSES { x_b } else { x_b.computed() };
    L::select(r_b.is_unset(), r_b.unset(), computed)
}

/// A vector of numbers in SIMD registers: `f64x2`, `f64x4`, `f64x8`, `f32x4`, `f32x8` and `f32x16`.
pub trait SimdVector:
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
    + Constant<Lanes<Self>, Node = Const<Lanes<Self>>>
    + ValueOf<Lanes<Self>>
    + Contribution<Lanes<Self>>
    + Adjoint<Lanes<Self>>
{
    /// The numbers in the lanes.
    type Number: LaneNumber;
    /// A truth value for each lane.
    type Flags: Copy + Default + fmt::Debug + AsRef<[Flag]> + AsMut<[Flag]> + 'static;
    /// Signed integers in the lanes.
    type Integers: Copy + fmt::Debug + PartialEq;
    /// Unsigned integers in the lanes, for indices.
    type Indices: Copy + fmt::Debug + PartialEq;
    /// Positions in an array, one for each lane.
    type Positions: Stash + Copy + Default + fmt::Debug + AsRef<[u32]> + AsMut<[u32]>;
    /// The number of lanes.
    const LANES: usize;
    /// One in every lane.
    const ONE: Self;
    /// The name of the kind, for messages and statistics.
    const NAME: &'static str;
    /// The name of the kind of complex numbers.
    const COMPLEX: &'static str;
    /// Returns a vector with `x` in every lane.
    fn splat(x: Self::Number) -> Self;
    /// Returns a vector with `f(i)` in lane `i`.
    fn from_fn(f: impl FnMut(usize) -> Self::Number) -> Self;
    /// Returns the numbers.
    fn as_slice(&self) -> &[Self::Number];
    /// Returns the numbers for writing.
    fn as_mut_slice(&mut self) -> &mut [Self::Number];
    /// Returns the sum of all lanes, in the order used by `wide`.
    fn reduce_add(self) -> Self::Number;
    /// Returns index `i`.
    fn index(indices: &Self::Indices, i: usize) -> usize;
    /// Returns the nearest integers, with NaN as 0 and large numbers clamped; ties go to the even one.
    fn round_int(self) -> Self::Integers;
    /// Like [`round_int`](Self::round_int) without care for NaN and large numbers.
    fn fast_round_int(self) -> Self::Integers;
    /// Returns the integers toward zero, with NaN as 0 and large numbers clamped.
    fn trunc_int(self) -> Self::Integers;
    /// Like [`trunc_int`](Self::trunc_int) without care for NaN and large numbers.
    fn fast_trunc_int(self) -> Self::Integers;
    /// Returns the product of all lanes, in the order used by `wide`.
    fn reduce_mul(self) -> Self::Number;
}
