//! Operations with several outputs.
use crate::support::{
    Array, ArrayOps, Pair, PairOps, Program, Slice, array, check, pair, polar, program,
};
use entape_core::{
    expr::{Active, list, list_of},
    mode::{AnyMode, Forward},
    op,
    real::Elementary,
    store::{Part, Stash},
    tape::Tape,
};
use std::ops::Range;

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
        let (w, y) = (p.twice().eval(), q.twice().eval());
        w.mix(&y, &mut p, &mut q);
        let t = p.dot(&q).eval();
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
fn polar_of(
    #[ad_in((x * r_b.0 - y / r.0 * r_b.1) / r.0)] x: f64,
    #[ad_in((y * r_b.0 + x / r.0 * r_b.1) / r.0)] y: f64,
) -> (f64, f64) {
    (x.hypot(y), y.atan2(x))
}
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

#[derive(Clone, Copy, Stash)]
struct Twins;
impl Part<Array> for Twins {
    type Kind = f64;
    const SAVES_WHOLE: bool = true;
    fn get(&self, whole: &Vec<f64>) -> f64 {
        whole[0]
    }
    fn put(&self, whole: &mut Vec<f64>, x: f64) {
        (whole[0], whole[1]) = (x, x);
    }
    fn add(&self, whole: &mut Vec<f64>, x: f64) {
        whole[0] += x;
    }
    fn take_value(&self, whole: &mut Vec<f64>) -> f64 {
        std::mem::take(&mut whole[0]) + std::mem::take(&mut whole[1])
    }
}
#[op(tangent(
    a = (a_t * b, 2.0 * a_t, 0.0),
    b = (a * b_t, 0.0, -3.0 * b_t),
))]
fn stretch(
    #[ad_inout(r_b * b + 2.0 * a_b)] a: &mut f64,
    #[ad_inout(r_b * a - 3.0 * b_b)] b: &mut f64,
) -> f64 {
    let r = *a * *b;
    *a *= 2.0;
    *b *= -3.0;
    r
}

fn part(range: Range<usize>) -> Slice {
    Slice { range, len: 3 }
}
program!(
    Places | x,
    v | {
        let [u, v] = v else { unreachable!() };
        let (mut r, mut p) = (Active::<f64, M>::passive(0.0), pair(&x[0], &x[2]).eval());
        let mut w = array(&[0.5, 2.0, 0.25]);
        polar(&x[0], &x[1], &mut w[2], &mut r);
        polar(&r, &w[2], &mut u[0], &mut p[0]);
        let s = (&u[0] * &w[2] + (&p * &p).eval().product()).eval();
        polar(u.at(0), v.at(1), &mut v[1], &mut u[0]);
        polar(&x[2], &p.at(0), &mut p[0], &mut v[0]);
        let mut copy = u.clone();
        let product = stretch(&mut copy[0], &mut u[1]);
        (s + u.dot(&*v) * product + copy.dot(&w) + p.product()).eval()
    }
);
program!(
    SeveralPlaces | x,
    v | {
        let [u, v] = v else { unreachable!() };
        let mut w = array(&[0.5, 2.0, 0.25]);
        let [mut a, mut b] = w.places([2, 0]);
        polar(&x[0], &x[1], &mut a, &mut b);
        let before = w.dot(&*u).eval();
        let [mut a, mut b] = w.places([0, 1]);
        let product = stretch(&mut a, &mut b);
        let (c, d) = (u.at(0).eval(), u.at(2).eval());
        let [mut a, mut b] = u.places([0, 2]);
        polar(&c * &d, &d, &mut b, &mut a);
        let mut q = pair(&x[2], &x[0]).eval();
        polar(&x[0], &w[1], &mut v[2], &mut q[0]);
        let [mut a, mut b] = q.places([1, 0]);
        let product = stretch(&mut a, &mut b) + product;
        (before * product + w.dot(&*u) + u.dot(&*v) * q.product()).eval()
    }
);
program!(
    Slices | x,
    v | {
        let [u, v] = v else { unreachable!() };
        let mut w = (&*u * &x[0]).eval();
        let (left, right) = (u.head(2).eval(), v.head(2).eval());
        let mut s = Active::<f64, M>::passive(1.0);
        left.normed(&mut s, &mut w.part_mut(part(1..3)));
        left.mix(
            &right,
            &mut w.part_mut(part(0..2)),
            &mut v.part_mut(part(1..3)),
        );
        let [mut a, mut b] = u.parts_mut([part(0..1), part(2..3)]);
        w.head(1).eval().mix(&v.head(1).eval(), &mut a, &mut b);
        (w.dot(&*v) * s + u.total() * &x[1]).eval()
    }
);
program!(
    WholeSaves | x,
    v | {
        let [u, v] = v else { unreachable!() };
        let before = u.dot(&*v).eval();
        polar(&x[0], &x[1], &mut u.part_mut(Twins), &mut v[2]);
        let mut w = array(&[0.5, 2.0, 0.25]);
        polar(
            &x[2],
            u.at(1),
            &mut w.part_mut(Twins),
            &mut u.part_mut(Twins),
        );
        (before + u.dot(&*v) * w.total()).eval()
    }
);
#[test]
fn outputs_are_written_to_places() {
    check::<Places>(&X, &V);
    check::<SeveralPlaces>(&X, &V);
    check::<Slices>(&X, &V);
    check::<WholeSaves>(&X, &V);
}
#[test]
fn one_statement_writes_variables_and_places() {
    let mut tape = Tape::new();
    let (x, y) = (tape.input(1.5), tape.input(0.5));
    let mut v = tape.input_as::<Array>(vec![1.0, 2.0, 3.0]);
    let mut p = tape.input_as::<Pair>([1.0, 2.0]);
    let before = tape.statistics().statements;
    tape.record(|| {
        polar(x, y, &mut v[0], &mut p[0]);
        let [mut a, mut b] = v.places([1, 2]);
        polar(x, y, &mut a, &mut b);
    });
    assert_eq!(tape.statistics().statements - before, 2);
}

/// A product whose elements are operands.
fn dot<M: AnyMode>(u: &Active<Array, M>, v: &Active<Array, M>) -> Active<f64, M> {
    (0..u.get().len()).map(|i| u.at(i) * v.at(i)).sum()
}
program!(
    ListsOfPlaces | x,
    v | {
        let [u, v] = v else { unreachable!() };
        // Elements of active and of passive arrays.
        let mut w = array(&[0.5, 2.0, 0.25]);
        let before = (dot(u, v) * dot(&w, u)).eval();
        (list(x) * &x[1]).assign_to([&mut u[0], &mut v[2], &mut w[1]]);
        // Components of values that are copied, two of them of one value.
        let (mut p, mut q) = (
            Active::<Pair, M>::passive([0.5, 3.0]),
            Active::<Pair, M>::passive([1.0, 2.0]),
        );
        list(&x[1..]).exp().assign_to([&mut p[0], &mut q[1]]);
        let [mut a, mut b] = p.places([1, 0]);
        let read = (list_of([u.at(0), w.at(1)]) * &q[1] + &q[0]).sin();
        read.assign_to(vec![&mut a, &mut b]);
        // Nine places, which are also read.
        let mut many: Vec<_> = (0..9).map(|i| array(&[0.5, i as f64])).collect();
        let each = list_of((0..9).map(|i| &x[i % 3] * v.at(i % 2) + many[i].at(1)));
        each.assign_to(many.iter_mut().map(|each| &mut each[1]).collect::<Vec<_>>());
        let each = list_of(many.iter().map(|each| each.at(1) * each.at(0)));
        each.assign_to(many.iter_mut().map(|each| &mut each[0]).collect::<Vec<_>>());
        let sum: Active<f64, M> = many.iter().map(|each| &each[0] * &each[1]).sum();
        // Variables, and parts that save the whole.
        let (mut r, mut s) = (Active::<f64, M>::passive(1.0), (&x[0] * 1.0).eval());
        (list(&x[..2]) * 0.5).assign_to([&mut r, &mut s]);
        (list(&x[..2]) + &r).assign_to([&mut u.part_mut(Twins), &mut w.part_mut(Twins)]);
        (before * sum + dot(u, v) * dot(&w, v) * s + &p[0] * &p[1] * &q[0] * &q[1]).eval()
    }
);
#[test]
fn lists_are_written_to_places() {
    check::<ListsOfPlaces>(&X, &V);
    let of = |x: &[Active<f64>]| {
        let mut v = V.map(array);
        ListsOfPlaces::run(x, &mut v)
    };
    let forward = |x: &[Active<f64, Forward<1>>]| {
        let mut v = V.map(array);
        ListsOfPlaces::run(x, &mut v)
    };
    let hessian = entape_drivers::hessian(|x: [Active<f64>; 3]| of(&x), X).expect("a Hessian");
    let gradient = |x: [f64; 3]| {
        entape_drivers::gradient(|x: [Active<f64>; 3]| of(&x), x).expect("a gradient")
    };
    let (at, h) = (gradient(X), 1e-5);
    for i in 0..3 {
        let (mut up, mut down, mut direction) = (X, X, [0.0; 3]);
        (up[i], down[i], direction[i]) = (X[i] + h, X[i] - h, 1.0);
        let run = |x: [Active<f64, Forward<1>>; 3]| forward(&x);
        let (_, slope) = entape_drivers::jvp(run, X, direction).expect("a tangent");
        approx::assert_relative_eq!(slope, at[i], max_relative = 1e-12);
        let (up, down) = (gradient(up), gradient(down));
        for j in 0..3 {
            let want = (up[j] - down[j]) / (2.0 * h);
            approx::assert_relative_eq!(hessian[(i, j)], want, max_relative = 1e-6);
        }
    }
}
/// The parts that change are saved, in one statement, and a statement that is undone restores them.
#[test]
fn a_list_in_places_saves_the_places() {
    let cost = |places: usize| {
        let mut tape = Tape::new();
        let x = [tape.input(1.5), tape.input(0.5)];
        let mut v = tape.input_as::<Array>(vec![1.0; 100]);
        let mut w = tape.input_as::<Array>(vec![2.0; 100]);
        let read = tape.record(|| (v.total() * w.total()).eval());
        let before = tape.statistics();
        tape.record(|| match places {
            0 => (list(&x) * 2.0).assign_to([&mut Active::passive(0.0), &mut Active::passive(0.0)]),
            _ => (list(&x) * 2.0).assign_to([&mut v[7], &mut w[8]]),
        });
        let after = tape.statistics();
        assert_eq!(after.statements - before.statements, 1);
        let gradient = tape.gradient(&read).expect("a result");
        assert_eq!(gradient.wrt(&v).expect("an input"), [200.0; 100]);
        after.block_bytes + after.kept_bytes - before.block_bytes - before.kept_bytes
    };
    // Identifier, element and old value.
    assert_eq!(cost(2) - cost(0), 2 * (4 + size_of::<u64>() + 8));
}

fn message(run: impl FnOnce()) -> String {
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
    let payload = panicked.expect_err("a panic");
    payload
        .downcast_ref::<String>()
        .cloned()
        .unwrap_or_default()
}
#[test]
fn outputs_that_overlap_or_do_not_fit_are_rejected() {
    let mut v = Active::<Array>::passive(vec![1.0, 2.0, 3.0]);
    let text = message(|| _ = v.places([0, 1, 0]));
    assert!(
        text.contains("places 0 and 2 of a variable of kind"),
        "{text}"
    );
    let mut w = array(&[1.0]);
    let text = message(|| (list(&[1.0, 2.0, 3.0]) * 2.0).assign_to([&mut v[0], &mut w[0]]));
    assert!(
        text.contains("a list of 3 values cannot be assigned to 2 variables or places"),
        "{text}"
    );
    let text = message(|| _ = v.parts_mut([part(0..2), part(1..3)]));
    assert!(
        text.contains("overlap: write them by separate statements"),
        "{text}"
    );
    let text = message(|| _ = v.parts_mut([Twins, Twins]));
    assert!(text.contains("overlap"), "{text}");
    let mut tape = Tape::new();
    let (u, mut w) = (
        tape.input_as::<Array>(vec![1.0, 2.0]),
        tape.input_as::<Array>(vec![0.0; 3]),
    );
    let y = tape.record(|| {
        let mut other = array(&[]);
        let text = message(|| u.mix(&u, &mut other, &mut w.part_mut(part(0..1))));
        assert!(
            text.contains("an Array of another length is put into a slice"),
            "{text}"
        );
        assert_eq!((other.get().len(), w.get()), (0, &vec![0.0; 3]));
        u.mix(&u, &mut other, &mut w.part_mut(part(1..3)));
        other.total().eval()
    });
    let gradient = tape.gradient(&y).expect("a result");
    assert_eq!(gradient.wrt(&u).expect("an input"), [2.0, 4.0]);
}
#[test]
fn passive_operations_write_to_places() {
    #[op(passive)]
    fn halve(#[ad_inoutp] a: &mut f64, #[ad_outp] b: &mut f64) {
        *b = *a;
        *a *= 0.5;
    }
    let mut tape = Tape::new();
    let x = tape.input_as::<Array>(vec![3.0, 5.0]);
    let y = tape.record(|| {
        let (mut v, mut w) = ((&x * 2.0).eval(), array(&[1.0]));
        halve(&mut v[0], &mut w[0]);
        (v.total() + w.total()).eval()
    });
    assert_eq!(y, 3.0 + 10.0 + 6.0);
    let gradient = tape.gradient(&y).expect("a result");
    assert_eq!(gradient.wrt(&x).expect("an input"), [0.0, 2.0]);
}
