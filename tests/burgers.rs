//! Burgers' equations on a small grid, compared with the reference data.
use entape::prelude::*;
use entape_programs::{
    burgers::{
        Burgers, Fields, Grid, Outcome, Recorded,
        Statements::{self, Four, Fused},
        hand,
    },
    burgers_array,
};
use entape_tests::{assert_close, numbers, program as reference};

const GRID: Grid = Grid { n: 16, steps: 4 };
const TOLERANCE: f64 = 1e-12;

#[track_caller]
fn assert_value(value: f64) {
    let expected = reference("burgers")["value"].as_f64().unwrap();
    assert_close("value", &[value], &[expected], TOLERANCE);
}
#[track_caller]
fn assert_gradient<M: Recording>(
    tape: &mut Tape<M>,
    program: impl FnOnce(&mut Burgers<Active<f64, M>>) -> Active<f64, M>,
) {
    let recorded = Recorded::new(tape, GRID, program);
    let expected = &reference("burgers")["gradient"];
    let first = recorded.sweep(tape).unwrap();
    assert_value(first.value);
    assert_close(
        "u0_b",
        &first.gradient.u,
        &numbers(&expected["u0"]),
        TOLERANCE,
    );
    assert_close(
        "v0_b",
        &first.gradient.v,
        &numbers(&expected["v0"]),
        TOLERANCE,
    );
    let second = recorded.sweep(tape).unwrap();
    assert_eq!(
        first.gradient, second.gradient,
        "a second sweep gives other bits"
    );
}
#[track_caller]
fn assert_gradients<M: Recording>(
    tape: &mut Tape<M>,
    program: impl Fn(&mut Burgers<Active<f64, M>>, Statements) -> Active<f64, M>,
) {
    for statements in [Four, Fused, Four] {
        assert_gradient(tape, |burgers| program(burgers, statements));
        let other = Grid { n: 5, steps: 3 };
        let recorded = Recorded::new(tape, other, |burgers| program(burgers, statements));
        if statements == Four {
            recorded.sweep(tape).unwrap();
        }
    }
}
/// Chunks of the default size, and chunks that are too small for some statements.
fn tapes<M: Recording>() -> [Tape<M>; 3] {
    [
        Tape::builder(),
        Tape::builder().chunk_bytes(32),
        Tape::builder().chunk_bytes(200),
    ]
    .map(|tape| tape.build().unwrap())
}

#[test]
fn the_inputs_are_those_of_the_reference() {
    let case = reference("burgers");
    assert_eq!(case["n"].as_u64(), Some(GRID.n as u64));
    assert_eq!(case["steps"].as_u64(), Some(GRID.steps as u64));
    let Fields { u, v } = GRID.initial();
    assert_close("u0", &u, &numbers(&case["inputs"]["u0"]), 1e-15);
    assert_close("v0", &v, &numbers(&case["inputs"]["v0"]), 1e-15);
}

#[test]
fn the_plain_programs_have_the_value_of_the_reference() {
    assert_value(Burgers::new(GRID, |x| x).baseline());
    let mut burgers = Burgers::new(GRID, Active::<f64, Plain>::passive);
    for statements in [Four, Fused] {
        assert_value(burgers.by_value(statements).value());
        assert_value(burgers.by_reference(statements).value());
    }
}

#[test]
fn the_hand_written_adjoint_agrees_with_the_reference() {
    let expected = &reference("burgers")["gradient"];
    let mut adjoint = hand::Adjoint::new(GRID);
    for _ in 0..2 {
        assert_value(adjoint.record());
        adjoint.reverse();
        let Fields { u, v } = adjoint.gradient();
        assert_close("u0_b", u, &numbers(&expected["u0"]), TOLERANCE);
        assert_close("v0_b", v, &numbers(&expected["v0"]), TOLERANCE);
    }
}

#[test]
fn programs_by_value_agree_with_the_reference() {
    for mut tape in tapes::<Taped>() {
        assert_gradients(&mut tape, Burgers::by_value);
    }
}

#[test]
fn programs_by_reference_agree_with_the_reference() {
    for mut tape in tapes::<Taped>() {
        assert_gradients(&mut tape, Burgers::by_reference);
    }
}

#[test]
fn programs_with_reused_identifiers_agree_with_the_reference() {
    for mut tape in tapes::<Reuse>() {
        assert_gradients(&mut tape, Burgers::by_reference);
    }
}

#[test]
fn programs_of_arrays_agree_with_programs_of_reals() {
    fn agree<M: Recording>(tape: &mut Tape<M>, grid: Grid) -> Outcome {
        let (_, first) = burgers_array::record_and_sweep(tape, grid).unwrap();
        let mut reals = Tape::new();
        let recorded = Recorded::new(&mut reals, grid, |burgers| burgers.by_value(Fused));
        let want = recorded.sweep(&mut reals).unwrap();
        assert_close("value", &[first.value], &[want.value], TOLERANCE);
        assert_close("u0_b", &first.gradient.u, &want.gradient.u, TOLERANCE);
        assert_close("v0_b", &first.gradient.v, &want.gradient.v, TOLERANCE);
        first
    }
    let (mut taped, mut reuse) = (Tape::new(), Tape::<Reuse>::default());
    // Rows of 1, 3, 4, 14 and 19 points, on one set of tapes.
    for grid in [(3, 2), (5, 3), (6, 0), (6, 5), (16, 4), (21, 3)] {
        let grid = Grid {
            n: grid.0,
            steps: grid.1,
        };
        let outcome = agree(&mut taped, grid);
        agree(&mut reuse, grid);
        if (grid.n, grid.steps) == (GRID.n, GRID.steps) {
            assert_value(outcome.value);
        }
        let Fields { u, v } = grid.initial();
        let plain = (Array::<Plain>::passive(u), Array::passive(v));
        let value = burgers_array::program(grid, &plain).value();
        assert_close("plain", &[value], &[outcome.value], TOLERANCE);
    }
}
