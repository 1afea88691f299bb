use crate::support::{ArrayOps, array, check, polar, program};
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
