//! Identifiers of variables, with the tag of their recording.

/// Marks a passive argument among stored identifiers.
pub(crate) const NONE: u32 = u32::MAX;
/// The tag of variables that depend on statements not recorded because the tape was full.
const LOST: u32 = u32::MAX;

/// Identifier and tag of a variable. The tag of a recording is never zero, so a zero tag means a passive variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct VariableId {
    pub(crate) id: u32,
    pub(crate) tag: u32,
}
impl VariableId {
    /// A variable without an identifier.
    pub const PASSIVE: VariableId = VariableId { id: 0, tag: 0 };
    /// Returns whether the variable has no identifier.
    #[inline(always)]
    pub fn is_passive(self) -> bool {
        self.tag == 0
    }
    /// A variable that depends on a statement that was not recorded.
    pub(crate) const LOST: VariableId = VariableId { id: 0, tag: LOST };
    pub(crate) fn is_lost(self) -> bool {
        self.tag == LOST
    }
    /// Returns whether the variable has an identifier on a tape.
    pub(crate) fn is_recorded(self) -> bool {
        !self.is_passive() && !self.is_lost()
    }
}

/// The slot on the tape to which an owned identifier belongs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Slot {
    /// The number of the variable's kind on the tape.
    pub(crate) kind: u32,
    /// The number of writes to the slot, modulo 2^32.
    pub(crate) version: u32,
}

/// Determines to which value of a variable a copy of its identifier refers. An owned identifier does not change when
/// the variable is written, so a copy carries the version of its slot; a linear identifier denotes a single value
/// forever.
///
/// Only identifiers implement it.
pub trait Version: Copy + sealed::SealedVersion + 'static {
    /// Returns the version of the slot, if it can be written again.
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

/// Seals the traits and prevents users from creating identifiers, each of which belongs to a variable.
pub(crate) mod sealed {
    use super::{Slot, VariableId};

    pub trait SealedVersion {}
    impl SealedVersion for () {}
    impl SealedVersion for u32 {}

    pub trait SealedOwnership {}
    impl SealedOwnership for super::FreelyCopied {}
    impl SealedOwnership for super::Unique {}

    pub trait SealedIdentifier: Sized {
        /// Creates the identifier with this number and tag.
        fn new(variable: VariableId, slot: Slot) -> Self;
    }
}

/// The identifier that a variable carries in addition to its value.
///
/// It is implemented only in this crate: the tape reads identifiers while it records a statement, and they must not run
/// code of users.
pub trait Identifier: sealed::SealedIdentifier + 'static {
    /// Whether identifiers are unique to a variable and return to a manager: [`Unique`] or [`FreelyCopied`].
    type Ownership: Ownership;
    /// The ownership as a constant: whether an identifier belongs to one variable.
    const OWNED: bool = Self::Ownership::OWNED;
    /// The version carried by a copy of the identifier, by which a stale copy is detected.
    type Version: Version;
    /// Returns the identifier of a passive variable.
    fn passive() -> Self;
    /// Returns the identifier and the tag.
    fn variable_id(&self) -> VariableId;
    /// Returns the version of the variable's value.
    fn version(&self) -> Self::Version;
}

/// No identifier: variables of the plain mode.
impl Identifier for () {
    type Ownership = FreelyCopied;
    type Version = ();
    #[inline(always)]
    fn passive() {}
    #[inline(always)]
    fn variable_id(&self) -> VariableId {
        VariableId::PASSIVE
    }
    #[inline(always)]
    fn version(&self) {}
}
impl sealed::SealedIdentifier for () {
    #[inline(always)]
    fn new(_: VariableId, _: Slot) {}
}

/// The ownership of an identifier: [`FreelyCopied`] or [`Unique`].
pub trait Ownership: sealed::SealedOwnership + 'static {
    /// Whether an identifier belongs to one variable.
    const OWNED: bool;
}
/// Identifiers are copied freely, because each statement creates a new one.
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
