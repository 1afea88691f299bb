//! Closures with state: gradients of an earlier state, or missing gradients of captured variables. Reported for clad
//! (#1770), Enzyme.jl (#3124), torch-autograd (#129), Dex (#257, #587).
use crate::near;
use entape::{driver::ListShape, prelude::*};
use std::{cell::Cell, panic::catch_unwind};

#[test]
fn each_call_sees_the_current_state() -> Result<(), Error> {
    let calls = Cell::new(0.0);
    let f = |x: Real| {
        calls.set(calls.get() + 1.0);
        (x * x * calls.get()).eval()
    };
    for call in [1.0, 2.0, 3.0] {
        assert_eq!(entape::gradient(f, 3.0)?, 6.0 * call);
    }
    Ok(())
}
#[test]
fn an_objective_sees_data_that_change() -> Result<(), Error> {
    struct Misfit(Vec<f64>);
    impl Function for Misfit {
        type Inputs = ListShape<f64>;
        type Values = f64;
        type Output<M: Mode> = Real<M>;
        fn call<M: Mode>(&self, x: &[Real<M>]) -> Real<M> {
            let squares = self
                .0
                .iter()
                .zip(x)
                .map(|(d, x)| ((x - d) * (x - d)).eval());
            squares.sum()
        }
    }
    let mut objective = Objective::new(Misfit(vec![1.0, 2.0]));
    let x = [5.0, 7.0];
    near("the gradient", &objective.gradient(&x)?, &[8.0, 10.0]);
    near(
        "the product",
        &objective.hessian_vector(&x, &[1.0, -1.0])?,
        &[2.0, -2.0],
    );
    objective.program_mut().0 = vec![0.0, 4.0];
    near("the gradient", &objective.gradient(&x)?, &[10.0, 6.0]);
    objective.program_mut().0 = vec![4.0];
    near("the gradient", &objective.gradient(&x)?, &[2.0, 0.0]);
    near(
        "the Hessian",
        objective.hessian(&x)?.as_slice(),
        &[2.0, 0.0, 0.0, 0.0],
    );
    Ok(())
}
#[test]
fn captured_variables_of_the_tape_have_derivatives() -> Result<(), Error> {
    let mut tape = Tape::new();
    let (a, x) = (tape.input(2.0), tape.input(3.0));
    let f = |x: Real| (a * x * x).eval();
    let y = tape.record(|| f(x));
    near("both", &tape.gradient(&y)?.wrt_all(&[a, x])?, &[9.0, 12.0]);
    let refused = catch_unwind(|| entape::gradient(|x: Real| (a * x).eval(), 1.0));
    assert!(!matches!(refused, Ok(Ok(_))), "{refused:?}");
    Ok(())
}
#[test]
fn variables_of_an_earlier_recording_are_rejected() {
    let kept: Cell<Option<Real>> = Cell::new(None);
    let first = entape::gradient(
        |x: Real| {
            kept.set(Some(x));
            (x * 2.0).eval()
        },
        1.0,
    );
    assert_eq!(first, Ok(2.0));
    let kept = kept.get().expect("an input");
    let refused = catch_unwind(|| entape::gradient(|x: Real| (x * kept).eval(), 1.0));
    assert!(!matches!(refused, Ok(Ok(_))), "{refused:?}");
}
