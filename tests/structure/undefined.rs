//! Infinite or NaN results that do not depend on inputs have derivatives of NaN.
use entape::{
    checkpoint::{Checkpoints, Cost, Steps},
    driver::{Error, ListShape, SingleRefShape, SingleShape},
    parallel::Parallel,
    prelude::*,
    simd::arrays::ArrayKind,
};
use std::f64::consts::E;

const NOT_FINITE: [f64; 3] = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN];

#[test]
fn sums_of_constants_are_nan_whatever_the_blocks() -> Result<(), Error> {
    for constant in NOT_FINITE {
        let term = |x: &[Real], i: usize| match i {
            3 => Real::passive(constant),
            4 if x[0] > 1.0 => (x[0] * 2.0).eval(),
            _ => Real::passive(1.0),
        };
        for block in [1, 2, 10] {
            for parallel in [Parallel::new(), Parallel::new().any_order()] {
                let parallel = parallel.block(block);
                let (value, slope) = parallel.sum(10, term, &[1.0])?;
                assert!(!value.is_finite() && slope[0].is_nan());
                // The sum depends on an input, and the constant does not contribute to its slope.
                assert_eq!(parallel.sum(10, term, &[2.0])?.1, [2.0]);
            }
        }
    }
    let (value, slope) = Parallel::new().sum(10, |_: &[Real], _| Real::passive(1.0), &[1.0])?;
    assert_eq!((value, slope), (10.0, [0.0]));
    assert_eq!(
        Parallel::new().sum(0, |x: &[Real], _| x[0], &[f64::NAN])?,
        (0.0, [0.0])
    );
    Ok(())
}
#[test]
fn parts_that_are_constants_are_nan() -> Result<(), Error> {
    for constant in NOT_FINITE {
        let mut tape = Tape::new();
        let x = tape.input(2.0);
        let y = tape.record(|| {
            let part = move |x: Real, i: usize| match i {
                7 => Real::passive(constant),
                _ => (x * i as f64).eval(),
            };
            Parallel::new().map(x, 10, part).eval()
        });
        assert!(tape.gradient(&y[7])?.wrt(&x)?.is_nan());
        assert_eq!(tape.gradient(&y[3])?.wrt(&x)?, 3.0);
    }
    Ok(())
}

/// `x' = a x`, except for a step after which the state is a constant.
#[derive(Clone)]
struct Breaks {
    at: usize,
    constant: f64,
}
impl Steps for Breaks {
    type State = SingleShape<f64>;
    type Parameters = SingleShape<f64>;
    type Output<M: Mode> = Real<M>;
    fn step<M: Mode>(&self, number: usize, x: Real<M>, a: Real<M>) -> Real<M> {
        match number == self.at {
            true => Real::passive(self.constant),
            false => (a * x).eval(),
        }
    }
}
impl Cost for Breaks {
    fn cost<M: Mode>(&self, x: Real<M>, _: Real<M>) -> Real<M> {
        (x + 1.0).eval()
    }
}
fn every_plan() -> impl Iterator<Item = Checkpoints<'static>> {
    let plan =
        |states| [1, 3, 20].map(|at_once| Checkpoints::new().states(states).steps_at_once(at_once));
    [1, 2, 4].into_iter().flat_map(plan)
}
#[test]
fn loops_that_end_in_a_constant_are_nan() -> Result<(), Box<dyn std::error::Error>> {
    for constant in NOT_FINITE {
        let program = Breaks { at: 9, constant };
        for loops in every_plan() {
            let (value, (x_b, a_b)) = loops.value_and_gradient(&program, 1.0, 2.0, 10)?;
            assert!(!value.is_finite() && x_b.is_nan() && a_b.is_nan());
            let (last, (x_b, a_b)) = loops.vjp(&program, 1.0, 2.0, 10, 1.0)?;
            assert!(!last.is_finite() && x_b.is_nan() && a_b.is_nan());
            let step = |number, x: Real, a: Real| program.step(number, x, a);
            let (_, (x_b, a_b)) =
                loops.value_and_gradient_of(step, |x: Real, _| x, 1.0, 2.0, 10)?;
            assert!(x_b.is_nan() && a_b.is_nan());
        }
    }
    let finite = Breaks { at: 9, constant: E };
    for loops in every_plan() {
        let all = loops.value_and_gradient(&finite, 1.0, 2.0, 10)?;
        assert_eq!(all, (E + 1.0, (0.0, 0.0)));
    }
    Ok(())
}
#[test]
fn states_before_a_constant_do_not_affect_the_result() -> Result<(), Box<dyn std::error::Error>> {
    for loops in every_plan() {
        let program = Breaks { at: 5, constant: E };
        let (value, (x_b, a_b)) = loops.value_and_gradient(&program, 1.0, 2.0, 7)?;
        assert_eq!(value, 2.0 * E + 1.0);
        assert_eq!((x_b, a_b), (0.0, E));
        let program = Breaks {
            at: 5,
            constant: f64::INFINITY,
        };
        let (_, (x_b, a_b)) = loops.value_and_gradient(&program, 1.0, 2.0, 7)?;
        assert_eq!((x_b, a_b), (0.0, f64::INFINITY));
    }
    Ok(())
}
#[test]
fn an_unused_state_contributes_nothing() -> Result<(), Box<dyn std::error::Error>> {
    let step = |_, [x, _]: [Real; 2], a: Real| [(a * x).eval(), ((x - 1.0).sqrt() * a).eval()];
    for loops in every_plan() {
        let cost = |[x, _]: [Real; 2], _: Real| x;
        let (_, (x_b, a_b)) = loops.value_and_gradient_of(step, cost, [1.0, 1.0], 1.0, 6)?;
        assert_eq!((x_b, a_b), ([1.0, 0.0], 6.0));
    }
    Ok(())
}
#[test]
fn a_loop_contributes_nothing_without_an_adjoint() -> Result<(), Box<dyn std::error::Error>> {
    /// The root has an infinite slope at the first step.
    struct Apart;
    impl Steps for Apart {
        type State = ListShape<f64>;
        type Parameters = SingleShape<f64>;
        type Output<M: Mode> = Vec<Real<M>>;
        fn step<M: Mode>(&self, _: usize, x: &[Real<M>], a: Real<M>) -> Vec<Real<M>> {
            vec![
                (a * x[0]).eval(),
                ((x[1] - 1.0).sqrt() * a).eval(),
                x[2],
                x[3],
            ]
        }
    }
    let slopes = |steps: usize, states: usize, used: fn(&[Real]) -> Real| {
        let mut tape = Tape::new();
        let x = tape.inputs([1.0, 1.0, 0.0, 800.0, 2.0]);
        let y = tape.record(|| {
            let first = [x[0], x[1], x[2].sqrt().eval(), x[3].exp().eval()];
            let loops = Checkpoints::new().states(states).steps_at_once(2);
            let end = loops.as_statement(Apart, &first[..], x[4], steps)?;
            Ok::<_, entape::checkpoint::Error>(used(&end))
        })?;
        Ok::<_, Box<dyn std::error::Error>>(tape.gradient(&y)?.wrt_all(&x)?)
    };
    for (steps, scale, a_b) in [(0, 1.0, 0.0), (1, 2.0, 1.0), (4, 16.0, 32.0)] {
        for states in [1, 3] {
            let first = slopes(steps, states, |end| (end[0] * 1.0).eval())?;
            assert_eq!(first, [scale, 0.0, 0.0, 0.0, a_b]);
            let last = slopes(steps, states, |end| (1.0 + end[3]).ln().eval())?;
            assert_eq!(last[..3], [0.0; 3]);
            assert!(last[3].is_nan() && last[4] == 0.0);
        }
    }
    Ok(())
}
#[test]
fn an_unused_part_that_is_infinite_has_no_influence() -> Result<(), Box<dyn std::error::Error>> {
    struct Grows {
        passive: bool,
    }
    impl Steps for Grows {
        type State = ListShape<f64>;
        type Parameters = SingleShape<f64>;
        type Output<M: Mode> = Vec<Real<M>>;
        fn step<M: Mode>(&self, _: usize, x: &[Real<M>], a: Real<M>) -> Vec<Real<M>> {
            let unused = match self.passive {
                true => Real::passive(f64::INFINITY),
                false => (x[1] * a * 1e300).eval(),
            };
            vec![(a * x[0]).eval(), unused, Real::passive(1.0)]
        }
    }
    let slopes = |passive: bool, used: fn(&[Real]) -> Real| {
        let mut tape = Tape::new();
        let x = tape.inputs([1.0, 1.0, 2.0]);
        let y = tape.record(|| {
            let loops = Checkpoints::new().states(2);
            let first = [x[0], x[1], x[0]];
            let end = loops.as_statement(Grows { passive }, &first[..], x[2], 3)?;
            Ok::<_, entape::checkpoint::Error>(used(&end))
        })?;
        Ok::<_, Box<dyn std::error::Error>>(tape.gradient(&y)?.wrt_all(&x)?)
    };
    for passive in [true, false] {
        assert_eq!(
            slopes(passive, |end| (end[0] * 3.0).eval())?,
            [24.0, 0.0, 36.0]
        );
        assert_eq!(slopes(passive, |end| (end[2] * 3.0).eval())?, [0.0; 3]);
        let all = slopes(passive, |end| (end[0] + end[1]).eval())?;
        assert!(all.iter().any(|slope| !slope.is_finite()), "{all:?}");
    }
    Ok(())
}
#[test]
fn parts_contribute_nothing_without_an_adjoint() -> Result<(), Box<dyn std::error::Error>> {
    struct Rotate;
    impl Steps for Rotate {
        type State = SingleRefShape<ArrayKind<f64>>;
        type Parameters = SingleShape<f64>;
        type Output<M: Mode> = Array<M>;
        fn step<M: Mode>(&self, _: usize, x: &Array<M>, _: Real<M>) -> Array<M> {
            (x * 2.0).eval()
        }
    }
    let mut tape = Tape::new();
    let x = tape.input(vec![1.0, 0.0, 4.0]);
    let y = tape.record(|| {
        let root = x.sqrt().eval();
        let end =
            Checkpoints::new()
                .states(2)
                .as_statement(Rotate, &root, Real::passive(1.0), 5)?;
        Ok::<_, entape::checkpoint::Error>((end.at(0) + end.at(2)).eval())
    })?;
    assert_eq!(tape.gradient(&y)?.wrt(&x)?, [16.0, 0.0, 8.0]);

    for block in [1, 4] {
        let mut tape = Tape::new();
        let x = tape.inputs([4.0, 0.0, 0.0, 800.0]);
        let (first, last) = tape.record(|| {
            let root = [x[0], x[1].sqrt().eval(), x[2], x[3].exp().eval()];
            let part = |x: &[Real], i: usize| match i {
                0 => (3.0 * x[0]).eval(),
                1 => (x[1] + x[0]).eval(),
                2 => x[2].sqrt().eval(),
                _ => (1.0 + x[3]).ln().eval(),
            };
            let parts = Parallel::new().block(block).map(&root[..], 4, part).eval();
            ((parts[0] * 2.0).eval(), (parts[0] + parts[3]).eval())
        });
        assert_eq!(tape.gradient(&first)?.wrt_all(&x)?, [6.0, 0.0, 0.0, 0.0]);
        let last = tape.gradient(&last)?.wrt_all(&x)?;
        assert_eq!(last[..3], [3.0, 0.0, 0.0]);
        assert!(last[3].is_nan());
    }
    Ok(())
}
#[test]
fn a_hessian_through_a_loop_names_the_remedy() {
    let f = |x: &[Real]| {
        let program = Breaks {
            at: 100,
            constant: 0.0,
        };
        let loops = Checkpoints::new().states(3);
        let end = loops.as_statement(program, x[0], x[1], 10).expect("steps");
        (end * end).eval()
    };
    let error = entape::hessian(f, &[1.0, 2.0]).unwrap_err().to_string();
    for part in [
        "undefined.rs",
        "a loop with checkpoints has no second derivatives",
        "write it as a loop of the program",
        "differences of gradients",
    ] {
        assert!(error.contains(part), "{error}");
    }
    assert!(
        !error.contains("tangent") && !error.contains("external"),
        "{error}"
    );
    let sparse = entape::Objective::recorded(f).sparse_hessian(&[1.0, 2.0]);
    assert_eq!(sparse.unwrap_err().to_string(), error);
}
