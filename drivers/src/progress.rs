use std::{
    fmt,
    panic::AssertUnwindSafe,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

/// How often an objective was evaluated, for the callback of [`Objective::progress`](super::Objective::progress).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Evaluations {
    /// The number of evaluations in plain mode.
    pub values: usize,
    /// The number of recordings, for derivatives. One recording serves several products at a point.
    pub recordings: usize,
}
type Callback = Box<dyn Fn(&Evaluations) + Send + Sync>;
#[derive(Default)]
pub(super) struct Observer(Option<Observed>);
struct Observed {
    /// Unwind-safe: a panic of the callback leaves the objective as it was.
    tell: AssertUnwindSafe<Callback>,
    values: AtomicUsize,
    recordings: AtomicUsize,
}
impl Observer {
    pub(super) fn new(tell: impl Fn(&Evaluations) + Send + Sync + 'static) -> Self {
        Observer(Some(Observed {
            tell: AssertUnwindSafe(Box::new(tell)),
            values: AtomicUsize::new(0),
            recordings: AtomicUsize::new(0),
        }))
    }
    #[inline]
    pub(super) fn evaluated(&self) {
        if let Some(observed) = &self.0 {
            observed.count(1, 0);
        }
    }
    #[inline]
    pub(super) fn recorded(&self) {
        if let Some(observed) = &self.0 {
            observed.count(0, 1);
        }
    }
}
impl Observed {
    fn count(&self, values: usize, recordings: usize) {
        (self.tell)(&Evaluations {
            values: self.values.fetch_add(values, Relaxed) + values,
            recordings: self.recordings.fetch_add(recordings, Relaxed) + recordings,
        });
    }
}
impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Some(_) => "a callback",
            None => "none",
        })
    }
}
