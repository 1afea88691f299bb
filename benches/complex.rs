//! What complex entities cost, beside plain complex numbers and beside the same programs with a pair of reals for
//! each number, in thread CPU time and bytes.
//!
//! ```text
//! cargo bench --bench complex               100 000 points: tables
//! COMPLEX=1000 cargo bench --bench complex  other sizes
//! cargo bench --bench complex -- --test     everything once
//! ```
//!
//! * *Horner*: a polynomial of degree 32 with variable coefficients at each point, one statement for each step
//!   `p = p * z + c`.
//! * *iteration*: 64 steps of `z = z * z + c` from 0 for each point `c`, of a disk in which the iteration stays bounded.
//! * *matrices*: a product and solves, with the feature `linalg`.
//!
//! The programs with pairs have one statement for each part. All gradients are compared before anything is measured.
use entape::{complex::num_complex::Complex64, prelude::*, tape::Statistics};
use entape_programs::measure::{median, ms, timed};
use std::{env, error::Error as StdError, f64::consts::TAU, hint::black_box, time::Duration};

#[cfg(feature = "linalg")]
#[path = "complex/matrices.rs"]
mod matrices;

type Outcome<T = ()> = Result<T, Box<dyn StdError>>;

const DEGREE: usize = 32;
const STEPS: usize = 64;

fn main() -> Outcome {
    let points = match env::var("COMPLEX") {
        Ok(points) => points.parse()?,
        Err(_) => 100_000,
    };
    let once = env::args().any(|argument| argument == "--test");
    let rounds = if once { 1 } else { 5 };
    compare(&Horner, points, rounds)?;
    compare(&Iteration, points, rounds)?;
    #[cfg(feature = "linalg")]
    // A round of matrices is short.
    matrices::compare(if once { &[4] } else { &[4, 20, 200] }, 5 * rounds)?;
    Ok(())
}

/// A recorded run: what it computed, the gradient with respect to all inputs, times and bytes.
struct Recorded {
    value: f64,
    gradient: Vec<Complex64>,
    record: Duration,
    reverse: Duration,
    statistics: Statistics,
}
/// A program of complex numbers, written three times.
trait Program {
    const NAME: &'static str;
    /// The inputs.
    fn inputs(&self, points: usize) -> Vec<Complex64>;
    /// The number of steps for so many points.
    fn steps(&self, points: usize) -> usize;
    fn plain(&self, x: &[Complex64]) -> f64;
    fn entities(&self, x: &[Complex]) -> Real;
    fn pairs(&self, x: &[[Real; 2]]) -> Real;
}

fn of_entities<P: Program>(
    tape: &mut Tape,
    program: &P,
    inputs: &[Complex64],
) -> Outcome<Recorded> {
    tape.reset();
    let x = tape.inputs(inputs.iter().copied());
    let (record, y) = timed(|| tape.record(|| program.entities(&x)));
    let (reverse, gradient) = timed(|| tape.gradient(&y).and_then(|g| g.wrt_all(&x)));
    Ok(Recorded {
        value: y.value(),
        gradient: gradient?,
        record,
        reverse,
        statistics: tape.statistics(),
    })
}
fn of_pairs<P: Program>(tape: &mut Tape, program: &P, inputs: &[Complex64]) -> Outcome<Recorded> {
    tape.reset();
    let x: Vec<[Real; 2]> = inputs
        .iter()
        .map(|z| [tape.input(z.re), tape.input(z.im)])
        .collect();
    let (record, y) = timed(|| tape.record(|| program.pairs(&x)));
    let (reverse, gradient) = timed(|| {
        let gradient = tape.gradient(&y)?;
        x.iter()
            .map(|[re, im]| Ok(Complex64::new(gradient.wrt(re)?, gradient.wrt(im)?)))
            .collect::<Result<_, Error>>()
    });
    Ok(Recorded {
        value: y.value(),
        gradient: gradient?,
        record,
        reverse,
        statistics: tape.statistics(),
    })
}

/// All three in turn, so that noise meets them all; medians.
fn compare<P: Program>(program: &P, points: usize, rounds: usize) -> Outcome {
    let inputs = program.inputs(points);
    let (mut tape, mut pair_tape) = (Tape::new(), Tape::new());
    let first = of_entities(&mut tape, program, &inputs)?;
    let reals = of_pairs(&mut pair_tape, program, &inputs)?;
    let plain = program.plain(&inputs);
    for value in [reals.value, plain] {
        assert!((first.value - value).abs() <= 1e-9 * value.abs());
    }
    let scale = first.gradient.iter().fold(0.0, |s: f64, z| s.max(z.norm()));
    for (a, b) in first.gradient.iter().zip(&reals.gradient) {
        assert!((a - b).norm() <= 1e-9 * scale, "{a} is not {b}");
    }
    let mut times = [(); 5].map(|()| Vec::new());
    for _ in 0..rounds {
        let (plain, _) = timed(|| program.plain(black_box(&inputs)));
        let entities = of_entities(&mut tape, program, &inputs)?;
        let pairs = of_pairs(&mut pair_tape, program, &inputs)?;
        let now = [
            plain,
            entities.record,
            entities.reverse,
            pairs.record,
            pairs.reverse,
        ];
        times
            .iter_mut()
            .zip(now)
            .for_each(|(all, now)| all.push(now));
    }
    let [plain, record, reverse, pair_record, pair_reverse] = times.map(median);
    let steps = program.steps(points) as f64;
    let bytes = [&first, &reals].map(|run| run.statistics.bytes() as f64 / steps);
    let (both, pairs) = (record + reverse, pair_record + pair_reverse);

    println!("\n{}, {points} points", P::NAME);
    println!("thread CPU time in ms, medians of {rounds} warm rounds; tape bytes for a step\n");
    println!(
        "| program | record | reverse | both | over plain | over pairs | bytes | over pairs |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    println!(
        "| plain complex | {:.2} | | {0:.2} | 1.00 | | | |",
        ms(plain)
    );
    for (name, [record, reverse, both], bytes_here) in [
        ("complex entities", [record, reverse, both], bytes[0]),
        (
            "pairs of reals",
            [pair_record, pair_reverse, pairs],
            bytes[1],
        ),
    ] {
        println!(
            "| {name} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {bytes_here:.1} | {:.2} |",
            ms(record),
            ms(reverse),
            ms(both),
            both.as_secs_f64() / plain.as_secs_f64(),
            both.as_secs_f64() / pairs.as_secs_f64(),
            bytes_here / bytes[1],
        );
    }
    Ok(())
}

/// Points that fill a disk evenly.
fn disk(radius: f64, points: usize) -> impl Iterator<Item = Complex64> {
    let turn = TAU * 0.618_033_988_749_895;
    (0..points).map(move |k| {
        let share = (k as f64 + 0.5) / points as f64;
        Complex64::from_polar(radius * share.sqrt(), turn * k as f64)
    })
}

/// Inputs are the coefficients, from the highest, and then the points.
struct Horner;
impl Program for Horner {
    const NAME: &'static str = "Horner's scheme of degree 32";
    fn inputs(&self, points: usize) -> Vec<Complex64> {
        let coefficients = (0..=DEGREE).map(|k| Complex64::from_polar(1.0, (k * k) as f64));
        coefficients.chain(disk(1.0, points)).collect()
    }
    fn steps(&self, points: usize) -> usize {
        points * DEGREE
    }
    fn plain(&self, x: &[Complex64]) -> f64 {
        let (coefficients, points) = x.split_at(DEGREE + 1);
        let mut sum = 0.0;
        for z in points {
            let mut p = coefficients[0];
            for c in &coefficients[1..] {
                p = p * z + c;
            }
            sum += p.norm_sqr();
        }
        sum
    }
    fn entities(&self, x: &[Complex]) -> Real {
        let (coefficients, points) = x.split_at(DEGREE + 1);
        let mut sum = Real::new(0.0);
        for &z in points {
            let mut p = coefficients[0];
            for &c in &coefficients[1..] {
                p = (p * z + c).eval();
            }
            sum += p.norm_sqr();
        }
        sum
    }
    fn pairs(&self, x: &[[Real; 2]]) -> Real {
        let (coefficients, points) = x.split_at(DEGREE + 1);
        let mut sum = Real::new(0.0);
        for &[x, y] in points {
            let [mut p, mut q] = coefficients[0];
            for &[c, d] in &coefficients[1..] {
                (p, q) = ((p * x - q * y + c).eval(), (p * y + q * x + d).eval());
            }
            sum += p * p + q * q;
        }
        sum
    }
}

/// Inputs are the points.
struct Iteration;
impl Program for Iteration {
    const NAME: &'static str = "64 steps of z = z * z + c";
    fn inputs(&self, points: usize) -> Vec<Complex64> {
        disk(0.24, points).collect()
    }
    fn steps(&self, points: usize) -> usize {
        points * STEPS
    }
    fn plain(&self, x: &[Complex64]) -> f64 {
        let mut sum = 0.0;
        for c in x {
            let mut z = *c;
            for _ in 1..STEPS {
                z = z * z + c;
            }
            sum += z.norm_sqr();
        }
        sum
    }
    fn entities(&self, x: &[Complex]) -> Real {
        let mut sum = Real::new(0.0);
        for &c in x {
            let mut z = c;
            for _ in 1..STEPS {
                z = (z * z + c).eval();
            }
            sum += z.norm_sqr();
        }
        sum
    }
    fn pairs(&self, x: &[[Real; 2]]) -> Real {
        let mut sum = Real::new(0.0);
        for &[c, d] in x {
            let [mut x, mut y] = [c, d];
            for _ in 1..STEPS {
                (x, y) = ((x * x - y * y + c).eval(), (2.0 * x * y + d).eval());
            }
            sum += x * x + y * y;
        }
        sum
    }
}
