//! Derivatives of programs with complex numbers and reals, against finite differences and each other.
use approx::assert_relative_eq;
use entape_complex::{
    C64, Complex, ComplexOps, ComplexParts, PolarCoordinates, Powers, RealOps, from_polar, new,
    num_complex::{Complex64, c64},
};
use entape_core::{
    expr::Active,
    mode::{Forward, Mode, Plain, Taped},
    real::{Cast, Elementary},
    tape::{Error, Tape},
};
use std::array::from_fn;

type Real<M = entape_core::mode::Taped> = Active<f64, M>;

fn program<M: Mode>(a: Complex<M>, b: Complex<M>, x: Real<M>) -> Real<M> {
    let mut w = (a * b / (a + 2.0) - x * b.conj()).eval();
    for k in 0..3 {
        w = (w * 0.5 + (a * w).sin() / (b * b + 1.5)).eval();
        let old = w;
        w.re_mut().assign(old.im() * x + a.norm());
        w[C64::IM] += x.sin();
        if k == 1 {
            w *= x.cis();
        }
    }
    let mut half = Complex::<M>::passive(c64(0.3, -0.4));
    half.re_mut().assign(x * x);
    let (radius, angle) = (w * half).to_polar();
    let polar = from_polar(radius, angle * 0.5).eval();
    let list = [a, b, w, polar, half];
    let sum: Complex<M> = list.iter().sum();
    let product: Complex<M> = list.iter().product();
    let of_field = (polar.sqrt() + sum.exp() * 0.1 + b.ln() + w.powi(3) + a.recip().cosh()).eval();
    let of_branches = (a.tanh() + b.asin() + a.acosh() + b.atan() - a.tan() * b.acos()).eval();
    let powers = (a.powf(x) + a.powc(b) + b.powu(3) + a.expf(x) + b.log(x)).eval();
    let y = (of_field * of_branches + new(x, radius) - powers.scale(x)).eval();
    let single = (y.to_f32() * x.to_f32()).to_f64().eval();
    let parts = (y.norm_sqr() + product.re() + (y / x).im() * y.arg() + y.l1_norm()).eval();
    (parts.sqrt() + (x / y).abs() + y.inv().fdiv(a).im() + single.re() * 1e-8).eval()
}

/// Parts of `a` and `b`, and `x`.
type Point = [f64; 5];
const X: Point = [0.7, 0.3, 0.4, -0.6, 0.8];
const V: Point = [0.3, -1.1, 0.6, 0.8, 0.5];
const W: Point = [-0.5, 0.2, 1.4, 0.1, -0.9];
fn numbers([a, ai, b, bi, x]: Point) -> (Complex64, Complex64, f64) {
    (c64(a, ai), c64(b, bi), x)
}
fn point(a: Complex64, b: Complex64, x: f64) -> Point {
    [a.re, a.im, b.re, b.im, x]
}

fn value(at: Point) -> f64 {
    let (a, b, x) = numbers(at);
    let y = program::<Plain>(Complex::passive(a), Complex::passive(b), Active::passive(x));
    y.value()
}
fn gradient(at: Point) -> Point {
    let (a, b, x) = numbers(at);
    let mut tape = Tape::new();
    let (a, b, x) = (tape.input(a), tape.input(b), tape.input(x));
    let y = tape.record(|| program::<Taped>(a, b, x));
    let g = tape.gradient(&y).expect("a gradient");
    let wrt = |z| g.wrt(z).expect("an input");
    point(wrt(&a), wrt(&b), g.wrt(&x).expect("an input"))
}
fn difference<const K: usize>(f: impl Fn(Point) -> [f64; K], v: Point) -> [f64; K] {
    let e = 1e-5;
    let at = |e: f64| f(from_fn(|i| X[i] + e * v[i]));
    let (plus, minus) = (at(e), at(-e));
    from_fn(|k| (plus[k] - minus[k]) / (2.0 * e))
}
fn dot(x: Point, y: Point) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
#[track_caller]
fn close(x: f64, y: f64, tolerance: f64) {
    assert_relative_eq!(x, y, epsilon = tolerance, max_relative = tolerance);
}

#[test]
fn forward_tangents_agree_with_differences() {
    let ((a, b, x), (av, bv, xv), (aw, bw, xw)) = (numbers(X), numbers(V), numbers(W));
    let y = program::<Forward<2>>(
        Active::with_tangents(a, [av, aw]),
        Active::with_tangents(b, [bv, bw]),
        Active::with_tangents(x, [xv, xw]),
    );
    assert_eq!(y.value(), value(X));
    let g = gradient(X);
    let [v, w] = y.tangents();
    // One operation casts to single precision.
    close(v, dot(g, V), 1e-8);
    close(w, dot(g, W), 1e-8);
    let [d] = difference(|x| [value(x)], V);
    close(v, d, 1e-7);
}
#[test]
fn constants_at_singular_points_have_no_tangent() {
    let z = Complex::<Forward>::with_tangent(c64(0.5, 1.0), c64(1.0, 2.0));
    let zero = Complex::<Forward>::passive(c64(0.0, 0.0));
    let one = Complex::<Forward>::passive(c64(1.0, 0.0));
    let sum = (z + zero.sqrt() + zero.cbrt() + one.asin() + one.acosh()).eval();
    assert_eq!(sum.tangent(), c64(1.0, 2.0));
    let half = Active::<f64, Forward>::passive(0.5);
    let powers = (z + zero.powf(half) + zero.powc(half.to_complex()) + zero.powf(1.0)).eval();
    assert_eq!(powers.tangent(), c64(1.0, 2.0));
    let angles = (z.re() + zero.norm() + zero.arg() + zero.abs()).eval();
    assert_eq!(angles.tangent(), 1.0);
    let moving = Complex::<Forward>::with_tangent(c64(0.0, 0.0), c64(3.0, -4.0));
    assert_eq!(
        (
            moving.norm().eval().tangent(),
            moving.abs().eval().tangent()
        ),
        (0.0, 0.0)
    );
    assert_eq!(
        (moving.to_polar().0.tangent(), moving.arg().eval().tangent()),
        (0.0, 0.0)
    );
}

struct Recorded {
    tape: Tape,
    a: Complex,
    b: Complex,
    x: Real,
    y: Real,
}
fn recorded() -> Recorded {
    let (a, b, x) = numbers(X);
    let mut tape = Tape::new();
    let (a, b, x) = (tape.input(a), tape.input(b), tape.input(x));
    let y = tape.record(|| program::<Taped>(a, b, x));
    Recorded { tape, a, b, x, y }
}

#[test]
fn hessians_agree_with_differences() -> Result<(), Error> {
    let Recorded {
        mut tape,
        a,
        b,
        x,
        y,
    } = recorded();
    let expected = gradient(X);
    let g = tape.gradient(&y)?;
    assert_eq!(point(g.wrt(&a)?, g.wrt(&b)?, g.wrt(&x)?), expected);
    let mut rows = Vec::new();
    for v in [V, W] {
        let (av, bv, xv) = numbers(v);
        let mut directions = tape.directions::<1>()?;
        directions.set(&a, [av])?;
        directions.set(&b, [bv])?;
        directions.set(&x, [xv])?;
        let tangents = directions.sweep()?;
        close(tangents.of(&y)?[0], dot(expected, v), 1e-8);
        let second = tangents.gradient(&y)?;
        let g = point(
            second.gradient(&a)?,
            second.gradient(&b)?,
            second.gradient(&x)?,
        );
        (0..5).for_each(|i| close(g[i], expected[i], 1e-13));
        let ([ra], [rb], [rx]) = (second.wrt(&a)?, second.wrt(&b)?, second.wrt(&x)?);
        let row = point(ra, rb, rx);
        let differences = difference(gradient, v);
        (0..5).for_each(|i| close(row[i], differences[i], 1e-6));
        rows.push(row);
    }
    close(dot(rows[0], W), dot(rows[1], V), 1e-7);
    let unit = |i: usize| from_fn::<_, 8, _>(|j| if i == j { 1.0 } else { 0.0 });
    let complex = |i: usize| from_fn::<_, 8, _>(|j| c64(unit(i)[j], unit(i + 1)[j]));
    let mut directions = tape.directions::<8>()?;
    directions.set(&a, complex(0))?;
    directions.set(&b, complex(2))?;
    directions.set(&x, unit(4))?;
    let tangents = directions.sweep()?;
    let t = tangents.of(&y)?;
    (0..5).for_each(|i| close(t[i], expected[i], 1e-8));
    assert_eq!(t[5..], [0.0; 3]);
    let second = tangents.gradient(&y)?;
    let (ha, hb, hx) = (second.wrt(&a)?, second.wrt(&b)?, second.wrt(&x)?);
    let hessian: [Point; 5] = from_fn(|j| point(ha[j], hb[j], hx[j]));
    for i in 0..5 {
        let along = |v: Point| (0..5).map(|j| v[j] * hessian[j][i]).sum();
        close(rows[0][i], along(V), 1e-11);
        close(rows[1][i], along(W), 1e-11);
        // One operation has single precision.
        (0..5).for_each(|j| close(hessian[i][j], hessian[j][i], 1e-8));
    }
    let g = tape.gradient(&y)?;
    assert_eq!(point(g.wrt(&a)?, g.wrt(&b)?, g.wrt(&x)?), expected);
    Ok(())
}

type OfNorm = (&'static str, fn(Real) -> Real, f64);
const OF_NORM: [OfNorm; 6] = [
    ("n²/2", |n| (0.5 * n * n).eval(), 1.0),
    ("exp(-n²)", |n| (-(n * n)).exp().eval(), -2.0),
    ("(1 + n²)^(-1/2)", |n| (1.0 + n * n).powf(-0.5).eval(), -1.0),
    ("cos n", |n| n.cos().eval(), -1.0),
    ("a constant", |n| (0.0 * n).eval(), 0.0),
    ("n", |n| (2.0 * n).eval(), f64::NAN),
];
fn second_at_origin(f: impl Fn(Complex) -> Real) -> Result<[Complex64; 6], Error> {
    let (one, i) = (c64(1.0, 0.0), c64(0.0, 1.0));
    let mut tape = Tape::new();
    let z = tape.input(Complex64::ZERO);
    let y = tape.record(|| f(z));
    let gradient = tape.gradient(&y)?.wrt(&z)?;
    let single = [one, i].map(|v| {
        let mut directions = tape.directions::<1>()?.one_sided();
        directions.set(&z, [v])?;
        directions.sweep()?.gradient(&y)?.wrt(&z)
    });
    let [[x], [y_]] = [single[0].clone()?, single[1].clone()?];
    let mut directions = tape.directions::<8>()?.one_sided();
    directions.set(&z, from_fn(|j| [one, i, Complex64::ZERO][j.min(2)]))?;
    let tangents = directions.sweep()?;
    let second = tangents.gradient(&y)?;
    let many: [Complex64; 8] = second.wrt(&z)?;
    assert_eq!(many[2..], [Complex64::ZERO; 6]);
    Ok([gradient, second.gradient(&z)?, x, y_, many[0], many[1]])
}
#[test]
fn smooth_functions_of_the_norm_have_second_derivatives_at_zero() -> Result<(), Error> {
    let norms: [fn(Complex) -> Real; 4] = [
        |z| z.norm().eval(),
        |z| z.abs().eval(),
        |z| z.to_polar().0,
        |z| (z * c64(0.6, -0.8)).norm().eval(),
    ];
    for (name, f, want) in OF_NORM {
        for norm in norms {
            let [g, g2, x, y, x8, y8] = second_at_origin(|z| f(norm(z)))?;
            assert_eq!((g, g2), (Complex64::ZERO, Complex64::ZERO), "{name}");
            let same = |a: Complex64, b: Complex64| {
                (a - b).norm() < 1e-15 || (a.is_nan() && b.re.is_nan())
            };
            let (one, i) = (c64(1.0, 0.0), c64(0.0, 1.0));
            assert!(
                same(x, one * want) && same(x8, one * want),
                "{name}: {x} and {x8}"
            );
            assert!(
                same(y, i * want) && same(y8, i * want),
                "{name}: {y} and {y8}"
            );
        }
    }
    let [.., x, y, _, _] = second_at_origin(|z| (z.norm().eval() * z.re()).eval())?;
    assert_eq!((x, y), (c64(2.0, 0.0), c64(1.0, 0.0)));
    Ok(())
}
#[test]
fn angles_have_no_second_derivatives_at_the_origin() -> Result<(), Error> {
    let angles: [fn(Complex) -> Real; 3] = [
        |z| z.arg().eval(),
        |z| (z.arg().eval() * 2.0).sin().eval(),
        |z| (z.to_polar().1 + 1.0).eval(),
    ];
    for f in angles {
        let [g, g2, rest @ ..] = second_at_origin(f)?;
        assert_eq!((g, g2), (Complex64::ZERO, Complex64::ZERO));
        assert!(
            rest.iter().all(|z| z.re.is_nan() && z.im.is_nan()),
            "{rest:?}"
        );
    }
    Ok(())
}

#[test]
fn several_adjoints_agree_with_single_sweeps() -> Result<(), Error> {
    let Recorded {
        mut tape,
        a,
        b,
        x,
        y,
    } = recorded();
    let (w, r) = tape.record(|| {
        let w = (a.powf(x) * b).eval();
        (w, (w.norm() * y).eval())
    });
    let mut adjoints = tape.adjoints()?;
    adjoints.seed(&w, 0, c64(1.0, 0.0))?;
    adjoints.seed(&w, 1, c64(0.0, 1.0))?;
    adjoints.seed(&w, 2, c64(0.5, -2.0))?;
    adjoints.seed(&r, 2, 3.0)?;
    adjoints.seed(&r, 7, 1.0)?;
    let swept = adjoints.sweep()?;
    let (many_a, many_b, many_x) = (swept.wrt(&a)?, swept.wrt(&b)?, swept.wrt(&x)?);
    for (j, of_w, of_r) in [
        (0, c64(1.0, 0.0), 0.0),
        (1, c64(0.0, 1.0), 0.0),
        (2, c64(0.5, -2.0), 3.0),
        (3, c64(0.0, 0.0), 0.0),
        (7, c64(0.0, 0.0), 1.0),
    ] {
        tape.seed(&w, of_w)?;
        tape.seed(&r, of_r)?;
        let one = tape.sweep()?;
        assert_eq!(one.wrt(&a)?, many_a[j]);
        assert_eq!(one.wrt(&b)?, many_b[j]);
        assert_eq!(one.wrt(&x)?, many_x[j]);
    }
    Ok(())
}
