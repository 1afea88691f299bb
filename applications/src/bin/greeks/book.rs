//! The book: what it depends on, and its value by paths.
use entape::{prelude::*, simd::wide::f64x4};
use rand::{SeedableRng, rngs::SmallRng};
use rand_distr::{Distribution, StandardNormal};
use std::f64::consts::FRAC_1_SQRT_2;

/// What the book depends on, with values to begin with.
pub(crate) const MARKET: [(&str, f64); 8] = [
    ("spot", 100.0),
    ("rate", 0.03),
    ("variance now", 0.04),
    ("reversion", 2.0),
    ("mean variance", 0.05),
    ("vol of variance", 0.3),
    ("correlation", -0.7),
    ("today, years", 0.0),
];
/// Options that end at the same time, in years.
pub(crate) struct Maturity {
    pub(crate) end: f64,
    /// Calls and puts: which, the strike, and how many of them the book has.
    pub(crate) european: &'static [(f64, f64, f64)],
    /// Calls on the mean of the share: the strike, and how many.
    asian: &'static [(f64, f64)],
}
const CALL: f64 = 1.0;
pub(crate) const PUT: f64 = -1.0;
pub(crate) const BOOK: [Maturity; 3] = [
    Maturity {
        end: 0.25,
        european: &[
            (CALL, 95.0, 100.0),
            (CALL, 105.0, -200.0),
            (PUT, 90.0, 150.0),
        ],
        asian: &[(100.0, 50.0)],
    },
    Maturity {
        end: 0.5,
        european: &[(CALL, 100.0, 120.0), (PUT, 95.0, -80.0)],
        asian: &[(100.0, 40.0), (105.0, -60.0)],
    },
    Maturity {
        end: 1.0,
        european: &[
            (CALL, 110.0, 90.0),
            (CALL, 125.0, -150.0),
            (PUT, 100.0, 60.0),
        ],
        asian: &[(95.0, 30.0)],
    },
];
/// Paths of a batch, four of which are a statement; half of them are the mirror images of the others.
pub(crate) const BATCH: usize = 80;

/// What a batch values.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    European,
    /// The derivative of the former with respect to the spot price, in closed form for each path.
    Delta,
    Asian,
}
/// What an option is worth at its end, or its delta, where the share has a log-normal distribution.
fn conditional(
    (side, strike, count): (f64, f64, f64),
    spot: Realx4,
    forward: Realx4,
    spread: Realx4,
    part: Part,
) -> Realx4 {
    let first = ((spot * forward / strike).ln() / spread + 0.5 * spread).eval();
    let chance = |d: Realx4| (0.5 * (d * (-side * FRAC_1_SQRT_2)).erfc()).eval();
    let count = side * count;
    if let Part::Delta = part {
        return (count * forward * chance(first)).eval();
    }
    let second = (first - spread).eval();
    (count * (spot * forward * chance(first) - strike * chance(second))).eval()
}
/// The value of a part of the book, as the mean of the batch with this number.
pub(crate) fn batch(market: &[Real], steps: usize, part: Part, number: usize) -> Real {
    let mut random = SmallRng::seed_from_u64(number as u64);
    let mut value = Real::passive(0.0);
    let all: Vec<Realx4> = market.iter().map(|x| x.splat::<f64x4>().eval()).collect();
    let [_, rate, now, reversion, mean, of_variance, correlation, _] = all[..] else {
        panic!("{} numbers for a market of {}", all.len(), MARKET.len());
    };
    let other = (1.0 - correlation * correlation).sqrt().eval();
    for Maturity {
        end,
        european,
        asian,
    } in &BOOK
    {
        let (dt, left) = (
            ((*end - market[7]) / steps as f64).eval(),
            (*end - market[7]).eval(),
        );
        let [dt, left] = [dt, left].map(|x| x.splat::<f64x4>().eval());
        let root_dt = dt.sqrt().eval();
        let discount = ((-market[1] * (*end - market[7])).exp() / BATCH as f64).eval();
        let mut sum = Realx4::default();
        for _ in 0..BATCH / 8 {
            let mut four = || f64x4::new([(); 4].map(|()| StandardNormal.sample(&mut random)));
            let normals: Vec<_> = (0..steps).map(|_| [four(), four()]).collect();
            for sign in [1.0, -1.0] {
                // variance, its integral, that of its root along dB, logarithm of the share over the spot, and the sum of shares
                let (mut v, mut log, mut shares) = (now, Realx4::default(), Realx4::default());
                let (mut total, mut along) = (Realx4::default(), Realx4::default());
                for [b, w] in &normals {
                    // a variance below zero counts as zero
                    let above = v.max(1e-10).eval();
                    let root = (above.sqrt() * root_dt).eval();
                    let step = (root * (*b * sign)).eval();
                    match part {
                        Part::Asian => {
                            log += (rate - 0.5 * above) * dt
                                + correlation * step
                                + other * root * (*w * sign);
                            shares += log.exp();
                        }
                        _ => {
                            total += above * dt;
                            along += step;
                        }
                    }
                    v.update(|v| v + reversion * (mean - above) * dt + of_variance * step);
                }
                if let Part::Asian = part {
                    for &(strike, count) in *asian {
                        sum += count * (all[0] * shares / steps as f64 - strike).max(0.0);
                    }
                    continue;
                }
                // the trapezoidal rule
                let total = (total + 0.5 * dt * (v - now)).eval();
                let forward = (correlation * along - 0.5 * correlation * correlation * total
                    + rate * left)
                    .exp()
                    .eval();
                let spread = (other * total.sqrt()).eval();
                for &option in *european {
                    sum += conditional(option, all[0], forward, spread, part);
                }
            }
        }
        value += discount * sum.reduce_add();
    }
    value
}
