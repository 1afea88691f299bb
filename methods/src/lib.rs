//! Methods for structured programs, which take less work or memory than a whole tape.
//!
//! | feature | module |
//! |---|---|
//! | | [`sparse`]: Jacobians and Hessians by colours |
//! | `checkpoint` | [`checkpoint`]: the gradient of a loop of steps in bounded memory |
//! | `implicit` | [`implicit`]: solutions of equations, fixed points and minima, by one linear solve |
//! | `rayon` | [`parallel`]: sums over data, independent parts, Jacobians and Hessians on many cores |
#![warn(missing_debug_implementations)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(feature = "checkpoint")]
pub mod checkpoint;
#[cfg(feature = "implicit")]
pub mod implicit;
#[cfg(feature = "rayon")]
pub mod parallel;
pub mod sparse;
