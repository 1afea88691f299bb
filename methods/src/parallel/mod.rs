//! Derivatives on many cores.
//!
//! Each thread reuses its own tape, and runs a closure that creates variables from plain values.
//!
//! ```
//! use entape_core::{expr::Active, real::Elementary};
//! use entape_methods::parallel::Parallel;
//!
//! // the sum of squared residuals of a decay, over a million measurements
//! let measured: Vec<f64> = (0..1_000_000).map(|i| (-3e-6 * i as f64).exp()).collect();
//! let square = |x: &[Active<f64>], i: usize| {
//!     (x[0] * (x[1] * i as f64).exp() - measured[i]).powi(2)
//! };
//! let (value, gradient) = Parallel::new().sum(measured.len(), square, &[1.0, -3e-6])?;
//! assert!(value < 1e-20 && gradient[0].abs() < 1e-9);
//! # Ok::<(), entape_core::tape::Error>(())
//! ```
//!
//! | | |
//! |---|---|
//! | [`sum`](Parallel::sum) | the value and the gradient of a sum over data or Monte Carlo batches |
//! | [`map`](Parallel::map) | independent parts, as one statement of a larger program |
//! | [`jacobian`](Parallel::jacobian), [`hessian`](Parallel::hessian) | all rows of a matrix, in blocks of eight |
//!
//! # The number of threads
//!
//! All methods run on the global pool of `rayon`, or on the pool in which they are called: `pool.install(|| ..)`. No
//! bit of the result depends on the number of threads: the number of terms determines the blocks, and a fixed tree
//! their order. [`any_order`](Parallel::any_order) lifts this restriction.
//!
//! # Panics and errors
//!
//! A method returns the error of the first failing term. A panic of a term continues in the caller. Tapes remain
//! usable.
mod matrices;
mod parts;
mod sum;

use std::{
    fmt,
    ops::Range,
    sync::atomic::{AtomicUsize, Ordering},
};

/// Divides sums and matrices among threads.
///
/// ```
/// use entape_core::expr::Active;
/// use entape_methods::parallel::Parallel;
///
/// let term = |x: &[Active<f64>], i: usize| x[0] * i as f64;
/// let (value, gradient) = Parallel::new().block(10).sum(101, term, &[2.0])?;
/// assert_eq!((value, gradient), (2.0 * 5050.0, [5050.0]));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[derive(Default)]
pub struct Parallel<'c> {
    block: Option<usize>,
    any_order: bool,
    progress: Option<Tell<'c>>,
}
type Tell<'c> = Box<dyn Fn(&Progress) + Send + Sync + 'c>;

/// The progress of a sum or a matrix, see [`Parallel::progress`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Progress {
    /// The terms added, or rows computed, so far.
    pub done: usize,
    /// The total number of terms or rows.
    pub all: usize,
}
impl Progress {
    /// Returns the finished part, from 0 to 1.
    pub fn fraction(&self) -> f64 {
        if self.all == 0 {
            return 1.0;
        }
        self.done as f64 / self.all as f64
    }
}

impl fmt::Debug for Parallel<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parallel")
            .field("block", &self.block)
            .field("any_order", &self.any_order)
            .finish_non_exhaustive()
    }
}
/// The default maximum of terms recorded at once.
const LARGEST: usize = 4096;
const BLOCKS: usize = 64;
impl<'c> Parallel<'c> {
    /// Adds in a fixed order, without a callback.
    pub fn new() -> Self {
        Self::default()
    }
    /// Sets the number of terms recorded and swept at once, which affects the last bits of the sum. By default there
    /// are 64 blocks, or more blocks of at most 4096 terms.
    ///
    /// # Panics
    ///
    /// If the number is 0.
    #[track_caller]
    pub fn block(mut self, terms: usize) -> Self {
        assert!(
            terms > 0,
            "the number of terms in a block is 0: pass at least 1"
        );
        self.block = Some(terms);
        self
    }
    /// Adds blocks as they become ready, so that the last bits vary from run to run.
    pub fn any_order(mut self) -> Self {
        self.any_order = true;
        self
    }
    /// Calls `tell` after each block, on the thread that computed it.
    ///
    /// ```
    /// use entape_core::expr::Active;
    /// use entape_methods::parallel::Parallel;
    /// use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    ///
    /// let most = AtomicUsize::new(0);
    /// let parallel = Parallel::new().progress(|p| { most.fetch_max(p.done, Relaxed); });
    /// parallel.sum(1000, |x: &[Active<f64>], _| x[0] * 1.0, &[1.0])?;
    /// assert_eq!(most.load(Relaxed), 1000);
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    pub fn progress(mut self, tell: impl Fn(&Progress) + Send + Sync + 'c) -> Self {
        self.progress = Some(Box::new(tell));
        self
    }
    fn work(&self, all: usize) -> Work<'_, 'c> {
        let block = self.block.unwrap_or((all / BLOCKS).min(LARGEST));
        let block = block.clamp(1, all.max(1));
        Work {
            of: self,
            all,
            block,
            done: AtomicUsize::new(0),
        }
    }
}

struct Work<'w, 'c> {
    of: &'w Parallel<'c>,
    all: usize,
    block: usize,
    done: AtomicUsize,
}
impl Work<'_, '_> {
    fn blocks(&self) -> usize {
        self.all.div_ceil(self.block)
    }
    fn of_block(&self, i: usize) -> Range<usize> {
        let first = i * self.block;
        first..(first + self.block).min(self.all)
    }
    fn is_done(&self, terms: usize) {
        let done = self.done.fetch_add(terms, Ordering::Relaxed) + terms;
        if let Some(tell) = &self.of.progress {
            let all = self.all;
            tell(&Progress { done, all });
        }
    }
}

fn add(into: &mut [f64], from: &[f64]) {
    for (into, from) in into.iter_mut().zip(from) {
        *into += from;
    }
}
