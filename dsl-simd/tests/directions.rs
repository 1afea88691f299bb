//! Derivatives of programs with arrays, lanes and reals, against finite differences and each other.
#[cfg(feature = "fft")]
#[path = "directions/complex.rs"]
mod complex;
#[path = "directions/programs.rs"]
mod programs;
#[path = "directions/singular.rs"]
mod singular;

use approx::relative_eq;
use entape_core::{
    expr::Active,
    mode::{Forward, Mode, Plain, Taped},
    tape::{Error, Tape},
};
use entape_simd::{Array, Realx4, wide::f64x4};
use std::array::from_fn;

type Real<M = entape_core::mode::Taped> = Active<f64, M>;

/// A program of an array, lanes and a real.
pub trait Program {
    /// Runs the program.
    fn run<M: Mode>(u: &Array<M>, v: Realx4<M>, a: Real<M>) -> Real<M>;
}

const LENGTH: usize = 6;
const COUNT: usize = LENGTH + 4 + 1;
type Point = [f64; COUNT];
type Values = (Vec<f64>, f64x4, f64);
fn values(x: Point) -> Values {
    let lanes = from_fn(|i| x[LENGTH + i]);
    (x[..LENGTH].to_vec(), f64x4::new(lanes), x[COUNT - 1])
}
fn point((u, v, a): Values) -> Point {
    let lanes: [f64; 4] = v.to_array();
    let all: Vec<f64> = u.into_iter().chain(lanes).chain([a]).collect();
    all.try_into().expect("as many numbers")
}
fn at() -> Point {
    from_fn(|i| 0.8 + 0.5 * (1.7 * i as f64 + 0.4).sin())
}
fn direction(shift: f64) -> Point {
    from_fn(|i| (2.3 * i as f64 + shift).cos())
}

fn value<P: Program>(x: Point) -> f64 {
    let (u, v, a) = values(x);
    let y = P::run::<Plain>(&Active::passive(u), Active::passive(v), Active::passive(a));
    y.value()
}
fn gradient<P: Program>(x: Point) -> Point {
    let (u, v, a) = values(x);
    let mut tape = Tape::new();
    let (u, v, a) = (tape.input(u), tape.input(v), tape.input(a));
    let y = tape.record(|| P::run::<Taped>(&u, v, a));
    let g = tape.gradient(&y).expect("a gradient");
    let of = (g.wrt(&u), g.wrt(&v), g.wrt(&a));
    point((
        of.0.expect("an input"),
        of.1.expect("an input"),
        of.2.expect("an input"),
    ))
}
fn difference<const K: usize>(f: impl Fn(Point) -> [f64; K], v: Point) -> [f64; K] {
    let e = 1e-5;
    let at = |e: f64| f(from_fn(|i| at()[i] + e * v[i]));
    let (plus, minus) = (at(e), at(-e));
    from_fn(|k| (plus[k] - minus[k]) / (2.0 * e))
}
fn dot(x: Point, y: Point) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
#[track_caller]
fn close(what: &str, x: f64, y: f64, tolerance: f64) {
    assert!(
        relative_eq!(x, y, epsilon = tolerance, max_relative = tolerance),
        "{what}: {x} is not {y}"
    );
}

/// Tests a program, in all modes.
pub fn check<P: Program>() -> Result<(), Error> {
    in_registers::<P>();
    on_a_tape::<P>()?;
    several_adjoints::<P>()
}
fn in_registers<P: Program>() {
    let [v, w] = [direction(0.3), direction(1.9)];
    let ((u, l, a), (uv, lv, av), (uw, lw, aw)) = (values(at()), values(v), values(w));
    let y = P::run::<Forward<2>>(
        &Active::with_tangents(u.clone(), [uv, uw]),
        Active::with_tangents(l, [lv, lw]),
        Active::with_tangents(a, [av, aw]),
    );
    assert_eq!(y.value(), value::<P>(at()));
    let (g, [along_v, along_w]) = (gradient::<P>(at()), y.tangents());
    close("a tangent", along_v, dot(g, v), 1e-7);
    close("a tangent", along_w, dot(g, w), 1e-7);
    let [d] = difference(|x| [value::<P>(x)], v);
    close("a tangent, and a difference", along_v, d, 1e-6);
    // Arrays and lanes begin without tangents.
    let y = P::run::<Forward<2>>(
        &Active::passive(u),
        Active::passive(l),
        Active::with_tangents(a, [1.0, -2.0]),
    );
    let [one, two] = y.tangents();
    close("a tangent of the real", one, g[COUNT - 1], 1e-7);
    close("its double", two, -2.0 * one, 1e-12);
}

struct Recorded {
    tape: Tape,
    u: Array,
    v: Realx4,
    a: Real,
    y: Real,
}
fn recorded<P: Program>() -> Recorded {
    let (u, v, a) = values(at());
    let mut tape = Tape::new();
    let (u, v, a) = (tape.input(u), tape.input(v), tape.input(a));
    let y = tape.record(|| P::run::<Taped>(&u, v, a));
    Recorded { tape, u, v, a, y }
}
fn on_a_tape<P: Program>() -> Result<(), Error> {
    let Recorded {
        mut tape,
        u,
        v,
        a,
        y,
    } = recorded::<P>();
    let expected = gradient::<P>(at());
    let g = tape.gradient(&y)?;
    assert_eq!(point((g.wrt(&u)?, g.wrt(&v)?, g.wrt(&a)?)), expected);
    let alone = |i: usize| from_fn(|k| if k == i { 1.0 } else { 0.0 });
    let along: [Point; 8] = from_fn(|j| match j {
        6 => alone(COUNT - 1),
        7 => alone(LENGTH + 2),
        _ => direction(j as f64),
    });
    let mut rows = Vec::new();
    for (j, x) in along.into_iter().enumerate() {
        let (ut, vt, at) = values(x);
        let mut directions = tape.directions::<1>()?;
        if j < 6 {
            directions.set(&u, [ut])?;
        }
        directions.set(&v, [vt])?;
        directions.set(&a, [at])?;
        let tangents = directions.sweep()?;
        close(
            "a tangent on the tape",
            tangents.of(&y)?[0],
            dot(expected, x),
            1e-7,
        );
        let second = tangents.gradient(&y)?;
        let g = point((
            second.gradient(&u)?,
            second.gradient(&v)?,
            second.gradient(&a)?,
        ));
        for i in 0..COUNT {
            close("the gradient beside", g[i], expected[i], 1e-12);
        }
        let ([ru], [rv], [ra]) = (second.wrt(&u)?, second.wrt(&v)?, second.wrt(&a)?);
        let row = point((ru, rv, ra));
        let differences = difference(gradient::<P>, x);
        for i in 0..COUNT {
            let what = format!("coordinate {i} of the Hessian along direction {j}");
            close(&what, row[i], differences[i], 1e-5);
        }
        rows.push(row);
    }
    for i in 0..8 {
        for j in 0..8 {
            let (one, other) = (dot(rows[i], along[j]), dot(rows[j], along[i]));
            close("the symmetry of the Hessian", one, other, 1e-6);
        }
    }
    let mut directions = tape.directions::<8>()?;
    let all = along.map(values);
    directions.set(&u, from_fn(|j| all[j].0.clone()))?;
    directions.set(&v, from_fn(|j| all[j].1))?;
    directions.set(&a, from_fn(|j| all[j].2))?;
    let tangents = directions.sweep()?;
    let t = tangents.of(&y)?;
    (0..8).for_each(|j| close("eight tangents", t[j], dot(expected, along[j]), 1e-7));
    let second = tangents.gradient(&y)?;
    let (ru, rv, ra) = (second.wrt(&u)?, second.wrt(&v)?, second.wrt(&a)?);
    for j in 0..8 {
        let row = point((ru[j].clone(), rv[j], ra[j]));
        (0..COUNT).for_each(|i| close("eight rows", row[i], rows[j][i], 1e-11));
    }
    let g = tape.gradient(&y)?;
    assert_eq!(point((g.wrt(&u)?, g.wrt(&v)?, g.wrt(&a)?)), expected);
    Ok(())
}
fn several_adjoints<P: Program>() -> Result<(), Error> {
    let Recorded {
        mut tape,
        u,
        v,
        a,
        y,
    } = recorded::<P>();
    let (array, lanes) = tape.record(|| ((&u * y).eval(), (v * a).eval()));
    let seeds: [Values; 3] = from_fn(|j| values(direction(j as f64)));
    let mut adjoints = tape.adjoints()?;
    for (j, (of_array, of_lanes, of_y)) in seeds.iter().enumerate() {
        adjoints.seed(&array, 2 * j, of_array.clone())?;
        adjoints.seed(&lanes, 2 * j, *of_lanes)?;
        adjoints.seed(&y, 2 * j, *of_y)?;
    }
    let swept = adjoints.sweep()?;
    let many = (swept.wrt(&u)?, swept.wrt(&v)?, swept.wrt(&a)?);
    for (j, (of_array, of_lanes, of_y)) in seeds.into_iter().enumerate() {
        tape.seed(&array, of_array)?;
        tape.seed(&lanes, of_lanes)?;
        tape.seed(&y, of_y)?;
        let one = tape.sweep()?;
        let one = point((one.wrt(&u)?, one.wrt(&v)?, one.wrt(&a)?));
        let of_many = point((many.0[2 * j].clone(), many.1[2 * j], many.2[2 * j]));
        (0..COUNT).for_each(|i| close("an adjoint of several", of_many[i], one[i], 1e-13));
    }
    Ok(())
}
