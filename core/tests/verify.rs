//! Faulty parts, parameters and rules are detected by the option `verify`, and parts in every build with debug assertions.
#![allow(missing_docs, unreachable_pub)]
use entape_core::{
    expr::{Active, constant, either, list, select},
    external::external,
    kind,
    kind::List,
    mode::{Recording, Reuse, Taped},
    op,
    real::{Elementary, ListReductions},
    store::{Part, Reader, Stash, Writer},
    tape::Tape,
};
use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
};

#[kind(value = Vec<f64>, index = Owned, coordinates)]
pub struct Array;
/// A value kind, for which a write to a part creates a new value.
#[kind(value = [f64; 3], plain, coordinates)]
pub struct Triple;

/// Parts of element 0, correct or with one fault.
macro_rules! parts { ($($Part:ident $K:ident $Value:ty: $get:expr, $put:expr;)*) => { $(
    #[derive(Clone, Copy, Stash)]
    struct $Part;
    impl Part<$K> for $Part {
        type Kind = f64;
        fn get(&self, whole: &$Value) -> f64 {
            $get(whole)
        }
        fn put(&self, whole: &mut $Value, x: f64) {
            $put(whole, x)
        }
    }
)* } }
parts! {
    Right Array Vec<f64>: |v: &Vec<f64>| v[0], |v: &mut Vec<f64>, x| v[0] = x;
    // Reads one element and writes another.
    Crossed Array Vec<f64>: |v: &Vec<f64>| v[0], |v: &mut Vec<f64>, x| v[1] = x;
    WritesMore Array Vec<f64>: |v: &Vec<f64>| v[0], |v: &mut Vec<f64>, x| (v[0], v[1]) = (x, x);
    ReadsMore Array Vec<f64>: |v: &Vec<f64>| v[0] + v[1], |v: &mut Vec<f64>, x| v[0] = x;
    CrossedTriple Triple [f64; 3]: |v: &[f64; 3]| v[0], |v: &mut [f64; 3], x| v[1] = x;
    WritesMoreTriple Triple [f64; 3]: |v: &[f64; 3]| v[0], |v: &mut [f64; 3], x| (v[0], v[1]) = (x, x);
}
/// Its adjoint is added to another element.
#[derive(Clone, Copy, Stash)]
struct AddsElsewhere;
impl Part<Array> for AddsElsewhere {
    type Kind = f64;
    fn get(&self, v: &Vec<f64>) -> f64 {
        v[0]
    }
    fn put(&self, v: &mut Vec<f64>, x: f64) {
        v[0] = x;
    }
    fn add(&self, v_b: &mut Vec<f64>, x_b: f64) {
        v_b[1] += x_b;
    }
}

fn verifying<M: Recording>() -> Tape<M> {
    Tape::builder().verify(true).build().unwrap()
}
#[track_caller]
fn message<T>(f: impl FnOnce() -> T) -> String {
    let panic = catch_unwind(AssertUnwindSafe(f)).err().expect("a panic");
    *panic.downcast::<String>().expect("a message that is made")
}
#[track_caller]
fn assert_has(message: &str, words: &[&str]) {
    for word in words {
        assert!(message.contains(word), "no `{word}` in: {message}");
    }
}

/// Values and adjoints are such that the fault only changes the gradient.
fn written<M: Recording, P: Part<Array, Kind = f64>>(mut tape: Tape<M>, part: P) -> String {
    let x = tape.input(0.0);
    message(|| {
        tape.record(|| {
            let mut v = Active::<Array, M>::passive(vec![0.0; 3]);
            v.part_mut(part).assign(1.0 * &x);
        })
    })
}
fn read<M: Recording, P: Part<Array, Kind = f64>>(mut tape: Tape<M>, part: P) -> String {
    let v = tape.input_as::<Array>(vec![0.0; 3]);
    message(|| {
        let y = tape.record(|| (2.0 * v.part(part)).eval());
        tape.gradient(&y).map(|_| ())
    })
}

#[test]
fn a_tape_that_verifies_refuses_faulty_parts() {
    fn all<M: Recording>() {
        let crossed = ["Crossed", "does not read what `put` writes"];
        let more = ["WritesMore", "`SAVES_WHOLE`"];
        assert_has(&written(verifying::<M>(), Crossed), &crossed);
        assert_has(&read(verifying::<M>(), Crossed), &crossed);
        assert_has(&written(verifying::<M>(), WritesMore), &more);
        assert_has(&read(verifying::<M>(), WritesMore), &more);
        assert_has(&written(verifying::<M>(), ReadsMore), &["ReadsMore"]);
        assert_has(&read(verifying::<M>(), ReadsMore), &["ReadsMore"]);
        assert_has(
            &read(verifying::<M>(), AddsElsewhere),
            &["AddsElsewhere", "`add`"],
        );
    }
    all::<Taped>();
    all::<Reuse>();
}

#[cfg(debug_assertions)]
#[test]
fn every_tape_refuses_faulty_parts_in_builds_with_debug_assertions() {
    assert_has(&written(Tape::new(), Crossed), &["Crossed"]);
    assert_has(&read(Tape::new(), Crossed), &["Crossed"]);
    assert_has(&written(Tape::new(), WritesMore), &["WritesMore"]);
    assert_has(&read(Tape::new(), ReadsMore), &["ReadsMore"]);
    assert_has(&read(Tape::new(), AddsElsewhere), &["AddsElsewhere"]);
}

#[test]
fn parts_of_value_kinds_are_tested() {
    fn run<P: Part<Triple, Kind = f64>>(part: P) -> String {
        let mut tape = verifying::<Taped>();
        let (v, x) = (tape.input_as::<Triple>([0.0; 3]), tape.input(0.0));
        message(|| {
            let y = tape.record(|| {
                let mut w = v;
                w.part_mut(part.clone()).assign(1.0 * x);
                (2.0 * w.part(part)).eval()
            });
            tape.gradient(&y).map(|_| ())
        })
    }
    assert_has(&run(CrossedTriple), &["CrossedTriple"]);
    assert_has(
        &run(WritesMoreTriple),
        &["WritesMoreTriple", "`SAVES_WHOLE`"],
    );
}

/// A factor stored as a byte.
#[derive(Clone, Copy)]
struct Byte(f64);
impl Stash for Byte {
    const BYTES: usize = 1;
    fn stash(self, writer: &mut Writer<'_>) {
        writer.fixed(1)[0] = self.0 as u8;
    }
    fn fetch(reader: &mut Reader<'_>) -> Self {
        Byte(f64::from(reader.fixed(1)[0]))
    }
}
#[op(linear)]
fn scaled(#[ad_in(by.0 * r_b)] x: f64, #[ad_passive] by: Byte) -> f64 {
    by.0 * x
}
thread_local! { static CALLS: Cell<f64> = const { Cell::new(0.0) }; }
#[op(tangent(x = x_t), second(x = {}))]
fn drifting(#[ad_in(r_b)] x: f64) -> f64 {
    x + CALLS.replace(CALLS.get() + 1.0)
}

#[test]
fn a_statement_that_gives_another_value_is_named_with_its_line() {
    let mut tape: Tape = Tape::builder().verify(true).trace(true).build().unwrap();
    let x = tape.input(3.0);
    let y = tape.record(|| scaled(x, Byte(2.0)).eval());
    assert_eq!(tape.gradient(&y).unwrap().wrt(&x).unwrap(), 2.0);
    let z = tape.record(|| scaled(y, Byte(2.5)).eval());
    let line = line!() - 1;
    let message = message(|| tape.gradient(&z).map(|_| ()));
    let place = format!("verify.rs:{line}:");
    assert_has(&message, &[&place, "statement 2", "Scaled(f64)"]);
}

#[test]
fn every_type_of_sweep_verifies() {
    let record = |tape: &mut Tape| {
        let x = tape.input(1.0);
        let y = tape.record(|| (2.0 * drifting(x)).eval());
        (x, y)
    };
    let mut tape = verifying::<Taped>();
    let (_, y) = record(&mut tape);
    assert_has(&message(|| tape.seed(&y, 1.0)), &["Drifting"]);
    let mut tape = verifying::<Taped>();
    record(&mut tape);
    assert_has(
        &message(|| tape.directions::<1>().map(|_| ())),
        &["Drifting"],
    );
    assert_has(&message(|| tape.adjoints().map(|_| ())), &["Drifting"]);
}

#[op(self_adjoint)]
fn twice(v: &Array) -> Array {
    v.iter().map(|x| 2.0 * x).collect()
}
#[op(linear, save(n: u32 = v.len() as u32))]
fn sum(#[ad_in(vec![r_b; n as usize])] v: &Array) -> f64 {
    v.iter().sum()
}
#[op(linear)]
fn spread(#[ad_in(r_b.iter().sum::<f64>())] x: f64, #[ad_passive] n: u32) -> Array {
    vec![x; n as usize]
}
#[op]
fn reversed_sum(
    #[ad_in(x.iter().map(|_| r_b).collect::<Vec<_>>())] x: List<f64>,
    #[ad_passive] _n: u32,
) -> f64 {
    x.iter().rev().sum()
}

/// Values that are overwritten, dropped, passive, constant or not finite; lists, choices, external functions.
#[test]
fn correct_programs_pass() {
    fn run<M: Recording>() {
        let mut tape = verifying::<M>();
        let v = tape.input_as::<Array>(vec![1.0, -2.0, 0.5]);
        let x = tape.input(0.7);
        let y = tape.record(|| {
            let passive = Active::<f64, M>::passive(3.0);
            let mut y = (&x * 2.0 + 1.0 - &passive).eval();
            for n in 1..6 {
                let mut w = twice(spread(&y, n)).eval();
                w.part_mut(Right).assign(0.5 * &y + 1.0);
                w.part_mut(Right).update(|old| old * &y + 1.0);
                y = (sum(&w) * 0.25 + v.part(Right) * &passive).eval();
                w.assign(twice(&v));
                y = select(n > 2, (1.0 * &y).sin(), 2.0 * &y).eval();
                y = (&y * either(n > 3, &y - 1.0, &x - 2.0)).eval();
            }
            let u = [(2.0 * &x).eval(), (1.0 * &y).eval()];
            let nan = (list(&u).norm() + (-1.0 - &x * &x).ln()).eval();
            let value = y.value() * 3.0;
            let e = external(&y, value, |e_b: f64| 3.0 * e_b).eval();
            let c = (reversed_sum(list(&u), 1) * constant(2.0) + &e).eval();
            (c + select(false, 1.0 * &nan, 1.0 * &x) + 0.0 * (&nan / 0.0)).eval()
        });
        for _ in 0..2 {
            let gradient = tape.gradient(&y).unwrap();
            assert!(gradient.wrt(&x).unwrap().is_nan());
            assert_eq!(gradient.wrt(&v).unwrap().len(), 3);
        }
    }
    run::<Taped>();
    run::<Reuse>();
}

#[test]
fn verifying_changes_no_gradient() {
    fn gradient(mut tape: Tape) -> (f64, Vec<f64>) {
        let (x, v) = (tape.input(0.3), tape.input_as::<Array>(vec![1.0, 2.0]));
        let y = tape.record(|| {
            let mut w = twice(&v).eval();
            w.part_mut(Right).update(|old| x.sin() * old);
            w.part_mut(Right).mul_assign(x);
            (sum(&w) * x).eval()
        });
        let gradient = tape.gradient(&y).unwrap();
        (gradient.wrt(&x).unwrap(), gradient.wrt(&v).unwrap())
    }
    assert_eq!(gradient(verifying()), gradient(Tape::new()));
}

/// Its adjoint is always one element long.
#[op(linear)]
fn sum_of_one(#[ad_in(vec![r_b])] v: &Array) -> f64 {
    v.iter().sum()
}
#[test]
fn an_inner_adjoint_of_another_shape_is_refused() {
    fn run<M: Recording>() {
        let mut tape = verifying::<M>();
        let x = tape.input(1.5);
        let right = tape.record(|| sum_of_one(spread(&x, 1)).eval());
        assert_eq!(tape.gradient(&right).unwrap().wrt(&x), Ok(1.0));
        let wrong = tape.record(|| sum_of_one(spread(&x, 2)).eval());
        let named = "SumOfOne with respect to its first argument has shape 1, but its value of kind Array has shape 2";
        assert_has(&message(|| tape.gradient(&wrong).map(|_| ())), &[named]);
    }
    run::<Taped>();
    run::<Reuse>();
}

/// Its tangent would be `2 x_t + 1`.
#[op(linear)]
fn affine(#[ad_in(2.0 * r_b)] x: f64) -> f64 {
    2.0 * x + 1.0
}
#[test]
fn an_operation_wrongly_declared_linear_is_refused() {
    let mut tape = verifying::<Taped>();
    let x = tape.input(1.5);
    let y = tape.record(|| affine(&x).eval());
    let named = ["Affine is declared `linear`", "does not map zero to zero"];
    assert_has(&message(|| tape.gradient(&y).map(|_| ())), &named);
}
