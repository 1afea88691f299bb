//! Least squares by [`levenberg-marquardt`](https://docs.rs/levenberg-marquardt), feature `levenberg-marquardt`.
//!
//! A [`Problem`] is created from a [`Function`](entape_drivers::Function) that returns the residuals, and the
//! initial parameters.
//!
//! ```
//! use entape::{Function, driver::ListShape, prelude::*};
//! use entape_adapters::levenberg_marquardt::{Problem, levenberg_marquardt::LevenbergMarquardt};
//!
//! /// An exponential through measured points.
//! struct Decay<'d>(&'d [(f64, f64)]);
//! impl Function for Decay<'_> {
//!     type Inputs = ListShape<f64>;
//!     type Values = Vec<f64>;
//!     type Output<M: Mode> = Vec<Real<M>>;
//!     fn call<M: Mode>(&self, x: &[Real<M>]) -> Vec<Real<M>> {
//!         self.0.iter().map(|(t, y)| (x[0] * (-x[1] * t).exp() - y).eval()).collect()
//!     }
//! }
//! let data: Vec<_> = (0..9).map(|t| (f64::from(t), 3.0 * (-0.5 * f64::from(t)).exp())).collect();
//! let (problem, report) = LevenbergMarquardt::new().minimize(Problem::new(Decay(&data), [1.0, 1.0]));
//! assert!(report.termination.was_successful(), "{:?}", problem.error());
//! let x = problem.parameters();
//! assert!((x[0] - 3.0).abs() < 1e-12 && (x[1] - 0.5).abs() < 1e-12);
//! ```
//!
//! # Errors
//! If a derivative cannot be computed, the solver ends with `TerminationReason::User`, and [`Problem::error`] returns
//! the reason. Residuals and derivatives that are not finite end it with `TerminationReason::Numerical`.
//!
//! # Versions
//! The solver uses matrices of `nalgebra` 0.34, which is exported here. Parameters are slices, so a program may use a
//! later version.
pub use ::levenberg_marquardt;
pub use ::nalgebra;

use ::levenberg_marquardt::LeastSquaresProblem;
use entape_drivers::{Error, Objective, Program};
use nalgebra::{DMatrix, DVector, Dyn, U1, VecStorage};
use std::cell::OnceCell;

/// Residuals in the form of the solver, with the current parameters.
///
/// The solver takes it by value and returns it with the parameters found.
#[derive(Debug)]
pub struct Problem<P> {
    objective: Objective<P>,
    x: DVector<f64>,
    error: OnceCell<Error>,
}
impl<P: Program<Values: AsRef<[f64]>>> Problem<P> {
    /// Creates a problem from residuals and initial parameters.
    pub fn new(residuals: P, start: impl Into<Vec<f64>>) -> Self {
        Self::of(Objective::new(residuals), start)
    }
    /// Creates a problem from the objective of residuals and initial parameters.
    pub fn of(objective: Objective<P>, start: impl Into<Vec<f64>>) -> Self {
        Problem {
            objective,
            x: start.into().into(),
            error: OnceCell::new(),
        }
    }
    /// Returns the parameters: first the initial ones, and afterwards the solution.
    pub fn parameters(&self) -> &[f64] {
        self.x.as_slice()
    }
    /// Returns the first error of a derivative, which ended a run. It is kept when the problem is solved again.
    pub fn error(&self) -> Option<&Error> {
        self.error.get()
    }
    fn stop_at<T>(&self, result: Result<T, Error>) -> Option<T> {
        result.map_err(|error| _ = self.error.set(error)).ok()
    }
    /// Returns the evaluated objective.
    pub fn objective(&self) -> &Objective<P> {
        &self.objective
    }
}
impl<P: Program<Values: AsRef<[f64]>>> LeastSquaresProblem<f64, Dyn, Dyn> for Problem<P> {
    type ParameterStorage = VecStorage<f64, Dyn, U1>;
    type ResidualStorage = VecStorage<f64, Dyn, U1>;
    type JacobianStorage = VecStorage<f64, Dyn, Dyn>;
    fn set_params(&mut self, x: &DVector<f64>) {
        self.x.copy_from(x);
    }
    fn params(&self) -> DVector<f64> {
        self.x.clone()
    }
    fn residuals(&self) -> Option<DVector<f64>> {
        self.stop_at(self.objective.try_values(self.x.as_slice()))
            .map(DVector::from)
    }
    fn jacobian(&self) -> Option<DMatrix<f64>> {
        let j = self.stop_at(self.objective.jacobian(self.x.as_slice()))?;
        Some(DMatrix::from_row_slice(j.rows(), j.columns(), j.as_slice()))
    }
}
