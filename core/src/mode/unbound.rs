use super::Mode;
use crate::{
    expr::Active,
    kind::{Slot, VariableCell, VariableCellOf, VariableId},
};

/// A real variable that is `Send` and `Sync`, for eager reals. Another thread rejects it like a variable of another
/// tape.
pub struct Unbound<M: Mode> {
    held: VariableCellOf<f64, M>,
    variable: VariableId,
}
debug_by_name! { [M: Mode] Unbound<M> }
impl<M: Mode> Copy for Unbound<M> {}
impl<M: Mode> Clone for Unbound<M> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<M: Mode> From<Active<f64, M>> for Unbound<M> {
    #[inline(always)]
    fn from(real: Active<f64, M>) -> Self {
        Unbound {
            held: *real.held(),
            variable: real.variable_id(),
        }
    }
}
impl<M: Mode> Unbound<M> {
    /// Returns the variable.
    #[inline(always)]
    pub fn real(self) -> Active<f64, M> {
        Active::from_parts(self.held, self.variable, Slot::NONE)
    }
    /// Returns the value.
    #[inline(always)]
    pub fn value(self) -> f64 {
        *self.held.peek()
    }
    /// Returns the identifier of an active variable.
    #[inline(always)]
    pub fn id(self) -> Option<u32> {
        (!self.variable.is_passive()).then_some(self.variable.id)
    }
}
