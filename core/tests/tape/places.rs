use crate::support::{Array, ArrayOps, array, check, program, slice};
use entape_core::{
    expr::{Active, constant},
    tape::Tape,
};

const X: [f64; 3] = [1.5, -0.75, 0.5];
const V: [&[f64]; 2] = [&[1.0, -2.0, 0.5], &[0.25, 3.0, -1.5]];

program!(
    Elements | x,
    v | {
        let [u, v] = v else { unreachable!() };
        u[1] *= &x[0];
        u[1].assign(&x[1] * &v[0]);
        u[1] += &v[2];
        u[0] -= &x[2] * 2.0;
        u[2] /= &x[0];
        u[2].assign(&v[0] * &v[1]);
        v[0].assign(&u[2]);
        v[0].assign(2.0);
        v[1].assign(&x[0]);
        (u.dot(&*v) * &u[1] + &v[1] * &v[1]).eval()
    }
);
#[test]
fn elements_are_written() {
    check::<Elements>(&X, &V);
}

program!(
    Remainders | x,
    v | {
        let u = &mut v[0];
        u[0] %= 0.75;
        u[1] %= &x[0] * 0.5;
        u[2] %= 0.375;
        (u.total() * &u[0] + &u[1] * &u[2]).eval()
    }
);
#[test]
fn remainders_are_written() {
    check::<Remainders>(&X, &V);
}

#[allow(
    clippy::op_ref,
    clippy::nonminimal_bool,
    clippy::neg_cmp_op_on_partial_ord
)]
#[test]
fn places_are_compared_by_value() {
    let mut tape = Tape::new();
    let (v, x) = (tape.input_as::<Array>(vec![2.0, -1.0]), tape.input(2.0));
    let before = tape.statistics().statements;
    tape.record(|| {
        assert!(v[0] > 1.0 && &v[0] > 1.0 && 1.0 < v[0] && 1.0 < &v[0] && !(v[0] < v[1]));
        assert!(v[0] == x && x == v[0] && &v[1] < x && x > &v[1] && &v[0] >= &v[1]);
        assert!(v[0] > x * &v[1] && &v[0] > x * &v[1] && x * 2.0 > v[0] && x * 2.0 > &v[0]);
    });
    assert_eq!(tape.statistics().statements, before);
}

program!(
    Same | x,
    v | {
        let u = &mut v[0];
        let e = u.at(0) * u.at(0);
        u[0].assign(e);
        let e = u.at(1);
        u[1] *= e;
        let s = u.dot(&*u).eval();
        let e = u.at(1) * u.at(0) * s;
        u[1].assign(e);
        let e = u.at(1) * &x[0];
        u[2] += e;
        let e = u.at(2);
        u[0] -= e;
        let e = u.at(2) * u.at(2) + 1.0;
        u[2] /= e;
        let e = u.at(2);
        u[2].assign(e);
        let e = u.at(2);
        u[0].assign(e);
        let s = u.total().eval();
        let e = &s * u.at(0);
        u[1].assign(e);
        u.update(|u| u.clone() * u);
        let t = u.total().eval();
        u[0] *= t;
        (u.total() * s).eval()
    }
);
#[test]
fn one_variable_may_be_on_both_sides() {
    check::<Same>(&X, &V);
}

program!(
    ReadThenWritten | x,
    v | {
        let mut u = (&v[0] * &v[1]).eval();
        u[0].assign(&x[0] * 2.0);
        u[0] *= &x[1];
        let s = (&u * &u).eval();
        u[0] *= &x[2];
        u[0].assign(&x[0]);
        u[0].assign(&x[1]);
        let t = (&u[0] * &u[1]).eval();
        u[1].assign(5.0);
        u[0] += &t;
        u.update(|u| &s + u);
        u[2].assign(&t);
        let w = (&u * &s).eval();
        u[2] *= &t;
        (u.dot(&w) + t).eval()
    }
);
#[test]
fn overwriting_keeps_parts_that_an_earlier_statement_reads() {
    check::<ReadThenWritten>(&X, &V);
}

program!(
    Born | x,
    v | {
        let mut p = array(&[1.0, 2.0, 3.0]);
        p[0].assign(4.0);
        p[1] *= &x[0];
        p[2] += 1.0;
        let s = (&p * &p).eval();
        p[1] *= &x[1];
        let mut q = array(&[1.0, 2.0]);
        let e = q.at(1) * &x[2];
        q[0].assign(e);
        let e = q.at(1) * q.at(0);
        q[1].assign(e);
        let c = Active::<f64, M>::passive(3.0);
        let r = array(&[5.0, 6.0]);
        v[0][0].assign(&c);
        v[0][1] *= &c;
        v[0][2].assign(r.at(1));
        v[1][2].assign(r.at(1) * r.at(0));
        v[1][1].assign(&r[0]);
        v[1][0] += &r[0];
        (p.dot(&s) + q.dot(&q) + v[0].dot(&v[1]) * &v[0][1]).eval()
    }
);
#[test]
fn a_write_to_a_part_makes_a_passive_array_active() {
    check::<Born>(&X, &V);
}

program!(
    Slices | x,
    v | {
        let [u, v] = v else { unreachable!() };
        let (head, tail) = (slice(u, 0..2), slice(u, 1..3));
        u.part_mut(head.clone())
            .assign(v.part(tail.clone()) * &x[0]);
        let part = u.part(head.clone());
        u.part_mut(tail.clone()).mul_assign(part);
        let shifted = u.part(head.clone()) * 2.0;
        u.part_mut(tail.clone()).assign(shifted);
        let s = (&*u * &*v).eval();
        u.part_mut(head.clone()).add_assign(v.part(head.clone()));
        u.part_mut(tail.clone()).assign(constant(vec![1.0, 2.0]));
        u[1] *= &x[1];
        let mut p = array(&[1.0, 2.0, 3.0]);
        p.part_mut(tail).mul_assign(v.part(head));
        (u.dot(&s) + s.total() + p.dot(&*u)).eval()
    }
);
#[test]
fn parts_may_own_memory() {
    check::<Slices>(&X, &V);
}

program!(
    Loop | x,
    v | {
        let mut s = (&x[0] * 1.0).eval();
        for i in 0..20 {
            let [u, v] = &mut *v else { unreachable!() };
            let (i, j) = (i % 3, (i * 7 + 1) % 3);
            let e = u.at(j) * 0.5 + &v[i] * &s;
            u[i].assign(e);
            v[j] *= &x[i];
            if i == j {
                s.update(|s| s * 0.25 + u.dot(&*v) * 0.01);
            }
            if i == 2 {
                std::mem::swap(u, v);
                u.update(|u| u * &x[2]);
                std::mem::swap(u, v);
            }
        }
        (s + v[0].dot(&v[1])).eval()
    }
);
#[test]
fn many_writes_to_one_array_have_their_gradients() {
    check::<Loop>(&X, &V);
}

#[test]
fn writes_in_place_do_not_copy() {
    use entape_core::tape::Tape;
    let mut tape: Tape = Tape::new();
    let a = tape.input(2.0);
    let mut v: Active<Array> = tape.input_as(vec![1.0; 100]);
    tape.record(|| {
        v[1] *= a;
        let place = v.get().as_ptr();
        for i in 0..100 {
            v[i] *= a;
            let e = v.at((i + 1) % 100) * v.at(i);
            v[i].assign(e);
            let _ = (&v[i] * 2.0).eval();
        }
        assert_eq!(v.get().as_ptr(), place, "the array moved");
        let w = v.clone();
        assert_eq!(w.get().as_ptr(), place, "a clone does not share");
        v[0] *= a;
        let moved = v.get().as_ptr();
        v[0] *= a;
        assert_eq!(v.get().as_ptr(), moved);
    });
}
