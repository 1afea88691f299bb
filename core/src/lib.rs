//! The core of entape: the tape, variables and expressions, drivers, and what authors of operations and kinds need. Programs use it by
//! the crate `entape`, whose prelude has the names of the first table.
//!
//! | for programs | |
//! |---|---|
//! | [`tape`] | [`Tape`](tape::Tape), which records and sweeps, [`Gradient`](tape::Gradient), [`Error`](tape::Error) |
//! | [`driver`] | `gradient`, `jacobian`, `hessian`, .. in one call; [`Objective`](driver::Objective) for solvers |
//! | [`expr`] | [`Active`](expr::Active), the variable; [`Expr`](expr::Expr); `constant`, `lit`, `select`, `either`, `list` |
//! | [`mode`] | what evaluating does: plain, recording, forward; the bounds [`Mode`](mode::Mode) and [`AnyMode`](mode::AnyMode) |
//! | [`real`] | the functions of reals, and what holds where they have no derivative |
//! | [`external`] | functions that are no operations |
//!
//! | for authors of operations and kinds | |
//! |---|---|
//! | [`op`](macro@op), [`operations`], [`elementary!`], [`kind`](macro@kind), [`Stash`] | annotations that make operations and kinds |
//! | [`op`](mod@op), [`kind`](mod@kind), [`store`] | operations by name; kinds, their memory and their adjoints; parts, and what statements keep |
//! | [`coordinates`] | values as lists of real numbers, for Jacobians and for tests of rules |
//! | [`rule`], [`elementwise`] | rules of operations; formulas that hold for all kinds made of numbers |
//! | [`eval`], [`node`], [`sweep`], [`storage`], [`machine`] | how expressions are evaluated and swept: types that appear in bounds and signatures, which nobody names by hand |
#![warn(missing_debug_implementations)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)]

// The macros write the path of core, also where core itself uses them.
extern crate self as entape_core;

pub use entape_macros::{Stash, Structure, function, kind, op, operations};

#[doc(hidden)]
#[macro_use]
pub mod names;

#[cfg(feature = "approx")]
mod approximate;
pub mod coordinates;
pub mod driver;
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
pub mod structure;
pub mod sweep;
pub mod tape;

/// The operations that operators and shared member operations stand for, by name: for rules of one's own (`#[op(op::Abs, ..)]`), for
/// functions that take an operation, and for tests of rules. Programs call them as operators and as methods of
/// [`Elementary`](real::Elementary), [`Cast`](real::Cast), [`Reals`](real::Reals) and the like, which say what each one computes.
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

/// The listings of the crate's README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
