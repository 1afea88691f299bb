//! Operations on variables.
use crate::support::{Array, ArrayOps, Pair, PairOps, array, check, pair, program};
use entape_core::{
    expr::{Active, constant},
    real::Elementary,
};
use std::mem::swap;

const X: [f64; 3] = [1.5, -0.75, 0.5];
const V: [&[f64]; 2] = [&[1.0, -2.0, 0.5], &[0.25, 3.0, -1.5]];

program!(
    Product | x,
    v | {
        let y = (&x[0] * &x[1]).eval();
        (&y * v[0].dot(&v[1]) + (&x[2]).sin()).eval()
    }
);
#[test]
fn programs_of_reals_and_arrays_have_their_gradients() {
    check::<Product>(&X, &V);
}

program!(
    InPlace | x,
    v | {
        let mut w = (&x[0] + &x[1]).eval();
        w.update(|w| w * w);
        w.update(|w| w * w * &x[2]);
        let [u, v] = v else { unreachable!() };
        u.update(|u| u.clone() * u);
        *u *= &*v;
        *v *= &w;
        *u += &*v;
        *u -= &*v * &w;
        u.update(|u| u * &x[0]);
        u.update(|u| u);
        (u.total() + w).eval()
    }
);
#[test]
fn a_variable_times_itself_has_the_sum_of_both_adjoints() {
    check::<InPlace>(&X, &V);
}

program!(
    Compound | x,
    v | {
        let mut w = (&x[0] * 2.0).eval();
        w += &x[1];
        w *= &x[2];
        w -= 3.0;
        w /= &x[0];
        let old = (&w * 1.0).eval();
        w *= &old;
        w *= 2.0;
        v[0] *= &w;
        v[0] *= 0.5;
        (v[0].total() * w + old).eval()
    }
);
#[test]
fn compound_assignments_have_their_gradients() {
    check::<Compound>(&X, &V);
}

program!(
    ReadLater | x,
    v | {
        // `a` is read and overwritten; the first value of `c` is never read.
        let mut a = (&x[0] * &x[1]).eval();
        let b = (&a * &a).eval();
        a.assign(&x[2] + 1.0);
        let mut c = (&a + &b).eval();
        c.update(|c| c + &a);
        c.update(|c| c.sin() * &a);
        let mut u = (&v[0] + &v[1]).eval();
        let d = (&u * &u).eval();
        u.assign(&v[0] * &a);
        u.assign(&v[1] + &d);
        u.update(|u| u * &c);
        u.update(|u| u + &d);
        u.update(|u| u + &d);
        (u.total() + d.dot(&u)).eval()
    }
);
#[test]
fn overwriting_keeps_values_that_an_earlier_statement_reads() {
    check::<ReadLater>(&X, &V);
}

program!(
    ResultRead | x,
    v | {
        // Adjoints read the overwritten result.
        let mut a = (&x[0]).exp().eval();
        let mut u = v[0].exps().eval();
        a.update(|a| a.exp());
        u.update(|u| u.exps());
        let mut w = (v[1].exps() * &x[1]).eval();
        w.update(|w| (w * &x[2]).exps());
        w.update(|w| &u * w);
        u.assign(v[0].cosines() * &a);
        a.assign(u.total());
        u.update(|u| u.cosines());
        (w.total() + u.dot(&v[1]) * a).eval()
    }
);
#[test]
fn overwriting_keeps_results_and_saved_intermediates() {
    check::<ResultRead>(&[0.25, -0.5, 0.75], &[&[0.1, -0.2], &[0.3, 0.4]]);
}

program!(
    Lengths | x,
    v | {
        let mut w = v[0].twice().eval();
        let s = w.dot(&w).eval();
        w.assign(&v[1] * &s);
        w.update(|w| w.twice());
        let t = w.dot(&w).eval();
        w.update(|w| w.head(2));
        w *= &x[0];
        w.update(|w| w.clone() * w);
        w.update(|w| (w.clone() * w).twice().twice());
        w.update(|w| (w.clone() * w).head(1));
        let again = v[1].twice().eval();
        v[1].assign(again.twice());
        v[1].update(|v| v.twice().twice());
        (v[1].dot(&v[1]) * t * 0.01 + w.total()).eval()
    }
);
#[test]
fn a_variable_may_get_another_length() {
    check::<Lengths>(&X, &[&[0.5, -0.25], &[0.75, 0.5]]);
}

program!(
    Swapped | x,
    v | {
        let (mut a, mut b) = ((&x[0] * &x[1]).eval(), (&x[1] + &x[2]).eval());
        swap(&mut a, &mut b);
        a *= &b;
        let [u, v] = v else { unreachable!() };
        let (mut p, mut q) = ((&*u * &*v).eval(), (&*u + &*v).eval());
        let r = (&p * &q).eval();
        swap(&mut p, &mut q);
        p *= &a;
        q += &r;
        swap(&mut p, &mut q);
        p *= &q;
        let mut o = std::mem::replace(&mut q, (&r * &b).eval());
        o *= &q;
        (p.dot(&q) + o.total() + a * b).eval()
    }
);
#[test]
fn swapped_variables_have_their_gradients() {
    check::<Swapped>(&X, &V);
}

program!(
    Dropped | x,
    v | {
        let mut sum = (&x[0] * 1.0).eval();
        for i in 0..5 {
            let a = (&sum * &x[i % 3]).eval();
            let b = (&a * &a).eval();
            drop(a);
            let c = (&b * &x[1]).eval();
            let u = (&v[0] * &c).eval();
            let w = (&u * &v[1]).eval();
            drop(u);
            let mut t = (&w * &w).eval();
            drop(w);
            let s = (&t * &c).eval();
            t.assign(&s + &v[i % 2]);
            sum.assign((t.dot(&s) * 0.01 + &b).sin() * 0.25);
        }
        sum
    }
);
#[test]
fn reuse_of_an_identifier_keeps_earlier_gradients() {
    check::<Dropped>(&X, &V);
}

program!(
    Passive | x,
    v | {
        let [u, v] = v else { unreachable!() };
        let p = Active::<f64, M>::passive(1.25);
        let q = array(&[2.0, -1.0, 0.5]);
        let mut sum = (&p * &x[0] + &p).eval();
        sum += &p;
        sum *= &p;
        sum.update(|s| s / &p + (&p / s));
        sum.update(|s| s * (&p * &p) + (&p * &p) * &x[1]);
        let mut w = Active::<f64, M>::passive(3.0);
        w *= &x[1];
        let old = (&w * &w).eval();
        w.assign(7.0);
        assert!(!w.is_active());
        w += &p;
        assert!(!w.is_active());
        w *= &old;
        let mut a = array(&[1.0, 2.0, 3.0]);
        a *= &*u;
        let square = (&a * &a).eval();
        a.assign(&q * &q);
        assert!(!a.is_active());
        a *= &q;
        assert!(!a.is_active());
        a *= &square;
        a.update(|a| a * &q + &q);
        a += &q;
        a -= &q * &p;
        u.update(|u| u * &q);
        *u += constant(vec![0.5, 0.25, 0.125]);
        u.update(|u| u * constant(vec![0.5, 0.25, 0.125]));
        (a.dot(&*u) + q.dot(&*v) + v.dot(&q) + q.dot(&q) * w + sum).eval()
    }
);
#[test]
fn passive_variables_may_be_in_every_position() {
    check::<Passive>(&X, &V);
}

program!(
    Assigned | x,
    v | {
        let mut a = (&x[0] * &x[1]).eval();
        let read = (&a * &a).eval();
        a.assign(2.0);
        let b = (&x[2] * &read).eval();
        a *= &b;
        let mut u = (&v[0] * &v[1]).eval();
        let square = (&u * &u).eval();
        u.assign(constant(vec![1.0, 2.0, 3.0]));
        let w = (&square * &b).eval();
        u *= &w;
        let t = (&u * &a).eval();
        u.assign(constant(vec![1.0]));
        (t.dot(&square) + read + u.total()).eval()
    }
);
#[test]
fn an_active_variable_may_become_passive() {
    check::<Assigned>(&X, &V);
}

program!(
    Shared | x,
    v | {
        let a = (&v[0] * &x[0]).eval();
        let (mut b, mut c) = (a.clone(), a.clone());
        b *= &v[1];
        c[0].assign(&x[1] * 2.0);
        let d = c.clone();
        c[1] *= &x[2];
        let p = array(&[1.0, 2.0, 3.0]);
        let mut r = p.clone();
        r[2] += &x[0];
        let mut y = (a.dot(&b) + c.dot(&d) * r.dot(&p)).eval();
        let z = y.clone();
        y *= &x[1];
        (y * z + a.total()).eval()
    }
);
#[test]
fn clones_diverge() {
    check::<Shared>(&X, &V);
}

program!(
    Pairs | x,
    v | {
        let mut p = pair(&x[0], &x[1]).eval();
        p *= pair(&x[2], 2.0);
        let old = (&p * &p).eval();
        p[0].assign(&x[1] * &x[2]);
        p[1] *= &x[0];
        let e = p.at(1) * p.at(0);
        p[0].assign(e);
        let e = p.at(0) * 2.0;
        p[1] *= e;
        p[0] += v[0].total();
        let mut q = Active::<Pair, M>::passive([2.0, -1.0]);
        q[1] += &x[1];
        q[0].assign(3.0);
        q[0] *= &p[1];
        let part = (&q[0] * &p[1]).eval();
        (p.product() + old.product() * q.product() + part).eval()
    }
);
#[test]
fn parts_of_a_value_kind_are_read_and_written() {
    check::<Pairs>(&X, &V);
}

program!(
    Mixed | x,
    v | {
        use entape_core::real::Cast;
        let single = ((&x[0]).to_f32() * 2.0_f32 + (&x[1]).to_f32()).eval();
        let y = (single.to_f64() * &x[2] + v[0].total() * (&x[0]).to_f32().to_f64()).eval();
        let mut p = pair(&y, &x[1]).eval();
        p.update(|p| p * p);
        v[1].update(|v| v * p.product());
        (v[1].dot(&v[0]) + y).eval()
    }
);
#[test]
fn several_kinds_share_a_tape() {
    use crate::support::{recorded, tape};
    use entape_core::mode::{Reuse, Taped};
    // Differences cannot resolve f32.
    program!(
        Double | x,
        v | {
            let single = (&x[0] * 2.0 + &x[1]).eval();
            let y = (&single * &x[2] + v[0].total() * &x[0]).eval();
            let mut p = pair(&y, &x[1]).eval();
            p.update(|p| p * p);
            v[1].update(|v| v * p.product());
            (v[1].dot(&v[0]) + y).eval()
        }
    );
    let want = check::<Double>(&X, &V);
    for chunk in crate::support::CHUNKS {
        assert_eq!(recorded::<Mixed, Taped>(&mut tape(chunk), &X, &V), want);
        assert_eq!(recorded::<Mixed, Reuse>(&mut tape(chunk), &X, &V), want);
    }
}

program!(
    Nothing | x,
    v | {
        let _ = (x, v);
        Active::passive(3.0)
    }
);
#[test]
fn programs_without_statements_have_gradients_of_inputs_only() {
    use entape_core::tape::{Error, Tape};
    let mut tape: Tape = Tape::new();
    assert_eq!(tape.sweep().err(), Some(Error::NotSeeded));
    let y = tape.record(|| <Nothing as crate::support::Program>::run(&[], &mut []));
    assert_eq!(
        tape.gradient(&y).err(),
        Some(Error::NotRecorded { kind: "f64" })
    );
    let x = tape.input(2.0);
    tape.record(|| ());
    assert_eq!(tape.gradient(&x).unwrap().wrt(&x), Ok(1.0));
    let v: Active<Array> = tape.input_as(vec![]);
    let y = tape.record(|| v.total().eval());
    let g = tape.gradient(&y).unwrap();
    assert_eq!((g.wrt(&v), g.wrt(&x)), (Ok(vec![]), Ok(0.0)));
}

#[test]
fn statements_of_passive_variables_are_not_recorded() {
    use entape_core::tape::Tape;
    let mut tape: Tape = Tape::new();
    let x = tape.input(2.0);
    let before = tape.statistics().statements;
    tape.record(|| {
        let p = Active::<f64>::passive(2.0);
        let mut q = (p * p + 3.0).eval();
        q *= p;
        let mut v = Active::<Array>::passive(vec![1.0, 2.0]);
        v *= p;
        v[1] += 3.0;
        let e = v.at(1) * q;
        v[0].assign(e);
        let (mut a, mut b) = (Active::<f64>::passive(0.0), Active::<f64>::passive(0.0));
        crate::support::polar(p, q, &mut a, &mut b);
        assert!(!a.is_active() && !v.is_active() && !q.is_active());
    });
    assert_eq!(tape.statistics().statements, before);
    tape.record(|| (x * 2.0).eval());
    assert_eq!(tape.statistics().statements, before + 1);
}
