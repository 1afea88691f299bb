//! Every elementary function, compiled at first order, against the interpreter of sweeps along directions. With reals,
//! lists, and each subset of the arguments passive.
use approx::relative_eq;
use entape_core::{
    expr::{Active, list},
    real::{Elementary, ListReductions},
    tape::{Error, Tape},
};

type Real<M = entape_core::mode::Taped> = Active<f64, M>;

struct Case {
    name: &'static str,
    reals: fn(&[Real; 3]) -> Real,
    lists: fn(&[Real; 3]) -> Real,
    at: &'static [[f64; 3]],
}
/// Inside of the unit interval, and outside.
const SMALL: &[[f64; 3]] = &[[0.3, 0.7, 0.4], [0.8, 0.2, 0.9]];
const LARGE: &[[f64; 3]] = &[[1.7, 2.3, 1.2], [3.1, 1.4, 2.6]];
const SIGNED: &[[f64; 3]] = &[[-0.7, 1.6, 0.3], [1.3, -0.4, 0.8]];
const ORDERED: &[[f64; 3]] = &[[0.3, 0.5, 1.4], [0.9, 0.5, 1.4], [2.0, 0.5, 1.4]];

macro_rules! cases { ($($f:ident ($($b:ident)*; $($p:expr),*) $at:ident;)*) => { &[$( Case {
    name: stringify!($f),
    reals: |[a, _b, _c]| (a.$f($(cases!(@real $b _b _c)),* $($p),*)).eval(),
    lists: |[a, _b, _c]| {
        let (a, _b, _c) = ([*a, *a], [*_b, *_b], [*_c, *_c]);
        list(&a).$f($(cases!(@list $b _b _c)),* $($p),*).sum().eval()
    },
    at: $at,
}),*] };
(@real b $b:ident $c:ident) => { *$b };
(@real c $b:ident $c:ident) => { *$c };
(@list b $b:ident $c:ident) => { list(&$b) };
(@list c $b:ident $c:ident) => { list(&$c) };
}
const CASES: &[Case] = cases! {
    sqrt(;) SMALL; cbrt(;) SIGNED; recip(;) SIGNED; powi(; 3) SIGNED; powf(b;) LARGE; hypot(b;) SIGNED;
    exp(;) SIGNED; exp2(;) SIGNED; exp_m1(;) SIGNED; ln(;) SMALL; log(b;) LARGE; log2(;) LARGE; log10(;) LARGE; ln_1p(;) SMALL;
    sin(;) SIGNED; cos(;) SIGNED; tan(;) SIGNED; asin(;) SMALL; acos(;) SMALL; atan(;) SIGNED; atan2(b;) SIGNED;
    to_degrees(;) SIGNED; to_radians(;) SIGNED;
    sinh(;) SIGNED; cosh(;) SIGNED; tanh(;) SIGNED; asinh(;) SIGNED; acosh(;) LARGE; atanh(;) SMALL;
    mul_add(b c;) SIGNED; midpoint(b;) SIGNED; abs(;) SIGNED; copysign(b;) SIGNED; max(b;) SIGNED; min(b;) SIGNED; clamp(b c;) ORDERED;
    fract(;) SIGNED; rem_euclid(b;) LARGE;
    erf(;) SIGNED; erfc(;) SIGNED; ln_gamma(;) LARGE; digamma(;) LARGE; polygamma(; 2) LARGE;
};

#[track_caller]
fn close(name: &str, what: &str, x: &[f64], y: &[f64], tolerance: f64) {
    for (x, y) in x.iter().zip(y) {
        let equal = relative_eq!(x, y, epsilon = tolerance, max_relative = tolerance);
        assert!(equal, "{name}: {what} is {x} and should be {y}");
    }
}
/// Records the inputs, some passive, and the square, so that adjoints have tangents.
fn record(
    tape: &mut Tape,
    f: fn(&[Real; 3]) -> Real,
    at: [f64; 3],
    passive: usize,
) -> ([Real; 3], Real) {
    let inputs = at.map(|x| tape.input(x));
    let mut x = inputs;
    for (i, x) in x.iter_mut().enumerate() {
        if passive >> i & 1 != 0 {
            *x = Real::passive(x.value());
        }
    }
    let y = tape.record(|| {
        let y = f(&x);
        (y * y + inputs[0] * y).eval()
    });
    (inputs, y)
}
fn gradient(f: fn(&[Real; 3]) -> Real, at: [f64; 3], passive: usize) -> Result<Vec<f64>, Error> {
    let mut tape = Tape::default();
    let (x, y) = record(&mut tape, f, at, passive);
    tape.gradient(&y)?.wrt_all(&x)
}
const V: [f64; 3] = [0.7, -0.4, 0.9];

fn compare(
    name: &str,
    f: fn(&[Real; 3]) -> Real,
    at: [f64; 3],
    passive: usize,
) -> Result<(), Error> {
    let name = &format!("{name} at {at:?}, passive {passive:03b}");
    let mut tape = Tape::default();
    let (x, y) = record(&mut tape, f, at, passive);
    let compiled = tape.gradient(&y)?.wrt_all(&x)?;
    let slope: f64 = compiled.iter().zip(V).map(|(g, v)| g * v).sum();

    let mut one = tape.directions::<1>()?;
    x.iter().zip(V).try_for_each(|(x, v)| one.set(x, [v]))?;
    let one = one.sweep()?;
    close(name, "the tangent", &one.of(&y)?, &[slope], 1e-12);
    let second = one.gradient(&y)?;
    let interpreted: Vec<f64> = x
        .iter()
        .map(|x| second.gradient(x))
        .collect::<Result<_, _>>()?;
    close(name, "the gradient", &interpreted, &compiled, 1e-12);
    let h = 1e-5;
    let moved = |h: f64| gradient(f, std::array::from_fn(|i| at[i] + h * V[i]), passive);
    let (ahead, behind) = (moved(h)?, moved(-h)?);
    let differences: Vec<f64> = ahead
        .iter()
        .zip(behind)
        .map(|(a, b)| (a - b) / (2.0 * h))
        .collect();
    let along: Vec<f64> = x
        .iter()
        .map(|x| Ok(second.wrt(x)?[0]))
        .collect::<Result<_, Error>>()?;
    // A passive input has a direction.
    if passive == 0 {
        close(name, "the second derivative", &along, &differences, 1e-5);
    }

    let mut eight = tape.directions::<8>()?;
    for (i, x) in x.iter().enumerate() {
        eight.set(
            x,
            std::array::from_fn(|j| if j % 3 == i { 1.0 } else { 0.0 }),
        )?;
    }
    let eight = eight.sweep()?;
    let tangents = eight.of(&y)?;
    let expected: [f64; 8] = std::array::from_fn(|j| compiled[j % 3]);
    close(name, "one of eight tangents", &tangents, &expected, 1e-12);
    let rows = eight.gradient(&y)?;
    for (i, x) in x.iter().enumerate() {
        let row = rows.wrt(x)?;
        let sum: f64 = (0..3).map(|j| row[j] * V[j]).sum();
        close(name, "eight second derivatives", &[sum], &[along[i]], 1e-11);
        close(
            name,
            "the gradient beside them",
            &[rows.gradient(x)?],
            &[compiled[i]],
            1e-12,
        );
    }

    let mut several = tape.adjoints()?;
    several.seed(&y, 1, 1.0)?;
    several.seed(&y, 6, -2.0)?;
    let several = several.sweep()?;
    for (x, compiled) in x.iter().zip(compiled) {
        let adjoints = several.wrt(x)?;
        let mut expected = [0.0; 8];
        (expected[1], expected[6]) = (compiled, -2.0 * compiled);
        close(name, "one of eight adjoints", &adjoints, &expected, 1e-12);
    }
    Ok(())
}

#[test]
fn interpreted_sweeps_agree_with_compiled_ones() -> Result<(), Error> {
    for case in CASES {
        for at in case.at {
            for passive in 0..8 {
                compare(case.name, case.reals, *at, passive)?;
                compare(
                    &format!("a list of {}", case.name),
                    case.lists,
                    *at,
                    passive,
                )?;
            }
        }
    }
    Ok(())
}
