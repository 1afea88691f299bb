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

/// Operations on two matrices of equal shape. With the feature `complex`, one may be real; its adjoint is then the real
/// part of the [formula](crate#formulas).
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::dvector;
///
/// let mut tape = Tape::new();
/// let (a, b) = (tape.input(dvector![1.0, 2.0]), tape.input(dvector![2.0, 4.0]));
/// let y = tape.record(|| (a.dot(&b) + a.component_div(&b).sum()).eval());
/// assert_eq!(y, 10.0 + 1.0);
/// let gradient = tape.gradient(&y)?;
/// assert_eq!(gradient.wrt(&a)?, dvector![2.0 + 1.0 / 2.0, 4.0 + 1.0 / 4.0]);
/// assert_eq!(gradient.wrt(&b)?, dvector![1.0 - 1.0 / 4.0, 2.0 - 2.0 / 16.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// # Panics
/// On evaluation, if the shapes differ.
pub trait PairOps<M: AnyMode, T: Number, R: Dim, C: Dim>:
    Operand<M, Kind = Dense<T, R, C>> + Sized
where
    DefaultAllocator: Sizes<R, C>,
{
    /// Returns the elementwise product, `r = a .* b`: `a_b += r_b .* conj(b)` and `b_b += r_b .* conj(a)`.
    #[inline]
    fn component_mul<B: Operand<M>>(self, b: B) -> Binary<ComponentMul, M, Self, B>
    where
        ComponentMul: Rule<Dense<T, R, C>, KindOf<B, M>>,
    {
        binary(ComponentMul, self, b)
    }
    /// Returns the elementwise quotient, `r = a ./ b`: `a_b += r_b ./ conj(b)` and `b_b -= r_b .* conj(r ./ b)`.
    #[inline]
    fn component_div<B: Operand<M>>(self, b: B) -> Binary<ComponentDiv, M, Self, B>
    where
        ComponentDiv: Rule<Dense<T, R, C>, KindOf<B, M>>,
    {
        binary(ComponentDiv, self, b)
    }
    /// Returns `Σ a .* b`, without conjugation: `a_b += r_b * conj(b)` and `b_b += r_b * conj(a)`.
    #[inline]
    fn dot<B: Operand<M>>(self, b: B) -> Binary<Dot, M, Self, B>
    where
        Dot: Rule<Dense<T, R, C>, KindOf<B, M>>,
    {
        binary(Dot, self, b)
    }
    /// Returns `Σ conj(a) .* b`: `a_b += conj(r_b) * b` and `b_b += r_b * a`.
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
