//! The cost of parts of programs that are differentiated as a whole, in thread CPU time.
//!
//! ```text
//! cargo bench -p entape-benches --bench structure              external functions, parts as Jacobians, implicit functions
//! cargo bench -p entape-benches --bench structure -- --test    everything once
//! ```
//!
//! criterion measures single statements. The others are medians of rounds in which programs take turns.
//!
//! * *external*: a statement of a closure, beside a statement of an operation.
//! * *preaccumulate*: a loop of 1000 statements with two inputs and one output, recorded and swept, over the loop
//!   itself.
//! * *implicit*: the derivative of a root, beside a step of Newton's method with the same matrix; the derivative of a
//!   fixed point, beside its iteration.
//! * *cores*: a sum of residuals on one thread and on all, in wall-clock time.
use criterion::Criterion;
use entape::{
    external, function,
    implicit::{Gmres, fixed_point, root},
    parallel::Parallel,
    preaccumulate,
    prelude::*,
};
use entape_programs::measure::{
    median,
    micro::{ThreadCpu, criterion, each_part},
    turns,
};
use faer::{Mat, linalg::solvers::Solve};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::{
    env,
    hint::black_box,
    ops::Range,
    time::{Duration, Instant},
};

fn main() {
    let mut criterion = criterion(50);
    let once = env::args().any(|argument| argument == "--test");
    let rounds = if once { 1 } else { 21 };
    externals(&mut criterion, if once { 10 } else { 10_000 });
    criterion.final_summary();
    for parts in [1, 100] {
        preaccumulated(rounds, parts);
    }
    for n in if once { vec![4] } else { vec![20, 200] } {
        roots(rounds, n);
    }
    fixed_points(rounds, if once { 4 } else { 100 });
    cores(rounds.min(9), if once { 100 } else { 1_000_000 });
}
fn cores(rounds: usize, terms: usize) {
    let data: Vec<f64> = (0..terms)
        .map(|i| (i as f64 * 0.618).sin() + 0.5 * (i as f64 * 1e-6))
        .collect();
    let square = |x: &[Real], i: usize| {
        let t = i as f64 * 1e-6;
        let model = (x[0] * (x[1] * t).exp() + x[2] * (x[3] * t).sin()).eval();
        (model - data[i]).powi(2).eval()
    };
    let x = [0.3, -0.7, 0.9, 2.0];
    let pool = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().expect("the system can start threads")
    };
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let pools = [pool(1), pool(all)];
    let plain = |range: Range<usize>| -> f64 {
        let square = |i: usize| {
            let t = i as f64 * 1e-6;
            let model = x[0] * (x[1] * t).exp() + x[2] * (x[3] * t).sin();
            (model - data[i]).powi(2)
        };
        range.map(square).sum()
    };
    let block = terms.div_ceil(64);
    let blocks = || {
        (0..64)
            .into_par_iter()
            .map(|i| i * block..((i + 1) * block).min(terms))
    };
    let (mut times, mut sums) = ([const { Vec::new() }; 2], [const { Vec::new() }; 2]);
    let mut plain_times = [const { Vec::new() }; 2];
    for round in 0..=rounds {
        for (pool, times) in pools.iter().zip(&mut plain_times) {
            let begin = Instant::now();
            black_box(pool.install(|| blocks().map(plain).sum::<f64>()));
            if round > 0 {
                times.push(begin.elapsed());
            }
        }
        for ((pool, times), sums) in pools.iter().zip(&mut times).zip(&mut sums) {
            let begin = Instant::now();
            let sum = pool.install(|| Parallel::new().sum(terms, square, &x));
            if round > 0 {
                times.push(begin.elapsed());
            }
            let (value, gradient) = sum.expect("a sum");
            sums.push((value.to_bits(), gradient.map(f64::to_bits)));
        }
    }
    let [one, many] = times.map(median);
    let [plain_one, plain_many] = plain_times.map(median);
    let same = sums[0].iter().chain(&sums[1]).all(|sum| *sum == sums[0][0]);
    assert!(same, "a sum differs between numbers of threads");
    println!(
        "sum of {terms} residuals: one thread {:.1} ms, {all} threads {:.2} times as fast, the same bits; the plain sum {:.2} times as fast",
        us(one) / 1e3,
        us(one) / us(many),
        us(plain_one) / us(plain_many)
    );
}
fn us(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// The time of a statement that uses the result of the one before.
fn chain(
    criterion: &mut Criterion<ThreadCpu>,
    name: &str,
    count: usize,
    statement: impl Fn(Real) -> Real,
) {
    let mut tape = Tape::new();
    let mut record = || {
        tape.reset();
        let x = tape.input(0.5);
        tape.record(|| (0..count).fold(x, |x, _| statement(x)))
    };
    let mut group = criterion.benchmark_group(name);
    group.bench_function("record", |b| b.iter_custom(each_part(count, &mut record)));
    let end = record();
    group.bench_function("reverse", |b| {
        b.iter_custom(each_part(count, || {
            tape.gradient(&end).map(drop).expect("a sweep");
        }));
    });
    group.finish();
}
fn externals(criterion: &mut Criterion<ThreadCpu>, count: usize) {
    chain(criterion, "external function", count, |x| {
        let (sin, cos) = x.value().sin_cos();
        external(x, sin, move |r_b: f64| r_b * cos).eval()
    });
    chain(criterion, "operation", count, |x| x.sin().eval());
}

fn preaccumulated(rounds: usize, parts: usize) {
    fn part((a, mut x): (Real, Real)) -> Real {
        for _ in 0..500 {
            let rest = (1.0 - x).eval();
            x = (a * x * rest).eval();
        }
        x
    }
    let record = |tape: &mut Tape, stored: bool| {
        tape.reset();
        let (a, x) = (tape.input(2.4), tape.input(0.3));
        tape.record(|| {
            (0..parts).fold(x, |x, _| match stored {
                true => preaccumulate((a, x), part),
                false => part((a, x)),
            })
        })
    };
    let (mut whole, mut small) = (Tape::new(), Tape::new());
    let [recorded, stored] = turns(
        rounds,
        [&mut || _ = record(&mut whole, false), &mut || {
            _ = record(&mut small, true)
        }],
    );
    let (y, z) = (record(&mut whole, false), record(&mut small, true));
    // as many sweeps as needed for the resolution of the clock
    let count = (10_000 / parts).max(1);
    let [long, short] = turns(
        rounds,
        [
            &mut || (0..count).for_each(|_| _ = black_box(whole.gradient(&y).expect("a sweep"))),
            &mut || (0..count).for_each(|_| _ = black_box(small.gradient(&z).expect("a sweep"))),
        ],
    );
    let each = |time: Duration| us(time) / count as f64;
    println!(
        "preaccumulate: {parts} of 1000 statements: sweep {:.2} us, of {} statements {:.3} us, {:.0} times as fast; recording {:.1} us \
         and {:.1} us; {} and {} bytes",
        each(long),
        small.statistics().statements,
        each(short),
        each(long) / each(short),
        us(recorded),
        us(stored),
        whole.statistics().bytes(),
        small.statistics().bytes()
    );
}

/// Heat with a source in a nonlinear medium: a dense system, because each point radiates to all others.
#[function]
fn radiation<M: Mode>((x, p): (&[Real<M>], &[Real<M>])) -> Vec<Real<M>> {
    let n = x.len();
    let all = x.iter().sum::<Real<M>>() * (0.1 / n as f64);
    let all = all.eval();
    let beside = |i: usize| x[(i + 1) % n] + x[(i + n - 1) % n];
    let each = |i: usize| (2.5 * x[i] - beside(i) + x[i].powi(3) * 0.2 - all * all - p[i]).eval();
    (0..n).map(each).collect()
}
fn roots(rounds: usize, n: usize) {
    let f = || radiation {};
    let p: Vec<f64> = (0..n).map(|i| 1.0 + (i as f64).sin()).collect();
    let newton = |x: &[f64]| {
        let of = Objective::like(f(), (x, &p));
        let at = of.coordinates((x, &p));
        let matrix = of.jacobian_columns(&at, 0..n).expect("a Jacobian");
        let values = of.values(&at);
        let lu = Mat::from_fn(n, n, |i, j| matrix[(i, j)]).partial_piv_lu();
        let mut step = Mat::from_fn(n, 1, |i, _| values[i]);
        lu.solve_in_place(step.as_mut());
        let next = x.iter().enumerate().map(|(i, x)| x - step[(i, 0)]);
        next.collect::<Vec<f64>>()
    };
    let x = (0..30).fold(vec![0.5; n], |x, _| newton(&x));
    let mut tape = Tape::new();
    let mut derivative = |free: bool| {
        tape.reset();
        let p = tape.inputs(p.iter().copied());
        let y = tape.record(|| {
            let point = root(f(), &x, &p);
            let x = if free {
                point.solver(Gmres::default()).eval()
            } else {
                point.eval()
            };
            x.expect("a solution").iter().map(|x| x * x).sum::<Real>()
        });
        let gradient = tape.gradient(&y).expect("a sweep");
        black_box(gradient.wrt_all(&p).expect("inputs"));
    };
    let derivative = std::cell::RefCell::new(&mut derivative);
    let [step, dense, free] = turns(
        rounds,
        [
            &mut || _ = black_box(newton(&x)),
            &mut || (derivative.borrow_mut())(false),
            &mut || (derivative.borrow_mut())(true),
        ],
    );
    println!(
        "implicit: a root of {n} unknowns: gradient {:.2} of a step of Newton's method ({:.0} us), {:.2} with GMRES",
        us(dense) / us(step),
        us(step),
        us(free) / us(step)
    );
}

#[function]
fn contraction<M: Mode>((x, p): (&[Real<M>], &[Real<M>])) -> Vec<Real<M>> {
    let n = x.len();
    let each = |i: usize| (0.4 * p[0] * x[(i + 1) % n].sin() + 0.3 * x[i].cos() + p[1]).eval();
    (0..n).map(each).collect()
}
fn fixed_points(rounds: usize, n: usize) {
    const STEPS: usize = 60;
    let at = [0.9, 0.2];
    let plain: Vec<f64> = {
        let p = at.map(Real::<Plain>::passive);
        let mut x = vec![Real::passive(0.0); n];
        (0..STEPS).for_each(|_| x = contraction((&x, &p)));
        x.iter().map(|x| x.value()).collect()
    };
    let unrolled = |p: &[Real]| {
        let mut x = vec![Real::passive(0.0); n];
        (0..STEPS).for_each(|_| x = contraction((&x, p)));
        x.into_iter().sum::<Real>()
    };
    let solved = |p: &[Real]| {
        let g = contraction {};
        let x = fixed_point(g, &plain, p).solver(Gmres::default()).eval();
        x.expect("a fixed point").into_iter().sum::<Real>()
    };
    let [whole, implicit] = [
        entape::gradient(unrolled, &at).expect("a gradient"),
        entape::gradient(solved, &at).expect("a gradient"),
    ];
    let error = (0..2).map(|i| (whole[i] - implicit[i]).abs() / whole[i].abs());
    let [long, short] = turns(
        rounds,
        [
            &mut || _ = black_box(entape::gradient(unrolled, &at)),
            &mut || _ = black_box(entape::gradient(solved, &at)),
        ],
    );
    println!(
        "implicit: a fixed point of {n} unknowns: gradient {:.0} us, of {STEPS} recorded steps {:.0} us; relative difference {:.1e}",
        us(short),
        us(long),
        error.fold(0.0, f64::max)
    );
}
