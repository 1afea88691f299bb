//! Variables.
use crate::{
    kind::{Cell, Hold, Kind, Policy, Val},
    mode::{AnyMode, Identifier, Meta, Taped},
};
use std::fmt;

pub(crate) type Id<K, M> = <<K as Kind>::Policy as Policy>::Id<M>;
pub(crate) type Held<K, M> = <<K as Kind>::Policy as Policy>::Held<Val<K>, M>;

/// A variable of kind `K`: its value and, in recording modes, one identifier for the whole entity.
///
/// Variables of value kinds are `Copy` (`Active<f64>` has 16 bytes, 8 in [plain
/// mode](crate::mode::Plain)); variables of storage kinds own an identifier and are used by reference.
pub struct Active<K: Kind, M: AnyMode = Taped> {
    held: Held<K, M>,
    id: Id<K, M>,
}

impl<K: Kind, M: AnyMode> Active<K, M> {
    /// A variable without identifier: gradients do not flow through it.
    #[inline(always)]
    pub fn passive(value: Val<K>) -> Self {
        Active {
            held: Hold::hold(value),
            id: Id::<K, M>::passive(),
        }
    }
    /// Another name of [`passive`](Self::passive).
    #[inline(always)]
    pub fn new(value: Val<K>) -> Self {
        Self::passive(value)
    }
    #[inline(always)]
    pub(crate) fn from_parts(held: Held<K, M>, meta: Meta, kind: u32) -> Self {
        Active {
            held,
            id: Identifier::new(meta, kind),
        }
    }
    #[inline(always)]
    pub(crate) fn meta(&self) -> Meta {
        self.id.meta()
    }
    /// The value.
    #[inline(always)]
    pub fn value(&self) -> Val<K>
    where
        Val<K>: Copy,
    {
        *self.held.peek()
    }
    /// The value by reference.
    #[inline(always)]
    pub fn get(&self) -> &Val<K> {
        self.held.peek()
    }
    /// The value, taken out of the variable.
    pub fn into_value(self) -> Val<K> {
        self.held.unhold()
    }
    /// Whether the variable has an identifier on a tape.
    #[inline(always)]
    pub fn is_active(&self) -> bool {
        !self.meta().is_passive()
    }
    /// A new value; the identifier stays if it is the same one.
    pub(crate) fn replace(&mut self, held: Held<K, M>, meta: Meta, kind: u32) {
        self.held = held;
        self.set_meta(meta, kind);
    }
    pub(crate) fn set_meta(&mut self, meta: Meta, kind: u32) {
        if self.meta() != meta {
            self.id = Identifier::new(meta, kind);
        }
    }
    /// Unique access to the value, past the tape.
    pub(crate) fn get_mut(&mut self) -> &mut Val<K> {
        self.held.edit()
    }
    pub(crate) fn cell(&self) -> Cell<K> {
        <K::Policy as Policy>::cell::<_, M>(&self.held)
    }
}
impl<K: Kind, M: AnyMode> Clone for Active<K, M>
where
    Held<K, M>: Copy,
    Id<K, M>: Copy,
{
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<K: Kind, M: AnyMode> Copy for Active<K, M>
where
    Held<K, M>: Copy,
    Id<K, M>: Copy,
{
}
impl<K: Kind<Value: fmt::Debug>, M: AnyMode> fmt::Debug for Active<K, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut s = f.debug_struct("Active");
        s.field("value", self.get());
        if self.is_active() {
            s.field("id", &self.meta().id);
        }
        s.finish()
    }
}
impl<K: Kind<Value: fmt::Display>, M: AnyMode> fmt::Display for Active<K, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}
