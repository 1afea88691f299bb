//! The option `verify` detects faulty parts, parameters and rules; debug assertions detect parts.
#![allow(missing_docs, unreachable_pub)]
use entape_core::{
    eval::Whole,
    expr::{Active, Apply, Expr, constant, either, list, node_of, select},
    external::external,
    kind,
    kind::{Incoming, List},
    mode::{Recording, Reuse, Taped},
    op,
    real::{Elementary, ListReductions},
    rule::{Primals, Rule, Sink, Sinks},
    store::{Part, Reader, Stash, Writer},
    tape::Tape,
};
use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
};

#[kind(value = Vec<f64>, index = Owned, coordinates)]
pub struct Array;
#[kind(value = [f64; 3], plain, coordinates)]
pub struct Triple;

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

/// The fault only changes the gradient.
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

// Faulty rules, beside the correct formula.

#[op]
fn wrong_sign(#[ad_in(-r_b * x.cos())] x: f64) -> f64 {
    x.sin() // r_b * x.cos()
}
#[op]
fn wrong_argument(#[ad_in(r_b * y)] x: f64, #[ad_in(r_b * y)] y: f64) -> f64 {
    x * y // the second: r_b * x
}
#[op]
fn missing_factor(#[ad_in(r_b * x)] x: f64) -> f64 {
    x * x // 2 r_b * x
}
#[op(linear)]
fn affine(#[ad_in(2.0 * r_b)] x: f64) -> f64 {
    2.0 * x + 1.0
}
#[op(bilinear)]
fn product_and_first(#[ad_in(r_b * (y + 1.0))] x: f64, #[ad_in(r_b * x)] y: f64) -> f64 {
    x * y + x
}
#[derive(Clone, Copy, Stash)]
struct MissingArgument;
impl Rule<f64, f64> for MissingArgument {
    type Out = f64;
    type Saved = ();
    type Evaluation = Whole;
    const READS: [u8; 3] = [0; 3];
    fn primal(&self, x: f64, y: f64, (): ()) -> (f64, ()) {
        (x + y, ())
    }
    fn adjoint(
        &self,
        _: Primals<'_, f64, f64, (), f64>,
        (): &(),
        r_b: Incoming<'_, f64>,
        mut sinks: impl Sinks<f64, f64>,
    ) {
        sinks.a().add(r_b.get());
    }
}
#[op]
fn wrong_inout(
    #[ad_inout(v_b.clone())] v: &mut Array,
    #[ad_in(v.iter().zip(v_b).map(|(v, b)| v * b).sum::<f64>())] by: f64,
) {
    v.iter_mut().for_each(|v| *v *= by); // v_b * by
}
/// Square matrices of size 2, by rows.
#[kind(value = [f64; 4], plain, coordinates)]
pub struct Square;
#[op(linear)]
fn filled(#[ad_in(r_b.iter().sum::<f64>())] x: f64) -> Square {
    [x; 4]
}
#[derive(Clone, Copy, Stash)]
struct Pair([f64; 2]);
#[op]
fn transposed(
    #[ad_in([r_b[0] * x.0[0], r_b[1] * x.0[0], r_b[0] * x.0[1], r_b[1] * x.0[1]])] a: Square,
    #[ad_passive] x: Pair,
) -> Array {
    // The adjoint is `r_b x^T`.
    vec![a[0] * x.0[0] + a[1] * x.0[1], a[2] * x.0[0] + a[3] * x.0[1]]
}
#[op]
fn panics_at_adjoint(#[ad_in(vec![r_b; v[7] as usize])] v: &Array) -> f64 {
    v.iter().sum()
}

/// Asserts that `verify` names the rule and the returned line.
#[track_caller]
fn assert_refused(
    words: &[&str],
    program: impl Fn(&Active<f64>, &Active<Array>) -> (Active<f64>, u32),
) {
    let tape = Tape::builder().verify(true).trace(true);
    let mut tape: Tape = tape.build().unwrap();
    let (x, v) = (tape.input(0.7), tape.input_as::<Array>(vec![1.5, -2.0]));
    // In debug builds, reading a faulty part panics while recording.
    let mut line = 0;
    let message = message(|| {
        let (y, at) = tape.record(|| program(&x, &v));
        line = at;
        tape.gradient(&y).map(|_| ())
    });
    assert_has(&message, words);
    if line > 0 {
        assert_has(&message, &[&format!("verify.rs:{line}:")]);
    }
}
fn of_adjoint(rule: &str, argument: &str) -> String {
    format!("the adjoint of {rule} with respect to its {argument} argument ")
}
fn of_tangent(rule: &str, argument: &str) -> String {
    format!("the tangent of {rule} with respect to its {argument} argument ")
}

#[test]
fn faulty_rules_of_reals_are_named_with_argument_and_line() {
    let slopes = "but differences give 0.76484218728";
    let words = [&of_adjoint("WrongSign", "first"), slopes];
    assert_refused(&words, |x, _| (wrong_sign(x).eval(), line!()));

    let words = of_adjoint("WrongArgument", "second");
    assert_refused(&[&words], |x, _| {
        (wrong_argument(x, 3.0 * x).eval(), line!())
    });

    let words = of_adjoint("MissingFactor", "first");
    assert_refused(&[&words], |x, _| {
        let y = (1.0 + missing_factor(2.0 * x)).eval();
        (y, line!() - 1)
    });

    let words = of_adjoint("MissingArgument", "second");
    assert_refused(&[&words], |x, _| {
        let node = Apply::binary(MissingArgument, node_of(2.0 * x), node_of(x * 3.0));
        (Expr::<f64, Taped, _>::new(node).eval(), line!())
    });
}
#[test]
fn operations_wrongly_declared_linear_are_named_with_argument_and_line() {
    let words = [&of_tangent("Affine", "first"), "`linear`"];
    assert_refused(&words, |x, _| (affine(x).eval(), line!()));

    let words = of_tangent("ProductAndFirst", "second");
    assert_refused(&[&words], |x, _| {
        (product_and_first(x, 1.0 * x).eval(), line!())
    });
}
#[test]
fn faulty_rules_of_arrays_are_named_with_argument_and_line() {
    let shape = "has shape 1, but its value of kind Array has shape 2";
    let words = of_adjoint("SumOfOne", "first") + shape;
    assert_refused(&[&words], |_, v| (sum_of_one(v).eval(), line!()));

    let words = of_adjoint("WrongInout", "first");
    assert_refused(&[&words], |x, v| {
        let mut w = twice(v).eval();
        wrong_inout(&mut w, x);
        (sum(&w).eval(), line!() - 1)
    });

    let words = of_adjoint("Transposed", "first");
    assert_refused(&[&words], |x, _| {
        let a = filled(x).eval();
        let y = transposed(a, Pair([5.0, 6.0])).eval();
        (sum(&y).eval(), line!() - 1)
    });

    let words = of_adjoint("PanicsAtAdjoint", "first") + "panics: index out of bounds";
    assert_refused(&[&words], |_, v| (panics_at_adjoint(v).eval(), line!()));
}
#[test]
fn faulty_parts_are_named_with_the_line_of_a_read() {
    let crossed = ["Crossed", "does not read what `put` writes"];
    assert_refused(&crossed, |_, v| ((2.0 * v.part(Crossed)).eval(), line!()));
    let more = ["WritesMore", "`SAVES_WHOLE`"];
    assert_refused(&more, |_, v| ((2.0 * v.part(WritesMore)).eval(), line!()));
}

#[test]
fn points_without_derivatives_pass() {
    for at in [
        0.0, 1.0, -1.0, 0.5, 1e-6, 1e-4, 1e-9, 1e-300, 1e300, 20.0, 1e9,
    ] {
        let mut tape = verifying::<Taped>();
        let (x, v) = (tape.input(at), tape.input_as::<Array>(vec![at; 3]));
        let y = tape.record(|| {
            let zero = (x - at).eval();
            let kinks = (zero.abs() + x.max(&x) + x.abs() + (&x - 1.0).abs()).eval();
            let ends = (zero.sqrt() + x.sqrt() + x.asin() + x.ln() + x.acosh()).eval();
            let steep = (x.powf(0.3) + (1.0 / &x) + x.exp() + x.tan() + x.powi(7)).eval();
            let two =
                (zero.atan2(&zero) + zero.hypot(&zero) + x.hypot(&zero) + x.powf(&zero)).eval();
            let jumps = (&x % 0.5 + x.fract() + x.copysign(&zero) + x.clamp(-1.0, 1.0)).eval();
            let cancels = ((&x + 1e16) - 1e16 + sum(&v)).eval();
            let (one, none) = ([x, zero], [zero, zero]);
            let sums = list(&one).norm() + list(&none).norm();
            (kinks + ends + steep + two + jumps + cancels + sums).eval()
        });
        assert!(tape.gradient(&y).is_ok());
    }
}
