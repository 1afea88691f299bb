//! Positions.
use crate::support::{Array, ArrayOps, both, refuses, tape};
use entape_core::{
    expr::Active,
    mode::{Recording, Reuse, Taped},
    tape::{Error, Tape},
};

fn reset<M: Recording>(chunk: usize) {
    let mut tape = tape::<M>(chunk);
    let x = tape.input(2.0);
    let v: Active<Array, M> = tape.input_as(vec![1.0, 2.0]);
    let (a, mut u) = tape.record(|| ((&x * &x).eval(), (&v * &x).eval()));
    let start = tape.position();
    for i in 1..6 {
        let factor = f64::from(i);
        let (y, b, w) = tape.record(|| {
            let b = (&a * &x * factor).eval();
            let mut w = (&u * &b).eval();
            w[0] *= &x;
            let y = (w.dot(&w) + &b).eval();
            (y, b, w)
        });
        // b = f x³, w = (f x⁵ v0, f x⁴ v1), y = f² x¹⁰ v0² + f² x⁸ v1² + f x³
        let g = tape.gradient(&y).unwrap();
        let f2 = factor * factor;
        let want = f2 * 10.0 * 512.0 + 4.0 * f2 * 8.0 * 128.0 + factor * 12.0;
        assert_eq!(g.wrt(&x), Ok(want));
        assert_eq!(g.wrt(&v), Ok(vec![2.0 * f2 * 1024.0, 4.0 * f2 * 256.0]));
        let end = tape.position();
        tape.reset_to(&start).unwrap();
        assert_eq!(tape.reset_to(&end), Err(Error::StalePosition));
        assert_eq!(tape.sweep_to(&end).err(), Some(Error::StalePosition));
        let stale = Err(Error::Stale { kind: "f64" });
        assert_eq!(tape.seed(&b, 1.0), stale);
        tape.seed(&a, 1.0).unwrap();
        assert_eq!(tape.sweep().unwrap().wrt(&y).map(|_| ()), stale);
        assert_eq!(
            tape.seed(&w, vec![1.0, 1.0]),
            Err(Error::Stale { kind: "Array" })
        );
        let words = ["f64", "reset", "input"];
        tape.record(|| refuses(file!(), &words, || (&b * 2.0).eval()));
        tape.record(|| refuses(file!(), &["Array", "reset"], || (&w * 2.0).eval()));
        tape.record(|| refuses(file!(), &["Array", "reset"], || w.total().eval()));
        assert_eq!(tape.position().clone(), start_of(&mut tape));
        tape.seed(&a, 1.0).unwrap();
        tape.seed(&u, vec![1.0, 0.0]).unwrap();
        let g = tape.sweep().unwrap();
        assert_eq!((g.wrt(&x), g.wrt(&v)), (Ok(5.0), Ok(vec![2.0, 0.0])));
    }
    tape.record(|| u[0] *= &x);
    tape.reset_to(&start).unwrap();
    tape.record(|| refuses(file!(), &["Array", "reset"], || u.total().eval()));
    tape.record(|| refuses(file!(), &["Array", "reset"], || u[1] *= &x));
    assert_eq!(
        tape.seed(&u, vec![0.0; 2]),
        Err(Error::Stale { kind: "Array" })
    );
    let y = tape.record(|| {
        u.assign(&v * &a);
        u.total().eval()
    });
    let g = tape.gradient(&y).unwrap();
    assert_eq!((g.wrt(&x), g.wrt(&v)), (Ok(12.0), Ok(vec![4.0, 4.0])));
}
fn start_of<M: Recording>(tape: &mut Tape<M>) -> entape_core::tape::Position {
    tape.record(|| ());
    tape.position()
}
#[test]
fn a_reset_to_a_position_makes_later_variables_stale() {
    both(reset::<Taped>, reset::<Reuse>);
}

fn nested<M: Recording>(chunk: usize) {
    let mut tape = tape::<M>(chunk);
    let x = tape.input(2.0);
    let zero = tape.position();
    let a = tape.record(|| (&x * &x).eval());
    let one = tape.position();
    let b = tape.record(|| (&a * &x).eval());
    let two = tape.position();
    let c = tape.record(|| (&b * &x).eval());
    assert_eq!(tape.gradient(&c).unwrap().wrt(&x), Ok(32.0));
    tape.reset_to(&two).unwrap();
    assert!(tape.seed(&c, 1.0).is_err());
    let c = tape.record(|| (&b * &a).eval());
    assert_eq!(tape.gradient(&c).unwrap().wrt(&x), Ok(80.0));
    tape.reset_to(&two).unwrap();
    tape.reset_to(&one).unwrap();
    assert_eq!(tape.reset_to(&two), Err(Error::StalePosition));
    assert!(tape.seed(&b, 1.0).is_err());
    let y = tape.record(|| {
        let mut y = (&a * 3.0).eval();
        for _ in 0..20 {
            y.update(|y| y + &x);
        }
        y
    });
    assert_eq!(tape.reset_to(&two), Err(Error::StalePosition));
    assert_eq!(tape.sweep_to(&two).err(), Some(Error::StalePosition));
    assert_eq!(tape.gradient(&y).unwrap().wrt(&x), Ok(32.0));
    assert_eq!(tape.gradient(&a).unwrap().wrt(&x), Ok(4.0));
    let z = tape.input(5.0);
    let y = tape.record(|| (&z * &a).eval());
    assert_eq!(tape.gradient(&y).unwrap().wrt(&z), Ok(4.0));
    tape.reset_to(&zero).unwrap();
    let y = tape.record(|| (&x * &x).eval());
    let g = tape.gradient(&y).unwrap();
    assert_eq!(g.wrt(&x), Ok(4.0));
    assert_eq!(g.wrt(&z), Err(Error::Stale { kind: "f64" }));
    assert_eq!(tape.reset_to(&one), Err(Error::StalePosition));
    tape.reset();
    assert_eq!(tape.reset_to(&zero), Err(Error::StalePosition));
    let other = crate::support::tape::<M>(chunk);
    assert_eq!(tape.reset_to(&other.position()), Err(Error::StalePosition));
    assert_eq!(
        tape.sweep_to(&other.position()).err(),
        Some(Error::StalePosition)
    );
}
#[test]
fn positions_nest() {
    both(nested::<Taped>, nested::<Reuse>);
}

fn sweep_to<M: Recording>(chunk: usize) {
    let mut tape = tape::<M>(chunk);
    let x = tape.input(2.0);
    let mut v: Active<Array, M> = tape.input_as(vec![1.0, 2.0]);
    let a = tape.record(|| {
        let a = (&x * &x).eval();
        v[0] *= &a;
        a
    });
    let half = tape.position();
    let y = tape.record(|| {
        v[1] *= &a;
        v.update(|v| v.clone() * v);
        (v.total() * &x).eval()
    });
    // At the position: v = (4, 2), a = 4; y = (v0² + (a v1)²) x
    for _ in 0..3 {
        tape.seed(&y, 1.0).unwrap();
        let g = tape.sweep_to(&half).unwrap();
        assert_eq!(g.wrt(&x), Ok(16.0 + 64.0));
        assert_eq!(g.wrt(&v), Ok(vec![2.0 * 4.0 * 2.0, 2.0 * 16.0 * 2.0 * 2.0]));
        if let Ok(a_b) = g.wrt(&a) {
            assert_eq!(a_b, 2.0 * 4.0 * 4.0 * 2.0);
        }
        // y = (x⁴ v0² + x⁴ v1²) x
        let g = tape.gradient(&y).unwrap();
        assert_eq!(g.wrt(&x), Ok(5.0 * 16.0 * 5.0));
        assert_eq!(g.wrt(&v), Ok(vec![64.0, 128.0]));
    }
    tape.seed(&y, 1.0).unwrap();
    let _ = tape.sweep_to(&half).unwrap();
    let z = tape.record(|| (v.total() * &a).eval());
    // (v0² x⁴ + v1² x⁴) x²
    assert_eq!(tape.gradient(&z).unwrap().wrt(&x), Ok(5.0 * 6.0 * 32.0));
    tape.seed(&z, 1.0).unwrap();
    let _ = tape.sweep_to(&half).unwrap();
    tape.reset_to(&half).unwrap();
    tape.seed(&a, 1.0).unwrap();
    let g = tape.sweep().unwrap();
    assert_eq!(g.wrt(&x), Ok(4.0));
}
#[test]
fn a_sweep_to_a_position_has_the_derivatives_there() {
    both(sweep_to::<Taped>, sweep_to::<Reuse>);
}

fn kept<M: Recording>(chunk: usize) {
    let mut tape = tape::<M>(chunk);
    let x = tape.input(2.0);
    let (mut a, mut u) = tape.record(|| ((&x * 3.0).eval(), (&x * &array::<M>()).eval()));
    let start = tape.position();
    tape.record(|| (&x * &x).eval());
    tape.reset_to(&start).unwrap();
    tape.record(|| {
        a *= &x;
        u *= &x;
    });
    tape.record(|| ());
    let y = tape.record(|| {
        let b = (&x * 10.0).eval();
        let w = (&u * &b).eval();
        let b2 = (&b * &b).eval();
        let w2 = (&w * &w).eval();
        u[0] *= &b;
        (&a * &b + u.dot(&w) + b2 * w2.total()).eval()
    });
    // 3 x² 10 x + (x² 10 x) (x² 10 x) + (2 x²)² 10 x + 100 x² (10 x³)² + 100 x² (20 x³)²
    let want = 90.0 * 4.0 + 100.0 * 6.0 * 32.0 + 40.0 * 5.0 * 16.0 + (1e4 + 4e4) * 8.0 * 128.0;
    assert_eq!(tape.gradient(&y).unwrap().wrt(&x), Ok(want));
}
fn array<M: Recording>() -> Active<Array, M> {
    Active::passive(vec![1.0, 2.0])
}
#[test]
fn a_variable_written_after_a_reset_owns_its_identifier() {
    both(kept::<Taped>, kept::<Reuse>);
}

fn read_again<M: Recording>(chunk: usize) {
    let mut tape = tape::<M>(chunk);
    let x = tape.input(2.0);
    let (y, w, a) = tape.record(|| {
        let w = (&x * &array::<M>()).eval();
        let a = (&x * &x).eval();
        let y = (w.dot(&w) * 1.0).eval();
        let y = (&y + &a * &a).eval();
        (y, w, a)
    });
    let start = tape.position();
    tape.record(|| {
        drop(w);
        drop(a);
        let (u, b) = ((&array::<M>() * &x).eval(), (&x * 7.0).eval());
        drop((u, b));
    });
    tape.reset_to(&start).unwrap();
    let z = tape.record(|| {
        let (u, b) = ((&array::<M>() * &x).eval(), (&x * 7.0).eval());
        let (c, d) = ((&u * &x).eval(), (&b * &x).eval());
        (&y + (u.total() + c.total() + b + d) * 0.0).eval()
    });
    // 5 x² + x⁴
    assert_eq!(tape.gradient(&z).unwrap().wrt(&x), Ok(20.0 + 32.0));
}
#[test]
fn reuse_after_a_position_keeps_values_read_before_it() {
    both(read_again::<Taped>, read_again::<Reuse>);
}

#[test]
fn a_reset_removes_an_input_without_statements() {
    let mut tape = tape::<Taped>(64);
    let x = tape.input(2.0);
    let y = tape.record(|| (x * x).eval());
    let start = tape.position();
    let z = tape.input(5.0);
    tape.reset_to(&start).unwrap();
    assert_eq!(tape.gradient(&y).unwrap().wrt(&x), Ok(4.0));
    assert!(tape.gradient(&y).unwrap().wrt(&z).is_err());
    let w = tape.input(7.0);
    let y = tape.record(|| (x * y * w).eval());
    let g = tape.gradient(&y).unwrap();
    assert_eq!((g.wrt(&x), g.wrt(&w)), (Ok(84.0), Ok(8.0)));
}

#[test]
fn many_resets_leave_the_tape_usable() {
    let mut tape = tape::<Taped>(64);
    let x = tape.input(2.0);
    let v: Active<Array> = tape.input_as(vec![1.0, 2.0]);
    let u = tape.record(|| (&v * x).eval());
    let start = tape.position();
    for i in 0..2000 {
        let y = tape.record(|| {
            let w = (&u * x).eval();
            (w.dot(&u) * f64::from(i)).eval()
        });
        assert_eq!(tape.gradient(&y).unwrap().wrt(&x), Ok(60.0 * f64::from(i)));
        tape.reset_to(&start).unwrap();
    }
    let statistics = tape.statistics();
    assert!(
        statistics.kinds.iter().all(|k| k.identifiers < 20),
        "{statistics}"
    );
}

#[test]
fn a_position_taken_at_the_target_of_a_reset_stays_valid() {
    fn positions<M: Recording>() {
        let mut tape = tape::<M>(64);
        let start = tape.position();
        let x = tape.input(2.0);
        for _ in 0..3 {
            tape.reset_to(&tape.position()).unwrap();
            let v: Active<Array, M> = tape.input_as(vec![1.0, 2.0]);
            let made = tape.position();
            let y = tape.record(|| (&x * v.total()).eval());
            let recorded = tape.position();
            tape.reset_to(&made).unwrap();
            tape.reset_to(&made).unwrap();
            let again = tape.position();
            assert!(tape.gradient(&y).is_err());
            assert_eq!(tape.reset_to(&recorded), Err(Error::StalePosition));
            let y = tape.record(|| (&x * v.total()).eval());
            tape.reset_to(&again).unwrap();
            assert!(tape.gradient(&y).is_err());
            let y = tape.record(|| (&x * v.total()).eval());
            let g = tape.gradient(&y).unwrap();
            assert_eq!((g.wrt(&x), g.wrt(&v)), (Ok(3.0), Ok(vec![2.0, 2.0])));
            tape.reset_to(&again).unwrap();
        }
        tape.reset_to(&start).unwrap();
        let y = tape.record(|| Active::<f64, M>::passive(1.0));
        assert!(tape.gradient(&y).is_err());
        let g = tape.input(3.0);
        assert!(
            tape.gradient(&x).is_err(),
            "an input made after the position"
        );
        assert_eq!(tape.gradient(&g).unwrap().wrt(&g), Ok(1.0));
    }
    positions::<Taped>();
    positions::<Reuse>();
}

#[test]
fn adjoints_begin_at_zero_after_a_whole_reset() {
    fn rounds<M: Recording>() {
        let mut tape = tape::<M>(64);
        for round in 0..12 {
            tape.reset();
            let inputs = 1 + (round * 5) % 7;
            let (x, v): (Vec<_>, Vec<_>) = (1..=inputs)
                .map(|i| {
                    let v: Active<Array, M> = tape.input_as(vec![1.0, f64::from(i)]);
                    (tape.input(f64::from(i)), v)
                })
                .unzip();
            let middle = tape.record(|| x.iter().fold((&x[0] * 1.0).eval(), |y, x| (y * x).eval()));
            let position = tape.position();
            let y = tape.record(|| {
                let start = (&middle * &middle).eval();
                let mut y = v.iter().fold(start, |y, v| (y + v.total()).eval());
                y.update(|y| y * 2.0);
                y
            });
            let product: f64 = x.iter().map(Active::value).product();
            let g = tape.gradient(&y).unwrap();
            for (i, (x, v)) in x.iter().zip(&v).enumerate() {
                // y = 2 x1² Π x² + 2 Σ v, and the first x is 1
                let power = if i == 0 { 4.0 } else { 2.0 };
                let want = 2.0 * power * product * product / x.value();
                assert_eq!(g.wrt(x), Ok(want), "round {round}, input {i}");
                assert_eq!(g.wrt(v), Ok(vec![2.0, 2.0]), "round {round}, input {i}");
            }
            let seeds = round % 4;
            if seeds > 0 {
                tape.seed(&y, 1.0).unwrap();
                tape.seed(&x[0], 5.0).unwrap();
                tape.seed(v.last().unwrap(), vec![3.0, 3.0]).unwrap();
            }
            match seeds {
                2 => drop(tape.sweep().unwrap()),
                3 => drop(tape.sweep_to(&position).unwrap()),
                _ => {}
            }
        }
    }
    rounds::<Taped>();
    rounds::<Reuse>();
}
