/// The progress of a gradient, see [`Checkpoints::progress`](super::Checkpoints::progress).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Progress {
    /// The number of steps of the loop, if known.
    pub steps: Option<usize>,
    /// The number of steps without a recording so far, with repetitions.
    pub advanced: usize,
    /// The final value of `advanced`, if known.
    pub to_advance: Option<usize>,
    /// The number of steps recorded and swept.
    pub reversed: usize,
}
/// In plain steps.
const RECORDED: f64 = 4.0;
impl Progress {
    /// Returns the finished part, from 0 to 1, if known. A swept step counts as four plain ones.
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
