//! Adapters that pass entape's functions and their derivatives to solvers of other crates.
//!
//! An adapter evaluates a function as an [`Objective`](entape_drivers::Objective) does, and implements the traits
//! of the solver. Each adapter is a feature with the name of the solver's crate; none is enabled by default.
//!
//! | feature, module | solver | input | derivatives |
//! |---|---|---|---|
//! | [`argmin`] | minimisation, least squares | a real function, or a list of residuals | gradient, Hessian or its products, Jacobian |
//! | [`basin`] | minimisation under constraints, least squares | a real function and a list of constraints, or residuals | gradient, Hessian or its products, Jacobians |
//! | [`diffsol`] | ordinary differential equations | the right-hand side, initial values, outputs | products with Jacobians, forward and backward |
//! | [`least-squares`](least_squares) | least squares with sparse Jacobians, by the factorizations of `faer` | a list of residuals | sparse Jacobian |
//! | [`levenberg-marquardt`](levenberg_marquardt) | least squares | a list of residuals | Jacobian |
//! | [`nuts-rs`](nuts_rs) | samples of a distribution | the logarithm of a density | gradient |
//!
//! Each module exports the solver's crate under its name.
#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "argmin")]
pub mod argmin;
#[cfg(feature = "basin")]
pub mod basin;
#[cfg(feature = "diffsol")]
pub mod diffsol;
#[cfg(feature = "least-squares")]
pub mod least_squares;
#[cfg(feature = "levenberg-marquardt")]
pub mod levenberg_marquardt;
#[cfg(feature = "nuts-rs")]
pub mod nuts_rs;

/// The pages of the guide, whose listings are tested here.
#[cfg(doctest)]
mod guide {
    #[cfg(feature = "argmin")]
    #[doc = include_str!("../../docs/guide/src/adapters/argmin.md")]
    struct Argmin;
    #[cfg(feature = "basin")]
    #[doc = include_str!("../../docs/guide/src/adapters/basin.md")]
    struct Basin;
    #[cfg(feature = "diffsol")]
    #[doc = include_str!("../../docs/guide/src/adapters/diffsol.md")]
    struct Diffsol;
    #[cfg(feature = "least-squares")]
    #[doc = include_str!("../../docs/guide/src/adapters/least_squares.md")]
    struct LeastSquares;
    #[cfg(feature = "levenberg-marquardt")]
    #[doc = include_str!("../../docs/guide/src/adapters/levenberg_marquardt.md")]
    struct LevenbergMarquardt;
    #[cfg(feature = "nuts-rs")]
    #[doc = include_str!("../../docs/guide/src/adapters/nuts_rs.md")]
    struct NutsRs;
}
