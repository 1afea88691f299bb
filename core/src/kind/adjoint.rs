//! What accumulates adjoints, and what may be added to it.
use super::{Kind, Val};

/// The adjoint of one entity while a sweep runs. `Default` is the unset adjoint, which counts as zero.
pub trait Adjoint<K: Kind>: Default + 'static {
    /// Nothing was added, or what was added is exactly zero.
    fn is_unset(&self) -> bool;
    /// The accumulated value, `None` if nothing was added and the kind's size is dynamic.
    fn into_value(self) -> Option<Val<K>>;
    /// `self += value`.
    fn add(&mut self, value: Val<K>);
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
}

/// A contribution times a number: `factor * value` without a temporary of its own in the formula.
#[derive(Clone, Copy, Debug)]
pub struct Scaled<V>(pub f64, pub V);
