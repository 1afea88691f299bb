//! Methods for programs that have structure: entape differentiates them in less memory than their whole tape takes.
//!
//! | feature | module |
//! |---|---|
//! | `checkpoint` | [`checkpoint`]: the gradient of a loop of steps in bounded memory |
#![forbid(unsafe_code)]

#[cfg(feature = "checkpoint")]
pub mod checkpoint;
