//! What can go wrong.
use std::{convert::Infallible, fmt, io};

/// Why a loop of steps has no gradient. `F` is what steps fail with; [`TrySteps`](super::TrySteps) has an example.
#[derive(thiserror::Error, Debug)]
#[non_exhaustive]
pub enum Error<F: fmt::Display + fmt::Debug = Infallible> {
    /// A step failed.
    #[error("step {number} failed: {failure}")]
    Step {
        /// The number of the step, from 0 on.
        number: usize,
        /// What it failed with.
        failure: F,
    },
    /// A step that was repeated came to another state than before.
    #[error(
        "the steps before the state {number} came to another state when they were repeated: a step may depend on its number, the state and the \
         parameters alone, and not on random numbers or on what steps before it left elsewhere"
    )]
    NotRepeatable {
        /// How many steps lead to the state.
        number: usize,
    },
    /// A state to be written to the file has not the shape of the initial one.
    #[error(
        "the state after {number} steps has {found} numbers and the initial one {expected}: states that go to a file have one shape, so raise the \
         bound of the memory and leave out `spill`"
    )]
    ShapeChanged {
        /// How many steps lead to the state.
        number: usize,
        /// The numbers of the initial state.
        expected: usize,
        /// The numbers of this one.
        found: usize,
    },
    /// The temporary file of states failed, as on a file system that is full.
    #[error("the temporary file of states failed ({doing}): {source}")]
    File {
        /// What was done with it.
        doing: &'static str,
        /// The error of the system.
        source: io::Error,
    },
    /// The bound has no room for a recorded step and its states.
    #[error(
        "a bound of {bound} bytes has no room for one recorded step of {step} bytes and one state of {state} bytes: raise it"
    )]
    BoundTooLow {
        /// The bound.
        bound: usize,
        /// Bytes of a recorded step with its sweep.
        step: usize,
        /// Bytes of a state.
        state: usize,
    },
    /// The tape of a step could not be recorded or swept.
    #[error(transparent)]
    Tape(#[from] entape_core::tape::Error),
}
