//! The table of 32-bit handles.
//!
//! Statements that differ only in identifiers share a handle, whose entry stores compile-time constants. If a type has
//! too many different constants, blocks store them instead.
use super::{
    directions::{SweepFunctions, Sweeps},
    numbers::NumberProgram,
    sequence::{SIZED, WORD},
    statement::{Reverse, Statement, StatementOf},
    target::Target,
};
use crate::{
    kind::Need,
    node::{ConstantVisitor, Node, Stored},
    storage::Masked,
};
use std::{cell::OnceCell, collections::HashMap, panic::Location};

#[repr(align(64))]
pub(crate) struct Entry {
    pub(crate) statement: &'static Statement,
    pub(crate) reverse: Reverse,
    pub(crate) size: usize,
    pub(crate) constants: Box<[u8]>,
    program: OnceCell<Box<NumberProgram>>,
    location: &'static Location<'static>,
    handle: u32,
    pub(super) inline: bool,
}
impl Entry {
    pub(crate) fn location(&self) -> &'static Location<'static> {
        self.location
    }
    #[inline(always)]
    pub(crate) fn sweeps(&self) -> Option<&'static Sweeps> {
        self.statement.sweeps
    }
    /// Returns the bytes after a block: the handle, and the size if stored.
    #[inline(always)]
    pub(crate) fn words(&self) -> usize {
        if self.size == SIZED { 2 * WORD } else { WORD }
    }
    #[inline(always)]
    pub(super) fn program(&self) -> &NumberProgram {
        self.program.get_or_init(|| {
            let tree = self.statement.tree;
            let tree = tree.expect("the right-hand side as data");
            let constants = (!self.inline).then_some(&*self.constants);
            let fresh = self.sweeps().is_some_and(|sweeps| sweeps.fresh);
            Box::new(NumberProgram::new(tree, constants, fresh))
        })
    }
    #[inline(always)]
    pub(super) fn number(&self) -> Option<&NumberProgram> {
        self.program
            .get()
            .map(|program| &**program)
            .filter(|program| program.fresh)
    }
    #[inline(always)]
    pub(super) fn functions(&self) -> Option<&'static SweepFunctions> {
        self.sweeps()?.functions.as_ref()
    }
    #[inline(always)]
    pub(super) fn ends(&self, tape: &[u8]) -> bool {
        tape.last_chunk() == Some(&self.handle.to_ne_bytes())
    }
}

/// The most bytes of constants that the fast look-up compares.
pub(crate) const FAST: usize = 160;
/// The bytes of constants in a line of the cache.
const IN_LINE: usize = 48;
/// Longer constants are not looked up once they vary.
pub(super) const LONG: usize = 32;
const LINES: usize = 4096;
/// The constants of a type that get separate handles.
const SHARED: usize = 64;

struct Line {
    /// The address of the type, plus one if its blocks contain the constants.
    statement: usize,
    handle: u32,
    constants: [u8; IN_LINE],
}

impl Line {
    fn empty() -> Self {
        Line {
            statement: 0,
            handle: 0,
            constants: [0; IN_LINE],
        }
    }
}

/// All handles, behind a cache of one line, which after `widen` grows when two handles need one line.
pub(crate) struct Handles {
    pub(crate) restores: bool,
    entries: Vec<Entry>,
    by_statement: HashMap<usize, Vec<u32>>,
    cache: Masked<Line>,
    most_lines: usize,
}
impl Default for Handles {
    fn default() -> Self {
        Handles {
            restores: false,
            entries: Vec::new(),
            by_statement: HashMap::new(),
            cache: Masked::new(1, Line::empty),
            most_lines: 1,
        }
    }
}
impl Handles {
    pub(crate) fn widen(&mut self) {
        self.most_lines = LINES;
    }
    fn line(&mut self, hash: usize) -> &mut Line {
        if self.cache.at(hash).statement != 0 && self.cache.len() < self.most_lines {
            self.cache = Masked::new(4 * self.cache.len(), Line::empty);
        }
        self.cache.at_mut(hash)
    }
    pub(crate) fn held(&self) -> usize {
        let constants: usize = self.entries.iter().map(|e| e.constants.len()).sum();
        let known: usize = self.by_statement.values().map(Vec::capacity).sum();
        // The map has a byte for each place and leaves one place in eight free.
        let places = (self.by_statement.capacity() * 8 / 7).next_power_of_two();
        let entries = self.entries.capacity() * size_of::<Entry>();
        let map = places * (size_of::<(usize, Vec<u32>)>() + 1);
        let programs = self.entries.iter().filter_map(|e| e.program.get());
        let programs: usize = programs
            .map(|program| size_of::<NumberProgram>() + program.held())
            .sum();
        self.cache.bytes() + entries + programs + constants + map + known * size_of::<u32>()
    }
    #[inline(always)]
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }
    pub(super) fn lay_out(&self) {
        for entry in &self.entries {
            if entry.statement.tree.is_some() {
                entry.program();
            }
        }
    }
    #[inline(always)]
    pub(crate) fn cached<N: Node>(&self, statement: &'static Statement, node: &N) -> Option<u32> {
        if const { N::Stored::CONSTANTS[Need::InSlot as usize] == 0 } {
            return self.cached_bare(statement);
        }
        let line = self.cache.at(hash_of(statement, node));
        let different = (line.statement ^ key_of(statement)) as u64;
        let bytes = N::Stored::CONSTANTS[Need::InSlot as usize];
        let with = if bytes <= IN_LINE {
            &line.constants
        } else if different == 0 {
            &*self.entries[line.handle as usize].constants
        } else {
            return None;
        };
        // A prefix would match.
        if with.len() < bytes {
            return None;
        }
        let mut compare = Compare { with, different };
        node.constants::<{ Need::InSlot as u8 }>(&mut compare);
        (compare.different == 0).then_some(line.handle)
    }
    #[inline(always)]
    fn cached_bare(&self, statement: &'static Statement) -> Option<u32> {
        let line = self.cache.at(hash_without_constants(statement));
        (line.statement == key_of(statement)).then_some(line.handle)
    }
    /// Returns the handle, and whether `constants` belong in its block. With `trace`, each place has its own handles.
    pub(super) fn find(
        &mut self,
        statement: &'static Statement,
        constants: &[u8],
        location: &'static Location<'static>,
        trace: bool,
    ) -> HandleLookup {
        let known = self.by_statement.entry(key_of(statement)).or_default();
        let here = |e: &Entry| !trace || e.location == location;
        let (entries, inline) = (
            &self.entries,
            known.len() >= SHARED && statement.constants > 0,
        );
        let fits = |e: &Entry| here(e) && (e.inline || (!inline && *e.constants == *constants));
        // From the end, where a type with varying constants has their handle.
        let handle = known
            .iter()
            .rev()
            .copied()
            .find(|&h| fits(&entries[h as usize]));
        let handle = handle.unwrap_or_else(|| {
            let handle = self.entries.len() as u32;
            let inlined = if inline { statement.constants } else { 0 };
            let size = if statement.sized {
                SIZED
            } else {
                statement.fixed + inlined
            };
            let constants = if inline {
                Box::default()
            } else {
                constants.into()
            };
            self.restores |= statement.restores;
            self.entries.push(Entry {
                statement,
                reverse: statement.reverse,
                size,
                constants,
                location,
                program: OnceCell::new(),
                handle,
                inline,
            });
            known.push(handle);
            handle
        });
        HandleLookup {
            handle,
            inline: self.entries[handle as usize].inline,
            reserved: false,
            hash: None,
        }
    }
    #[inline(always)]
    pub(crate) fn varying(&self, statement: &'static Statement) -> Option<u32> {
        let line = self.cache.at(hash_without_constants(statement));
        (line.statement == key_of(statement) + 1).then_some(line.handle)
    }
    pub(crate) fn remember_varying(&mut self, statement: &'static Statement, handle: u32) {
        let line = self.line(hash_without_constants(statement));
        (line.statement, line.handle) = (key_of(statement) + 1, handle);
    }
    #[inline]
    pub(super) fn look_up(
        &mut self,
        statement: &'static Statement,
        constants: (&[u8], usize),
        (location, trace): (&'static Location<'static>, bool),
    ) -> HandleLookup {
        let cached = match statement.constants {
            _ if trace => None,
            0 => self.cached_bare(statement).map(|handle| (handle, false)),
            1..=FAST => self.cached_with(statement, constants),
            _ => None,
        };
        match cached {
            Some((handle, inline)) => HandleLookup {
                handle,
                inline,
                reserved: true,
                hash: None,
            },
            None => HandleLookup {
                hash: (!trace).then_some(constants.1),
                ..self.find(statement, constants.0, location, trace)
            },
        }
    }
    fn cached_with(
        &self,
        statement: &'static Statement,
        (constants, hash): (&[u8], usize),
    ) -> Option<(u32, bool)> {
        let line = self.cache.at(hash);
        if line.statement != key_of(statement) {
            return Some((self.varying(statement)?, true));
        }
        let cached = match constants.len() <= IN_LINE {
            true => &line.constants[..constants.len()],
            false => &*self.entries[line.handle as usize].constants,
        };
        // Wider loads would stall on recent writes.
        let different = words(cached).zip(words(constants)).any(|(a, b)| a != b);
        match cached.len() == constants.len() && !different {
            true => Some((line.handle, false)),
            false => Some((self.varying(statement)?, true)),
        }
    }
    pub(super) fn remember(
        &mut self,
        statement: &'static Statement,
        (constants, hash): (&[u8], usize),
        found: &HandleLookup,
    ) {
        if found.inline {
            self.remember_varying(statement, found.handle);
        } else if constants.len() <= FAST {
            let line = self.line(hash);
            if let Some(here) = line.constants.get_mut(..constants.len()) {
                here.copy_from_slice(constants);
            }
            (line.statement, line.handle) = (key_of(statement), found.handle);
        }
    }
}
impl<T: Target<S::Kind>, S: Stored, const MIXED: bool> StatementOf<T, S, MIXED> {
    /// Returns the handle if it is cached, and the bytes of constants in the block.
    #[inline(always)]
    pub(super) fn cached_handle<N: Node<Stored = S>>(
        table: &Handles,
        statement: &'static Statement,
        node: &N,
    ) -> Option<(u32, usize)> {
        let first = const { Self::VARYING && Self::CONSTANTS >= LONG };
        if first && let Some(handle) = table.varying(statement) {
            return Some((handle, Self::CONSTANTS));
        }
        if const { Self::CONSTANTS <= FAST }
            && let Some(handle) = table.cached(statement, node)
        {
            return Some((handle, 0));
        }
        if const { Self::VARYING && Self::CONSTANTS < LONG }
            && let Some(handle) = table.varying(statement)
        {
            return Some((handle, Self::CONSTANTS));
        }
        None
    }
}
pub(super) struct HandleLookup {
    pub(super) handle: u32,
    pub(super) inline: bool,
    /// Whether it was cached; later, whether memory for its block is reserved.
    pub(super) reserved: bool,
    pub(super) hash: Option<usize>,
}
#[inline(always)]
fn key_of(statement: &'static Statement) -> usize {
    statement as *const Statement as usize
}
/// Zero bits of an address.
const ALIGNED: u32 = align_of::<Statement>().ilog2();
#[inline(always)]
fn hash_of<N: Node>(statement: &'static Statement, node: &N) -> usize {
    let mut hash = Hash::new(statement);
    node.constants::<{ Need::InSlot as u8 }>(&mut hash);
    hash.0 as usize
}
fn hash_without_constants(statement: &'static Statement) -> usize {
    key_of(statement) >> ALIGNED
}

pub(crate) struct CollectConstants<'c> {
    bytes: &'c mut Vec<u8>,
    hash: Hash,
}
impl<'c> CollectConstants<'c> {
    pub(super) fn new(statement: &'static Statement, bytes: &'c mut Vec<u8>) -> Self {
        bytes.clear();
        CollectConstants {
            bytes,
            hash: Hash::new(statement),
        }
    }
    pub(super) fn hash(self) -> usize {
        self.hash.0 as usize
    }
}
impl CollectConstants<'_> {
    #[inline(never)]
    fn word(&mut self, bytes: [u8; 8]) {
        self.bytes.extend_from_slice(&bytes);
        self.hash.word(u64::from_ne_bytes(bytes));
    }
    #[inline(never)]
    fn other(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.hash.constant(bytes);
    }
}
impl ConstantVisitor for CollectConstants<'_> {
    #[inline(always)]
    fn constant(&mut self, bytes: &[u8]) {
        match bytes.try_into() {
            Ok(word) => self.word(word),
            Err(_) => self.other(bytes),
        }
    }
}

/// A comparison of slices would force the expression into memory.
#[inline(always)]
fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_ne_bytes(word)
    })
}
struct Hash(u64);
impl Hash {
    #[inline(always)]
    fn new(statement: &'static Statement) -> Self {
        Hash(hash_without_constants(statement) as u64)
    }
    #[inline(always)]
    fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(20);
    }
}
impl ConstantVisitor for Hash {
    #[inline(always)]
    fn constant(&mut self, bytes: &[u8]) {
        words(bytes).for_each(|word| self.word(word));
    }
}
struct Compare<'l> {
    with: &'l [u8],
    different: u64,
}
impl ConstantVisitor for Compare<'_> {
    #[inline(always)]
    fn constant(&mut self, bytes: &[u8]) {
        let (head, tail) = self.with.split_at(bytes.len().min(self.with.len()));
        words(head)
            .zip(words(bytes))
            .for_each(|(a, b)| self.different |= a ^ b);
        self.with = tail;
    }
}
