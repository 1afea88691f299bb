//! `#[kind(numbers(..))]`, `vector` and `real(..)`.
use approx::{assert_abs_diff_eq, assert_relative_eq};
use entape_check as check;
use entape_core::{
    coordinates::Coordinates,
    expr::Active,
    kind,
    kind::{Adjoint, Contribution, Inner, Kind, KnownZero},
    lane_operators, op,
    real::{Elementary, Real, RealKind, Reals, number},
    tape::Tape,
};
use entape_drivers::value_and_gradient;
use std::{
    marker::PhantomData,
    ops::{Add, Div, Mul, Neg, Sub},
    rc::Rc,
};

#[kind(numbers(x, y), vector, parts(x: f64), sample(value = Force { x: 1.5, y: -0.5, name: "wind" }))]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Force {
    x: f64,
    y: f64,
    name: &'static str,
}
impl Default for Force {
    fn default() -> Self {
        Force {
            x: 9.0,
            y: 9.0,
            name: "none",
        }
    }
}
macro_rules! componentwise { ($($T:ident { $($field:ident)* } rest { $($rest:ident)* };)*) => { $(
    impl Add for $T { type Output = Self; fn add(self, b: Self) -> Self { $T { $($field: self.$field + b.$field,)* ..self } } }
    impl Sub for $T { type Output = Self; fn sub(self, b: Self) -> Self { $T { $($field: self.$field - b.$field,)* ..self } } }
    impl Neg for $T { type Output = Self; fn neg(self) -> Self { $T { $($field: -self.$field,)* ..self } } }
    impl Mul<f64> for $T { type Output = Self; fn mul(self, s: f64) -> Self { $T { $($field: self.$field * s,)* ..self } } }
    impl Div<f64> for $T { type Output = Self; fn div(self, s: f64) -> Self { $T { $($field: self.$field / s,)* ..self } } }
)* } }
componentwise! { Force { x y } rest { name }; }

#[op]
fn work(#[ad_in(b * r_b)] a: Force, #[ad_in(a * r_b)] b: Force) -> f64 {
    Force::inner(&a, &b)
}

#[test]
fn fields_that_are_no_numbers_are_passive() {
    let force = |x, y, name| Force { x, y, name };
    let (a, b) = (force(1.0, 2.0, "a"), force(3.0, 5.0, "b"));
    assert_eq!(Force::zero(), force(0.0, 0.0, "none"));
    assert_eq!(Force::zero_like(&a), force(0.0, 0.0, "a"));
    assert_eq!(Force::inner(&a, &b), 13.0);
    assert!(Force::is_unset(&force(-0.0, -0.0, "")) && !Force::is_unset(&force(0.0, -0.0, "")));
    assert!(Force::is_finite(&a) && !Force::is_finite(&force(0.0, f64::NAN, "")));
    // Although the `Default` of the values is not zero.
    let mut adjoint = <Force as Kind>::Adjoint::unset();
    assert!(adjoint.is_unset());
    a.add_to(&mut adjoint);
    assert_eq!(adjoint.into_value().map(|f| (f.x, f.y)), Some((1.0, 2.0)));

    let mut tape = Tape::new();
    let (x, y, s) = (tape.input(a), tape.input(b), tape.input(3.0));
    let z = tape.record(|| work((x + y * 2.0) * s - -y, y / s).eval());
    let sum = |f: Force| (f.x, f.y);
    assert_eq!(sum(x.value() + y.value() * 2.0), (7.0, 12.0));
    // ((a + 2 b) s + b) b / s
    let gradient = tape.gradient(&z).unwrap();
    assert_abs_diff_eq!(z.value(), (24.0 * 3.0 + 41.0 * 5.0) / 3.0, epsilon = 1e-13);
    let of_a = gradient.wrt(&x).unwrap();
    assert_eq!(of_a.name, "none");
    assert_abs_diff_eq!(of_a.x, 3.0, epsilon = 5e-15);
    assert_abs_diff_eq!(of_a.y, 5.0, epsilon = 5e-15);
    let of_s = gradient.wrt(&s).unwrap();
    assert_abs_diff_eq!(of_s, -34.0 / 9.0, epsilon = 1e-14);
    let (value, of_both) = gradient_of_work(a, b);
    assert_eq!(value, 13.0);
    assert_eq!(of_both.map(sum), [(3.0, 5.0), (1.0, 2.0)]);
}
fn gradient_of_work(a: Force, b: Force) -> (f64, [Force; 2]) {
    let f = |(a, b): (Active<Force>, Active<Force>)| work(a, b).eval();
    let (value, (a, b)) = value_and_gradient(f, (a, b)).unwrap();
    (value, [a, b])
}

#[kind(numbers, sample(value = Pair(Force { x: 1.0, y: 2.0, name: "" }, [3.0, 4.0])))]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Pair(Force, [f32; 2]);

#[kind(
    numbers(values, scale),
    vector,
    index = Owned,
    parts(scale: f64),
    sample(value = series(vec![1.0, 2.0])),
    sample(value = series(vec![])),
)]
#[derive(Clone, Debug, PartialEq)]
struct Series {
    knots: Rc<Vec<f64>>,
    values: Vec<f64>,
    scale: f64,
}
fn series(values: Vec<f64>) -> Series {
    Series {
        knots: Rc::new(vec![0.5; values.len()]),
        values,
        scale: 2.0,
    }
}
impl Series {
    fn with(&self, f: impl Fn(f64) -> f64) -> Series {
        Series {
            knots: self.knots.clone(),
            values: self.values.iter().map(|&x| f(x)).collect(),
            scale: f(self.scale),
        }
    }
    fn beside(&self, b: &Series, f: impl Fn(f64, f64) -> f64) -> Series {
        assert_eq!(self.knots, b.knots);
        Series {
            knots: self.knots.clone(),
            values: self
                .values
                .iter()
                .zip(&b.values)
                .map(|(&x, &y)| f(x, y))
                .collect(),
            scale: f(self.scale, b.scale),
        }
    }
}
impl Add for &Series {
    type Output = Series;
    fn add(self, b: Self) -> Series {
        self.beside(b, |x, y| x + y)
    }
}
impl Sub for &Series {
    type Output = Series;
    fn sub(self, b: Self) -> Series {
        self.beside(b, |x, y| x - y)
    }
}
impl Neg for &Series {
    type Output = Series;
    fn neg(self) -> Series {
        self.with(|x| -x)
    }
}
impl Mul<f64> for &Series {
    type Output = Series;
    fn mul(self, s: f64) -> Series {
        self.with(|x| x * s)
    }
}
impl Div<f64> for &Series {
    type Output = Series;
    fn div(self, s: f64) -> Series {
        self.with(|x| x / s)
    }
}

#[test]
fn a_storage_kind_keeps_what_is_passive() {
    let value = series(vec![1.0, 2.0]);
    let zero = Series::zero_like(&value);
    assert_eq!((&zero.values[..], zero.scale), (&[0.0, 0.0][..], 0.0));
    assert!(Rc::ptr_eq(&zero.knots, &value.knots));
    let mut tape = Tape::new();
    let (v, s) = (tape.input(value.clone()), tape.input(3.0));
    let y = tape.record(|| {
        let w = (&v * s - &v / 2.0).eval();
        (&w[Series::SCALE] * s).eval()
    });
    assert_eq!(y, (2.0 * 3.0 - 1.0) * 3.0);
    let gradient = tape.gradient(&y).unwrap();
    assert_eq!(gradient.wrt(&s).unwrap(), 5.0 + 2.0 * 3.0);
    let of_v = gradient.wrt(&v).unwrap();
    assert_eq!((&of_v.values[..], of_v.scale), (&[0.0, 0.0][..], 7.5));
    let infinite = Series {
        scale: f64::INFINITY,
        ..value
    };
    assert!(Series::is_finite(&zero) && !Series::is_finite(&infinite));
}

#[kind(
    value = [[T; 2]; 2],
    numbers([0][1], [1]),
    sample(type T = f32 | f64, value = [[1.0, 2.0], [3.0, -4.0]].map(|r| r.map(T::nearest))),
)]
struct Corner<T: Real>(PhantomData<T>);

#[test]
fn fields_of_a_foreign_value_may_be_its_numbers() {
    let mut sum = [[1.0, 2.0], [3.0, 4.0]];
    Corner::<f64>::accumulate(&mut sum, [[10.0, 20.0], [30.0, 40.0]]);
    assert_eq!(sum, [[1.0, 22.0], [33.0, 44.0]]);
    assert_eq!(Corner::<f64>::zero_like(&sum), [[1.0, 0.0], [0.0, 0.0]]);
    assert_eq!(
        <Corner<f32> as Coordinates>::EPSILON,
        f64::from(f32::EPSILON)
    );
    assert_eq!(<Corner<f64> as Coordinates>::EPSILON, f64::EPSILON);
}

/// Stored as its half.
#[kind(real(sqrt, exp, ln), sample(value = Half(0.375)))]
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Half(f64);
lane_operators! { |x, y| impl[] Half {
    add: Half(x.0 + y.0), sub: Half(x.0 - y.0), mul: Half(x.0 * y.0 * 2.0), div: Half(x.0 / y.0 / 2.0), neg: Half(-x.0),
} }
impl From<f64> for Half {
    fn from(x: f64) -> Half {
        Half(x / 2.0)
    }
}
impl From<Half> for f64 {
    fn from(x: Half) -> f64 {
        x.0 * 2.0
    }
}
impl Half {
    fn by(self, f: fn(f64) -> f64) -> Half {
        f(self.into()).into()
    }
    fn sqrt(self) -> Half {
        self.by(f64::sqrt)
    }
    fn exp(self) -> Half {
        self.by(f64::exp)
    }
    fn ln(self) -> Half {
        self.by(f64::ln)
    }
}

#[track_caller]
fn assert_close(a: impl Into<f64>, b: f64) {
    assert_relative_eq!(a.into(), b, epsilon = 1e-13, max_relative = 1e-13);
}

#[test]
fn a_number_has_the_functions_of_numbers() {
    fn f<K: RealKind>(x: Active<K>, y: Active<K>) -> Active<K> {
        let z = x.powi(3) / y - x.exp().ln() * number(2.0) + (x * x + number(1.0)).sqrt();
        (z + x.abs().max(y) + (-x).signum() + x.powi(-2)).eval()
    }
    let mut tape = Tape::new();
    let (x, y) = (tape.input(1.5), tape.input(2.5));
    let (u, v) = (tape.input(Half(0.75)), tape.input(Half(1.25)));
    let (r, s) = tape.record(|| (f(x, y), f(u, v)));
    assert_close(s.value(), r.value());
    let gradient = tape.gradient(&r).unwrap();
    let want = [gradient.wrt(&x).unwrap(), gradient.wrt(&y).unwrap()];
    let gradient = tape.gradient(&s).unwrap();
    assert_close(gradient.wrt(&u).unwrap(), want[0]);
    assert_close(gradient.wrt(&v).unwrap(), want[1]);
    let list = [u, v, u];
    let w = tape.record(|| (2.0 * list.sum() * x + list.product()).eval());
    assert_close(w.value(), 2.0 * 5.5 * 1.5 + 1.5 * 2.5 * 1.5);
    let gradient = tape.gradient(&w).unwrap();
    assert_close(gradient.wrt(&x).unwrap(), 11.0);
    assert_close(gradient.wrt(&u).unwrap(), 2.0 * 2.0 * 1.5 + 2.0 * 2.5 * 1.5);
    let (value, slope) = value_and_gradient(|x: Active<Half>| (x * x).eval(), Half(1.0)).unwrap();
    assert_eq!((value, slope), (Half(2.0), Half(2.0)));
    check::assert_rule(&op::Sqrt, (Half(0.6),));
    check::assert_rule(&op::Powi { n: -3 }, (Half(0.6),));
    check::assert_rule(&op::Hypot, (1.0, 2.0));
    assert!(!Half::is_finite(&Half(f64::NAN)) && Half::is_finite(&Half(1.0)));
    assert_eq!(Half::NAME, "Half");
}

#[test]
#[should_panic(
    expected = "the number `Half` lacks `sin`: write it as a method of `Half` and list it in `#[kind(real(.., sin))]`"
)]
fn a_missing_function_panics() {
    Tape::new().record(|| Active::<Half>::passive(Half(1.0)).sin().eval());
}
#[test]
#[should_panic(
    expected = "the number `Half` lacks `exp2`, whose derivative has a factor of double precision"
)]
fn a_function_that_would_lose_digits_panics() {
    Tape::new().record(|| Active::<Half>::passive(Half(1.0)).exp2().eval());
}
