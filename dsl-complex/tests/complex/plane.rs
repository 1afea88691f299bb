//! All functions at ordinary and extreme points, against mpmath (`data/plane.py`).
use entape_complex::{
    C32, C64, ComplexOps, Powers, RealOps,
    num_complex::{Complex, c32, c64},
};
use entape_core::{
    expr::Active,
    mode::{Forward, Mode, Plain, Taped},
    real::Elementary,
    tape::{Error, Tape},
};
use std::collections::BTreeMap;

macro_rules! functions {
    ($apply:ident: $T:ident $C:ident $c:ident) => {
        fn $apply<M: Mode>(name: &str, z: Active<$C, M>) -> Active<$C, M> {
            let real = |x: $T| Active::<$T, M>::passive(x);
            match name {
                "sqrt" => z.sqrt().eval(),
                "cbrt" => z.cbrt().eval(),
                "recip" => z.recip().eval(),
                "c/z" => (Active::<$C, M>::passive($c(3.0, -4.0)) / z).eval(),
                "z/c" => (z / $c(3.0, -4.0)).eval(),
                "z/big" => (z / $c(2.0, -2.0).scale((2.0 as $T).powi(599))).eval(),
                "exp" => z.exp().eval(),
                "exp2" => z.exp2().eval(),
                "exp_m1" => z.exp_m1().eval(),
                "ln" => z.ln().eval(),
                "ln_1p" => z.ln_1p().eval(),
                "log2" => z.log2().eval(),
                "log10" => z.log10().eval(),
                "log(3)" => z.log(real(3.0)).eval(),
                "sin" => z.sin().eval(),
                "cos" => z.cos().eval(),
                "tan" => z.tan().eval(),
                "sinh" => z.sinh().eval(),
                "cosh" => z.cosh().eval(),
                "tanh" => z.tanh().eval(),
                "asin" => z.asin().eval(),
                "acos" => z.acos().eval(),
                "atan" => z.atan().eval(),
                "asinh" => z.asinh().eval(),
                "acosh" => z.acosh().eval(),
                "atanh" => z.atanh().eval(),
                "powi(3)" => z.powi(3).eval(),
                "powi(-2)" => z.powi(-2).eval(),
                "powf(1.75)" => z.powf(real(1.75)).eval(),
                "powc" => z.powc(Active::<$C, M>::passive($c(0.5, -0.25))).eval(),
                "expf(2.5)" => z.expf(real(2.5)).eval(),
                "norm" => z.norm().to_complex().eval(),
                "arg" => z.arg().to_complex().eval(),
                _ => panic!("no operation for {name}"),
            }
        }
    };
}
functions! { double: f64 C64 c64 }
functions! { single: f32 C32 c32 }

fn parse(part: &str) -> f64 {
    part.parse().expect("a number")
}
/// The value, the gradient of the real part, and the derivative of the gradient along the real axis.
struct Line<'d> {
    bits: u32,
    name: &'d str,
    z: Complex<f64>,
    want: [Complex<f64>; 3],
}
fn lines(data: &str) -> impl Iterator<Item = Line<'_>> {
    data.lines().map(|line| {
        let mut words = line.split(' ');
        let bits = words.next().and_then(|w| w.parse().ok()).expect("bits");
        let name = words.next().expect("a name");
        let parts: Vec<f64> = words.map(parse).collect();
        let number = |i: usize| Complex::new(parts[2 * i], parts[2 * i + 1]);
        Line {
            bits,
            name,
            z: number(0),
            want: [number(1), number(2), number(3)],
        }
    })
}

fn limits(bits: u32) -> (f64, f64, f64) {
    match bits {
        64 => (f64::EPSILON, 5e-324, f64::MAX),
        _ => (f64::from(f32::EPSILON), 1.4e-45, f64::from(f32::MAX)),
    }
}
/// Returns the error in units of the relative precision: of each part, or of the absolute value.
fn error(got: Complex<f64>, want: Complex<f64>, bits: u32, by_part: bool) -> f64 {
    let (epsilon, tiny, most) = limits(bits);
    let larger = want.re.abs().max(want.im.abs());
    let far = |got: f64| if got.is_finite() { f64::INFINITY } else { 0.0 };
    if !by_part && larger > most {
        return far(got.re).min(far(got.im));
    }
    let of = |got: f64, want: f64| {
        if want.abs() > most {
            return far(got);
        }
        if got.is_nan() {
            return f64::INFINITY;
        }
        let size = if by_part { want.abs() } else { larger };
        ((got - want).abs() - 4.0 * tiny).max(0.0) / (epsilon * size).max(tiny)
    };
    of(got.re, want.re).max(of(got.im, want.im))
}
/// The accepted errors, and whether they hold for each part of the value. The error of a power grows with its
/// logarithm.
fn tolerance(name: &str, z: Complex<f64>) -> ([f64; 3], bool) {
    let powers = |ln: f64| ([4.0 + ln, 8.0 + ln, 16.0 + ln], false);
    match name {
        "exp_m1" | "powi(3)" | "powi(-2)" | "powf(1.75)" | "c/z" | "z/c" | "z/big" => powers(0.0),
        "powc" => powers(c64(0.5, -0.25).norm() * z.norm().ln().abs()),
        "expf(2.5)" => powers(2.5_f64.ln() * z.norm()),
        _ => ([4.0, 8.0, 16.0], true),
    }
}

macro_rules! results {
    ($results:ident: $T:ident $C:ident $apply:ident) => {
        fn $results(name: &str, z: Complex<$T>) -> Result<[Complex<f64>; 3], Error> {
            let what = format!("{name} at {z:e}");
            let same = |a: $T, b: $T| a == b || (a.is_nan() && b.is_nan());
            let real = |z: Complex<$T>| Complex::new(f64::from(z.re), f64::from(z.im));
            let value = $apply(name, Active::<$C, Plain>::passive(z)).value();

            let mut tape = Tape::<Taped>::default();
            let x = tape.input_as::<$C>(z);
            let y = tape.record(|| $apply(name, x).re().eval());
            assert!(same(y.value(), value.re), "{what}");
            let gradient = tape.gradient(&y)?.wrt(&x)?;

            let mut tape = Tape::new();
            let x = tape.input_as::<$C>(z);
            let y = tape.record(|| $apply(name, x).re().eval());
            let mut directions = tape.directions::<8>()?;
            let along = |j| {
                if j == 1 {
                    Complex::new(1.0, 0.0)
                } else {
                    Complex::default()
                }
            };
            directions.set(&x, std::array::from_fn(along))?;
            let tangents = directions.sweep()?;
            let along = tangents.of(&y)?[1];
            let second = tangents.gradient(&y)?;
            let of_second = second.gradient(&x)?;
            let [still, change, ..] = second.wrt(&x)?;

            assert!(
                same(gradient.re, of_second.re) && same(gradient.im, of_second.im),
                "{what}"
            );
            let forward = $apply(
                name,
                Active::<$C, Forward>::with_tangent(z, Complex::new(1.0, 0.0)),
            );
            assert!(
                same(forward.tangent().re, along),
                "{what}: {forward:?} and {along}"
            );
            if gradient.is_finite() {
                let (error, least) = ((along - gradient.re).abs(), $T::from_bits(4));
                assert!(
                    error <= 8.0 * $T::EPSILON * gradient.norm() + least,
                    "{what}: {gradient} and {along}"
                );
                assert_eq!(still, Complex::default(), "{what}");
            }
            Ok([real(value), real(gradient), real(change)])
        }
    };
}
results! { in_double: f64 C64 double }
results! { in_single: f32 C32 single }

#[test]
fn values_and_derivatives_are_accurate_over_the_plane() {
    let mut faults = Vec::new();
    let mut worst = BTreeMap::<(&str, u32), [f64; 3]>::new();
    let data = include_str!("../data/plane.txt");
    for Line {
        bits,
        name,
        z,
        want,
    } in lines(data)
    {
        let got = match bits {
            64 => in_double(name, z),
            _ => in_single(name, c32(z.re as f32, z.im as f32)),
        }
        .expect("derivatives");
        let (most, (allowed, by_part)) = (limits(bits).2, tolerance(name, z));
        for (i, what) in ["value", "gradient", "second derivative"]
            .into_iter()
            .enumerate()
        {
            let error = error(got[i], want[i], bits, by_part && i == 0);
            if error > allowed[i] {
                faults.push(format!(
                    "{name} at {z:e} in {bits} bits: {what} {:e} instead of {:e}",
                    got[i], want[i]
                ));
            }
            let worst = &mut worst.entry((name, bits)).or_default()[i];
            *worst = worst.max(error);
            if want[i].re.abs().max(want[i].im.abs()) > 0.5 * most {
                break;
            }
        }
    }
    println!("{worst:#.1?}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(worst.len() > 60);
}
