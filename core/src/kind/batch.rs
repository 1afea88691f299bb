//! How a sweep takes equal statements that follow each other.
use super::run::PieceLoop;

/// How a sweep takes statements that differ in nothing but their variables and constants, and follow each other: a
/// *batch*. [`OneByOne`], [`Chained`], or a type of the DSL that chooses the instruction set.
pub trait Batch: 'static {
    /// Whether there is code for batches. It is another copy for each type of statement, and worth that where programs repeat small
    /// statements.
    const LOOPS: bool;
    /// Whether the adjoint that goes from a statement to the one before stays in registers. For values that fit into one;
    /// longer ones, whose numbers are swept by loops, would be moved about.
    const CHAINS: bool;
    /// Sweeps a batch, and tells whether it did: if not, nothing is done, and the statements are swept one by one.
    fn run(statements: impl PieceLoop) -> bool;
}
/// Each statement is swept by itself.
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
/// A batch is one loop, with the adjoint that goes from statement to statement in registers.
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
