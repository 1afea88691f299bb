//! The memory limit of a tape limits resident memory. Each program runs in a separate process, which returns the counts
//! of the system; systems other than Linux measure nothing.
#![cfg(target_os = "linux")]
use entape::{linalg::prelude::*, prelude::*, tape::Statistics};
use nalgebra::{DMatrix, DVector};
use std::{
    env, iter,
    num::NonZero,
    process::Command,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

const PROGRAM: &str = "ENTAPE_MEMORY_PROGRAM";
const LIMIT: usize = 16 << 20;
/// Memory that a process touches independently of the tape.
const ELSE: usize = 1 << 20;

fn resident(name: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("counts of the process");
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<usize>().ok());
    1024 * kilobytes.expect("a count of the process")
}
fn matrix(n: usize, seed: usize) -> DMatrix<f64> {
    let number = |i: usize, j: usize| ((1 + seed + i * 7 + j * 3) as f64).sin() / n as f64;
    DMatrix::from_fn(n, n, number) + DMatrix::identity(n, n)
}

/// A step, which is repeated until the tape is full, and its output.
type Program = fn(&mut Tape, usize) -> Measured;
struct Measured {
    recorded: usize,
    statistics: Statistics,
}
fn run<S>(
    tape: &mut Tape,
    mut state: S,
    step: impl Fn(&mut S),
    output: impl Fn(&S) -> Real,
) -> Measured {
    let before = resident("VmRSS");
    let mut y = None;
    while tape.full().is_none() {
        let next = tape.record(|| {
            step(&mut state);
            output(&state)
        });
        if tape.full().is_none() {
            y = Some(next);
        }
    }
    let recorded = resident("VmRSS").saturating_sub(before);
    let statistics = tape.statistics();
    if let Some(y) = y {
        tape.seed(&y, 1.0).expect("an output that was recorded");
        let _ = tape.sweep().expect("a sweep");
    }
    Measured {
        recorded,
        statistics,
    }
}
fn products(tape: &mut Tape, n: usize) -> Measured {
    let a: Matrix = tape.input(matrix(n, 0));
    let x = tape.record(|| a.clone());
    let step = |x: &mut Matrix| {
        for _ in 0..20 {
            x.update(|x| 0.3 * (x * &a) - &a);
        }
    };
    run(tape, x, step, |x| x.norm_squared().eval())
}
/// Factorizations that statements share, and passive matrices with many readers.
fn solves(tape: &mut Tape, n: usize) -> Measured {
    let a: Matrix = tape.input(matrix(n, 0) * 2.0);
    let passive = Matrix::passive(matrix(n, 5));
    let start = Vector::passive(DVector::from_element(n, 1.0));
    let x: Vector = tape.input(DVector::from_element(n, 1.0));
    let step = |x: &mut Vector| {
        for _ in 0..20 {
            let lu = (&a + &passive).lu();
            let once = lu.solve(&*x).expect("a matrix of full rank").eval();
            let twice = lu.solve(&once).expect("a matrix of full rank").eval();
            x.assign(&passive * &twice + &start);
        }
    };
    run(tape, x, step, |x| x.norm_squared().eval())
}
fn arrays(tape: &mut Tape, n: usize) -> Measured {
    let v: Array = tape.input(vec![0.5; n]);
    let x = tape.record(|| v.clone());
    let step = |x: &mut Array| {
        for _ in 0..20 {
            x.update(|x| (x * &v).sin());
            x.slice_mut(1..n / 2).assign(v.slice(0..n / 2 - 1).sin());
        }
    };
    run(tape, x, step, |x| x.sum().eval())
}
/// All states are live. A sweep takes the adjoint of each state before the next one has an adjoint.
fn series(tape: &mut Tape, n: usize) -> Measured {
    let a: Matrix = tape.input(matrix(n, 0));
    let x = tape.record(|| vec![a.clone()]);
    let output = |x: &Vec<Matrix>| {
        let last = x.iter().rev().take(20);
        last.map(|x| x.norm_squared().eval()).sum::<Real>()
    };
    run(tape, x, |x| next_states(x, &a), output)
}
fn next_states(x: &mut Vec<Matrix>, a: &Matrix) {
    for _ in 0..20 {
        let mut next = x[x.len() - 1].clone();
        next.update(|x| 0.3 * (x * a) - a);
        x.push(next);
    }
}
fn all_states(tape: &mut Tape, n: usize) -> Measured {
    let a: Matrix = tape.input(matrix(n, 0));
    let x = tape.record(|| vec![a.clone()]);
    let output = |x: &Vec<Matrix>| x.iter().map(|x| x.norm_squared().eval()).sum::<Real>();
    run(tape, x, |x| next_states(x, &a), output)
}
const PROGRAMS: [(&str, Program, usize); 14] = [
    ("products", products, 4),
    ("products", products, 32),
    ("products", products, 200),
    ("solves", solves, 4),
    ("solves", solves, 32),
    ("solves", solves, 100),
    ("arrays", arrays, 10),
    ("arrays", arrays, 1000),
    ("arrays", arrays, 100_000),
    ("series", series, 4),
    ("series", series, 32),
    ("series", series, 100),
    ("all states", all_states, 32),
    ("all states", all_states, 100),
];

fn child(number: usize) {
    let (name, program, n) = PROGRAMS[number];
    let builder = Tape::builder().huge_pages(false).memory_limit(LIMIT);
    let mut tape: Tape = builder.build().expect("a tape");
    // Memory that the program takes once does not belong to the tape.
    let small = Tape::builder().memory_limit(LIMIT / 16);
    program(&mut small.build().expect("a tape"), n.min(10));
    let before = resident("VmRSS");
    for round in 0..2 {
        let measured = program(&mut tape, n);
        let Measured {
            recorded,
            statistics,
        } = &measured;
        let [peak, told]: [usize; 2] = [resident("VmHWM") - before, statistics.allocated_bytes];
        println!("{name} {n}: recorded {recorded}, told {told}, peak {peak}\n{statistics}");
        assert!(tape.full().is_some());
        if round == 0 {
            let difference = recorded.abs_diff(told);
            assert!(
                difference < LIMIT / 10 + ELSE,
                "{name} {n}: {told} bytes told, {recorded} resident"
            );
        }
        // Holes in the allocator's memory are not counted.
        let more = if round == 0 { LIMIT / 10 } else { LIMIT / 6 };
        assert!(peak < LIMIT + more + ELSE, "{name} {n}: a peak of {peak}");
        // Half of it is for the adjoints of live variables, of which a series only has a few at a time.
        let least = match name {
            "series" | "all states" => LIMIT * 2 / 5,
            _ => LIMIT * 4 / 5,
        };
        assert!(told > least, "{name} {n}: full with {told}");
        assert!(
            name != "all states" || peak > LIMIT * 4 / 5,
            "{name} {n}: a peak of {peak}"
        );
        tape.reset();
    }
}

#[test]
fn memory_limits_bound_resident_memory() {
    if let Ok(number) = env::var(PROGRAM) {
        return child(number.parse().expect("the number of a program"));
    }
    let this = env::current_exe().expect("the path of this program");
    let run = |number: usize| {
        let mut command = Command::new(&this);
        let command = command.args(["limits_are", "--nocapture", "--test-threads=1"]);
        let output = command
            .env(PROGRAM, number.to_string())
            .output()
            .expect("a process");
        let told = [output.stdout, output.stderr]
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        (!output.status.success()).then(|| told.concat())
    };
    let next = AtomicUsize::new(0);
    let take = || {
        let numbers = iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let numbers = numbers.take_while(|&number| number < PROGRAMS.len());
        numbers.filter_map(run).collect::<Vec<_>>()
    };
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    let failed = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(take)).collect();
        let each = workers
            .into_iter()
            .map(|worker| worker.join().expect("what failed"));
        each.collect::<Vec<_>>().concat()
    });
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
