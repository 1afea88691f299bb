//! Source that is generic in the kind of its numbers.
use approx::assert_abs_diff_eq;
use entape_core::{
    expr::{Active, select},
    mode::{AnyMode, Mode, Plain, Reuse},
    real::{Elementary, RealKind, number},
    tape::Tape,
};

#[allow(clippy::op_ref)]
fn program<K: RealKind, M: Mode>(x: &[Active<K, M>]) -> Active<K, M> {
    let (a, b) = (x[0], x[1]);
    let mut y = (number(1.0) - a * a).eval();
    y += number(3.0) * &b + (a + number(0.5)) * number(2.0);
    y.update(|y| y / number(4.0) - number(1.0) / (&a * b + number(2.0)));
    y *= number(1.5);
    let e = a * b;
    y -= (&e % number(0.7)) + number(5.3) % b;
    (y.sin() + b.powf(number(2.5)).max(number(0.25)) + e.clamp(number(0.0), number(1.0))
        - number(2.0).into_number(a))
    .eval()
}
trait IntoNumber {
    fn into_number<K: RealKind, M: AnyMode>(self, beside: Active<K, M>) -> Active<K, M>;
}
impl IntoNumber for entape_core::expr::Number {
    fn into_number<K: RealKind, M: AnyMode>(self, mut beside: Active<K, M>) -> Active<K, M> {
        beside.assign(self);
        beside
    }
}
macro_rules! plain {
    ($T:ident) => {
        pub(super) fn $T([a, b]: [$T; 2]) -> $T {
            let mut y = 1.0 - a * a;
            y += 3.0 * b + (a + 0.5) * 2.0;
            y = y / 4.0 - 1.0 / (a * b + 2.0);
            y *= 1.5;
            y -= a * b % 0.7 + 5.3 % b;
            y.sin() + b.powf(2.5).max(0.25) + (a * b).clamp(0.0, 1.0) - 2.0
        }
    };
}
mod by_hand {
    plain! { f64 }
    plain! { f32 }
}

const X: [f64; 2] = [0.6, 1.3];

#[test]
fn values_are_those_of_the_plain_program() {
    let x = X.map(Active::<f64, Plain>::passive);
    assert_eq!(program(&x).value(), by_hand::f64(X));
    let x = X.map(|x| x as f32);
    let variables = x.map(Active::<f32, Plain>::passive);
    assert_eq!(program(&variables).value(), by_hand::f32(x));
}

#[test]
fn gradients_are_those_of_both_precisions() {
    let h = 1e-6;
    let slope = |i: usize| {
        let at = |h: f64| {
            let mut x = X;
            x[i] += h;
            by_hand::f64(x)
        };
        (at(h) - at(-h)) / (2.0 * h)
    };
    let mut tape = Tape::new();
    let x = X.map(|x| tape.input(x));
    let single = X.map(|x| tape.input_as::<f32>(x as f32));
    let (y, z) = tape.record(|| (program(&x), program(&single)));
    let gradient = tape.gradient(&y).unwrap();
    for (i, x) in x.iter().enumerate() {
        let x_b = gradient.wrt(x).unwrap();
        assert_abs_diff_eq!(x_b, slope(i), epsilon = 1e-8);
    }
    let gradient = tape.gradient(&z).unwrap();
    for (i, x) in single.iter().enumerate() {
        let x_b = f64::from(gradient.wrt(x).unwrap());
        assert_abs_diff_eq!(x_b, slope(i), epsilon = 1e-4);
    }
}

#[test]
fn choices_take_numbers_too() {
    fn relu<K: RealKind<Value: PartialOrd>, M: Mode>(x: Active<K, M>) -> Active<K, M> {
        select(*x.get() > K::number(0.0), x, number(0.0)).eval()
    }
    let mut tape = Tape::new();
    let (x, y) = (tape.input(3.0), tape.input_as::<f32>(-3.0));
    let (r, s) = tape.record(|| (relu(x), relu(y)));
    assert_eq!((r.value(), s.value()), (3.0, 0.0));
    assert_eq!(tape.gradient(&r).unwrap().wrt(&x), Ok(1.0));
    assert!(!s.is_active());
}

#[test]
fn references_do_in_every_mode() {
    fn square_and_one<K: RealKind, M: AnyMode>(x: &[Active<K, M>]) -> Active<K, M> {
        (number(1.0) + &x[0] * &x[0] + (&x[0]).exp() - number(1.0)).eval()
    }
    let mut tape = Tape::<Reuse>::default();
    let x = tape.input(0.5);
    let x = [x];
    let y = tape.record(|| square_and_one(&x));
    assert_eq!(y.value(), 1.0 + 0.25 + 0.5_f64.exp() - 1.0);
    assert_eq!(
        tape.gradient(&y).unwrap().wrt(&x[0]).unwrap(),
        0.5 + 0.5 + 0.5_f64.exp()
    );
}
