//! Writing and reading the block of one statement.
//!
//! ```text
//! [ variable length: passive values, lists | constants, if they vary | fixed: identifiers, parameters, ... ]
//! ```
//! The type of a statement determines the size of the fixed part, so most statements do not store it. Writer and reader
//! walk the expression in one order.
use super::{
    by_kind::AllValues,
    stacks::{Counting, Stacks},
};
use crate::{
    formula::Formula,
    kind::{At, Encoding, Kind, TapeValue},
};
use bytemuck::Pod;

#[derive(Default)]
pub(crate) struct VariableLength {
    pub(crate) bytes: Vec<u8>,
    elements: Vec<u8>,
}

impl VariableLength {
    pub(crate) fn held(&self) -> usize {
        self.bytes.capacity() + self.elements.capacity()
    }
    fn next(&mut self, bytes: usize) -> &mut [u8] {
        let start = self.bytes.len();
        self.bytes.resize(start + bytes, 0);
        &mut self.bytes[start..]
    }
    #[inline(never)]
    fn append<K: Kind>(&mut self, stacks: &mut Stacks, cell: TapeValue<K>) {
        let start = self.bytes.len();
        self.bytes.resize(start + K::Encoding::BYTES, 0);
        K::Encoding::encode(cell, &mut self.bytes[start..], |cell| {
            stacks.push_passive::<K>(cell)
        });
    }
}

const SAME: u32 = 1 << 31;

/// Writes one statement.
pub struct Writer<'w> {
    pub(crate) statement: &'static Formula,
    pub(crate) fixed: &'w mut [u8],
    pub(crate) mixed: bool,
    /// Passive values and lists.
    pub(crate) variable_length: Option<&'w mut VariableLength>,
    pub(crate) lists: &'w mut [u8],
    pub(crate) stacks: &'w mut Stacks,
    pub(crate) values: &'w mut AllValues,
}
debug_by_name! { ['w] Writer<'w> }
impl<'w> Writer<'w> {
    /// Returns the next `n` fixed bytes.
    #[inline(always)]
    pub fn fixed(&mut self, n: usize) -> &'w mut [u8] {
        let Some((head, tail)) = std::mem::take(&mut self.fixed).split_at_mut_checked(n) else {
            faulty(self.statement, "writes more bytes than it declares")
        };
        self.fixed = tail;
        head
    }
    #[inline(always)]
    pub(crate) fn finish(self) {
        if !(self.fixed.is_empty() && self.lists.is_empty()) {
            faulty(self.statement, "writes fewer bytes than it declares")
        }
    }
    /// Pushes a value to the stack of its type and returns its position. Memory that it owns counts only if it is
    /// [`Shared`](crate::store::Shared).
    #[inline(always)]
    pub fn push<T: 'static>(&mut self, value: T) -> u32 {
        self.stacks.push(value)
    }
    pub(crate) fn push_shared<T: 'static>(&mut self, value: T, counting: Counting<T>) -> u32 {
        self.stacks.push_shared(value, counting)
    }
    pub(crate) fn push_constant<K: Kind>(&mut self, value: TapeValue<K>) -> u32 {
        self.stacks.push_passive::<K>(value)
    }
    #[inline(always)]
    pub(crate) fn id(&mut self, id: u32) {
        self.fixed(4).copy_from_slice(&id.to_ne_bytes());
    }
    #[inline(always)]
    pub(crate) fn mixed(&self) -> bool {
        self.mixed
    }
    /// By fields, because a reference to the writer would force it into memory.
    #[inline(always)]
    pub(crate) fn passive<K: Kind>(&mut self, cell: TapeValue<K>) {
        if let Some(variable_length) = self.variable_length.as_deref_mut() {
            variable_length.append::<K>(self.stacks, cell);
        }
    }
    #[inline(always)]
    fn list_bytes(&mut self, bytes: usize) -> &mut [u8] {
        match self.variable_length.as_deref_mut() {
            Some(variable_length) => variable_length.next(bytes),
            None => {
                let (head, tail) = std::mem::take(&mut self.lists).split_at_mut(bytes);
                self.lists = tail;
                head
            }
        }
    }
    #[inline(always)]
    pub(crate) fn elements<T: Pod>(&mut self, elements: impl ExactSizeIterator<Item = T>) {
        let length = u32::try_from(elements.len()).expect("a list has fewer than 2^32 elements");
        let into = self.list_bytes(size_of::<T>() * elements.len());
        let into = bytemuck::cast_slice_mut::<_, T>(into);
        into.iter_mut()
            .zip(elements)
            .for_each(|(into, x)| *into = x);
        self.id(length);
    }
    pub(crate) fn list(
        &mut self,
        count: usize,
        size: usize,
        constants_size: usize,
        constants: impl FnOnce(&mut Vec<u8>),
        write: impl FnOnce(&mut Writer<'_>),
    ) {
        let Some(variable_length) = self.variable_length.as_deref_mut() else {
            unreachable!("statements with lists have a variable-length part")
        };
        let mut length = u32::try_from(count)
            .ok()
            .filter(|n| n & SAME == 0)
            .expect("a list has fewer than 2^31 elements");
        let start = variable_length.bytes.len();
        constants(&mut variable_length.bytes);
        if constants_size > 0 && count > 1 {
            let mut each = variable_length.bytes[start..].chunks_exact(constants_size);
            let first = each.next();
            if each.all(|other| Some(other) == first) {
                variable_length.bytes.truncate(start + constants_size);
                length |= SAME;
            }
        }
        // Elements precede their passive values.
        let start = variable_length.bytes.len();
        variable_length.bytes.resize(start + count * size, 0);
        let mut elements = std::mem::take(&mut variable_length.elements);
        elements.clear();
        elements.resize(count * size, 0);
        let mut writer = Writer {
            statement: self.statement,
            fixed: &mut elements,
            mixed: self.mixed,
            variable_length: Some(variable_length),
            lists: &mut [],
            stacks: self.stacks,
            values: self.values,
        };
        write(&mut writer);
        writer.finish();
        variable_length.bytes[start..start + count * size].copy_from_slice(&elements);
        variable_length.elements = elements;
        self.id(length);
    }
    #[inline(always)]
    pub(crate) fn mark_read<K: Kind>(&mut self, id: u32) {
        self.values.get::<K>().mark_read(id);
    }
}

/// The bytes of a list.
#[derive(Clone, Copy, Debug)]
pub struct ListSpan {
    left: usize,
    bytes: usize,
}
impl ListSpan {
    #[inline(always)]
    pub(crate) fn of(self, variable_length: &[u8]) -> &[u8] {
        &variable_length[variable_length.len() - self.left..][..self.bytes]
    }
    #[inline(always)]
    pub(crate) fn ids(self, variable_length: &[u8]) -> &[[u8; 4]] {
        self.of(variable_length).as_chunks().0
    }
    #[inline(always)]
    pub(crate) fn count(self, size: usize) -> usize {
        self.bytes / size
    }
    #[inline(always)]
    pub(crate) fn ids_within(self, block: At) -> ListSpan {
        ListSpan {
            left: self.left - 4 * block.start,
            bytes: 4 * block.length,
        }
    }
}

/// Reads one statement.
pub struct Reader<'r> {
    pub(crate) statement: &'static Formula,
    pub(crate) fixed: &'r [u8],
    pub(crate) constants: &'r [u8],
    pub(crate) variable_length: &'r [u8],
    pub(crate) mixed: bool,
    pub(crate) stacks: &'r mut Stacks,
}
debug_by_name! { ['r] Reader<'r> }
impl<'r> Reader<'r> {
    /// Returns the next `n` fixed bytes.
    #[inline(always)]
    pub fn fixed(&mut self, n: usize) -> &'r [u8] {
        let Some((head, tail)) = self.fixed.split_at_checked(n) else {
            faulty(self.statement, "reads more bytes than it stored")
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
    /// Copies the value at `place` of the stack of its type.
    #[inline(always)]
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
    #[inline(always)]
    pub(crate) fn passive<K: Kind>(&mut self) -> TapeValue<K> {
        let (head, tail) = self.variable_length.split_at(K::Encoding::BYTES);
        self.variable_length = tail;
        K::Encoding::decode(head, |place| self.peek(place))
    }
    #[inline(always)]
    pub(crate) fn elements(&mut self, size: usize) -> ListSpan {
        let bytes = size * self.id() as usize;
        let left = self.variable_length.len();
        self.variable_length = &self.variable_length[bytes..];
        ListSpan { left, bytes }
    }
    pub(crate) fn list<T>(
        &mut self,
        size: usize,
        constants: usize,
        mut read: impl FnMut(&mut Reader<'_>) -> T,
    ) -> Vec<T> {
        let length = self.id();
        let (count, same) = ((length & !SAME) as usize, length & SAME != 0);
        let own = if same { 1 } else { count } * constants;
        let (own, rest) = self.variable_length.split_at(own);
        let (elements, rest) = rest.split_at(count * size);
        let mut reader = Reader {
            statement: self.statement,
            fixed: elements,
            constants: own,
            variable_length: rest,
            mixed: self.mixed,
            stacks: self.stacks,
        };
        let mut list = Vec::with_capacity(count);
        for i in 0..count {
            if same {
                reader.constants = own;
            }
            // An element reads only its own bytes.
            reader.fixed = &elements[i * size..][..size];
            list.push(read(&mut reader));
            if !reader.fixed.is_empty() {
                faulty(self.statement, "reads fewer bytes than it stored")
            }
        }
        if !same && !reader.constants.is_empty() {
            faulty(self.statement, "reads fewer bytes than it stored")
        }
        let left = reader.variable_length.len();
        self.variable_length = &rest[rest.len() - left..];
        list
    }
    #[inline(always)]
    pub(crate) fn finish(self) {
        if !(self.fixed.is_empty() && self.constants.is_empty() && self.variable_length.is_empty())
        {
            faulty(self.statement, "reads fewer bytes than it stored")
        }
    }
}
#[cold]
#[inline(never)]
fn faulty(statement: &'static Formula, does: &str) -> ! {
    panic!(
        "the statement {} {does}: correct the `Stash` implementation of its parameters and saved intermediates",
        statement
    )
}

/// The right-hand side in the block of a statement.
#[derive(Clone, Copy)]
pub(crate) struct RightHandSide<'b> {
    pub(crate) variable_length: &'b [u8],
    pub(crate) constants: &'b [u8],
    pub(crate) fixed: &'b [u8],
}
impl<'b> RightHandSide<'b> {
    #[inline(always)]
    pub(crate) fn reader(
        self,
        statement: &'static Formula,
        mixed: bool,
        stacks: &'b mut Stacks,
    ) -> Reader<'b> {
        let RightHandSide {
            variable_length,
            constants,
            fixed,
        } = self;
        Reader {
            statement,
            fixed,
            constants,
            variable_length,
            mixed,
            stacks,
        }
    }
}
