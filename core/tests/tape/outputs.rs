//! Operations with several outputs.
use crate::support::{Array, ArrayOps, array, check, polar, program};
use entape_core::{expr::Active, op, tape::Tape};

const X: [f64; 3] = [1.5, -0.75, 0.5];
const V: [&[f64]; 2] = [&[1.0, -2.0, 0.5], &[0.25, 3.0, -1.5]];

program!(
    Reals | x,
    v | {
        let (mut r, mut t) = (
            Active::<f64, M>::passive(0.0),
            Active::<f64, M>::passive(0.0),
        );
        polar(&x[0], &x[1], &mut r, &mut t);
        let s = (&r * &t).eval();
        // Outputs that are also arguments, of which one is used afterwards.
        let (a, b) = ((&r * 1.0).eval(), (&t * &x[2]).eval());
        polar(&a, &b, &mut r, &mut t);
        let (mut p, mut q) = (
            Active::<f64, M>::passive(0.0),
            Active::<f64, M>::passive(0.0),
        );
        polar(&r, 2.0, &mut p, &mut q);
        (s + p * v[0].total() + t).eval()
    }
);
#[test]
fn two_outputs_may_have_one_value_kind() {
    check::<Reals>(&X, &V);
}

program!(
    Arrays | x,
    v | {
        let [u, v] = v else { unreachable!() };
        let (mut p, mut q) = (array(&[]), array(&[1.0]));
        u.mix(&*v, &mut p, &mut q);
        let s = (&p * &q).eval();
        // Written to variables that were read, with another length.
        let (w, y) = (p.twice().eval(), q.twice().eval());
        w.mix(&y, &mut p, &mut q);
        let t = p.dot(&q).eval();
        // Written to the arguments, through a copy.
        let (a, b) = ((&p * &x[0]).eval(), (&q * &x[1]).eval());
        a.mix(&b, &mut p, &mut q);
        let mut z = array(&[]);
        u.mix(&*v, &mut z, v_of(&mut p));
        (q.total() * t * 0.001 + s.total() + p.dot(&*u)).eval()
    }
);
fn v_of<T>(x: &mut T) -> &mut T {
    x
}
#[test]
fn two_outputs_may_have_one_storage_kind() {
    check::<Arrays>(&X, &V);
}

program!(
    Different | x,
    v | {
        let mut s = Active::<f64, M>::passive(0.0);
        let mut w = array(&[]);
        v[0].normed(&mut s, &mut w);
        let t = (&s * &w).eval();
        (&v[1] * &x[0]).normed(&mut s, &mut w);
        let first = (t.dot(&w) * &s * 0.01).eval();
        (&v[1] * &x[1]).normed(&mut s, &mut w);
        let (mut unused, mut u) = (Active::<f64, M>::passive(0.0), array(&[]));
        (&v[0] * &x[2]).normed(&mut unused, &mut u);
        w.assign(&u * &x[0]);
        (first + s + w.total()).eval()
    }
);
#[test]
fn two_outputs_may_have_different_kinds() {
    check::<Different>(&X, &V);
}

program!(
    Passive | x,
    v | {
        let (mut r, mut t) = ((&x[0] * &x[1]).eval(), (&x[1] + &x[2]).eval());
        let old = (&r * &t).eval();
        let p = Active::<f64, M>::passive(2.0);
        polar(&p, 3.0, &mut r, &mut t);
        assert!(!r.is_active() && !t.is_active());
        polar(&p, &x[0], &mut r, &mut t);
        let mut u = array(&[]);
        let [w, v] = v else { unreachable!() };
        array(&[1.0, 2.0, 3.0]).mix(&*w, &mut u, &mut v.clone());
        let mut z = v.clone();
        array(&[1.0, 2.0, 3.0]).mix(&*w, &mut u, &mut z);
        (r * t + old + u.dot(&z) + v.dot(&z)).eval()
    }
);
#[test]
fn several_outputs_may_have_passive_arguments() {
    check::<Passive>(&X, &V);
}

// Results that are a tuple.
#[op]
fn polar_of(
    #[ad_in((x * r_b.0 - y / r.0 * r_b.1) / r.0)] x: f64,
    #[ad_in((y * r_b.0 + x / r.0 * r_b.1) / r.0)] y: f64,
) -> (f64, f64) {
    (x.hypot(y), y.atan2(x))
}
/// Results of two kinds.
#[op]
fn normed_of(
    #[ad_in({
        let t = 2.0 * (r_b.0 + r_b.1.iter().zip(a).map(|(x, y)| x * y).sum::<f64>());
        r_b.1.iter().zip(a).map(|(x, y)| x * r.0 + t * y).collect::<Vec<_>>()
    })]
    a: &Array,
) -> (f64, Array) {
    let s = a.iter().map(|x| x * x).sum();
    (s, a.iter().map(|x| x * s).collect())
}
program!(
    Tuples | x,
    v | {
        let (r, t) = polar_of(&x[0], &x[1] * &x[2]);
        let (s, w) = normed_of(&v[0]);
        // Only one of them is used.
        let (p, _) = polar_of(&r * &t, &s);
        let (_, w) = normed_of(&w * &x[0] + &v[1]);
        let q = Active::<f64, M>::passive(2.0);
        let (q, passive) = polar_of(&q, 3.0);
        assert!(!q.is_active() && !passive.is_active());
        (r + p * 0.01 + w.total() * q * 0.001).eval()
    }
);
#[test]
fn a_tuple() {
    check::<Tuples>(&X, &V);
}

/// The first eight powers.
#[allow(clippy::type_complexity)]
#[op]
fn powers(
    #[ad_in({
        let (a, b, c, d, e, f, g, h) = r_b;
        let each = [a, b, c, d, e, f, g, h].into_iter().rev().zip((1..=8).rev());
        each.fold(0.0, |sum, (r_b, n)| sum * x + n as f64 * r_b)
    })]
    x: f64,
) -> (f64, f64, f64, f64, f64, f64, f64, f64) {
    let n = |n| x.powi(n);
    (x, n(2), n(3), n(4), n(5), n(6), n(7), n(8))
}
program!(
    EightResults | x,
    v | {
        let (a, b, c, d, e, f, g, h) = powers(&x[0] * &x[1]);
        let s = (&a * &b + &c * 2.0 + &d / 3.0 + &e * &f - &g + &h * &x[2]).eval();
        let (.., u, w) = powers(&s * 0.5);
        (u + w * v[0].total() + s).eval()
    }
);
#[test]
fn eight_results() {
    check::<EightResults>(&X, &V);
}
/// Statements with eight results append more values than others, even after others have filled a stage.
#[test]
fn eight_results_among_other_statements() {
    for others in 0..140 {
        let mut tape = Tape::new();
        let x = tape.input(1.0);
        let y = tape.record(|| {
            let mut y = x;
            for _ in 0..4 {
                for _ in 0..2 * others {
                    y = (-y).eval();
                }
                for _ in 0..60 {
                    y = powers(y).0;
                }
                let (a, b, c, d, e, f, g, h) = powers(y);
                y = (0.125 * (a + b / 2.0 + c / 3.0 + d / 4.0)).eval();
                y += 0.125 * (e / 5.0 + f / 6.0 + g / 7.0 + h / 8.0);
                y /= y.value();
            }
            y
        });
        // Each round has the slope 1 at 1 before it is divided by its value.
        let value = (1..=8).map(|n| 0.125 / f64::from(n)).sum::<f64>();
        let slope = tape.gradient(&y).unwrap().wrt(&x).unwrap();
        assert!((slope - value.powi(-4)).abs() < 1e-12 * slope);
    }
}

#[op]
fn multiples(
    #[ad_in(d_b + 2.0 * e_b + 4.0 * f_b)] x: f64,
    #[ad_out] d: &mut f64,
    #[ad_out] e: &mut f64,
    #[ad_out] f: &mut f64,
) {
    (*d, *e, *f) = (x, 2.0 * x, 4.0 * x);
}

#[test]
fn three_outputs_may_follow_any_number_of_statements() {
    for others in 0..140 {
        let mut tape = Tape::new();
        let x = tape.input(3.0);
        let y = tape.record(|| {
            let mut y = x;
            for _ in 0..4 {
                for _ in 0..2 * others {
                    y = (-y).eval();
                }
                for _ in 0..150 {
                    let [mut d, mut e, mut f] = [Active::passive(0.0); 3];
                    multiples(y, &mut d, &mut e, &mut f);
                    y = d;
                }
                let [mut d, mut e, mut f] = [Active::passive(0.0); 3];
                multiples(y, &mut d, &mut e, &mut f);
                y = (0.25 * d + 0.125 * e + 0.125 * f).eval();
            }
            y
        });
        assert_eq!(y, 3.0);
        assert_eq!(tape.gradient(&y).unwrap().wrt(&x), Ok(1.0));
    }
}
