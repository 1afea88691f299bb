//! The core of entape.
#![warn(missing_debug_implementations)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)]

// The macros write the path of core, also where core itself uses them.
extern crate self as entape_core;

pub use entape_macros::{Stash, kind, op, operations};

#[doc(hidden)]
#[macro_use]
pub mod names;

#[cfg(feature = "approx")]
mod approximate;
pub mod check;
mod coordinates;
pub mod driver;
pub mod eager;
pub mod elementwise;
mod error;
pub mod eval;
pub mod expr;
pub mod external;
mod formula;
pub mod kind;
pub mod machine;
pub mod mode;
pub mod node;
mod order;
pub mod real;
pub mod rule;
pub mod storage;
pub mod store;
pub mod sweep;
pub mod tape;

/// The operations that operators and shared member operations stand for.
pub mod op {
    pub use crate::elementwise::arithmetic::*;
    pub use crate::real::cast::{ToF32, ToF64};
    pub use crate::real::elementary::*;
    pub use crate::real::list::{Dot, Mean, Norm, NormSquared, Product, Sum};
}

/// The listings of the crate's README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
