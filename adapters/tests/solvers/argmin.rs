//! Minima of known functions by several methods and with all types of parameters.
use crate::nist::Regression;
use argmin_testfunctions as known;
use entape::{Function, driver::ListShape, eager::Eager, function, prelude::*};
use entape_adapters::argmin::{
    NotFinite, Parameter, Problem,
    argmin::{
        core::{
            CostFunction, Error, Executor, Gradient, Hessian, IterState, Solver, State,
            TerminationReason, TerminationStatus,
        },
        solver::{
            gaussnewton::GaussNewton,
            gradientdescent::SteepestDescent,
            linesearch::{
                BacktrackingLineSearch, MoreThuenteLineSearch, condition::ArmijoCondition,
            },
            newton::{Newton, NewtonCG},
            quasinewton::LBFGS,
            trustregion::{Steihaug, TrustRegion},
        },
    },
    nalgebra::DVector,
};
use std::f64::consts::PI;

fn eager<M: Mode>(x: &[Real<M>]) -> Vec<Eager<M>> {
    x.iter().map(|&x| x.into()).collect()
}
fn pair<T>(x: &[T]) -> &[T; 2] {
    x.try_into().expect("two numbers")
}
#[function]
fn beale<M: Mode>(x: &[Real<M>]) -> Real<M> {
    known::beale(pair(&eager(x))).real()
}
#[function]
fn goldstein_price<M: Mode>(x: &[Real<M>]) -> Real<M> {
    known::goldsteinprice(pair(&eager(x))).real()
}
#[function]
fn himmelblau<M: Mode>(x: &[Real<M>]) -> Real<M> {
    known::himmelblau(pair(&eager(x))).real()
}
#[function]
fn mccormick<M: Mode>(x: &[Real<M>]) -> Real<M> {
    known::mccormick(pair(&eager(x))).real()
}
#[function]
fn rosenbrock<M: Mode>(x: &[Real<M>]) -> Real<M> {
    known::rosenbrock(&eager(x)).real()
}

/// The norm of the gradient at which the methods may stop.
const SLOPE: f64 = 1e-7;
/// Runs a solver, and asserts that it ends in the minimum. At a gradient of less than [`SLOPE`], the distance is at
/// most this bound divided by the least curvature, twice that for functions that are not quadratic.
#[track_caller]
fn arrives<O, S, V, H, R>(
    problem: O,
    f: impl Function<Inputs = ListShape<f64>, Values = f64>,
    solver: S,
    start: &[f64],
    minimum: &[f64],
    steps: u64,
) where
    V: Parameter + Clone,
    O: CostFunction<Param = V, Output = f64> + Gradient<Param = V, Gradient = V>,
    S: Solver<O, IterState<V, V, (), H, R, f64>>,
    IterState<V, V, (), H, R, f64>: State<Param = V, Float = f64>,
{
    let result = Executor::new(problem, solver)
        .configure(|state| {
            state
                .param(V::from_numbers(start.to_vec()))
                .max_iters(steps)
        })
        .run()
        .expect("a run");
    let found = result
        .state()
        .get_best_param()
        .or(result.state().get_param())
        .expect("a step");
    let f = entape::Objective::new(f);
    let slope = f.gradient(&found.numbers()).expect("a gradient");
    let slope = slope.iter().map(|x| x * x).sum::<f64>().sqrt();
    assert!(
        slope <= SLOPE,
        "the slope is {slope:e} at {:?}",
        found.numbers()
    );
    let hessian = f.hessian(minimum).expect("a Hessian");
    let least = DVector::<f64>::matrix(hessian)
        .symmetric_eigenvalues()
        .min();
    for (found, x) in found.numbers().iter().zip(minimum) {
        let bound = 2.0 * SLOPE / least;
        assert!(
            (found - x).abs() <= bound,
            "{found} is not {x} to {bound:e}"
        );
    }
}
fn search<V>() -> MoreThuenteLineSearch<V, V, f64> {
    MoreThuenteLineSearch::new()
        .with_c(1e-4, 0.9)
        .expect("constants in order")
}
fn lbfgs<V>() -> LBFGS<MoreThuenteLineSearch<V, V, f64>, V, V, f64> {
    let solver = LBFGS::new(search(), 7).with_tolerance_grad(SLOPE);
    solver
        .and_then(|s| s.with_tolerance_cost(0.0))
        .expect("tolerances in order")
}

#[test]
fn quasi_newton() {
    let third = [0.5 - PI / 3.0, -0.5 - PI / 3.0];
    arrives(
        Problem::new(beale {}),
        beale {},
        lbfgs(),
        &[2.0, 0.2],
        &[3.0, 0.5],
        200,
    );
    arrives(
        Problem::new(himmelblau {}),
        himmelblau {},
        lbfgs(),
        &[2.5, 2.5],
        &[3.0, 2.0],
        200,
    );
    arrives(
        Problem::new(mccormick {}),
        mccormick {},
        lbfgs(),
        &[0.0, 0.0],
        &third,
        200,
    );
    let start = [-1.2, 1.0, -1.2, 1.0, 0.5, 0.5];
    arrives(
        Problem::new(rosenbrock {}),
        rosenbrock {},
        lbfgs(),
        &start,
        &[1.0; 6],
        500,
    );
}
#[test]
fn newton() {
    let problem = Problem::new(goldstein_price {}).with_parameter::<DVector<f64>>();
    arrives(
        problem,
        goldstein_price {},
        Newton::new(),
        &[0.1, -1.1],
        &[0.0, -1.0],
        20,
    );
    let problem = Problem::new(mccormick {}).with_parameter::<DVector<f64>>();
    let third = [0.5 - PI / 3.0, -0.5 - PI / 3.0];
    arrives(
        problem,
        mccormick {},
        Newton::new(),
        &[-0.2, -1.2],
        &third,
        20,
    );
}
#[test]
fn newton_with_products() {
    let solver = NewtonCG::new(search())
        .with_tolerance(1e-300)
        .expect("a tolerance");
    let problem = Problem::new(mccormick {}).matrix_free();
    let third = [0.5 - PI / 3.0, -0.5 - PI / 3.0];
    arrives(problem, mccormick {}, solver, &[0.0, 0.0], &third, 100);
    let problem = Problem::new(rosenbrock {}).matrix_free();
    let region = TrustRegion::new(Steihaug::new());
    arrives(
        problem,
        rosenbrock {},
        region,
        &[0.2, 0.3, 0.5, 0.7],
        &[1.0; 4],
        80,
    );
    let region = TrustRegion::new(Steihaug::new());
    arrives(
        Problem::new(beale {}),
        beale {},
        region,
        &[2.0, 0.2],
        &[3.0, 0.5],
        60,
    );
}
#[cfg(feature = "argmin-ndarray")]
#[test]
fn parameters_of_ndarray() {
    use entape_adapters::argmin::ndarray::{Array1, array, s};
    let problem = Problem::new(himmelblau {}).with_parameter::<Array1<f64>>();
    arrives(
        problem.clone(),
        himmelblau {},
        TrustRegion::new(Steihaug::new()),
        &[2.5, 2.5],
        &[3.0, 2.0],
        40,
    );
    let spread = array![3.0, 9.0, 2.0].slice_move(s![..;2]);
    assert_eq!(problem.cost(&spread).expect("a value"), 0.0);
}
#[test]
fn gauss_newton() {
    for regression in [
        Regression::misra1a(),
        Regression::thurber(),
        Regression::hahn1(),
    ] {
        let problem = Problem::new(&regression).with_parameter::<DVector<f64>>();
        let tolerance = 1e-12 * regression.sum_of_squares.sqrt();
        let solver = GaussNewton::new()
            .with_tolerance(tolerance)
            .expect("a tolerance");
        let result = Executor::new(problem, solver)
            .configure(|state| {
                state
                    .param(regression.starts[1].clone().into())
                    .max_iters(60)
            })
            .run()
            .expect("a run");
        // the sum of squares changed by less than twice the tolerance of its norm
        let found = result.state().get_param().expect("a step");
        regression.assert_solved(found.as_slice(), 2e-12);
    }
}
#[test]
fn a_missing_second_derivative() {
    #[function]
    fn f<M: Mode>(x: &[Real<M>]) -> Real<M> {
        entape::external(x[0], x[0].value().powi(2), {
            let x: f64 = x[0].value();
            move |r_b: f64| 2.0 * x * r_b
        })
        .eval()
    }
    let problem = Problem::new(f {}).matrix_free();
    let run = Executor::new(problem, TrustRegion::new(Steihaug::new()))
        .configure(|state| state.param(vec![1.0]).max_iters(3))
        .run();
    let error = run.err().expect("an error");
    assert!(
        matches!(error.downcast_ref(), Some(entape::Error::MissingRule(_))),
        "{error}"
    );
}
#[function]
fn known_above_one<M: Mode>(x: &[Real<M>]) -> Real<M> {
    match x[0] < 1.0 {
        true => Real::passive(f64::INFINITY),
        false => (x[0] * x[0]).eval(),
    }
}
#[test]
fn a_start_without_a_cost() {
    #[function]
    fn nan<M: Mode>(x: &[Real<M>]) -> Real<M> {
        (x[0].sqrt() + x[0] * x[0]).eval()
    }
    let error = |error: Error| error.downcast::<NotFinite>().expect("no derivative").what;
    let infinite = Executor::new(Problem::new(known_above_one {}), lbfgs())
        .configure(|state| state.param(vec![0.0]).max_iters(10))
        .run();
    assert_eq!(error(infinite.err().expect("an error")), "cost");
    let trust = TrustRegion::new(Steihaug::new());
    let nan = Executor::new(Problem::new(nan {}).matrix_free(), trust)
        .configure(|state| state.param(vec![-1.0]).max_iters(10))
        .run();
    assert_eq!(error(nan.err().expect("an error")), "cost");
}
/// A line search that reaches a point without a derivative ends with the best point so far. A search that uses only
/// costs steps back.
#[test]
fn a_search_without_a_cost() {
    let problem = || Problem::new(known_above_one {});
    let result = Executor::new(problem(), lbfgs())
        .configure(|state| state.param(vec![1.5]).max_iters(10))
        .run()
        .expect("a run");
    assert_eq!(result.state().get_best_param(), Some(&vec![1.5]));
    let status = result.state().get_termination_status();
    let TerminationStatus::Terminated(TerminationReason::SolverExit(message)) = status else {
        panic!("{status}");
    };
    assert!(message.contains("infinite or NaN"), "{message}");

    let armijo = ArmijoCondition::new(1e-4).expect("a constant");
    let search = BacktrackingLineSearch::new(armijo)
        .rho(0.5)
        .expect("a factor");
    let result = Executor::new(problem(), SteepestDescent::new(search))
        .configure(|state| state.param(vec![1.5]).max_iters(3))
        .run()
        .expect("a run");
    assert!(result.state().get_best_cost() < 1.5 * 1.5);
}
/// A constant infinite or NaN residual would make the parameters of Gauss-Newton's method NaN for the rest of the run.
#[test]
fn gauss_newton_ends_where_a_residual_is_not_finite() {
    struct Guarded(f64);
    impl Function for Guarded {
        type Inputs = ListShape<f64>;
        type Values = Vec<f64>;
        type Output<M: Mode> = Vec<Real<M>>;
        fn call<M: Mode>(&self, x: &[Real<M>]) -> Vec<Real<M>> {
            let first = match x[0] > 0.0 {
                true => (x[0].ln() - 1.0).eval(),
                false => Real::passive(self.0),
            };
            vec![first, (x[0] * 0.01 + 30.0).eval()]
        }
    }
    for constant in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        for start in [-1.0, 5.0, 12.0] {
            let problem = Problem::new(Guarded(constant)).with_parameter::<DVector<f64>>();
            let run = Executor::new(problem, GaussNewton::new())
                .configure(|state| state.param(DVector::from_element(1, start)))
                .run();
            let error = run.err().expect("an error").downcast::<NotFinite>();
            assert_eq!(error.expect("no derivative").what, "residual");
        }
    }
}
/// With a finite gradient and such a Hessian, Steihaug's method would not terminate.
#[test]
fn hessians_that_are_not_finite_end_the_run() {
    #[function]
    fn power<M: Mode>(x: &[Real<M>]) -> Real<M> {
        (x[0].abs().powf(1.5) + x[1] * x[1]).eval()
    }
    #[function]
    fn overflow<M: Mode>(x: &[Real<M>]) -> Real<M> {
        (x[0] * x[0] * 1e200 * 1e200 + x[1] * x[1]).eval()
    }
    let error = |error: Error| error.downcast::<NotFinite>().expect("no derivative").what;
    let problem = Problem::new(power {});
    for start in [vec![0.0, 1.0], vec![0.0, 0.0]] {
        assert_eq!(
            error(problem.hessian(&start).expect_err("an error")),
            "cost"
        );
        let region = TrustRegion::new(Steihaug::new());
        let run = Executor::new(problem.clone().matrix_free(), region)
            .configure(|state| state.param(start).max_iters(10))
            .run();
        assert_eq!(error(run.err().expect("an error")), "cost");
    }
    let infinite = Problem::new(overflow {}).hessian(&vec![1.0, 1.0]);
    assert_eq!(error(infinite.expect_err("an error")), "cost");
}
