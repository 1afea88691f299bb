//! Regressions of NIST, and errors.
use crate::nist::Regression;
use entape::{Error, function, prelude::*, try_external};
use entape_adapters::levenberg_marquardt::{
    Problem,
    levenberg_marquardt::{LeastSquaresProblem, LevenbergMarquardt, TerminationReason},
    nalgebra::DMatrix,
};

/// From the certified starts from which the method converges.
fn fit(regression: &Regression, starts: &[usize]) {
    for &start in starts {
        let problem = Problem::new(regression, regression.starts[start].clone());
        let (problem, report) = LevenbergMarquardt::new()
            .with_patience(2000)
            .minimize(problem);
        assert!(
            report.termination.was_successful(),
            "{report:?} {:?}",
            problem.error()
        );
        // the solver's default for `ftol`
        regression.assert_solved(problem.parameters(), 30.0 * f64::EPSILON);

        let sum = 2.0 * report.objective_function;
        assert!(
            (sum / regression.sum_of_squares - 1.0).abs() < 1e-9,
            "{sum}"
        );
        let jacobian = problem.jacobian().expect("a Jacobian");
        let deviations = deviations(jacobian, sum / regression.degrees_of_freedom());
        for (found, certified) in deviations.iter().zip(&regression.deviations) {
            // The deviations change by as much as the model's slopes within the distance of the parameters, some 1e-6
            // deviations.
            assert!(
                (found / certified - 1.0).abs() < 1e-5,
                "{found} for {certified}"
            );
        }
    }
}
fn deviations(jacobian: DMatrix<f64>, variance: f64) -> Vec<f64> {
    let r = jacobian.qr().unpack_r();
    let inverse = r.try_inverse().expect("independent parameters");
    inverse
        .row_iter()
        .map(|row| row.norm() * variance.sqrt())
        .collect()
}
#[test]
fn misra1a() {
    fit(&Regression::misra1a(), &[0, 1]);
}
#[test]
fn thurber() {
    fit(&Regression::thurber(), &[0, 1]);
}
#[test]
fn mgh09() {
    fit(&Regression::mgh09(), &[0, 1]);
}
#[test]
fn hahn1() {
    fit(&Regression::hahn1(), &[0, 1]);
}

#[test]
fn a_failing_derivative() {
    #[function]
    fn residuals<M: Mode>(x: &[Real<M>]) -> Vec<Real<M>> {
        let fails = |_: f64| Err::<f64, _>("the table ends here");
        vec![
            try_external(x[0], x[0].value(), fails).eval(),
            (x[1] - 1.0).eval(),
        ]
    }
    let problem = Problem::new(residuals {}, [2.0, 3.0]);
    let (problem, report) = LevenbergMarquardt::new().minimize(problem);
    assert_eq!(report.termination, TerminationReason::User("jacobian"));
    assert_eq!(problem.parameters(), [2.0, 3.0]);
    assert!(
        matches!(problem.error(), Some(Error::External(_))),
        "{:?}",
        problem.error()
    );
}
#[test]
fn residuals_that_are_not_finite() {
    #[function]
    fn residuals<M: Mode>(x: &[Real<M>]) -> Vec<Real<M>> {
        vec![x[0].ln().eval(), (x[0] + 1.0).eval()]
    }
    let problem = Problem::new(residuals {}, [-2.0]);
    let (problem, report) = LevenbergMarquardt::new().minimize(problem);
    assert!(
        matches!(report.termination, TerminationReason::Numerical(_)),
        "{report:?}"
    );
    assert_eq!(problem.error(), None);
}
