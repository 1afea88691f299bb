//! Identifiers of variables, with the tag that tells which recording made them.
use crate::{
    kind::Kind,
    tape::{Fresh, Kept, NewTarget, current},
};
use std::marker::PhantomData;

/// Identifier and tag of a variable. Tags of recordings are never zero, so that a zero tag tells a passive
/// variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Meta {
    pub(crate) id: u32,
    pub(crate) tag: u32,
}
impl Meta {
    /// A variable without identifier.
    pub const PASSIVE: Meta = Meta { id: 0, tag: 0 };
    /// Whether the variable has no identifier.
    #[inline(always)]
    pub fn is_passive(self) -> bool {
        self.tag == 0
    }
}

/// What an owned identifier knows of its slot on the tape.
#[derive(Clone, Copy, Debug, Default)]
pub struct Slot {
    /// The number of the variable's kind on the tape.
    pub(crate) kind: u32,
    /// How often the slot was written, modulo 2^32.
    pub(crate) version: u32,
}

/// Which value of a variable a copy of its identifier means. An owned identifier stays while the variable is
/// written, so that a copy of it goes with a version; a linear one names a single value for ever.
///
/// It is implemented here alone, as identifiers are.
pub trait Version: Copy + sealed::Version + 'static {
    /// The version of the slot, if it can be written again.
    fn of_slot(self) -> Option<u32>;
}
impl Version for () {
    #[inline(always)]
    fn of_slot(self) -> Option<u32> {
        None
    }
}
impl Version for u32 {
    #[inline(always)]
    fn of_slot(self) -> Option<u32> {
        Some(self)
    }
}

/// Keeps others from implementing the traits, and from making identifiers, each of which belongs to a variable.
pub(crate) mod sealed {
    use super::{Meta, Slot};

    pub trait Version {}
    impl Version for () {}
    impl Version for u32 {}

    pub trait Identifier: Sized {
        /// The identifier with this number and tag.
        fn new(meta: Meta, slot: Slot) -> Self;
    }
}
use sealed::Identifier as _;

/// What a variable carries beside its value.
///
/// It is implemented here alone: identifiers are asked for while the tape takes a statement, and run no code of their own.
pub trait Identifier: sealed::Identifier + 'static {
    /// Whether identifiers are unique to a variable and return to a manager.
    const OWNED: bool;
    /// What a copy of the identifier carries to be known as stale.
    type Version: Version;
    /// The identifier of a passive variable.
    fn passive() -> Self;
    /// Identifier and tag.
    fn meta(&self) -> Meta;
    /// Which value of the variable this is.
    fn version(&self) -> Self::Version;
    /// The left-hand side of a statement that gives a variable its whole value.
    #[doc(hidden)]
    type Target<K: Kind>: NewTarget<K>;
}

/// No identifier: variables of the plain mode.
impl Identifier for () {
    type Target<K: Kind> = Fresh<K>;
    const OWNED: bool = false;
    type Version = ();
    #[inline(always)]
    fn passive() {}
    #[inline(always)]
    fn meta(&self) -> Meta {
        Meta::PASSIVE
    }
    #[inline(always)]
    fn version(&self) {}
}
impl sealed::Identifier for () {
    #[inline(always)]
    fn new(_: Meta, _: Slot) {}
}

/// An identifier that may be copied freely, as each statement makes a fresh one.
#[derive(Clone, Copy, Debug)]
pub struct Linear(u32, u32, PhantomData<*mut ()>);
impl Identifier for Linear {
    type Target<K: Kind> = Fresh<K>;
    const OWNED: bool = false;
    type Version = ();
    #[inline(always)]
    fn passive() -> Self {
        Self::new(Meta::PASSIVE, Slot::default())
    }
    #[inline(always)]
    fn meta(&self) -> Meta {
        Meta {
            id: self.0,
            tag: self.1,
        }
    }
    #[inline(always)]
    fn version(&self) {}
}
impl sealed::Identifier for Linear {
    #[inline(always)]
    fn new(meta: Meta, _: Slot) -> Self {
        Linear(meta.id, meta.tag, PhantomData)
    }
}

/// An identifier that belongs to one variable and returns to its manager on drop.
#[derive(Debug)]
pub struct Owned {
    id: u32,
    tag: u32,
    slot: Slot,
    _not_send: PhantomData<*mut ()>,
}
impl Identifier for Owned {
    type Target<K: Kind> = Kept<K>;
    const OWNED: bool = true;
    type Version = u32;
    #[inline(always)]
    fn passive() -> Self {
        Self::new(Meta::PASSIVE, Slot::default())
    }
    #[inline(always)]
    fn meta(&self) -> Meta {
        Meta {
            id: self.id,
            tag: self.tag,
        }
    }
    #[inline(always)]
    fn version(&self) -> u32 {
        self.slot.version
    }
}
impl sealed::Identifier for Owned {
    #[inline(always)]
    fn new(meta: Meta, slot: Slot) -> Self {
        Owned {
            id: meta.id,
            tag: meta.tag,
            slot,
            _not_send: PhantomData,
        }
    }
}
impl Drop for Owned {
    #[inline]
    fn drop(&mut self) {
        if !self.meta().is_passive() {
            current::release(self.meta(), self.slot.kind);
        }
    }
}
