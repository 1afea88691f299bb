//! Kinds and operations that evaluate expressions while the tape is in use: the missing tape is reported, and the tape
//! not affected.
use entape_core::{
    expr::Active,
    kind,
    mode::Plain,
    op,
    store::{Part, PlaceIndex, Reader, Stash, Writer},
    tape::{Error, Tape},
};
use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
};

#[derive(Clone, Copy, PartialEq, Debug)]
enum Call {
    Clone,
    Drop,
    Add,
    Stash,
    Fetch,
}
thread_local! {
    /// The variable that is used, the call, and the number of such calls before.
    static USED: Cell<Option<(Active<f64>, Call, u32)>> = const { Cell::new(None) };
    static EVALUATED: Cell<u32> = const { Cell::new(0) };
}
fn meddle(call: Call) {
    let plain = Active::<f64, Plain>::passive(3.0);
    assert_eq!((plain * plain).eval().value(), 9.0);
    match USED.get() {
        Some((x, of, 0)) if of == call && !std::thread::panicking() => {
            USED.set(None);
            assert_eq!((x * x * x).eval().value(), x.value().powi(3));
            EVALUATED.set(EVALUATED.get() + 1);
        }
        Some((x, of, n)) if of == call => USED.set(Some((x, of, n.saturating_sub(1)))),
        _ => (),
    }
}

#[kind(
    value = Meddling,
    index = Owned,
    bytes = |_| 0,
    zero = |_| Meddling(0.0),
    add = |into, from| { meddle(Call::Add); into.0 += from.0 },
)]
struct Meddler;
#[derive(Debug, Default)]
struct Meddling(f64);
impl Clone for Meddling {
    fn clone(&self) -> Self {
        meddle(Call::Clone);
        Meddling(self.0)
    }
}
impl Drop for Meddling {
    fn drop(&mut self) {
        meddle(Call::Drop);
    }
}
impl Part<Meddler> for usize {
    type Kind = f64;
    fn get(&self, whole: &Meddling) -> f64 {
        whole.0
    }
    fn put(&self, whole: &mut Meddling, part: f64) {
        whole.0 = part;
    }
}
impl PlaceIndex<usize> for Meddler {
    type Part = usize;
    fn encode(_: &Meddling, index: usize) -> usize {
        index
    }
    fn part(_: &Meddling, number: usize) -> usize {
        number
    }
}
#[derive(Clone, Copy)]
struct Factor(f64);
impl Stash for Factor {
    const BYTES: usize = f64::BYTES;
    fn stash(self, writer: &mut Writer<'_>) {
        meddle(Call::Stash);
        self.0.stash(writer);
    }
    fn fetch(reader: &mut Reader<'_>) -> Self {
        meddle(Call::Fetch);
        Factor(f64::fetch(reader))
    }
}
#[op]
fn made(#[ad_in(r_b.0)] x: f64) -> Meddler {
    Meddling(x)
}
#[op]
fn scaled(
    #[ad_in(Meddling(r_b.0 * factor.0))] x: Meddler,
    #[ad_passive] factor: Factor,
) -> Meddler {
    Meddling(x.0 * factor.0)
}
#[op]
fn square(#[ad_in(Meddling(2.0 * x.0 * r_b))] x: Meddler) -> f64 {
    x.0 * x.0
}

#[kind(value = Copied, add = |into, from| { meddle(Call::Add); into.0 += from.0 })]
struct Copier;
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Copied(f64);
#[op]
fn made_copy(#[ad_in(r_b.0)] x: f64) -> Copier {
    Copied(x)
}
#[op]
fn scaled_copy(
    #[ad_in(Copied(r_b.0 * factor.0))] x: Copier,
    #[ad_passive] factor: Factor,
) -> Copier {
    Copied(x.0 * factor.0)
}
#[op]
fn squared_copy(#[ad_in(Copied(2.0 * x.0 * r_b))] x: Copier) -> f64 {
    x.0 * x.0
}

fn refused(program: impl FnOnce()) -> bool {
    match catch_unwind(AssertUnwindSafe(program)) {
        Ok(()) => false,
        Err(cause) => {
            let message = cause.downcast_ref::<String>().expect("a message");
            assert!(
                message.contains("no tape records on this thread"),
                "{message}"
            );
            true
        }
    }
}

/// A program with the result `18 x^2`, while such calls evaluate an expression.
fn refused_in(calls: &[Call], statements: usize, program: impl Fn(Active<f64>) -> Active<f64>) {
    for &call in calls {
        let (mut times, mut evaluated) = (0, 0);
        for (before, n) in (0..40).flat_map(|n| [(0, n), (2, n)]) {
            let mut tape = Tape::new();
            let x = tape.input(2.0);
            let run = || program(x);
            let early = tape.record(run);
            let late = tape.record(run);
            tape.record(|| (0..before).for_each(|_| _ = run()));
            EVALUATED.set(0);
            USED.set(Some((x, call, n)));
            let recorded = refused(|| _ = tape.record(run));
            times += u32::from(recorded);
            let swept = refused(|| drop(tape.gradient(&late)));
            times += u32::from(swept);
            evaluated += EVALUATED.get();
            USED.set(None);
            for y in [early, late] {
                match tape.gradient(&y) {
                    Ok(gradient) => assert_eq!(gradient.wrt(&x), Ok(36.0 * 2.0)),
                    Err(error) => assert_eq!(error, Error::Broken),
                }
            }
            let all = 1 + statements * (2 + before as usize);
            let more = tape.statistics().statements - all;
            let most = statements + EVALUATED.get() as usize;
            assert!(
                more <= most,
                "{more} statements instead of {most} for {call:?} {n}"
            );
            assert!(EVALUATED.get() == 0 || !recorded);
        }
        assert!(times > 0, "{call:?} is refused at least once");
        let between = [Call::Clone, Call::Drop];
        assert!(evaluated == 0 || between.contains(&call), "{call:?}");
    }
}
#[test]
fn values_of_storage_kinds_find_no_tape_at_work() {
    use Call::{Add, Clone, Drop, Fetch, Stash};
    refused_in(&[Clone, Drop, Add, Stash, Fetch], 6, |x| {
        let mut v = made(x).eval();
        let before = v.clone(); // It shares the value, so that the write copies it.
        v[0].assign(x);
        drop(before);
        let v = scaled(&v, Factor(3.0)).eval();
        let first = square(&v).eval();
        (square(&v) + first).eval()
    });
}
#[test]
fn values_of_value_kinds_find_no_tape_at_work() {
    use Call::{Add, Fetch, Stash};
    refused_in(&[Add, Stash, Fetch], 4, |x| {
        let v = scaled_copy(made_copy(x).eval(), Factor(3.0)).eval();
        let first = squared_copy(v).eval();
        (squared_copy(v) + first).eval()
    });
}
