//! Costs of the programs of complex numbers.
use super::Program;
use crate::measure::{median, timed};
use entape::{complex::num_complex::Complex64, prelude::*, tape::Gradient};
use std::{hint::black_box, time::Duration};

#[derive(Clone, Copy, Debug)]
pub struct Cost {
    pub record: Duration,
    pub reverse: Duration,
    pub bytes: f64,
}
impl Cost {
    pub fn both(&self) -> Duration {
        self.record + self.reverse
    }
}
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    pub plain: Duration,
    pub entities: Cost,
    pub pairs: Cost,
}
impl Costs {
    pub fn over_plain(&self) -> f64 {
        self.entities.both().as_secs_f64() / self.plain.as_secs_f64()
    }
    pub fn over_pairs(&self) -> f64 {
        self.entities.both().as_secs_f64() / self.pairs.both().as_secs_f64()
    }
    pub fn bytes_over_pairs(&self) -> f64 {
        self.entities.bytes / self.pairs.bytes
    }
}

struct Recorded {
    value: f64,
    gradient: Vec<Complex64>,
    cost: Cost,
}
fn recorded<X, P: Program>(
    (tape, program, steps): (&mut Tape, &P, usize),
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
        bytes: tape.statistics().bytes() as f64 / steps as f64,
    };
    Ok(Recorded {
        value: y.value(),
        gradient: gradient?,
        cost,
    })
}
/// A program with a warm tape for each recorded form.
pub struct Setting<'p, P> {
    program: &'p P,
    inputs: Vec<Complex64>,
    steps: usize,
    tape: Tape,
    pair_tape: Tape,
}
impl<'p, P: Program> Setting<'p, P> {
    pub fn new(program: &'p P, points: usize) -> Result<Self, Error> {
        let mut setting = Setting {
            program,
            inputs: program.inputs(points),
            steps: program.steps(points),
            tape: Tape::new(),
            pair_tape: Tape::new(),
        };
        let (first, reals) = (setting.of_entities()?, setting.of_pairs()?);
        let plain = program.plain(&setting.inputs);
        for value in [reals.value, plain] {
            assert!((first.value - value).abs() <= 1e-9 * value.abs());
        }
        let scale = first.gradient.iter().fold(0.0, |s: f64, z| s.max(z.norm()));
        for (a, b) in first.gradient.iter().zip(&reals.gradient) {
            assert!((a - b).norm() <= 1e-9 * scale, "{a} is not {b}");
        }
        Ok(setting)
    }
    pub fn steps(&self) -> usize {
        self.steps
    }
    pub fn plain(&self) -> Duration {
        timed(|| self.program.plain(black_box(&self.inputs))).0
    }
    pub fn entities(&mut self) -> Result<Cost, Error> {
        Ok(self.of_entities()?.cost)
    }
    pub fn pairs(&mut self) -> Result<Cost, Error> {
        Ok(self.of_pairs()?.cost)
    }
    fn of_entities(&mut self) -> Result<Recorded, Error> {
        recorded(
            (&mut self.tape, self.program, self.steps),
            |tape| tape.inputs(self.inputs.iter().copied()),
            P::entities,
            |gradient, z| gradient.wrt_all(z),
        )
    }
    fn of_pairs(&mut self) -> Result<Recorded, Error> {
        recorded(
            (&mut self.pair_tape, self.program, self.steps),
            |tape| {
                let pair = |z: &Complex64| [z.re, z.im].map(|x| tape.input(x));
                self.inputs.iter().map(pair).collect()
            },
            P::pairs,
            |gradient, z| {
                let number =
                    |[x, y]: &[Real; 2]| Ok(Complex64::new(gradient.wrt(x)?, gradient.wrt(y)?));
                z.iter().map(number).collect()
            },
        )
    }
}
/// Measures a program. Its forms take turns, so that noise affects them equally; the results are medians.
///
/// # Errors
/// If a tape returns an error.
///
/// # Panics
/// If the forms differ in value or gradient, or there are no rounds.
pub fn measure<P: Program>(program: &P, points: usize, rounds: usize) -> Result<Costs, Error> {
    let mut setting = Setting::new(program, points)?;
    let mut times = [(); 5].map(|()| Vec::new());
    let mut bytes = [0.0; 2];
    for _ in 0..rounds {
        let (plain, entities, pairs) = (setting.plain(), setting.entities()?, setting.pairs()?);
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
        bytes = [entities.bytes, pairs.bytes];
    }
    let [plain, record, reverse, pair_record, pair_reverse] = times.map(median);
    Ok(Costs {
        plain,
        entities: Cost {
            record,
            reverse,
            bytes: bytes[0],
        },
        pairs: Cost {
            record: pair_record,
            reverse: pair_reverse,
            bytes: bytes[1],
        },
    })
}
