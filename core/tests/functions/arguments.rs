//! Which arguments of calls become statements.
use super::*;
use entape_core::{expr::Operand, op};

#[function]
fn half(x: Real) -> Real {
    x / 2.0
}
#[function]
fn between(a: Real, t: f64, b: &Real, n: usize) -> Real {
    a * (1.0 - t) + b * t * n as f64
}
#[function]
fn at<T: Copy + Into<f64>, F: Fn(Real) -> Real, const N: usize>(f: F, x: Real, by: [T; N]) -> Real {
    let mut sum = f(x * 2.0);
    for by in by {
        let by: f64 = by.into();
        sum += f(x + by);
    }
    sum
}
#[op(bilinear, sample(a = 0.5..2.0, b = 0.5..2.0))]
fn area(#[ad_in(r_b * b)] a: f64, #[ad_in(r_b * a)] b: f64) -> f64 {
    a * b
}
fn twice<M: Mode>(x: impl Operand<M, Kind = f64>) -> Real<M> {
    (x.into_expr() * 2.0).eval()
}
fn plain(n: usize, by: f64, of: &[f64]) -> f64 {
    of[n] * by
}

struct Line<M: Mode> {
    slope: Real<M>,
    shift: Real<M>,
    at: Vec<f64>,
}
#[function]
impl Line<M> {
    fn new(slope: Real, shift: Real) -> Self {
        let at = vec![0.5, 1.5];
        Line { slope, shift, at }
    }
    fn from_points(a: Real, b: Real, scale: f64) -> Self {
        Line::new((b - a) * scale, a)
    }
    fn value(&self, x: Real) -> Real {
        self.slope * x + self.shift
    }
    fn max(&self, x: Real, i: usize) -> Real {
        self.value(x * self.at[i])
    }
    fn shifted(self, by: Real) -> Self {
        let shift = self.shift + by;
        Line { shift, ..self }
    }
    fn turn(&mut self, by: &Real, n: usize) {
        self.slope *= by;
        self.shift += n as f64;
    }
    fn twice(&self, x: impl Operand<M, Kind = f64>) -> Real {
        x.into_expr() * 2.0
    }
}

fn calls_by_hand<M: Mode>(x: &[Real<M>]) -> Real<M> {
    let a = half((x[0] * x[1]).eval());
    let b = between((x[0] + 1.0).eval(), 0.25, &(x[1] * 3.0).eval(), 1 + 1);
    let c = at(|u| (u * x[0]).eval(), (x[0] - x[1]).eval(), [1.0_f32, 2.0]);
    let d = area(a * b, x[0].sin()).eval();
    let e = twice(a + b);
    let mut count = 0;
    let mut g = |u: Real<M>, n: usize| {
        count += n;
        (u * u).eval()
    };
    let h = (g((a * c).eval(), 1 + 1) + g(half((a * c).eval()), 1)).eval();
    let i = match Some(half) {
        Some(f) => f((h * d).eval()),
        None => h,
    };
    let of = [0.5, 1.5];
    let j = (x[0] * plain(count / 2 - 1, 2.0 * of[0], &of)).eval();
    let line = Line::from_points((a + 1.0).eval(), (b * 2.0).eval(), 2.0 * of[1]);
    let mut line = line.shifted((x[0] * x[0]).eval());
    line.turn(&(x[1] + 2.0).eval(), 2 * 3);
    let k = line.value((x[0] * x[1]).eval());
    let l = line.max((x[0] / x[1]).eval(), 2 - 1);
    let m = line.twice((x[0] / x[1]).eval());
    let n = x[0]
        .hypot(x[1] * 2.0)
        .mul_add(x[0] + 1.0, x[1] * x[1])
        .eval();
    let o = select(x[0] > 0.0, x[0] * 2.0, x[0] * x[0]).eval();
    let p = list(x).dot(list(x)).eval();
    [
        a,
        (b + c * d).eval(),
        e,
        h,
        i,
        (j + k).eval(),
        l,
        m,
        n,
        (o + p).eval(),
    ]
    .sum()
    .eval()
}
#[function]
fn calls(x: &[Real]) -> Real {
    let a = half(x[0] * x[1]);
    let b = between(x[0] + 1.0, 0.25, &(x[1] * 3.0), 1 + 1);
    let c = at(|u| u * x[0], x[0] - x[1], [1.0_f32, 2.0]);
    let d = area(a * b, x[0].sin());
    let e = twice(a + b);
    let mut count = 0;
    let mut g = |u: Real, n: usize| {
        count += n;
        u * u
    };
    let h = g(a * c, 1 + 1) + g(half(a * c), 1);
    let i = match Some(half) {
        Some(f) => f(h * d),
        None => h,
    };
    let of = [0.5, 1.5];
    let j = x[0] * plain(count / 2 - 1, 2.0 * of[0], &of);
    let line = Line::from_points(a + 1.0, b * 2.0, 2.0 * of[1]);
    let mut line = line.shifted(x[0] * x[0]);
    line.turn(&(x[1] + 2.0), 2 * 3);
    let k = line.value(x[0] * x[1]);
    let l = line.max(x[0] / x[1], 2 - 1);
    let m = line.twice(x[0] / x[1]);
    let n = x[0].hypot(x[1] * 2.0).mul_add(x[0] + 1.0, x[1] * x[1]);
    let o = select(x[0] > 0.0, x[0] * 2.0, x[0] * x[0]);
    let p = list(x).dot(list(x));
    [a, b + c * d, e, h, i, j + k, l, m, n, o + p].sum()
}
#[test]
fn arguments_of_functions_are_statements_and_operands_are_not() {
    for x in [[0.4, 0.7], [0.6, -0.3]] {
        bodies::same(calls_by_hand, calls, x);
        verify(calls {}, &x);
    }
}

struct Held<M: Mode> {
    f: fn(Real<M>) -> Real<M>,
}
#[function]
fn held(x: &[Real]) -> Real {
    let held = Held::<M> { f: half };
    let boxed: Box<dyn Fn(Real) -> Real> = Box::new(|u| u * u);
    let by_ref: &dyn Fn(&Real, f64) -> Real = &|u, w| u * w;
    let half = half(x[0] * 3.0);
    let once = |u: Real| half * u;
    let mut y = (held.f)(x[0] * x[1]) + boxed(x[1] + 1.0) + by_ref(&(half * x[0]), 2.0 * 1.5);
    while self::half(y * y) < 10.0 && Some(y - 1.0).is_some_and(|z| self::half(z * y) < 9.0) {
        y = self::half(y * 3.0) + once(y + 1.0);
    }
    if let Some(f) = Some(once) {
        y += f(y * y);
    }
    let ys: Vec<Real> = [self::half; 2].iter().map(|f| f(y * x[1])).collect();
    ys.iter().map(|y| y * self::half(y * 0.5)).sum()
}
#[test]
fn functions_are_called_in_any_form() {
    for x in [[0.4, 0.7], [0.6, 0.3]] {
        verify(held {}, &x);
    }
}

fn applied<M: Mode>(f: impl Fn(&[Real<M>]) -> Real<M>, x: Real<M>) -> Real<M> {
    f(&[x, x])
}
fn repeated<M: Mode, F: Fn(Real<M>) -> Real<M>>(x: Real<M>, n: usize, f: F) -> Real<M> {
    (0..n).fold(x, |x, _| f(x))
}
#[function]
fn of_closures(x: &[Real]) -> Real {
    let n = 1;
    let y = applied(|v| v[0].sin() * v[1], x[0] * x[1]);
    y + repeated(x[0] / x[1], n + 1, |u| applied(|v| v[0].cos(), u * u))
}
fn of_closures_by_hand<M: Mode>(x: &[Real<M>]) -> Real<M> {
    let y = applied(|v| (v[0].sin() * v[1]).eval(), (x[0] * x[1]).eval());
    let f = |u: Real<M>| applied(|v| v[0].cos().eval(), (u * u).eval());
    (y + repeated((x[0] / x[1]).eval(), 2, f)).eval()
}
#[test]
fn functions_of_closures_take_expressions() {
    bodies::same(of_closures_by_hand, of_closures, [0.4, 0.7]);
    verify(of_closures {}, &[0.4, 0.7]);
}

#[function]
fn reused<M: AnyMode>(x: &[Real]) -> Real {
    let y = owned(&x[0] * &x[1], &(&x[0] + 1.0));
    owned(y.sin(), &x[1])
}
#[function]
fn owned<M: AnyMode>(a: Real, b: &Real) -> Real {
    &a * b + &a
}
#[test]
fn arguments_in_the_mode_reuse() {
    let mut tape = Tape::<Reuse>::default();
    let x = tape.inputs([0.3, 0.4]);
    let y = tape.record(|| reused(&x));
    let g = tape.gradient(&y).unwrap().wrt_all(&x).unwrap();
    let want = value_and_gradient(reused, &[0.3, 0.4]).unwrap();
    assert_eq!((y.value(), &g[..]), (want.0, &want.1[..]));
    verify(reused {}, &[0.3, 0.4]);
}

fn first<T>(_: T, of: &[f64]) -> &f64 {
    &of[0]
}
#[function]
fn borrowed(x: &[Real]) -> Real {
    x[0] * first(half(x[0] * x[1]), &vec![2.0, 3.0]) + half(x[1] * *first(1 + 1, &vec![4.0]))
}
#[test]
fn temporary_values_live_as_long_as_without_the_attribute() {
    assert_eq!(gradient(borrowed, &[0.3, 0.4]).unwrap(), [2.0, 2.0]);
}

#[test]
fn unsafe_functions_take_variables() {
    unsafe fn unsafely<M: Mode>(x: Real<M>, n: usize) -> Real<M> {
        (x * n as f64).eval()
    }
    #[function]
    fn calls_unsafely(x: &[Real]) -> Real {
        // SAFETY: the function has no conditions.
        unsafe { unsafely(x[0], 1 + 2) }
    }
    assert_eq!(gradient(calls_unsafely, &[0.3]).unwrap(), [3.0]);
}
