//! Types that accumulate adjoints, and values that can be added to them.
use super::{
    definition::{Arg, Kind, Val, arg},
    memory::Memory,
};

/// The adjoint of one entity during a sweep. `Default` is the unset adjoint, which counts as zero.
pub trait Adjoint<K: Kind>: Default + Clone + 'static {
    /// Resets this to the unset adjoint. It may keep its memory for the next sweep.
    #[inline(always)]
    fn reset(&mut self) {
        *self = Self::default();
    }
    /// Whether nothing was added, or what was added is exactly zero.
    fn is_unset(&self) -> bool;
    /// The accumulated value. It is `None` if nothing was added and values of the kind have no fixed shape.
    fn into_value(self) -> Option<Val<K>>;
    /// The accumulated value, or the zero of the shape of `like` if there is none.
    #[inline(always)]
    fn value_or_zero(self, like: impl FnOnce() -> Val<K>) -> Val<K> {
        self.into_value().unwrap_or_else(|| K::zero_like(&like()))
    }
    /// `self += value`.
    fn add(&mut self, value: Val<K>);
    /// The accumulated value, to be changed in place; `zero` makes it if nothing was added before.
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
    /// Hands the plain value to an inner expression as the adjoint of its result. A contribution that refers to a value
    /// lends it without a copy.
    #[inline(always)]
    fn hand_to(self, inner: impl FnOnce(Incoming<'_, K>))
    where
        Self: Sized,
    {
        inner(Incoming::owned(self.materialise()));
    }
}

/// Accumulates by value. This is the adjoint of storage kinds; the first `+=` determines its shape.
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

/// The adjoint of a result as an adjoint formula receives it: either lent or owned. An owned one can be changed in
/// place and moved into a sink; what is left of it is returned to its kind.
pub struct Incoming<'a, K: Kind>(Source<'a, K>);
debug_by_name! { ['a, K: Kind] Incoming<'a, K> }
enum Source<'a, K: Kind> {
    Lent(&'a Val<K>),
    Owned(Val<K>),
    Taken,
}
impl<'a, K: Kind> Incoming<'a, K> {
    /// An adjoint that is lent.
    #[inline(always)]
    pub fn lent(r_b: &'a Val<K>) -> Self {
        Incoming(Source::Lent(r_b))
    }
    /// An adjoint that is owned.
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
    /// The adjoint by value, if it is owned.
    ///
    /// # Errors
    /// If it is lent, it is given back.
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
