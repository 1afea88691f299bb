//! Costs of the programs of an option.
use super::{self as option, Market};
use crate::measure::timed;
use entape::{prelude::*, simd::wide::f64x4};
use std::{hint::black_box, time::Duration};

/// The largest number of paths on a tape before it is reset.
pub const BATCH: usize = 100_000;
const MARKET: Market<f64> = Market {
    spot: 100.0,
    rate: 0.03,
    volatility: 0.2,
    time: 1.0,
};
const STRIKE: f64 = 105.0;

/// Box and Muller's method with a linear congruential generator.
fn normals(count: usize) -> Vec<f64x4> {
    let mut state = 1_u64;
    let mut uniform = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    };
    let mut normal = || (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos();
    (0..count / 4)
        .map(|_| f64x4::new([(); 4].map(|()| normal())))
        .collect()
}

#[derive(Default)]
pub struct Run {
    price: f64,
    gradient: [f64; 4],
    pub record: Duration,
    pub reverse: Duration,
    pub bytes: f64,
}
impl Run {
    pub fn both(&self) -> Duration {
        self.record + self.reverse
    }
    fn add(&mut self, record: Duration, reverse: Duration, price: f64, gradient: [f64; 4]) {
        self.record += record;
        self.reverse += reverse;
        self.price += price;
        for (sum, x) in self.gradient.iter_mut().zip(gradient) {
            *sum += x;
        }
    }
}
type Program = fn(&Market<Real>, f64, &[f64x4]) -> Real;

fn of_batch(
    run: &mut Run,
    tape: &mut Tape,
    program: Program,
    normals: &[f64x4],
) -> Result<(), Error> {
    tape.reset();
    let market = MARKET.map(|x| tape.input(x));
    let (record, price) = timed(|| tape.record(|| program(&market, STRIKE, normals)));
    let inputs = market.into_array();
    let (reverse, gradient) = timed(|| {
        let gradient = tape.gradient(&price)?;
        Ok::<_, Error>([
            gradient.wrt(&inputs[0])?,
            gradient.wrt(&inputs[1])?,
            gradient.wrt(&inputs[2])?,
            gradient.wrt(&inputs[3])?,
        ])
    });
    run.add(record, reverse, price.value(), gradient?);
    Ok(())
}

fn bytes_of_path(tape: &Tape, batch: usize) -> f64 {
    tape.statistics().bytes() as f64 / (4 * batch) as f64
}

pub struct Costs {
    pub plain: Run,
    pub lanes: Run,
    pub reals: Run,
}
/// Measures the programs batch by batch, in turn, so that noise affects them equally.
///
/// # Errors
/// If a tape returns an error.
///
/// # Panics
/// If the programs differ in price or gradient, or there are fewer than four paths.
pub fn measure(paths: usize) -> Result<Costs, Error> {
    let batch = paths.min(BATCH) / 4;
    let (mut tape, mut real_tape) = (Tape::new(), Tape::new());
    let [mut plain, mut by_lanes, mut by_reals] = [(); 3].map(|()| Run::default());
    let normals = normals(paths / (4 * batch) * (4 * batch));
    // The first batch grows the tapes.
    of_batch(
        &mut Run::default(),
        &mut tape,
        option::lanes,
        &normals[..batch],
    )?;
    of_batch(
        &mut Run::default(),
        &mut real_tape,
        option::reals,
        &normals[..batch],
    )?;
    for normals in normals.chunks(batch) {
        let (time, price) = timed(|| option::plain(&MARKET, STRIKE, black_box(normals)));
        plain.add(time, Duration::ZERO, price, [0.0; 4]);
        of_batch(&mut by_lanes, &mut tape, option::lanes, normals)?;
        of_batch(&mut by_reals, &mut real_tape, option::reals, normals)?;
    }
    // Only now, because it reads the whole tape.
    by_lanes.bytes = bytes_of_path(&tape, batch);
    by_reals.bytes = bytes_of_path(&real_tape, batch);
    let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-11 * b.abs(), "{a} is not {b}");
    close(by_lanes.price, plain.price);
    close(by_reals.price, plain.price);
    for (a, b) in by_lanes.gradient.into_iter().zip(by_reals.gradient) {
        close(a, b);
    }
    Ok(Costs {
        plain,
        lanes: by_lanes,
        reals: by_reals,
    })
}
