//! What a tape holds.
use super::{KindStatistics, Tape};
use crate::mode::Recording;
use std::fmt;

/// Counts and bytes of a tape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// Statements recorded.
    pub statements: usize,
    /// Bytes of handles, four for each statement.
    pub handle_bytes: usize,
    /// Bytes of told sizes, four for each statement that needs one.
    pub size_bytes: usize,
    /// Bytes of blocks: identifiers, passive values, saved values.
    pub block_bytes: usize,
    /// Values that own memory and are kept on stacks.
    pub kept_values: usize,
    /// Statement types with constants, each with a handle of its own.
    pub handles: usize,
    /// Vectors of each kind.
    pub kinds: Vec<KindStatistics>,
    /// Bytes allocated for all of this and in use, now or in a former recording.
    pub allocated_bytes: usize,
    /// The most that this was so far.
    pub peak_bytes: usize,
}
impl Statistics {
    /// Bytes in use: handles, sizes, blocks, primal values and adjoints.
    pub fn bytes(&self) -> usize {
        let kinds: usize = self
            .kinds
            .iter()
            .map(|k| k.primal_bytes + k.adjoint_bytes)
            .sum();
        self.handle_bytes + self.size_bytes + self.block_bytes + kinds
    }
}
impl<M: Recording> Tape<M> {
    /// Counts and bytes.
    pub fn statistics(&self) -> Statistics {
        let inner = self.inner();
        let sizes = inner.statements.sizes(inner.table.entries());
        Statistics {
            statements: sizes.statements,
            handle_bytes: 4 * sizes.statements,
            size_bytes: 4 * sizes.sized,
            block_bytes: sizes.blocks,
            kept_values: inner.memory.stacks.values(),
            handles: inner.table.entries().len(),
            kinds: inner.memory.stores.all().map(|s| s.statistics()).collect(),
            allocated_bytes: inner.bytes(),
            peak_bytes: inner.peak.max(inner.bytes()),
        }
    }
}
impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mb = |bytes: usize| bytes as f64 / 1e6;
        writeln!(f, "statements      {:>12}", self.statements)?;
        writeln!(f, "  handles       {:>12.2} MB", mb(self.handle_bytes))?;
        writeln!(f, "  sizes         {:>12.2} MB", mb(self.size_bytes))?;
        writeln!(f, "  blocks        {:>12.2} MB", mb(self.block_bytes))?;
        writeln!(f, "  types         {:>12}", self.handles)?;
        if self.kept_values > 0 {
            writeln!(f, "  kept values   {:>12}", self.kept_values)?;
        }
        for kind in self.kinds.iter().filter(|k| k.identifiers > 0) {
            writeln!(
                f,
                "kind {:<10} {:>12} identifiers",
                kind.kind, kind.identifiers
            )?;
            writeln!(f, "  primal values {:>12.2} MB", mb(kind.primal_bytes))?;
            writeln!(f, "  adjoints      {:>12.2} MB", mb(kind.adjoint_bytes))?;
        }
        write!(
            f,
            "in use {:.2} MB, allocated {:.2} MB, peak {:.2} MB",
            mb(self.bytes()),
            mb(self.allocated_bytes),
            mb(self.peak_bytes)
        )
    }
}
