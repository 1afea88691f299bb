use crate::support::{Array, ArrayOps, CHUNKS, check, panic_of, program, tape};
use entape_check as check;
use entape_core::{
    expr::{Active, constant, either, select},
    mode::{Plain, Reuse, Taped},
    op,
    real::Elementary,
    tape::{Error, Tape},
};

const X: [f64; 3] = [1.5, -0.75, 0.5];
const V: [&[f64]; 2] = [&[1.0, -2.0, 0.5], &[0.25, 3.0, -1.5]];

program!(
    Sides | x,
    v | {
        let mut y = (&x[0] * &x[1]).eval();
        let passive = Active::<f64, M>::passive(1.25);
        for i in 0..8 {
            let c = i % 2 == 0;
            y.update(|y| y * select(c, &x[2], (&x[0] * &x[1]).sin()) + &x[1]);
            y += select(!c, 0.5, &x[i % 3] * 2.0) * &x[2];
            y += select(c, &passive, &x[2]).exp();
            y.update(|y| select(c, y / &x[0], y * &x[0]) + select(c, 1.0, 2.0) * &x[0]);
            y.update(|y| y * 0.5 + select(c, select(i < 4, &x[0], 3.0), &x[1] * &passive));
            let e = select(c, v[0].at(1), v[0].at(2) * &y) * 0.5;
            v[0][i % 3].assign(e);
        }
        (y + v[0].dot(&v[1])).eval()
    }
);
#[test]
fn sides_may_have_different_forms() {
    check::<Sides>(&X, &V);
}

program!(
    Alike | x,
    v | {
        let mut y = (&x[0] * &x[1]).eval();
        for i in 0..8 {
            let c = i % 3 == 0;
            y.update(|y| y * either(c, &x[0] - &x[1], &x[2] - &x[0]) + &x[1]);
            y += either(c, &x[1], &x[2]) * either(!c, 0.5, 0.25 * f64::from(i));
            y += either(c, (&x[1] * 2.0).exp(), (&x[2] * 3.0).exp());
            let e = either(c, v[0].at(1), v[1].at(2)) * 0.5 + &y * 1e-2;
            v[0][i as usize % 3].assign(e);
        }
        (y + v[0].dot(&v[1])).eval()
    }
);
#[test]
fn sides_of_one_form_are_distinguished() {
    check::<Alike>(&X, &V);
}

program!(
    Storage | x,
    v | {
        let mut w = select(true, &v[0], &v[1] * 2.0).eval();
        for i in 0..6 {
            let c = i % 2 == 0;
            w.update(|w| select(c, w.exps() * 0.1, &v[0] * &v[1]) * &x[0]);
            w.update(|w| either(!c, &v[0] * w, &v[1] * &v[0]) + select(c, &v[1], &v[0]).cosines());
            w.update(|w| {
                w * select(c, &x[1], 0.25) + select(!c, constant(vec![0.5; 3]), &v[1] * 0.5)
            });
        }
        w.dot(select(false, &v[0], &v[1])).eval()
    }
);
#[test]
fn sides_may_own_memory() {
    check::<Storage>(&X, &V);
}

program!(
    Lists | x,
    v | {
        let terms = (0..12).map(|i| select(i % 3 == 0, &x[i % 2] * (i as f64), &x[2]));
        let sum: Active<f64, M> = terms.sum();
        let factors = (0..9).map(|i| either(i % 2 == 0, &x[0] * 0.5, &x[1] * -1.5));
        let product: Active<f64, M> = factors.product();
        (sum * &product + select(product > 100.0, v[0].total(), v[1].total())).eval()
    }
);
#[test]
fn choices_may_be_in_lists() {
    check::<Lists>(&X, &V);
}

program!(
    Varying | x,
    v | {
        let mut y = (&x[0] + v[0].total()).eval();
        for i in 0..200 {
            let c = f64::from(i) * 0.01;
            y.update(|y| y * 0.9 + select(i % 5 < 2, c * &x[1], (&x[2] * (1.0 - c)) * &x[0]));
        }
        y
    }
);
#[test]
fn both_sides_may_have_varying_constants() {
    check::<Varying>(&X, &V);
}

type Real = Active<f64>;

#[test]
fn derivatives_are_right_on_both_sides_of_the_condition() {
    let f = |(a, b): (Real, Real)| select(a > b, (a * b).sin(), b / a).exp() * b;
    check::assert_expression(f, (1.0, 0.5));
    check::assert_expression(f, (0.5, 1.0));
    let f = |(a, b): (Real, Real)| either(a > b, a * b, b * b).exp() * b;
    check::assert_expression(f, (1.0, 0.5));
    check::assert_expression(f, (0.5, 1.0));
    let f = |(a, b): (Real, Real)| select(a > b, a.exp(), b);
    check::assert_expression(f, (1.0, 0.5));
    check::assert_expression(f, (0.5, 1.0));
    let f = |(a, b): (Real, Real)| {
        let node = |x| entape_core::expr::unary(op::SinCos, x);
        let (s, c) = either(a > b, node(a), node(b)).split();
        s + 2.0 * c
    };
    check::assert_expression(f, (1.0, 0.5));
    check::assert_expression(f, (0.5, 1.0));
}

#[test]
fn infinities_of_the_side_not_taken_do_not_leak() {
    let mut tape = Tape::new();
    let (x, y) = (tape.input(0.0), tape.input(f64::NAN));
    for _ in 0..2 {
        let r = tape.record(|| (select(false, x.sqrt().ln() * y, x + 2.0) * x.cos()).eval());
        assert_eq!(r, 2.0);
        let gradient = tape.gradient(&r).expect("a sweep");
        assert_eq!(gradient.wrt(&x), Ok(1.0));
        assert_eq!(gradient.wrt(&y), Ok(0.0));
        let r = tape.record(|| (either(true, x * 3.0, y * 3.0) + either(false, y, x)).eval());
        let gradient = tape.gradient(&r).expect("a sweep");
        assert_eq!((gradient.wrt(&x), gradient.wrt(&y)), (Ok(4.0), Ok(0.0)));
    }
}

#[test]
fn the_side_not_taken_is_not_evaluated() {
    let x = Active::<f64, Plain>::passive(2.0);
    assert_eq!(select(true, x, x.clamp(1.0, 0.0)).eval(), 2.0);
    assert_eq!(
        either(true, x.clamp(0.0, 1.0), x.clamp(1.0, 0.0)).eval(),
        1.0
    );
    assert_eq!(size_of_val(&x), 8);
    let (message, ..) = panic_of(|| select(false, x, x.clamp(1.0, 0.0)).eval());
    assert!(message.contains("low <= high"), "{message}");
}

#[test]
fn activity_is_that_of_the_side_taken() {
    for chunk in CHUNKS {
        let (mut taped, mut reuse) = (tape::<Taped>(chunk), tape::<Reuse>(chunk));
        let (x, z) = (taped.input(2.0), reuse.input(2.0));
        let passive = Real::passive(5.0);
        for c in [true, true, false, false, true, false] {
            let before = taped.statistics().statements;
            let y = taped.record(|| select(c, x, 1.0).eval());
            assert_eq!(y.is_active(), c);
            let y = taped.record(|| select(c, &x, &passive).eval());
            assert_eq!(y.is_active(), c);
            let y = taped.record(|| (x.floor() * select(c, &x, 3.0)).eval());
            assert_eq!(y.is_active(), c);
            assert_eq!(taped.statistics().statements - before, 3 * usize::from(c));
            let y = taped.record(|| (select(c, &x, 3.0) * x).eval());
            let want = if c { 4.0 } else { 3.0 };
            assert_eq!(taped.gradient(&y).expect("a sweep").wrt(&x), Ok(want));

            let y = reuse.record(|| select(c, &z, 1.0).eval());
            assert_eq!(y.is_active(), c);
            let y = reuse.record(|| (select(c, &z, 3.0) * &z).eval());
            assert_eq!(reuse.gradient(&y).expect("a sweep").wrt(&z), Ok(want));
        }
    }
}

#[test]
fn a_choice_stores_the_larger_side_and_a_byte() {
    let mut tape = Tape::new();
    let [a, b, c] = [tape.input(1.0), tape.input(2.0), tape.input(3.0)];
    let start = tape.statistics();
    let record = |tape: &mut Tape, i: i32| {
        tape.record(|| {
            let _ = (a * select(i % 2 == 0, b - c, c)).eval();
            let _ = (a * either(i % 2 == 0, b - c, c - b)).eval();
        });
    };
    record(&mut tape, 0);
    let first = tape.statistics();
    assert_eq!(first.handles - start.handles, 2);
    // Three identifiers and the choice, three identifiers.
    assert_eq!(first.block_bytes - start.block_bytes, 4 * 3 + 1 + 4 * 3);
    (1..10).for_each(|i| record(&mut tape, i));
    let last = tape.statistics();
    assert_eq!(last.handles, first.handles);
    assert_eq!(
        last.block_bytes - start.block_bytes,
        10 * (4 * 3 + 1 + 4 * 3)
    );
    assert_eq!(last.size_bytes, 0);
}

#[test]
fn a_stale_variable_matters_only_if_it_is_selected() {
    let mut tape = Tape::new();
    let old = tape.input(1.0);
    tape.reset();
    let x = tape.input(2.0);
    let y = tape.record(|| (select(true, x, old * 2.0) * x).eval());
    assert_eq!(tape.gradient(&y).expect("a sweep").wrt(&x), Ok(4.0));
    assert!(matches!(tape.gradient(&old), Err(Error::Stale { .. })));
    let (message, ..) = panic_of(|| tape.record(|| (select(false, x, old * 2.0) * x).eval()));
    assert!(message.contains("reset"), "{message}");
}

#[test]
fn sides_may_be_arrays() {
    let mut tape = Tape::new();
    let v = tape.input_as::<Array>(vec![1.0, 2.0]);
    let w = tape.input_as::<Array>(vec![3.0, 4.0]);
    let y = tape.record(|| select(false, &v, &w).dot(either(true, &v, &w)).eval());
    assert_eq!(y, 11.0);
    let gradient = tape.gradient(&y).expect("a sweep");
    assert_eq!(gradient.wrt(&v), Ok(vec![3.0, 4.0]));
    assert_eq!(gradient.wrt(&w), Ok(vec![1.0, 2.0]));
}

#[test]
fn choices_are_operands() {
    let x = [1.0, -2.0, 3.0].map(Active::<f64, Plain>::passive);
    let relu = x.iter().map(|x| select(*x > 0.0, x, 0.0));
    assert_eq!(relu.sum::<Active<f64, Plain>>(), 4.0);
    assert_eq!((2.0 * -select(false, 1.0, x[2])).eval(), -6.0);
}
