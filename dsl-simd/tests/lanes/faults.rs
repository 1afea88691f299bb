use crate::panics::message;
use entape_core::{expr::Active, real::Elementary, tape::Tape};
use entape_simd::{GatherOps, LanesOps, Mask, Realx4, wide::f64x4};

const V: f64x4 = f64x4::new([0.7, -0.4, 1.3, 2.1]);

#[test]
fn a_lane_out_of_range_panics() {
    let mut tape = Tape::new();
    let v = tape.input(V);
    let x = tape.input(2.0);
    let before = tape.statistics().statements;
    let out = "the lane 4 is out of range for F64x4 with 4 lanes";
    assert_eq!(message(|| tape.record(|| _ = (&v[4] * 2.0).eval())), out);
    assert_eq!(
        message(|| tape.record(|| _ = (v * 2.0).lane(4).eval())),
        out
    );
    let mut w = v;
    assert_eq!(message(|| tape.record(|| w[4].assign(x))), out);
    assert_eq!(
        message(|| _ = Mask::<f64x4>::from_fn(|_| true).test(4)),
        out
    );
    assert_eq!(tape.statistics().statements, before);
}

#[test]
fn clamp_with_reversed_bounds_panics() {
    let mut tape = Tape::new();
    let v = tape.input(V);
    let text = message(|| tape.record(|| _ = (v + v.clamp(1.0, v)).eval()));
    assert!(
        text.starts_with("`clamp` needs `low <= high` in every lane, found"),
        "{text}"
    );
    let text = message(|| tape.record(|| _ = (v * &v[0]).reduce_add().clamp(1.0, 0.5).eval()));
    assert_eq!(
        text,
        "`clamp` needs `low <= high`, found 1.0 and 0.5: exchange them"
    );
}

#[test]
fn gathering_another_number_of_reals_panics() {
    let x = [Active::<f64>::passive(1.0); 3];
    let text = message(|| _ = x.gather::<f64x4>().eval());
    assert!(
        text.starts_with("3 reals cannot be gathered into F64x4 with 4 lanes"),
        "{text}"
    );
    let mut back = [x[0]; 3];
    let text = message(|| <Realx4>::passive(V).scatter().assign_to(&mut back));
    assert!(
        text.contains("4 values cannot be assigned to 3 variables"),
        "{text}"
    );
}

#[test]
fn lanes_of_another_tape_or_recording_panic() {
    let mut tape = Tape::new();
    let v = tape.input(V);
    let text = message(|| _ = (v * v).eval());
    assert!(text.contains("F64x4") && text.contains("record"), "{text}");
    let mut other: Tape = Tape::new();
    let text = message(|| other.record(|| _ = (v * 2.0).exp().eval()));
    assert!(text.contains("F64x4"), "{text}");
    tape.reset();
    let text = message(|| tape.record(|| _ = (v * 2.0).exp().eval()));
    assert!(text.contains("F64x4"), "{text}");
}

#[test]
fn infinite_lanes_are_located() {
    let mut tape: Tape = Tape::builder().trace(true).build().expect("a tape");
    let v = tape.input(f64x4::new([1.0, 0.0, 2.0, 3.0]));
    let y = tape.record(|| (v.ln().eval() * 2.0).reduce_add().eval());
    assert_eq!(y.value(), f64::NEG_INFINITY);
    let text = format!("{:?}", tape.find_non_finite());
    assert!(text.contains("Ln") && text.contains("faults.rs"), "{text}");
    let v_b = tape.gradient(&y).and_then(|g| g.wrt(&v)).expect("an input");
    assert_eq!(v_b, f64x4::new([2.0, f64::INFINITY, 1.0, 2.0 / 3.0]));
}
