//! The fast path of recording: statements in place, if their variables are active and of this recording, the handle is
//! cached, and the size known.
use super::{
    recording::{NOBODY, TapeRecording},
    sequence::{Mark, SMALL, Sequence, WORD},
    statement::{Statement, StatementOf},
    target::{FreshTarget, OverwrittenTarget, Target},
};
use crate::{
    kind::{Kind, Need, Policy, Slot, TapeValue, VariableId},
    node::{LeafVisitor, Node, Stored},
    store::{AllValues, RecordedValues, Writer},
};

struct Probe<'t> {
    tag: u32,
    values: Option<&'t AllValues>,
    all: bool,
    /// The chosen side of a choice may lack variables.
    any: bool,
    flat: i32,
}
impl<'t> Probe<'t> {
    #[inline(always)]
    fn accepts<N: Node>(node: &N, tag: u32, values: Option<&'t AllValues>) -> bool {
        let mut probe = Probe {
            tag,
            values,
            all: true,
            any: false,
            flat: 0,
        };
        node.leaves(&mut probe);
        probe.all && probe.any
    }
}
impl LeafVisitor for Probe<'_> {
    #[inline(always)]
    fn variable<K: Kind>(&mut self, variable: VariableId) {
        self.all &= variable.tag == self.tag;
        self.any |= self.flat == 0;
    }
    #[inline(always)]
    fn variables<K: Kind>(&mut self, variables: impl ExactSizeIterator<Item = VariableId> + Clone) {
        let any = self.any || self.flat == 0 && variables.len() > 0;
        for variable in variables {
            self.variable::<K>(variable);
        }
        self.any = any;
    }
    #[inline(always)]
    fn flat(&mut self, depth: i32) {
        self.flat += depth;
    }
    #[inline(always)]
    fn copied<K: Kind>(&mut self, variable: VariableId, version: Option<u32>) {
        self.variable::<K>(variable);
        if let Some(version) = version {
            let current = |values: &AllValues| values.is_current::<K>(variable.id, version);
            self.all &= self.values.is_some_and(current);
        }
    }
}

/// Whether all variables are active and of this recording, and the block is small and of fixed size.
#[inline(always)]
pub(crate) fn takes_fast_path<N: Node>(node: &N, tag: u32) -> bool {
    StatementOf::<FreshTarget<N::Kind>, N::Stored, false>::FAST_PATH
        && Probe::accepts(node, tag, None)
}

pub(crate) trait FreshValues {
    type Ids;
    /// Returns identifiers, and whether memory for the next statements is reserved.
    fn append(self, values: &mut AllValues) -> (Self::Ids, bool);
}
pub(crate) struct FreshValue<K: Kind>(pub(crate) TapeValue<K>);
impl<K: Kind> FreshValues for FreshValue<K> {
    type Ids = u32;
    #[inline(always)]
    fn append(self, values: &mut AllValues) -> (u32, bool) {
        (values.get::<K>().append_reserved(self.0), true)
    }
}
macro_rules! fresh_values { ($($($K:ident $i:tt)*;)*) => { $(
    impl<$($K: Kind),*> FreshValues for ($(FreshValue<$K>,)*) {
        type Ids = [u32; [$($i),*].len()];
        #[inline(always)]
        fn append(self, values: &mut AllValues) -> (Self::Ids, bool) {
            let ids = [$(self.$i.append(values).0),*];
            (ids, true $(&& values.get::<$K>().has_room())*)
        }
    }
)* } }
for_tuples! { fresh_values }

#[inline(always)]
fn write<N: Node>(
    node: &N,
    saves: N::Saves,
    memory: &mut RecordedValues,
    (lists, fixed): (&mut [u8], &mut [u8]),
) {
    let RecordedValues { values, stacks } = memory;
    let mut writer = Writer {
        statement: &N::Stored::FORMULA,
        fixed,
        mixed: false,
        variable_length: None,
        lists,
        stacks,
        values,
    };
    node.write::<{ Need::InSlot as u8 }>(saves, &mut writer);
    writer.finish();
}

#[derive(Clone, Copy)]
struct Sizes {
    lists: usize,
    constants: usize,
    fixed: usize,
}
impl Sizes {
    #[inline(always)]
    fn of<N: Node>(node: &N, constants: usize, fixed: usize) -> Self {
        Sizes {
            lists: match N::Stored::DYNAMIC {
                true => node.variable_length::<{ Need::InSlot as u8 }>(),
                false => 0,
            },
            constants,
            fixed,
        }
    }
    #[inline(always)]
    fn all(self) -> usize {
        self.lists + self.constants + self.fixed
    }
    #[inline(always)]
    fn split<'b, N: Node>(self, node: &N, block: &'b mut [u8]) -> (&'b mut [u8], &'b mut [u8]) {
        let (lists, rest) = block.split_at_mut(self.lists);
        (lists, varying(node, self.constants, rest))
    }
}

#[inline(always)]
fn varying<'b, N: Node>(node: &N, constants: usize, block: &'b mut [u8]) -> &'b mut [u8] {
    if const { N::Stored::CONSTANTS[Need::InSlot as usize] == 0 } {
        return block;
    }
    let (mut head, fixed) = block.split_at_mut(constants);
    if constants > 0 {
        node.constants::<{ Need::InSlot as u8 }>(&mut head);
    }
    fixed
}

/// Removes a counted statement if writing it panics.
pub(super) struct Unwritten<'w> {
    pub(super) statements: &'w mut Sequence,
    pub(super) before: Mark,
}
impl Drop for Unwritten<'_> {
    fn drop(&mut self) {
        self.statements.truncate(self.before);
    }
}

impl TapeRecording {
    /// Records a statement on the [fast path](takes_fast_path) with new linear identifiers, if its
    /// handle is cached. Checks afterwards whether the next statement fits.
    #[inline(always)]
    pub(crate) fn record_fast<N: Node, V: FreshValues>(
        &mut self,
        node: &N,
        new: V,
        saves: N::Saves,
        statement: &'static Statement,
    ) -> Result<V::Ids, N::Saves> {
        let cached = StatementOf::<FreshTarget<N::Kind>, N::Stored, false>::cached_handle(
            &self.table,
            statement,
            node,
        );
        let Some((handle, constants)) = cached else {
            return Err(saves);
        };
        let fixed = StatementOf::<FreshTarget<N::Kind>, N::Stored, false>::FIXED;
        let mut size = constants + fixed;
        // Before an identifier is assigned, because code of a DSL may panic.
        if N::Stored::DYNAMIC {
            let sizes = Sizes::of(node, constants, fixed);
            size = sizes.all() + WORD;
            if size > SMALL {
                return self.record_long(node, new, saves, sizes, handle);
            }
            let block = self.statements.next_sized(sizes.all(), handle);
            write(node, saves, &mut self.memory, sizes.split(node, block));
        } else {
            let block = self.statements.next(size, handle);
            let rhs = varying(node, constants, block);
            write(node, saves, &mut self.memory, (&mut [], rhs));
        }
        let (ids, room) = new.append(&mut self.memory.values);
        if !self.statements.take(size) || !room {
            self.next_window();
        }
        Ok(ids)
    }
    #[inline(never)]
    fn record_long<N: Node, V: FreshValues>(
        &mut self,
        node: &N,
        new: V,
        saves: N::Saves,
        sizes: Sizes,
        handle: u32,
    ) -> Result<V::Ids, N::Saves> {
        let statements = Unwritten {
            before: self.statements.end(),
            statements: &mut self.statements,
        };
        let Ok(block) = statements.statements.append(sizes.all(), handle, true) else {
            // The slow path detects and reports this again.
            std::mem::forget(statements);
            return Err(saves);
        };
        write(node, saves, &mut self.memory, sizes.split(node, block));
        std::mem::forget(statements);
        let (ids, _) = new.append(&mut self.memory.values);
        self.next_window();
        Ok(ids)
    }
    #[inline(always)]
    pub(crate) fn record_kept<K: Kind, N: Node<Kind = K>>(
        &mut self,
        node: &N,
        value: TapeValue<K>,
        saves: N::Saves,
        old: Option<u32>,
    ) -> Result<(VariableId, Slot), N::Saves> {
        let tag = self.accepts;
        let fixed = StatementOf::<OverwrittenTarget<K>, N::Stored, false>::FIXED;
        let fast = StatementOf::<OverwrittenTarget<K>, N::Stored, false>::FAST_PATH
            && !self.keeps_values();
        if !fast || !Probe::accepts(node, tag, Some(&self.memory.values)) {
            return Err(saves);
        }
        let statement = StatementOf::<OverwrittenTarget<K>, N::Stored, false>::STATEMENT;
        let cached = StatementOf::<OverwrittenTarget<K>, N::Stored, false>::cached_handle(
            &self.table,
            statement,
            node,
        );
        let Some((handle, constants)) = cached else {
            return Err(saves);
        };
        let sizes = Sizes::of(node, constants, fixed);
        let size = sizes.all() + if N::Stored::DYNAMIC { WORD } else { 0 };
        if N::Stored::DYNAMIC && size > SMALL {
            return Err(saves);
        }
        let Some(id) = old.or_else(|| self.memory.values.reuse::<K>(&value)) else {
            return Err(saves);
        };
        let block = match N::Stored::DYNAMIC {
            true => self.statements.next_sized(sizes.all(), handle),
            false => self.statements.next(size, handle),
        };
        let (lists, block) = sizes.split(node, block);
        let (lhs, rhs) = block.split_at_mut(<OverwrittenTarget<K> as Target<K>>::FIXED);
        write(node, saves, &mut self.memory, (lists, rhs));
        let read = N::Stored::READS_RESULT;
        let broken = self.broken;
        // If `Drop` panics, the new value lacks a statement.
        self.broken |= std::mem::needs_drop::<TapeValue<K>>();
        let version = OverwrittenTarget::<K>::write(&mut self.memory, lhs, id, value, read);
        self.broken = broken;
        let slot = self.memory.values.get::<K>().slot_with(version);
        if K::Policy::STORAGE && self.memory.stacks.bytes.are_many() {
            self.accepts = NOBODY;
        }
        if !self.statements.take(size) {
            self.next_window();
        }
        Ok((VariableId { id, tag }, slot))
    }
}
