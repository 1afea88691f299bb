//! Kinds whose sums are made where they will stand: [`IntoDestination`](crate::eval::IntoDestination).
use super::{Kind, Shaped, Val};
use std::fmt::Debug;

/// A kind whose sums are made where they will stand.
pub trait DestinationKind: Kind<Layout = Shaped> {
    /// Length, or rows and columns.
    type Shape: Copy + Debug + PartialEq + 'static;
    /// What terms are multiplied with.
    type Factor: Copy;
    /// The factor that changes nothing.
    const ONE: Self::Factor;
    /// The product of two factors.
    fn times(a: Self::Factor, b: Self::Factor) -> Self::Factor;
    /// The shape of a value.
    fn shape(value: &Val<Self>) -> Self::Shape;
    /// A value with any numbers, for one who writes them all.
    fn fresh(shape: Self::Shape) -> Val<Self>;
    /// The [extent](super::Memory::extent) of a value of this shape.
    fn extent_of(shape: Self::Shape) -> usize {
        let _ = shape;
        0
    }
    /// `to = factor * term` if the term is the first one, else `to += factor * term`.
    fn put(to: &mut Val<Self>, first: bool, factor: Self::Factor, term: &Val<Self>);
}
