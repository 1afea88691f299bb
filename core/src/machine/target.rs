//! Targets without wider instruction sets.
use super::{Level, PieceLoop};

pub(super) fn widest() -> Level {
    Level::Target
}
#[inline(always)]
pub(super) fn run<L: PieceLoop>(_: Level, run: L) -> Result<(), L> {
    Err(run)
}
