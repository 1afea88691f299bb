//! The reversal of consecutive equal statements.
use crate::machine::PieceLoop;

/// Decides how a sweep reverses a *batch*: consecutive statements that differ only in their variables and constants. It
/// is [`OneByOne`], [`Chained`], or a type of the DSL that chooses the instruction set.
pub trait Batch: 'static {
    /// Whether code for batches is generated. It is another copy of the code for each type of statement, which pays off
    /// if programs repeat small statements.
    const LOOPS: bool;
    /// Whether the adjoint that one statement passes to the previous one stays in registers, for values that fit into a
    /// register. Longer values, whose numbers are processed in loops, would be copied.
    const CHAINS: bool;
    /// Sweeps a batch and returns whether it did. If not, nothing has changed, and the statements are swept one by one.
    fn run(statements: impl PieceLoop) -> bool;
}
/// Sweeps each statement separately.
#[derive(Clone, Copy, Debug)]
pub struct OneByOne;
impl Batch for OneByOne {
    const LOOPS: bool = false;
    const CHAINS: bool = false;
    #[inline(always)]
    fn run(_: impl PieceLoop) -> bool {
        false
    }
}
/// Sweeps a batch in one loop, in which the adjoint between statements stays in registers.
#[derive(Clone, Copy, Debug)]
pub struct Chained;
impl Batch for Chained {
    const LOOPS: bool = true;
    const CHAINS: bool = true;
    #[inline(always)]
    fn run(statements: impl PieceLoop) -> bool {
        statements.run();
        true
    }
}
