//! How far a gradient is.

/// How far the gradient of a loop is, as a callback is told ([`Checkpoints::progress`](super::Checkpoints::progress)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Progress {
    /// How many steps the loop has; unknown at first if it goes on until a condition holds.
    pub steps: Option<usize>,
    /// How many steps were made without a recording so far, those that were repeated included.
    pub advanced: usize,
    /// How many will have been made so in the end, as soon as that is known.
    pub to_advance: Option<usize>,
    /// How many steps were recorded and swept.
    pub reversed: usize,
}
/// A step that is recorded and swept counts as so many that are only made.
const RECORDED: f64 = 4.0;
impl Progress {
    /// The part of the work that is done, from 0 to 1, as soon as that is known. A step that is recorded and swept counts as
    /// four that are only made.
    ///
    /// ```
    /// # use entape_methods::checkpoint::Progress;
    /// assert_eq!(Progress::default().fraction(), None); // nobody knows how many steps there are
    /// ```
    pub fn fraction(&self) -> Option<f64> {
        let all = self.to_advance? as f64 + RECORDED * self.steps? as f64;
        let done = self.advanced as f64 + RECORDED * self.reversed as f64;
        Some(if all > 0.0 { done / all } else { 1.0 })
    }
}
