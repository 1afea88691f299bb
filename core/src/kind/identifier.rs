//! Identifiers of variables, with the tag of their recording.
use crate::sealed::Sealed;

pub(crate) const NONE: u32 = u32::MAX;
/// The tag of variables that depend on lost statements of a full tape.
const LOST: u32 = u32::MAX;

/// Identifier and tag of a variable. A zero tag means passive.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct VariableId {
    pub(crate) id: u32,
    pub(crate) tag: u32,
}
impl VariableId {
    /// The id of a passive variable.
    pub const PASSIVE: VariableId = VariableId { id: 0, tag: 0 };
    /// Returns whether this is [`PASSIVE`](Self::PASSIVE).
    #[inline(always)]
    pub fn is_passive(self) -> bool {
        self.tag == 0
    }
    pub(crate) const LOST: VariableId = VariableId { id: 0, tag: LOST };
    pub(crate) fn is_lost(self) -> bool {
        self.tag == LOST
    }
    pub(crate) fn is_recorded(self) -> bool {
        !self.is_passive() && !self.is_lost()
    }
}

/// The slot of an owned identifier.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    pub(crate) kind: u32,
    pub(crate) version: u32,
}
impl Slot {
    pub(crate) const NONE: Slot = Slot {
        kind: 0,
        version: 0,
    };
}

/// The identifier of a variable. Sealed, because recording relies on identifiers that do not run user code and belong to a variable.
pub trait Identifier: Sealed + Sized + 'static {
    /// Creates the identifier of a variable.
    #[doc(hidden)]
    fn new(variable: VariableId, slot: Slot) -> Self;
    /// [`Unique`] or [`FreelyCopied`].
    type Ownership: Ownership;
    /// See [`Ownership::OWNED`].
    const OWNED: bool = Self::Ownership::OWNED;
    /// The value to which a copy of an identifier refers. An owned identifier survives writes, so a copy carries the version of its
    /// slot: the number of writes modulo 2^32. A linear identifier denotes one value.
    type Version: Copy + 'static;
    /// Returns the version of a slot that can be written again.
    fn of_slot(version: Self::Version) -> Option<u32>;
    /// Returns the identifier of a passive variable.
    fn passive() -> Self;
    /// Returns identifier and tag.
    fn variable_id(&self) -> VariableId;
    /// Returns the version of the variable's value.
    fn version(&self) -> Self::Version;
}

impl Sealed for () {}
impl Identifier for () {
    #[inline(always)]
    fn new(_: VariableId, _: Slot) {}
    type Ownership = FreelyCopied;
    type Version = ();
    #[inline(always)]
    fn of_slot(_: ()) -> Option<u32> {
        None
    }
    #[inline(always)]
    fn passive() {}
    #[inline(always)]
    fn variable_id(&self) -> VariableId {
        VariableId::PASSIVE
    }
    #[inline(always)]
    fn version(&self) {}
}

/// [`FreelyCopied`] or [`Unique`].
pub trait Ownership: 'static {
    /// Whether an identifier belongs to one variable.
    const OWNED: bool;
}
/// Identifiers are `Copy`: each statement creates a new one.
#[derive(Clone, Copy, Debug)]
pub struct FreelyCopied;
impl Ownership for FreelyCopied {
    const OWNED: bool = false;
}
/// An identifier belongs to one variable and returns to its manager.
#[derive(Clone, Copy, Debug)]
pub struct Unique;
impl Ownership for Unique {
    const OWNED: bool = true;
}
