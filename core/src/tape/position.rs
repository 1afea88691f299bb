use super::sequence::Mark;

/// A position between two statements of a recording, for sweeps and resets.
///
/// ```
/// use entape_core::tape::Tape;
///
/// let mut tape = Tape::new();
/// let x = tape.input(3.0);
/// let y = tape.record(|| (x * x).eval());
/// let middle = tape.position();
/// for factor in [1.0, 10.0] {
///     let z = tape.record(|| (factor * y * y).eval());
/// // down to the position: the derivative with respect to the variables recorded before it
///     tape.seed(&z, 1.0)?;
///     assert_eq!(tape.sweep_to(&middle)?.wrt(&y)?, 18.0 * factor);
///     assert_eq!(tape.gradient(&z)?.wrt(&x)?, 108.0 * factor);
/// // removes `z` and keeps `x` and `y`
///     tape.reset_to(&middle)?;
/// }
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    pub(super) tag: u32,
    pub(super) mark: Mark,
    pub(super) identifiers: Vec<usize>,
    pub(super) kept: Vec<usize>,
}
