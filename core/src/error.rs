use crate::order::{self, NoTangent};
use std::{fmt, sync::Arc};

/// The error that a function returned to a driver.
#[derive(Clone, Debug)]
pub struct FunctionFailure(Arc<dyn std::error::Error + Send + Sync>);
impl FunctionFailure {
    pub(crate) fn new(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        FunctionFailure(error.into().into())
    }
    pub fn get(&self) -> &(dyn std::error::Error + Send + Sync + 'static) {
        &*self.0
    }
}
impl PartialEq for FunctionFailure {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
impl Eq for FunctionFailure {}
impl fmt::Display for FunctionFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
impl std::error::Error for FunctionFailure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&*self.0)
    }
}

/// The errors of tapes and drivers, whose messages contain the remedy. After a limit is reached, earlier statements
/// remain usable.
///
/// ```
/// use entape_core::{expr::Active, tape::{Error, Tape}};
///
/// let mut tape = Tape::new();
/// let x = tape.input(2.0);
/// let y = tape.record(|| (x * x).eval());
/// assert!(matches!(tape.gradient(&y)?.wrt(&y), Err(Error::NotAnInput { .. })));
/// assert!(matches!(tape.gradient(&Active::<f64>::passive(1.0)), Err(Error::NotRecorded { .. })));
/// tape.reset();
/// assert!(matches!(tape.gradient(&y), Err(Error::Stale { .. })));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[derive(thiserror::Error, Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A gradient with respect to a variable that is not an input.
    #[error(
        "this variable of kind {kind} is not an input of the recording: create it with `tape.input(..)`, and request its gradient before you assign to it"
    )]
    NotAnInput {
        /// Its kind.
        kind: &'static str,
    },
    /// A seed of a variable without an identifier.
    #[error(
        "this variable of kind {kind} was not recorded: compute it from inputs, inside `tape.record(..)`"
    )]
    NotRecorded {
        /// Its kind.
        kind: &'static str,
    },
    /// A variable of another tape, or of a recording that was reset.
    #[error(
        "this variable of kind {kind} belongs to another tape, or to a recording that was reset: record it again on this tape"
    )]
    Stale {
        /// Its kind.
        kind: &'static str,
    },
    /// A position of another tape, or of a recording that was reset.
    #[error(
        "this position belongs to another tape, or to statements that a reset removed: call `tape.position()` again"
    )]
    StalePosition,
    /// A rule panicked in a sweep, or `Drop` or `recycle` of a kind while a variable was written. Values may be wrong.
    #[error(
        "a rule panicked during a sweep of this tape, or a kind panicked while a variable was written: reset the tape and record again"
    )]
    Broken,
    /// A sweep was requested without a new seed, and it cannot continue the last one.
    #[error(
        "this sweep has no seed: call `tape.seed(&y, ..)` before it, or `tape.gradient(&y)`. A sweep that stopped at a position can only be \
         continued to an earlier position, before the tape is recorded to, reset or inspected"
    )]
    NotSeeded,
    /// Something was recorded between seeds and their sweep.
    #[error(
        "statements were recorded after the seeds were set, which discards the seeds: set all seeds again after the last recording"
    )]
    SeedsLost,
    /// The identifiers of a kind are used up.
    #[error(
        "all identifiers of kind {kind} are used up (2^32, or 2^31 if variables own them): reset the tape, or record in parts with `reset_to`"
    )]
    IdentifiersExhausted {
        /// The kind.
        kind: &'static str,
    },
    /// The memory limit of the tape is reached.
    #[error(
        "the tape's memory limit of {limit} bytes is reached: raise it, or record in parts with `reset_to`"
    )]
    MemoryLimit {
        /// The limit in bytes.
        limit: usize,
    },
    /// A statement with a list is too large.
    #[error(
        "a statement has {bytes} bytes, but the limit is 4 GiB: split the list into several lists"
    )]
    StatementTooLarge {
        /// The size of the statement.
        bytes: usize,
    },
    /// The system is out of memory.
    #[error(
        "the system refused to allocate {bytes} bytes for the tape: free memory, or record in parts with `reset_to` or checkpoints"
    )]
    OutOfMemory {
        /// The requested bytes.
        bytes: usize,
    },
    /// An operation lacks a derivative.
    #[error("{0}")]
    MissingRule(crate::order::MissingRule),
    /// An [external](crate::external) function could not compute a derivative.
    #[error("{0}")]
    External(crate::order::ExternalFailure),
    /// The function returned an error.
    #[error("the function failed: {0}")]
    Function(#[source] FunctionFailure),
    /// A sparse matrix has entries at these inputs that its plan lacks.
    #[error(
        "the program took a branch whose derivatives the plan does not contain: create another plan at these inputs"
    )]
    PatternChanged,
    /// An infinite or NaN result does not depend on inputs, and a sparse matrix without entries there, or an input
    /// without [coordinates](crate::coordinates::Coordinates), cannot represent its NaN derivatives.
    #[error(
        "a result is infinite or NaN and does not depend on the inputs, so its derivatives are NaN, which {holder} cannot represent: choose inputs \
         where the result is finite"
    )]
    NotFinite {
        /// The result of the driver.
        holder: String,
    },
    /// The 2^32 tags of recordings in a process are used up.
    #[error(
        "the process has made 2^32 recordings and cannot identify another one: reset tapes less often, or restart the process"
    )]
    TagsExhausted,
}
/// Runs `f` in forward mode; fails at the first operation without a tangent.
#[doc(hidden)]
pub fn watch<T>(f: impl FnOnce() -> T) -> Result<T, Error> {
    order::watch(f).map_err(|reason| match reason {
        NoTangent::Missing(missing) => Error::MissingRule(missing),
        NoTangent::Failed(failure) => Error::External(failure),
    })
}
