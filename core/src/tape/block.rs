//! Writing and reading the block of bytes of one statement.
//!
//! ```text
//! [ loose: passive values, lists | constants, if they vary | fixed: identifiers, parameters, ... ]
//! ```
//! The size of the fixed part is known by the statement's type, so that most statements need no size
//! of their own. Both sides walk the expression in the same order; the reader is bounded by the block.
use super::{stacks::Stacks, store::Stores};
use crate::kind::{Cell, Keep, Kind};

/// Writes one statement.
pub struct Writer<'w> {
    /// The statement, for messages.
    pub(crate) statement: fn() -> &'static str,
    pub(crate) fixed: &'w mut [u8],
    pub(crate) loose: Option<&'w mut Vec<u8>>,
    pub(crate) stacks: &'w mut Stacks,
    pub(crate) stores: &'w mut Stores,
}
impl<'w> Writer<'w> {
    /// The next `n` bytes of the fixed part.
    #[inline(always)]
    pub fn fixed(&mut self, n: usize) -> &'w mut [u8] {
        let Some((head, tail)) = std::mem::take(&mut self.fixed).split_at_mut_checked(n) else {
            faulty(self.statement, "writes more than its size")
        };
        self.fixed = tail;
        head
    }
    /// Checks that all of the fixed part was written.
    #[inline(always)]
    pub(crate) fn finish(self) {
        if !self.fixed.is_empty() {
            faulty(self.statement, "writes less than its size")
        }
    }
    /// Puts a value on the stack of its type and tells its place.
    pub fn push<T: 'static>(&mut self, value: T) -> u32 {
        self.stacks.push(value)
    }
    #[inline(always)]
    pub(crate) fn id(&mut self, id: u32) {
        self.fixed(4).copy_from_slice(&id.to_ne_bytes());
    }
    /// Whether passive variables may occur.
    #[inline(always)]
    pub(crate) fn mixed(&self) -> bool {
        self.loose.is_some()
    }
    /// The value of a passive variable.
    pub(crate) fn loose<K: Kind>(&mut self, cell: &Cell<K>) {
        let Some(loose) = &mut self.loose else { return };
        let start = loose.len();
        loose.resize(start + K::Keep::BYTES, 0);
        K::Keep::encode(cell, &mut loose[start..], |cell| self.stacks.push(cell));
    }
    /// Notes that an adjoint reads the value of `id`.
    #[inline(always)]
    pub(crate) fn mark_read<K: Kind>(&mut self, id: u32) {
        self.stores.get::<K>().mark_read(id);
    }
}

/// Reads one statement.
pub struct Reader<'r> {
    /// The statement, for messages.
    pub(crate) statement: fn() -> &'static str,
    pub(crate) fixed: &'r [u8],
    pub(crate) constants: &'r [u8],
    pub(crate) loose: &'r [u8],
    pub(crate) mixed: bool,
    pub(crate) stacks: &'r mut Stacks,
}
impl<'r> Reader<'r> {
    /// The next `n` bytes of the fixed part.
    #[inline(always)]
    pub fn fixed(&mut self, n: usize) -> &'r [u8] {
        let Some((head, tail)) = self.fixed.split_at_checked(n) else {
            faulty(self.statement, "reads more than it stored")
        };
        self.fixed = tail;
        head
    }
    #[inline(always)]
    pub(crate) fn constant(&mut self, n: usize) -> &'r [u8] {
        let (head, tail) = self.constants.split_at(n);
        self.constants = tail;
        head
    }
    /// A copy of the value at `place` of the stack of its type.
    pub fn peek<T: Clone + 'static>(&mut self, place: u32) -> T {
        self.stacks.at::<T>(place).clone()
    }
    #[inline(always)]
    pub(crate) fn id(&mut self) -> u32 {
        bytemuck::pod_read_unaligned(self.fixed(4))
    }
    #[inline(always)]
    pub(crate) fn mixed(&self) -> bool {
        self.mixed
    }
    pub(crate) fn loose<K: Kind>(&mut self) -> Cell<K> {
        let (head, tail) = self.loose.split_at(K::Keep::BYTES);
        self.loose = tail;
        K::Keep::decode(head, |place| self.peek(place))
    }
    /// Checks that the statement was read to its end.
    #[inline(always)]
    pub(crate) fn finish(self) {
        if !(self.fixed.is_empty() && self.constants.is_empty() && self.loose.is_empty()) {
            faulty(self.statement, "reads less than it stored")
        }
    }
}
#[cold]
#[inline(never)]
fn faulty(statement: fn() -> &'static str, does: &str) -> ! {
    panic!(
        "{} {does}: a parameter or a saved intermediate has a faulty `Stash`",
        statement()
    )
}
