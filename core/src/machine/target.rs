//! Targets without wider instruction sets than those that the crate is compiled for.
use super::{Level, PieceLoop};

pub(super) fn widest() -> Level {
    Level::Target
}
/// The target for which this crate is compiled has vectors in any case.
#[inline(always)]
pub(super) fn run<L: PieceLoop>(_: Level, run: L) -> Result<(), L> {
    Err(run)
}
