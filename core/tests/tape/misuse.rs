//! Misuse panics at the user's line with a remedy, or is an `Err`.
use crate::support::{Array, ArrayOps, polar, refuses, slice, tape};
use entape_core::{
    expr::{Active, binary, list, list_of},
    mode::{Plain, Recording, Reuse, Taped},
    op::Dot,
    tape::{Error, Tape},
};

const HERE: &str = file!();

fn in_both_modes(f: impl Fn(), g: impl Fn()) {
    f();
    g();
}

fn index_out_of_range<M: Recording>() {
    let mut tape = tape::<M>(64);
    let x = tape.input(2.0);
    let mut v: Active<Array, M> = tape.input_as(vec![1.0, 2.0]);
    let words = ["index 2", "length 2"];
    tape.record(|| {
        refuses(HERE, &words, || (&v[2] * 1.0).eval());
        refuses(HERE, &words, || v[2].assign(&x));
        refuses(HERE, &words, || v[2] *= &x);
        refuses(HERE, &words, || v.at(2).eval());
        refuses(HERE, &words, || v[2] += &x);
    });
    nothing_happened(&mut tape, &x, &v);
}
#[track_caller]
fn nothing_happened<M: Recording>(tape: &mut Tape<M>, x: &Active<f64, M>, v: &Active<Array, M>) {
    let inputs = tape.statistics().statements;
    assert!(inputs <= 2, "{inputs} statements");
    assert_eq!(v.get(), &[1.0, 2.0]);
    let y = tape.record(|| (v.total() * x).eval());
    let g = tape.gradient(&y).unwrap();
    assert_eq!((g.wrt(x), g.wrt(v)), (Ok(3.0), Ok(vec![2.0, 2.0])));
}
#[test]
fn an_index_out_of_range_panics_and_records_nothing() {
    in_both_modes(index_out_of_range::<Taped>, index_out_of_range::<Reuse>);
}

fn shapes<M: Recording>() {
    let mut tape = tape::<M>(64);
    let x = tape.input(2.0);
    let mut v: Active<Array, M> = tape.input_as(vec![1.0, 2.0]);
    let w = Active::<Array, M>::passive(vec![1.0]);
    let words = ["arrays of different lengths"];
    let (all, other) = (slice(&v, 0..2), slice(&v, 1..2));
    tape.record(|| {
        refuses(HERE, &words, || (&v + &w).eval());
        refuses(HERE, &words, || v += &w);
        refuses(HERE, &words, || v.dot(&w).eval());
        refuses(HERE, &["another length"], || {
            v.part_mut(all.clone()).assign(&w * &x)
        });
        refuses(HERE, &["another length"], || {
            v.part_mut(all.clone()).assign(&w)
        });
        refuses(HERE, &["another length"], || {
            v.part_mut(other.clone()).assign(v_twice(&x))
        });
    });
    nothing_happened(&mut tape, &x, &v);
}
fn v_twice<M: Recording>(
    x: &Active<f64, M>,
) -> entape_core::expr::Expr<Array, M, impl entape_core::node::Node<Kind = Array>> {
    entape_core::expr::lit::<Array, M>(vec![1.0, 2.0]) * x.value_of()
}
trait ValueOf {
    fn value_of(&self) -> f64;
}
impl<M: Recording> ValueOf for Active<f64, M> {
    fn value_of(&self) -> f64 {
        *self.get()
    }
}
#[test]
fn shapes_that_do_not_fit_panic_and_record_nothing() {
    in_both_modes(shapes::<Taped>, shapes::<Reuse>);
}

fn foreign<M: Recording>() {
    let mut other = tape::<M>(64);
    let (p, mut q) = (other.input(1.0), other.input_as::<Array>(vec![1.0, 2.0]));
    let mut tape = tape::<M>(64);
    let x = tape.input(2.0);
    let mut v: Active<Array, M> = tape.input_as(vec![1.0, 2.0]);
    let words = ["f64", "another tape", "input", ".value()"];
    let of_array = ["Array", "another tape", "input"];
    tape.record(|| {
        refuses(HERE, &words, || (&x * &p).eval());
        refuses(HERE, &words, || (&x * &p).eval());
        refuses(HERE, &words, || v *= &p);
        refuses(HERE, &words, || v[1] *= &p);
        refuses(HERE, &words, || v[1].assign(&p));
        refuses(HERE, &words, || v.assign(&v_of(&x) * &p));
        refuses(HERE, &words, || v.update(|v| v * &p));
        refuses(HERE, &words, || {
            let (mut a, mut b) = (Active::passive(0.0), Active::passive(0.0));
            polar(&p, &x, &mut a, &mut b);
        });
        refuses(HERE, &of_array, || (&v + &q).eval());
        refuses(HERE, &of_array, || q.total().eval());
        refuses(HERE, &of_array, || (&q[0] * 2.0).eval());
        refuses(HERE, &of_array, || q.clone());
        refuses(HERE, &["part", "Array", "another tape"], || q[0].assign(&x));
        refuses(HERE, &["part", "Array", "another tape"], || {
            q[0].assign(1.0)
        });
        refuses(HERE, &of_array, || q[0] *= &x);
        refuses(HERE, &of_array, || q *= &x);
    });
    assert_eq!(q.get(), &[1.0, 2.0]);
    nothing_happened(&mut tape, &x, &v);
    let stale = |kind| Error::Stale { kind };
    assert_eq!(tape.seed(&p, 1.0), Err(stale("f64")));
    assert_eq!(tape.seed(&q, vec![1.0, 1.0]), Err(stale("Array")));
    assert_eq!(tape.gradient(&p).err(), Some(stale("f64")));
    assert_eq!(tape.gradient(&x).unwrap().wrt(&p), Err(stale("f64")));
    assert_eq!(tape.gradient(&x).unwrap().wrt(&q), Err(stale("Array")));
    tape.record(|| q.assign(&v * &x));
    assert_eq!(tape.seed(&q, vec![1.0, 1.0]), Ok(()));
    assert_eq!(tape.sweep().unwrap().wrt(&x), Ok(3.0));
    tape.reset();
    let y = tape.input(3.0);
    tape.record(|| {
        refuses(HERE, &words, || (&y * &x).eval());
        refuses(HERE, &of_array, || (&v * &y).eval());
        refuses(HERE, &of_array, || (&q * &y).eval());
        refuses(HERE, &of_array, || v[0] *= &y);
    });
    assert_eq!(tape.seed(&x, 1.0), Err(stale("f64")));
    drop((v, q, x));
    let z = tape.record(|| (&y * &y).eval());
    assert_eq!(tape.gradient(&z).unwrap().wrt(&y), Ok(6.0));
}
fn v_of<M: Recording>(_: &Active<f64, M>) -> Active<Array, M> {
    Active::passive(vec![1.0, 2.0])
}
#[test]
fn variables_of_another_tape_or_recording_are_refused() {
    in_both_modes(foreign::<Taped>, foreign::<Reuse>);
}

fn not_recording<M: Recording>() {
    let mut tape = tape::<M>(64);
    let x = tape.input(2.0);
    let mut v: Active<Array, M> = tape.input_as(vec![1.0, 2.0]);
    let words = ["f64", "no tape records", "tape.record(|| ..)"];
    let of_array = ["Array", "no tape records", "tape.record(|| ..)"];
    refuses(HERE, &words, || (&x * 2.0).eval());
    refuses(HERE, &words, || (&x * &x).eval());
    refuses(HERE, &words, || v[0] *= &x);
    refuses(HERE, &words, || v[0].assign(&x));
    refuses(HERE, &of_array, || v *= 2.0);
    refuses(HERE, &of_array, || v.update(|v| v.clone() + v));
    refuses(HERE, &of_array, || {
        v.part_mut(slice(&v, 0..1)).mul_assign(2.0)
    });
    refuses(HERE, &of_array, || v[0].assign(2.0));
    refuses(HERE, &of_array, || v.clone());
    refuses(HERE, &words, || {
        let (mut a, mut b) = (Active::passive(0.0), Active::passive(0.0));
        polar(&x, 1.0, &mut a, &mut b);
    });
    let mut p = Active::<Array, M>::passive(vec![1.0, 2.0]);
    p *= 2.0;
    p[1] *= 2.0;
    assert_eq!(p.clone().get(), &[2.0, 8.0]);
    nothing_happened(&mut tape, &x, &v);
}
#[test]
fn active_variables_are_refused_while_no_tape_records() {
    in_both_modes(not_recording::<Taped>, not_recording::<Reuse>);
}

fn no_input<M: Recording>() {
    let mut tape = tape::<M>(64);
    let x = tape.input(2.0);
    let v: Active<Array, M> = tape.input_as(vec![1.0, 2.0]);
    let (y, w) = tape.record(|| ((&x * &x).eval(), (&v * &x).eval()));
    let not = |kind| Error::NotAnInput { kind };
    let p = Active::<f64, M>::passive(1.0);
    let q = Active::<Array, M>::passive(vec![]);
    let g = tape.gradient(&y).unwrap();
    assert_eq!((g.wrt(&y), g.wrt(&w)), (Err(not("f64")), Err(not("Array"))));
    assert_eq!((g.wrt(&p), g.wrt(&q)), (Err(not("f64")), Err(not("Array"))));
    assert_eq!(g.wrt_all([&x, &y]), Err(not("f64")));
    assert_eq!(g.wrt(&v), Ok(vec![0.0, 0.0]));
    let unrecorded = |kind| Error::NotRecorded { kind };
    assert_eq!(tape.gradient(&p).err(), Some(unrecorded("f64")));
    assert_eq!(tape.seed(&q, vec![]), Err(unrecorded("Array")));
    for (error, words) in [
        (not("f64"), ["f64", "not an input", "tape.input(..)"]),
        (
            unrecorded("f64"),
            ["f64", "not recorded", "compute it from inputs"],
        ),
        (
            Error::Stale { kind: "f64" },
            ["f64", "another tape", "reset"],
        ),
        (
            Error::StalePosition,
            ["position", "another tape", "a reset removed"],
        ),
    ] {
        let message = error.to_string();
        assert!(words.iter().all(|w| message.contains(w)), "{message}");
    }
    let mut other = crate::support::tape::<M>(64);
    let f: Active<f32, M> = other.input_as(1.0);
    assert_eq!(
        tape.gradient(&x).unwrap().wrt(&f),
        Err(Error::Stale { kind: "f32" })
    );
}
#[test]
fn gradients_of_other_variables_than_inputs_are_errors() {
    in_both_modes(no_input::<Taped>, no_input::<Reuse>);
}

fn nested<M: Recording>() {
    let (mut outer, mut inner) = (tape::<M>(64), tape::<M>(64));
    let (a, b) = (outer.input(2.0), inner.input(3.0));
    let mut gone = None;
    let y = outer.record(|| {
        let before = (&a * &a).eval();
        let z = inner.record(|| {
            refuses(HERE, &["f64", "another tape"], || (&a * &b).eval());
            gone = Some((&b * 2.0).eval());
            (&b * &b).eval()
        });
        assert!(Tape::is_recording());
        refuses(HERE, &["f64", "another tape"], || (&a * &z).eval());
        let slope = inner.gradient(&z).unwrap().wrt(&b).unwrap();
        drop(gone.take());
        (before * slope).eval()
    });
    assert!(!Tape::is_recording());
    assert_eq!(outer.gradient(&y).unwrap().wrt(&a), Ok(24.0));
    let y = outer.record(|| {
        refuses(HERE, &["stop"], || inner.record(|| panic!("stop")));
        (&a * 7.0).eval()
    });
    assert_eq!(outer.gradient(&y).unwrap().wrt(&a), Ok(7.0));
}
#[test]
fn nested_recordings_use_the_inner_tape() {
    in_both_modes(nested::<Taped>, nested::<Reuse>);
}

fn panics<M: Recording>() {
    for chunk in crate::support::CHUNKS {
        let mut tape = tape::<M>(chunk);
        let x = tape.input(2.0);
        let mut v: Active<Array, M> = tape.input_as(vec![1.0, 2.0]);
        let mut kept = None;
        refuses(HERE, &["stop"], || {
            tape.record(|| {
                let a = (&x * &x).eval();
                v[0] *= &a;
                kept = Some((&a * &v[0]).eval());
                let _dropped = (&v * &a).eval();
                panic!("stop")
            })
        });
        assert!(!Tape::is_recording());
        let kept = kept.expect("recorded");
        // x² v0 x²
        let g = tape.gradient(&kept).unwrap();
        assert_eq!((g.wrt(&x), g.wrt(&v)), (Ok(32.0), Ok(vec![16.0, 0.0])));
        let y = tape.record(|| (&kept * v.total()).eval());
        // v0 x⁴ (v0 x² + v1)
        let g = tape.gradient(&y).unwrap();
        assert_eq!(g.wrt(&x), Ok(6.0 * 32.0 + 2.0 * 32.0));
    }
}
#[test]
fn a_panic_while_recording_keeps_earlier_statements() {
    in_both_modes(panics::<Taped>, panics::<Reuse>);
}

fn dropped<M: Recording>() {
    // After the tape was dropped; during a panic; with another or a forgotten tape.
    let mut tape = tape::<M>(64);
    let x = tape.input(2.0);
    let (a, u) = tape.record(|| {
        (
            (&x * 1.0).eval(),
            (&Active::<Array, M>::passive(vec![1.0]) * &x).eval(),
        )
    });
    let (b, w) = tape.record(|| (a.clone(), u.clone()));
    drop(tape);
    drop((a, u));
    let mut tape = crate::support::tape::<M>(64);
    let z = tape.input(3.0);
    tape.record(|| drop((b, x)));
    let y = tape.record(|| (&z * &z).eval());
    drop(w);
    assert_eq!(tape.gradient(&y).unwrap().wrt(&z), Ok(6.0));
    refuses(HERE, &["stop"], || {
        let mut tape = crate::support::tape::<M>(64);
        let z = tape.input(3.0);
        let _w = tape.record(|| (&z * &z).eval());
        tape.record(|| {
            let _v = (&z * &z).eval();
            if z.is_active() {
                panic!("stop");
            }
        });
    });
}
#[test]
fn drops_never_panic() {
    in_both_modes(dropped::<Taped>, dropped::<Reuse>);
    std::thread::spawn(|| {
        thread_local! {
            static LATE: std::cell::RefCell<Option<(Active<Array>, Tape)>> = const { std::cell::RefCell::new(None) };
        }
        LATE.with(|late| {
            let mut tape = Tape::new();
            let v: Active<Array> = tape.input_as(vec![1.0]);
            let w = tape.record(|| (&v * &v).eval());
            *late.borrow_mut() = Some((w, tape));
        });
    })
    .join()
    .expect("no panic");
}

/// The inherent constant takes precedence if `T` is `Send`.
struct Send_<T>(std::marker::PhantomData<T>);
trait NotSend {
    const IS: bool = false;
}
impl<T> NotSend for Send_<T> {}
impl<T: Send> Send_<T> {
    const IS: bool = true;
}
#[test]
fn variables_and_tapes_stay_on_their_thread() {
    const { assert!(Send_::<f64>::IS) }
    const { assert!(!Send_::<Active<f64>>::IS) }
    const { assert!(!Send_::<Active<f64, Reuse>>::IS) }
    const { assert!(!Send_::<Active<Array>>::IS) }
    const { assert!(!Send_::<Tape>::IS) }
}

#[test]
fn tags_of_threads_differ() {
    let tags: Vec<_> = (0..4)
        .map(|_| {
            std::thread::spawn(|| {
                let mut tape: Tape = Tape::new();
                let x = tape.input(1.0);
                format!("{:?} {:?}", tape.position(), x)
            })
        })
        .map(|t| t.join().unwrap())
        .collect();
    let different: std::collections::HashSet<_> = tags.iter().collect();
    assert_eq!(different.len(), 4, "{tags:?}");
}

fn shapes_in_rules<M: Recording>() {
    let mut tape = tape::<M>(64);
    let x = tape.input(2.0);
    let mut v: Active<Array, M> = tape.input_as(vec![1.0, 2.0]);
    let w = Active::<Array, M>::passive(vec![1.0]);
    let words = ["arrays of different lengths"];
    tape.record(|| {
        refuses(HERE, &words, || (v.dot(&w) * &x + 1.0).eval());
        refuses(HERE, &words, || v.assign((&v_of(&x) + &w) * &x));
        refuses(HERE, &words, || v.update(|v| v + &w));
        refuses(HERE, &words, || v[0].assign((&w).dot(&v_of(&x)) * &x));
        refuses(HERE, &words, || v[0] *= (&w).dot(&v_of(&x)));
        refuses(HERE, &words, || {
            let u = v_of(&x);
            let e = v.at(1) * w.dot(&u);
            v[0].assign(e);
        });
        refuses(HERE, &words, || {
            let (mut p, mut q) = (v_of(&x), v_of(&x));
            v.mix(&w, &mut p, &mut q);
        });
        let part = slice(&v, 0..1);
        refuses(HERE, &words, || v.part_mut(part).assign(&v_of(&x) + &w));
        refuses(HERE, &words, || {
            let dots = list_of([v.dot(&w), v.dot(&w)]);
            binary(Dot, dots, list(&[x.value_of(); 2])).eval()
        });
    });
    nothing_happened(&mut tape, &x, &v);
    refuses(HERE, &words, || {
        (&Active::<Array, Plain>::passive(vec![1.0]) + &Active::passive(vec![])).eval()
    });
}
#[test]
fn assertions_of_rules_panic_at_the_line_of_the_user() {
    in_both_modes(shapes_in_rules::<Taped>, shapes_in_rules::<Reuse>);
}
