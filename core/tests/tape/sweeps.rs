//! Sweeps.
use crate::support::{Array, ArrayOps, both, tape};
use entape_core::{
    expr::Active,
    mode::{Recording, Reuse, Taped},
    tape::{Error, Tape},
};

fn forgotten_seed<M: Recording>(chunk: usize) {
    let mut tape = tape::<M>(chunk);
    let x = tape.input(2.0);
    let (y, z) = tape.record(|| ((&x * 3.0).eval(), (&x * &x).eval()));
    tape.seed(&y, 1.0).unwrap();
    assert_eq!(tape.gradient(&z).unwrap().wrt(&x), Ok(4.0));
    tape.seed(&y, 1.0).unwrap();
    tape.record(|| (&x * 5.0).eval());
    assert_eq!(tape.gradient(&z).unwrap().wrt(&x), Ok(4.0));
    tape.seed(&y, 1.0).unwrap();
    tape.seed(&z, 0.5).unwrap();
    tape.seed(&y, 1.0).unwrap();
    assert_eq!(tape.sweep().unwrap().wrt(&x), Ok(8.0));
    assert_eq!(tape.sweep().err(), Some(Error::NotSeeded));
    tape.seed(&y, 1.0).unwrap();
    assert!(tape.seed(&Active::<f64, M>::passive(1.0), 1.0).is_err());
    assert_eq!(tape.sweep().unwrap().wrt(&x), Ok(3.0));
}
#[test]
fn a_seed_that_was_never_swept_is_dropped() {
    both(forgotten_seed::<Taped>, forgotten_seed::<Reuse>);
}

fn outputs<M: Recording>(chunk: usize) {
    let mut tape = tape::<M>(chunk);
    let x = tape.input(2.0);
    let mut v: Active<Array, M> = tape.input_as(vec![1.0, 2.0]);
    let (y, w) = tape.record(|| {
        let w = (&v * &x).eval();
        v[0] *= &w[1];
        (v.dot(&w).eval(), w)
    });
    // v0 x v0 x v1 x + x v1²: at (2; 1, 2)
    for _ in 0..2 {
        let g = tape.gradient(&y).unwrap();
        assert_eq!((*y.get(), g.wrt(&x)), (16.0, Ok(4.0 * 2.0 + 4.0)));
        assert_eq!(g.wrt(&v), Ok(vec![16.0, 4.0 + 8.0]));
        tape.seed(&w, vec![0.0, 1.0]).unwrap();
        let g = tape.sweep().unwrap();
        assert_eq!((g.wrt(&x), g.wrt(&v)), (Ok(2.0), Ok(vec![0.0, 2.0])));
        tape.seed(&v, vec![1.0, 1.0]).unwrap();
        let g = tape.sweep().unwrap();
        assert_eq!((g.wrt(&x), g.wrt(&v)), (Ok(2.0), Ok(vec![4.0, 3.0])));
    }
    assert_eq!((v.get(), w.get()), (&vec![4.0, 2.0], &vec![2.0, 4.0]));
    let z: Active<f64, M> = tape.input(3.0);
    let y = tape.record(|| {
        v[1] *= &z;
        v[0] += &y;
        (v.total() * w.total()).eval()
    });
    // (v0 x v1 + y + v1 z) (x v0 + x v1)
    let g = tape.gradient(&y).unwrap();
    assert_eq!((*y.get(), g.wrt(&z)), (26.0 * 6.0, Ok(2.0 * 6.0)));
    assert_eq!(
        g.wrt(&v),
        Ok(vec![
            (4.0 + 16.0) * 6.0 + 26.0 * 2.0,
            (2.0 + 12.0 + 3.0) * 6.0 + 26.0 * 2.0
        ])
    );
}
#[test]
fn several_outputs_are_seeded_and_recording_continues() {
    both(outputs::<Taped>, outputs::<Reuse>);
}

fn anew<M: Recording>(chunk: usize) {
    let mut tape = tape::<M>(chunk);
    let mut x = tape.input(2.0);
    let first = x.clone_outside(&mut tape);
    let y = tape.record(|| {
        x *= 3.0;
        x.update(|x| x * x);
        (&x * &first).eval()
    });
    let g = tape.gradient(&y).unwrap();
    match g.wrt(&x) {
        Err(e) => assert_eq!(e, Error::NotAnInput { kind: "f64" }),
        Ok(x_b) => assert_eq!(x_b, 27.0 * 4.0),
    }
    let mut v: Active<Array, M> = tape.input_as(vec![1.0, 2.0]);
    tape.record(|| {
        v.assign(Active::<f64, M>::passive(2.0).value() * entape_core::expr::constant(vec![1.0]))
    });
    assert!(!v.is_active());
    tape.seed(&y, 1.0).unwrap();
    assert_eq!(
        tape.sweep().unwrap().wrt(&v),
        Err(Error::NotAnInput { kind: "Array" })
    );
}
trait CloneOutside<M: Recording> {
    fn clone_outside(&self, tape: &mut Tape<M>) -> Self;
}
impl<M: Recording> CloneOutside<M> for Active<f64, M> {
    fn clone_outside(&self, tape: &mut Tape<M>) -> Self {
        tape.record(|| self.clone())
    }
}
#[test]
fn an_input_that_gets_another_identifier_is_not_an_input() {
    both(anew::<Taped>, anew::<Reuse>);
}

fn outside<M: Recording>(chunk: usize) {
    let (mut one, mut two) = (tape::<M>(chunk), tape::<M>(chunk));
    let (a, b) = (one.input(2.0), two.input(3.0));
    let (u, v) = (
        one.input_as::<Array>(vec![1.0, 2.0]),
        two.input_as::<Array>(vec![3.0, 4.0]),
    );
    let mut y = one.record(|| (&a * u.total()).eval());
    let mut z = two.record(|| (&b * v.total()).eval());
    for _ in 0..5 {
        let w = one.record(|| (&u * &a).eval());
        let x = two.record(|| (&v * &b).eval());
        let s = one.record(|| (&w * &w).eval());
        let t = two.record(|| {
            drop(w);
            (&x * &x).eval()
        });
        drop(x);
        y = one.record(|| {
            drop(t);
            (&y + (&s * 0.5).total() + s.dot(&s) * 0.25).eval()
        });
        z = two.record(|| {
            drop(s);
            (&z * 0.5 + v.dot(&v)).eval()
        });
    }
    // y = a (u0 + u1) + 5 (a² (u0² + u1²) / 2 + a⁴ (u0⁴ + u1⁴) / 4)
    let g = one.gradient(&y).unwrap();
    assert_eq!(g.wrt(&a), Ok(3.0 + 5.0 * (2.0 * 5.0 + 8.0 * 17.0)));
    assert_eq!(
        g.wrt(&u),
        Ok(vec![2.0 + 5.0 * (4.0 + 16.0), 2.0 + 5.0 * (8.0 + 128.0)])
    );
    let g = two.gradient(&z).unwrap();
    assert_eq!(g.wrt(&b), Ok(7.0 / 32.0));
    let sum: f64 = (0..5).map(|i| 0.5_f64.powi(i)).sum();
    assert_eq!(
        g.wrt(&v),
        Ok(vec![3.0 / 32.0 + 6.0 * sum, 3.0 / 32.0 + 8.0 * sum])
    );
}
#[test]
fn variables_may_be_dropped_outside_of_their_recording() {
    both(outside::<Taped>, outside::<Reuse>);
}

#[test]
fn identifiers_are_used_again() {
    let mut tape = tape::<Reuse>(1 << 20);
    let x = tape.input(1.5);
    tape.record(|| {
        let mut s = (&x * 1.0).eval();
        for _ in 0..1000 {
            let a = (&s * &x).eval();
            let b = (a * 0.5).eval();
            s += b * 0.25;
        }
    });
    let kinds = tape.statistics().kinds;
    let reals = kinds.iter().find(|k| k.kind == "f64").unwrap();
    assert!(reals.identifiers < 10, "{}", reals.identifiers);
}

/// A recording may reuse their identifiers.
fn seeds_before_a_recording<M: Recording>() {
    let mut tape = Tape::<M>::default();
    let x = tape.input(3.0);
    let y = tape.record(|| (&x * &x).eval());
    tape.seed(&y, 1.0).unwrap();
    let z = tape.record(|| (&x * 2.0).eval());
    assert_eq!(tape.seed(&z, 10.0), Err(Error::SeedsLost));
    tape.seed(&y, 1.0).unwrap();
    tape.seed(&z, 10.0).unwrap();
    assert_eq!(tape.sweep().unwrap().wrt(&x), Ok(26.0));

    tape.seed(&y, 1.0).unwrap();
    let w: Active<f64, M> = tape.input(1.0);
    assert_eq!(tape.sweep().err(), Some(Error::SeedsLost));
    tape.seed(&w, 1.0).unwrap();
    let gradient = tape.sweep().unwrap();
    assert_eq!((gradient.wrt(&x), gradient.wrt(&w)), (Ok(0.0), Ok(1.0)));

    tape.seed(&y, 1.0).unwrap();
    let here = tape.position();
    tape.reset_to(&here).unwrap();
    assert_eq!(tape.sweep().err(), Some(Error::SeedsLost));
    tape.seed(&y, 1.0).unwrap();
    tape.record(|| (&x * 2.0).eval());
    assert_eq!(tape.gradient(&y).unwrap().wrt(&x), Ok(6.0));
    tape.seed(&y, 1.0).unwrap();
    tape.reset();
    let x = tape.input(3.0);
    let y = tape.record(|| (&x * &x).eval());
    tape.seed(&y, 1.0).unwrap();
    assert_eq!(tape.find_non_finite(), None);
    assert!(tape.to_dot().contains("s0"));
    assert_eq!(tape.sweep().unwrap().wrt(&x), Ok(6.0));
}
#[test]
fn seeds_are_not_forgotten() {
    seeds_before_a_recording::<Taped>();
    seeds_before_a_recording::<Reuse>();
}
