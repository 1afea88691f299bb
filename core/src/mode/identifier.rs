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

/// What a variable carries beside its value.
pub trait Identifier: Sized + 'static {
    /// Whether identifiers are unique to a variable and return to a manager.
    const OWNED: bool;
    /// The identifier of a passive variable.
    fn passive() -> Self;
    /// Identifier and tag.
    fn meta(&self) -> Meta;
    /// The left-hand side of a statement that gives a variable its whole value.
    #[doc(hidden)]
    type Target<K: Kind>: NewTarget<K>;
    #[doc(hidden)]
    fn new(meta: Meta, kind: u32) -> Self;
}

/// No identifier: variables of the plain mode.
impl Identifier for () {
    type Target<K: Kind> = Fresh<K>;
    const OWNED: bool = false;
    #[inline(always)]
    fn passive() {}
    #[inline(always)]
    fn meta(&self) -> Meta {
        Meta::PASSIVE
    }
    #[inline(always)]
    fn new(_: Meta, _: u32) {}
}

/// An identifier that may be copied freely, as each statement makes a fresh one.
#[derive(Clone, Copy, Debug)]
pub struct Linear(u32, u32, PhantomData<*mut ()>);
impl Identifier for Linear {
    type Target<K: Kind> = Fresh<K>;
    const OWNED: bool = false;
    #[inline(always)]
    fn passive() -> Self {
        Self::new(Meta::PASSIVE, 0)
    }
    #[inline(always)]
    fn meta(&self) -> Meta {
        Meta {
            id: self.0,
            tag: self.1,
        }
    }
    #[inline(always)]
    fn new(meta: Meta, _: u32) -> Self {
        Linear(meta.id, meta.tag, PhantomData)
    }
}

/// An identifier that belongs to one variable and returns to its manager on drop.
#[derive(Debug)]
pub struct Owned {
    id: u32,
    tag: u32,
    kind: u32,
    _not_send: PhantomData<*mut ()>,
}
impl Identifier for Owned {
    type Target<K: Kind> = Kept<K>;
    const OWNED: bool = true;
    #[inline(always)]
    fn passive() -> Self {
        Self::new(Meta::PASSIVE, 0)
    }
    #[inline(always)]
    fn meta(&self) -> Meta {
        Meta {
            id: self.id,
            tag: self.tag,
        }
    }
    #[inline(always)]
    fn new(meta: Meta, kind: u32) -> Self {
        Owned {
            id: meta.id,
            tag: meta.tag,
            kind,
            _not_send: PhantomData,
        }
    }
}
impl Drop for Owned {
    #[inline]
    fn drop(&mut self) {
        if !self.meta().is_passive() {
            current::release(self.meta(), self.kind);
        }
    }
}
