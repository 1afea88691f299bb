//! Operations on two matrices of one shape. With the feature `complex`, one of them may be real and the other one complex.
use crate::{
    Dense, Number, Sizes,
    arithmetic::{ComponentDiv, ComponentMul},
    products::{Dot, Dotc},
};
use entape_core::{
    expr::{Binary, KindOf, Operand, binary},
    mode::AnyMode,
    rule::Rule,
};
use nalgebra::{DefaultAllocator, Dim};

/// Operations on two matrices of one shape.
///
/// # Panics
/// All on evaluation, if the shapes differ.
pub trait PairOps<M: AnyMode, T: Number, R: Dim, C: Dim>:
    Operand<M, Kind = Dense<T, R, C>> + Sized
where
    DefaultAllocator: Sizes<R, C>,
{
    /// The product, element by element.
    #[inline]
    fn component_mul<B: Operand<M>>(self, b: B) -> Binary<ComponentMul, M, Self, B>
    where
        ComponentMul: Rule<Dense<T, R, C>, KindOf<B, M>>,
    {
        binary(ComponentMul, self, b)
    }
    /// The quotient, element by element.
    #[inline]
    fn component_div<B: Operand<M>>(self, b: B) -> Binary<ComponentDiv, M, Self, B>
    where
        ComponentDiv: Rule<Dense<T, R, C>, KindOf<B, M>>,
    {
        binary(ComponentDiv, self, b)
    }
    /// The sum of the products of the elements; nothing is conjugated.
    #[inline]
    fn dot<B: Operand<M>>(self, b: B) -> Binary<Dot, M, Self, B>
    where
        Dot: Rule<Dense<T, R, C>, KindOf<B, M>>,
    {
        binary(Dot, self, b)
    }
    /// The sum of the products of the conjugated elements of the matrix with those of `b`.
    #[inline]
    fn dotc<B: Operand<M>>(self, b: B) -> Binary<Dotc, M, Self, B>
    where
        Dotc: Rule<Dense<T, R, C>, KindOf<B, M>>,
    {
        binary(Dotc, self, b)
    }
}
impl<M: AnyMode, T: Number, R: Dim, C: Dim, X: Operand<M, Kind = Dense<T, R, C>>>
    PairOps<M, T, R, C> for X
where
    DefaultAllocator: Sizes<R, C>,
{
}
