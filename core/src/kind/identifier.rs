//! Identifiers of variables, with the tag that tells which recording made them.

/// Marks a passive argument among stored identifiers.
pub(crate) const NONE: u32 = u32::MAX;
/// The tag of variables that depend on statements which a full tape did not record.
const LOST: u32 = u32::MAX;

/// Identifier and tag of a variable. Tags of recordings are never zero, so that a zero tag tells a passive
/// variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct VariableId {
    pub(crate) id: u32,
    pub(crate) tag: u32,
}
impl VariableId {
    /// A variable without identifier.
    pub const PASSIVE: VariableId = VariableId { id: 0, tag: 0 };
    /// Whether the variable has no identifier.
    #[inline(always)]
    pub fn is_passive(self) -> bool {
        self.tag == 0
    }
    /// What depends on a statement that was not recorded.
    pub(crate) const LOST: VariableId = VariableId { id: 0, tag: LOST };
    pub(crate) fn is_lost(self) -> bool {
        self.tag == LOST
    }
    /// Whether there is an identifier on some tape.
    pub(crate) fn is_recorded(self) -> bool {
        !self.is_passive() && !self.is_lost()
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
    use super::{Slot, VariableId};

    pub trait Version {}
    impl Version for () {}
    impl Version for u32 {}

    pub trait Ownership {}
    impl Ownership for super::FreelyCopied {}
    impl Ownership for super::Unique {}

    pub trait Identifier: Sized {
        /// The identifier with this number and tag.
        fn new(meta: VariableId, slot: Slot) -> Self;
    }
}

/// What a variable carries beside its value.
///
/// It is implemented here alone: identifiers are asked for while the tape takes a statement, and run no code of their own.
pub trait Identifier: sealed::Identifier + 'static {
    /// Whether identifiers are unique to a variable and return to a manager: [`Unique`] or [`FreelyCopied`].
    type Ownership: Ownership;
    /// The same as a constant.
    const OWNED: bool = Self::Ownership::OWNED;
    /// What a copy of the identifier carries to be known as stale.
    type Version: Version;
    /// The identifier of a passive variable.
    fn passive() -> Self;
    /// Identifier and tag.
    fn meta(&self) -> VariableId;
    /// Which value of the variable this is.
    fn version(&self) -> Self::Version;
}

/// No identifier: variables of the plain mode.
impl Identifier for () {
    type Ownership = FreelyCopied;
    type Version = ();
    #[inline(always)]
    fn passive() {}
    #[inline(always)]
    fn meta(&self) -> VariableId {
        VariableId::PASSIVE
    }
    #[inline(always)]
    fn version(&self) {}
}
impl sealed::Identifier for () {
    #[inline(always)]
    fn new(_: VariableId, _: Slot) {}
}

/// Who has an identifier: [`FreelyCopied`] or [`Unique`].
pub trait Ownership: sealed::Ownership + 'static {
    /// Whether an identifier belongs to one variable.
    const OWNED: bool;
}
/// Identifiers are copied freely, as each statement makes a new one.
#[derive(Clone, Copy, Debug)]
pub struct FreelyCopied;
impl Ownership for FreelyCopied {
    const OWNED: bool = false;
}
/// Each identifier belongs to one variable, and returns to its manager.
#[derive(Clone, Copy, Debug)]
pub struct Unique;
impl Ownership for Unique {
    const OWNED: bool = true;
}
