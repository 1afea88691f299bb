//! Kinds and operations that panic while a statement is recorded: it is dropped, or the tape reports that it is broken.
use entape_core::{
    expr::Active,
    kind,
    mode::{Recording, Reuse, Taped},
    op,
    store::{Reader, Stash, Writer},
    tape::{Error, Tape},
};
use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
};

thread_local! {
    static FUSE: Cell<Option<u32>> = const { Cell::new(None) };
}
fn tick() {
    match FUSE.get() {
        Some(0) => {
            FUSE.set(None);
            panic!("as asked for");
        }
        left => FUSE.set(left.map(|n| n - 1)),
    }
}
/// Returns whether the call that panics was reached.
fn with_fuse(calls: u32, program: impl FnOnce()) -> bool {
    FUSE.set(Some(calls));
    let end = catch_unwind(AssertUnwindSafe(program));
    FUSE.set(None);
    end.is_err()
}

#[derive(Clone, Copy)]
struct Factor(f64);
impl Stash for Factor {
    const BYTES: usize = f64::BYTES;
    fn stash(self, writer: &mut Writer<'_>) {
        tick();
        self.0.stash(writer);
    }
    fn fetch(reader: &mut Reader<'_>) -> Self {
        Factor(f64::fetch(reader))
    }
}
#[op]
fn scaled(#[ad_in(r_b * factor.0)] x: f64, #[ad_passive] factor: Factor) -> f64 {
    x * factor.0
}

#[kind(value = Fragile, add = |into, from| into.0 += from.0)]
struct Number;
#[derive(Copy, Debug, Default, PartialEq)]
struct Fragile(f64);
#[allow(clippy::non_canonical_clone_impl)] // it may panic
impl Clone for Fragile {
    fn clone(&self) -> Self {
        tick();
        Fragile(self.0)
    }
}
#[op]
fn as_number(#[ad_in(r_b.0)] x: f64) -> Number {
    Fragile(x)
}
#[op]
fn inside(#[ad_in(Fragile(r_b))] x: Number) -> f64 {
    x.0
}
#[op]
fn product(
    #[ad_in(Fragile(r_b.0 * b.0))] a: Number,
    #[ad_in(Fragile(r_b.0 * a.0))] b: Number,
) -> Number {
    Fragile(a.0 * b.0)
}
#[op]
fn both(
    #[ad_in(sum_b.0 + 2.0 * double_b.0)] x: f64,
    #[ad_out] sum: &mut Number,
    #[ad_out] double: &mut Number,
) {
    *sum = Fragile(x);
    *double = Fragile(2.0 * x);
}

#[track_caller]
fn right_or_refused<M: Recording>(
    tape: &mut Tape<M>,
    y: &Active<f64, M>,
    x: &Active<f64, M>,
    want: f64,
) {
    for _ in 0..2 {
        match tape.gradient(y) {
            Ok(gradient) => assert_eq!(gradient.wrt(x), Ok(want)),
            Err(error) => assert_eq!(error, Error::Broken),
        }
    }
}

#[test]
fn a_panic_of_a_parameter_never_gives_a_wrong_number() {
    for (calls, before) in [(0, 0), (1, 0), (0, 2), (1, 2), (2, 2)] {
        let mut tape = Tape::new();
        let (x, z) = (tape.input(2.0), tape.input(5.0));
        let mut times = 0;
        let y = tape.record(|| {
            let mut y = (x * z).eval();
            let mut scale = || {
                y = scaled(y, Factor(3.0)).eval();
                times += 1;
            };
            (0..before).for_each(|_| scale());
            assert!(with_fuse(calls, || (0..=calls).for_each(|_| scale())));
            scale();
            (y * y).eval()
        });
        // (3ⁿ x z)²
        let factor = 9_f64.powi(times);
        assert_eq!(y, factor * 100.0);
        assert_eq!(tape.gradient(&y).unwrap().wrt(&x), Ok(factor * 100.0));
    }
}

fn of_copies<M: Recording>() {
    for (calls, before) in (0..12).flat_map(|calls| [(calls, 0), (calls, 3)]) {
        let mut tape = Tape::<M>::default();
        let x = tape.input(2.0);
        let y = tape.record(|| {
            let factor = as_number(&x).eval();
            let mut y = as_number(&x).eval();
            let mut multiply = || y = product(&y, &factor).eval();
            (0..before).for_each(|_| multiply());
            with_fuse(calls, || (0..5).for_each(|_| multiply()));
            multiply();
            inside(&y).eval()
        });
        let power = y.get().log2().round();
        right_or_refused(&mut tape, &y, &x, power * y.get() / 2.0);
    }
}
fn of_assignments<M: Recording>() {
    for (calls, before) in (0..16).flat_map(|calls| [(calls, 0), (calls, 3)]) {
        let mut tape = Tape::<M>::default();
        let x = tape.input(2.0);
        let y = tape.record(|| {
            let factor = as_number(&x).eval();
            let mut y = as_number(&x).eval();
            let square = inside(product(&y, &y)).eval();
            let mut multiply = || y.update(|y| product(y, &factor));
            (0..before).for_each(|_| multiply());
            with_fuse(calls, || (0..5).for_each(|_| multiply()));
            y.assign(as_number(&x * 5.0));
            (square + inside(&y)).eval()
        });
        right_or_refused(&mut tape, &y, &x, 4.0 + 5.0);
    }
}
fn of_several_outputs<M: Recording>() {
    for calls in 0..8 {
        let mut tape = Tape::<M>::default();
        let x = tape.input(2.0);
        let y = tape.record(|| {
            let mut sum = Active::<Number, M>::passive(Fragile(0.0));
            let mut double = Active::<Number, M>::passive(Fragile(0.0));
            both(&x, &mut sum, &mut double);
            let square = inside(product(&sum, &double)).eval();
            with_fuse(calls, || both(&x, &mut sum, &mut double));
            both(&x * 3.0, &mut sum, &mut double);
            (square + inside(&sum) + inside(&double)).eval()
        });
        right_or_refused(&mut tape, &y, &x, 8.0 + 3.0 + 6.0);
    }
}
#[test]
fn a_panic_of_a_value_never_gives_a_wrong_number() {
    of_copies::<Taped>();
    of_copies::<Reuse>();
    of_assignments::<Taped>();
    of_assignments::<Reuse>();
    of_several_outputs::<Taped>();
    of_several_outputs::<Reuse>();
}

#[kind(value = Ending, index = Owned, bytes = |_| 0, zero = |_| Ending(0.0), add = |into, from| into.0 += from.0)]
struct Ends;
#[derive(Clone, Debug, Default, PartialEq)]
struct Ending(f64);
impl Drop for Ending {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            tick();
        }
    }
}
#[op]
fn with_end(#[ad_in(r_b.0)] x: f64) -> Ends {
    Ending(x)
}
#[op]
fn squared(#[ad_in(Ending(2.0 * x.0 * r_b))] x: Ends) -> f64 {
    x.0 * x.0
}
#[test]
fn a_panic_of_a_drop_never_gives_a_wrong_number() {
    for calls in 0..10 {
        let mut tape = Tape::<Reuse>::default();
        let x = tape.input(2.0);
        let y = tape.record(|| {
            let mut v = with_end(&x).eval();
            v.assign(with_end(&x));
            squared(&v).eval()
        });
        let panicked = with_fuse(calls, || drop(tape.gradient(&y)));
        assert!(panicked || calls > 0);
        right_or_refused(&mut tape, &y, &x, 4.0);
        if tape.gradient(&y).is_err() {
            let inspected = catch_unwind(AssertUnwindSafe(|| tape.to_dot()));
            assert!(inspected.is_err());
        }
        tape.reset();
        let x = tape.input(2.0);
        let y = tape.record(|| squared(with_end(&x)).eval());
        assert_eq!(tape.gradient(&y).unwrap().wrt(&x), Ok(4.0));
    }
}
