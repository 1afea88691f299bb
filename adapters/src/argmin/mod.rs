//! Minimisation and least squares by [`argmin`](https://docs.rs/argmin), feature `argmin`.
//!
//! The result type of a [`Function`](entape_drivers::Function) determines the traits of its [`Problem`]:
//!
//! | results | argmin's traits | for example |
//! |---|---|---|
//! | one real | `CostFunction`, `Gradient`, `Hessian` | L-BFGS, Newton, trust regions |
//! | a list, the residuals | `Operator`, `Jacobian` | Gauss-Newton |
//!
//! ```
//! use entape::{function, prelude::*};
//! use entape_adapters::argmin::{
//!     Problem,
//!     argmin::{core::{Executor, State}, solver::{linesearch::MoreThuenteLineSearch, quasinewton::LBFGS}},
//! };
//!
//! #[function]
//! fn rosenbrock(x: &[Real]) -> Real {
//!     (1.0 - x[0]).powi(2) + 100.0 * (x[1] - x[0] * x[0]).powi(2)
//! }
//! let solver = LBFGS::new(MoreThuenteLineSearch::new(), 5).with_tolerance_grad(1e-8)?;
//! let result = Executor::new(Problem::new(rosenbrock {}), solver)
//!     .configure(|state| state.param(vec![-1.2, 1.0]).max_iters(100))
//!     .run()?;
//! let x = result.state().get_best_param().expect("a step");
//! assert!((x[0] - 1.0).abs() < 1e-6 && (x[1] - 1.0).abs() < 1e-6);
//! # Ok::<(), entape_adapters::argmin::argmin::core::Error>(())
//! ```
//!
//! # Parameters
//! Parameters are `Vec<f64>`, with matrices of type `Vec<Vec<f64>>`, which argmin cannot invert. For Newton's and
//! Gauss-Newton's methods, take an `nalgebra::DVector<f64>` of version 0.34 with the feature `argmin-nalgebra`. The
//! feature `argmin-ndarray` is for an `ndarray::Array1<f64>` of version 0.16. [`Problem::with_parameter`] chooses the
//! type, which implements [`Parameter`].
//!
//! # Large problems
//! For Newton-CG and trust regions with Steihaug's method, [`Problem::matrix_free`] represents the Hessian by its
//! products with vectors, which cost about three gradients each.
//!
//! # Errors
//! An error of a derivative is passed to argmin as an [`Error`](entape_core::tape::Error). A gradient, a Hessian or a
//! Jacobian is passed as [`NotFinite`] if it, the cost or the residuals are not finite, because argmin's solvers would
//! not terminate with it. At the start, and between line searches, the run ends with the error. Within a line search it
//! returns the best point so far, which may be the start, and `get_termination_status()` of its state is a `SolverExit`
//! with the message.
//!
//! An infinite or NaN cost or residual is passed on, because a search by costs, such as `BacktrackingLineSearch`, steps
//! back from it.
mod parameter;
mod products;

pub use self::{
    parameter::Parameter,
    products::{HessianAt, MatrixFree},
};
pub use ::argmin;
pub use ::argmin_math;
#[cfg(feature = "argmin-nalgebra")]
pub use ::nalgebra;
#[cfg(feature = "argmin-ndarray")]
pub use ::ndarray;

use ::argmin::core::{CostFunction, Error, Gradient, Hessian, Jacobian, Operator};
use entape_drivers::{Objective, Program};
use std::{fmt, marker::PhantomData, sync::Arc};

/// The error for a derivative that is not finite.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "the {what} or its derivative is infinite or NaN: start where both are finite, and keep the parameters there by a transformation, such as the \
     logarithm of a positive parameter"
)]
#[non_exhaustive]
pub struct NotFinite {
    /// The differentiated quantity: the cost, or a residual.
    pub what: &'static str,
}
fn finite<'n>(
    what: &'static str,
    numbers: impl IntoIterator<Item = &'n f64>,
) -> Result<(), NotFinite> {
    match numbers.into_iter().all(|x| x.is_finite()) {
        true => Ok(()),
        false => Err(NotFinite { what }),
    }
}

/// A function in the form of argmin, with parameters of type `V`.
///
/// [`new`](Self::new) creates it from a [`Function`](entape_drivers::Function), and `from` from an [`Objective`].
/// Clones share the objective.
pub struct Problem<P, V = Vec<f64>> {
    objective: Arc<Objective<P>>,
    parameter: PhantomData<fn() -> V>,
}
impl<P, V> fmt::Debug for Problem<P, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Problem").finish_non_exhaustive()
    }
}
impl<P: Program> Problem<P> {
    /// Creates a problem with parameters of type `Vec<f64>`.
    pub fn new(program: P) -> Self {
        Objective::new(program).into()
    }
}
impl<P> From<Objective<P>> for Problem<P> {
    fn from(objective: Objective<P>) -> Self {
        Problem {
            objective: Arc::new(objective),
            parameter: PhantomData,
        }
    }
}
impl<P, V> Problem<P, V> {
    /// Changes the type of the parameters.
    ///
    /// ```
    /// # #[cfg(feature = "argmin-nalgebra")] {
    /// use entape::{function, prelude::*};
    /// use entape_adapters::argmin::{
    ///     Problem, argmin::{core::{Executor, State}, solver::newton::Newton}, nalgebra::DVector,
    /// };
    ///
    /// #[function]
    /// fn bowl(x: &[Real]) -> Real {
    ///     x[0].cosh() + (x[1] - x[0]).powi(2)
    /// }
    /// let problem = Problem::new(bowl {}).with_parameter::<DVector<f64>>();
    /// let result = Executor::new(problem, Newton::<f64>::new())
    ///     .configure(|state| state.param(DVector::from_vec(vec![0.5, 2.0])).max_iters(6))
    ///     .run()?;
    /// assert!(result.state().get_param().expect("a step").norm() < 1e-12);
    /// # }
    /// # Ok::<(), entape_adapters::argmin::argmin::core::Error>(())
    /// ```
    pub fn with_parameter<W>(self) -> Problem<P, W> {
        Problem {
            objective: self.objective,
            parameter: PhantomData,
        }
    }
    /// Represents the Hessian by its products with vectors.
    pub fn matrix_free(self) -> MatrixFree<P, V> {
        MatrixFree(self)
    }
    /// Returns the evaluated objective.
    pub fn objective(&self) -> &Objective<P> {
        &self.objective
    }
}
impl<P, V> Clone for Problem<P, V> {
    fn clone(&self) -> Self {
        Problem {
            objective: self.objective.clone(),
            parameter: PhantomData,
        }
    }
}

impl<P: Program<Values = f64>, V: Parameter> CostFunction for Problem<P, V> {
    type Param = V;
    type Output = f64;
    fn cost(&self, x: &V) -> Result<f64, Error> {
        Ok(self.objective.try_value(&x.numbers())?)
    }
}
impl<P: Program<Values = f64>, V: Parameter> Gradient for Problem<P, V> {
    type Param = V;
    type Gradient = V;
    fn gradient(&self, x: &V) -> Result<V, Error> {
        let (cost, gradient) = self.objective.value_and_gradient(&x.numbers())?;
        finite("cost", gradient.iter().chain([&cost]))?;
        Ok(V::from_numbers(gradient))
    }
}
impl<P: Program<Values = f64>, V: Parameter> Hessian for Problem<P, V> {
    type Param = V;
    type Hessian = V::Matrix;
    fn hessian(&self, x: &V) -> Result<V::Matrix, Error> {
        let (cost, hessian) = (
            self.objective.try_value(&x.numbers())?,
            self.objective.hessian(&x.numbers())?,
        );
        finite("cost", hessian.as_slice().iter().chain([&cost]))?;
        Ok(V::matrix(hessian))
    }
}
impl<P: Program<Values: AsRef<[f64]>>, V: Parameter> Operator for Problem<P, V> {
    type Param = V;
    type Output = V;
    fn apply(&self, x: &V) -> Result<V, Error> {
        Ok(V::from_numbers(self.objective.try_values(&x.numbers())?))
    }
}
impl<P: Program<Values: AsRef<[f64]>>, V: Parameter> Jacobian for Problem<P, V> {
    type Param = V;
    type Jacobian = V::Matrix;
    fn jacobian(&self, x: &V) -> Result<V::Matrix, Error> {
        let (residuals, jacobian) = self.objective.values_and_jacobian(&x.numbers())?;
        finite("residual", jacobian.as_slice().iter().chain(&residuals))?;
        Ok(V::matrix(jacobian))
    }
}
