//! Constrained minima that are known, trust regions, least squares, and errors.
use entape::{Error, function, prelude::*, try_external};
use entape_adapters::basin::{
    Problem,
    basin::{
        ConstraintSolveError, DenseMatrix, Executor, FirstOrderState, LevenbergMarquardt,
        PointState, SelectedFirstOrderState, Slsqp, TrustRegion,
    },
};

fn hs71<M: Mode>(x: &[Real<M>]) -> Real<M> {
    (x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2]).eval()
}
fn hs71_constraints<M: Mode>(x: &[Real<M>]) -> Vec<Real<M>> {
    let sphere = x.iter().map(|x| x * x).sum::<Real<M>>() - 40.0;
    let volume = 25.0 - x[0] * x[1] * x[2] * x[3];
    vec![sphere.eval(), volume.eval()]
}
/// Problem 71 of W. Hock and K. Schittkowski, *Test Examples for Nonlinear Programming Codes* (1981), with the published solution.
#[test]
fn hock_and_schittkowski_71() {
    let problem = Problem::new(function!(hs71))
        .subject_to(function!(hs71_constraints: Vec<f64> => Vec<f64>), 1, 1)
        .within([1.0; 4], [5.0; 4]);
    let solver = Slsqp::new().with_absolute_accuracy_tolerance(1e-12);
    let state = SelectedFirstOrderState::new(vec![1.0, 5.0, 5.0, 1.0]);
    let result = Executor::new(problem, solver, state)
        .max_iter(100)
        .run()
        .expect("a run");
    // published to seven decimals
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
/// The point of a circle that is nearest to a corner: without bounds and inequalities.
#[test]
fn an_equality_alone() {
    fn distance<M: Mode>(x: &[Real<M>]) -> Real<M> {
        ((x[0] - 3.0).powi(2) + (x[1] - 4.0).powi(2)).eval()
    }
    fn circle<M: Mode>(x: &[Real<M>]) -> Vec<Real<M>> {
        vec![(x[0] * x[0] + x[1] * x[1] - 1.0).eval()]
    }
    let problem =
        Problem::new(function!(distance)).subject_to(function!(circle: Vec<f64> => Vec<f64>), 1, 0);
    let solver = Slsqp::new().with_absolute_accuracy_tolerance(1e-14);
    let state = SelectedFirstOrderState::new(vec![1.0, 0.0]);
    let result = Executor::new(problem, solver, state)
        .max_iter(100)
        .run()
        .expect("a run");
    // A gain of less than 1e-14 in a cost with the curvature 10 along the circle is a distance of less than 1e-7.
    for (x, nearest) in result.param().iter().zip([0.6, 0.8]) {
        assert!((x - nearest).abs() < 1e-7, "{x} is not {nearest}");
    }
}
fn rosenbrock<M: Mode>(x: &[Real<M>]) -> Real<M> {
    let valley = |x: &[Real<M>]| (1.0 - x[0]).powi(2) + 100.0 * (x[1] - x[0] * x[0]).powi(2);
    x.windows(2).map(valley).sum()
}
#[test]
fn trust_regions() {
    let start = || FirstOrderState::new(vec![-1.2, 1.0, 0.5]);
    let by_matrix = TrustRegion::new();
    let matrix = Executor::new(Problem::new(function!(rosenbrock)), by_matrix, start());
    let matrix = matrix.max_iter(200).run().expect("a run");
    let by_products = TrustRegion::matrix_free();
    let products = Executor::new(Problem::new(function!(rosenbrock)), by_products, start());
    let products = products.max_iter(200).run().expect("a run");
    for found in [matrix.param(), products.param()] {
        let slope = entape::Objective::new(function!(rosenbrock))
            .gradient(found)
            .expect("a gradient");
        assert!(slope.iter().all(|x| x.abs() < 1e-5), "{slope:?}");
        // the least curvature at the minimum is 0.5
        assert!(found.iter().all(|x| (x - 1.0).abs() < 1e-4), "{found:?}");
    }
}
#[test]
fn residuals() {
    fn residuals<M: Mode>(x: &[Real<M>]) -> Vec<Real<M>> {
        vec![(10.0 * (x[1] - x[0] * x[0])).eval(), (1.0 - x[0]).eval()]
    }
    let problem = Problem::new(function!(residuals: Vec<f64> => Vec<f64>));
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
    fn f<M: Mode>(x: &[Real<M>]) -> Real<M> {
        try_external(x[0], x[0].value(), |_: f64| {
            Err::<f64, _>("the table ends here")
        })
        .eval()
    }
    fn circle<M: Mode>(x: &[Real<M>]) -> Vec<Real<M>> {
        vec![(x[0] * x[0] - 1.0).eval()]
    }
    let problem =
        Problem::new(function!(f)).subject_to(function!(circle: Vec<f64> => Vec<f64>), 1, 0);
    let run = Executor::from_start(problem, Slsqp::new(), vec![0.5])
        .max_iter(10)
        .run();
    let error = run.err().expect("an error");
    assert!(
        matches!(error, ConstraintSolveError::Evaluation(Error::External(_))),
        "{error}"
    );
}
#[test]
#[should_panic(
    expected = "the constraints have 2 values, and were declared as 1 equalities and 0 inequalities"
)]
fn another_number_of_constraints() {
    let constraints = function!(hs71_constraints: Vec<f64> => Vec<f64>);
    let problem = Problem::new(function!(hs71)).subject_to(constraints, 1, 0);
    let _ = Executor::from_start(problem, Slsqp::new(), vec![1.0; 4])
        .max_iter(10)
        .run();
}
