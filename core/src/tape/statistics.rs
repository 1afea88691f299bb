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
        writeln!(f, "statements      {:>12}", self.statements)?;
        writeln!(f, "  handles       {:>15}", amount(self.handle_bytes))?;
        writeln!(f, "  sizes         {:>15}", amount(self.size_bytes))?;
        writeln!(f, "  blocks        {:>15}", amount(self.block_bytes))?;
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
            writeln!(f, "  primal values {:>15}", amount(kind.primal_bytes))?;
            writeln!(f, "  adjoints      {:>15}", amount(kind.adjoint_bytes))?;
        }
        write!(
            f,
            "in use {}, allocated {}, peak {}",
            amount(self.bytes()),
            amount(self.allocated_bytes),
            amount(self.peak_bytes)
        )
    }
}
/// Bytes in a unit that suits them.
fn amount(bytes: usize) -> String {
    let (divisor, unit) = match bytes {
        0..10_000 => return format!("{bytes} B"),
        10_000..10_000_000 => (1e3, "kB"),
        _ => (1e6, "MB"),
    };
    format!("{:.2} {unit}", bytes as f64 / divisor)
}
