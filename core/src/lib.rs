//! The core of entape. Programs use `entape`, whose prelude contains the names of the first table.
//!
//! | for programs | |
//! |---|---|
//! | [`tape`] | [`Tape`](tape::Tape), which records and sweeps, [`Gradient`](tape::Gradient), [`Error`](tape::Error) |
//! | [`expr`] | [`Active`](expr::Active), the variable; [`Expr`](expr::Expr); `constant`, `lit`, `select`, `either`, `list` |
//! | [`mode`] | plain, recording and forward evaluation; the bounds [`Mode`](mode::Mode) and [`AnyMode`](mode::AnyMode) |
//! | [`real`] | the functions of reals, and their conventions where derivatives do not exist |
//! | [`external`] | functions that are not operations |
//!
//! | for authors of operations and kinds | |
//! |---|---|
//! | [`op`](macro@op), [`operations`], [`elementary!`], [`kind`](macro@kind), [`Stash`] | annotations that declare operations and kinds |
//! | [`op`](mod@op), [`kind`](mod@kind), [`store`] | operations by name; kinds; parts and data in statements |
//! | [`coordinates`] | values as real numbers, for Jacobians and tests of rules |
//! | [`rule`], [`elementwise`] | rules of operations; formulas for all kinds of numbers |
//! | [`eval`], [`node`], [`sweep`], [`storage`], [`machine`] | types in bounds and signatures |
#![warn(missing_debug_implementations)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)]

extern crate self as entape_core;

pub use entape_macros::{Stash, Structure, function, kind, op, operations};

#[doc(hidden)]
#[macro_use]
pub mod names;
#[macro_use]
mod repeat;

#[cfg(feature = "approx")]
mod approximate;
pub mod coordinates;
#[doc(hidden)]
pub mod differences;
pub mod elementwise;
mod error;
pub mod eval;
pub mod expr;
pub mod external;
#[doc(hidden)]
pub mod formula;
pub mod kind;
pub mod machine;
pub mod mode;
pub mod node;
#[doc(hidden)]
pub mod order;
pub mod real;
pub mod rule;
mod sealed;
pub mod storage;
pub mod store;
pub mod structure;
pub mod sweep;
pub mod tape;

/// Operations by name, for custom rules (`#[op(op::Abs, ..)]`), functions that take an operation, and tests.
/// [`Elementary`](real::Elementary), [`Cast`](real::Cast) and [`Reals`](real::Reals) document them.
///
/// ```
/// use entape_check as check;
/// use entape_core::op;
///
/// check::assert_rule(&op::Hypot, (3.0, 4.0)); // the rule, against finite differences
/// ```
pub mod op {
    pub use crate::elementwise::arithmetic::*;
    pub use crate::real::cast::{ToF32, ToF64};
    pub use crate::real::elementary::*;
    pub use crate::real::list::{Dot, Mean, Norm, NormSquared, Product, Sum};
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
