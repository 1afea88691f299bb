use crate::machine::PieceLoop;

/// Reverses a *batch*: consecutive statements that differ only in variables and constants. A custom type can choose the
/// instruction set.
pub trait Batch: 'static {
    /// Whether code for batches is generated.
    const LOOPS: bool;
    /// Whether the adjoint between two statements stays in registers.
    const CHAINS: bool;
    /// Sweeps a batch, or returns false and changes nothing.
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
/// Sweeps a batch in one loop, with the adjoint between statements in registers.
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
