//! Statements: what is known of them by type, and the table that gives each a 32-bit handle.
//!
//! A statement type is the pair of target and expression type. Statements that differ in nothing but
//! their identifiers share a handle: the compile-time constants of the expression belong to the entry
//! of the handle and are stored once. If a type meets too many different constants, they go into the
//! bytes of its statements instead.
use super::{
    block::Reader,
    store::{Stacks, Stores},
};
use crate::{
    expr::{ConstantVisitor, Need, Node, Stored},
    kind::{Adjoint, Cell, Kind},
};
use std::{any::type_name, collections::HashMap, marker::PhantomData};

/// What a sweep works on.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) stores: Stores,
    pub(crate) stacks: Stacks,
}

/// What is known of a statement by its type.
pub(crate) struct Statement {
    pub(crate) name: fn() -> &'static str,
    /// Sweeps one statement: memory, its block (without constants), its constants.
    pub(crate) reverse: fn(&mut Memory, &mut [u8], &[u8]),
    /// Bytes of the fixed part.
    pub(crate) fixed: usize,
    /// Bytes of the constants.
    pub(crate) constants: usize,
    /// Whether the size of a block is told apart.
    pub(crate) sized: bool,
}

/// The left-hand side of a stored statement.
pub(crate) trait Target<K: Kind>: Sized + 'static {
    const FIXED: usize;
    fn load(fixed: &mut [u8], memory: &mut Memory) -> Self;
    /// Takes the adjoint and resets it.
    fn take_adjoint(&self, memory: &mut Memory) -> K::Adjoint;
    /// The value that the statement gave.
    fn result(&self, memory: &mut Memory) -> Option<Cell<K>>;
}

/// A new identifier of a value kind: the one below the last.
pub(crate) struct Fresh<K>(usize, PhantomData<K>);
impl<K: Kind> Target<K> for Fresh<K> {
    const FIXED: usize = 0;
    #[inline(always)]
    fn load(_: &mut [u8], memory: &mut Memory) -> Self {
        let store = memory.stores.get::<K>();
        store.cursor -= 1;
        Fresh(store.cursor, PhantomData)
    }
    #[inline(always)]
    fn take_adjoint(&self, memory: &mut Memory) -> K::Adjoint {
        std::mem::take(&mut memory.stores.get::<K>().adjoint[self.0])
    }
    #[inline(always)]
    fn result(&self, memory: &mut Memory) -> Option<Cell<K>> {
        Some(memory.stores.get::<K>().primal[self.0].clone())
    }
}

/// The statement type `T = S`; with `MIXED`, some of its variables are passive.
pub(crate) struct Of<T, S, const MIXED: bool>(PhantomData<(T, S)>);
impl<T: Target<S::Kind>, S: Stored, const MIXED: bool> Of<T, S, MIXED> {
    pub(crate) const FIXED: usize = S::FIXED[Need::Known as usize] + T::FIXED;
    pub(crate) const CONSTANTS: usize = S::CONSTANTS[Need::Known as usize];

    /// In this order: target, its adjoint taken, old values put back, the right side rebuilt on the
    /// values it read, the adjoints sent into the sinks.
    fn reverse(memory: &mut Memory, block: &mut [u8], constants: &[u8]) {
        let (mut loose, fixed) = block.split_at_mut(block.len() - Self::FIXED);
        let mut constants = constants;
        if Self::CONSTANTS > 0 && constants.len() != Self::CONSTANTS {
            let (head, tail) = loose.split_at_mut(loose.len() - Self::CONSTANTS);
            (loose, constants) = (head, tail);
        }
        let (lhs, rhs) = fixed.split_at_mut(T::FIXED);
        let target = T::load(lhs, memory);
        let adjoint = target.take_adjoint(memory);
        if adjoint.is_unset() {
            return;
        }
        let known = if S::READS_RESULT { target.result(memory) } else { None };
        let Memory { stores, stacks } = memory;
        let mut reader = Reader {
            fixed: rhs,
            constants,
            loose,
            mixed: MIXED,
            stacks,
        };
        let node = S::load(&mut reader, stores, Need::Known, known);
        reader.finish(type_name::<S>());
        if let Some(r_b) = adjoint.into_value() {
            node.pull(r_b, stores);
        }
    }
}

/// A statement type.
pub(crate) trait StatementType {
    const STATEMENT: &'static Statement;
}
impl<T: Target<S::Kind>, S: Stored, const MIXED: bool> StatementType for Of<T, S, MIXED> {
    const STATEMENT: &'static Statement = &Statement {
        name: type_name::<Of<T, S, MIXED>>,
        reverse: Self::reverse,
        fixed: Self::FIXED,
        constants: Self::CONSTANTS,
        sized: MIXED || S::DYNAMIC,
    };
}

/// One handle: a statement type with its constants.
pub(crate) struct Entry {
    #[allow(unused)]
    pub(crate) statement: &'static Statement,
    /// Sweeps one statement: memory, its block, its constants unless they stand in the block.
    pub(crate) reverse: fn(&mut Memory, &mut [u8], &[u8]),
    /// Bytes of the block, or [`SIZED`].
    pub(crate) size: usize,
    pub(crate) constants: Box<[u8]>,
    /// Constants stand in the block.
    inline: bool,
}
/// The size of a block stands in the stream of sizes.
pub(crate) const SIZED: usize = usize::MAX;

/// Most constant bytes that the fast look-up compares.
pub(crate) const FAST: usize = 48;
const LINES: usize = 1024;
/// Different constants of a type that get a handle of their own.
const SHARED: usize = 64;

/// A line of the cache; 64 bytes.
#[derive(Clone)]
struct Line {
    statement: usize,
    handle: u32,
    constants: [u8; FAST],
}

/// All handles of a tape, with a cache in front.
pub(crate) struct Handles {
    entries: Vec<Entry>,
    by_statement: HashMap<usize, Vec<u32>>,
    cache: Box<[Line; LINES]>,
}
impl Default for Handles {
    fn default() -> Self {
        let lines: Box<[Line]> = vec![Line { statement: 0, handle: 0, constants: [0; FAST] }; LINES].into();
        let Ok(cache) = lines.try_into() else { unreachable!("the vector has {LINES} lines") };
        Handles { entries: Vec::new(), by_statement: HashMap::new(), cache }
    }
}
impl Handles {
    #[inline(always)]
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }
    /// The handle of a statement with the constants of `node`, if the cache has it.
    #[inline(always)]
    pub(crate) fn cached<N: Node>(&self, statement: &'static Statement, node: &N) -> Option<u32> {
        let key = statement as *const Statement as usize;
        let mut hash = Hash((key >> 4) as u64);
        node.constants(&mut hash, Need::Known);
        let line = &self.cache[hash.0 as usize % LINES];
        let mut compare = Compare { with: &line.constants, different: (line.statement ^ key) as u64 };
        node.constants(&mut compare, Need::Known);
        (compare.different == 0).then_some(line.handle)
    }
    /// The handle of a statement with `constants`, and whether they go into its block.
    pub(crate) fn find(&mut self, statement: &'static Statement, constants: &[u8]) -> (u32, bool) {
        let key = statement as *const Statement as usize;
        let known = self.by_statement.entry(key).or_default();
        if let Some(&last) = known.last()
            && self.entries[last as usize].inline
        {
            return (last, true);
        }
        let inline = known.len() >= SHARED;
        let handle = known.iter().copied().find(|&h| *self.entries[h as usize].constants == *constants);
        let handle = handle.unwrap_or_else(|| {
            let handle = self.entries.len() as u32;
            let inlined = if inline { statement.constants } else { 0 };
            let size = if statement.sized { SIZED } else { statement.fixed + inlined };
            let constants = if inline { Box::default() } else { constants.into() };
            self.entries.push(Entry { statement, reverse: statement.reverse, size, constants, inline });
            known.push(handle);
            handle
        });
        if !inline && constants.len() <= FAST {
            let mut hash = Hash((key >> 4) as u64);
            constants.chunks(8).for_each(|word| hash.constant(word));
            let line = &mut self.cache[hash.0 as usize % LINES];
            line.constants[..constants.len()].copy_from_slice(constants);
            (line.statement, line.handle) = (key, handle);
        }
        (handle, inline)
    }
}

/// The words of a constant's bytes. Word by word and not by slice comparison: that would call `bcmp` on
/// the expression's address and so keep all of the expression in memory.
#[inline(always)]
fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_ne_bytes(word)
    })
}
/// Hashes constants.
struct Hash(u64);
impl ConstantVisitor for Hash {
    #[inline(always)]
    fn constant(&mut self, bytes: &[u8]) {
        for word in words(bytes) {
            self.0 = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(20);
        }
    }
}
/// Compares constants with those of a line.
struct Compare<'l> {
    with: &'l [u8],
    different: u64,
}
impl ConstantVisitor for Compare<'_> {
    #[inline(always)]
    fn constant(&mut self, bytes: &[u8]) {
        let (head, tail) = self.with.split_at(bytes.len().min(self.with.len()));
        words(head).zip(words(bytes)).for_each(|(a, b)| self.different |= a ^ b);
        self.with = tail;
    }
}
/// Collects constants.
impl ConstantVisitor for Vec<u8> {
    fn constant(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}
