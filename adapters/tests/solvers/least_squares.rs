use entape::prelude::*;
use entape_adapters::least_squares::{Error, LeastSquares};
use std::cell::RefCell;

/// Poses on a line that see each other and landmarks: the unknowns are known, the measurements exact.
#[entape::function]
fn chain(x: &[Real], known: &[f64]) -> Vec<Real> {
    let mut all = vec![x[0] - known[0]];
    for (x, k) in x.windows(2).zip(known.windows(2)) {
        all.push((x[1] - x[0]).sin() * 2.0 - (k[1] - k[0]).sin() * 2.0);
        all.push((x[0] * x[1]).exp() * 0.1 - (k[0] * k[1]).exp() * 0.1);
    }
    all
}
fn known() -> Vec<f64> {
    (0..400).map(|k| 0.5 * (0.1 * k as f64).sin()).collect()
}
#[test]
fn a_long_chain_finds_the_known_solution() {
    let known = known();
    let f = Objective::new(chain { known: &known });
    let start = vec![0.1; known.len()];
    let steps = RefCell::new(Vec::new());
    let method = LeastSquares::new().progress(|step| steps.borrow_mut().push(*step));
    let found = method.minimize(&f, &start).expect("a solution");
    for (x, k) in found.x.iter().zip(&known) {
        assert!((x - k).abs() < 1e-7, "{x} instead of {k}");
    }
    assert!(found.cost < 1e-20);
    let steps = steps.borrow();
    assert_eq!(steps.len(), found.iterations);
    assert!(steps.is_sorted_by(|a, b| a.cost >= b.cost && a.iteration < b.iteration));
    let near: Vec<f64> = known.iter().map(|k| k + 1e-3).collect();
    let found = LeastSquares::new()
        .damping(0.0)
        .minimize(&f, &near)
        .expect("a solution");
    assert!(found.iterations <= 5);
    assert!(
        found
            .x
            .iter()
            .zip(&known)
            .all(|(x, k)| (x - k).abs() < 1e-7)
    );
}
#[cfg(feature = "levenberg-marquardt")]
#[test]
fn certified_problems_of_nist() {
    use crate::nist::Regression;
    for problem in [
        Regression::misra1a(),
        Regression::mgh09(),
        Regression::thurber(),
    ] {
        let f = Objective::new(&problem);
        let method = LeastSquares::new().iterations(2000).tolerance(1e-14);
        let found = method.minimize(&f, &problem.starts[1]).expect("a solution");
        problem.assert_solved(&found.x, 1e-14);
        assert!((2.0 * found.cost / problem.sum_of_squares - 1.0).abs() < 1e-9);
    }
}
#[entape::function]
fn redundant(x: &[Real]) -> Vec<Real> {
    vec![
        x[0] + x[1] - 3.0,
        x[1] * x[2] - 2.0,
        2.0 * x[0] + 2.0 * x[1] - 6.0,
    ]
}
#[test]
fn unknowns_that_the_data_do_not_determine_are_an_error() {
    let f = Objective::new(redundant {});
    let Err(Error::RankDeficient(found)) = LeastSquares::new().minimize(&f, &[1.0, 1.0, 1.0])
    else {
        panic!("three unknowns, two equations")
    };
    assert!(found.cost < 1e-15, "{found:?}");
    assert!(
        (found.x[0] + found.x[1] - 3.0).abs() < 1e-7
            && (found.x[1] * found.x[2] - 2.0).abs() < 1e-7
    );
    let gauss_newton = LeastSquares::new()
        .damping(0.0)
        .minimize(&f, &[1.0, 1.0, 1.0]);
    assert!(
        matches!(gauss_newton, Err(Error::RankDeficient(_))),
        "{gauss_newton:?}"
    );
    // An unknown without influence.
    #[entape::function]
    fn one(x: &[Real]) -> Vec<Real> {
        vec![x[0] - 1.0, 0.5 * x[0] - 0.5]
    }
    let f = Objective::new(one {});
    assert!(
        matches!(LeastSquares::new().minimize(&f, &[0.0, 7.0]), Err(Error::RankDeficient(s)) if s.x[1] == 7.0)
    );
}
#[test]
fn failures_are_errors_and_steps_into_them_are_shortened() {
    #[entape::function]
    fn logarithm(x: &[Real]) -> Result<Vec<Real>, String> {
        if x[0] <= 0.0 {
            return Err("a logarithm of a negative number".into());
        }
        Ok(vec![x[0].ln() + 3.0])
    }
    let f = Objective::new(logarithm {});
    // A full step from here leads to negative numbers.
    let found = LeastSquares::new()
        .minimize(&f, &[2.0])
        .expect("a solution");
    assert!((found.x[0] - (-3.0_f64).exp()).abs() < 1e-9);
    assert!(matches!(
        LeastSquares::new().minimize(&f, &[-2.0]),
        Err(Error::Residuals(_))
    ));
    let f = Objective::recorded(|x: &[Real]| vec![(x[0] * x[0] + 1.0).eval(), (x[0] / 0.0).eval()]);
    let undefined = LeastSquares::new().minimize(&f, &[1.0]);
    assert!(
        matches!(undefined, Err(Error::NotFinite | Error::Residuals(_))),
        "{undefined:?}"
    );
    let known = known();
    let f = Objective::new(chain { known: &known });
    let few = LeastSquares::new()
        .iterations(1)
        .minimize(&f, &vec![0.1; 400]);
    assert!(matches!(few, Err(Error::Iterations(s)) if s.iterations == 1));
}
#[test]
fn the_end_of_the_domain_is_not_a_solution() {
    // The cost decreases towards 1 and beyond, where the second residual is not a number.
    let f = |x: &[Real]| vec![(x[0] - 5.0).eval(), ((1.0 - x[0]).sqrt() * 1e-3).eval()];
    let found = LeastSquares::new().minimize(&Objective::recorded(f), &[0.0]);
    assert!(matches!(found, Err(Error::NotFinite)), "{found:?}");
    #[entape::function]
    fn bounded(x: &[Real]) -> Result<Vec<Real>, String> {
        if x[0] > 1.0 {
            return Err("above the bound".into());
        }
        Ok(vec![x[0] - 5.0])
    }
    let found = LeastSquares::new().minimize(&Objective::new(bounded {}), &[0.0]);
    assert!(matches!(found, Err(Error::Residuals(_))), "{found:?}");
}
#[test]
fn squares_that_overflow_are_an_error() {
    for (scale, start) in [(1.0, 500.0), (1e170, -1.0)] {
        let f = Objective::recorded(move |x: &[Real]| vec![(x[0].exp() * scale - 1.0).eval()]);
        let found = LeastSquares::new().minimize(&f, &[start]);
        assert_eq!(found, Err(Error::NotFinite));
    }
}
#[test]
fn a_branch_with_other_entries_has_a_new_pattern() {
    #[entape::function]
    fn branch(x: &[Real]) -> Vec<Real> {
        let second = if x[0] < 0.5 {
            x[1] - 2.0
        } else {
            x[1] * x[0] - 2.0
        };
        vec![x[0] - 1.0, second]
    }
    let found = LeastSquares::new()
        .minimize(&Objective::new(branch {}), &[0.0, 0.0])
        .expect("a solution");
    assert!(
        (found.x[0] - 1.0).abs() < 1e-9 && (found.x[1] - 2.0).abs() < 1e-9,
        "{found:?}"
    );
}
