//! Known constrained minima, trust regions, least squares, and errors.
use entape::{function, prelude::*, try_external};
use entape_adapters::basin::{
    Error, Problem,
    basin::{
        Bfgs, ConstraintSolveError, CostFunction, DenseMatrix, Executor, FirstOrderState,
        GaussNewton, Gradient, HagerZhang, Hessian, HessianProduct, LevenbergMarquardt, PointState,
        SelectedFirstOrderState, Slsqp, TrustRegion,
    },
};

#[function]
fn hs71<M: Mode>(x: &[Real<M>]) -> Real<M> {
    (x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2]).eval()
}
#[function]
fn hs71_constraints<M: Mode>(x: &[Real<M>]) -> Vec<Real<M>> {
    let sphere = x.iter().map(|x| x * x).sum::<Real<M>>() - 40.0;
    let volume = 25.0 - x[0] * x[1] * x[2] * x[3];
    vec![sphere.eval(), volume.eval()]
}
/// Problem 71 of W. Hock and K. Schittkowski, *Test Examples for Nonlinear Programming Codes* (1981), with the published solution.
#[test]
fn hock_and_schittkowski_71() {
    let problem = Problem::new(hs71 {})
        .subject_to(hs71_constraints {}, 1, 1)
        .within([1.0; 4], [5.0; 4]);
    let solver = Slsqp::new().with_absolute_accuracy_tolerance(1e-12);
    let state = SelectedFirstOrderState::new(vec![1.0, 5.0, 5.0, 1.0]);
    let result = Executor::new(problem, solver, state)
        .max_iter(100)
        .run()
        .expect("a run");
    let published = [1.0, 4.742_999_6, 3.821_149_9, 1.379_408_3];
    for (x, published) in result.param().iter().zip(published) {
        assert!((x - published).abs() < 1e-6, "{x} is not {published}");
    }
    assert!(
        (result.cost() - 17.014_017_3).abs() < 1e-6,
        "{}",
        result.cost()
    );
}
#[test]
fn an_equality_alone() {
    #[function]
    fn distance<M: Mode>(x: &[Real<M>]) -> Real<M> {
        ((x[0] - 3.0).powi(2) + (x[1] - 4.0).powi(2)).eval()
    }
    #[function]
    fn circle<M: Mode>(x: &[Real<M>]) -> Vec<Real<M>> {
        vec![(x[0] * x[0] + x[1] * x[1] - 1.0).eval()]
    }
    let problem = Problem::new(distance {}).subject_to(circle {}, 1, 0);
    let solver = Slsqp::new().with_absolute_accuracy_tolerance(1e-14);
    let state = SelectedFirstOrderState::new(vec![1.0, 0.0]);
    let result = Executor::new(problem, solver, state)
        .max_iter(100)
        .run()
        .expect("a run");
    // A gain of less than 1e-14 in a cost of curvature 10 is a distance of less than 1e-7.
    for (x, nearest) in result.param().iter().zip([0.6, 0.8]) {
        assert!((x - nearest).abs() < 1e-7, "{x} is not {nearest}");
    }
}
#[function]
fn rosenbrock<M: Mode>(x: &[Real<M>]) -> Real<M> {
    let valley = |x: &[Real<M>]| (1.0 - x[0]).powi(2) + 100.0 * (x[1] - x[0] * x[0]).powi(2);
    x.windows(2).map(valley).sum()
}
#[test]
fn trust_regions() {
    let start = || FirstOrderState::new(vec![-1.2, 1.0, 0.5]);
    let by_matrix = TrustRegion::new();
    let matrix = Executor::new(Problem::new(rosenbrock {}), by_matrix, start());
    let matrix = matrix.max_iter(200).run().expect("a run");
    let by_products = TrustRegion::matrix_free();
    let products = Executor::new(Problem::new(rosenbrock {}), by_products, start());
    let products = products.max_iter(200).run().expect("a run");
    for found in [matrix.param(), products.param()] {
        let slope = entape::Objective::new(rosenbrock {})
            .gradient(found)
            .expect("a gradient");
        assert!(slope.iter().all(|x| x.abs() < 1e-5), "{slope:?}");
        assert!(found.iter().all(|x| (x - 1.0).abs() < 1e-4), "{found:?}");
    }
}
#[test]
fn residuals() {
    #[function]
    fn residuals<M: Mode>(x: &[Real<M>]) -> Vec<Real<M>> {
        vec![(10.0 * (x[1] - x[0] * x[0])).eval(), (1.0 - x[0]).eval()]
    }
    let problem = Problem::new(residuals {});
    let solver = LevenbergMarquardt::<Vec<f64>, DenseMatrix<f64>>::new();
    let result = Executor::new(problem, solver, PointState::new(vec![-1.2, 1.0]))
        .max_iter(100)
        .run();
    let result = result.expect("a run");
    assert!(
        result.param().iter().all(|x| (x - 1.0).abs() < 1e-7),
        "{:?}",
        result.param()
    );
}
#[test]
fn an_error_ends_the_run() {
    #[function]
    fn f<M: Mode>(x: &[Real<M>]) -> Real<M> {
        try_external(x[0], x[0].value(), |_: f64| {
            Err::<f64, _>("the table ends here")
        })
        .eval()
    }
    #[function]
    fn circle<M: Mode>(x: &[Real<M>]) -> Vec<Real<M>> {
        vec![(x[0] * x[0] - 1.0).eval()]
    }
    let problem = Problem::new(f {}).subject_to(circle {}, 1, 0);
    let run = Executor::from_start(problem, Slsqp::new(), vec![0.5])
        .max_iter(10)
        .run();
    let error = run.err().expect("an error");
    assert!(
        matches!(
            error,
            ConstraintSolveError::Evaluation(Error::Derivative(entape::Error::External(_)))
        ),
        "{error}"
    );
}
#[test]
#[should_panic(
    expected = "the constraints have 2 values, but 1 equalities and 0 inequalities were declared"
)]
fn another_number_of_constraints() {
    let constraints = hs71_constraints {};
    let problem = Problem::new(hs71 {}).subject_to(constraints, 1, 0);
    let _ = Executor::from_start(problem, Slsqp::new(), vec![1.0; 4])
        .max_iter(10)
        .run();
}

#[function]
fn known_above_one<M: Mode>(x: &[Real<M>]) -> Real<M> {
    match x[0] < 1.0 {
        true => Real::passive(f64::INFINITY),
        false => (x[0] * x[0]).eval(),
    }
}
/// A derivative of a constant infinite cost is an error; the cost itself is passed on.
#[test]
fn derivatives_of_an_infinite_cost() {
    let (problem, x) = (Problem::new(known_above_one {}), vec![0.5]);
    let error = Some(Error::NotFinite { what: "cost" });
    assert_eq!(problem.cost(&x), Ok(f64::INFINITY));
    let (cost, slope) = problem.cost_and_gradient(&x).expect("a cost");
    assert!(cost == f64::INFINITY && slope[0].is_nan());
    assert_eq!(problem.gradient(&x).err(), error);
    assert_eq!(problem.hessian(&x).err(), error);
    assert_eq!(problem.hessian_product(&x, &x).err(), error);
    #[function]
    fn root<M: Mode>(x: &[Real<M>]) -> Real<M> {
        x[0].sqrt().eval()
    }
    let error_of_slope = Problem::new(root {}).cost_and_gradient(&vec![0.0]);
    assert_eq!(error_of_slope.err(), error);
}
#[test]
fn a_search_turns_back_from_an_infinite_cost() {
    let run = Executor::new(
        Problem::new(known_above_one {}),
        Bfgs::with_line_search(HagerZhang::new()),
        FirstOrderState::new(vec![1.5]),
    );
    let result = run.max_iter(3).run().expect("a run");
    assert!(result.cost() < 1.5 * 1.5 && result.param()[0] >= 1.0);
}
#[test]
fn residuals_that_are_not_finite_end_the_run() {
    #[function]
    fn guarded<M: Mode>(x: &[Real<M>]) -> Vec<Real<M>> {
        let first = match x[0] > 0.0 {
            true => (x[0].ln() - 1.0).eval(),
            false => Real::passive(f64::NAN),
        };
        vec![first, (x[0] * 0.01 + 30.0).eval()]
    }
    let problem = || Problem::new(guarded {});
    for start in [-1.0, 5.0] {
        let solver = GaussNewton::<Vec<f64>, DenseMatrix<f64>>::new();
        let run = Executor::new(problem(), solver, PointState::new(vec![start])).run();
        let error = run.err().expect("an error").to_string();
        assert!(
            error.contains("the residual or its derivative is infinite or NaN"),
            "{error}"
        );
    }
    let solver = LevenbergMarquardt::<Vec<f64>, DenseMatrix<f64>>::new();
    let run = Executor::new(problem(), solver, PointState::new(vec![-1.0])).run();
    let error = run.err().expect("an error").to_string();
    assert!(
        error.contains("the residual or its derivative is infinite or NaN"),
        "{error}"
    );
}
#[test]
fn constraints_that_are_not_finite_end_the_run() {
    #[function]
    fn infinite<M: Mode>(_: &[Real<M>]) -> Vec<Real<M>> {
        vec![Real::passive(f64::INFINITY)]
    }
    let constraints = infinite {};
    let problem = Problem::new(rosenbrock {}).subject_to(constraints, 0, 1);
    let run = Executor::from_start(problem, Slsqp::new(), vec![0.5, 0.5]).run();
    let error = run.err().expect("an error").to_string();
    assert!(
        error.contains("the constraint or its derivative is infinite or NaN"),
        "{error}"
    );
}
