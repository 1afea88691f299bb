//! The derivative of a side that was not taken, or that was recorded at another point. Reported for ReverseDiff
//! (LogDensityProblems.jl #85; ReverseDiff.jl #234).
use crate::assert_derivatives;
use entape::{mode::AnyMode, prelude::*};

#[test]
fn derivatives_follow_the_branch_of_the_point() {
    #[entape::function]
    fn f<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        if x[0] < 0.0 {
            return Real::<M>::passive(0.0);
        }
        let mut y = (&x[0] * &x[1]).eval();
        while y < 10.0 {
            y.update(|y| y * 2.0 + &x[1]);
        }
        y
    }
    assert_derivatives!(f at [-1.2, 3.0]; gradient [0.0, 0.0]; hessian [0.0; 4]);
    assert_derivatives!(f at [1.5, 2.0]; gradient [8.0, 9.0]; hessian [0.0, 4.0, 4.0, 0.0]);
    assert_derivatives!(f at [5.0, 3.0]; gradient [3.0, 5.0]; hessian [0.0, 1.0, 1.0, 0.0]);
}
#[test]
fn an_objective_follows_the_branches() -> Result<(), Error> {
    #[entape::function]
    fn f<M: Mode>(x: &[Real<M>]) -> Real<M> {
        let sum = x.sum().eval();
        if sum > 1.0 {
            sum.powi(3).eval()
        } else {
            (sum * sum).eval()
        }
    }
    let objective = Objective::new(f {});
    for x in [[0.2, 0.3], [1.0, 1.0], [0.1, 0.1], [3.0, -1.0]] {
        let sum: f64 = x.iter().sum();
        let (slope, second) = if sum > 1.0 {
            (3.0 * sum * sum, 6.0 * sum)
        } else {
            (2.0 * sum, 2.0)
        };
        crate::near("the gradient", &objective.gradient(&x)?, &[slope; 2]);
        crate::near(
            "the Hessian",
            objective.hessian(&x)?.as_slice(),
            &[second; 4],
        );
    }
    Ok(())
}
#[test]
fn iterations_until_convergence_have_the_derivative_of_the_root() {
    #[entape::function]
    fn root<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let mut y = Real::<M>::passive(1.0);
        for _ in 0..60 {
            let step = ((&y * &y * &y - &x[0]) / (3.0 * &y * &y)).eval();
            y -= &step;
        }
        y
    }
    assert_derivatives!(root at [8.0]; gradient [1.0 / 12.0]; hessian [-1.0 / 144.0]);
}
