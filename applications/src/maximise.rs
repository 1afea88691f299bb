use crate::Outcome;
use entape::{Function, driver::ListShape};
use entape_adapters::argmin::{
    Problem,
    argmin::{
        core::{CostFunction, Error, Executor, Gradient, State},
        solver::{linesearch::MoreThuenteLineSearch, quasinewton::LBFGS},
    },
};
use std::cell::{Cell, RefCell};

pub struct Maximum {
    pub at: Vec<f64>,
    pub gradients: u64,
}

/// A problem times a number. It stores its last gradient, because the solver requests it again after each line search.
struct Scaled<'c, P> {
    problem: P,
    factor: f64,
    last: RefCell<(Vec<f64>, Vec<f64>)>,
    gradients: &'c Cell<u64>,
}
impl<P: CostFunction<Param = Vec<f64>, Output = f64>> CostFunction for Scaled<'_, P> {
    type Param = Vec<f64>;
    type Output = f64;
    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        Ok(self.factor * self.problem.cost(x)?)
    }
}
impl<P: Gradient<Param = Vec<f64>, Gradient = Vec<f64>>> Gradient for Scaled<'_, P> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;
    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Error> {
        let mut last = self.last.borrow_mut();
        if last.0 != *x {
            let slope = self.problem.gradient(x)?;
            *last = (x.clone(), slope.iter().map(|s| self.factor * s).collect());
            self.gradients.set(self.gradients.get() + 1);
        }
        Ok(last.1.clone())
    }
}

/// Maximises a function by at most `most` steps of L-BFGS. The steps end if the line search finds no higher point.
pub fn lbfgs(
    function: &impl Function<Inputs = ListShape<f64>, Values = f64>,
    start: Vec<f64>,
    steps: u64,
) -> Outcome<Maximum> {
    let problem = Problem::new(function);
    // the first step is as long as the slope, and must not be too long; argmin minimises
    let mut slope = problem.gradient(&start)?;
    let factor = -1.0 / slope.iter().map(|s| s * s).sum::<f64>().sqrt().max(1.0);
    slope.iter_mut().for_each(|s| *s *= factor);
    let gradients = Cell::new(1);
    let problem = Scaled {
        problem,
        factor,
        last: RefCell::new((start.clone(), slope)),
        gradients: &gradients,
    };
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), 10).with_tolerance_cost(1e-12)?;
    let run = Executor::new(problem, solver)
        .configure(|state| state.param(start).max_iters(steps))
        .run()?;
    let best = run.state().get_best_param().ok_or("no value is finite")?;
    Ok(Maximum {
        at: best.clone(),
        gradients: gradients.get(),
    })
}
