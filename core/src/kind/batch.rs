//! How a sweep reverses equal statements that follow each other.
use crate::machine::PieceLoop;

/// How a sweep reverses a *batch*: consecutive statements that differ in nothing but their variables and constants. It
/// is [`OneByOne`], [`Chained`], or a type of the DSL that chooses the instruction set.
pub trait Batch: 'static {
    /// Whether code for batches is generated. It is another copy of the code for each type of statement, which pays
    /// where programs repeat small statements.
    const LOOPS: bool;
    /// Whether the adjoint that one statement hands to the one before it stays in registers. This is for values that
    /// fit into a register; longer ones, whose numbers are processed in loops, would be copied.
    const CHAINS: bool;
    /// Sweeps a batch and returns whether it did. If not, nothing has happened, and the statements are swept one by
    /// one.
    fn run(statements: impl PieceLoop) -> bool;
}
/// Each statement is swept on its own.
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
/// A batch is one loop, in which the adjoint that goes from statement to statement stays in registers.
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
