//! What a tape is made of, and how it records.
use super::{
    block::Writer,
    statement::{FAST, Fresh, Handles, Memory, Of, SIZED, Statement, StatementType},
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
    constants: Vec<u8>,
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
    passive: bool,
}
impl LeafVisitor for Inspect {
    fn variable<K: Kind>(&mut self, meta: Meta) {
        if meta.is_passive() {
            self.passive = true;
        } else {
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
            constants: Vec::new(),
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
    /// Records a statement with a new identifier of a value kind, if it is of the frequent sort: all
    /// variables active and of this recording, a block of fixed size, its handle at hand, room left.
    /// Nothing here calls anything, so that the expression stays in registers.
    #[inline(always)]
    pub(crate) fn record_fast<K: Kind, N: Node<Kind = K>>(
        &mut self,
        node: &N,
        value: &Cell<K>,
        saves: N::Saves,
    ) -> Result<Meta, N::Saves> {
        let mut probe = Probe { expect: (self.tag as u64) << 32, odd: 0 };
        node.leaves(&mut probe);
        if probe.odd >> 32 != 0 || N::Stored::DYNAMIC || Of::<Fresh<K>, N::Stored, false>::CONSTANTS > FAST {
            return Err(saves);
        }
        let Some(handle) = self.table.cached(Of::<Fresh<K>, N::Stored, false>::STATEMENT, node) else {
            return Err(saves);
        };
        let Memory { stores, stacks } = &mut self.memory;
        let store = stores.get::<K>();
        if store.primal.len() == store.primal.capacity() {
            return Err(saves);
        }
        let Some(handles) = self.handles.room(1) else { return Err(saves) };
        let Some(block) = self.bytes.room(Of::<Fresh<K>, N::Stored, false>::FIXED) else { return Err(saves) };
        handles[0] = handle;
        node.write(saves, &mut Writer { fixed: block, loose: None, stacks, stores }, Need::Known);
        self.handles.advance(1);
        self.bytes.advance(Of::<Fresh<K>, N::Stored, false>::FIXED);
        Ok(self.new_id::<K>(value.clone()))
    }
    /// The type of statement that [`record_fast`](Self::record_fast) records. Its address is the key of
    /// the cache and may differ between code units, so the slow path takes it from the fast one.
    #[inline(always)]
    pub(crate) fn statement<K: Kind, N: Node<Kind = K>>() -> &'static Statement {
        Of::<Fresh<K>, N::Stored, false>::STATEMENT
    }
    #[inline(always)]
    fn new_id<K: Kind>(&mut self, value: Cell<K>) -> Meta {
        let store = self.memory.stores.get::<K>();
        let id = store.primal.len() as u32;
        store.primal.push(value);
        Meta::new(self.tag, id)
    }
    /// Records any statement with a new identifier of a value kind.
    pub(crate) fn record_any<K: Kind, N: Node<Kind = K>>(
        &mut self,
        node: &N,
        value: Cell<K>,
        saves: N::Saves,
        statement: &'static Statement,
    ) -> Meta {
        let mut inspect = Inspect { tag: self.tag, active: false, passive: false };
        node.leaves(&mut inspect);
        if !inspect.active {
            return Meta::PASSIVE;
        }
        if inspect.passive {
            self.record_block(Of::<Fresh<K>, N::Stored, true>::STATEMENT, node, saves)
        } else {
            self.record_block(statement, node, saves)
        }
        self.new_id::<K>(value)
    }
    fn record_block<N: Node>(&mut self, statement: &'static Statement, node: &N, saves: N::Saves) {
        self.constants.clear();
        node.constants(&mut self.constants, Need::Known);
        let (handle, inline) = self.table.find(statement, &self.constants);
        if !inline {
            self.constants.clear();
        }
        self.loose.clear();
        self.fixed.clear();
        self.fixed.resize(statement.fixed, 0);
        let loose = statement.sized.then_some(&mut self.loose);
        let Memory { stores, stacks } = &mut self.memory;
        node.write(saves, &mut Writer { fixed: &mut self.fixed, loose, stacks, stores }, Need::Known);
        let parts = [&self.loose, &self.constants, &self.fixed];
        let size = parts.iter().map(|p| p.len()).sum();
        let mut block = self.bytes.reserve(size);
        for part in parts {
            let (head, tail) = block.split_at_mut(part.len());
            head.copy_from_slice(part);
            block = tail;
        }
        if statement.sized {
            self.sizes.push(size as u32);
        }
        self.handles.push(handle);
    }

    pub(crate) fn sweep(&mut self) {
        let mut chunks = self.bytes.chunks_back();
        let mut sizes = self.sizes.end();
        let mut bytes: &mut [u8] = &mut [];
        for handles in self.handles.chunks_back() {
            for &handle in handles.iter().rev() {
                let entry = self.table.entry(handle);
                let mut size = entry.size;
                if size > bytes.len() {
                    if size == SIZED {
                        size = self.sizes.back(&mut sizes, 1)[0] as usize;
                    }
                    if size > bytes.len() {
                        assert!(bytes.is_empty(), "a statement crosses its chunk");
                        bytes = chunks.next().unwrap_or_default();
                    }
                }
                let at = bytes.len() - size;
                let (rest, block) = std::mem::take(&mut bytes).split_at_mut(at);
                bytes = rest;
                (entry.reverse)(&mut self.memory, block, &entry.constants);
            }
        }
    }
}
