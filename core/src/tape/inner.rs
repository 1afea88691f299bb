//! What a tape is made of, and how it records.
use super::{
    block::Writer,
    statement::{FAST, Fresh, Handles, Memory, Of},
    stream::Stream,
};
use crate::{
    expr::{LeafVisitor, Need, Node, Stored},
    kind::{Cell, Kind},
    mode::Meta,
};

pub(crate) struct Inner {
    pub(crate) tag: u32,
    pub(crate) handles: Stream<u32>,
    pub(crate) sizes: Stream<u32>,
    pub(crate) bytes: Stream<u8>,
    pub(crate) table: Handles,
    pub(crate) memory: Memory,
    loose: Vec<u8>,
    fixed: Vec<u8>,
}

/// Finds in one pass whether all variables are active and of this recording.
struct Probe {
    expect: u64,
    odd: u64,
}
impl LeafVisitor for Probe {
    #[inline(always)]
    fn variable<K: Kind>(&mut self, meta: Meta) {
        self.odd |= meta.bits() ^ self.expect;
    }
}
/// Looks at each variable.
struct Inspect {
    tag: u32,
    active: bool,
}
impl LeafVisitor for Inspect {
    fn variable<K: Kind>(&mut self, meta: Meta) {
        if !meta.is_passive() {
            assert!(
                meta.tag() == self.tag,
                "a variable of another tape or of an older recording"
            );
            self.active = true;
        }
    }
}

impl Inner {
    pub(crate) fn new(tag: u32) -> Self {
        Inner {
            tag,
            handles: Stream::new(1 << 18),
            sizes: Stream::new(1 << 16),
            bytes: Stream::new(1 << 20),
            table: Handles::default(),
            memory: Memory::default(),
            loose: Vec::new(),
            fixed: Vec::new(),
        }
    }
    pub(crate) fn clear(&mut self) {
        self.handles.truncate(Default::default());
        self.sizes.truncate(Default::default());
        self.bytes.truncate(Default::default());
        self.memory.stores.clear();
        self.memory.stacks.clear();
    }
    /// Records a statement with a new identifier of a value kind.
    #[inline(always)]
    pub(crate) fn record_fresh<K: Kind, N: Node<Kind = K>>(
        &mut self,
        node: &N,
        value: &Cell<K>,
        saves: N::Saves,
    ) -> Meta {
        let mut probe = Probe {
            expect: (self.tag as u64) << 32,
            odd: 0,
        };
        node.leaves(&mut probe);
        let constants = Of::<Fresh<K>, N::Stored, false>::CONSTANTS;
        if probe.odd >> 32 == 0 && !N::Stored::DYNAMIC && constants <= FAST {
            let mut buffer = [0; FAST];
            node.constants(&mut &mut buffer[..constants], Need::Known);
            let buffer = &buffer[..constants];
            let (handle, inline) = self
                .table
                .find(Of::<Fresh<K>, N::Stored, false>::STATEMENT, buffer);
            let fixed = Of::<Fresh<K>, N::Stored, false>::FIXED;
            let mut block = if constants > 0 && inline {
                let (head, tail) = self
                    .bytes
                    .reserve(constants + fixed)
                    .split_at_mut(constants);
                head.copy_from_slice(buffer);
                tail
            } else {
                self.bytes.reserve(fixed)
            };
            let Memory { stores, stacks } = &mut self.memory;
            block = &mut block[..fixed];
            node.write(
                saves,
                &mut Writer {
                    fixed: block,
                    loose: None,
                    stacks,
                    stores,
                },
                Need::Known,
            );
            self.handles.push(handle);
            self.new_id::<K>(value)
        } else {
            self.record_mixed(node, value, saves)
        }
    }
    #[inline(always)]
    fn new_id<K: Kind>(&mut self, value: &Cell<K>) -> Meta {
        let store = self.memory.stores.get::<K>();
        let id = store.primal.len() as u32;
        store.primal.push(value.clone());
        Meta::new(self.tag, id)
    }
    #[inline(never)]
    fn record_mixed<K: Kind, N: Node<Kind = K>>(
        &mut self,
        node: &N,
        value: &Cell<K>,
        saves: N::Saves,
    ) -> Meta {
        let mut inspect = Inspect {
            tag: self.tag,
            active: false,
        };
        node.leaves(&mut inspect);
        if !inspect.active {
            return Meta::PASSIVE;
        }
        self.fixed.clear();
        self.fixed
            .resize(Of::<Fresh<K>, N::Stored, true>::CONSTANTS, 0);
        node.constants(&mut &mut self.fixed[..], Need::Known);
        let (handle, inline) = self
            .table
            .find(Of::<Fresh<K>, N::Stored, true>::STATEMENT, &self.fixed);
        self.loose.clear();
        let inlined = if inline { self.fixed.len() } else { 0 };
        let constants = std::mem::take(&mut self.fixed);
        let mut fixed = vec![0; Of::<Fresh<K>, N::Stored, true>::FIXED];
        let Memory { stores, stacks } = &mut self.memory;
        node.write(
            saves,
            &mut Writer {
                fixed: &mut fixed,
                loose: Some(&mut self.loose),
                stacks,
                stores,
            },
            Need::Known,
        );
        let size = self.loose.len() + inlined + fixed.len();
        let block = self.bytes.reserve(size);
        let (loose, rest) = block.split_at_mut(self.loose.len());
        loose.copy_from_slice(&self.loose);
        rest[..inlined].copy_from_slice(&constants[..inlined]);
        rest[inlined..].copy_from_slice(&fixed);
        self.fixed = constants;
        self.sizes.push(size as u32);
        self.handles.push(handle);
        self.new_id::<K>(value)
    }

    pub(crate) fn sweep(&mut self) {
        let mut handles = self.handles.end();
        let mut bytes = self.bytes.end();
        let mut sizes = self.sizes.end();
        let mut left = self.handles.sizes().0;
        while left > 0 {
            left -= 1;
            let handle = self.handles.back(&mut handles, 1)[0];
            let entry = self.table.entry(handle);
            let statement = entry.statement;
            let size = if statement.sized {
                self.sizes.back(&mut sizes, 1)[0] as usize
            } else {
                statement.fixed + if entry.inline { statement.constants } else { 0 }
            };
            let block = self.bytes.back(&mut bytes, size);
            if entry.inline {
                // [loose | constants | fixed] to [loose | fixed] and constants
                let at = size - statement.fixed - statement.constants;
                let mut constants = block[at..at + statement.constants].to_vec();
                block[at..].rotate_left(statement.constants);
                (statement.reverse)(
                    &mut self.memory,
                    &mut block[..size - statement.constants],
                    &constants,
                );
                block[at..].rotate_right(statement.constants);
                constants.clear();
            } else {
                (statement.reverse)(&mut self.memory, block, &entry.constants);
            }
        }
    }
}
