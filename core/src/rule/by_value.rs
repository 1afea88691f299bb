//! Arguments of functions that stay in place.
use crate::kind::{Arg, Kind, Policy, Val, index::PassedByValue};

/// The value of an argument, for a function that takes it by value.
#[doc(hidden)]
#[inline(always)]
pub fn by_value<K: Kind<Policy: PassedByValue>>(argument: Arg<'_, K>) -> Val<K> {
    K::Policy::value(&argument).clone()
}
