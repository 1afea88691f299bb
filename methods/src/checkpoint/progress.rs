//! The progress of a gradient.

/// The progress of the gradient of a loop, as passed to the callback of
/// [`Checkpoints::progress`](super::Checkpoints::progress).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Progress {
    /// The number of steps of the loop; unknown at first if the loop runs until a condition holds.
    pub steps: Option<usize>,
    /// The number of steps made without a recording so far, including repeated ones.
    pub advanced: usize,
    /// The final value of `advanced`, as soon as it is known.
    pub to_advance: Option<usize>,
    /// The number of steps recorded and swept.
    pub reversed: usize,
}
/// Cost of recording and sweeping a step, in steps without a recording.
const RECORDED: f64 = 4.0;
impl Progress {
    /// Returns the finished part of the work, from 0 to 1, as soon as it is known. A step that is recorded and swept counts
    /// as four steps without a recording.
    ///
    /// ```
    /// # use entape_methods::checkpoint::Progress;
    /// assert_eq!(Progress::default().fraction(), None); // the number of steps is not known yet
    /// ```
    pub fn fraction(&self) -> Option<f64> {
        let all = self.to_advance? as f64 + RECORDED * self.steps? as f64;
        let done = self.advanced as f64 + RECORDED * self.reversed as f64;
        Some(if all > 0.0 { done / all } else { 1.0 })
    }
}
