//! Samples of a distribution by [`nuts-rs`](https://docs.rs/nuts-rs), feature `nuts-rs`.
//!
//! A [`LogDensity`] is created from a [`Function`](entape_drivers::Function) that returns the logarithm of a
//! density, up to a constant, at a list of unbounded parameters.
//!
//! ```
//! use entape::{function, prelude::*};
//! use entape_adapters::nuts_rs::{LogDensity, nuts_rs::{Chain, CpuMath, DiagNutsSettings, Settings, rand::{SeedableRng, rngs::StdRng}}};
//!
//! /// The logarithm of a standard normal density in each coordinate.
//! #[function]
//! fn normal(x: &[Real]) -> Real {
//!     x.iter().map(|x| -0.5 * x * x).sum()
//! }
//! let density = CpuMath::new(LogDensity::new(normal {}, 2));
//! let settings = DiagNutsSettings { num_tune: 100, ..Default::default() };
//! let mut chain = settings.new_chain(0, density, &mut StdRng::seed_from_u64(1))?;
//! chain.set_position(&[0.5, -0.5])?;
//! for _ in 0..200 {
//!     let (x, progress) = chain.draw()?;
//!     assert!(x.len() == 2 && !progress.diverging);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Errors
//! A density or a gradient that is not finite, and a failing [external](entape_core::external) function, are
//! *recoverable* errors: the sampler counts a divergence and continues. Others end the run.
pub use ::nuts_rs;

use ::nuts_rs::{
    CpuLogpFunc, CpuMath, CpuMathError, HasDims, InitPositionError, LogpError, Model,
    rand::{Rng, RngExt},
};
use entape_drivers::{Error, Objective, Program};
use std::{collections::HashMap, sync::Arc};

/// The logarithm of a density in the form of the sampler: a `CpuLogpFunc`, and a `Model` for samplers of several
/// chains.
///
/// Clones share the objective. Draws are stored under the name `value`, with the dimension `dim`.
#[derive(Debug)]
pub struct LogDensity<P> {
    objective: Arc<Objective<P>>,
    start: Arc<[f64]>,
}
impl<P: Program<Values = f64>> LogDensity<P> {
    /// Creates the logarithm of a density with this many parameters.
    pub fn new(program: P, dimension: usize) -> Self {
        Self::of(Objective::new(program), dimension)
    }
    /// Creates the logarithm of a density from an objective.
    pub fn of(objective: Objective<P>, dimension: usize) -> Self {
        LogDensity {
            objective: Arc::new(objective),
            start: vec![0.0; dimension].into(),
        }
    }
    /// Sets the centre of the starting points: the chains of a `Sampler` start within 2 of it in each
    /// parameter. The default is zero.
    ///
    /// # Panics
    /// If the number of parameters differs.
    #[track_caller]
    pub fn around(self, start: &[f64]) -> Self {
        let (given, dimension) = (start.len(), self.start.len());
        assert!(
            given == dimension,
            "a start of {given} numbers does not fit a density of {dimension} parameters: pass {dimension} numbers"
        );
        LogDensity {
            start: start.into(),
            ..self
        }
    }
    /// Returns the evaluated objective.
    pub fn objective(&self) -> &Objective<P> {
        &self.objective
    }
    fn evaluate(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, EvaluationError> {
        let density = self.objective.value_and_gradient_into(x, gradient)?;
        if density.is_finite() && gradient.iter().all(|slope| slope.is_finite()) {
            Ok(density)
        } else {
            Err(EvaluationError::NotFinite { density })
        }
    }
}
impl<P> Clone for LogDensity<P> {
    fn clone(&self) -> Self {
        LogDensity {
            objective: self.objective.clone(),
            start: self.start.clone(),
        }
    }
}

/// The reason why a density or its gradient is not available.
#[derive(thiserror::Error, Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EvaluationError {
    /// The value or its gradient is not finite.
    #[error(
        "the logarithm of the density is {density}, and it or its gradient is not finite: start at another point"
    )]
    NotFinite {
        /// The logarithm of the density.
        density: f64,
    },
    /// The gradient could not be computed.
    #[error(transparent)]
    Derivative(#[from] Error),
}
impl LogpError for EvaluationError {
    fn is_recoverable(&self) -> bool {
        matches!(
            self,
            EvaluationError::NotFinite { .. }
                | EvaluationError::Derivative(Error::External(_) | Error::Function(_))
        )
    }
}

impl<P> HasDims for LogDensity<P> {
    fn dim_sizes(&self) -> HashMap<String, u64> {
        let size = self.start.len() as u64;
        ["unconstrained_parameter", "dim"]
            .map(|name| (name.into(), size))
            .into()
    }
}
impl<P: Program<Values = f64>> CpuLogpFunc for LogDensity<P> {
    type LogpError = EvaluationError;
    type FlowParameters = ();
    type ExpandedVector = Vec<f64>;
    fn dim(&self) -> usize {
        self.start.len()
    }
    fn logp(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64, EvaluationError> {
        self.evaluate(x, gradient)
    }
    fn expand_vector<R: Rng + ?Sized>(
        &mut self,
        _: &mut R,
        x: &[f64],
    ) -> Result<Vec<f64>, CpuMathError> {
        Ok(x.to_vec())
    }
}
impl<P: Program<Values = f64> + Send + Sync + 'static> Model for LogDensity<P> {
    type Math = CpuMath<Self>;
    fn math<R: Rng + ?Sized>(self: Arc<Self>, _: &mut R) -> anyhow::Result<CpuMath<Self>> {
        Ok(CpuMath::new((*self).clone()))
    }
    fn init_position<R: Rng + ?Sized>(
        &self,
        rng: &mut R,
        _: u64,
        position: &mut [f64],
    ) -> Result<(), InitPositionError> {
        for (x, start) in position.iter_mut().zip(&*self.start) {
            *x = start + rng.random_range(-2.0..2.0);
        }
        match self.evaluate(position, &mut vec![0.0; position.len()]) {
            Ok(_) => Ok(()),
            Err(error) if error.is_recoverable() => Err(InitPositionError::Retry(error.into())),
            Err(error) => Err(InitPositionError::Fatal(error.into())),
        }
    }
}
