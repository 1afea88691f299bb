//! What SIMD entities cost, beside plain vectors and beside reals, in thread CPU time and bytes.
//!
//! ```text
//! cargo bench --bench simd                10⁷ paths: table
//! SIMD=1000000 cargo bench --bench simd   other sizes
//! cargo bench --bench simd -- --test      everything once, small
//! ```
//!
//! *Paths*: the price of an option and its gradient by Monte Carlo paths, in batches of 100 000 on a tape that is
//! reset; four paths are one statement of lanes, or a path is one statement of reals. The plain program computes the
//! price alone, by vectors of `wide`. The normal numbers are at hand. Prices and gradients are compared before anything
//! is measured.
use entape::{prelude::*, simd::wide::f64x4, tape::Statistics};
use entape_programs::{
    measure::{ms, timed},
    option::{self, Market},
};
use std::{env, error::Error as StdError, hint::black_box, time::Duration};

type Outcome<T = ()> = Result<T, Box<dyn StdError>>;

const BATCH: usize = 100_000;
const MARKET: Market<f64> = Market {
    spot: 100.0,
    rate: 0.03,
    volatility: 0.2,
    time: 1.0,
};
const STRIKE: f64 = 105.0;

fn main() -> Outcome {
    let once = env::args().any(|argument| argument == "--test");
    let paths = match env::var("SIMD") {
        Ok(paths) => paths.parse()?,
        Err(_) if once => 2 * BATCH,
        Err(_) => 10_000_000,
    };
    lanes(paths)
}

/// Normal numbers, by the method of Box and Muller from a linear congruence.
fn normals(count: usize) -> Vec<f64x4> {
    let mut state = 1_u64;
    let mut uniform = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    };
    // Box and Muller
    let mut normal = || (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos();
    (0..count / 4)
        .map(|_| f64x4::new([(); 4].map(|()| normal())))
        .collect()
}

/// What a program computed, and what that cost.
#[derive(Default)]
struct Run {
    price: f64,
    gradient: [f64; 4],
    record: Duration,
    reverse: Duration,
    statistics: Option<Statistics>,
}
impl Run {
    fn both(&self) -> Duration {
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

fn of_batch(run: &mut Run, tape: &mut Tape, program: Program, normals: &[f64x4]) -> Outcome {
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
    run.statistics = Some(tape.statistics());
    Ok(())
}

fn lanes(paths: usize) -> Outcome {
    let batches = (paths / BATCH).max(1);
    let (mut tape, mut real_tape) = (Tape::new(), Tape::new());
    let [mut plain, mut by_lanes, mut by_reals] = [(); 3].map(|()| Run::default());
    let normals = normals(paths.min(BATCH * batches));
    // Batch by batch in turn, so that noise meets them all; the first one grows the tapes.
    of_batch(
        &mut Run::default(),
        &mut tape,
        option::lanes,
        &normals[..BATCH / 4],
    )?;
    of_batch(
        &mut Run::default(),
        &mut real_tape,
        option::reals,
        &normals[..BATCH / 4],
    )?;
    for batch in normals.chunks(BATCH / 4) {
        let (time, price) = timed(|| option::plain(&MARKET, STRIKE, black_box(batch)));
        plain.add(time, Duration::ZERO, price, [0.0; 4]);
        of_batch(&mut by_lanes, &mut tape, option::lanes, batch)?;
        of_batch(&mut by_reals, &mut real_tape, option::reals, batch)?;
    }
    let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-11 * b.abs(), "{a} is not {b}");
    close(by_lanes.price, plain.price);
    close(by_reals.price, plain.price);
    for (a, b) in by_lanes.gradient.into_iter().zip(by_reals.gradient) {
        close(a, b);
    }

    println!("\n{paths} paths of an option in batches of {BATCH}");
    println!("thread CPU time in ms, one run; tape bytes for a path\n");
    println!("| program | record | reverse | both | over plain | reals over this | bytes |");
    println!("|---|--:|--:|--:|--:|--:|--:|");
    println!(
        "| plain f64x4 | {:.1} | | {0:.1} | 1.00 | | |",
        ms(plain.both())
    );
    for (name, run) in [("entape f64x4", &by_lanes), ("entape reals", &by_reals)] {
        let bytes = run.statistics.as_ref().map_or(0, Statistics::bytes) as f64 / BATCH as f64;
        println!(
            "| {name} | {:.1} | {:.1} | {:.1} | {:.2} | {:.2} | {bytes:.1} |",
            ms(run.record),
            ms(run.reverse),
            ms(run.both()),
            run.both().as_secs_f64() / plain.both().as_secs_f64(),
            by_reals.both().as_secs_f64() / run.both().as_secs_f64(),
        );
    }
    Ok(())
}
