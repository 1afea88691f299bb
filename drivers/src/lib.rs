//! Drivers: derivatives of a function with one call, without a tape in the user's code.
//!
//! | driver | returns | sweeps |
//! |---|---|---|
//! | [`gradient`], [`value_and_gradient`] | the gradient of one real output | 1 |
//! | [`jvp`] | values, and their derivatives along a direction | none |
//! | [`hessian_vector`], [`hessian`], [`value_gradient_hessian`] | second derivatives of one real output | 2 for each direction, or 8 directions |
//! | [`vjp`] | values, and a seed times the Jacobian | 1 |
//! | [`jacobian()`], [`values_and_jacobian`] | all derivatives of all outputs | 1 for eight outputs |
//! | [`Objective`] | all of these at many points, for solvers | |
//!
//! Each driver records the function once, on its own tape, also while another tape records. The thread keeps up to four tapes of up
//! to 16 MiB.
//!
//! The function is a closure over variables in the [structure](entape_core::structure) of the [inputs](Inputs), and returns
//! [`Outputs`]. For several modes it is a [`Function`].
//!
//! ```
//! use entape_core::{expr::Active, real::Elementary};
//! type Real = Active<f64>;
//!
//! // a list, because the function is written for any length
//! let (y, g) = entape_drivers::value_and_gradient(|x: &[Real]| x[0] * x[1].sin(), &[2.0, 0.0])?;
//! assert_eq!((y, g), (0.0, [0.0, 2.0]));
//!
//! // a tuple
//! let (a_b, b_b) = entape_drivers::gradient(|(a, b): (Real, Real)| a / b, (3.0, 2.0))?;
//! assert_eq!((a_b, b_b), (0.5, -0.75));
//! # Ok::<(), entape_drivers::Error>(())
//! ```
//!
//! The derivative with respect to an input without influence is zero. A result that is not finite and does not depend on inputs, as
//! of a program that cannot continue, has NaN derivatives, so that solvers do not mistake the point for a stationary one. A result
//! that cannot represent this NaN, a sparse matrix or a kind without [coordinates](entape_core::coordinates::Coordinates), is an error
//! ([`Error::NotFinite`]).
//!
//! ```
//! use entape_core::{expr::Active, real::Elementary};
//! use entape_drivers::gradient;
//!
//! let guarded = |x: &[Active<f64>]| match x[0] > 0.0 {
//!     true => x[0].ln().eval(),
//!     false => Active::passive(f64::NEG_INFINITY),
//! };
//! assert_eq!(gradient(guarded, &[2.0])?, [0.5]);
//! assert!(gradient(guarded, &[-2.0])?[0].is_nan());
//! # Ok::<(), entape_core::tape::Error>(())
//! ```
//!
//! The traits [`Structure`](entape_core::structure::Structure) and [`Outputs`] are for generic code.
#![warn(missing_debug_implementations)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod approximate;
#[doc(hidden)]
pub mod constant;
mod convert;
mod first;
mod forward;
mod jacobian;
mod numbers;
mod objective;
mod pool;
mod preaccumulate;
mod program;
mod progress;
#[doc(hidden)]
pub mod recording;
mod second;
mod serialized;
#[doc(hidden)]
pub mod state;

pub use self::{
    first::{InputValues, gradient, jacobian, pull, value_and_gradient, values_and_jacobian, vjp},
    forward::jvp,
    jacobian::Jacobian,
    objective::Objective,
    preaccumulate::preaccumulate,
    program::{Program, RealsShape, Recorded, Structured},
    progress::Evaluations,
    second::{ValueGradientHessian, hessian, hessian_vector, value_gradient_hessian},
};
pub use entape_core::{
    structure::{
        ArrayOf, ArrayShape, Function, Inputs, IntoValues, ListShape, OptionOf, Outputs, Runs,
        SingleRefShape, SingleShape, SliceOf, SliceShape, ValueKind, VecOf,
    },
    tape::Error,
};
