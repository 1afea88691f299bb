use super::{modes::Records, recording::TapeRecording, sequence::StreamSizes, user::Tape};
use crate::{storage::pool, store::KindStatistics};
use std::{collections::HashSet, fmt};

/// The contents of a tape: counts and bytes. `Display` prints a table.
///
/// ```
/// use entape_core::tape::Tape;
///
/// let mut tape = Tape::new();
/// let x = tape.input(2.0);
/// tape.record(|| (x * x + x).eval()); // one statement
/// let statistics = tape.statistics();
/// assert_eq!(statistics.statements, 2); // with the input
/// assert!(statistics.bytes() <= statistics.allocated_bytes);
/// println!("{statistics}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Statistics {
    /// The number of statements. An input of a value kind, or a list of such inputs, counts as one.
    pub statements: usize,
    /// The bytes of handles, four per statement.
    pub handle_bytes: usize,
    /// The bytes of sizes, four per statement that stores one.
    pub size_bytes: usize,
    /// The bytes of blocks: identifiers, passive values, saved values.
    pub block_bytes: usize,
    /// The number of values on stacks, with memory of their own: overwritten, passive, or shared by statements.
    pub kept_values: usize,
    /// The bytes of these values with their allocations; a shared value counts once.
    pub kept_bytes: usize,
    /// The number of handles: types of statements with their constants.
    pub handles: usize,
    /// The values and adjoints of each kind.
    pub kinds: Vec<KindStatistics>,
    /// The bytes pooled on this thread; see [`release_memory`](crate::storage::pool::release_memory).
    pub waiting_bytes: usize,
    /// The bytes allocated for all of this and used, now or in an earlier recording.
    pub allocated_bytes: usize,
    /// The bytes that the tape holds, used or not: tables, stages, reserved memory, and referenced values.
    pub held_bytes: usize,
    /// The maximum of `allocated_bytes` so far. A value that a variable shares with a copy may count twice.
    pub peak_bytes: usize,
}
impl Statistics {
    /// Returns the bytes in use.
    pub fn bytes(&self) -> usize {
        let kinds: usize = self
            .kinds
            .iter()
            .map(|k| k.primal_bytes + k.value_bytes + k.adjoint_bytes)
            .sum();
        self.handle_bytes + self.size_bytes + self.block_bytes + self.kept_bytes + kinds
    }
}
impl TapeRecording {
    pub(super) fn sizes(&self) -> StreamSizes {
        let entries = self.table.entries();
        self.statements
            .sizes(|handle| entries[handle as usize].size)
    }
}
impl<M: Records> Tape<M> {
    /// Returns counts and bytes of the contents of the tape.
    pub fn statistics(&self) -> Statistics {
        let (recording, adjoints) = (self.recorded(), &self.sweep.adjoints);
        let sizes = recording.sizes();
        let (values, stacks) = (recording.memory.values.all(), &recording.memory.stacks);
        let mut seen = HashSet::new();
        let kinds: Vec<_> = values.map(|v| v.statistics(adjoints, &mut seen)).collect();
        let kept = stacks.value_bytes(&mut seen);
        let owned = kept + kinds.iter().map(|k| k.value_bytes).sum::<usize>();
        let allocated = recording.bytes(adjoints) - stacks.bytes.held() + owned;
        Statistics {
            statements: sizes.statements,
            handle_bytes: 4 * sizes.statements,
            size_bytes: 4 * sizes.sized,
            block_bytes: sizes.blocks,
            kept_values: stacks.count(),
            kept_bytes: kept + stacks.handle_bytes(),
            handles: recording.table.entries().len(),
            kinds,
            waiting_bytes: pool::bytes(),
            allocated_bytes: allocated,
            held_bytes: recording.held() + self.sweep.held() + owned,
            peak_bytes: recording.peak.max(allocated),
        }
    }
    #[doc(hidden)]
    pub fn recorded_bytes(&self) -> usize {
        let recording = self.recorded();
        let (values, stacks) = (recording.memory.values.all(), &recording.memory.stacks);
        let values: usize = values.map(|v| v.primal_bytes()).sum();
        recording.statements.bytes() + values + stacks.handle_bytes() + stacks.bytes.held()
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
            writeln!(f, "    their bytes {:>15}", amount(self.kept_bytes))?;
        }
        for kind in self.kinds.iter().filter(|k| k.identifiers > 0) {
            writeln!(
                f,
                "kind {:<10} {:>12} identifiers",
                kind.kind, kind.identifiers
            )?;
            writeln!(f, "  primal values {:>15}", amount(kind.primal_bytes))?;
            if kind.value_bytes > 0 {
                writeln!(f, "    they own    {:>15}", amount(kind.value_bytes))?;
            }
            writeln!(f, "  adjoints      {:>15}", amount(kind.adjoint_bytes))?;
        }
        write!(
            f,
            "in use {}, allocated {}, held {}, peak {}",
            amount(self.bytes()),
            amount(self.allocated_bytes),
            amount(self.held_bytes),
            amount(self.peak_bytes)
        )
    }
}
pub(super) fn amount(bytes: usize) -> String {
    let (divisor, unit) = match bytes {
        0..10_000 => return format!("{bytes} B"),
        10_000..10_000_000 => (1e3, "kB"),
        _ => (1e6, "MB"),
    };
    format!("{:.2} {unit}", bytes as f64 / divisor)
}
