//! Methods for programs that have structure: entape differentiates them in less memory than their whole tape takes.
//!
//! | feature | module |
//! |---|---|
//! | `implicit` | [`implicit`]: solutions of equations, fixed points and minima, by one linear solve |
//! | `rayon` | [`parallel`]: sums over data, independent parts, Jacobians and Hessians on many cores |
#![forbid(unsafe_code)]

#[cfg(feature = "implicit")]
pub mod implicit;
#[cfg(feature = "rayon")]
pub mod parallel;
