//! Hessians represented by their products with vectors.
use super::{Parameter, Problem, finite};
use ::argmin::core::{CostFunction, Error, Gradient, Hessian};
use argmin_math::ArgminDot;
use entape_drivers::{Objective, Program};
use std::{fmt, marker::PhantomData, sync::Arc};

/// A [`Problem`] whose Hessian is represented by its products with vectors.
///
/// ```
/// use entape::{function, prelude::*};
/// use entape_adapters::argmin::{
///     Problem, argmin::{core::{Executor, State}, solver::trustregion::{Steihaug, TrustRegion}},
/// };
///
/// #[function]
/// fn chain(x: &[Real]) -> Real {
///     x.windows(2).map(|x| (x[0] - 1.0).powi(4) + (x[1] - x[0] * x[0]).powi(2)).sum()
/// }
/// let problem = Problem::new(chain {}).matrix_free();
/// let result = Executor::new(problem, TrustRegion::new(Steihaug::new()))
///     .configure(|state| state.param(vec![2.0; 10]).max_iters(40))
///     .run()?;
/// assert!(result.state().get_best_cost() < 1e-8);
/// # Ok::<(), entape_adapters::argmin::argmin::core::Error>(())
/// ```
pub struct MatrixFree<P, V = Vec<f64>>(pub(super) Problem<P, V>);
impl<P, V> fmt::Debug for MatrixFree<P, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MatrixFree").field(&self.0).finish()
    }
}
impl<P, V> Clone for MatrixFree<P, V> {
    fn clone(&self) -> Self {
        MatrixFree(self.0.clone())
    }
}
impl<P: Program<Values = f64>, V: Parameter> CostFunction for MatrixFree<P, V> {
    type Param = V;
    type Output = f64;
    fn cost(&self, x: &V) -> Result<f64, Error> {
        self.0.cost(x)
    }
}
impl<P: Program<Values = f64>, V: Parameter> Gradient for MatrixFree<P, V> {
    type Param = V;
    type Gradient = V;
    fn gradient(&self, x: &V) -> Result<V, Error> {
        self.0.gradient(x)
    }
}
impl<P: Program<Values = f64>, V: Parameter> Hessian for MatrixFree<P, V> {
    type Param = V;
    type Hessian = HessianAt<P, V>;
    fn hessian(&self, x: &V) -> Result<HessianAt<P, V>, Error> {
        let x = x.numbers().into_owned();
        // Products cannot fail, so operations without second derivatives and entries that are not finite are detected
        // here. The products use the recording.
        let sums = self.0.objective.hessian_vector(&x, &vec![1.0; x.len()])?;
        let cost = self.0.objective.try_value(&x)?;
        finite("cost", sums.iter().chain([&cost]))?;
        Ok(HessianAt {
            objective: self.0.objective.clone(),
            at: x.into(),
            parameter: PhantomData,
        })
    }
}

/// The Hessian at a point, by its products with vectors through [`ArgminDot`].
///
/// # Panics
/// A product panics if the tape grows beyond the available memory.
pub struct HessianAt<P, V = Vec<f64>> {
    objective: Arc<Objective<P>>,
    at: Arc<[f64]>,
    parameter: PhantomData<fn() -> V>,
}
impl<P, V> Clone for HessianAt<P, V> {
    fn clone(&self) -> Self {
        HessianAt {
            objective: self.objective.clone(),
            at: self.at.clone(),
            parameter: PhantomData,
        }
    }
}
impl<P, V> fmt::Debug for HessianAt<P, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HessianAt")
            .field("at", &self.at)
            .finish_non_exhaustive()
    }
}
impl<P: Program<Values = f64>, V: Parameter> ArgminDot<V, V> for HessianAt<P, V> {
    fn dot(&self, v: &V) -> V {
        match self.objective.hessian_vector(&self.at, &v.numbers()) {
            Ok(product) => V::from_numbers(product),
            Err(error) => panic!("a product with the Hessian failed: {error}"),
        }
    }
}
