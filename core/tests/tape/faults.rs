//! Faulty rules are detected and named, and do not affect the rest of the tape.
use crate::support::{Array, ArrayOps, CHUNKS, panic_of, tape};
use entape_core::{
    eval::Whole,
    expr::{Active, Expr, Unary, unary},
    kind,
    kind::{Arg, Incoming},
    mode::{AnyMode, Recording, Reuse, Taped},
    op,
    rule::{A, Primals, Rule, Sink, Sinks},
    store::{Reader, Stash, Writer},
    tape::{Error, Tape},
};
use std::cell::RefCell;

macro_rules! squares { ($($Op:ident)*) => { $(
    impl Rule<f64> for $Op {
        type Out = f64;
        type Saved = ();
    type Evaluation = Whole;
        const READS: [u8; 3] = [A, 0, 0];
        fn primal<'p>(&self, a: f64, (): (), (): ()) -> (f64, ()) {
            (a * a, ())
        }
        fn adjoint(&self, p: Primals<'_, f64, (), (), f64>, (): &(), r_b: Incoming<'_, f64>, mut s: impl Sinks<f64>) { let r_b = r_b.get();
            s.a().add(2.0 * p.a() * r_b);
        }
    }
)* } }
squares! { WritesMore WritesLess ReadsMore ReadsLess Busy }

macro_rules! faulty { ($($Op:ident writes $written:literal reads $read:literal;)*) => { $(
    #[derive(Clone)]
    struct $Op;
    impl Stash for $Op {
        const BYTES: usize = 4;
        fn stash(self, writer: &mut Writer<'_>) {
            writer.fixed($written).fill(0);
        }
        fn fetch(reader: &mut Reader<'_>) -> Self {
            reader.fixed($read);
            $Op
        }
    }
)* } }
faulty! {
    WritesMore writes 8 reads 4;
    WritesLess writes 0 reads 4;
    ReadsMore writes 4 reads 12;
    ReadsLess writes 4 reads 0;
}

#[derive(Clone)]
struct Busy(Active<f64>);
thread_local! { static SEEN: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) }; }
impl Busy {
    #[inline(never)]
    fn work(&self) {
        let (refused, ..) = panic_of(|| (self.0 * 2.0).eval());
        let mut tape = Tape::new();
        let x = tape.input(5.0);
        let y = tape.record(|| (0..200).fold((x * x).eval(), |y, _| (y + x).eval()));
        let x_b = tape.gradient(&y).unwrap().wrt(&x).unwrap();
        SEEN.with_borrow_mut(|seen| seen.extend([refused, x_b.to_string()]));
    }
}
impl Stash for Busy {
    const BYTES: usize = 4;
    fn stash(self, writer: &mut Writer<'_>) {
        let into = writer.fixed(4);
        self.work();
        into.fill(7);
    }
    fn fetch(reader: &mut Reader<'_>) -> Self {
        assert_eq!(reader.fixed(4), [7; 4]);
        Busy(Active::passive(0.0))
    }
}
#[derive(Clone)]
struct Undeclared;
impl Stash for Undeclared {
    const BYTES: usize = 0;
    fn stash(self, _: &mut Writer<'_>) {}
    fn fetch(_: &mut Reader<'_>) -> Self {
        Undeclared
    }
}
impl Rule<f64> for Undeclared {
    type Out = f64;
    type Saved = ();
    type Evaluation = Whole;
    const READS: [u8; 3] = [0, 0, 0];
    fn primal<'p>(&self, a: f64, (): (), (): ()) -> (f64, ()) {
        (a * a, ())
    }
    fn adjoint(
        &self,
        p: Primals<'_, f64, (), (), f64>,
        (): &(),
        r_b: Incoming<'_, f64>,
        mut s: impl Sinks<f64>,
    ) {
        let r_b = r_b.get();
        s.a().add(2.0 * p.a() * r_b);
    }
}
impl Rule<Array> for Undeclared {
    type Out = Array;
    type Saved = ();
    type Evaluation = Whole;
    const READS: [u8; 3] = [0, 0, 0];
    fn primal<'p>(&self, a: Arg<'p, Array>, (): (), (): ()) -> (Vec<f64>, ()) {
        (a.clone(), ())
    }
    fn adjoint(
        &self,
        p: Primals<'_, Array, (), (), Array>,
        (): &(),
        _: Incoming<'_, Array>,
        mut s: impl Sinks<Array>,
    ) {
        let r = p.r().clone();
        s.a().add(r);
    }
}
#[entape_core::op]
fn short(#[ad_in(vec![r_b; 1])] v: &Array) -> f64 {
    v.iter().sum()
}

fn apply<M: AnyMode, O: Rule<f64, Out = f64> + Clone>(
    op: O,
    x: &Active<f64, M>,
) -> Unary<O, M, &Active<f64, M>> {
    unary(op, x)
}
#[track_caller]
fn fails<T>(words: &[&str], f: impl FnOnce() -> T) {
    let (message, ..) = panic_of(f);
    assert!(
        words.iter().all(|w| message.contains(w)),
        "{words:?} in {message}"
    );
}

fn writers<M: Recording>(chunk: usize) {
    let mut tape = tape::<M>(chunk);
    let x = tape.input(3.0);
    let words = ["writes more", "WritesMore", "`Stash`"];
    let less = ["writes fewer bytes", "WritesLess", "`Stash`"];
    let y = tape.record(|| {
        let y = (&x * &x).eval();
        for _ in 0..3 {
            fails(&words, || apply(WritesMore, &x).eval());
            fails(&words, || (apply(WritesMore, &x) * 2.0 + &x).eval());
            fails(&less, || apply(WritesLess, &x).eval());
            fails(&less, || (2.0 * apply(WritesLess, &x) * &x).eval());
        }
        (&y * &x).eval()
    });
    assert_eq!(tape.gradient(&y).unwrap().wrt(&x), Ok(27.0));
}
#[test]
fn a_stash_that_writes_more_or_less_is_named() {
    for chunk in CHUNKS {
        writers::<Taped>(chunk);
        writers::<Reuse>(chunk);
    }
}

#[test]
fn a_stash_that_evaluates_finds_no_tape() {
    for chunk in CHUNKS {
        let mut tape = tape::<Taped>(chunk);
        let x = tape.input(3.0);
        let y = tape.record(|| {
            let step = |y: Active<f64>, _| (apply(Busy(x), &x) + y + x).eval();
            (0..40).fold((x * x).eval(), step)
        });
        let x_b = tape.gradient(&y).unwrap().wrt(&x);
        assert_eq!((y.value(), x_b), (489.0, Ok(286.0)));
        let seen = SEEN.take();
        assert_eq!(seen.len(), 80);
        for what in seen.chunks(2) {
            assert!(what[0].contains("but no tape records"), "{what:?}");
            assert_eq!(what[1], "210");
        }
    }
}

fn readers<M: Recording>() {
    fn one<M: Recording, O: Rule<f64, Out = f64> + Clone>(op: O, words: &[&str]) {
        let mut tape = tape::<M>(1 << 10);
        let x = tape.input(3.0);
        let (y, z) = tape.record(|| ((&x * &x).eval(), (apply(op.clone(), &x) * 2.0).eval()));
        fails(words, || tape.gradient(&z).map(|_| ()));
        match tape.gradient(&y) {
            Ok(g) => assert_eq!(g.wrt(&x), Ok(6.0)),
            Err(e) => assert_eq!(e, Error::Broken),
        }
        tape.reset();
        let x = tape.input(3.0);
        let y = tape.record(|| (&x * &x).eval());
        assert_eq!(tape.gradient(&y).unwrap().wrt(&x), Ok(6.0));
    }
    one::<M, _>(ReadsMore, &["reads more", "ReadsMore", "`Stash`"]);
    one::<M, _>(ReadsLess, &["reads fewer bytes", "ReadsLess", "`Stash`"]);
    one::<M, _>(
        Undeclared,
        &["Undeclared", "first argument", "`Rule::READS`"],
    );
}
#[test]
fn a_rule_that_reads_an_undeclared_operand_is_named() {
    readers::<Taped>();
    readers::<Reuse>();
}

#[test]
fn a_sweep_that_panics_leaves_no_wrong_number() {
    let mut tape = tape::<Taped>(1 << 10);
    let x = tape.input(3.0);
    let mut v: Active<Array> = tape.input_as(vec![1.0, 2.0]);
    let start = tape.position();
    let (y, z) = tape.record(|| {
        v[0] *= x;
        v.update(|v| v.clone() * v);
        let y = v.total().eval();
        let w: Expr<Array, Taped, _> = unary(Undeclared, &v);
        let w = w.eval();
        let z = w.total().eval();
        v *= x;
        (y, z)
    });
    fails(&["Undeclared", "result"], || tape.gradient(&z).map(|_| ()));
    assert_eq!(tape.gradient(&y).err(), Some(Error::Broken));
    assert_eq!(tape.sweep().err(), Some(Error::Broken));
    assert_eq!(tape.sweep_to(&start).err(), Some(Error::Broken));
    assert_eq!(tape.reset_to(&start).err(), Some(Error::Broken));
    assert!(Error::Broken.to_string().contains("reset the tape"));
    tape.reset();
    let x = tape.input(3.0);
    let y = tape.record(|| (x * x).eval());
    assert_eq!(tape.gradient(&y).unwrap().wrt(&x), Ok(6.0));
}

#[test]
fn an_adjoint_of_the_wrong_shape_is_named() {
    let mut tape = tape::<Taped>(1 << 10);
    let v: Active<Array> = tape.input_as(vec![1.0, 2.0]);
    let y = tape.record(|| (short(&v) + v.total()).eval());
    fails(&["Short", "shape 1", "shape 2"], || {
        tape.gradient(&y).map(|_| ())
    });
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Shifted(f64);
impl Default for Shifted {
    fn default() -> Self {
        Shifted(1.0)
    }
}
#[kind(value = Shifted, add = |into, from| into.0 += from.0)]
struct Biased;
#[kind(value = Shifted, zero = |_| Shifted(0.0), add = |into, from| into.0 += from.0)]
struct Unbiased;

#[test]
#[should_panic(expected = "the `Default` of kind Biased is used as zero but is not zero")]
fn an_unused_input_with_a_default_that_is_not_zero_panics() {
    let mut tape = Tape::new();
    let (x, unused) = (tape.input(2.0), tape.input_as::<Biased>(Shifted(2.0)));
    let y = tape.record(|| (x * 3.0).eval());
    let _ = tape.gradient(&y).unwrap().wrt(&unused);
}
#[test]
fn zero_like_prevails_over_a_default_that_is_not_zero() {
    #[op]
    fn twice(#[ad_in(Shifted(2.0 * r_b))] x: Unbiased) -> f64 {
        2.0 * x.0
    }
    let mut tape = Tape::new();
    let x = tape.input_as::<Unbiased>(Shifted(2.0));
    let y = tape.record(|| (twice(x) + twice(x)).eval());
    assert_eq!(tape.gradient(&y).unwrap().wrt(&x), Ok(Shifted(4.0)));
}
