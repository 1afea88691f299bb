//! What accumulates adjoints, and what may be added to it.
use super::{
    definition::{Arg, Kind, Val, arg},
    memory::Memory,
};

/// The adjoint of one entity while a sweep runs. `Default` is the unset adjoint, which counts as zero.
pub trait Adjoint<K: Kind>: Default + Clone + 'static {
    /// Becomes the unset adjoint. It may keep its memory for the next sweep.
    #[inline(always)]
    fn reset(&mut self) {
        *self = Self::default();
    }
    /// Nothing was added, or what was added is exactly zero.
    fn is_unset(&self) -> bool;
    /// The accumulated value, `None` if nothing was added and the kind's size is dynamic.
    fn into_value(self) -> Option<Val<K>>;
    /// The accumulated value, or the zero that has the shape of `like`.
    #[inline(always)]
    fn value_or_zero(self, like: impl FnOnce() -> Val<K>) -> Val<K> {
        self.into_value().unwrap_or_else(|| K::zero_like(&like()))
    }
    /// `self += value`.
    fn add(&mut self, value: Val<K>);
    /// The accumulated value to be changed in place; `zero` makes it if nothing was added before.
    fn value_mut(&mut self, zero: impl FnOnce() -> Val<K>) -> &mut Val<K>;
}

/// Something that can be added to an adjoint of kind `K`: a value, a scaled value, an element, an
/// outer product, ... A DSL crate adds contributions of its own by implementing this trait.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be added to an adjoint of kind `{K}`",
    note = "an adjoint formula yields a value of the argument's kind or a `Contribution` to it"
)]
pub trait Contribution<K: Kind> {
    /// Adds this to `adjoint`.
    fn add_to(self, adjoint: &mut K::Adjoint);
    /// The plain value of this contribution, for an argument that is an inner expression.
    fn materialise(self) -> Val<K>;
    /// Hands the plain value to an inner expression as the adjoint of its result. What refers to one lends it, without a copy.
    #[inline(always)]
    fn hand_to(self, inner: impl FnOnce(Incoming<'_, K>))
    where
        Self: Sized,
    {
        inner(Incoming::owned(self.materialise()));
    }
}

/// Accumulates by value; the adjoint of storage kinds, sized by the first `+=`.
impl<K: Kind> Adjoint<K> for Option<Val<K>> {
    fn is_unset(&self) -> bool {
        self.is_none()
    }
    fn into_value(self) -> Option<Val<K>> {
        self
    }
    fn add(&mut self, value: Val<K>) {
        match self {
            Some(sum) => K::accumulate(sum, value),
            None => *self = Some(value),
        }
    }
    fn value_mut(&mut self, zero: impl FnOnce() -> Val<K>) -> &mut Val<K> {
        self.get_or_insert_with(zero)
    }
}

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
    /// The adjoint by value, if nobody else has it.
    ///
    /// # Errors
    /// If it is lent: it is given back.
    #[inline(always)]
    pub fn take(mut self) -> Result<Val<K>, Self> {
        match std::mem::replace(&mut self.0, Source::Taken) {
            Source::Owned(r_b) => Ok(r_b),
            lent => Err(Incoming(lent)),
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
