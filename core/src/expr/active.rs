use super::Copied;
use crate::kind::{
    Carrier, Identifier, Kind, Policy, Slot, TapeValue, Val, VariableCell, VariableId, assert_bare,
    carrier::Taped, leave,
};
use crate::node::NamedId;
use std::fmt;

pub(crate) type Id<K, M> = <<K as Kind>::Policy as Policy<Val<K>>>::Id<M>;
pub(crate) type VersionOf<K, M> = <Id<K, M> as Identifier>::Version;
pub(crate) use crate::kind::VariableCellOf;

/// A variable of kind `K` in mode `M`: its value and, in recording modes, one identifier for the whole entity. `Real`
/// of the prelude is `Active<f64, M>`.
///
/// ```
/// use entape_core::{expr::Active, mode::Plain, tape::Tape};
///
/// let a = Active::<f64, Plain>::passive(2.0); // a number, without a tape
/// assert_eq!((a * a + 1.0).eval().value(), 5.0);
///
/// let mut tape = Tape::new();
/// let x: Active<f64> = tape.input(2.0);
/// let y = tape.record(|| {
///     let mut y = (x * x).eval();
///     y += 3.0 * x;
///     y
/// });
/// assert!(y.is_active() && y == 10.0); // comparisons read the value
/// assert_eq!(tape.gradient(&y)?.wrt(&x)?, 7.0);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// Variables of value kinds are `Copy`; `Active<f64>` has 16 bytes, and 8 in [plain mode](crate::mode::Plain).
/// Variables of storage kinds, and all in the mode [`Reuse`](crate::mode::Reuse), own an identifier and are used by
/// reference.
///
/// Variables of recording modes are neither `Send` nor `Sync`. Other variables of value kinds are, if their values are.
/// ```
/// use entape_core::{expr::Active, mode::{Forward, Plain}};
///
/// fn goes_to_other_threads<T: Send + Sync>() {}
/// goes_to_other_threads::<Active<f64, Plain>>();
/// goes_to_other_threads::<Active<f64, Forward<4>>>();
/// ```
/// ```compile_fail
/// use entape_core::expr::Active;
///
/// fn goes_to_other_threads<T: Send>() {}
/// goes_to_other_threads::<Active<f64>>();
/// ```
pub struct Active<K: Kind, M: Carrier = Taped> {
    held: VariableCellOf<K, M>,
    id: Id<K, M>,
}

impl<K: Kind, M: Carrier> Active<K, M> {
    /// Creates a variable without an identifier and a gradient.
    #[inline(always)]
    pub fn passive(value: Val<K>) -> Self {
        const { assert_bare::<K>() };
        Active {
            held: VariableCell::passive(value, K::zero_like),
            id: Id::<K, M>::passive(),
        }
    }
    /// Without a slot: `variable` is passive, lost, or copied freely.
    #[inline(always)]
    pub(crate) fn with_id(cell: TapeValue<K>, variable: VariableId) -> Self {
        let held = K::Policy::held::<M, _>(cell, K::zero_like);
        Self::from_parts(held, variable, Slot::NONE)
    }
    #[inline(always)]
    pub(crate) fn from_parts(held: VariableCellOf<K, M>, variable: VariableId, slot: Slot) -> Self {
        const { assert_bare::<K>() };
        Active {
            held,
            id: <Id<K, M> as Identifier>::new(variable, slot),
        }
    }
    /// Returns the name of the variable in a walk over statements.
    #[doc(hidden)]
    pub fn named_id(&self) -> NamedId {
        NamedId::of::<K>(self.variable_id().id)
    }
    #[inline(always)]
    pub(crate) fn variable_id(&self) -> VariableId {
        self.id.variable_id()
    }
    #[inline(always)]
    pub(crate) fn version(&self) -> VersionOf<K, M> {
        self.id.version()
    }
    /// Returns a copy of the value; [`get`](Self::get) borrows it.
    #[inline(always)]
    pub fn value(&self) -> Val<K> {
        self.held.peek().clone()
    }
    /// Returns the variable, for operations that return one.
    #[inline(always)]
    #[must_use]
    pub fn eval(self) -> Self {
        self
    }
    /// Borrows the value.
    #[inline(always)]
    pub fn get(&self) -> &Val<K> {
        self.held.peek()
    }
    /// Returns the value.
    pub fn into_value(self) -> Val<K> {
        self.held.into_inner()
    }
    /// Returns whether the variable depends on an input of a tape.
    #[inline(always)]
    pub fn is_active(&self) -> bool {
        !self.variable_id().is_passive()
    }
    pub(crate) fn replace(
        &mut self,
        held: VariableCellOf<K, M>,
        variable: VariableId,
        slot: Slot,
        kept: Option<u32>,
    ) {
        // Memory that the tape does not need is reused.
        leave::<K, _>(std::mem::replace(&mut self.held, held));
        self.set_variable_id(variable, slot, kept);
    }
    pub(crate) fn set_variable_id(&mut self, variable: VariableId, slot: Slot, kept: Option<u32>) {
        let old = std::mem::replace(&mut self.id, <Id<K, M> as Identifier>::new(variable, slot));
        if kept == Some(variable.id) && variable.is_recorded() {
            std::mem::forget(old);
        }
    }
    #[inline(always)]
    pub(crate) fn held(&self) -> &VariableCellOf<K, M> {
        &self.held
    }
    #[doc(hidden)]
    #[inline(always)]
    pub fn held_mut(&mut self) -> &mut VariableCellOf<K, M> {
        &mut self.held
    }
    #[doc(hidden)]
    #[inline(always)]
    pub fn tangents_ref<const N: usize>(&self) -> Option<&[Val<K>; N]> {
        self.held.tangents()
    }
    /// Returns the value for writing, without informing the tape.
    pub(crate) fn get_mut(&mut self) -> &mut Val<K> {
        self.held.edit()
    }
    #[doc(hidden)]
    #[inline(always)]
    pub fn same(&self) -> Self {
        Active {
            held: self.held.clone(),
            id: <Id<K, M> as Identifier>::new(self.variable_id(), Slot::NONE),
        }
    }
    pub(crate) fn passive_copy(&self) -> Self {
        Active {
            held: self.held.clone(),
            id: Id::<K, M>::passive(),
        }
    }
    #[inline(always)]
    pub(crate) fn copied(&self) -> Copied<K, M> {
        Copied::new(self)
    }
    pub(crate) fn cell(&self) -> TapeValue<K> {
        K::Policy::cell::<M, _>(&self.held)
    }
}
impl<K: Kind<Value: fmt::Debug>, M: Carrier> fmt::Debug for Active<K, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut s = f.debug_struct("Active");
        s.field("value", self.get());
        if self.is_active() {
            s.field("id", &self.variable_id().id);
        }
        s.finish()
    }
}
macro_rules! formats { ($($Format:ident)*) => { $(
    impl<K: Kind<Value: fmt::$Format>, M: Carrier> fmt::$Format for Active<K, M> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.get().fmt(f)
        }
    }
)* } }
formats! { Display LowerExp UpperExp }
