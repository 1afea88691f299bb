//! What a tape is made of, and how it records.
use super::{
    block::Writer,
    chunks::{Chunks, pop_handle, pop_size},
    statement::{FAST, Fresh, Handles, Memory, Of, SIZED, Statement, StatementType},

};
use crate::{
    expr::{LeafVisitor, Need, Node, Stored},
    kind::{Cell, Kind},
    mode::Meta,
};

pub(crate) struct Inner {
    pub(crate) tag: u32,
    pub(crate) statements: Chunks,
    pub(crate) table: Handles,
    pub(crate) memory: Memory,
    loose: Vec<u8>,
    constants: Vec<u8>,
    fixed: Vec<u8>,
}

/// Finds in one pass whether all variables are active and of this recording.
struct Probe {
    tag: u32,
    all: bool,
}
impl LeafVisitor for Probe {
    #[inline(always)]
    fn variable<K: Kind>(&mut self, meta: Meta) {
        self.all &= meta.tag == self.tag;
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
                meta.tag == self.tag,
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
            statements: Chunks::new(1 << 20),
            table: Handles::default(),
            memory: Memory::default(),
            loose: Vec::new(),
            constants: Vec::new(),
            fixed: Vec::new(),
        }
    }
    pub(crate) fn clear(&mut self) {
        self.statements.truncate(Default::default());
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
        let tag = self.tag;
        let mut probe = Probe { tag, all: true };
        node.leaves(&mut probe);
        if !probe.all || N::Stored::DYNAMIC || Of::<Fresh<K>, N::Stored, false>::CONSTANTS > FAST {
            return Err(saves);
        }
        let Some(handle) = self.table.cached(Of::<Fresh<K>, N::Stored, false>::STATEMENT, node) else {
            return Err(saves);
        };
        let fixed = Of::<Fresh<K>, N::Stored, false>::FIXED;
        let Some(block) = self.statements.append_here(fixed, handle) else { return Err(saves) };
        let Memory { stores, stacks } = &mut self.memory;
        node.write(saves, &mut Writer { fixed: block, loose: None, stacks, stores }, Need::Known);
        Ok(Meta { id: stores.get::<K>().append(value.clone()), tag })
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
        Meta { id, tag: self.tag }
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
        let mut block = self.statements.append(size, handle, statement.sized);
        for part in parts {
            let (head, tail) = block.split_at_mut(part.len());
            head.copy_from_slice(part);
            block = tail;
        }
    }

    pub(crate) fn sweep(&mut self) {
        let entries = self.table.entries();
        for (mut blocks, mut handles) in self.statements.after(Default::default()).into_iter().rev() {
            while let Some(handle) = pop_handle(&mut handles) {
                let entry = &entries[handle as usize];
                let mut size = entry.size;
                if size == SIZED {
                    size = pop_size(&mut handles);
                }
                let at = blocks.len() - size;
                let (rest, block) = blocks.split_at_mut(at);
                blocks = rest;
                (entry.reverse)(&mut self.memory, block, &entry.constants);
            }
        }
    }
}
