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
    expr::{Need, Stored},
    kind::{Adjoint, Cell, Hold, Kind},
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
    pub(crate) const STATEMENT: &'static Statement = &Statement {
        name: type_name::<Of<T, S, MIXED>>,
        reverse: Self::reverse,
        fixed: Self::FIXED,
        constants: Self::CONSTANTS,
        sized: MIXED || S::DYNAMIC,
    };

    /// In this order: target, its adjoint taken, old values put back, the right side rebuilt on the
    /// values it read, the adjoints sent into the sinks.
    fn reverse(memory: &mut Memory, block: &mut [u8], constants: &[u8]) {
        let (loose, fixed) = block.split_at_mut(block.len() - Self::FIXED);
        let (lhs, rhs) = fixed.split_at_mut(T::FIXED);
        let target = T::load(lhs, memory);
        let adjoint = target.take_adjoint(memory);
        if adjoint.is_unset() {
            return;
        }
        let known = target.result(memory);
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

/// One handle: a statement type with its constants.
pub(crate) struct Entry {
    pub(crate) statement: &'static Statement,
    pub(crate) constants: Box<[u8]>,
    /// Constants stand in the block.
    pub(crate) inline: bool,
}

/// Most constant bytes that the fast look-up compares.
pub(crate) const FAST: usize = 64;
const LINES: usize = 512;
/// Different constants of a type that get a handle of their own.
const SHARED: usize = 64;

#[derive(Clone)]
struct Line {
    statement: usize,
    handle: u32,
    inline: bool,
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
        let line = Line {
            statement: 0,
            handle: 0,
            inline: false,
            constants: [0; FAST],
        };
        let lines: Box<[Line]> = vec![line; LINES].into();
        let Ok(cache) = lines.try_into() else {
            unreachable!("the vector has {LINES} lines")
        };
        Handles {
            entries: Vec::new(),
            by_statement: HashMap::new(),
            cache,
        }
    }
}
impl Handles {
    #[inline(always)]
    pub(crate) fn entry(&self, handle: u32) -> &Entry {
        &self.entries[handle as usize]
    }
    /// The handle of a statement with these constants, and whether the constants go into its block.
    #[inline(always)]
    pub(crate) fn find(&mut self, statement: &'static Statement, constants: &[u8]) -> (u32, bool) {
        let key = statement as *const Statement as usize;
        let line = &self.cache[slot(key, constants)];
        if line.statement == key && line.constants[..constants.len()] == *constants {
            (line.handle, line.inline)
        } else {
            self.find_slow(statement, constants)
        }
    }
    #[cold]
    #[inline(never)]
    fn find_slow(&mut self, statement: &'static Statement, constants: &[u8]) -> (u32, bool) {
        let key = statement as *const Statement as usize;
        let known = self.by_statement.entry(key).or_default();
        let inline = known.len() >= SHARED;
        let found = known.iter().copied().find(|&h| {
            let e = &self.entries[h as usize];
            e.inline || *e.constants == *constants
        });
        let handle = found.unwrap_or_else(|| {
            let handle = self.entries.len() as u32;
            let constants = if inline {
                Box::default()
            } else {
                constants.into()
            };
            self.entries.push(Entry {
                statement,
                constants,
                inline,
            });
            known.push(handle);
            handle
        });
        let inline = self.entries[handle as usize].inline;
        if !inline && constants.len() <= FAST {
            let line = &mut self.cache[slot(key, constants)];
            line.constants[..constants.len()].copy_from_slice(constants);
            (line.statement, line.handle, line.inline) = (key, handle, inline);
        }
        (handle, inline)
    }
}

#[inline(always)]
fn slot(key: usize, constants: &[u8]) -> usize {
    let mut hash = (key >> 4) as u64;
    for word in constants.chunks(8) {
        let mut bytes = [0; 8];
        bytes[..word.len()].copy_from_slice(word);
        hash = (hash ^ u64::from_ne_bytes(bytes))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(20);
    }
    hash as usize % LINES
}

#[allow(unused)]
fn _hold<V: Clone + 'static>(v: V) -> V {
    Hold::take(v)
}
