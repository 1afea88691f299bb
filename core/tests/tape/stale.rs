//! Stored expressions keep their meaning, or are rejected, if variables that they did not borrow were written, dropped
//! or reset.
use crate::support::{Array, ArrayOps, CHUNKS, array, refuses, slice, tape};
use entape_core::{
    expr::{Active, constant, detached, list_of},
    kind::List,
    mode::{Recording, Reuse, Taped},
    op,
    real::Reals,
    tape::Tape,
};
use std::slice::from_ref;

#[op]
fn total_of(
    #[ad_in(x.iter().map(|x| vec![r_b; x.len()]).collect::<Vec<Vec<f64>>>())] x: List<Array>,
) -> f64 {
    x.iter().flat_map(|x| x.iter()).sum()
}
#[op]
fn doubled(
    #[ad_in(r_b.iter().map(|r_b| twice(r_b)).collect::<Vec<Vec<f64>>>())] x: List<Array>,
) -> List<Array> {
    x.iter().map(|x| twice(x).into()).collect()
}
fn twice(x: &[f64]) -> Vec<f64> {
    x.iter().map(|x| 2.0 * x).collect()
}

#[op]
fn first_squared(
    #[ad_in((0..x.len()).map(|i| if i == 0 { 2.0 * x[0] * r_b } else { 0.0 }).collect::<Vec<f64>>())]
    x: List<f64>,
) -> f64 {
    x[0] * x[0]
}

#[op]
fn doubled_reals(
    #[ad_in(r_b.iter().map(|r_b| 2.0 * r_b).collect::<Vec<f64>>())] x: List<f64>,
) -> List<f64> {
    twice(x)
}

type Late<M> = Box<dyn FnOnce() -> Active<f64, M>>;
type Take<M> = fn(&Active<Array, M>) -> Late<M>;
fn takes<M: Recording>() -> [(&'static str, Take<M>); 6] {
    [
        ("an element", |u| {
            let e = u.at(0) * u.at(1);
            Box::new(|| e.eval())
        }),
        ("an element that nobody reads", |u| {
            let e = u.at(0) + 1.0;
            Box::new(|| e.eval())
        }),
        ("a clone of an expression", |u| {
            let first = u.at(0);
            let e = constant::<f64, M, _>(2.0) * first.clone() * first;
            Box::new(move || entape_core::expr::IntoExpr::into_expr(&e).eval())
        }),
        ("a slice", |u| {
            let e = u.part(slice(u, 0..2)) * 2.0;
            Box::new(|| {
                let w = e.eval();
                w.dot(&w).eval()
            })
        }),
        ("a list", |u| {
            let e = total_of(detached(from_ref(u)));
            Box::new(|| e.eval())
        }),
        ("a list of two", |u| {
            let e = doubled(detached(from_ref(u)));
            Box::new(|| e.split()[0].total().eval())
        }),
    ]
}

/// Takes a variable, and returns those that replace it.
type Then<M> = fn(Active<Array, M>, &Active<f64, M>) -> Vec<Active<Array, M>>;
fn fresh<M: Recording>(x: &Active<f64, M>) -> Active<Array, M> {
    (&array(&[1.0, 2.0, 3.0]) * x).eval()
}
fn writes<M: Recording>() -> Vec<(&'static str, Then<M>)> {
    vec![
        ("a place", |mut u, x| {
            u[0].assign(x);
            vec![u]
        }),
        ("a number at a place", |mut u, _| {
            u[2].assign(3.0);
            vec![u]
        }),
        ("a place, compound", |mut u, x| {
            u[1] *= x;
            vec![u]
        }),
        ("a place, from itself", |mut u, x| {
            let e = u.at(1) * x;
            u[0].assign(e);
            vec![u]
        }),
        ("a part", |mut u, x| {
            let part = slice(&u, 1..3);
            u.part_mut(part).mul_assign(x);
            vec![u]
        }),
        ("the whole", |mut u, x| {
            u.assign(&array(&[1.0, 1.0]) * x);
            vec![u]
        }),
        ("the whole, compound", |mut u, x| {
            u *= x;
            vec![u]
        }),
        ("an update", |mut u, x| {
            u.update(|u| u * x);
            vec![u]
        }),
        (
            "one of two outputs, and its identifier given away",
            |mut u, x| {
                let (a, b) = (fresh(x), fresh(x));
                let mut other = array(&[]);
                a.mix(&b, &mut u, &mut other);
                vec![fresh(x), u, other]
            },
        ),
        ("one of a list", |mut u, x| {
            let mut all = [fresh(x), u];
            doubled(detached(&all)).assign_to(&mut all);
            [_, u] = all;
            vec![u]
        }),
        ("dropped, and its identifier given away", |u, x| {
            drop(u);
            vec![fresh(x)]
        }),
        ("made passive, and its identifier given away", |mut u, x| {
            u.assign(constant(vec![1.0]));
            vec![u, fresh(x)]
        }),
        ("replaced, and its identifier given away", |mut u, x| {
            u = (&u * x).eval();
            vec![u, fresh(x)]
        }),
        ("written and put back", |mut u, x| {
            u[0] += x;
            u[0] -= x;
            vec![u]
        }),
    ]
}
fn others<M: Recording>() -> Vec<(&'static str, Then<M>)> {
    vec![
        ("nothing", |u, _| vec![u]),
        ("another variable", |u, x| {
            let mut w = (&u * x).eval();
            w[0] *= x;
            w *= x;
            vec![u, w]
        }),
        ("swapped", |mut u, x| {
            let mut w = (&u * x).eval();
            std::mem::swap(&mut u, &mut w);
            u[0] *= x;
            vec![u, w]
        }),
        ("a clone", |u, x| {
            let mut w = u.clone();
            w[0].assign(x);
            w.update(|w| w * x);
            vec![u, w]
        }),
        ("dropped", |u, _| {
            drop(u);
            vec![]
        }),
        ("made passive", |mut u, _| {
            u.assign(constant(vec![1.0]));
            vec![u]
        }),
        ("dropped while another tape records", |u, _| {
            crate::support::tape::<M>(64).record(|| drop(u));
            vec![]
        }),
        ("a write that fails", |mut u, x| {
            let part = slice(&u, 0..1);
            let wrong = || u.part_mut(part).assign(&array(&[1.0, 2.0]) * x);
            crate::support::panic_of(wrong);
            vec![u]
        }),
        ("an update that fails", |mut u, _| {
            crate::support::panic_of(|| u.update(|u| if true { panic!("stop") } else { u }));
            vec![u]
        }),
    ]
}
fn result<M: Recording>(
    tape: &mut Tape<M>,
    x: &Active<f64, M>,
    v: &Active<Array, M>,
    left: &[Active<Array, M>],
    late: Option<&Active<f64, M>>,
) -> (f64, f64, Vec<f64>) {
    let y = tape.record(|| {
        let mut y = (x * 3.0).eval();
        left.iter().for_each(|u| y += u.dot(u));
        if let Some(late) = late {
            y *= late;
        }
        y
    });
    let g = tape.gradient(&y).unwrap();
    (*y.get(), g.wrt(x).unwrap(), g.wrt(v).unwrap())
}

fn in_all_chunks(taped: fn(usize), reuse: fn(usize)) {
    for chunk in CHUNKS {
        taped(chunk);
        reuse(chunk);
    }
}

fn refused<M: Recording>(chunk: usize) {
    for (taken, take) in takes::<M>() {
        for (written, write) in writes::<M>() {
            let run = |kept: bool| {
                let mut tape = tape::<M>(chunk);
                let x = tape.input(2.0);
                let v: Active<Array, M> = tape.input_as(vec![1.0, -2.0, 0.5]);
                let left = tape.record(|| {
                    let u = (&v * &x).eval();
                    let late = take(&u);
                    let left = write(u, &x);
                    if kept {
                        let words = ["Array", "written", "evaluate the expression before"];
                        println!("{taken} after {written}");
                        refuses(file!(), &words, late);
                    }
                    left
                });
                let statements = tape.statistics().statements;
                (statements, result(&mut tape, &x, &v, &left, None))
            };
            assert_eq!(run(true), run(false), "{taken} after {written}");
        }
    }
}
#[test]
fn expressions_are_refused_after_a_write_to_their_variables() {
    in_all_chunks(refused::<Taped>, refused::<Reuse>);
}

fn right<M: Recording>(chunk: usize) {
    for (taken, take) in takes::<M>() {
        for (happened, then) in others::<M>() {
            let run = |early: bool| {
                let mut tape = tape::<M>(chunk);
                let x = tape.input(2.0);
                let v: Active<Array, M> = tape.input_as(vec![1.0, -2.0, 0.5]);
                let (left, y) = tape.record(|| {
                    let u = (&v * &x).eval();
                    let late = take(&u);
                    if early {
                        let y = late();
                        (then(u, &x), y)
                    } else {
                        let left = then(u, &x);
                        (left, late())
                    }
                });
                result(&mut tape, &x, &v, &left, Some(&y))
            };
            assert_eq!(run(false), run(true), "{taken} after {happened}");
        }
    }
}
#[test]
fn expressions_keep_their_meaning_without_a_write() {
    in_all_chunks(right::<Taped>, right::<Reuse>);
}

fn smuggled<M: Recording>() {
    let mut tape = tape::<M>(64);
    let x = tape.input(2.0);
    let v: Active<Array, M> = tape.input_as(vec![1.0, 2.0]);
    let y = tape.record(|| {
        let mut u = (&v * &x).eval();
        let mut kept = None;
        u.update(|u| {
            kept = Some(u.clone());
            u.clone() * u
        });
        let words = ["Array", "update", "evaluate the expression before"];
        refuses(file!(), &words, || kept.unwrap().total().eval());
        u.total().eval()
    });
    assert_eq!(tape.gradient(&y).unwrap().wrt(&x), Ok(20.0));
}
#[test]
fn the_argument_of_an_update_is_refused_after_it() {
    smuggled::<Taped>();
    smuggled::<Reuse>();
    // A linear identifier denotes one value forever.
    fn real<M: Recording>() -> (Tape<M>, Active<f64, M>, Late<M>) {
        let mut tape = tape::<M>(64);
        let x = tape.input(2.0);
        let late = tape.record(|| {
            let mut y = (&x * 3.0).eval();
            let mut kept = None;
            y.update(|y| {
                kept = Some(y);
                y * &x
            });
            let kept = kept.unwrap();
            Box::new(move || (kept * kept).eval()) as Late<M>
        });
        (tape, x, late)
    }
    let (mut tape, x, late) = real::<Taped>();
    let y = tape.record(late);
    assert_eq!(
        (y.value(), tape.gradient(&y).unwrap().wrt(&x)),
        (36.0, Ok(36.0))
    );
    let (mut tape, _x, late) = real::<Reuse>();
    refuses(file!(), &["f64", "written", "update"], || tape.record(late));
}

#[test]
fn lists_of_reals_notice_writes() {
    fn square<M: Recording>(tape: &mut Tape<M>) -> (Active<f64, M>, Late<M>) {
        let x = tape.input(3.0);
        let late = tape.record(|| {
            let mut y = [(&x * 1.0).eval(), (&x * 2.0).eval()];
            let e = first_squared(detached(&y));
            y[0].assign(&x * 5.0);
            y[1] += y.sum().eval();
            Box::new(|| e.eval()) as Late<M>
        });
        (x, late)
    }
    let mut tape = Tape::new();
    let (x, late) = square(&mut tape);
    let y = tape.record(late);
    assert_eq!(tape.gradient(&y).unwrap().wrt(&x), Ok(6.0));
    let mut tape = Tape::<Reuse>::default();
    let (_x, late) = square(&mut tape);
    refuses(file!(), &["f64", "written", "detached"], || {
        tape.record(late)
    });
}

fn later<M: Recording>(chunk: usize) {
    let mut tape = tape::<M>(chunk);
    let x = tape.input(2.0);
    let v: Active<Array, M> = tape.input_as(vec![1.0, -2.0, 0.5]);
    let mut u = tape.record(|| (&v * &x).eval());
    for (_, take) in takes::<M>() {
        let (one, two, three, four) = (take(&u), take(&u), take(&u), take(&u));
        let y = tape.record(one);
        let want = tape.gradient(&y).unwrap().wrt(&x).unwrap();
        let y = tape.record(two);
        assert_eq!(tape.gradient(&y).unwrap().wrt(&x), Ok(want));
        let mut other = crate::support::tape::<M>(chunk);
        refuses(file!(), &["Array", "another tape"], || other.record(three));
        tape.record(|| u[0] *= &x);
        refuses(file!(), &["Array", "written"], || tape.record(four));
        let (five, six) = (take(&u), take(&u));
        let y = other.record(|| {
            refuses(file!(), &["Array", "another tape"], five);
            tape.record(six)
        });
        assert!(tape.gradient(&y).is_ok());
        refuses(file!(), &["Array", "no tape records"], take(&u));
    }
    let (one, two) = (u.at(0) * 2.0, u.at(0) * 2.0);
    tape.reset();
    tape.record(|| refuses(file!(), &["Array", "reset"], || one.eval()));
    let (x, v): (_, Active<Array, M>) = (tape.input(2.0), tape.input_as(vec![1.0]));
    let u = tape.record(|| (&v * &x).eval());
    tape.record(|| refuses(file!(), &["Array", "reset"], || two.eval()));
    drop(u);
}
#[test]
fn expressions_are_valid_only_in_recordings_of_their_tape() {
    in_all_chunks(later::<Taped>, later::<Reuse>);
}

fn positions<M: Recording>(chunk: usize) {
    for (_, take) in takes::<M>() {
        let mut tape = tape::<M>(chunk);
        let x = tape.input(2.0);
        let v: Active<Array, M> = tape.input_as(vec![1.0, -2.0, 0.5]);
        let (u, mut w) = tape.record(|| ((&v * &x).eval(), (&v * &x).eval()));
        let want = take(&u);
        let want = tape.record(want);
        let want = tape.gradient(&want).unwrap().wrt(&x);
        let start = tape.position();
        let (of_u, before) = (take(&u), take(&w));
        let (after, of_new) = tape.record(|| {
            w[0] *= &x;
            (take(&w), take(&(&v * &x).eval()))
        });
        tape.reset_to(&start).unwrap();
        for late in [before, after, of_new] {
            tape.record(|| refuses(file!(), &["Array", "reset"], late));
        }
        let new: [_; 3] = tape.record(|| std::array::from_fn(|_| fresh(&x)));
        let y = tape.record(of_u);
        assert_eq!(tape.gradient(&y).unwrap().wrt(&x), want);
        let (of_u, again) = (take(&u), take(&u));
        let y = tape.record(of_u);
        assert_eq!(tape.gradient(&y).unwrap().wrt(&x), want);
        let mut u = u;
        tape.record(|| u[1] *= &x);
        tape.record(|| refuses(file!(), &["Array", "written"], again));
        drop(new);
    }
}
#[test]
fn a_reset_to_a_position_refuses_only_values_written_since() {
    in_all_chunks(positions::<Taped>, positions::<Reuse>);
}

#[test]
fn variables_are_as_large_as_before() {
    assert_eq!(size_of::<Active<f64>>(), 16);
    assert_eq!(size_of::<Active<Array>>(), 24);
    assert_eq!(size_of::<Active<f64, Reuse>>(), 24);
}

fn births<M: Recording>(chunk: usize) {
    let gradients = |early: bool| {
        let mut tape = tape::<M>(chunk);
        let x = tape.input(2.0);
        let v: Active<Array, M> = tape.input_as(vec![1.0, -2.0, 0.5]);
        let y = tape.record(|| {
            let (u, w) = ((&v * &x).eval(), (&v * &v).eval());
            let mut p = array(&[5.0, 6.0, 7.0]);
            if early {
                p[0].assign(u.at(0) * u.at(1) * w.at(0));
                p[1].assign(u.at(1));
                p[2].assign(w.at(2) * w.at(2));
            } else {
                let first = u.at(0) * u.at(1) * w.at(0);
                let (second, third) = (u.at(1), w.at(2) * w.at(2));
                drop(w);
                drop(u);
                p[0].assign(first);
                p[1].assign(second);
                p[2].assign(third);
            }
            p.dot(&p).eval()
        });
        let g = tape.gradient(&y).unwrap();
        (*y.get(), g.wrt(&x), g.wrt(&v))
    };
    assert_eq!(gradients(false), gradients(true));
}
#[test]
fn a_new_identifier_is_not_one_that_the_expression_reads() {
    in_all_chunks(births::<Taped>, births::<Reuse>);
}

#[test]
fn identifiers_return_when_variables_are_dropped() {
    let mut tape = Tape::<Reuse>::default();
    let (x, v) = (tape.input(2.0), vec![1.0, 2.0]);
    let v: Active<Array, Reuse> = tape.input_as(v);
    tape.record(|| {
        let mut u = v.clone();
        for _ in 0..100 {
            let y = (&x * &x).eval();
            u[0].assign(y * 2.0);
            u[1] += (&x * &x).eval() * 2.0;
            let (mut a, mut b) = ((&x * 2.0).eval(), (&x * 2.0).eval());
            crate::support::polar((&x * &x).eval() * 2.0, &x, &mut a, &mut b);
            let _ = doubled_reals(list_of([(&x * &x).eval() * 2.0])).split();
        }
    });
    let statistics = tape.statistics();
    assert!(
        statistics.kinds.iter().all(|k| k.identifiers < 12),
        "{statistics}"
    );
}

#[test]
fn expressions_of_parts_of_value_kinds_keep_their_meaning() {
    let mut tape = Tape::new();
    let x = tape.input(2.0);
    let y = tape.record(|| {
        let mut p = crate::support::pair(x, 3.0).eval();
        let square = p.at(0) * p.at(0);
        p[0].assign(7.0);
        p.update(|p| p * p);
        (square * p.at(1)).eval()
    });
    assert_eq!(
        (y.value(), tape.gradient(&y).unwrap().wrt(&x)),
        (36.0, Ok(36.0))
    );
    let mut tape = Tape::<Reuse>::default();
    let x = tape.input(2.0);
    tape.record(|| {
        let mut p = crate::support::pair(&x, 3.0).eval();
        let square = p.at(0) * p.at(0);
        p[0].assign(7.0);
        refuses(file!(), &["Pair", "written"], || square.eval());
    });
}
