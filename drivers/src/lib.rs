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
//! The traits [`Structure`] and [`Outputs`] are for generic code.
#![warn(missing_debug_implementations)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod approximate;
#[doc(hidden)]
pub mod constant;
mod convert;
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

use self::recording::recorded;
pub use self::{
    forward::jvp,
    jacobian::{Jacobian, jacobian, values_and_jacobian},
    objective::Objective,
    preaccumulate::preaccumulate,
    program::{Program, RealsShape, Recorded, Structured},
    progress::Evaluations,
    second::{ValueGradientHessian, hessian, hessian_vector, value_gradient_hessian},
};
use self::{pool::PooledTape, recording::RecordedFunctionOf};
use entape_core::{
    expr::Active,
    kind::Val,
    mode::Taped,
    structure::{Structure, Vars},
    tape::Scalar,
};
pub use entape_core::{
    structure::{
        ArrayOf, ArrayShape, Function, Inputs, IntoValues, ListShape, OptionOf, Outputs, Runs,
        SingleRefShape, SingleShape, SliceOf, SliceShape, ValueKind, VecOf,
    },
    tape::Error,
};

/// Plain values in the shape of the inputs `I`.
pub type InputValues<I, P> = <<I as Inputs<P>>::Shape as Structure>::Values;

/// Returns the value of `f` at `x` and its gradient, in the shape of `x`. The output is `f64`, `f32` or a [custom
/// number](entape_core::tape::Scalar).
///
/// ```
/// use entape_core::{expr::Active, real::Elementary};
/// use entape_drivers::value_and_gradient;
///
/// let (y, g) = value_and_gradient(|[x, y]: [Active<f64>; 2]| x.hypot(y), [3.0, 4.0])?;
/// assert_eq!((y, g), (5.0, [0.6, 0.8]));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// # Errors
///
/// If the output is of another recording, or the tape is full.
#[track_caller]
pub fn value_and_gradient<P, I, K, B, F>(f: F, x: I) -> Result<(Val<K>, InputValues<I, P>), Error>
where
    I: Inputs<P>,
    K: Scalar,
    F: Runs<I::Shape, Taped, B, Output: Outputs<Variables = Active<K>, Values = Val<K>>>,
{
    let mut recording = recorded::<P, I, B, F>(f, x, false)?;
    Ok((recording.results(), recording.pull(K::one())?))
}

/// Returns the gradient of `f` at `x`, in the shape of `x`. Fails like [`value_and_gradient`].
///
/// ```
/// use entape_core::expr::Active;
/// use entape_drivers::gradient;
///
/// let x = vec![1.0, 2.0, 3.0];
/// let g = gradient(|x: &[Active<f64>]| x.iter().map(|x| x * x).sum::<Active<f64>>(), &x)?;
/// assert_eq!(g, [2.0, 4.0, 6.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[track_caller]
pub fn gradient<P, I, K, B, F>(f: F, x: I) -> Result<InputValues<I, P>, Error>
where
    I: Inputs<P>,
    K: Scalar,
    F: Runs<I::Shape, Taped, B, Output: Outputs<Variables = Active<K>, Values = Val<K>>>,
{
    value_and_gradient(f, x).map(|(_, gradient)| gradient)
}

/// Returns the values of `f` at `x`, and `seed` times the Jacobian, in the shape of `x`, from one sweep. A seed of zero times
/// an infinite derivative is NaN. Fails like [`value_and_gradient`].
///
/// ```
/// use entape_core::expr::Active;
/// use entape_drivers::vjp;
///
/// let polar = |(r, phi): (Active<f64>, Active<f64>)| {
///     use entape_core::real::Elementary;
///     [(r * phi.cos()).eval(), (r * phi.sin()).eval()]
/// };
/// let (xy, (r_b, phi_b)) = vjp(polar, (2.0, 0.0), [1.0, 10.0])?;
/// assert_eq!((xy, r_b, phi_b), ([2.0, 0.0], 1.0, 20.0));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// # Panics
///
/// If the numbers of seeds and outputs or their shapes differ.
#[track_caller]
pub fn vjp<P, I, B, O, F>(
    f: F,
    x: I,
    seed: O::Values,
) -> Result<(O::Values, InputValues<I, P>), Error>
where
    I: Inputs<P>,
    O: Outputs,
    F: Runs<I::Shape, Taped, B, Output = O>,
{
    pull::<I::Shape, O>(|x| f.run(I::Shape::view(x)), x.into_values(), seed)
}
/// [`vjp`] of a function of references, at values in the shape of the inputs.
#[doc(hidden)]
#[track_caller]
pub fn pull<S: Structure, O: Outputs>(
    f: impl FnOnce(&Vars<S>) -> O,
    values: S::Values,
    seed: O::Values,
) -> Result<(O::Values, S::Values), Error> {
    let mut recording = RecordedFunctionOf::<S, O>::new(f, values, false)?;
    Ok((recording.results(), recording.pull(seed)?))
}
