//! Adjoints of value kinds whose values are not numbers through and through.
use super::{
    adjoint::Adjoint,
    definition::{Kind, Val},
};

/// A value kind whose zero is known without a value that has its shape.
/// [`#[kind(numbers(..))]`](macro@crate::kind) and `#[kind(real(..))]` implement it.
pub trait KnownZero: Kind {
    /// The zero.
    fn zero() -> Val<Self>;
    /// Whether all numbers of a value are zero.
    fn is_zero(value: &Val<Self>) -> bool;
}

/// The adjoint of a kind with a [known zero](KnownZero), which need not be the `Default` of its values: a sum that begins
/// with that zero.
pub struct SumOf<K: KnownZero>(Val<K>);
debug_by_name! { [K: KnownZero] SumOf<K> }
impl<K: KnownZero> Default for SumOf<K> {
    #[inline(always)]
    fn default() -> Self {
        SumOf(K::zero())
    }
}
impl<K: KnownZero> Clone for SumOf<K> {
    #[inline(always)]
    fn clone(&self) -> Self {
        SumOf(self.0.clone())
    }
}
impl<K: KnownZero> Adjoint<K> for SumOf<K> {
    #[inline(always)]
    fn is_unset(&self) -> bool {
        K::is_zero(&self.0)
    }
    #[inline(always)]
    fn into_value(self) -> Option<Val<K>> {
        Some(self.0)
    }
    #[inline(always)]
    fn add(&mut self, value: Val<K>) {
        K::accumulate(&mut self.0, value);
    }
    #[inline(always)]
    fn value_mut(&mut self, _: impl FnOnce() -> Val<K>) -> &mut Val<K> {
        &mut self.0
    }
}

/// A kind whose values have an inner product: the sum of the products of numbers at the same place.
/// [`#[kind(numbers(..))]`](macro@crate::kind) implements it. It is what the adjoint of a factor is made of: that of `s` in
/// `r = v * s` gets `inner(r_b, v)`.
pub trait Inner: Kind {
    /// The inner product.
    ///
    /// # Panics
    /// If the shapes differ.
    #[track_caller]
    fn inner(a: &Val<Self>, b: &Val<Self>) -> f64;
}
