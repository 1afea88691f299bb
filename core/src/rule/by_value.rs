//! Arguments that are not moved.
use crate::kind::{Arg, Kind, Policy, Val, index::PassedByValue};

#[doc(hidden)]
#[inline(always)]
pub fn by_value<K: Kind<Policy: PassedByValue>>(argument: Arg<'_, K>) -> Val<K> {
    K::Policy::value(&argument).clone()
}
