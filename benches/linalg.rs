//! The cost of a program of matrices on the tape, compared with the plain program and with a hand-written adjoint, in
//! thread CPU time and bytes.
//!
//! ```text
//! cargo bench -p entape-benches --bench linalg                  tables of T1, T2, T2m, T3 and T4
//! LINALG=t3,t4=20 cargo bench -p entape-benches --bench linalg  some of them, at some sizes
//! LINALG=kernels cargo bench -p entape-benches --bench linalg   the kernels of T3 and its adjoint alone, by criterion
//! LINALG=quick cargo bench -p entape-benches --bench linalg     small sizes
//! cargo bench -p entape-benches --bench linalg -- --test        everything once
//! ```
//!
//! Times of programs are medians of rounds in which plain program, hand-written adjoint and tape take turns. criterion
//! measures kernels.
//!
//! All three use the same kernels and existing memory. *record* is the run up to the scalar output. *reverse* is the
//! sweep and, for T4, reading the gradients, which adds the last outer products.
use entape::{
    linalg::{prelude::*, release_memory},
    prelude::*,
    tape::{Gradient, Statistics},
};
use entape_programs::{
    linalg::{self, hand, inputs, plain},
    measure::{SHORT, in_a_row, median, micro::criterion, timed},
};
use nalgebra::{DMatrix, DVector};
use std::{env, error::Error as StdError, hint::black_box, time::Duration};

#[path = "linalg/kernels.rs"]
mod kernels;
#[path = "linalg/memory.rs"]
mod memory;

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

type Outcome<T = ()> = Result<T, Box<dyn StdError>>;

trait Program {
    type Inputs;
    fn plain(&mut self) -> f64;
    /// The run that stores the needed values, the way back, the gradient.
    fn hand_record(&mut self) -> f64;
    fn hand_reverse(&mut self);
    fn hand_gradient(&self) -> Vec<Vec<f64>>;
    fn inputs(&self, tape: &mut Tape) -> Self::Inputs;
    fn record(&self, x: &Self::Inputs) -> Real;
    /// Does the work left by a sweep.
    fn finish(&self, _: &Self::Inputs, _: &Gradient<'_, Taped>) {}
    fn gradient(&self, x: &Self::Inputs, g: &Gradient<'_, Taped>) -> Result<Vec<Vec<f64>>, Error>;
}
#[derive(Clone, Copy, Default)]
struct Asked {
    /// In milliseconds per step.
    plain: Option<f64>,
    record: Option<f64>,
    both: Option<f64>,
    over_hand: Option<f64>,
    bytes: Option<f64>,
}

fn main() -> Outcome {
    let mut criterion = criterion(50);
    let chosen = env::var("LINALG").unwrap_or_default();
    let quick = chosen.contains("quick");
    let once = env::args().any(|argument| argument == "--test");
    let rounds = if once { 1 } else { 5 };
    let wanted = |name: &str, n: usize| {
        let sized = format!("{name}={n}");
        chosen.is_empty() || quick || chosen.split(',').any(|c| c == name || c == sized)
    };
    println!(
        "\nthread CPU time a step, medians of {rounds} warm rounds; in brackets what is asked for\n"
    );
    println!(
        "| program | n | steps | plain | hand: record | reverse | over plain | entape: record | reverse | record over plain \
         | both over plain | both over hand | bytes over hand |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let some = Some;
    let t1 = |plain| Asked {
        plain,
        both: some(3.1),
        over_hand: some(1.05),
        ..Asked::default()
    };
    let t2 = |plain| Asked {
        plain,
        both: some(1.1),
        over_hand: some(1.1),
        ..Asked::default()
    };
    for (n, plain) in sizes(quick, [(100, None), (700, some(24.0))], (20, None)) {
        if wanted("t1", n) {
            compare("T1", n, 1, t1(plain), rounds, |built| {
                Product::new(n, built)
            })?;
        }
    }
    for (n, plain) in sizes(quick, [(100, None), (700, some(25.0))], (20, None)) {
        if wanted("t2", n) {
            compare("T2", n, 1, t2(plain), rounds, |built| Solve::new(n, built))?;
        }
    }
    for (n, plain) in sizes(quick, [(100, None), (400, None)], (20, None)) {
        if wanted("t2m", n) {
            let asked = Asked {
                plain,
                ..Asked::default()
            };
            compare("T2m", n, 1, asked, rounds, |built| SolveMany::new(n, built))?;
        }
    }
    let t3 = [
        (4, 10_000, None, 4.0),
        (20, 2000, None, 3.2),
        (100, 60, some(0.72), 2.8),
        (400, 4, None, 2.6),
    ];
    for (n, steps, plain, both) in sizes(quick, t3, (20, 10, None, 3.2)) {
        if wanted("t3", n) {
            let asked = Asked {
                plain,
                both: some(both),
                bytes: some(1.3).filter(|_| n == 100),
                ..Asked::default()
            };
            compare("T3", n, steps, asked, rounds, |built| {
                Kalman::new(n, steps, built)
            })?;
        }
    }
    let t4 = [
        (4, 50_000, None, 8.0),
        (20, 40_000, some(0.0005), 5.0),
        (200, 2000, some(0.026), 2.8),
        (1000, 100, None, 2.8),
    ];
    for (n, steps, plain, both) in sizes(quick, t4, (20, 50, None, 5.0)) {
        if wanted("t4", n) {
            let asked = Asked {
                plain,
                both: some(both),
                record: some(1.08).filter(|_| n == 200),
                bytes: some(1.3).filter(|_| n == 200),
                ..Asked::default()
            };
            compare("T4", n, steps, asked, rounds, |built| {
                Analysis::new(n, steps, built)
            })?;
        }
    }
    if wanted("kernels", 0) {
        println!();
        kernels::measure(&mut criterion, sizes(quick, [4, 20, 100, 400], 20));
    }
    criterion.final_summary();
    Ok(())
}
fn sizes<T, const N: usize>(quick: bool, all: [T; N], small: T) -> Vec<T> {
    if quick { vec![small] } else { all.into() }
}

fn compare<P: Program>(
    name: &str,
    n: usize,
    steps: usize,
    asked: Asked,
    rounds: usize,
    program: impl FnOnce(&mut usize) -> P,
) -> Outcome {
    let mut hand_bytes = 0;
    let mut program = program(&mut hand_bytes);
    let mut tape: Tape = Tape::new();
    let mut times = [(); 5].map(|()| Vec::new());
    let short = timed(|| program.plain()).0 < SHORT;
    for round in 0..=rounds {
        let (mut values, mut gradient) = ([0.0; 3], Vec::new());
        let [plain] = in_a_row(short, || {
            let (time, value) = timed(|| black_box(&mut program).plain());
            values[0] = value;
            Outcome::Ok([time])
        })?;
        let [hand_record, hand_reverse] = in_a_row(short, || {
            let (record, value) = timed(|| black_box(&mut program).hand_record());
            let (reverse, ()) = timed(|| black_box(&mut program).hand_reverse());
            values[1] = value;
            Outcome::Ok([record, reverse])
        })?;
        let [record, reverse] = in_a_row(short, || {
            tape.reset();
            let x = program.inputs(&mut tape);
            let (record, y) = timed(|| tape.record(|| program.record(&x)));
            let (reverse, swept) = timed(|| {
                let gradient = tape.gradient(&y)?;
                program.finish(&x, &gradient);
                Ok::<_, Error>(gradient)
            });
            gradient = program.gradient(&x, &swept?)?;
            values[2] = y.value();
            Outcome::Ok([record, reverse])
        })?;
        let now = [plain, hand_record, hand_reverse, record, reverse];
        if round > 0 {
            let all = times.iter_mut().zip(now);
            all.for_each(|(all, now)| all.push(now));
        } else {
            for value in values {
                same("value", &[value], &values[..1]);
            }
            for (hand, gradient) in program.hand_gradient().iter().zip(&gradient) {
                same("gradient", gradient, hand);
            }
        }
    }
    // without pooled memory for values of a recording
    tape.reset();
    let x = program.inputs(&mut tape);
    release_memory();
    let before = memory::live();
    let _ = tape.record(|| program.record(&x));
    let kept = memory::live() - before;
    // without streams and vectors that were grown before
    let bytes = kept + in_use(&tape.statistics());
    let [plain, hand_record, hand_reverse, record, reverse] = times.map(median);
    let over = |a: Duration, b: Duration| a.as_secs_f64() / b.as_secs_f64();
    let (hand, both) = (hand_record + hand_reverse, record + reverse);
    let each = |time: Duration| {
        let us = time.as_secs_f64() * 1e6 / steps as f64;
        if us < 1000.0 {
            format!("{us:.3} us")
        } else {
            format!("{:.2} ms", us / 1e3)
        }
    };
    let beside = |asked: Option<f64>| asked.map_or(String::new(), |a| format!(" ({a})"));
    let limit = asked
        .plain
        .map_or(String::new(), |ms| format!(" ({} us)", ms * 1e3));
    println!(
        "| {name} | {n} | {steps} | {}{limit} | {} | {} | {:.2} | {} | {} | {:.2}{} | {:.2}{} | {:.2}{} | {:.2}{} |",
        each(plain),
        each(hand_record),
        each(hand_reverse),
        over(hand, plain),
        each(record),
        each(reverse),
        over(record, plain),
        beside(asked.record),
        over(both, plain),
        beside(asked.both),
        over(both, hand),
        beside(asked.over_hand),
        bytes as f64 / hand_bytes as f64,
        beside(asked.bytes),
    );
    Ok(())
}
/// The tape's own memory for a recording, in which a saved value is a pointer.
fn in_use(statistics: &Statistics) -> usize {
    statistics.handle_bytes
        + statistics.size_bytes
        + statistics.block_bytes
        + size_of::<usize>() * statistics.kept_values
}
#[track_caller]
fn same(what: &str, got: &[f64], want: &[f64]) {
    let scale = want.iter().fold(f64::MIN_POSITIVE, |s, x| s.max(x.abs()));
    assert_eq!(got.len(), want.len());
    for (got, want) in got.iter().zip(want) {
        assert!(
            (got - want).abs() <= 1e-10 * scale,
            "{what}: {got} is not {want}"
        );
    }
}
/// The bytes that `make` allocates for each of `steps`.
fn built<T>(make: impl Fn(usize) -> T, steps: usize, bytes: &mut usize) -> T {
    let start = memory::live();
    let none = make(0);
    let fixed = memory::live() - start;
    drop(none);
    let all = make(steps);
    *bytes = memory::live() - start - fixed;
    all
}
fn list<'m>(all: impl IntoIterator<Item = &'m DMatrix<f64>>) -> Vec<Vec<f64>> {
    all.into_iter().map(|m| m.as_slice().to_vec()).collect()
}

struct Product {
    given: [DMatrix<f64>; 3],
    c: DMatrix<f64>,
    hand: hand::Product,
}
impl Product {
    fn new(n: usize, bytes: &mut usize) -> Self {
        let c = inputs::matrix(n, 0);
        // the way back needs the inputs, and the result exists in any case
        *bytes = size_of_val(c.as_slice());
        Product {
            given: [inputs::matrix(n, 0), inputs::matrix(n, 1), weights(n)],
            c,
            hand: hand::Product::new(n),
        }
    }
}
fn weights(n: usize) -> DMatrix<f64> {
    DMatrix::from_column_slice(n, n, inputs::vector(n * n, 0).as_slice())
}
impl Program for Product {
    type Inputs = [Matrix; 3];
    fn plain(&mut self) -> f64 {
        let [a, b, weights] = &self.given;
        plain::product(a, b, &mut self.c);
        entape::linalg::kernels::dot(self.c.as_slice(), weights.as_slice())
    }
    fn hand_record(&mut self) -> f64 {
        self.hand.record(self.given.each_ref())
    }
    fn hand_reverse(&mut self) {
        self.hand.reverse(self.given.each_ref());
    }
    fn hand_gradient(&self) -> Vec<Vec<f64>> {
        list([&self.hand.a_b, &self.hand.b_b])
    }
    fn inputs(&self, tape: &mut Tape) -> Self::Inputs {
        let [a, b, weights] = self.given.each_ref().map(Clone::clone);
        [tape.input(a), tape.input(b), Matrix::passive(weights)]
    }
    fn record(&self, [a, b, weights]: &Self::Inputs) -> Real {
        linalg::weighted_product(a, b, weights)
    }
    fn gradient(&self, x: &Self::Inputs, g: &Gradient<'_, Taped>) -> Result<Vec<Vec<f64>>, Error> {
        Ok(list([&g.wrt(&x[0])?, &g.wrt(&x[1])?]))
    }
}

struct Solve {
    a: DMatrix<f64>,
    b: DVector<f64>,
    weights: DVector<f64>,
    x: DVector<f64>,
    qr: plain::Qr,
    hand: hand::Solve,
}
impl Solve {
    fn new(n: usize, bytes: &mut usize) -> Self {
        let start = memory::live();
        let kept = (plain::Qr::new(n), DVector::<f64>::zeros(n));
        *bytes = memory::live() - start;
        let (qr, x) = kept;
        Solve {
            a: inputs::regular(n),
            b: inputs::vector(n, 0),
            weights: inputs::vector(n, 1),
            x,
            qr,
            hand: hand::Solve::new(n, 1),
        }
    }
}
impl Program for Solve {
    type Inputs = (Matrix, [Vector; 2]);
    fn plain(&mut self) -> f64 {
        self.qr.factorize(&self.a);
        self.x.copy_from(&self.b);
        self.qr.solve(self.x.as_mut_slice(), 1);
        entape::linalg::kernels::dot(self.x.as_slice(), self.weights.as_slice())
    }
    fn hand_record(&mut self) -> f64 {
        let Solve {
            a,
            b,
            weights,
            hand,
            ..
        } = self;
        hand.record(a, b.as_slice(), weights.as_slice())
    }
    fn hand_reverse(&mut self) {
        self.hand.reverse(self.weights.as_slice());
    }
    fn hand_gradient(&self) -> Vec<Vec<f64>> {
        vec![self.hand.a_b.as_slice().to_vec(), self.hand.b_b.clone()]
    }
    fn inputs(&self, tape: &mut Tape) -> Self::Inputs {
        let weights = Vector::passive(self.weights.clone());
        (
            tape.input(self.a.clone()),
            [tape.input(self.b.clone()), weights],
        )
    }
    fn record(&self, (a, [b, weights]): &Self::Inputs) -> Real {
        linalg::weighted_solution(a, b, weights).expect("a regular matrix")
    }
    fn gradient(&self, x: &Self::Inputs, g: &Gradient<'_, Taped>) -> Result<Vec<Vec<f64>>, Error> {
        let (a, b) = (g.wrt(&x.0)?, g.wrt(&x.1[0])?);
        Ok(vec![a.as_slice().to_vec(), b.as_slice().to_vec()])
    }
}

struct SolveMany {
    given: [DMatrix<f64>; 3],
    x: DMatrix<f64>,
    qr: plain::Qr,
    hand: hand::Solve,
}
impl SolveMany {
    fn new(n: usize, bytes: &mut usize) -> Self {
        let start = memory::live();
        let (qr, x) = (plain::Qr::new(n), plain::zeros(n));
        *bytes = memory::live() - start;
        SolveMany {
            given: [inputs::regular(n), inputs::matrix(n, 1), weights(n)],
            x,
            qr,
            hand: hand::Solve::new(n, n),
        }
    }
}
impl Program for SolveMany {
    type Inputs = [Matrix; 3];
    fn plain(&mut self) -> f64 {
        let [a, b, weights] = &self.given;
        self.qr.factorize(a);
        self.x.copy_from(b);
        self.qr.solve(self.x.as_mut_slice(), b.ncols());
        entape::linalg::kernels::dot(self.x.as_slice(), weights.as_slice())
    }
    fn hand_record(&mut self) -> f64 {
        let [a, b, weights] = &self.given;
        self.hand.record(a, b.as_slice(), weights.as_slice())
    }
    fn hand_reverse(&mut self) {
        self.hand.reverse(self.given[2].as_slice());
    }
    fn hand_gradient(&self) -> Vec<Vec<f64>> {
        vec![self.hand.a_b.as_slice().to_vec(), self.hand.b_b.clone()]
    }
    fn inputs(&self, tape: &mut Tape) -> Self::Inputs {
        let [a, b, weights] = self.given.each_ref().map(Clone::clone);
        [tape.input(a), tape.input(b), Matrix::passive(weights)]
    }
    fn record(&self, [a, b, weights]: &Self::Inputs) -> Real {
        linalg::weighted_solutions(a, b, weights).expect("a regular matrix")
    }
    fn gradient(&self, x: &Self::Inputs, g: &Gradient<'_, Taped>) -> Result<Vec<Vec<f64>>, Error> {
        Ok(list([&g.wrt(&x[0])?, &g.wrt(&x[1])?]))
    }
}

struct Kalman {
    plain: plain::Kalman,
    hand: hand::Kalman,
    steps: usize,
}
impl Kalman {
    fn new(n: usize, steps: usize, bytes: &mut usize) -> Self {
        Kalman {
            plain: plain::Kalman::new(inputs::Kalman::new(n)),
            hand: built(
                |steps| hand::Kalman::new(inputs::Kalman::new(n), steps),
                steps,
                bytes,
            ),
            steps,
        }
    }
}
impl Program for Kalman {
    type Inputs = ([Matrix; 6], [Vector; 3]);
    fn plain(&mut self) -> f64 {
        self.plain.run(self.steps)
    }
    fn hand_record(&mut self) -> f64 {
        self.hand.record()
    }
    fn hand_reverse(&mut self) {
        self.hand.reverse();
    }
    fn hand_gradient(&self) -> Vec<Vec<f64>> {
        let mut all = list(&self.hand.matrices);
        all.extend(self.hand.vectors.iter().map(|v| v.as_slice().to_vec()));
        all
    }
    fn inputs(&self, tape: &mut Tape) -> Self::Inputs {
        let inputs::Kalman { matrices, vectors } = self.plain.inputs.clone();
        (
            matrices.map(|m| tape.input(m)),
            vectors.map(|v| tape.input(v)),
        )
    }
    fn record(&self, ([f, b, q, h, r, p], [u, z, x]): &Self::Inputs) -> Real {
        let model = linalg::Kalman {
            f,
            b,
            q,
            h,
            r,
            u,
            z,
        };
        model.run(x, p, self.steps).expect("a definite covariance")
    }
    fn gradient(&self, x: &Self::Inputs, g: &Gradient<'_, Taped>) -> Result<Vec<Vec<f64>>, Error> {
        let mut all = Vec::new();
        for m in &x.0 {
            all.push(g.wrt(m)?.as_slice().to_vec());
        }
        for v in &x.1 {
            all.push(g.wrt(v)?.as_slice().to_vec());
        }
        Ok(all)
    }
}

struct Analysis {
    plain: plain::Analysis,
    hand: hand::Analysis,
    steps: usize,
}
impl Analysis {
    fn new(n: usize, steps: usize, bytes: &mut usize) -> Self {
        Analysis {
            plain: plain::Analysis::new(inputs::Analysis::new(n)),
            hand: built(
                |steps| hand::Analysis::new(inputs::Analysis::new(n), steps),
                steps,
                bytes,
            ),
            steps,
        }
    }
}
impl Program for Analysis {
    type Inputs = ([Matrix; 2], [Vector; 6], [Real; 3]);
    fn plain(&mut self) -> f64 {
        self.plain.run(self.steps)
    }
    fn hand_record(&mut self) -> f64 {
        self.hand.record()
    }
    fn hand_reverse(&mut self) {
        self.hand.reverse();
    }
    fn hand_gradient(&self) -> Vec<Vec<f64>> {
        let mut all = list(&self.hand.matrices);
        all.extend(self.hand.vectors.iter().cloned());
        all.extend(self.hand.numbers.map(|x| vec![x]));
        all
    }
    fn inputs(&self, tape: &mut Tape) -> Self::Inputs {
        let inputs::Analysis {
            matrices,
            vectors,
            numbers,
        } = self.plain.inputs.clone();
        (
            matrices.map(|m| tape.input(m)),
            vectors.map(|v| tape.input(v)),
            numbers.map(|x| tape.input(x)),
        )
    }
    fn record(&self, ([w, a], [x0, y, starts @ ..], [alpha, beta, tau]): &Self::Inputs) -> Real {
        let model = linalg::Analysis {
            w,
            a,
            x0,
            y,
            alpha,
            beta,
            tau,
        };
        model.run(starts.each_ref(), self.steps)
    }
    fn finish(&self, (matrices, ..): &Self::Inputs, g: &Gradient<'_, Taped>) {
        for m in matrices {
            black_box(g.wrt(m).expect("an input"));
        }
    }
    fn gradient(&self, x: &Self::Inputs, g: &Gradient<'_, Taped>) -> Result<Vec<Vec<f64>>, Error> {
        let mut all = Vec::new();
        for m in &x.0 {
            all.push(g.wrt(m)?.as_slice().to_vec());
        }
        for v in &x.1 {
            all.push(g.wrt(v)?.as_slice().to_vec());
        }
        for s in &x.2 {
            all.push(vec![g.wrt(s)?]);
        }
        Ok(all)
    }
}
