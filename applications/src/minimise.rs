//! Minimisation by `argmin`, of functions that return their value and gradient.
use crate::Outcome;
use argmin::{
    core::{CostFunction, Error, Executor, Gradient},
    solver::{linesearch::MoreThuenteLineSearch, quasinewton::LBFGS},
};
use std::cell::{Cell, RefCell};

/// Where the steps ended.
pub struct Minimum {
    /// The point with the least value.
    pub at: Vec<f64>,
    /// The value there.
    pub value: f64,
    /// How many gradients were computed.
    pub evaluations: usize,
}

/// A point with its value and gradient.
type Known = (Vec<f64>, f64, Vec<f64>);
/// The function as the solver asks for it: for the value and the gradient one after the other.
struct Problem<'k, F> {
    function: F,
    last: RefCell<Option<Known>>,
    best: &'k RefCell<(Vec<f64>, f64)>,
    evaluations: &'k Cell<usize>,
}
impl<F: Fn(&[f64]) -> Outcome<(f64, Vec<f64>)>> Problem<'_, F> {
    fn at(&self, x: &[f64]) -> Result<(f64, Vec<f64>), Error> {
        if let Some((_, value, slope)) = self.last.borrow().as_ref().filter(|(at, ..)| at == x) {
            return Ok((*value, slope.clone()));
        }
        let (value, slope) = (self.function)(x).map_err(Error::from_boxed)?;
        self.evaluations.set(self.evaluations.get() + 1);
        // The line search would go on for ever.
        if !slope.iter().chain([&value]).all(|x| x.is_finite()) {
            return Err(Error::msg("the function or its slope is not finite"));
        }
        let mut best = self.best.borrow_mut();
        if value < best.1 {
            *best = (x.to_vec(), value);
        }
        *self.last.borrow_mut() = Some((x.to_vec(), value, slope.clone()));
        Ok((value, slope))
    }
}
impl<F: Fn(&[f64]) -> Outcome<(f64, Vec<f64>)>> CostFunction for Problem<'_, F> {
    type Param = Vec<f64>;
    type Output = f64;
    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        Ok(self.at(x)?.0)
    }
}
impl<F: Fn(&[f64]) -> Outcome<(f64, Vec<f64>)>> Gradient for Problem<'_, F> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;
    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Error> {
        Ok(self.at(x)?.1)
    }
}

/// Minimises a function by at most so many steps of L-BFGS. Where its line search finds no lower point, as the rounding of the values
/// hides the slope, the steps end there.
///
/// # Errors
/// If the function is not finite at the start, or fails before a lower point is found.
pub fn lbfgs(
    function: impl Fn(&[f64]) -> Outcome<(f64, Vec<f64>)>,
    start: Vec<f64>,
    steps: u64,
) -> Outcome<Minimum> {
    let (value, slope) = function(&start)?;
    // The first step is as long as the slope, and should not go far.
    let unit = 1.0 / slope.iter().map(|s| s * s).sum::<f64>().sqrt().max(1.0);
    let function = |x: &[f64]| {
        let (value, slope) = function(x)?;
        Ok((unit * value, slope.iter().map(|s| unit * s).collect()))
    };
    let best = RefCell::new((start.clone(), unit * value));
    let evaluations = Cell::new(0);
    let problem = Problem {
        function,
        last: RefCell::new(None),
        best: &best,
        evaluations: &evaluations,
    };
    let search = MoreThuenteLineSearch::new().with_c(1e-4, 0.9)?;
    let solver = LBFGS::new(search, 10).with_tolerance_cost(1e-12)?;
    let first = start.clone();
    let run = Executor::new(problem, solver)
        .configure(|state| state.param(start).max_iters(steps))
        .run();
    let failure = run.map(drop).err();
    let (at, value) = best.into_inner();
    match failure.filter(|_| at == first) {
        Some(error) => Err(error.into()),
        None => Ok(Minimum {
            at,
            value: value / unit,
            evaluations: evaluations.get(),
        }),
    }
}
