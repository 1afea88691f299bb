//! The market and the book, whose value is a mean over paths, and for its European part an integral.
use entape::{Function, complex::num_complex::c64, driver::ListShape};
use entape::{prelude::*, simd::wide::f64x4};
use rand::{SeedableRng, rngs::SmallRng};
use rand_distr::{Distribution, StandardNormal};
use std::f64::consts::{FRAC_1_SQRT_2, PI};

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
const CALL: f64 = 1.0;
const PUT: f64 = -1.0;
/// When options end, in years.
const ENDS: [f64; 3] = [0.25, 0.5, 1.0];
/// European options: when they end, which they are, the strike, and how many of them the book has.
const EUROPEAN: [[f64; 4]; 8] = [
    [0.25, CALL, 95.0, 100.0],
    [0.25, CALL, 105.0, -200.0],
    [0.25, PUT, 90.0, 150.0],
    [0.5, CALL, 100.0, 120.0],
    [0.5, PUT, 95.0, -80.0],
    [1.0, CALL, 110.0, 90.0],
    [1.0, CALL, 125.0, -150.0],
    [1.0, PUT, 100.0, 60.0],
];
/// Calls on the mean of the share: when they end, the strike, and how many.
const ASIAN: [[f64; 3]; 4] = [
    [0.25, 100.0, 50.0],
    [0.5, 100.0, 40.0],
    [0.5, 105.0, -60.0],
    [1.0, 95.0, 30.0],
];
/// The options that end at this time.
fn ending<const N: usize>(options: &[[f64; N]], end: f64) -> impl Iterator<Item = &[f64; N]> {
    options.iter().filter(move |option| option[0] == end)
}
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
/// The numbers of the market.
fn numbers<T: Copy>(market: &[T]) -> [T; 8] {
    market.try_into().expect("as many numbers as `MARKET` has")
}
/// What an option is worth at its end, or its delta, where the share has a log-normal distribution.
fn conditional(
    &[_, side, strike, count]: &[f64; 4],
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
    let [_, rate, now, reversion, mean, of_variance, correlation, _] = numbers(&all);
    let other = (1.0 - correlation * correlation).sqrt().eval();
    for end in ENDS {
        let left = (end - market[7]).eval();
        let dt = (left / steps as f64).splat::<f64x4>().eval();
        let root_dt = dt.sqrt().eval();
        let discount = ((-market[1] * left).exp() / BATCH as f64).eval();
        let left = left.splat::<f64x4>().eval();
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
                    if let Part::Asian = part {
                        let across = other * root * (*w * sign);
                        log += (rate - 0.5 * above) * dt + correlation * step + across;
                        shares += log.exp();
                    } else {
                        total += above * dt;
                        along += step;
                    }
                    v.update(|v| v + reversion * (mean - above) * dt + of_variance * step);
                }
                if let Part::Asian = part {
                    for &[_, strike, count] in ending(&ASIAN, end) {
                        sum += count * (all[0] * shares / steps as f64 - strike).max(0.0);
                    }
                    continue;
                }
                // the trapezoidal rule
                let total = (total + 0.5 * dt * (v - now)).eval();
                let convexity = 0.5 * correlation * correlation * total;
                let forward = (correlation * along - convexity + rate * left).exp().eval();
                let spread = (other * total.sqrt()).eval();
                for option in ending(&EUROPEAN, end) {
                    sum += conditional(option, all[0], forward, spread, part);
                }
            }
        }
        value += discount * sum.reduce_add();
    }
    value
}

/// The value of the European part in closed form.
pub(crate) struct Integral;
impl Function for Integral {
    type Inputs = ListShape<f64>;
    type Values = f64;
    type Output<M: Mode> = Real<M>;
    fn call<M: Mode>(&self, market: &[Real<M>]) -> Real<M> {
        let [
            spot,
            rate,
            now,
            reversion,
            mean,
            of_variance,
            correlation,
            today,
        ] = numbers(market);
        let square = (of_variance * of_variance).eval();
        let mut value = Real::passive(0.0);
        for end in ENDS {
            let left = (end - today).eval();
            let discount = (-rate * left).exp().eval();
            let mut integrals = vec![Real::<M>::passive(0.0); ending(&EUROPEAN, end).count()];
            let width = 0.25;
            for k in 0..480 {
                // the characteristic function of the share's logarithm, with the root that has no branch cut in the way
                let u = (f64::from(k) + 0.5) * width;
                let below = u * u + 0.25;
                let across = correlation * of_variance * constant(c64(0.5, u));
                let beta = (reversion.to_complex() - across).eval();
                let root = (beta * beta + square * below).sqrt().eval();
                let (minus, decay) = ((beta - root).eval(), (-root * left).exp().eval());
                let ratio = (minus / (beta + root)).eval();
                let reach = (1.0 - ratio * decay).eval();
                let from_mean = minus * left - 2.0 * (reach / (1.0 - ratio)).ln();
                let from_now = minus * (1.0 - decay) / reach;
                let exponent = reversion * mean / square * from_mean + now / square * from_now;
                let exponent = exponent.eval();
                for (integral, [_, _, strike, _]) in
                    integrals.iter_mut().zip(ending(&EUROPEAN, end))
                {
                    let turn = (u * ((spot / *strike).ln() + rate * left)).eval();
                    let size = (exponent.re().exp() * (width / below)).eval();
                    *integral += size * (exponent.im() + turn).cos();
                }
            }
            for (integral, &[_, side, strike, count]) in
                integrals.into_iter().zip(ending(&EUROPEAN, end))
            {
                let call = spot - (spot * strike * discount).sqrt() / PI * integral;
                let parity = if side == PUT { 1.0 } else { 0.0 };
                value += count * (call - parity * (spot - strike * discount));
            }
        }
        value
    }
}
