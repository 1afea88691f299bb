//! The cost of a statement as the tape becomes longer, and as more variables are live.
//!
//! A statement replaces a variable of a ring by a combination of itself, its neighbour and the opposite variable.
//! Each point is a process: its first recording and sweep use fresh pages, whose cost is measured separately.
use crate::{Outcome, SCALE, plan::Extent};
use entape::prelude::*;
use entape_programs::measure::{first_touch, median, timed};
use serde::{Deserialize, Serialize};
use std::{fmt::Debug, str::FromStr, time::Duration};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scaled {
    pub(crate) statements: usize,
    pub(crate) live: usize,
    pub(crate) tape_bytes: u64,
    pub(crate) bytes: f64,
    pub(crate) record: f64,
    pub(crate) reverse: f64,
    pub(crate) cold_record: f64,
    pub(crate) cold_reverse: f64,
    /// The time to touch an equal number of fresh bytes.
    pub(crate) pages: f64,
    #[serde(default)]
    pub(crate) plain: f64,
}
impl Scaled {
    pub(crate) fn warm(&self) -> f64 {
        self.record + self.reverse
    }
    pub(crate) fn cold(&self) -> f64 {
        self.cold_record + self.cold_reverse
    }
}
pub(crate) const LIVE: usize = 1 << 12;
const STATEMENTS: usize = 1 << 23;
const BYTES: usize = 32;

pub(crate) fn points(extent: Extent, budget: u64) -> Vec<(usize, usize)> {
    let largest = match extent {
        Extent::Full => 8_u64 << 30,
        Extent::Quick => 1 << 30,
        Extent::Smoke => 2 << 20,
    };
    // the last point is as large as permitted, minus a tenth for other memory
    let bytes = (20..34)
        .map(|power| 1_u64 << power)
        .filter(|b| *b <= largest.min(budget / 10 * 9));
    let lengths = bytes.map(|bytes| (bytes as usize / BYTES, LIVE));
    let statements = match extent {
        Extent::Smoke => 1 << 14,
        _ => STATEMENTS,
    };
    let rings = (2..=22)
        .step_by(4)
        .map(|power| 1_usize << power)
        .filter(|live| *live < statements);
    lengths
        .chain(rings.map(|live| (statements, live)))
        .collect()
}
pub(crate) fn measure(extent: Extent, budget: u64) -> Outcome<Vec<Scaled>> {
    let mut all = Vec::new();
    for (statements, live) in points(extent, budget) {
        let rounds = match extent {
            Extent::Smoke => 2,
            // short recordings many times, because other programs disturb some of them completely
            _ => (4 * STATEMENTS / statements).clamp(2, 100),
        };
        let [statements, live, rounds] = [statements, live, rounds].map(|n| n.to_string());
        all.push(crate::answer(&[SCALE.into(), statements, live, rounds])?);
    }
    Ok(all)
}
pub(crate) fn work(arguments: impl IntoIterator<Item = String>) -> Outcome {
    let mut arguments = arguments.into_iter();
    let statements = number(arguments.next())?;
    let live = number(arguments.next())?;
    let rounds = number(arguments.next())?;
    let scaled = scaled(statements, live, rounds)?;
    println!("{}", serde_json::to_string(&scaled)?);
    Ok(())
}
fn number<T: FromStr<Err: Debug>>(text: Option<String>) -> Outcome<T> {
    let number = text.as_deref().map(str::parse);
    number
        .transpose()
        .ok()
        .flatten()
        .ok_or_else(|| "expected a number".into())
}
fn scaled(statements: usize, live: usize, rounds: usize) -> Outcome<Scaled> {
    let mut tape = Tape::new();
    let mut run = || -> Outcome<[Duration; 2]> {
        tape.reset();
        let inputs: Vec<Real> = (0..live)
            .map(|i| tape.input(1.0 + i as f64 / live as f64))
            .collect();
        let mut x = inputs.clone();
        let (record, output) = timed(|| tape.record(|| ring(&mut x, statements)));
        let (reverse, gradient) = timed(|| tape.gradient(&output));
        let sum: f64 = gradient?.wrt_all(&inputs)?.iter().sum();
        if (sum - 1.0).abs() > 1e-6 {
            return Err(format!("the derivatives add up to {sum} instead of 1").into());
        }
        Ok([record, reverse])
    };
    let cold = run()?;
    let warm = (0..rounds).map(|_| run()).collect::<Outcome<Vec<_>>>()?;
    let tape_bytes = tape.statistics().bytes();
    drop(tape);
    let numbers: Vec<_> = (0..live)
        .map(|i| Real::<Plain>::passive(i as f64))
        .collect();
    let plain = median((0..rounds).map(|_| {
        let mut x = numbers.clone();
        timed(|| ring(&mut x, statements)).0
    }));
    let each = |time: Duration| time.as_secs_f64() * 1e9 / statements as f64;
    let middle = |which: usize| each(median(warm.iter().map(|times| times[which])));
    Ok(Scaled {
        statements,
        live,
        tape_bytes: tape_bytes as u64,
        bytes: tape_bytes as f64 / statements as f64,
        record: middle(0),
        reverse: middle(1),
        cold_record: each(cold[0]),
        cold_reverse: each(cold[1]),
        pages: each(first_touch(tape_bytes)),
        plain: each(plain),
    })
}
fn ring<M: Mode>(x: &mut [Real<M>], statements: usize) -> Real<M> {
    let live = x.len();
    let mut i = 0;
    for _ in 0..statements {
        let next = if i + 1 == live { 0 } else { i + 1 };
        let across = if i < live / 2 {
            i + live / 2
        } else {
            i - live / 2
        };
        x[i] = (0.5 * x[i] + 0.25 * (x[next] + x[across])).eval();
        i = next;
    }
    x[i]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_stay_within_the_budget() {
        let bytes = |(statements, _): (usize, usize)| (statements * BYTES) as u64;
        let full = points(Extent::Full, 14 << 30);
        let largest = full.iter().copied().map(bytes).max().unwrap();
        assert!((7 << 30..=8 << 30).contains(&largest));
        let small = points(Extent::Full, 1 << 30);
        assert!(small.iter().copied().map(bytes).max().unwrap() < 1 << 30);
    }
    #[test]
    fn the_ring_has_means_and_costs_what_is_planned() {
        for (statements, live) in [(10_000, 4), (10_000, 64), (10_000, 1024)] {
            let scaled = scaled(statements, live, 2).unwrap();
            assert_eq!((scaled.statements, scaled.live), (statements, live));
            assert!(
                (30.0..60.0).contains(&scaled.bytes),
                "{} bytes",
                scaled.bytes
            );
        }
    }
}
