//! The cost of derivatives along directions, in thread CPU time.
//!
//! ```text
//! cargo bench -p entape-benches --bench directions                 in registers beside num-dual; sweeps of Burgers' equations, of lists and of matrices
//! BURGERS=100,8 cargo bench -p entape-benches --bench directions   another grid
//! cargo bench -p entape-benches --bench directions -- --test       everything once
//! ```
//!
//! criterion measures calls in registers. Times of sweeps are medians of rounds in which the programs take turns.
//!
//! * *registers*: functions of a few inputs in the mode `Forward<N>`, beside the plain program and `num-dual`.
//! * *tape*: sweeps of one recording over its reverse sweep: tangents, the Hessian times a vector, eight adjoints or
//!   tangents at once; for reals, arrays and lists. The sweeps of arrays are also written by hand, and vectorised with
//!   `RUSTFLAGS="-C target-cpu=native"`.
//! * *matrices*: the Hessian times a vector over the gradient, with the recording in both.
//! * *sparse*: the Jacobian of a tridiagonal residual by colours with the recording, over the recording alone; at a new
//!   point, with a known pattern.
use criterion::Criterion;
use entape::{driver::Objective, function, kind::Kind, prelude::*, real::ListReductions};
use entape_programs::{
    burgers::{Burgers, Grid, Statements},
    burgers_array,
    linalg::{Analysis, inputs},
    measure::{
        micro::{Group, ThreadCpu, criterion},
        ms, turns,
    },
};
use num_dual::{Derivative, Dual64, DualSVec64};
use std::{array::from_fn, env, error::Error as StdError, hint::black_box, time::Duration};

#[path = "directions/by_hand.rs"]
mod by_hand;
#[path = "directions/functions.rs"]
mod functions;
use by_hand::ByHand;
use functions::{hires, hires_dual, projection, projection_dual, rosenbrock, rosenbrock_dual};

type Outcome<T = ()> = Result<T, Box<dyn StdError>>;

fn main() -> Outcome {
    let once = env::args().any(|argument| argument == "--test");
    let rounds = if once { 1 } else { 9 };
    let mut criterion = criterion(50);
    registers(&mut criterion);
    criterion.final_summary();
    tape(grid(once)?, rounds);
    for n in if once { vec![4] } else { vec![4, 20, 100] } {
        matrices(n, rounds)?;
    }
    sparse(if once { 100 } else { 100_000 }, rounds)
}
/// `BURGERS=N,steps`.
fn grid(once: bool) -> Outcome<Grid> {
    let (n, steps) = match env::var("BURGERS") {
        Ok(sizes) => {
            let (n, steps) = sizes.split_once(',').ok_or("two numbers are expected")?;
            (n.parse()?, steps.parse()?)
        }
        Err(_) if once => (20, 2),
        Err(_) => (250, 16),
    };
    Ok(Grid { n, steps })
}

fn over(time: Duration, base: Duration) -> f64 {
    time.as_secs_f64() / base.as_secs_f64()
}

fn seeded<const N: usize, const K: usize>(x: [f64; K]) -> [Real<Forward<N>>; K] {
    from_fn(|i| Real::with_tangents(x[i], from_fn(|j| if i == j { 1.0 } else { 0.0 })))
}
fn duals<const N: usize, const K: usize>(x: [f64; K]) -> [DualSVec64<N>; K] {
    from_fn(|i| {
        let unit = nalgebra::SVector::<f64, N>::from_fn(|j, _| if i == j { 1.0 } else { 0.0 });
        DualSVec64::new(x[i], Derivative::some(unit))
    })
}
fn single_duals<const K: usize>(x: [f64; K]) -> [Dual64; K] {
    from_fn(|i| Dual64::new(x[i], if i == 0 { 1.0 } else { 0.0 }))
}
fn call<X, Y>(group: &mut Group<'_>, name: &str, f: impl Fn(&X) -> Y, x: X) {
    group.bench_function(name, |b| b.iter(|| f(black_box(&x))));
}
fn registers(criterion: &mut Criterion<ThreadCpu>) {
    // Each call uses another instance.
    macro_rules! compare {
        ($f:ident, $dual:ident, $x:expr) => {{
            let x = $x;
            let mut group = criterion.benchmark_group(concat!("in registers: ", stringify!($f)));
            call(&mut group, "plain", $f, x.map(Real::<Plain>::passive));
            call(&mut group, "Forward<1>", $f, seeded::<1, _>(x));
            call(&mut group, "Dual64", $dual, single_duals(x));
            call(&mut group, "Forward<8>", $f, seeded::<8, _>(x));
            call(&mut group, "DualSVec64<8>", $dual, duals::<8, _>(x));
            group.finish();
        }};
    }
    compare!(
        rosenbrock,
        rosenbrock_dual,
        from_fn::<f64, 20, _>(|i| 0.5 + 0.1 * i as f64)
    );
    compare!(
        projection,
        projection_dual,
        [0.1, -0.2, 0.3, 0.5, 0.1, 4.0, 0.3, -0.4, 2.0]
    );
    compare!(
        hires,
        hires_dual,
        [0.7, 0.1, 0.02, 0.3, 0.4, 0.5, 0.001, 0.0056]
    );
}

/// Sweeps of a recording of `y` with the inputs `x`, all of kind `K`.
fn sweeps<K: Kind>(name: &str, tape: Tape, x: &[&Active<K>], y: &Real, rounds: usize) {
    let tape = std::cell::RefCell::new(tape);
    fn tangents<K: Kind, const N: usize>(
        tape: &mut Tape,
        x: &[&Active<K>],
        y: Option<&Real>,
    ) -> Result<(), Error>
    where
        entape::tape::Count: entape::tape::Directed<N>,
    {
        let mut directions = tape.directions::<N>()?;
        for x in x {
            // A direction without a pattern: the point itself.
            directions.set(x, from_fn(|_| x.get().clone()))?;
        }
        let tangents = directions.sweep()?;
        if let Some(y) = y {
            let _ = tangents.gradient(y)?;
        }
        Ok(())
    }
    let fine = |result: Result<(), Error>| result.expect("a sweep");
    let times = turns(
        rounds,
        [
            &mut || fine(tape.borrow_mut().gradient(y).map(drop)),
            &mut || fine(tangents::<K, 1>(&mut tape.borrow_mut(), x, None)),
            &mut || fine(tangents::<K, 1>(&mut tape.borrow_mut(), x, Some(y))),
            &mut || {
                let mut tape = tape.borrow_mut();
                let mut adjoints = tape.adjoints().expect("a tape");
                (0..8).for_each(|j| fine(adjoints.seed(y, j, 1.0)));
                fine(adjoints.sweep().map(drop));
            },
            &mut || fine(tangents::<K, 8>(&mut tape.borrow_mut(), x, None)),
            &mut || fine(tangents::<K, 8>(&mut tape.borrow_mut(), x, Some(y))),
        ],
    );
    table(name, &times);
}
fn by_hand(grid: Grid, size: &str, by_tape: &[Vec<f64>; 2], rounds: usize) {
    let program = ByHand::new(grid);
    let start = program.start();
    let product = program.hessian_vector(start);
    let largest = by_tape
        .iter()
        .flatten()
        .fold(0.0, |m: f64, x| m.max(x.abs()));
    for (x, y) in product.iter().flatten().zip(by_tape.iter().flatten()) {
        assert!(
            (x - y).abs() < 1e-10 * largest,
            "{x} by hand, {y} by the tape"
        );
    }
    let times = turns(
        rounds,
        [
            &mut || drop(black_box(program.adjoints(1))),
            &mut || drop(black_box(program.tangents(1, start))),
            &mut || drop(black_box(program.hessian_vector(start))),
            &mut || drop(black_box(program.adjoints(8))),
            &mut || drop(black_box(program.tangents(8, start))),
        ],
    );
    let name = format!("Burgers' equations by arrays, by hand, {size}");
    table(&name, &times);
}
const SWEEPS: [&str; 6] = [
    "reverse",
    "tangent",
    "Hessian times a vector",
    "eight adjoints",
    "eight tangents",
    "Hessian times eight vectors",
];
fn table(name: &str, times: &[Duration]) {
    println!("## Sweeps of a recording: {name}\n");
    println!("| sweep | ms | over the reverse sweep |\n|---|--:|--:|");
    for (sweep, time) in SWEEPS.iter().zip(times) {
        println!(
            "| {sweep} | {:.2} | {:.2} |",
            ms(*time),
            over(*time, times[0])
        );
    }
    println!();
}
fn tape(grid: Grid, rounds: usize) {
    let Grid { n, steps } = grid;
    let size = format!("{n} x {n} points, {steps} steps");
    let mut tape = Tape::new();
    let mut burgers = Burgers::new(grid, |x| tape.input(x));
    let y = tape.record(|| burgers.by_value(Statements::Four));
    let x: Vec<_> = burgers.initial.iter().collect();
    sweeps(
        &format!("Burgers' equations by reals, {size}"),
        tape,
        &x,
        &y,
        rounds,
    );

    let mut tape = Tape::new();
    let initial = grid.initial();
    let (u, v) = (tape.input(initial.u), tape.input(initial.v));
    let fields = (u, v);
    let y = tape.record(|| burgers_array::program(grid, &fields));
    let by_tape = {
        let mut directions = tape.directions::<1>().expect("tangents");
        for x in [&fields.0, &fields.1] {
            directions.set(x, [x.get().clone()]).expect("an input");
        }
        let tangents = directions.sweep().expect("tangents");
        let second = tangents.gradient(&y).expect("a sweep");
        [&fields.0, &fields.1].map(|x| second.wrt(x).expect("an input")[0].clone())
    };
    let name = format!("Burgers' equations by arrays, {size}");
    sweeps(&name, tape, &[&fields.0, &fields.1], &y, rounds);
    by_hand(grid, &size, &by_tape, rounds);

    let mut tape = Tape::new();
    let x: Vec<Real> = tape.inputs((0..82).map(|i| 0.3 + 0.01 * f64::from(i)));
    let data: Vec<f64> = (0..15).map(|i| 0.2 * f64::from(i) - 1.4).collect();
    let y = tape.record(|| {
        let mut sum = (x[0] * x[1]).eval();
        for z in x[2..].chunks(2) {
            let residual = list(&data) - z[0] * x[0] - z[1] * x[1] * list(&data);
            sum += residual.powi(2).sum() / x[1] - z.norm_squared();
        }
        sum
    });
    let x: Vec<_> = x.iter().collect();
    sweeps("a hierarchical model by lists", tape, &x, &y, 100 * rounds);
}

#[function]
fn tridiagonal<M: Mode>(x: &[Real<M>]) -> Vec<Real<M>> {
    let n = x.len();
    let row = |i: usize| match i {
        0 => (x[0] * x[0] - x[1]).eval(),
        i if i == n - 1 => (x[i] * x[i] * 3.0 - x[i - 1]).eval(),
        i => (x[i] * (3.0 - 2.0 * x[i]) - x[i - 1] - 2.0 * x[i + 1] + 1.0).eval(),
    };
    (0..n).map(row).collect()
}
fn sparse(n: usize, rounds: usize) -> Outcome {
    let objective = Objective::new(tridiagonal {});
    let points: Vec<Vec<f64>> = (0..2)
        .map(|shift| (0..n).map(|i| ((i + shift) as f64 * 0.7).sin()).collect())
        .collect();
    let plan = objective.jacobian_plan(&points[0])?;
    let (mut tape, mut at) = (Tape::new(), 0);
    let [recording, jacobian] = turns(
        rounds,
        [
            &mut || {
                tape.reset();
                let x: Vec<Real> = tape.inputs(points[0].iter().copied());
                black_box(tape.record(|| tridiagonal(&x)));
            },
            &mut || {
                at = 1 - at;
                let jacobian = objective.sparse_jacobian_with(&plan, &points[at]);
                drop(black_box(jacobian.expect("a Jacobian")));
            },
        ],
    );
    println!(
        "tridiagonal residual, {n} rows: recording {:.2} ms, Jacobian by {} colours {:.2} times as long",
        ms(recording),
        plan.colors(),
        over(jacobian, recording)
    );
    Ok(())
}

fn matrices(n: usize, rounds: usize) -> Outcome {
    fn run<M: Recording>(tape: &mut Tape<M>, n: usize) -> (Vec<Vector<M>>, Real<M>) {
        let given = inputs::Analysis::new(n);
        let [w, a] = given.matrices.map(|m| tape.input(m));
        let vectors = given.vectors.map(|v| tape.input(v));
        let [alpha, beta, tau] = given.numbers.map(|x| tape.input(x));
        let y = tape.record(|| {
            let [x0, y, starts @ ..] = &vectors;
            let model = Analysis {
                w: &w,
                a: &a,
                x0,
                y,
                alpha: &alpha,
                beta: &beta,
                tau: &tau,
            };
            model.run(starts.each_ref(), 20)
        });
        (vectors.into(), y)
    }
    let (mut first, mut second) = (Tape::new(), Tape::new());
    let [gradient, product] = turns(
        rounds,
        [
            &mut || {
                first.reset();
                let (_, y) = run(&mut first, n);
                let _ = first.gradient(&y).expect("a sweep");
            },
            &mut || {
                second.reset();
                let (x, y) = run(&mut second, n);
                let mut directions = second.directions::<1>().expect("tangents");
                for x in &x {
                    directions.set(x, [x.get().clone()]).expect("an input");
                }
                drop(
                    directions
                        .sweep()
                        .expect("a sweep")
                        .gradient(&y)
                        .expect("a sweep"),
                );
            },
        ],
    );
    println!(
        "T3, n = {n}: gradient {:.3} ms, Hessian times a vector {:.2} times as long",
        ms(gradient),
        over(product, gradient)
    );
    Ok(())
}
