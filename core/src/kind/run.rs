//! Loops that are handed on.

/// A loop over pieces: a closure whose body is inlined for certain.
pub trait PieceLoop {
    /// Runs the loop.
    fn run(self);
}
