//! The cost of inputs, driver calls and lists, compared with hand-written code.
//!
//! ```text
//! cargo bench -p entape-benches --bench everyday             a table of tapes, then criterion
//! cargo bench -p entape-benches --bench everyday -- list     under criterion only what has this in its name
//! cargo bench -p entape-benches --bench everyday -- --test   everything once
//! ```
//!
//! criterion measures calls, in thread CPU time. The first tape of a process is timed separately.
use criterion::{BenchmarkId, Criterion};
use entape::{
    driver::value_and_gradient,
    expr::list,
    prelude::*,
    real::ListReductions,
    tape::{Error, Tape},
};
use entape_programs::measure::{
    median,
    micro::{Group, ThreadCpu, criterion, each_part},
    timed,
};
use std::{env, hint::black_box, time::Duration};

type Plain = entape::expr::Active<f64, entape::mode::Plain>;

fn main() -> Result<(), Error> {
    let mut criterion = criterion(50);
    let once = env::args().any(|argument| argument == "--test");
    tapes(if once { 100 } else { 2_000_000 })?;
    inputs(&mut criterion);
    drivers(&mut criterion)?;
    lists(&mut criterion);
    criterion.final_summary();
    Ok(())
}

/// The first tape of the process, another one after it was dropped, and a tape that records again.
fn tapes(statements: usize) -> Result<(), Error> {
    let run = |tape: &mut Tape| -> Result<[Duration; 2], Error> {
        let x = tape.input(black_box(0.5));
        let (record, y) = timed(|| {
            tape.record(|| (0..statements).fold(x, |y, _| (y * y * 0.5 + x * 0.3).eval()))
        });
        let (sweep, gradient) = timed(|| tape.gradient(&y).map(|_| ()));
        gradient.map(|()| [record, sweep])
    };
    let mut tape = Tape::new();
    let first = run(&mut tape)?;
    drop(tape);
    let mut tape = Tape::new();
    let second = run(&mut tape)?;
    let mut again = || {
        tape.reset();
        run(&mut tape)
    };
    let warm: Vec<_> = (0..5).map(|_| again()).collect::<Result<_, _>>()?;
    let warm = [0, 1].map(|i| median(warm.iter().map(|times| times[i])));
    println!(
        "| {statements} statements, ns each | record | sweep | both over warm |\n|---|--:|--:|--:|"
    );
    let each = |time: Duration| time.as_secs_f64() * 1e9 / statements as f64;
    for (name, [record, sweep]) in [
        ("first tape", first),
        ("second tape", second),
        ("a tape again", warm),
    ] {
        let over = (record + sweep).div_duration_f64(warm[0] + warm[1]);
        println!(
            "| {name} | {:.1} | {:.1} | {over:.2} |",
            each(record),
            each(sweep)
        );
    }
    println!();
    Ok(())
}

fn inputs(criterion: &mut Criterion<ThreadCpu>) {
    const N: usize = 1000;
    let values = vec![1.5; N];
    let mut tape = Tape::new();
    let mut group = criterion.benchmark_group(format!("of {N} inputs, each"));
    group.bench_function("input", |b| {
        b.iter_custom(each_part(N, || {
            tape.reset();
            values.iter().for_each(|&x| _ = black_box(tape.input(x)));
        }));
    });
    group.bench_function("inputs", |b| {
        b.iter_custom(each_part(N, || {
            tape.reset();
            tape.inputs(values.iter().copied())
        }));
    });
    group.finish();
}

fn rosenbrock<T: Copy>(x: &[T], term: impl Fn(T, T) -> T, sum: impl Fn(T, T) -> T, zero: T) -> T {
    x.windows(2).fold(zero, |s, x| sum(s, term(x[0], x[1])))
}
fn recorded(x: &[Real]) -> Real {
    rosenbrock(
        x,
        |a, b| (100.0 * (b - a * a).powi(2) + (1.0 - a).powi(2)).eval(),
        |s, t| (s + t).eval(),
        Real::passive(0.0),
    )
}
fn drivers(criterion: &mut Criterion<ThreadCpu>) -> Result<(), Error> {
    for (name, n) in [("x y + x", 2), ("Rosenbrock", 10), ("Rosenbrock", 1000)] {
        let x: Vec<f64> = (0..n).map(|i| 0.5 + 0.1 * (i % 7) as f64).collect();
        let f = |x: &[Real]| match n {
            2 => (x[0] * x[1] + x[0]).eval(),
            _ => recorded(x),
        };
        let plain = || {
            let x = black_box(&x);
            match n {
                2 => x[0] * x[1] + x[0],
                _ => rosenbrock(
                    x,
                    |a, b| 100.0 * (b - a * a).powi(2) + (1.0 - a).powi(2),
                    |s, t| s + t,
                    0.0,
                ),
            }
        };
        let mut tape = Tape::new();
        let mut own = || {
            tape.reset();
            let inputs = tape.inputs(x.iter().copied());
            let y = tape.record(|| f(&inputs));
            tape.gradient(&y)?.wrt_all(&inputs)
        };
        let (_, by_driver) = value_and_gradient(f, &x)?;
        assert_eq!(by_driver, own()?);
        let mut group = criterion.benchmark_group(format!("gradient: {name}, n = {n}"));
        group.bench_function("plain", |b| b.iter(plain));
        group.bench_function("driver", |b| b.iter(|| value_and_gradient(f, &x)));
        group.bench_function("own tape", |b| b.iter(&mut own));
        group.finish();
    }
    Ok(())
}

struct ListOperation<'l> {
    name: &'static str,
    by_hand: &'l dyn Fn(&[f64]) -> f64,
    in_plain: &'l dyn Fn(&[Plain]) -> f64,
    by_steps: &'l dyn Fn(&[Real]) -> Real,
    at_once: &'l dyn Fn(&[Real]) -> Real,
}
fn lists(criterion: &mut Criterion<ThreadCpu>) {
    for n in [2, 16, 100, 1000] {
        let values: Vec<f64> = (0..n).map(|i| 1.0 + 0.3 * i as f64).collect();
        let means: Vec<f64> = values.iter().map(|x| x - 0.5).collect();
        let zero = || Real::passive(0.0);
        let operations = [
            ListOperation {
                name: "sum",
                by_hand: &|x| x.iter().sum(),
                in_plain: &|x| x.sum().eval().value(),
                by_steps: &|x| {
                    x.iter().fold(zero(), |mut s, x| {
                        s += x;
                        s
                    })
                },
                at_once: &|x| x.sum().eval(),
            },
            ListOperation {
                name: "norm_squared",
                by_hand: &|x| x.iter().map(|x| x * x).sum(),
                in_plain: &|x| x.norm_squared().eval().value(),
                by_steps: &|x| {
                    x.iter().fold(zero(), |mut s, x| {
                        s += x * x;
                        s
                    })
                },
                at_once: &|x| x.norm_squared().eval(),
            },
            ListOperation {
                name: "dot",
                by_hand: &|x| x.iter().zip(x).map(|(x, y)| x * y).sum(),
                in_plain: &|x| x.dot(x).eval().value(),
                by_steps: &|x| {
                    x.iter().zip(x).fold(zero(), |mut s, (x, y)| {
                        s += x * y;
                        s
                    })
                },
                at_once: &|x| x.dot(x).eval(),
            },
            ListOperation {
                name: "(x - m)²",
                by_hand: &|x| x.iter().zip(&means).map(|(x, m)| (x - m).powi(2)).sum(),
                in_plain: &|x| (list(x) - list(&means)).powi(2).sum().eval().value(),
                by_steps: &|x| {
                    x.iter().zip(&means).fold(zero(), |mut s, (x, &m)| {
                        s += (x - m).powi(2);
                        s
                    })
                },
                at_once: &|x| (list(x) - list(&means)).powi(2).sum().eval(),
            },
        ];
        for operation in &operations {
            let mut group = criterion.benchmark_group(format!("list: {}", operation.name));
            of_list(&mut group, operation, &values);
            group.finish();
        }
    }
}
fn of_list(group: &mut Group<'_>, operation: &ListOperation<'_>, values: &[f64]) {
    /// Lists in a recording, whose beginning, seed and sweep take as long as many short lists.
    const TIMES: usize = 20;
    let id = |name| BenchmarkId::new(name, values.len());
    group.bench_function(id("loop over `f64`"), |b| {
        b.iter(|| (operation.by_hand)(black_box(values)));
    });
    let plain: Vec<Plain> = values.iter().copied().map(Plain::passive).collect();
    group.bench_function(id("plain mode"), |b| {
        b.iter(|| (operation.in_plain)(black_box(&plain)));
    });
    let mut tape = Tape::new();
    let x = tape.inputs(values.iter().copied());
    let start = tape.position();
    for (name, recorded) in [
        ("`+=` recorded and swept", operation.by_steps),
        ("one statement, recorded and swept", operation.at_once),
    ] {
        let mut swept = || -> Result<(), Error> {
            let y = tape.record(|| [(); TIMES].map(|()| recorded(&x)));
            y.iter().try_for_each(|y| tape.seed(y, 1.0))?;
            _ = tape.sweep_to(&start)?;
            tape.reset_to(&start)
        };
        group.bench_function(id(name), |b| {
            b.iter_custom(each_part(TIMES, || swept().expect("a sweep")));
        });
    }
}
