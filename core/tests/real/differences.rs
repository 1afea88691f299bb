//! The tables against central differences at random points, with every combination of active, passive and constant
//! arguments, as a statement and within one, in both precisions.
use crate::{Real, gradient};
use approx::relative_eq;
use entape_core::{
    expr::lit,
    mode::Taped,
    real::{Cast, Elementary, special::polygamma},
};
use std::array::from_fn;
use std::ops::{Add, Div, Mul, Neg, Range, Rem, Sub};

fn points<const N: usize>(domain: [Range<f64>; N]) -> Vec<[f64; N]> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut unit = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..20)
        .map(|_| {
            domain
                .each_ref()
                .map(|d| f64::from((d.start + (d.end - d.start) * unit()) as f32))
        })
        .collect()
}

struct Plain<const N: usize> {
    double: fn([f64; N]) -> f64,
    single: fn([f32; N]) -> f32,
}
impl<const N: usize> Plain<N> {
    fn difference(&self, x: [f64; N], i: usize) -> f64 {
        let h = 1e-5 * x[i].abs().max(1.0);
        let at = |h| {
            let mut x = x;
            x[i] += h;
            (self.double)(x)
        };
        (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Root,
    Inside,
    Single,
}

/// Arguments in `constant` are plain numbers.
fn check<const N: usize>(
    plain: &Plain<N>,
    domain: [Range<f64>; N],
    constant: [bool; N],
    form: Form,
    taped: fn([Real; N], [f64; N]) -> Real,
) {
    for p in points(domain) {
        for subset in 0..1 << N {
            let active = |i: usize| subset >> i & 1 == 1;
            let (y, slopes) = gradient(p, |x| {
                taped(
                    from_fn(|i| if active(i) { x[i] } else { Real::passive(p[i]) }),
                    p,
                )
            });
            let (value, factor, tolerance) = match form {
                Form::Root => ((plain.double)(p), 1.0, 1e-8),
                Form::Inside => (-3.0 * (plain.double)(p), -3.0, 1e-8),
                Form::Single => ((plain.single)(p.map(|p| p as f32)).into(), 1.0, 1e-4),
            };
            assert_eq!(y, value, "value at {p:?}, {form:?}");
            for (i, slope) in slopes.into_iter().enumerate() {
                let flows = active(i) && !constant[i];
                let want = if flows {
                    factor * plain.difference(p, i)
                } else {
                    0.0
                };
                assert!(
                    relative_eq!(slope, want, epsilon = tolerance, max_relative = tolerance),
                    "slope {slope} instead of {want} for argument {i} at {p:?}, {form:?}",
                );
            }
        }
    }
}

macro_rules! argument {
    (double variable $x:ident $p:ident $i:tt) => {
        $x[$i]
    };
    (double constant $x:ident $p:ident $i:tt) => {
        lit::<f64, Taped>($p[$i])
    };
    (single variable $x:ident $p:ident $i:tt) => {
        $x[$i].to_f32()
    };
    (single constant $x:ident $p:ident $i:tt) => {
        lit::<f32, Taped>($p[$i] as f32)
    };
    (is_constant variable) => {
        false
    };
    (is_constant constant) => {
        true
    };
}
macro_rules! combinations {
    (; $domain:expr, $name:ident ($($parameter:expr)?), $plain:expr) => {};
    ($A:ident $($B:ident $i:tt)* $(, $C:ident $($D:ident $j:tt)*)*; $domain:expr, $name:ident ($($parameter:expr)?), $plain:expr) => {
        let constant = [argument!(is_constant $A) $(, argument!(is_constant $B))*];
        check(&$plain, $domain, constant, Form::Root, |_x, _p| {
            argument!(double $A _x _p 0).$name($(argument!(double $B _x _p $i)),* $($parameter)?).eval()
        });
        check(&$plain, $domain, constant, Form::Single, |_x, _p| {
            argument!(single $A _x _p 0).$name($(argument!(single $B _x _p $i)),* $($parameter)?).to_f64().eval()
        });
        combinations!($($C $($D $j)*),*; $domain, $name($($parameter)?), $plain);
    };
}
macro_rules! unary { ($domain:expr, $name:ident ($($parameter:expr)?), $plain:expr) => {
    combinations!(variable, constant; $domain, $name($($parameter)?), $plain);
    check(&$plain, $domain, [false], Form::Inside, |x, _| ((x[0] + 0.0).$name($($parameter)?) * -3.0).eval());
} }
macro_rules! binary { ($domain:expr, $name:ident, $plain:expr) => {
    combinations!(
        variable variable 1, variable constant 1, constant variable 1, constant constant 1;
        $domain, $name(), $plain
    );
    check(&$plain, $domain, [false; 2], Form::Inside, |x, _| ((x[0] + 0.0).$name(x[1] - 0.0) * -3.0).eval());
} }
macro_rules! ternary { ($domain:expr, $name:ident, $plain:expr) => {
    combinations!(
        variable variable 1 variable 2, variable variable 1 constant 2, variable constant 1 variable 2,
        variable constant 1 constant 2, constant variable 1 variable 2, constant variable 1 constant 2,
        constant constant 1 variable 2, constant constant 1 constant 2;
        $domain, $name(), $plain
    );
    check(&$plain, $domain, [false; 3], Form::Inside, |x, _| {
        ((x[0] + 0.0).$name(x[1] - 0.0, x[2]) * -3.0).eval()
    });
} }
macro_rules! functions {
    () => {};
    ($name:ident in $a:expr; $($rest:tt)*) => {
        #[test]
        fn $name() {
            let plain = Plain { double: |[a]| f64::$name(a), single: |[a]| f32::$name(a) };
            unary!([$a], $name(), plain);
        }
        functions!($($rest)*);
    };
    ($name:ident in $a:expr, $b:expr; $($rest:tt)*) => {
        #[test]
        fn $name() {
            let plain = Plain { double: |[a, b]| f64::$name(a, b), single: |[a, b]| f32::$name(a, b) };
            binary!([$a, $b], $name, plain);
        }
        functions!($($rest)*);
    };
    ($name:ident in $a:expr, $b:expr, $c:expr; $($rest:tt)*) => {
        #[test]
        fn $name() {
            let plain = Plain { double: |[a, b, c]| f64::$name(a, b, c), single: |[a, b, c]| f32::$name(a, b, c) };
            ternary!([$a, $b, $c], $name, plain);
        }
        functions!($($rest)*);
    };
    ($test:ident: $name:ident($($parameter:expr)?) = $double:expr, $single:expr, in $a:expr; $($rest:tt)*) => {
        #[test]
        fn $test() {
            let plain = Plain { double: |[a]| $double(a), single: |[a]| $single(a) };
            unary!([$a], $name($($parameter)?), plain);
        }
        functions!($($rest)*);
    };
}
macro_rules! single {
    ($f:expr) => {
        |a: f32| $f(f64::from(a)) as f32
    };
}

functions! {
    add in -2.0..2.0, -2.0..2.0;
    sub in -2.0..2.0, -2.0..2.0;
    mul in -2.0..2.0, -2.0..2.0;
    div in -2.0..2.0, 0.5..2.0;
    rem in -9.0..9.0, 0.5..2.0;
    neg in -2.0..2.0;

    sqrt in 0.1..4.0;
    cbrt in -4.0..-0.1;
    recip in 0.3..3.0;
    powi_zero: powi(0) = |a| f64::powi(a, 0), |a| f32::powi(a, 0), in -2.0..2.0;
    powi_one: powi(1) = |a| f64::powi(a, 1), |a| f32::powi(a, 1), in -2.0..2.0;
    powi_five: powi(5) = |a| f64::powi(a, 5), |a| f32::powi(a, 5), in -2.0..2.0;
    powi_minus_two: powi(-2) = |a| f64::powi(a, -2), |a| f32::powi(a, -2), in -2.0..-0.5;
    powf in 0.2..3.0, -2.0..2.0;
    hypot in -2.0..2.0, 0.1..2.0;

    exp in -2.0..2.0;
    exp2 in -2.0..2.0;
    exp_m1 in -2.0..2.0;
    ln in 0.2..4.0;
    log in 0.2..4.0, 2.0..5.0;
    log2 in 0.2..4.0;
    log10 in 0.2..4.0;
    ln_1p in -0.8..4.0;

    sin in -4.0..4.0;
    cos in -4.0..4.0;
    tan in -1.2..1.2;
    asin in -0.9..0.9;
    acos in -0.9..0.9;
    atan in -4.0..4.0;
    atan2 in -3.0..-0.1, -3.0..3.0;
    to_degrees in -4.0..4.0;
    to_radians in -180.0..180.0;

    sinh in -2.0..2.0;
    cosh in -2.0..2.0;
    tanh in -2.0..2.0;
    asinh in -2.0..2.0;
    acosh in 1.1..4.0;
    atanh in -0.9..0.9;

    mul_add in -2.0..2.0, -2.0..2.0, -2.0..2.0;
    midpoint in -2.0..2.0, -2.0..2.0;

    abs in -2.0..2.0;
    signum in -2.0..2.0;
    copysign in -2.0..2.0, -2.0..2.0;
    max in -2.0..2.0, -2.0..2.0;
    min in -2.0..2.0, -2.0..2.0;
    clamp in -2.0..2.0, -1.0..0.0, 0.0..1.0;

    floor in -4.0..4.0;
    ceil in -4.0..4.0;
    round in -4.0..4.0;
    round_ties_even in -4.0..4.0;
    trunc in -4.0..4.0;
    fract in -4.0..4.0;
    div_euclid in -9.0..9.0, 0.5..2.0;
    rem_euclid in -9.0..9.0, -2.0..-0.5;

    erf: erf() = libm::erf, libm::erff, in -2.0..2.0;
    erfc: erfc() = libm::erfc, libm::erfcf, in -2.0..2.0;
    ln_gamma: ln_gamma() = libm::lgamma, libm::lgammaf, in 0.2..5.0;
    ln_gamma_of_negative: ln_gamma() = libm::lgamma, libm::lgammaf, in -1.8..-1.2;
    digamma: digamma() = |a| polygamma(0, a), single!(|a| polygamma(0, a)), in 0.4..5.0;
    trigamma: polygamma(1) = |a| polygamma(1, a), single!(|a| polygamma(1, a)), in 0.5..5.0;
    tetragamma: polygamma(2) = |a| polygamma(2, a), single!(|a| polygamma(2, a)), in -0.7..-0.3;
}

#[test]
fn casts_agree_with_differences() {
    let plain = Plain {
        double: |[a]| a,
        single: |[a]| a,
    };
    check(&plain, [-2.0..2.0], [false], Form::Single, |[a], _| {
        a.to_f32().to_f64().eval()
    });
    check(&plain, [-2.0..2.0], [false], Form::Root, |[a], _| {
        a.to_f64().to_f64().eval()
    });
    check(&plain, [-2.0..2.0], [false], Form::Single, |[a], _| {
        a.to_f32().eval().to_f32().eval().to_f64().eval()
    });
    let plain = Plain {
        double: |[a]| 3.0 * a,
        single: |[a]| 3.0 * a,
    };
    check(&plain, [-2.0..2.0], [false], Form::Root, |[a], _| {
        ((a.to_f32() * 2.0_f32).to_f64() + a).eval()
    });
}
