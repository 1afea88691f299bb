//! Loops that are passed to another function.

/// A loop over pieces: a closure whose body is certain to be inlined.
pub trait PieceLoop {
    /// Runs the loop.
    fn run(self);
}
