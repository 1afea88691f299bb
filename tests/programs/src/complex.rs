//! Programs of complex numbers, each written three times: with plain numbers, with complex entities, and with a pair of reals for
//! each number, one statement for each part. A step is one statement of an entity.
//!
//! | program | a step |
//! |---|---|
//! | [`Horner`] | `p = p * z + c` |
//! | [`Iteration`] | `z = z * z + c` |
//! | [`matrices`] | products and solves of complex matrices |
use crate::measure::{median, timed};
use entape::{complex::num_complex::Complex64, prelude::*, tape::Gradient};
use std::{f64::consts::TAU, hint::black_box, time::Duration};

pub mod matrices;

const DEGREE: usize = 32;
const STEPS: usize = 64;

/// A program of complex numbers.
pub trait Program {
    /// What it is called.
    const NAME: &'static str;
    /// The inputs.
    fn inputs(&self, points: usize) -> Vec<Complex64>;
    /// The number of steps for so many points.
    fn steps(&self, points: usize) -> usize;
    /// With plain numbers.
    fn plain(&self, x: &[Complex64]) -> f64;
    /// With an entity for each number.
    fn entities(&self, x: &[Complex]) -> Real;
    /// With two reals for each number.
    fn pairs(&self, x: &[[Real; 2]]) -> Real;
}

/// What a recording and its sweep take.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Recording.
    pub record: Duration,
    /// The sweep, and reading the gradient.
    pub reverse: Duration,
    /// Of the tape, for one step.
    pub bytes: f64,
}
impl Cost {
    /// Recording and sweep.
    pub fn both(&self) -> Duration {
        self.record + self.reverse
    }
}
/// What a program takes in its three forms, on warm tapes.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    /// Plain numbers.
    pub plain: Duration,
    /// Entities.
    pub entities: Cost,
    /// Pairs of reals.
    pub pairs: Cost,
}
impl Costs {
    /// The times of entities over those of the plain program.
    pub fn over_plain(&self) -> f64 {
        self.entities.both().as_secs_f64() / self.plain.as_secs_f64()
    }
    /// The times of entities over those of pairs.
    pub fn over_pairs(&self) -> f64 {
        self.entities.both().as_secs_f64() / self.pairs.both().as_secs_f64()
    }
    /// The bytes of entities over those of pairs.
    pub fn bytes_over_pairs(&self) -> f64 {
        self.entities.bytes / self.pairs.bytes
    }
}

/// A recorded run: what it computed, the gradient with respect to all inputs, and what it took.
struct Recorded {
    value: f64,
    gradient: Vec<Complex64>,
    cost: Cost,
}
/// Records a program of some form of its inputs and sweeps it, with the clock for both.
fn recorded<X, P: Program>(
    (tape, program, points): (&mut Tape, &P, usize),
    inputs: impl FnOnce(&mut Tape) -> Vec<X>,
    run: impl FnOnce(&P, &[X]) -> Real,
    read: impl FnOnce(Gradient<'_>, &[X]) -> Result<Vec<Complex64>, Error>,
) -> Result<Recorded, Error> {
    tape.reset();
    let x = inputs(tape);
    let (record, y) = timed(|| tape.record(|| run(program, &x)));
    let (reverse, gradient) = timed(|| tape.gradient(&y).and_then(|g| read(g, &x)));
    let cost = Cost {
        record,
        reverse,
        bytes: tape.statistics().bytes() as f64 / program.steps(points) as f64,
    };
    Ok(Recorded {
        value: y.value(),
        gradient: gradient?,
        cost,
    })
}
fn of_entities<P: Program>(
    program: (&mut Tape, &P, usize),
    inputs: &[Complex64],
) -> Result<Recorded, Error> {
    recorded(
        program,
        |tape| tape.inputs(inputs.iter().copied()),
        P::entities,
        |gradient, z| gradient.wrt_all(z),
    )
}
fn of_pairs<P: Program>(
    program: (&mut Tape, &P, usize),
    inputs: &[Complex64],
) -> Result<Recorded, Error> {
    recorded(
        program,
        |tape| {
            let both = inputs.iter().map(|z| [z.re, z.im].map(|x| tape.input(x)));
            both.collect()
        },
        P::pairs,
        |gradient, z| {
            let number =
                |[x, y]: &[Real; 2]| Ok(Complex64::new(gradient.wrt(x)?, gradient.wrt(y)?));
            z.iter().map(number).collect()
        },
    )
}

/// Measures a program: its three forms in turn, so that noise meets them all; medians.
///
/// # Errors
/// What a tape refuses.
///
/// # Panics
/// If the forms do not have the same value and gradient.
pub fn measure<P: Program>(program: &P, points: usize, rounds: usize) -> Result<Costs, Error> {
    let inputs = program.inputs(points);
    let (mut tape, mut pair_tape) = (Tape::new(), Tape::new());
    let first = of_entities((&mut tape, program, points), &inputs)?;
    let reals = of_pairs((&mut pair_tape, program, points), &inputs)?;
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
        let entities = of_entities((&mut tape, program, points), &inputs)?.cost;
        let pairs = of_pairs((&mut pair_tape, program, points), &inputs)?.cost;
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
    Ok(Costs {
        plain,
        entities: Cost {
            record,
            reverse,
            ..first.cost
        },
        pairs: Cost {
            record: pair_record,
            reverse: pair_reverse,
            ..reals.cost
        },
    })
}

/// Points that fill a disk evenly.
fn disk(radius: f64, points: usize) -> impl Iterator<Item = Complex64> {
    let turn = TAU * 0.618_033_988_749_895;
    (0..points).map(move |k| {
        let share = (k as f64 + 0.5) / points as f64;
        Complex64::from_polar(radius * share.sqrt(), turn * k as f64)
    })
}

/// Horner's scheme: a polynomial of degree 32 with variable coefficients at each point, one statement for each step
/// `p = p * z + c`. Inputs are the coefficients, from the highest, and then the points.
pub struct Horner;
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
        let mut sum = Real::passive(0.0);
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
        let mut sum = Real::passive(0.0);
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

/// 64 steps of `z = z * z + c` from 0 for each point `c`, of a disk in which the iteration stays bounded. Inputs are the points.
pub struct Iteration;
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
        let mut sum = Real::passive(0.0);
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
        let mut sum = Real::passive(0.0);
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
