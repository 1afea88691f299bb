//! Adjoints of value kinds with data other than numbers.
use super::{
    adjoint::Adjoint,
    definition::{Kind, Val},
};

/// A value kind with a zero of one shape, as with [`#[kind(numbers(..))]`](macro@crate::kind) and `#[kind(real(..))]`.
pub trait KnownZero: Kind {
    /// Returns the zero.
    fn zero() -> Val<Self>;
    /// Returns the [unset](Adjoint) adjoint, whose numbers are `-0.0`.
    fn unset() -> Val<Self>;
    /// Returns whether all numbers are `-0.0`.
    fn is_unset(value: &Val<Self>) -> bool;
}

/// The adjoint of a kind with a [known zero](KnownZero), unset while its numbers are `-0.0`.
pub struct SumOf<K: KnownZero>(Val<K>);
debug_by_name! { [K: KnownZero] SumOf<K> }
impl<K: KnownZero> Clone for SumOf<K> {
    #[inline(always)]
    fn clone(&self) -> Self {
        SumOf(self.0.clone())
    }
}
impl<K: KnownZero> Adjoint<K> for SumOf<K> {
    #[inline(always)]
    fn unset() -> Self {
        SumOf(K::unset())
    }
    #[inline(always)]
    fn is_unset(&self) -> bool {
        K::is_unset(&self.0)
    }
    #[inline(always)]
    fn into_value(self) -> Option<Val<K>> {
        Some(self.0)
    }
    #[inline(always)]
    fn add(&mut self, mut value: Val<K>) {
        K::accumulate(&mut value, K::zero());
        K::accumulate(&mut self.0, value);
    }
    #[inline(always)]
    fn merge(&mut self, other: Self) {
        K::accumulate(&mut self.0, other.0);
    }
    #[inline(always)]
    fn value_mut(&mut self, _: impl FnOnce() -> Val<K>) -> &mut Val<K> {
        K::accumulate(&mut self.0, K::zero());
        &mut self.0
    }
}

#[doc(hidden)]
#[inline(always)]
pub fn is_unset_number(x: f64) -> bool {
    x.to_bits() == f64::to_bits(-0.0)
}

/// Returns the `Default` value as the zero.
///
/// # Panics
/// If adding it to itself changes it.
#[doc(hidden)]
#[inline]
#[must_use]
pub fn default_zero<K: Kind<Value: Default + PartialEq>>() -> Val<K> {
    let (zero, mut sum) = (Val::<K>::default(), Val::<K>::default());
    K::accumulate(&mut sum, Val::<K>::default());
    assert!(
        sum == zero,
        "the `Default` of kind {} is used as zero but is not zero: declare `#[kind(zero = |_| ..)]`",
        K::NAME
    );
    zero
}

/// A kind with an inner product, the sum of products of numbers: `r = v * s` has the adjoint `s_b += inner(r_b, v)`.
/// [`#[kind(numbers(..))]`](macro@crate::kind) implements it.
pub trait Inner: Kind {
    /// Returns the inner product.
    ///
    /// # Panics
    /// If the shapes differ.
    #[track_caller]
    fn inner(a: &Val<Self>, b: &Val<Self>) -> f64;
}
