use std::{convert::Infallible, fmt, io};

/// Why the gradient of a loop could not be computed. `F` is the failure of a step, see [`TrySteps`](super::TrySteps).
#[derive(thiserror::Error, Debug)]
#[non_exhaustive]
pub enum Error<F: fmt::Display + fmt::Debug = Infallible> {
    /// A step failed.
    #[error("step {number} failed: {failure}")]
    Step {
        /// The index of the step, from 0.
        number: usize,
        /// The failure.
        failure: F,
    },
    /// A repeated step led to a different state.
    #[error(
        "repeated steps led to another state {number}: let a step depend only on its number, the state and the parameters, and not on random \
         numbers or on other data that changes"
    )]
    NotRepeatable {
        /// The number of steps before the state.
        number: usize,
    },
    /// A state for the file does not have the shape of the initial state.
    #[error(
        "the state after {number} steps has {found} numbers, but the initial state has {expected}: states in a file have the same shape, so remove \
         `spill` and raise the memory bound"
    )]
    ShapeChanged {
        /// The number of steps before the state.
        number: usize,
        /// The number of coordinates of the initial state.
        expected: usize,
        /// The number of coordinates of this state.
        found: usize,
    },
    /// An operation on the temporary file failed, for example because the disk is full.
    #[error("the temporary file of states failed ({doing}): {source}")]
    File {
        /// The operation that failed.
        doing: &'static str,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The bound is too small for a recorded step and its states.
    #[error(
        "the memory bound of {bound} bytes is too small for one recorded step of {step} bytes and one state of {state} bytes: raise it"
    )]
    BoundTooLow {
        /// The bound.
        bound: usize,
        /// The bytes of a recorded step with its sweep.
        step: usize,
        /// The bytes of a state.
        state: usize,
    },
    /// A step could not be recorded or swept.
    #[error(transparent)]
    Tape(#[from] entape_core::tape::Error),
}
