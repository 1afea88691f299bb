//! Minimisation under constraints, and least squares, by [`basin`](https://docs.rs/basin), feature `basin`.
//!
//! A [`Problem`] is created from a [`Function`](entape_drivers::Function) that returns a real or a list of
//! residuals. [`Problem::subject_to`] adds constraints by a function that returns a list: first equalities, which are
//! zero at a solution, then inequalities, which are at most zero.
//!
//! ```
//! use entape::{function, prelude::*};
//! use entape_adapters::basin::{Error, Problem, basin::{Executor, Slsqp}};
//!
//! /// Problem 71 of Hock and Schittkowski, Test Examples for Nonlinear Programming Codes (1981).
//! #[function]
//! fn cost(x: &[Real]) -> Real {
//!     x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2]
//! }
//! #[function]
//! fn constraints(x: &[Real]) -> Vec<Real> {
//!     let sphere = x.iter().map(|x| x * x).sum::<Real>() - 40.0; // = 0
//!     let volume = 25.0 - x[0] * x[1] * x[2] * x[3];               // <= 0
//!     vec![sphere, volume]
//! }
//! let problem = Problem::new(cost {})
//!     .subject_to(constraints {}, 1, 1)
//!     .within([1.0; 4], [5.0; 4]);
//! let start = vec![1.0, 5.0, 5.0, 1.0];
//! let result = Executor::from_start(problem, Slsqp::new(), start).max_iter(100).run()?;
//! assert!((result.cost() - 17.0140173).abs() < 1e-5);
//! # Ok::<(), entape_adapters::basin::basin::ConstraintSolveError<Error>>(())
//! ```
//!
//! Parameters are a `Vec<f64>`, matrices a `DenseMatrix<f64>`. For bounds and linear constraints alone, put
//! `basin::Constrained` around a [`Problem`].
//!
//! # Errors
//! An error of a derivative ends the run with [`Error::Derivative`]. A gradient, a Hessian or a Jacobian ends it with
//! [`Error::NotFinite`] if it, the residuals or the constraints are not finite. An infinite or NaN cost is passed on
//! with a NaN gradient, because basin's line searches turn back from it.
pub use ::basin;

use ::basin::{
    BoxBounds, ConstraintDescription, ConstraintJacobian, ConstraintSet, ConstraintSolveError,
    Constraints, CostFunction, DenseMatrix, Gradient, Hessian, HessianProduct, Jacobian,
    NoLinearConstraints, NonlinearBlock, NonlinearBlocks, NonlinearEqualityValues,
    NonlinearInequalityValues, Residual,
};
use entape_drivers::{Objective, Program};

/// The reason why a derivative is not available.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A derivative could not be computed.
    #[error(transparent)]
    Derivative(#[from] entape_drivers::Error),
    /// The derivative is not finite.
    #[error(
        "the {what} or its derivative is infinite or NaN: start where both are finite, and keep the parameters there by bounds"
    )]
    NotFinite {
        /// The differentiated quantity: the cost, a residual or a constraint.
        what: &'static str,
    },
}
fn finite<'n>(what: &'static str, numbers: impl IntoIterator<Item = &'n f64>) -> Result<(), Error> {
    match numbers.into_iter().all(|x| x.is_finite()) {
        true => Ok(()),
        false => Err(Error::NotFinite { what }),
    }
}

/// A function in the form of basin: `CostFunction`, `Gradient`, `Hessian` and `HessianProduct` if it has one real
/// result, `Residual` and `Jacobian` if its result is a list.
///
/// [`new`](Self::new) creates it from a [`Function`](entape_drivers::Function), and `from` from an [`Objective`].
#[derive(Debug)]
pub struct Problem<P>(Objective<P>);
impl<P: Program> Problem<P> {
    /// Creates a problem from a program.
    pub fn new(program: P) -> Self {
        Objective::new(program).into()
    }
}
impl<P> Problem<P> {
    /// Returns the evaluated objective.
    pub fn objective(&self) -> &Objective<P> {
        &self.0
    }
}
impl<P: Program<Values = f64>> Problem<P> {
    /// Adds nonlinear constraints to the problem. The first `equalities` values must be zero at a solution, and the other
    /// `inequalities` values at most zero.
    ///
    /// # Panics
    /// The first evaluation panics if the number of results differs.
    pub fn subject_to<C: Program<Values: AsRef<[f64]>>>(
        self,
        constraints: C,
        equalities: usize,
        inequalities: usize,
    ) -> Constrained<P, C> {
        Constrained {
            problem: self,
            constraints: Objective::new(constraints),
            set: ConstraintSet::new()
                .with_nonlinear_equalities(equalities)
                .with_nonlinear_inequalities(inequalities)
                .with_bounds(BoxBounds::new(None, None)),
        }
    }
}
impl<P> From<Objective<P>> for Problem<P> {
    fn from(objective: Objective<P>) -> Self {
        Problem(objective)
    }
}

fn matrix(entries: entape_drivers::Jacobian) -> DenseMatrix<f64> {
    DenseMatrix::from_row_slice(entries.rows(), entries.columns(), entries.as_slice())
}
fn like<'g>(x: &[f64], gradient: &'g mut Vec<f64>) -> &'g mut [f64] {
    gradient.resize(x.len(), 0.0);
    gradient
}
impl<P: Program<Values = f64>> CostFunction for Problem<P> {
    type Param = Vec<f64>;
    type Output = f64;
    type Error = Error;
    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        Ok(self.0.try_value(x)?)
    }
}
impl<P: Program<Values = f64>> Gradient for Problem<P> {
    type Gradient = Vec<f64>;
    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Error> {
        let mut gradient = Vec::new();
        self.gradient_into(x, &mut gradient)?;
        Ok(gradient)
    }
    fn gradient_into(&self, x: &Vec<f64>, gradient: &mut Vec<f64>) -> Result<(), Error> {
        let cost = self.cost_and_gradient_into(x, gradient)?;
        finite("cost", [&cost])
    }
    fn cost_and_gradient(&self, x: &Vec<f64>) -> Result<(f64, Vec<f64>), Error> {
        let mut gradient = Vec::new();
        let cost = self.cost_and_gradient_into(x, &mut gradient)?;
        Ok((cost, gradient))
    }
    fn cost_and_gradient_into(&self, x: &Vec<f64>, gradient: &mut Vec<f64>) -> Result<f64, Error> {
        let gradient = like(x, gradient);
        let cost = self.0.value_and_gradient_into(x, gradient)?;
        match cost.is_finite() {
            true => finite("cost", &*gradient)?,
            false => gradient.fill(f64::NAN),
        }
        Ok(cost)
    }
}
impl<P: Program<Values = f64>> Hessian for Problem<P> {
    type Hessian = DenseMatrix<f64>;
    fn hessian(&self, x: &Vec<f64>) -> Result<DenseMatrix<f64>, Error> {
        let (cost, hessian) = (self.0.try_value(x)?, self.0.hessian(x)?);
        finite("cost", hessian.as_slice().iter().chain([&cost]))?;
        Ok(matrix(hessian))
    }
}
impl<P: Program<Values = f64>> HessianProduct for Problem<P> {
    fn hessian_product(&self, x: &Vec<f64>, v: &Vec<f64>) -> Result<Vec<f64>, Error> {
        let mut product = Vec::new();
        self.hessian_product_into(x, v, &mut product)?;
        Ok(product)
    }
    fn hessian_product_into(
        &self,
        x: &Vec<f64>,
        v: &Vec<f64>,
        product: &mut Vec<f64>,
    ) -> Result<(), Error> {
        let product = like(x, product);
        self.0.hessian_vector_into(x, v, product)?;
        finite("cost", &*product)
    }
}
impl<P: Program<Values: AsRef<[f64]>>> Residual for Problem<P> {
    type Param = Vec<f64>;
    type Output = Vec<f64>;
    type Error = Error;
    fn residual(&self, x: &Vec<f64>) -> Result<Vec<f64>, Error> {
        Ok(self.0.try_values(x)?)
    }
}
impl<P: Program<Values: AsRef<[f64]>>> Jacobian for Problem<P> {
    type Jacobian = DenseMatrix<f64>;
    fn jacobian(&self, x: &Vec<f64>) -> Result<DenseMatrix<f64>, Error> {
        Ok(self.residual_and_jacobian(x)?.1)
    }
    fn residual_and_jacobian(&self, x: &Vec<f64>) -> Result<(Vec<f64>, DenseMatrix<f64>), Error> {
        let (values, jacobian) = self.0.values_and_jacobian(x)?;
        finite("residual", jacobian.as_slice().iter().chain(&values))?;
        Ok((values, matrix(jacobian)))
    }
}

type Set = ConstraintSet<
    BoxBounds<Vec<f64>>,
    NoLinearConstraints,
    NonlinearBlocks<NonlinearBlock, NonlinearBlock>,
>;
/// A [`Problem`] with nonlinear constraints, made by [`Problem::subject_to`].
#[derive(Debug)]
pub struct Constrained<P, C> {
    problem: Problem<P>,
    constraints: Objective<C>,
    set: Set,
}
impl<P, C> Constrained<P, C> {
    /// Adds bounds of the parameters, which are infinite for an unbounded parameter.
    #[must_use]
    pub fn within(self, lower: impl Into<Vec<f64>>, upper: impl Into<Vec<f64>>) -> Self {
        let bounds = BoxBounds::new(Some(lower.into()), Some(upper.into()));
        Constrained {
            set: self.set.with_bounds(bounds),
            ..self
        }
    }
    /// Returns the minimised objective.
    pub fn objective(&self) -> &Objective<P> {
        self.problem.objective()
    }
    /// Returns the constraints: first the equalities, then the inequalities.
    pub fn constraints(&self) -> &Objective<C> {
        &self.constraints
    }
}
impl<P, C> Constraints for Constrained<P, C> {
    type Set = Set;
    fn constraints(&self) -> <Set as ConstraintDescription>::Borrowed<'_> {
        self.set.borrowed()
    }
}
impl<P: Program<Values = f64>, C> CostFunction for Constrained<P, C> {
    type Param = Vec<f64>;
    type Output = f64;
    type Error = Error;
    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        self.problem.cost(x)
    }
}
impl<P: Program<Values = f64>, C> Gradient for Constrained<P, C> {
    type Gradient = Vec<f64>;
    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Error> {
        self.problem.gradient(x)
    }
    fn cost_and_gradient(&self, x: &Vec<f64>) -> Result<(f64, Vec<f64>), Error> {
        self.problem.cost_and_gradient(x)
    }
    fn cost_and_gradient_into(&self, x: &Vec<f64>, gradient: &mut Vec<f64>) -> Result<f64, Error> {
        self.problem.cost_and_gradient_into(x, gradient)
    }
}
impl<P, C: Program<Values: AsRef<[f64]>>> Constrained<P, C> {
    /// Equalities and inequalities.
    fn split(&self, x: &[f64]) -> Result<[Vec<f64>; 2], Error> {
        let nonlinear = self.set.nonlinear();
        let (equalities, inequalities) = (
            nonlinear.equalities().count(),
            nonlinear.inequalities().count(),
        );
        let mut values = self.constraints.try_values(x)?;
        assert!(
            values.len() == equalities + inequalities,
            "the constraints have {} values, but {equalities} equalities and {inequalities} inequalities were declared: declare as many as there are values",
            values.len()
        );
        let rest = values.split_off(equalities);
        Ok([values, rest])
    }
}
impl<P, C: Program<Values: AsRef<[f64]>>> NonlinearEqualityValues for Constrained<P, C> {
    type Param = Vec<f64>;
    type Values = Vec<f64>;
    type Error = Error;
    fn nonlinear_equalities(&self, x: &Vec<f64>) -> Result<Vec<f64>, ConstraintSolveError<Error>> {
        let [equalities, _] = self.split(x).map_err(ConstraintSolveError::from)?;
        Ok(equalities)
    }
}
impl<P, C: Program<Values: AsRef<[f64]>>> NonlinearInequalityValues for Constrained<P, C> {
    type Param = Vec<f64>;
    type Values = Vec<f64>;
    type Error = Error;
    fn nonlinear_inequalities(
        &self,
        x: &Vec<f64>,
    ) -> Result<Vec<f64>, ConstraintSolveError<Error>> {
        let [_, inequalities] = self.split(x).map_err(ConstraintSolveError::from)?;
        Ok(inequalities)
    }
}
impl<P, C: Program<Values: AsRef<[f64]>>> ConstraintJacobian for Constrained<P, C> {
    type Param = Vec<f64>;
    type Jacobian = DenseMatrix<f64>;
    type Error = Error;
    fn constraint_jacobian(
        &self,
        x: &Vec<f64>,
    ) -> Result<DenseMatrix<f64>, ConstraintSolveError<Error>> {
        let jacobian = self.constraints.values_and_jacobian(x).map_err(Error::from);
        let (values, jacobian) = jacobian?;
        finite("constraint", jacobian.as_slice().iter().chain(&values))?;
        Ok(matrix(jacobian))
    }
}
