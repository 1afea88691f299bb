//! What small things cost: inputs, driver calls, lists, each beside the same by hand.
//!
//! ```text
//! cargo bench --bench everyday             tables
//! cargo bench --bench everyday -- --test   everything once
//! ```
//! Thread CPU time of one call in ns, medians of rounds of many calls.
use entape::{
    driver::value_and_gradient,
    expr::list,
    prelude::*,
    real::ListReductions,
    tape::{Error, Tape},
};
use entape_programs::measure::{median, timed};
use std::{env, hint::black_box, time::Duration};

type Plain = entape::expr::Active<f64, entape::mode::Plain>;

/// How often something is called in a round, and how many rounds there are.
#[derive(Clone, Copy)]
struct Effort {
    calls: u32,
    rounds: u32,
}
impl Effort {
    /// The time of a call in ns.
    fn ns<T>(self, mut f: impl FnMut() -> T) -> f64 {
        let round = |_| {
            let all = || (0..self.calls).for_each(|_| _ = black_box(f()));
            timed(all).0 / self.calls
        };
        let rounds: Vec<_> = (0..=self.rounds).map(round).collect();
        median(rounds.into_iter().skip(1)).as_secs_f64() * 1e9
    }
}

fn main() -> Result<(), Error> {
    let once = env::args().any(|argument| argument == "--test");
    let effort = |calls: u32| match once {
        true => Effort {
            calls: 1,
            rounds: 1,
        },
        false => Effort { calls, rounds: 9 },
    };
    tapes(if once { 100 } else { 2_000_000 })?;
    inputs(effort(200));
    drivers(effort)?;
    lists(effort)
}

/// The first tape of the process, one made after it was dropped, and one that records again. It runs first.
fn tapes(statements: usize) -> Result<(), Error> {
    let run = |tape: &mut Tape| -> Result<[Duration; 2], Error> {
        let x = tape.input(black_box(0.5));
        let (record, y) = timed(|| {
            tape.record(|| (0..statements).fold(x, |y, _| (y * y * 0.5 + x * 0.3).eval()))
        });
        let (sweep, gradient) = timed(|| tape.gradient(&y).map(|_| ()));
        gradient.map(|()| [record, sweep])
    };
    let mut tape = Tape::new();
    let first = run(&mut tape)?;
    drop(tape);
    let mut tape = Tape::new();
    let second = run(&mut tape)?;
    let mut again = || {
        tape.reset();
        run(&mut tape)
    };
    let warm: Vec<_> = (0..5).map(|_| again()).collect::<Result<_, _>>()?;
    let warm = [0, 1].map(|i| median(warm.iter().map(|times| times[i])));
    println!(
        "| {statements} statements, ns each | record | sweep | both over warm |\n|---|--:|--:|--:|"
    );
    let each = |time: Duration| time.as_secs_f64() * 1e9 / statements as f64;
    for (name, [record, sweep]) in [
        ("first tape", first),
        ("second tape", second),
        ("a tape again", warm),
    ] {
        let over = (record + sweep).div_duration_f64(warm[0] + warm[1]);
        println!(
            "| {name} | {:.1} | {:.1} | {over:.2} |",
            each(record),
            each(sweep)
        );
    }
    println!();
    Ok(())
}

fn inputs(effort: Effort) {
    const N: usize = 1000;
    let values = vec![1.5; N];
    let mut tape = Tape::new();
    let one_by_one = effort.ns(|| {
        tape.reset();
        values.iter().for_each(|&x| _ = black_box(tape.input(x)));
    });
    let together = effort.ns(|| {
        tape.reset();
        tape.inputs(values.iter().copied())
    });
    println!("| of {N} inputs, each | ns |\n|---|--:|");
    println!("| `input` | {:.1} |", one_by_one / N as f64);
    println!("| `inputs` | {:.1} |", together / N as f64);
}

/// Rosenbrock's function.
fn rosenbrock<T: Copy>(x: &[T], term: impl Fn(T, T) -> T, sum: impl Fn(T, T) -> T, zero: T) -> T {
    x.windows(2).fold(zero, |s, x| sum(s, term(x[0], x[1])))
}
fn recorded(x: &[Real]) -> Real {
    rosenbrock(
        x,
        |a, b| (100.0 * (b - a * a).powi(2) + (1.0 - a).powi(2)).eval(),
        |s, t| (s + t).eval(),
        Real::passive(0.0),
    )
}
fn drivers(effort: impl Fn(u32) -> Effort) -> Result<(), Error> {
    println!(
        "\n| gradient | plain | driver | own tape | driver over plain |\n|---|--:|--:|--:|--:|"
    );
    for (name, n, calls) in [
        ("x y + x", 2, 2000),
        ("Rosenbrock", 10, 500),
        ("Rosenbrock", 1000, 10),
    ] {
        let effort = effort(calls);
        let x: Vec<f64> = (0..n).map(|i| 0.5 + 0.1 * (i % 7) as f64).collect();
        let f = |x: &[Real]| match n {
            2 => (x[0] * x[1] + x[0]).eval(),
            _ => recorded(x),
        };
        let plain = effort.ns(|| {
            let x = black_box(&x);
            match n {
                2 => x[0] * x[1] + x[0],
                _ => rosenbrock(
                    x,
                    |a, b| 100.0 * (b - a * a).powi(2) + (1.0 - a).powi(2),
                    |s, t| s + t,
                    0.0,
                ),
            }
        });
        value_and_gradient(f, &x)?;
        let driver = effort.ns(|| value_and_gradient(f, &x));
        let mut tape = Tape::new();
        let own = effort.ns(|| {
            tape.reset();
            let inputs = tape.inputs(x.iter().copied());
            let y = tape.record(|| f(&inputs));
            tape.gradient(&y)?.wrt_all(&inputs)
        });
        println!(
            "| {name}, n = {n} | {plain:.1} | {driver:.0} | {own:.0} | {:.1} |",
            driver / plain
        );
    }
    Ok(())
}

/// How often a recording has a list: beginning it, seeding and sweeping take as long as many short lists do.
const TIMES: usize = 20;
fn lists(effort: impl Fn(u32) -> Effort) -> Result<(), Error> {
    println!(
        "\n| list | n | loop over `f64` | plain mode | `+=` recorded and swept | one statement | over `+=` | for an element |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    for n in [2, 16, 100, 1000] {
        let effort = effort(20_000 / n as u32);
        let values: Vec<f64> = (0..n).map(|i| 1.0 + 0.3 * i as f64).collect();
        let plain: Vec<Plain> = values.iter().copied().map(Plain::passive).collect();
        let means: Vec<f64> = values.iter().map(|x| x - 0.5).collect();
        let mut tape = Tape::new();
        let mut row = |name: &str,
                       by_hand: &dyn Fn(&[f64]) -> f64,
                       in_plain: &dyn Fn(&[Plain]) -> f64,
                       by_steps: &dyn Fn(&[Real]) -> Real,
                       at_once: &dyn Fn(&[Real]) -> Real|
         -> Result<(), Error> {
            let by_hand = effort.ns(|| by_hand(black_box(&values)));
            let in_plain = effort.ns(|| in_plain(black_box(&plain)));
            let x = tape.inputs(values.iter().copied());
            let start = tape.position();
            let mut swept = |f: &dyn Fn(&[Real]) -> Real| {
                let all = effort.ns(|| {
                    let y = tape.record(|| [(); TIMES].map(|()| f(&x)));
                    y.iter().try_for_each(|y| tape.seed(y, 1.0))?;
                    _ = tape.sweep_to(&start)?;
                    tape.reset_to(&start)
                });
                all / TIMES as f64
            };
            let (steps, once) = (swept(by_steps), swept(at_once));
            tape.reset();
            println!(
                "| {name} | {n} | {by_hand:.1} | {in_plain:.1} | {steps:.0} | {once:.0} | {:.2} | {:.1} |",
                once / steps,
                once / n as f64
            );
            Ok(())
        };
        let zero = || Real::passive(0.0);
        row(
            "sum",
            &|x| x.iter().sum(),
            &|x| x.sum().eval().value(),
            &|x| {
                x.iter().fold(zero(), |mut s, x| {
                    s += x;
                    s
                })
            },
            &|x| x.sum().eval(),
        )?;
        row(
            "norm_squared",
            &|x| x.iter().map(|x| x * x).sum(),
            &|x| x.norm_squared().eval().value(),
            &|x| {
                x.iter().fold(zero(), |mut s, x| {
                    s += x * x;
                    s
                })
            },
            &|x| x.norm_squared().eval(),
        )?;
        row(
            "dot",
            &|x| x.iter().zip(x).map(|(x, y)| x * y).sum(),
            &|x| x.dot(x).eval().value(),
            &|x| {
                x.iter().zip(x).fold(zero(), |mut s, (x, y)| {
                    s += x * y;
                    s
                })
            },
            &|x| x.dot(x).eval(),
        )?;
        row(
            "(x - m)²",
            &|x| x.iter().zip(&means).map(|(x, m)| (x - m).powi(2)).sum(),
            &|x| (list(x) - list(&means)).powi(2).sum().eval().value(),
            &|x| {
                x.iter().zip(&means).fold(zero(), |mut s, (x, &m)| {
                    s += (x - m).powi(2);
                    s
                })
            },
            &|x| (list(x) - list(&means)).powi(2).sum().eval(),
        )?;
    }
    Ok(())
}
