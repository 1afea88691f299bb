//! Faults of steps, and misuse: each is an error with a remedy, and leaves no traces.
use super::{Counted, whole};
use crate::message_of;
use entape::{
    checkpoint::{Checkpoints, Cost, Error, Steps, TrySteps},
    driver::{ListShape, SingleShape},
    prelude::*,
};
use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// Has a fault at one step number, from one call on.
struct Faulty {
    at: usize,
    from: usize,
    calls: Cell<usize>,
    fault: Fault,
}
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Fails,
    Panics,
    Differs,
    Lengthens,
}
impl TrySteps for Faulty {
    type State = ListShape<f64>;
    type Parameters = SingleShape<f64>;
    type Output<M: Mode> = Vec<Real<M>>;
    type Failure = String;
    fn try_step<M: Mode>(
        &self,
        number: usize,
        x: &[Real<M>],
        a: Real<M>,
    ) -> Result<Vec<Real<M>>, String> {
        let mut next: Vec<_> = x.iter().map(|x| (a * x.sin()).eval()).collect();
        if number == self.at {
            self.calls.set(self.calls.get() + 1);
            if self.calls.get() > self.from {
                match self.fault {
                    Fault::Fails => return Err(format!("no state at {:.1}", x[0].value())),
                    Fault::Panics => panic!("the step panics"),
                    Fault::Differs => next[0] += 1e-9,
                    Fault::Lengthens => next.push(a),
                }
            }
        }
        Ok(next)
    }
}
impl Cost for Faulty {
    fn cost<M: Mode>(&self, x: &[Real<M>], _: Real<M>) -> Real<M> {
        x.iter().sum()
    }
}
/// Runs 20 steps within another recording, with a file for some of the states.
fn with_fault(
    fault: Fault,
    at: usize,
    from: usize,
) -> std::thread::Result<Result<f64, Error<String>>> {
    let folder = tempfile::tempdir().expect("a folder");
    let checkpoints = Checkpoints::new()
        .states(2)
        .spill(32)
        .spill_in(folder.path());
    let calls = Cell::new(0);
    let program = Faulty {
        at,
        from,
        calls,
        fault,
    };
    let mut tape = Tape::new();
    let x = tape.input(0.5);
    let run =
        |program: &Faulty| checkpoints.value_and_gradient(program, &[x.value(), 0.7], 1.1, 20);
    let (result, y) = tape.record(|| {
        let before = (2.0 * x).eval();
        let result = catch_unwind(AssertUnwindSafe(|| run(&program).map(|(value, _)| value)));
        (result, (before * x).eval())
    });
    assert_eq!(tape.statistics().statements, 3);
    assert_eq!(tape.gradient(&y).expect("a sweep").wrt(&x), Ok(2.0));
    let healthy = Faulty { at: 20, ..program };
    assert!(run(&healthy).is_ok());
    assert_eq!(
        std::fs::read_dir(folder.path())
            .expect("the folder")
            .count(),
        0
    );
    result
}
#[test]
fn a_step_that_fails_or_panics_leaves_everything_usable() {
    // On the way ahead; on the way back; in the recording.
    for from in [0, 1, 2] {
        let result = with_fault(Fault::Fails, 7, from).expect("no panic");
        let error = result.expect_err("a failure");
        assert!(matches!(error, Error::Step { number: 7, .. }), "{error}");
        assert!(error.to_string().starts_with("step 7 failed: no state at"));
        let panic = with_fault(Fault::Panics, 7, from).expect_err("a panic");
        assert_eq!(panic.downcast_ref(), Some(&"the step panics"));
    }
}
#[test]
fn steps_that_fail_in_a_sweep_are_an_error_and_can_be_swept_again() {
    let program = std::rc::Rc::new(Faulty {
        at: 7,
        from: 1000,
        calls: Cell::new(0),
        fault: Fault::Fails,
    });
    struct Shared(std::rc::Rc<Faulty>);
    impl TrySteps for Shared {
        type State = ListShape<f64>;
        type Parameters = SingleShape<f64>;
        type Output<M: Mode> = Vec<Real<M>>;
        type Failure = String;
        fn try_step<M: Mode>(
            &self,
            number: usize,
            x: &[Real<M>],
            a: Real<M>,
        ) -> Result<Vec<Real<M>>, String> {
            self.0.try_step(number, x, a)
        }
    }
    let mut tape = Tape::new();
    let (x, a) = (tape.inputs([0.5, 0.7]), tape.input(1.1));
    let y = tape.record(|| {
        let loops = Checkpoints::new().states(2);
        let end = loops.as_statement(Shared(program.clone()), &x[..], a, 20);
        end.expect("no failure yet").into_iter().sum::<Real>()
    });
    let before = tape.gradient(&y).expect("a sweep").wrt(&a);
    // The calls so far succeeded; the next ones fail.
    program.calls.set(1000);
    let error = tape.gradient(&y).map(|_| ()).expect_err("a failure");
    assert!(
        error.to_string().contains("step 7 failed: no state at"),
        "{error}"
    );
    program.calls.set(0);
    assert_eq!(tape.gradient(&y).expect("a sweep").wrt(&a), before);
}
#[test]
fn steps_that_cannot_be_repeated_are_errors() {
    // The last state but one is computed ahead, and again in the recording before.
    for fault in [Fault::Differs, Fault::Lengthens] {
        let result = with_fault(fault, 18, 1).expect("no panic");
        let error = result.expect_err("a difference");
        assert!(
            matches!(error, Error::NotRepeatable { number: 19 }),
            "{error}"
        );
    }
    // A state may have another shape than the previous one, but not in a file.
    let program = Faulty {
        at: 1,
        from: 0,
        calls: Cell::new(0),
        fault: Fault::Lengthens,
    };
    let (value, _) = whole(&program, &vec![0.5, 0.7], &1.1, 20);
    let run = |checkpoints: Checkpoints<'_>| {
        checkpoints.value_and_gradient(&program, &[0.5, 0.7], 1.1, 20)
    };
    assert_eq!(
        run(Checkpoints::new().states(3)).expect("a gradient").0,
        value
    );
    let error = run(Checkpoints::new().states(1).spill(64)).expect_err("another shape");
    assert!(
        matches!(
            error,
            Error::ShapeChanged {
                expected: 2,
                found: 3,
                ..
            }
        ),
        "{error}"
    );
}
#[test]
fn bounds_too_low_and_unusable_files_are_errors() {
    let run = |checkpoints: Checkpoints<'_>| {
        let error = checkpoints.value_and_gradient(&Counted::new(2000), 0.3, 3.7, 2000);
        error.expect_err("an error")
    };
    let error = run(Checkpoints::new().bytes(40));
    assert!(
        matches!(error, Error::BoundTooLow { bound: 40, .. }),
        "{error}"
    );
    let error = run(Checkpoints::new()
        .states(1)
        .spill(80)
        .spill_in("/no/such/folder"));
    assert!(
        matches!(
            error,
            Error::File {
                doing: "making it",
                ..
            }
        ),
        "{error}"
    );
}
#[test]
fn a_seed_of_another_shape_than_the_last_state_panics() {
    let program = Faulty {
        at: 20,
        from: 0,
        calls: Cell::new(0),
        fault: Fault::Fails,
    };
    let seeded = || Checkpoints::new().vjp(&program, &[0.5, 0.7], 1.1, 20, &[1.0; 3]);
    let message = message_of(seeded);
    assert_eq!(
        message,
        "a seed of 3 numbers does not fit a final state of 2: pass one number for each coordinate"
    );
}
#[test]
fn a_closure_that_captures_a_variable_of_another_tape_panics() {
    let mut tape = Tape::new();
    let k = tape.input(2.0);
    let step = |_: usize, x: Real, a: Real| (a * x * k).eval();
    let run = || {
        Checkpoints::new()
            .states(2)
            .value_and_gradient_of(step, |x: Real, _: Real| x, 1.0, 1.0, 5)
    };
    let panic = tape
        .record(|| catch_unwind(AssertUnwindSafe(run)))
        .expect_err("a panic");
    let message = panic.downcast_ref::<String>().expect("a message");
    assert!(message.contains("another tape"), "{message}");
    assert_eq!(tape.statistics().statements, 1);
}
#[test]
fn steps_that_changed_since_the_recording_are_an_error() {
    struct Scaled(std::rc::Rc<Cell<f64>>);
    impl Steps for Scaled {
        type State = SingleShape<f64>;
        type Parameters = SingleShape<f64>;
        type Output<M: Mode> = Real<M>;
        fn step<M: Mode>(&self, _: usize, x: Real<M>, a: Real<M>) -> Real<M> {
            (self.0.get() * a * x).eval()
        }
    }
    let factor = std::rc::Rc::new(Cell::new(1.0));
    let mut tape = Tape::new();
    let (x, a) = (tape.input(1.0), tape.input(2.0));
    let y = tape.record(|| {
        let loops = Checkpoints::new().states(2);
        let y = loops.as_statement(Scaled(factor.clone()), x, a, 3);
        y.expect("a statement")
    });
    factor.set(2.0);
    let error = tape.gradient(&y).map(drop).expect_err("other steps");
    assert!(error.to_string().contains("another state 3"), "{error}");
    factor.set(1.0);
    assert_eq!(tape.gradient(&y).expect("a sweep").wrt(&x), Ok(8.0));
}
