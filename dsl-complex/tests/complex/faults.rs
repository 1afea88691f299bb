use entape_complex::{C64, Complex, ComplexOps, ComplexParts, num_complex::c64};
use entape_core::{
    real::Elementary,
    tape::{Error, Tape},
};
use std::panic::{AssertUnwindSafe, catch_unwind};

#[test]
fn infinite_numbers_propagate_and_are_located() {
    let mut tape: Tape = Tape::builder().trace(true).build().expect("a tape");
    let z = tape.input(c64(0.0, 0.0));
    let y = tape.record(|| {
        let w = (z + 1.0).eval();
        let v = (w / z).eval(); // here
        (v.norm() + 1.0).eval()
    });
    assert!(f64::is_nan(y.value()));
    let found = tape.find_non_finite();
    let text = format!("{found:?}");
    assert!(text.contains("Div") && text.contains("faults.rs"), "{text}");
    let gradient = tape
        .gradient(&y)
        .expect("recorded")
        .wrt(&z)
        .expect("an input");
    assert!(gradient.re.is_nan() && gradient.im.is_nan());
}

#[test]
fn variables_that_are_not_inputs_are_errors() {
    let mut tape = Tape::new();
    let z = tape.input(c64(1.0, 2.0));
    let (w, y) = tape.record(|| {
        let w = (z * z).eval();
        (w, w.re().eval())
    });
    let gradient = tape.gradient(&y).expect("recorded");
    assert!(matches!(gradient.wrt(&w), Err(Error::NotAnInput { .. })));
    let passive = Complex::passive(c64(1.0, 0.0));
    assert!(matches!(
        tape.seed(&passive, c64(1.0, 0.0)),
        Err(Error::NotRecorded { .. })
    ));
    let mut v = z;
    tape.record(|| v.re_mut().assign(y));
    let gradient = tape.gradient(&y).expect("recorded");
    assert!(matches!(gradient.wrt(&v), Err(Error::NotAnInput { .. })));
    assert_eq!(gradient.wrt(&z), Ok(c64(2.0, -4.0)));
}

#[test]
fn numbers_of_another_tape_or_recording_panic() {
    let mut tape = Tape::new();
    let z = tape.input(c64(1.0, 2.0));
    let y = tape.record(|| z.norm().eval());
    let mut other: Tape = Tape::new();
    let message = |f: &mut dyn FnMut()| {
        let panic = catch_unwind(AssertUnwindSafe(f)).expect_err("misuse");
        let text = panic.downcast_ref::<String>().expect("a message");
        text.clone()
    };
    let foreign = message(&mut || {
        other.record(|| (z * 2.0).exp().eval());
    });
    assert!(foreign.contains("C64"), "{foreign}");
    let outside = message(&mut || {
        let _ = (z * z).eval();
    });
    assert!(outside.contains("record"), "{outside}");
    tape.reset();
    assert!(matches!(tape.gradient(&y), Err(Error::Stale { .. })));
    let stale = message(&mut || {
        tape.record(|| z[C64::RE].value() * z.conj().eval().value().re);
    });
    assert!(stale.contains("C64"), "{stale}");
}
