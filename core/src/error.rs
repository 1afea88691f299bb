//! What can go wrong with a tape.
use crate::order::NoTangent;
use std::{fmt, sync::Arc};

/// The error that a function returned to a driver. [`source`](std::error::Error::source) and [`get`](Self::get) return it.
#[derive(Clone, Debug)]
pub struct FunctionFailure(Arc<dyn std::error::Error + Send + Sync>);
impl FunctionFailure {
    pub(crate) fn new(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        FunctionFailure(error.into().into())
    }
    /// Returns the error of the function.
    pub fn get(&self) -> &(dyn std::error::Error + Send + Sync + 'static) {
        &*self.0
    }
}
/// Two failures are equal if they are clones of one.
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

/// The errors of tapes and drivers. Their messages say what to do.
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
    /// A gradient was asked with respect to something that is no input.
    #[error(
        "this variable of kind {kind} is no input of the recording: make it with `tape.input(..)`, and ask before it is assigned anew"
    )]
    NotAnInput {
        /// The kind of the variable.
        kind: &'static str,
    },
    /// A seed was given to something that has no identifier on the tape.
    #[error(
        "this variable of kind {kind} was not recorded: it depends on no input, or was computed outside of `tape.record(..)`"
    )]
    NotRecorded {
        /// The kind of the variable.
        kind: &'static str,
    },
    /// A variable belongs to another tape or to a recording that was reset.
    #[error(
        "this variable of kind {kind} belongs to another tape, or to a recording that was reset"
    )]
    Stale {
        /// The kind of the variable.
        kind: &'static str,
    },
    /// A position belongs to another tape or to a recording that was reset.
    #[error("this position belongs to another tape, or lies behind one that the tape was reset to")]
    StalePosition,
    /// A rule panicked in a sweep, or `Drop` or `recycle` of a kind panicked while a variable was written. Some values
    /// are not those that the statements say.
    #[error(
        "a rule panicked in a sweep of this tape, or a kind while a variable was written: reset the tape and record again"
    )]
    Broken,
    /// A sweep was asked for without a seed since the last sweep, and that one did not stop at a position from which
    /// this one could go on.
    #[error(
        "no seed was given for this sweep: call `tape.seed(&y, ..)` before it, or `tape.gradient(&y)`. A sweep takes the seeds; one that \
         stopped at a position goes on from there only as long as nothing is recorded, reset or inspected in between, and not upwards"
    )]
    NotSeeded,
    /// Something was recorded, or an input was made, after seeds were given and before a sweep took them.
    #[error(
        "seeds were given and something was recorded before a sweep took them, which ends them: seed again, all of them, after the \
         last recording"
    )]
    SeedsLost,
    /// The identifiers of a kind are used up; what was recorded before can still be used.
    #[error(
        "all identifiers of kind {kind} are used up (2^32, or 2^31 where variables own theirs): reset the tape, or record in parts with `reset_to`"
    )]
    IdentifiersExhausted {
        /// The kind.
        kind: &'static str,
    },
    /// The memory limit of the tape is reached; what was recorded before can still be used.
    #[error(
        "the tape's memory limit of {limit} bytes is reached: raise it, or record in parts with `reset_to`"
    )]
    MemoryLimit {
        /// The limit in bytes.
        limit: usize,
    },
    /// A statement with a list is too large; what was recorded before can still be used.
    #[error(
        "a statement of {bytes} bytes: one has less than 4 GiB, so split the list into several"
    )]
    StatementTooLarge {
        /// The bytes of the statement.
        bytes: usize,
    },
    /// The system has no memory left; what was recorded before can still be used.
    #[error("the system refused {bytes} bytes for the tape")]
    OutOfMemory {
        /// The bytes asked for.
        bytes: usize,
    },
    /// An operation has no derivative of the order that was asked for.
    #[error("{0}")]
    MissingRule(crate::order::MissingRule),
    /// A closure of an [external](crate::external) function could not compute a derivative.
    #[error("{0}")]
    External(crate::order::ExternalFailure),
    /// The function itself returned an error.
    #[error("the function failed: {0}")]
    Function(#[source] FunctionFailure),
    /// A sparse matrix has entries at these inputs that it had not got where its plan was made.
    #[error(
        "the program took a branch with derivatives that the plan has no entries for: make a plan at these inputs, too"
    )]
    PatternChanged,
    /// A result is infinite or NaN and depends on no input, so that its derivatives are NaN, and what the driver returns can't hold a NaN: a
    /// row without entries of a sparse Jacobian, a sparse Hessian without entries, an input of a kind without [coordinates](crate::coordinates::Coordinates).
    #[error(
        "a result is infinite or NaN and depends on no input, so that its derivatives are NaN, for which {holder} has no place: ask for them where the \
         result is finite"
    )]
    NotFinite {
        /// What can't hold a NaN.
        holder: String,
    },
    /// The process has used up all 2^32 tags of recordings.
    #[error("the process has made 2^32 recordings: no tag is left to tell another one apart")]
    TagsExhausted,
}
impl Error {
    /// Why there are no tangents. (One `From` more, and `?` would not tell the type of an error any more in programs that return
    /// others.)
    pub(crate) fn no_tangent(reason: NoTangent) -> Self {
        match reason {
            NoTangent::Missing(missing) => Error::MissingRule(missing),
            NoTangent::Failed(failure) => Error::External(failure),
        }
    }
}
