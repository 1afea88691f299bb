//! Statements with lists along directions, against functions of reals: lengths around a block, passive variables,
//! infinite or missing adjoints.
use approx::relative_eq;
use entape_core::{
    expr::{Active, list, unary},
    mode::Mode,
    op::{Max, Min},
    real::{Elementary, ListReductions, Reals},
    tape::{Error, Tape},
};

type Real<M = entape_core::mode::Taped> = Active<f64, M>;

type Function = fn(&[Real], &[Real], &[f64]) -> Real;
/// Equal functions of lists and of reals, of two numbers and of constants `y`.
struct Pair {
    name: &'static str,
    lists: Function,
    reals: Function,
}
fn total<M: Mode>(x: &[Real<M>], f: impl Fn(usize, &Real<M>) -> Real<M>) -> Real<M> {
    let mut sum = Real::passive(0.0);
    for (i, x) in x.iter().enumerate() {
        sum += f(i, x);
    }
    sum
}
const PAIRS: &[Pair] = &[
    Pair {
        name: "sum of squares of differences",
        lists: |_, x, y| (list(x) - list(y)).powi(2).sum().eval(),
        reals: |_, x, y| total(x, |i, x| (x - y[i]).powi(2).eval()),
    },
    Pair {
        name: "numbers on either side",
        lists: |a, x, _| ((a[0] * list(x) + a[1]).exp().sum() / a[0]).eval(),
        reals: |a, x, _| (total(x, |_, x| (a[0] * x + a[1]).exp().eval()) / a[0]).eval(),
    },
    Pair {
        name: "numbers of which no adjoint reads the list",
        lists: |a, _, y| ((a[0] - list(y)).sum() * a[1]).eval(),
        reals: |a, x, y| (total(x, |i, _| (a[0] - y[i]).eval()) * a[1]).eval(),
    },
    Pair {
        name: "dot product of expressions",
        lists: |a, x, y| (list(x).sin().dot(list(y) * a[1]) + list(x).dot(list(x) * a[0])).eval(),
        reals: |a, x, y| total(x, |i, x| (x.sin() * (y[i] * a[1]) + x * x * a[0]).eval()),
    },
    Pair {
        name: "a reduction within a list",
        lists: |a, x, _| ((list(x) / x.norm()).powi(3).sum() * a[0] / x.norm_squared()).eval(),
        reals: |a, x, _| {
            let squares = total(x, |_, x| (x * x).eval());
            let norm = squares.sqrt().eval();
            (total(x, |_, x| (x / norm).powi(3).eval()) * a[0] / squares).eval()
        },
    },
    Pair {
        name: "mean, and the same list twice",
        lists: |a, x, y| ((list(x) * list(x).tanh()).mean() * (list(y) * a[0]).cos().mean()).eval(),
        reals: |a, x, y| {
            let n = x.len() as f64;
            let first = total(x, |_, x| (x * x.tanh()).eval());
            (first / n * (total(x, |i, _| (y[i] * a[0]).cos().eval()) / n)).eval()
        },
    },
    Pair {
        name: "powers and choices",
        lists: |a, x, _| (list(x).powf(a[0]).norm_squared() + list(x).max(a[1]).sum()).eval(),
        reals: |a, x, _| total(x, |_, x| (x.powf(a[0]).powi(2) + x.max(a[1])).eval()),
    },
    Pair {
        name: "results with partial derivatives of zero",
        lists: |a, x, y| {
            let w = (list(x).max(0.7) * a[0] * list(y) + list(x).sin()).split();
            list(&w).norm_squared().eval()
        },
        reals: |a, x, y| {
            total(x, |i, x| {
                (x.max(0.7) * a[0] * y[i] + x.sin()).powi(2).eval()
            })
        },
    },
    Pair {
        name: "extremes and a product",
        lists: |a, x, y| {
            (unary(Max, list(x) * list(y)) * unary(Min, list(x) * a[0])
                + (list(x) * 0.1 + 0.9).product())
            .eval()
        },
        reals: |a, x, y| {
            let (mut max, mut min) = ((x[0] * y[0]).eval(), (x[0] * a[0]).eval());
            let mut product = Real::passive(1.0);
            for (x, y) in x.iter().zip(y) {
                max = max.max(x * *y).eval();
                min = min.min(x * a[0]).eval();
                product *= x * 0.1 + 0.9;
            }
            (max * min + product).eval()
        },
    },
];

fn number(i: usize) -> f64 {
    ((i * i * 7 + 13 * i + 5) % 101) as f64 / 101.0 + 0.3
}
#[track_caller]
fn close(name: &str, what: &str, x: &[f64], y: &[f64]) {
    assert_eq!(x.len(), y.len());
    for (i, (x, y)) in x.iter().zip(y).enumerate() {
        let equal = relative_eq!(x, y, epsilon = 1e-10, max_relative = 1e-10);
        assert!(equal, "{name}: {what} {i} is {x} and should be {y}");
    }
}

struct Swept {
    value: f64,
    gradient: Vec<f64>,
    tangents: Vec<f64>,
    second: Vec<f64>,
    adjoints: Vec<f64>,
}
/// Along `N` directions; every `skip`-th element is passive, unless zero.
fn sweep<const N: usize>(f: Function, n: usize, skip: usize) -> Result<Swept, Error>
where
    entape_core::tape::Count: entape_core::tape::Directed<N>,
{
    let mut tape = Tape::new();
    let inputs: Vec<_> = tape.inputs((0..n + 2).map(number));
    let mut x = inputs.clone();
    for (i, x) in x.iter_mut().enumerate() {
        if skip > 0 && i % skip == 0 {
            *x = Real::passive(x.value());
        }
    }
    let y: Vec<f64> = (0..n).map(|i| number(3 * i + 1)).collect();
    // Results of statements store tangents and adjoints.
    let z = tape.record(|| {
        let x: Vec<_> = x.iter().map(|x| (x * x + 0.1).eval()).collect();
        let z = f(&x[..2], &x[2..], &y);
        (z * z + inputs[0] * z).eval()
    });
    let gradient = tape.gradient(&z)?.wrt_all(&inputs)?;
    let mut directions = tape.directions::<N>()?;
    for (i, x) in inputs.iter().enumerate() {
        directions.set(x, std::array::from_fn(|j| number(5 * i + j) - 0.6))?;
    }
    let swept = directions.sweep()?;
    let tangents = swept.of(&z)?.to_vec();
    let along = swept.gradient(&z)?;
    let mut second = Vec::new();
    for x in &inputs {
        second.push(along.gradient(x)?);
        second.extend(along.wrt(x)?);
    }
    let mut several = tape.adjoints()?;
    for j in [0, 3, 7] {
        several.seed(&z, j, 1.0 + j as f64)?;
    }
    let several = several.sweep()?;
    let mut adjoints = Vec::new();
    for x in &inputs {
        adjoints.extend(several.wrt(x)?);
    }
    Ok(Swept {
        value: z.value(),
        gradient,
        tangents,
        second,
        adjoints,
    })
}
fn compare<const N: usize>(pair: &Pair, n: usize, skip: usize) -> Result<(), Error>
where
    entape_core::tape::Count: entape_core::tape::Directed<N>,
{
    let name = format!("{} of {n}, every {skip} passive, {N} directions", pair.name);
    let lists = sweep::<N>(pair.lists, n, skip)?;
    let reals = sweep::<N>(pair.reals, n, skip)?;
    close(&name, "value", &[lists.value], &[reals.value]);
    close(&name, "gradient", &lists.gradient, &reals.gradient);
    close(&name, "tangent", &lists.tangents, &reals.tangents);
    close(&name, "second derivative", &lists.second, &reals.second);
    close(&name, "adjoint", &lists.adjoints, &reals.adjoints);
    Ok(())
}

#[test]
fn lists_have_the_derivatives_of_reals() -> Result<(), Error> {
    // A block has 128 elements.
    for pair in PAIRS {
        for n in [1, 2, 17, 127, 128, 129, 260] {
            compare::<1>(pair, n, 0)?;
            compare::<8>(pair, n, 0)?;
        }
    }
    Ok(())
}
#[test]
fn passive_variables_in_lists_have_no_derivative() -> Result<(), Error> {
    for pair in PAIRS {
        for n in [1, 3, 33, 140] {
            for skip in [1, 2, 3, 5] {
                compare::<1>(pair, n, skip)?;
                compare::<8>(pair, n, skip)?;
            }
        }
    }
    Ok(())
}
#[test]
fn empty_lists_have_the_derivatives_of_reals() -> Result<(), Error> {
    for pair in &PAIRS[..4] {
        compare::<1>(pair, 0, 0)?;
        compare::<8>(pair, 0, 0)?;
    }
    Ok(())
}

#[test]
fn elements_that_are_not_selected_contribute_nothing() -> Result<(), Error> {
    let mut tape = Tape::new();
    let x: Vec<_> = tape.inputs([0.0, 4.0, 1.0]);
    let y = tape.record(|| (unary(Max, list(&x).sqrt()) * x[2]).eval());
    assert_eq!(y.value(), 2.0);
    let mut directions = tape.directions::<1>()?;
    directions.set(&x[1], [1.0])?;
    let swept = directions.sweep()?;
    assert_eq!(swept.of(&y)?, [0.25]);
    let second = swept.gradient(&y)?;
    let rows: Vec<_> = x.iter().map(|x| second.wrt(x)).collect::<Result<_, _>>()?;
    assert_eq!(rows, [[0.0], [-1.0 / 32.0], [0.25]]);
    Ok(())
}
