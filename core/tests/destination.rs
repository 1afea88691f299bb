//! A storage kind whose sums and products are evaluated into a destination, against vectors.
use approx::assert_abs_diff_eq;
use entape_check::assert_rule;
use entape_core::{
    expr::either,
    kind,
    kind::DestinationKind,
    mode::{AnyMode, Plain, Taped},
    op, op as core_op,
    storage::pool,
    tape::Tape,
};
use std::{
    cell::{Cell, RefCell},
    mem::take,
    ops,
};

#[kind(
    value = Vec<f64>,
    index = Owned,
    layout = Shaped,
    recycle = |x| { RECYCLED.set(RECYCLED.get() + 1); pool::give(take(x)) },
    zero = |like| vec![0.0; like.len()],
    add = |into, from| into.iter_mut().zip(from).for_each(|(x, y)| *x += y),
    coordinates,
)]
struct Series;
type Variable<M = Taped> = entape_core::expr::Active<Series, M>;

thread_local! {
    static MADE: Cell<usize> = const { Cell::new(0) };
    static RECYCLED: Cell<usize> = const { Cell::new(0) };
}
impl DestinationKind for Series {
    type Shape = usize;
    type Factor = f64;
    const ONE: f64 = 1.0;
    fn times(a: f64, b: f64) -> f64 {
        a * b
    }
    fn shape(value: &Vec<f64>) -> usize {
        value.len()
    }
    fn fresh(length: usize) -> Vec<f64> {
        MADE.set(MADE.get() + 1);
        vec![f64::NAN; length]
    }
    fn put(to: &mut Vec<f64>, first: bool, factor: f64, term: &Vec<f64>) {
        for (to, term) in to.iter_mut().zip(term) {
            *to = if first { 0.0 } else { *to } + factor * term;
        }
    }
}

fn scaled(factor: f64, x: &[f64]) -> Vec<f64> {
    x.iter().map(|x| factor * x).collect()
}
fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
#[track_caller]
fn same(operation: &str, a: usize, b: usize) -> usize {
    assert!(a == b, "`{operation}` of series of lengths {a} and {b}");
    a
}
fn zip(x: &[f64], y: &[f64], of: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| of(*x, *y)).collect()
}

#[op(Add, moves, into(to = same("a + b", a, b)))]
fn add(#[ad_in(r_b.clone())] a: &Series, #[ad_in(r_b)] b: &Series) -> Series {
    to.add(a);
    to.add(b);
}
#[op(Sub, into(to = same("a - b", a, b)))]
fn sub(#[ad_in(r_b.clone())] a: &Series, #[ad_in(scaled(-1.0, r_b))] b: &Series) -> Series {
    to.add(a);
    to.times(-1.0).add(b);
}
#[op(Mul, into(to = x))]
fn multiple(#[ad_in(dot(r_b, x))] s: f64, #[ad_in(scaled(s, r_b))] x: &Series) -> Series {
    to.times(s.ready().own()).add(x);
}
#[op(into(to = same("products", a, b)))]
fn products(
    #[ad_in(zip(r_b, b, ops::Mul::mul))] a: &Series,
    #[ad_in(zip(r_b, a, ops::Mul::mul))] b: &Series,
) -> Series {
    let (a, b) = (a.ready(), b.ready());
    to.put_by(|to, first, factor| {
        for (to, (a, b)) in to.iter_mut().zip(a.arg().iter().zip(b.arg())) {
            *to = if first { 0.0 } else { *to } + factor * (a * b);
        }
    });
    a.done();
    b.done();
}
#[op]
fn rotated(
    #[ad_in({ let mut x = r_b.clone(); x.rotate_right(by); x })] x: &Series,
    #[ad_passive] by: usize,
) -> Series {
    let mut x = x.clone();
    x.rotate_left(by);
    x
}

const X: [f64; 3] = [1.5, -2.0, 0.25];
const Y: [f64; 3] = [0.5, 3.0, -1.25];

#[test]
fn rules_that_evaluate_into_a_destination_are_right() {
    for n in if cfg!(miri) { 2..=2 } else { 0..=3 } {
        let (x, y) = (X[..n].to_vec(), Y[..n].to_vec());
        assert_rule::<_, (Series, Series), _>(&core_op::Add, (x.clone(), y.clone()));
        assert_rule::<_, (Series, Series), _>(&core_op::Sub, (x.clone(), y.clone()));
        assert_rule::<_, (f64, Series), _>(&core_op::Mul, (1.75, x.clone()));
        assert_rule::<_, (Series, Series), _>(&Products, (x.clone(), y));
    }
}

fn nested<M: AnyMode>(
    s: &entape_core::expr::Active<f64, M>,
    x: &Variable<M>,
    y: &Variable<M>,
) -> Variable<M> {
    let inner = (x - 2.0 * (y - products(x, y)) + rotated(s * x + y, 1)).eval();
    (products(&inner - x, s * y) - s * (&inner - 0.5 * products(x, &inner))).eval()
}
fn nested_by_hand(s: f64, x: &[f64], y: &[f64]) -> Vec<f64> {
    let at = |i: usize| {
        let k = (i + 1) % x.len();
        x[i] - 2.0 * (y[i] - x[i] * y[i]) + (s * x[k] + y[k])
    };
    let of = |i: usize| {
        let inner = at(i);
        (inner - x[i]) * (s * y[i]) - s * (inner - 0.5 * (x[i] * inner))
    };
    (0..x.len()).map(of).collect()
}

#[test]
fn nested_sums_have_their_values_and_adjoints() {
    let (s, x, y) = (0.75, X.to_vec(), Y.to_vec());
    let want = nested_by_hand(s, &x, &y);
    let plain = nested::<Plain>(
        &s.into(),
        &Variable::passive(x.clone()),
        &Variable::passive(y.clone()),
    );
    assert_abs_diff_eq!(plain.get()[..], want[..], epsilon = 1e-14);
    let mut tape = Tape::new();
    let (vs, vx, vy) = (tape.input(s), tape.input(x.clone()), tape.input(y.clone()));
    let r = tape.record(|| nested(&vs, &vx, &vy));
    assert_eq!(r.get(), plain.get());
    let seed = [0.3, -0.7, 1.1];
    let gradient = |tape: &mut Tape| {
        tape.seed(&r, seed.to_vec()).unwrap();
        let g = tape.sweep().unwrap();
        (
            g.wrt(&vs).unwrap(),
            g.wrt(&vx).unwrap(),
            g.wrt(&vy).unwrap(),
        )
    };
    let got = gradient(&mut tape);
    assert_eq!(gradient(&mut tape), got);
    let h = 1e-6;
    let f = |s: f64, x: &[f64], y: &[f64]| dot(&seed, &nested_by_hand(s, x, y));
    let close = |got: f64, difference: f64| {
        assert_abs_diff_eq!(got, difference / (2.0 * h), epsilon = 1e-8);
    };
    close(got.0, f(s + h, &x, &y) - f(s - h, &x, &y));
    for i in 0..3 {
        let moved = |x: &[f64], by: f64| {
            let mut x = x.to_vec();
            x[i] += by;
            x
        };
        close(got.1[i], f(s, &moved(&x, h), &y) - f(s, &moved(&x, -h), &y));
        close(got.2[i], f(s, &x, &moved(&y, h)) - f(s, &x, &moved(&y, -h)));
    }
}

#[test]
fn terms_take_no_temporaries() {
    let mut tape = Tape::new();
    let (x, y) = (tape.input(X.to_vec()), tape.input(Y.to_vec()));
    // The next variable would take the value of a dropped one.
    let all = RefCell::new(Vec::new());
    let count = |run: &dyn Fn() -> Variable| {
        let before = (MADE.get(), RECYCLED.get());
        all.borrow_mut().push(run());
        (MADE.get() - before.0, RECYCLED.get() - before.1)
    };
    tape.record(|| {
        assert_eq!(
            count(&|| (&x - 2.0 * (&y - products(&x, &y))).eval()),
            (1, 0)
        );
        assert_eq!(count(&|| (0.5 * &x + 3.0 * &y).eval()), (1, 0));
        // An argument of a product is not a term.
        assert_eq!(count(&|| (&x - products(&x + &y, &y)).eval()), (2, 1));
        // This rule allocates its result.
        assert_eq!(count(&|| (&x + rotated(&y, 1)).eval()), (1, 1));
        assert_eq!(count(&|| rotated(&x + &y, 1).eval()), (1, 1));
    });
}

#[test]
fn the_value_on_the_left_may_be_a_term() {
    let mut tape = Tape::new();
    let (x, y) = (tape.input(X.to_vec()), tape.input(Y.to_vec()));
    let r = tape.record(|| {
        let mut z = x.clone();
        z.update(|z| 2.0 * &y - products(z.clone(), z));
        z += products(&x, &y);
        z
    });
    let want = |i: usize| 2.0 * Y[i] - X[i] * X[i] + X[i] * Y[i];
    assert_eq!(*r.get(), [want(0), want(1), want(2)]);
    tape.seed(&r, vec![1.0; 3]).unwrap();
    let g = tape.sweep().unwrap();
    let (dx, dy) = (g.wrt(&x).unwrap(), g.wrt(&y).unwrap());
    for i in 0..3 {
        assert_eq!(dx[i], -2.0 * X[i] + Y[i]);
        assert_eq!(dy[i], 2.0 + X[i]);
    }
}

#[test]
fn choices_are_terms() {
    let mut tape = Tape::new();
    let (x, y) = (tape.input(X.to_vec()), tape.input(Y.to_vec()));
    for first in [true, false] {
        let sign = if first { 1.0 } else { -1.0 };
        let r = tape.record(|| (&x + 2.0 * either(first, &x - &y, &y - &x)).eval());
        assert_eq!(*r.get(), zip(&X, &Y, |x, y| x + 2.0 * sign * (x - y)));
        tape.seed(&r, vec![1.0; 3]).unwrap();
        let g = tape.sweep().unwrap();
        assert_eq!(g.wrt(&x).unwrap(), [1.0 + 2.0 * sign; 3]);
        assert_eq!(g.wrt(&y).unwrap(), [-2.0 * sign; 3]);
    }
}

#[test]
#[should_panic(expected = "`a - b` of series of lengths 3 and 2")]
fn shapes_are_compared_before_anything_is_made() {
    let (x, y) = (
        Variable::<Plain>::passive(X.to_vec()),
        Variable::passive(Y[..2].to_vec()),
    );
    let made = MADE.get();
    let sum = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        (&x + products(&x, &x - &y)).eval()
    }));
    assert_eq!(MADE.get(), made);
    std::panic::resume_unwind(sum.unwrap_err());
}
