//! Output arguments: `#[ad_out]`, `#[ad_inout]`.
use crate::{kinds::Array, sweep::gradient};
use approx::assert_abs_diff_eq;
use entape_core::{
    expr::{Active, binary},
    function, kind,
    kind::Val,
    mode::{AnyMode, Recording, Reuse, Taped},
    op,
    rule::{A, B, R, Rule, adjoints},
    store::{Part, PlaceIndex, Stash},
    tape::Tape,
};
use entape_drivers::jvp;

type Real<M> = Active<f64, M>;
const ALL: [bool; 3] = [true; 3];

#[op(sample(x = 0.5..2.0))]
fn root_into(#[ad_in(w_b * 0.5 / w)] x: f64, #[ad_out] w: &mut f64) {
    *w = x.sqrt();
}

#[op]
fn read_element(
    #[ad_in(w_b * x.cos())] x: f64,
    #[ad_passive] i: usize,
    #[ad_out(w_b[i], init = vec![0.0; i + 1])] w: &mut Array,
) {
    w[i] = x.sin();
}

#[op(sample(w = -1.0..1.0, b = -1.0..1.0))]
fn mul_assign(#[ad_inout(w_b * b)] w: &mut f64, #[ad_in(w_b * w)] b: f64) {
    *w *= b;
}

#[op]
fn set_element(
    #[ad_inout({ let mut rest = v_b.clone(); rest[i] = 0.0; rest })] v: &mut Array,
    #[ad_in(v_b[i])] x: f64,
    #[ad_passive] i: usize,
) {
    v[i] = x;
}

#[test]
fn an_output_argument_receives_the_result() {
    assert_eq!(<RootInto as Rule<f64>>::READS, [R, 0, 0]);
    let (w, [x_b]) = gradient([9.0], |[x]| {
        let mut w = x;
        root_into(x, &mut w);
        w
    });
    assert_eq!((w, x_b), (3.0, 0.5 / 3.0));
}

#[test]
fn an_adjoint_may_access_a_part_of_the_output() {
    let op = ReadElement { i: 1 };
    assert_eq!(<ReadElement as Rule<f64>>::READS, [A, 0, 0]);
    let (x_b, (), ()) = adjoints::<_, f64, (), ()>(&op, (&0.0, &(), &()), &vec![5.0, 2.0], ALL);
    assert_eq!(x_b, 2.0);
}

#[test]
fn an_argument_may_be_input_and_output() {
    assert_eq!(<MulAssign as Rule<f64, f64>>::READS, [B, A, 0]);
    // w = a b (a b + b)
    let (w, [a_b, b_b]) = gradient([3.0, 5.0], |[a, b]| {
        let mut w = a;
        mul_assign(&mut w, b);
        let old = w;
        mul_assign(&mut w, old + b);
        w
    });
    assert_eq!(w, 15.0 * 20.0);
    assert_eq!(
        (a_b, b_b),
        (5.0 * (2.0 * 15.0 + 5.0), 2.0 * 3.0 * 5.0 * 4.0)
    );
}

#[test]
fn an_element_of_a_storage_kind_may_be_an_output() {
    let (op, v) = (SetElement { i: 0 }, vec![1.0, 2.0]);
    assert_eq!(Rule::<Array, f64>::primal(&op, &v, 7.0, ()).0, [7.0, 2.0]);
    let (v_b, x_b, ()) = adjoints::<_, Array, f64, ()>(&op, (&v, &7.0, &()), &vec![3.0, 4.0], ALL);
    assert_eq!((v_b, x_b), (Some(vec![0.0, 4.0]), 3.0));
    let mut v = Active::<Array>::passive(v);
    set_element(&mut v, 7.0, 0);
    assert_eq!(v.get(), &[7.0, 2.0]);
}

// A tuple.

#[op(
    save(turn: (f64, f64) = (y / r.0, x / r.0)),
    tangent(
        x = (turn.1 * x_t, -turn.0 / r.0 * x_t),
        y = (turn.0 * y_t, turn.1 / r.0 * y_t),
    ),
    second(
        x = -r_b.0 * turn.0 * r_t.1 - r_b.1 / r.0 * (turn.1 * r_t.1 - turn.0 / r.0 * r_t.0),
        y = r_b.0 * turn.1 * r_t.1 - r_b.1 / r.0 * (turn.0 * r_t.1 + turn.1 / r.0 * r_t.0),
    ),
    sample(x = 0.5..2.0, y = -2.0..-0.5),
    sample(x = -2.0..-0.5, y = 0.5..2.0),
)]
fn polar(
    #[ad_in(r_b.0 * turn.1 - r_b.1 * turn.0 / r.0)] x: f64,
    #[ad_in(r_b.0 * turn.0 + r_b.1 * turn.1 / r.0)] y: f64,
) -> (f64, f64) {
    (x.hypot(y), y.atan2(x))
}
#[kind(value = Vec<f64>, index = Owned, coordinates)]
struct Row;
#[op(
    linear,
    tangent(x = multiples_of(x_t, n)),
    sample(for n in [0, 2], x = 0.75),
)]
fn multiples(
    #[ad_in({
        let first = r_b.0 + 2.0 * r_b.1 + 3.0 * r_b.2 + 4.0 * r_b.3;
        let rest = 5.0 * r_b.4 + 6.0 * r_b.5 + 7.0 * r_b.6;
        first + rest + r_b.7.iter().sum::<f64>()
    })]
    x: f64,
    #[ad_passive] n: usize,
) -> (f64, f64, f64, f64, f64, f64, f64, Row) {
    multiples_of(x, n)
}
#[allow(clippy::type_complexity)]
fn multiples_of(x: f64, n: usize) -> (f64, f64, f64, f64, f64, f64, f64, Vec<f64>) {
    let [a, b, c, d, e, f, g] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0].map(|n| n * x);
    (a, b, c, d, e, f, g, vec![x; n])
}
#[op(
    tangent(x = (T::nearest(0.0), x_t), y = (T::nearest(0.0), -r.0 * y_t)),
    second(x = {}, y = {}),
    sample(x = 3.7, y = 1.1),
    sample(x = 3.7_f32, y = 1.1_f32),
)]
fn divided<T: entape_core::real::Real + Into<f64> + From<f32>>(
    #[ad_in(r_b.1)] x: T,
    #[ad_in(-r.0 * r_b.1)] y: T,
) -> (T, T) {
    let quotient = T::nearest((x / y).into().floor());
    (quotient, x - quotient * y)
}

#[function]
fn of_tuples(x: &[Real]) -> Real {
    let (radius, angle) = polar(x[0] * x[1], x[1] + 2.0);
    let (a, b, .., g, v) = multiples(radius * angle, 2);
    let (_, rest) = divided(g, b);
    a * b + angle * rest + total(&v)
}
#[op(linear, sample(v = vec![1.0, 2.0]))]
fn total(#[ad_in(vec![r_b; v.len()])] v: &Row) -> f64 {
    v.iter().sum()
}
#[test]
fn tuples_in_all_modes() {
    entape_check::gradient(of_tuples {}, &[0.7, -0.4]).unwrap();
    entape_check::hessian(of_tuples {}, &[0.7, -0.4]).unwrap();
    let (_, slope) = jvp(of_tuples, &[0.7, -0.4], [1.0, 2.0]).unwrap();
    let [a, b] = entape_drivers::gradient(of_tuples, &[0.7, -0.4]).unwrap();
    assert_abs_diff_eq!(slope, a + 2.0 * b, epsilon = 1e-12);
}

#[derive(Clone, Copy, Stash)]
struct At(usize);
impl Part<Row> for At {
    type Kind = f64;
    fn get(&self, whole: &Vec<f64>) -> f64 {
        whole[self.0]
    }
    fn put(&self, whole: &mut Vec<f64>, x: f64) {
        whole[self.0] = x;
    }
}
impl PlaceIndex<usize> for Row {
    type Part = At;
    fn encode(_: &Vec<f64>, i: usize) -> usize {
        i
    }
    fn part(_: &Vec<f64>, i: usize) -> At {
        At(i)
    }
}
#[kind(parts(re: f64, im: f64))]
#[derive(Clone, Copy, Default, PartialEq)]
struct Point {
    re: f64,
    im: f64,
}
#[op(
    tangent(a = (b * a_t, a_t * (1.0 + 2.0 * a), 0.0), b = (a * b_t, 0.0, b_t * b)),
    second(a = r_b * b_t + 2.0 * a_b * a_t, b = r_b * a_t + b_b * b_t),
)]
fn push(
    #[ad_inout(r_b * b + a_b * (1.0 + 2.0 * a))] a: &mut f64,
    #[ad_inout(r_b * a + b_b * b)] b: &mut f64,
) -> f64 {
    let r = *a * *b;
    *a += *a * *a;
    *b = 0.5 * (*b * *b);
    r
}
fn of_places<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
    let mut v = Active::<Row, M>::passive(vec![0.5, 2.0, -1.0]);
    let mut p = Active::<Point, M>::passive(Point { re: 0.75, im: 0.25 });
    binary(Polar, &x[0] * &x[1], &x[1] + 2.0).assign_to((&mut v[1], &mut p[Point::IM]));
    let mut w = v.clone();
    let first = push(&mut v[1], &mut p[Point::IM]);
    let [mut a, mut b] = v.places([1, 2]);
    let second = push(&mut a, &mut b);
    let third = push(&mut p[Point::RE], &mut w[2]);
    let before = total(&w).eval();
    let mut other = (&x[0] * 0.5).eval();
    let fourth = push(&mut w[0], &mut other);
    let fifth = push(&mut w[1], &mut v[0]);
    (first * second
        + third * before
        + fourth * fifth
        + total(&w) * total(&v) * other * &p[Point::IM] * &p[Point::RE])
        .eval()
}
#[test]
fn places_in_all_modes() {
    #[function]
    fn f(x: &[Real]) -> Real {
        of_places(x)
    }
    entape_check::gradient(f {}, &[0.7, -0.4]).unwrap();
    entape_check::hessian(f {}, &[0.7, -0.4]).unwrap();
    let (_, slope) = jvp(f, &[0.7, -0.4], [1.0, 2.0]).unwrap();
    let [a, b] = entape_drivers::gradient(f, &[0.7, -0.4]).unwrap();
    assert_abs_diff_eq!(slope, a + 2.0 * b, epsilon = 1e-12);
}

// Several outputs, with the returned kind first.

/// `w = a b`, and `v[i] = a`.
#[op]
fn both(
    #[ad_in({ a_b.add(w_b * b); a_b.add(v_b) })] a: f64,
    #[ad_in(w_b * a + 0.0 * w)] b: f64,
    #[ad_passive] i: usize,
    #[ad_out] w: &mut f64,
    #[ad_out(v_b[i], init = vec![0.0; i + 1])] v: &mut Array,
) {
    *w = a * b;
    v[i] = a;
}

#[op(save(inverse: f64 = 1.0 / y, r_squared: f64 = r * r), shared(q = r_b * inverse))]
fn quotient_and_square(
    #[ad_in(q)] x: f64,
    #[ad_inout(2.0 * y * y_b - q * r_squared / r, y_b)] y: &mut f64,
) -> f64 {
    let old = *y;
    *y *= old;
    x / old
}

#[test]
fn several_outputs_are_a_tuple() {
    type Out = <Both as Rule<f64, f64>>::Out;
    assert_eq!(<Both as Rule<f64, f64>>::READS, [B, A | R, 0]);
    let op = Both { i: 1 };
    let (out, ()): (Val<Out>, ()) = Rule::<f64, f64>::primal(&op, 2.0, 3.0, ());
    assert_eq!(out, (6.0, vec![0.0, 2.0]));
    let (a_b, b_b, ()) =
        adjoints::<_, f64, f64, ()>(&op, (&2.0, &3.0, &()), &(10.0, vec![7.0, 1.0]), ALL);
    assert_eq!((a_b, b_b), (31.0, 20.0));
    let (mut w, mut v) = (
        Active::<f64>::passive(0.0),
        Active::<Array>::passive(vec![]),
    );
    both(Active::passive(2.0), 3.0, 1, &mut w, &mut v);
    assert_eq!((w.value(), v.get()), (6.0, &vec![0.0, 2.0]));
}

#[test]
fn a_result_beside_an_output_comes_first() {
    assert_eq!(<QuotientAndSquare as Rule<f64, f64>>::READS, [0, B | R, 0]);
    let (x_b, y_b, ()) =
        adjoints::<_, f64, f64, ()>(&QuotientAndSquare, (&6.0, &2.0, &()), &(1.0, 10.0), ALL);
    assert_eq!((x_b, y_b), (0.5, 40.0 - 1.5));
    let mut y = Active::<f64>::passive(2.0);
    let q = quotient_and_square(Active::passive(6.0), &mut y);
    assert_eq!((q.value(), y.value()), (3.0, 4.0));
}

#[test]
fn several_outputs_have_gradients_on_a_tape() {
    /// `x / y + 3 (y²) + w[1] + v[1] w` for `w = a b`, `v[1] = a` and `a = x y`, `b = y`.
    fn program<M: AnyMode>(x: &Active<f64, M>, y: &Active<f64, M>) -> Active<f64, M> {
        let mut square: Active<f64, M> = (y * 1.0).eval();
        let quotient = quotient_and_square(x, &mut square);
        let (mut w, mut v) = (Active::passive(0.0), Active::<Array, M>::passive(vec![]));
        both(x * y, y, 1, &mut w, &mut v);
        both(&w * 1.0, 2.0, 0, &mut square, &mut v);
        (quotient + 3.0 * square + v_0(&v) * w).eval()
    }
    #[op]
    fn v_0(#[ad_in({ let mut zero = vec![0.0; v.len()]; zero[0] = r_b; zero })] v: Array) -> f64 {
        v[0]
    }
    fn run<M: Recording>() {
        for chunk in [32, 1 << 16] {
            let mut tape = Tape::<M>::builder()
                .chunk_bytes(chunk)
                .build()
                .expect("a tape");
            let (x, y) = (tape.input(1.5), tape.input(0.7));
            let f = tape.record(|| program(&x, &y));
            // w = x y², then square = 2 w, v[0] = w
            let (x0, y0) = (1.5, 0.7);
            let w = x0 * y0 * y0;
            assert_abs_diff_eq!(f.value(), x0 / y0 + 6.0 * w + w * w, epsilon = 1e-14);
            for _ in 0..3 {
                let g = tape.gradient(&f).expect("an output");
                let x_b = 1.0 / y0 + (6.0 + 2.0 * w) * y0 * y0;
                let y_b = -x0 / (y0 * y0) + (6.0 + 2.0 * w) * 2.0 * x0 * y0;
                assert_abs_diff_eq!(g.wrt(&x).expect("an input"), x_b, epsilon = 1e-13);
                assert_abs_diff_eq!(g.wrt(&y).expect("an input"), y_b, epsilon = 1e-13);
            }
        }
    }
    run::<Taped>();
    run::<Reuse>();
}
