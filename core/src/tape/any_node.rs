//! Type-erased expressions for rare cases of recording.
use super::{
    activity::{Inspect, Reads, VariablesFound},
    handles::CollectConstants,
    statement::Statement,
};
use crate::{
    kind::{Need, VariableId},
    node::{Node, Stored},
    store::Writer,
    tape::TapeRecording,
};

pub(crate) trait AnyNode {
    fn inspect(&self, visitor: &mut Inspect<'_>);
    fn find(&self, visitor: &mut Reads);
    fn constants(&self, to: &mut CollectConstants<'_>);
    fn write(&mut self, writer: &mut Writer<'_>);
}
pub(crate) struct Erased<'n, N: Node> {
    node: &'n N,
    saves: Option<N::Saves>,
}
impl<'n, N: Node> Erased<'n, N> {
    pub(crate) fn new(node: &'n N, saves: N::Saves) -> Self {
        let saves = Some(saves);
        Erased { node, saves }
    }
}
impl<N: Node> AnyNode for Erased<'_, N> {
    fn inspect(&self, visitor: &mut Inspect<'_>) {
        self.node.leaves(visitor);
    }
    fn find(&self, visitor: &mut Reads) {
        self.node.leaves(visitor);
    }
    fn constants(&self, to: &mut CollectConstants<'_>) {
        if const { N::Stored::CONSTANTS[Need::InSlot as usize] > 0 } {
            self.node.constants::<{ Need::InSlot as u8 }>(to);
        }
    }
    fn write(&mut self, writer: &mut Writer<'_>) {
        if let Some(saves) = self.saves.take() {
            self.node.write::<{ Need::InSlot as u8 }>(saves, writer);
        }
    }
}

#[inline]
#[track_caller]
pub(super) fn inspect(
    node: &dyn AnyNode,
    statement: &Statement,
    tape: &TapeRecording,
) -> VariablesFound {
    let mut seen = Inspect::new(Some(tape));
    node.inspect(&mut seen);
    seen.found(statement.formula, true)
}
#[cold]
#[track_caller]
pub(crate) fn refuse_any(node: &dyn AnyNode, statement: &Statement) -> VariableId {
    let mut seen = Inspect::new(None);
    node.inspect(&mut seen);
    seen.refuse(statement.formula)
}
