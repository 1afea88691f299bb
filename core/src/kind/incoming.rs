//! The adjoint of a result, on its way into the arguments.
use super::{Arg, Kind, Memory, Val, arg};

/// The adjoint of a result, as it comes to the adjoint formula of an operation: lent, or nobody else's. Then it can be changed in
/// place, and move into a sink; what is left of it goes back to its kind.
pub struct Incoming<'a, K: Kind>(Source<'a, K>);
enum Source<'a, K: Kind> {
    Lent(&'a Val<K>),
    Owned(Val<K>),
    Taken,
}
impl<'a, K: Kind> Incoming<'a, K> {
    /// The adjoint that somebody else has.
    #[inline(always)]
    pub fn lent(r_b: &'a Val<K>) -> Self {
        Incoming(Source::Lent(r_b))
    }
    /// The adjoint that nobody else has.
    #[inline(always)]
    pub fn owned(r_b: Val<K>) -> Self {
        Incoming(Source::Owned(r_b))
    }
    /// The adjoint.
    #[inline(always)]
    pub fn get(&self) -> Arg<'_, K> {
        match &self.0 {
            Source::Lent(r_b) => arg::<K>(r_b),
            Source::Owned(r_b) => arg::<K>(r_b),
            Source::Taken => unreachable!("it is taken by value"),
        }
    }
    /// The adjoint by value: a copy if somebody else has it.
    #[inline(always)]
    pub fn take(mut self) -> Val<K> {
        match std::mem::replace(&mut self.0, Source::Taken) {
            Source::Lent(r_b) => r_b.clone(),
            Source::Owned(r_b) => r_b,
            Source::Taken => unreachable!("it is taken by value"),
        }
    }
}
impl<K: Kind> Drop for Incoming<'_, K> {
    #[inline(always)]
    fn drop(&mut self) {
        if let Source::Owned(r_b) = &mut self.0 {
            K::Memory::recycle(r_b);
        }
    }
}
