//! Costs of the programs.
use super::{arm, basin, control, hierarchy, volatility};
use crate::measure::turns;
use entape::driver::{Objective, Program};
use std::{hint::black_box, time::Duration};

pub struct Costs {
    pub name: &'static str,
    pub inputs: usize,
    pub plain: Duration,
    /// The program with derivatives in the mode `Plain`.
    pub mode: Duration,
    /// Its value and gradient.
    pub gradient: Duration,
}
/// Measures all programs, each in rounds in which its versions take turns.
///
/// # Panics
/// If a value differs from that of the plain program, or a gradient from differences.
pub fn measure(rounds: usize) -> [Costs; 5] {
    let (p, readings) = arm::data();
    let f = Objective::new(arm::misfit {
        readings: &readings,
    });
    let arm = of("arm", rounds, |p| arm::plain::misfit(p, &readings), &f, &p);

    let (p, groups) = hierarchy::data();
    let f = Objective::new(hierarchy::log_posterior { groups: &groups });
    let plain = |p: &[f64]| hierarchy::plain::log_posterior(p, &groups);
    let hierarchy = of("hierarchy", rounds, plain, &f, &p);

    let (p, grid, quotes) = volatility::data(201, 60);
    let f = Objective::new(volatility::misfit {
        grid: &grid,
        quotes: &quotes,
    });
    let plain = |p: &[f64]| volatility::plain::misfit(p, &grid, &quotes);
    let volatility = of("volatility", rounds, plain, &f, &p);

    let (u, system) = (control::data(40), control::System::new(0.1));
    let f = Objective::new(control::infidelity { s: &system });
    let plain = |u: &[f64]| control::plain::infidelity(u, &system);
    let control = of("control", rounds, plain, &f, &u);

    let (level, b) = basin::data(64, 100);
    let f = Objective::like(basin::misfit { b: &b, steps: 100 }, &level);
    let plain = |_: &[f64]| basin::plain::misfit(&level, &b, 100);
    let basin = of("basin", rounds, plain, &f, &f.coordinates(&level));

    [arm, hierarchy, volatility, control, basin]
}
fn of<P: Program<Values = f64>>(
    name: &'static str,
    rounds: usize,
    plain: impl Fn(&[f64]) -> f64,
    f: &Objective<P>,
    x: &[f64],
) -> Costs {
    let both = |x| f.value_and_gradient(x).expect("a gradient");
    check(name, plain(x), both(x), |x| f.value(x), x);
    let [plain, mode, gradient] = turns(
        rounds,
        [
            &mut || _ = black_box(plain(black_box(x))),
            &mut || _ = black_box(f.value(black_box(x))),
            &mut || _ = black_box(both(black_box(x))),
        ],
    );
    Costs {
        name,
        inputs: x.len(),
        plain,
        mode,
        gradient,
    }
}
/// Compares values, and the derivative along a direction with a difference.
fn check(
    name: &str,
    plain: f64,
    (value, gradient): (f64, Vec<f64>),
    f: impl Fn(&[f64]) -> f64,
    x: &[f64],
) {
    let close = |a: f64, b: f64, scale: f64| {
        assert!((a - b).abs() <= scale, "{name}: {a} is not {b}");
    };
    close(value, plain, 1e-9 * plain.abs());
    let along = |i: usize| (1.0 + i as f64).sin();
    let moved = |h: f64| {
        f(&x.iter()
            .enumerate()
            .map(|(i, x)| x + h * along(i))
            .collect::<Vec<_>>())
    };
    let terms = || gradient.iter().enumerate().map(|(i, g)| g * along(i));
    let (derivative, size) = (terms().sum::<f64>(), terms().map(f64::abs).sum::<f64>());
    close((moved(1e-6) - moved(-1e-6)) / 2e-6, derivative, 1e-5 * size);
}
