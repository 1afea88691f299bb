//! Recording modes.
use super::current;
use crate::kind::{
    Carrier, FreelyCopied, Identifier, Recycle, Slot, Unique, VariableId,
    carrier::{Reuse, Taped},
};
use crate::sealed::Sealed;
use std::{marker::PhantomData, rc::Rc};

/// A mode that records on a [`Tape`](crate::tape::Tape). Programs use the bound [`Recording`](crate::mode::Recording).
pub trait Records: Carrier {}

macro_rules! recording { ($($Mode:ident $Id:ident;)*) => { $(
    impl Records for $Mode {}
    impl Sealed for $Mode {}
    impl Carrier for $Mode {
        const RECORDS: bool = true;
        type ValueId = $Id;
        type OwnedId = OwnedId;
        type Bare<V: Copy + 'static> = V;
        type Shared<V: Clone + 'static, R: Recycle<V>> = Rc<V>;
        fn share<V: Clone + 'static, R: Recycle<V>>(held: &Rc<V>) -> Rc<V> {
            held.clone()
        }
        fn unshare<V: Clone + 'static, R: Recycle<V>>(cell: Rc<V>) -> Rc<V> {
            cell
        }
    }
)* } }
recording! { Taped LinearId; Reuse OwnedId; }

/// An identifier that is copied freely: each statement creates a new one.
#[derive(Clone, Copy, Debug)]
pub struct LinearId(u32, u32, PhantomData<*mut ()>);
impl Sealed for LinearId {}
impl Identifier for LinearId {
    #[inline(always)]
    fn new(variable: VariableId, _: Slot) -> Self {
        LinearId(variable.id, variable.tag, PhantomData)
    }
    type Ownership = FreelyCopied;
    type Version = ();
    #[inline(always)]
    fn of_slot(_: ()) -> Option<u32> {
        None
    }
    #[inline(always)]
    fn passive() -> Self {
        Self::new(VariableId::PASSIVE, Slot::NONE)
    }
    #[inline(always)]
    fn variable_id(&self) -> VariableId {
        VariableId {
            id: self.0,
            tag: self.1,
        }
    }
    #[inline(always)]
    fn version(&self) {}
}

/// An identifier of one variable, which returns it when dropped.
#[derive(Debug)]
pub struct OwnedId {
    id: u32,
    tag: u32,
    slot: Slot,
    _not_send: PhantomData<*mut ()>,
}
impl Sealed for OwnedId {}
impl Identifier for OwnedId {
    #[inline(always)]
    fn new(variable: VariableId, slot: Slot) -> Self {
        OwnedId {
            id: variable.id,
            tag: variable.tag,
            slot,
            _not_send: PhantomData,
        }
    }
    type Ownership = Unique;
    type Version = u32;
    #[inline(always)]
    fn of_slot(version: u32) -> Option<u32> {
        Some(version)
    }
    #[inline(always)]
    fn passive() -> Self {
        Self::new(VariableId::PASSIVE, Slot::NONE)
    }
    #[inline(always)]
    fn variable_id(&self) -> VariableId {
        VariableId {
            id: self.id,
            tag: self.tag,
        }
    }
    #[inline(always)]
    fn version(&self) -> u32 {
        self.slot.version
    }
}
impl Drop for OwnedId {
    #[inline]
    fn drop(&mut self) {
        if !self.variable_id().is_passive() {
            current::release(self.variable_id(), self.slot.kind);
        }
    }
}
